# SPDX-License-Identifier: MIT
# Whether a report of `tile bench` is sound HTML that needs nothing else, with the lines of its --json in it.
# usage: check_page.py <page> <lines>
import html.parser
import json
import sys

VOID = {"meta", "link", "wbr"}
SELF_CLOSING = {"line", "rect", "circle", "path"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.records, self.wrong, self.charts = [], set(), "", [], 0

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if len(given) != len(attributes):
            self.wrong.append(f"<{tag}> has an attribute twice")
        if "id" in given and given["id"] in self.ids:
            self.wrong.append(f"two elements have the id {given['id']}")
        self.ids.add(given.get("id"))
        for name in ("src", "href"):
            if name in given and not given[name].startswith("data:"):
                self.wrong.append(f"<{tag}> needs {given[name]}")
        if tag == "svg":
            self.charts += 1
            if not given.get("aria-label"):
                self.wrong.append("a chart without a label")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        if tag not in SELF_CLOSING:
            self.wrong.append(f"<{tag}/> does not close itself")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> closes something else")

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.records += data


def check(page_name, lines_name):
    page = Page()
    with open(page_name, encoding="utf-8") as file:
        page.feed(file.read())
    page.close()
    with open(lines_name, encoding="utf-8") as file:
        lines = file.read()
    if page.open:
        page.wrong.append(f"still open: {page.open}")
    if page.records.strip() != lines.strip():
        page.wrong.append("the lines of JSON in the page are others than those of --json")
    for line in lines.splitlines():
        json.loads(line)
    return page.wrong


if __name__ == "__main__":
    found = check(*sys.argv[1:])
    print("\n".join(found))
    sys.exit(1 if found else 0)
