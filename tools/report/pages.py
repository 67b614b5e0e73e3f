# SPDX-License-Identifier: MIT
"""Puts tables and charts where readers look for them, and tells which page or picture is not what the records say."""
import os
import re

from charts import CHARTS
from checks import log, newest_checks
from records import RESULTS, TABLES, Bench, Wrong, read_records
from summary import summary_table
from tables import bench_tables, entry_table

DOCUMENTS = ["docs/performance.md", "docs/performance-guide.md", "docs/hardware-tests.md"]
PART = re.compile(r"(<!-- results: ([a-z ]+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


def written(text, files, bench, document):
    tables = {
        "summary": lambda: summary_table(files, bench),
        "bench": lambda: bench_tables(bench),
        "newest checks": lambda: newest_checks(files),
        "log of checks": lambda: log(files),
        **{name: lambda name=name: entry_table(files, name) for name in TABLES},
    }

    def fill(part):
        if part.group(2) not in tables:
            raise Wrong(f"{document}: no table `{part.group(2)}`; there are {', '.join(tables)}")
        return part.group(1) + tables[part.group(2)]() + part.group(3)

    if not PART.search(text):
        raise Wrong(f"{document} has no table between `<!-- results: ... -->` comments")
    return PART.sub(fill, text)


def read(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def report(root, check):
    files = read_records(root)
    bench = Bench(files)
    after = {document: written(read(os.path.join(root, document)), files, bench, document) for document in DOCUMENTS}
    after |= {name: chart(bench) for name, chart in CHARTS.items()}
    stale = [name for name, text in after.items() if read(os.path.join(root, name)) != text]
    for name in stale:
        if not check:
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(after[name])
        print(f"{name}: " + (f"differs from {RESULTS}: run tools/dev report" if check else "written"))
    return 1 if check and stale else 0
