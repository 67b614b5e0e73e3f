# SPDX-License-Identifier: MIT
"""Programs that the C++ compiler must refuse, with the sentence that the user reads.

    check_refusals.py FILE.cpp... -- COMPILER FLAGS...

A file holds good code and, between `#if FAIL == __LINE__   // expect: SENTENCE` and `#endif`, one mistake each.
Without a mistake (FAIL=0) it must compile; with each mistake it must not, the compiler must print the sentence
and name a line between the two, in few lines. `// expect-each:` in a file says that every line below which ends in
`// refused` is a mistake: all of them are compiled at once and each must be reported. Any other C++ compiler that
the project supports and that is installed checks the same.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

LONGEST = 40  # lines of compiler output per mistake; a page of candidates is no message
OTHERS = {"g++": ["clang++-22"], "clang++": ["g++-12", "g++"]}


def program(compiler):
    """The compiler's name among the words of a command such as `ccache g++ -I...`."""
    return os.path.basename(next(word for word in compiler if "++" in os.path.basename(word)))


def compilers(given):
    """The configured compiler with its flags, and the other supported one where it is installed."""
    found = [given]
    name = program(given)
    family = "clang++" if "clang" in name else "g++"
    after = next(n for n, word in enumerate(given) if os.path.basename(word) == name) + 1
    for other in OTHERS[family]:
        if shutil.which(other):
            found.append([other, *given[after:]])
            break
    else:
        print(f"skipped: no second compiler ({', '.join(OTHERS[family])}) is installed")
    return found


class Compiler:
    """A compiler with the headers read once: what is left of a refusal takes a tenth of a second."""

    HEADERS = ["dsl.h", "buffer.h", "devices.h"]

    def __init__(self, command, folder):
        self.name = program(command)
        clang = "clang" in self.name
        self.command = [*command, "-std=c++23", "-Wall", "-Wextra", "-fdiagnostics-color=never"]
        self.command += ["-ferror-limit=0" if clang else "-fmax-errors=0"]
        header = os.path.join(folder, self.name + ".h")
        with open(header, "w", encoding="utf-8") as out:
            out.writelines(f"#include <tile/{name}>\n" for name in self.HEADERS)
        compiled = header + (".pch" if clang else ".gch")
        subprocess.run([*self.command, "-x", "c++-header", header, "-o", compiled], check=True)
        self.command += ["-include-pch", compiled] if clang else ["-include", header]

    def check(self, file, define):
        done = subprocess.run([*self.command, "-fsyntax-only", define, file], capture_output=True, text=True)
        return done.returncode, done.stderr


def mistakes(lines):
    """(line of the #if, its #endif, sentence) of each mistake."""
    found = []
    for number, line in enumerate(lines, 1):
        if match := re.match(r"#if FAIL == __LINE__\s*// expect: (.*)", line):
            end = next(n for n in range(number, len(lines) + 1) if lines[n - 1].startswith("#endif"))
            found.append((number, end, match.group(1).strip()))
    return found


def named_lines(file, output):
    return {int(n) for n in re.findall(re.escape(os.path.basename(file)) + r":(\d+)", output)}


def flat(text):
    return " ".join(text.split())


def check_one(compiler, file, first, last, sentence):
    code, output = compiler.check(file, f"-DFAIL={first}")
    if code == 0:
        return "compiles"
    if sentence not in flat(output):
        return f"lacks the sentence: {sentence}\n{output}"
    if not any(first < n < last for n in named_lines(file, output)):
        return f"does not name the line\n{output}"
    if output.count("\n") > LONGEST:
        return f"takes {output.count(chr(10))} lines to say it\n{output}"
    return None


def check_each(compiler, file, lines, sentence):
    """All mistakes of the file in one run: every marked line is named, the sentence comes as often."""
    wanted = {n for n, line in enumerate(lines, 1) if line.endswith("// refused")}
    code, output = compiler.check(file, "-DFAIL=1")
    if code == 0:
        return "compiles"
    missing = sorted(wanted - named_lines(file, output))
    if missing:
        return f"accepts the lines {missing}\n{output[:4000]}"
    said = len(re.findall("error:[^\n]*" + re.escape(sentence), output))
    if said < len(wanted):
        return f"says the sentence {said} times for {len(wanted)} mistakes"
    return None


def check_good(compiler, file):
    code, output = compiler.check(file, "-DFAIL=0")
    return output if code or output else None


def main(arguments):
    split = arguments.index("--")
    files, given = arguments[:split], arguments[split + 1 :]
    jobs = []
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for compiler in [Compiler(command, folder) for command in compilers(given)]:
            for file in files:
                lines = open(file, encoding="utf-8").read().splitlines()
                label = f"{os.path.basename(file)} with {compiler.name}"
                jobs.append((f"{label}, no mistake", pool.submit(check_good, compiler, file)))
                each = next((m.group(1) for line in lines if (m := re.match(r"// expect-each: (.*)", line))), None)
                if each:
                    jobs.append((f"{label}, all mistakes", pool.submit(check_each, compiler, file, lines, each)))
                for first, last, sentence in mistakes(lines):
                    job = pool.submit(check_one, compiler, file, first, last, sentence)
                    jobs.append((f"{label}, mistake at line {first}", job))
        failed = [(label, job.result()) for label, job in jobs if job.result()]
    for label, reason in failed:
        print(f"{label}: {reason}")
    print(f"{len(jobs)} compilations, {len(failed)} with surprises")
    return bool(failed) or not jobs


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
