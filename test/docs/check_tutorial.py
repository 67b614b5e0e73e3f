# SPDX-License-Identifier: MIT
"""The pages show what their programs are and print.

    check_tutorial.py SOURCE_DIR BIN_DIR [PAGE of docs/] [--update]

The comment `<!-- from examples/x.cpp -->` says that the lines of the next block are in that file, word for word, all as
far to the right of where they are on the page; `<!-- output of examples/x.cpp -->` that the program prints the block,
and `: name` that it is the part of the output between `== name` and the next `==`. Columns and carets differ between
compilers and are not compared. Without PAGE, all pages with such comments are checked. --update writes the outputs
into the pages.
"""
import functools
import glob
import os
import re
import subprocess
import sys
import textwrap

MARK = re.compile(r"<!-- (from|output of) (examples/\w+\.(?:cpp|c|py))(?:: (\w+))? -->\n(```\w*\n)(.*?)```", re.DOTALL)


@functools.cache
def printed_by(bin_dir, path):
    program = os.path.join(bin_dir, "examples", os.path.basename(path)[: -len(".cpp")])
    environment = dict(os.environ, NO_COLOR="1")
    # From the build folder errors find the source lines that they quote, also where ccache has made the names
    # of source files relative to it.
    build_dir = os.path.dirname(bin_dir)
    done = subprocess.run([program], cwd=build_dir, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"{program} fails:\n{done.stdout}{done.stderr}")
    return done.stdout.replace("../docs/", "docs/")


def output(bin_dir, path, part):
    printed = printed_by(bin_dir, path)
    if not part:
        return printed
    return dict(re.findall(r"^== (\w+)\n(.*?)(?=^== |\Z)", printed, re.MULTILINE | re.DOTALL))[part]


def contains(program, block):
    """Whether the lines of the block are in the program, all as far to the right."""
    return any("\n" + textwrap.indent(block, " " * further) in "\n" + program for further in range(24))


def without_columns(text):
    text = re.sub(r"(\.cpp:\d+):\d+", r"\1", text)
    return re.sub(r"^ *\| *\^.*\n", "", text, flags=re.MULTILINE).strip()


def check_page(source_dir, bin_dir, page, update):
    """The number of blocks that were checked, and what is wrong."""
    name = os.path.normpath(os.path.join("docs", page))
    with open(os.path.join(source_dir, name), encoding="utf-8") as file:
        text = file.read()
    wrong = []

    def check(match):
        kind, path, part, fence, block = match.groups()
        if kind == "from":
            with open(os.path.join(source_dir, "docs", path), encoding="utf-8") as file:
                if not contains(file.read(), block):
                    wrong.append(f"{name}: this is not in docs/{path}:\n{block}")
            return match.group(0)
        printed = output(bin_dir, path, part)
        if without_columns(block) != without_columns(printed):
            wrong.append(f"{name}: docs/{path} prints for {part}:\n{printed}")
        return match.group(0).replace(fence + block, fence + printed.rstrip("\n") + "\n")

    updated, checked = MARK.subn(check, text)
    unmarked = text.count("<!-- from") + text.count("<!-- output") - checked
    if unmarked:
        wrong.append(f"{name}: {unmarked} comments are not followed by a block")
    if update:
        with open(os.path.join(source_dir, name), "w", encoding="utf-8") as file:
            file.write(updated)
    return checked, wrong


def main(source_dir, bin_dir, page=None, update=False):
    pages = sorted(os.path.basename(name) for name in glob.glob(os.path.join(source_dir, "docs", "*.md")))
    checked, wrong = 0, []
    for name in [page] if page else ["../README.md", *pages]:
        more, found = check_page(source_dir, bin_dir, name, update)
        checked += more
        wrong += found
    print("\n".join(wrong))
    print(f"{checked} blocks, {len(wrong)} differ" + ("; --update writes the outputs" if wrong else ""))
    return bool(wrong) or checked == 0


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if argument != "--update"]
    sys.exit(main(*arguments, update="--update" in sys.argv))
