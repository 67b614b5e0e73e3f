# SPDX-License-Identifier: MIT
# The table of environment variables in runtime/environment.cpp is to be complete and true: this compares
# it with the code. A row TILE_SOME_NAME is read by environment::some_name().
# usage: environment_rows.py <root of the project>
import os
import re
import sys

TABLE = "runtime/environment.cpp"
FOLDERS = ("compiler", "dialects", "kernels", "runtime", "tools", "test")
NAME = re.compile(r'"(TILE_[A-Z][A-Z0-9_]*)"')
# What terminals understand, where programs are and what they are given is no setting of ours; a test may arrange what it
# needs.
READERS = {TABLE, "runtime/process.cpp", "runtime/terminal.cpp"}


def sources(root):
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith((".cpp", ".h", ".def", ".py")) or name == "dev":
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        yield os.path.relpath(path, root), file.read()


def check(files):
    """Yields what is wrong; `files` are pairs of a path below the root and its text."""
    texts = dict(files)
    rows = re.findall(r'\.name = "(TILE_\w+)"', texts[TABLE])
    if not rows:
        yield f"{TABLE}: no rows found; does this script still know the table's form?"
    for name, text in texts.items():
        is_test = name.startswith("test/")
        for variable in NAME.findall(text):
            if variable not in rows and not is_test:
                yield f"{name}: {variable} has no row in {TABLE}"
        if re.search(r"\b(secure_)?getenv\b|\benviron\b", text) and name not in READERS and not is_test:
            yield f"{name}: reads the environment by itself; add a row to {TABLE} and call its accessor"
    product = "".join(text for name, text in texts.items() if not name.startswith(("test/", "runtime/environment.")))
    for row in rows:
        accessor = "environment::" + row.removeprefix("TILE_").lower() + "("
        if accessor not in product:
            yield f"{TABLE}: nothing reads {row}: no call of {accessor})"


if __name__ == "__main__":
    findings = list(check(sources(sys.argv[1])))
    print("\n".join(findings))
    sys.exit(1 if findings else 0)
