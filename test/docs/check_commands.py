# SPDX-License-Identifier: MIT
"""The commands that a page of docs/ shows print what it shows.

    check_commands.py SOURCE_DIR BIN_DIR PAGE

After the comment `<!-- run -->` comes a block of commands, and then one with lines that they print: each of them, in
this order; other lines may stand between. `…` stands for any text, and numbers of iterations may differ.
`<!-- run alone -->`: the commands do not fail, and no output is shown. `./libmine.so` is the library of docs/examples
that has the kernel, and `build/bin` is BIN_DIR. `<!-- file x.cpp -->` before a block: it is the file that commands of
the page mean.
"""
import os
import re
import subprocess
import sys
import tempfile

MARK = re.compile(r"<!-- run( alone)? -->\n```sh\n(.*?)```\n(?:\s*```\n(.*?)```)?", re.DOTALL)
FILE = re.compile(r"<!-- file ([\w.]+) -->\n```\w*\n(.*?)```", re.DOTALL)
LIBRARIES = {"axpy": "own_kernels", "product_f16": "own_kernels", "mine.h": "exported", "tile list": "own_kernels"}


def runnable(command, bin_dir, folder):
    command = command.replace("/tmp/", f"{folder}/").replace("/somewhere/", f"{folder}/")
    command = re.sub(r"(?<![\w/])build/bin/", f"{bin_dir}/", command)   # which may be below /tmp itself
    for name in os.listdir(folder):   # files of the page, or that commands before have made
        if "." not in name:
            continue
        command = re.sub(rf"(?<![\w/]){re.escape(name)}\b", f"{folder}/{name}", command)
    command = command.replace("<somewhere>", os.path.dirname(bin_dir))
    kernel = next((name for name in LIBRARIES if re.search(rf"\b{name}\b", command)), None)
    if kernel:
        command = command.replace("./libmine.so", f"{bin_dir}/examples/lib{LIBRARIES[kernel]}.so")
    return command


def printed_by(commands, bin_dir, folder):
    text, failed = "", False
    for command in commands.replace("\\\n", " ").splitlines():
        environment = dict(os.environ, NO_COLOR="1", TILE_JOBS="1", TILE_CACHE_DIR=f"{folder}/cache", TMPDIR=folder,
                           PATH=f"{bin_dir}:{os.environ['PATH']}")
        done = subprocess.run(["bash", "-c", runnable(command, bin_dir, folder)], cwd=os.path.dirname(bin_dir),
                              capture_output=True, text=True, env=environment, check=False)
        text += done.stdout + done.stderr
        failed |= done.returncode != 0
    return text, failed


def comparable(text):
    """Without what differs from run to run, or between compilers."""
    return re.sub(r"[\d,]+ iterations", "N iterations", re.sub(r"(\.cpp:\d+):\d+", r"\1", text))


def missing(block, text):
    """The first line of the block that the text lacks, or has in another order."""
    lines = iter(comparable(text).replace("../docs/", "docs/").splitlines())
    for wanted in block.splitlines():
        if wanted.strip() in ("", "…", "|") or re.fullmatch(r"\s*\|\s*\^", wanted):
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in comparable(wanted).strip().split("…")))
        if not any(pattern.search(line.strip()) for line in lines):
            return wanted
    return None


def main(source_dir, bin_dir, page):
    with open(os.path.join(source_dir, "docs", page), encoding="utf-8") as file:
        text = file.read()
    wrong, checked = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, content in FILE.findall(text):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)
        for alone, commands, block in MARK.findall(text):
            checked += 1
            printed, failed = printed_by(commands, bin_dir, folder)
            if alone:
                lacks = failed and "success"
            elif not block:
                lacks = "anything that the page shows: write `<!-- run alone -->`"
            else:
                lacks = missing(block, printed)
            if lacks:
                wrong.append(f"{commands}does not print: {lacks}\nit prints:\n{printed}")
    if checked != text.count("<!-- run"):
        wrong.append(f"{text.count('<!-- run') - checked} comments are not followed by a block of commands")
    print("\n".join(wrong) or f"{page}: {checked} blocks of commands print what the page shows")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*(os.path.abspath(a) for a in sys.argv[1:3]), sys.argv[3]))
