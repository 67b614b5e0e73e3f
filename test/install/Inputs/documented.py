# SPDX-License-Identifier: MIT
"""Builds and runs every C++ program of the documents with the lines of CMake that the README gives.

    documented.py SOURCE_DIR FOLDER -- CMAKE OPTIONS...

A program is a block of C++ with a main. Where the last line of its main that prints has a comment, that is what it is
to print last.
"""
import glob
import os
import re
import subprocess
import sys


def blocks(path, language):
    """(line, text) of each fenced block."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for match in re.finditer(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        yield text.count("\n", 0, match.start()) + 1, match.group(1)


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} fails:\n{done.stdout}{done.stderr}")
    return done.stdout


def main(source_dir, folder, cmake):
    readme = os.path.join(source_dir, "README.md")
    project = next(text for _, text in blocks(readme, "cmake"))
    name = re.search(r"add_executable\((\w+)", project).group(1)
    documents = [readme, *sorted(glob.glob(os.path.join(source_dir, "docs", "*.md")))]
    wrong = 0
    for number, (label, program) in enumerate(
        (f"{os.path.relpath(document, source_dir)}:{line}", text)
        for document in documents
        for line, text in blocks(document, "cpp")
        if "int main" in text
    ):
        source, build = (os.path.join(folder, f"{kind}{number}") for kind in ("source", "build"))
        os.makedirs(source)
        for file, text in (("CMakeLists.txt", project), ("main.cpp", program)):
            with open(os.path.join(source, file), "w", encoding="utf-8") as out:
                out.write(text)
        run([*cmake, "-S", source, "-B", build])
        run([cmake[0], "--build", build])
        printed = run([os.path.join(build, name)]).rstrip().splitlines()[-1:]
        said = re.findall(r"^ .*print.*;\s*// (.*)$", program, re.MULTILINE)[-1:]
        print(f"{label} prints {' '.join(printed)}")
        if said and printed != said:
            print(f"{label} says that it prints {said[0]}")
            wrong += 1
    if not wrong:
        print("all programs do what they say")
    return wrong


if __name__ == "__main__":
    split = sys.argv.index("--")
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[split + 1 :]))
