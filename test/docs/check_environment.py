# SPDX-License-Identifier: MIT
"""The table of docs/environment.md is what `tile --help-env` prints: every variable with its values.

    check_environment.py DOCS/environment.md [--update] < help
"""
import re
import sys

MARK = "<!-- as `tile --help-env` says -->\n"
ROW = re.compile(r"^(TILE_\w+)=(.*)\n    (.*)\.\n    (?:Default: (.*?)\. )?(In|Not in) the key of kept kernels\.$",
                 re.MULTILINE)


def table(text):
    rows = ROW.findall(text)
    assert len(rows) == len(re.findall("^TILE_", text, re.MULTILINE)) > 0, "the help has another form"
    lines = ["| variable | values | default | what it does | in the key of kept kernels |", "|---|---|---|---|---|"]
    for name, values, does, default, in_key in rows:
        lines.append(f"| `{name}` | {values} | {default} | {does} | {'yes' if in_key == 'In' else 'no'} |")
    return "\n".join(lines) + "\n"


def main(path, update):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    begin, _, shown = page.partition(MARK)
    wanted = table(sys.stdin.read())
    if shown == wanted:
        return 0
    if update:
        with open(path, "w", encoding="utf-8") as file:
            file.write(begin + MARK + wanted)
        return 0
    print(f"{path} does not show what `tile --help-env` prints; --update writes it:\n{wanted}")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--update" in sys.argv))
