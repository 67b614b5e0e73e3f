# SPDX-License-Identifier: MIT
"""The tutorial, or another page of docs/, shows what its programs are and print.

    check_tutorial.py SOURCE_DIR BIN_DIR [PAGE] [--update]

In docs/tutorial.md the comment `<!-- from examples/x.cpp -->` says that the next block is in that file, word for
word; `<!-- output of examples/x.cpp -->` that the program prints it, and `: name` that it is the part of the output
between `== name` and the next `==`. Columns and carets differ between compilers and are not compared. --update
writes the outputs into the tutorial.
"""
import os
import re
import subprocess
import sys

MARK = re.compile(r"<!-- (from|output of) (examples/\w+\.(?:cpp|c|py))(?:: (\w+))? -->\n(```\w*\n)(.*?)```", re.DOTALL)


def output(source_dir, bin_dir, path, part):
    program = os.path.join(bin_dir, "examples", os.path.basename(path)[: -len(".cpp")])
    environment = dict(os.environ, NO_COLOR="1")
    # From the build folder errors find the source lines that they quote, also where ccache has made the names
    # of source files relative to it.
    build_dir = os.path.dirname(bin_dir)
    done = subprocess.run([program], cwd=build_dir, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"{program} fails:\n{done.stdout}{done.stderr}")
    printed = done.stdout.replace("../docs/", "docs/")
    if not part:
        return printed
    return dict(re.findall(r"^== (\w+)\n(.*?)(?=^== |\Z)", printed, re.MULTILINE | re.DOTALL))[part]


def without_columns(text):
    text = re.sub(r"(\.cpp:\d+):\d+", r"\1", text)
    return re.sub(r"^ *\| *\^.*\n", "", text, flags=re.MULTILINE).strip()


def main(source_dir, bin_dir, page="tutorial.md", update=False):
    tutorial = os.path.join(source_dir, "docs", page)
    with open(tutorial, encoding="utf-8") as file:
        text = file.read()
    wrong = []

    def check(match):
        kind, path, part, fence, block = match.groups()
        if kind == "from":
            with open(os.path.join(source_dir, "docs", path), encoding="utf-8") as file:
                if block not in file.read():
                    wrong.append(f"this is not in docs/{path}:\n{block}")
            return match.group(0)
        printed = output(source_dir, bin_dir, path, part)
        if without_columns(block) != without_columns(printed):
            wrong.append(f"docs/{path} prints for {part}:\n{printed}")
        return match.group(0).replace(fence + block, fence + printed.rstrip("\n") + "\n")

    updated, checked = MARK.subn(check, text)
    unmarked = text.count("<!-- from") + text.count("<!-- output") - checked
    if unmarked:
        wrong.append(f"{unmarked} comments of the tutorial are not followed by a block")
    if update:
        with open(tutorial, "w", encoding="utf-8") as file:
            file.write(updated)
    print("\n".join(wrong))
    print(f"{checked} blocks, {len(wrong)} differ" + ("; --update writes the outputs" if wrong else ""))
    return bool(wrong) or checked == 0


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--update"]
    sys.exit(main(*arguments, update="--update" in sys.argv))
