# SPDX-License-Identifier: MIT
# A link that leads nowhere costs a reader more than none: every relative link of a page names a file that is there, and
# the part after `#` a heading of that page. A link may begin on one line and end on the next one.
# usage: check_links.py <root of the project>
import os
import re
import sys

from check_sources import pages, without_programs

LINK = re.compile(r"\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")


def anchors(text):
    """As GitHub makes them of headings: lower case, punctuation dropped, blanks to hyphens, repetitions numbered."""
    found = set()
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*\s*$", without_programs(text), re.M):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        anchor = base = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        repetition = 0
        while anchor in found:
            repetition += 1
            anchor = f"{base}-{repetition}"
        found.add(anchor)
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def links(text):
    """The target of each link with its line. Code is no link. Links end with their paragraph or row of a table."""
    number = 1
    for paragraph in re.split(r"(\n[ \t]*\n|\n(?=[ \t]*\|))", without_programs(text)):
        shown = re.sub(r"`[^`]*`", lambda code: re.sub(r"[^\n]", " ", code.group()), paragraph)
        for link in LINK.finditer(shown):
            yield number + shown.count("\n", 0, link.start(1)), link.group(1)
        number += paragraph.count("\n")


def dead_links(root, names):
    texts = {}

    def text_of(path):
        if path not in texts:
            with open(os.path.join(root, path), encoding="utf-8") as file:
                texts[path] = file.read()
        return texts[path]

    for page in names:
        for number, target in links(text_of(page)):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
            if not os.path.exists(os.path.join(root, path)):
                yield f"{page}:{number}: ({target}): there is no {path}"
            elif anchor and path.endswith(".md") and anchor not in anchors(text_of(path)):
                yield f"{page}:{number}: ({target}): {path} has no heading #{anchor}"


def main(root):
    names = pages(root)
    problems = list(dead_links(root, names))
    print("\n".join(problems) or f"{len(names)} pages, no dead link")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
