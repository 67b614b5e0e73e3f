# SPDX-License-Identifier: MIT
"""Writes the tables of docs/performance.md and docs/hardware-tests.md from the records in docs/results/: lines of JSON,
one file for what belongs together. A table stands between two comments, and nothing is written by hand there:

    <!-- results: kernels -->
    ...
    <!-- end of results -->

Records of `tile bench --json` are taken as they are: put the file there, and it has its section. All others are
entries, whose members after `table` are the cells of a row:

    {"table": "hardware", "date": "2026-11-22", "machine": "NVIDIA H200, ...", "command": "...", "outcome": "..."}

usage: report.py <root of the project> [--check]      --check: tells which file is stale and changes nothing
"""
import json
import os
import re
import sys

# The columns of each table of entries: members of a record, and what is above them.
TABLES = {
    "kernels": ["date", "kernel", "tile", "peer"],
    "compile time": ["date", "what", "time"],
    "tuning": ["date", "what", "outcome"],
    "simulator": ["date", "what", "figure"],
    "hardware": ["date", "machine", "command", "outcome"],
    "random programs": ["date", "machine", "command", "outcome"],
}
DOCUMENTS = ["docs/performance.md", "docs/hardware-tests.md"]
RESULTS = "docs/results"
PART = re.compile(r"(<!-- results: ([a-z ]+) -->\n).*?(<!-- end of results -->)", re.DOTALL)


class Wrong(Exception):
    pass


def read_records(root):
    """(file, records) for each file, in order of their names, which begin with dates."""
    found = []
    folder = os.path.join(root, RESULTS)
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".jsonl"):
            continue
        records = []
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                where = f"{RESULTS}/{name}:{number}"
                try:
                    record = json.loads(line)
                except ValueError as error:
                    raise Wrong(f"{where}: no JSON: {error}") from None
                if not isinstance(record, dict) or ("table" in record) == ("type" in record):
                    raise Wrong(f"{where}: a record has either a `table` or the `type` that `tile bench --json` writes")
                check_entry(record, where)
                records.append(record)
        found.append((name, records))
    return found


def check_entry(record, where):
    if "table" not in record:
        return
    if record["table"] not in TABLES:
        raise Wrong(f"{where}: no table `{record['table']}`; there are {', '.join(TABLES)}")
    members = [name for name in record if name != "table"]
    if members != TABLES[record["table"]]:
        raise Wrong(f"{where}: an entry of `{record['table']}` has {', '.join(TABLES[record['table']])}, in this order, "
                    f"not {', '.join(members)}")


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|" for row in rows]) + "\n"


def entries(files, name):
    columns = TABLES[name]
    rows = [[record[column] for column in columns]
            for _, records in files for record in records if record.get("table") == name]
    return table(columns, rows)


# --- runs of `tile bench` ---------------------------------------------------------------------------------------------

USUAL = {"out": "auto", "act": "none", "shared": "none"}


def is_size(value):   # 8192u is one, too
    return not isinstance(value, str) or value.endswith("u") and value[:-1].isdigit()


def shape_of(settings):
    return " x ".join(value if isinstance(value, str) else str(int(value))
                      for value in settings.values() if is_size(value))


def variant_of(settings):
    return " ".join(value for name, value in settings.items()
                    if not is_size(value) and value != USUAL.get(name))


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def bench_table(rows):
    """A line a shape: ours with its config, then every peer with our speed relative to it."""
    peers, shapes = [], {}
    for row in rows:
        if row["outcome"] != "timed":
            continue
        if row["provider"] != "tile" and row["provider"] not in peers:
            peers.append(row["provider"])
        of_shape = shapes.setdefault(shape_of(row["settings"]), {})
        best = of_shape.get(row["provider"])
        if best is None or row["median"] < best["median"]:
            of_shape[row["provider"]] = row
    lines = []
    for shape, of_shape in shapes.items():
        ours = of_shape.get("tile")
        cells = [shape, f"`{ours['config']}`" if ours else "", number(ours["rate"]) if ours else ""]
        for peer in peers:
            row = of_shape.get(peer)
            times = f" ({row.get('tile_is', row['median'] / ours['median']):.3f} x)" if row and ours else ""
            cells.append(number(row["rate"]) + times if row else "")
        lines.append(cells)
    unit = next(row["unit"] for row in rows if row["outcome"] == "timed")
    return table(["shape", "config", f"tile, {unit}"] + [f"{peer} (tile is)" for peer in peers], lines)


def bench(files):
    text = ""
    for name, records in files:
        run = next((record for record in records if record.get("type") == "run"), None)
        if run is None:
            continue
        text += f"\n{run['date']}, {run['device']}, driver {run['driver']}: `{run['command']}`"
        text += f" ([{name}](results/{name}))\n"
        groups = {}
        for record in records:
            if record.get("type") == "row":
                groups.setdefault((record["kernel"], variant_of(record["settings"])), []).append(record)
        for (kernel, variant), rows in groups.items():
            if any(row["outcome"] == "timed" for row in rows):
                text += f"\n{kernel}, {variant}\n\n{bench_table(rows)}"
            for row in rows:
                if row["outcome"] in ("failed", "wrong"):
                    text += f"\n{shape_of(row['settings'])}: {row['provider']} {row['outcome']}: {row['reason']}\n"
    return text.lstrip("\n") or "No run yet.\n"


def written(text, files, document):
    def fill(part):
        name = part.group(2)
        if name == "bench":
            return part.group(1) + bench(files) + part.group(3)
        if name not in TABLES:
            raise Wrong(f"{document}: no table `{name}`; there are bench, {', '.join(TABLES)}")
        return part.group(1) + entries(files, name) + part.group(3)

    if not PART.search(text):
        raise Wrong(f"{document} has no part that is written from {RESULTS}")
    return PART.sub(fill, text)


def main(root, check):
    files, stale = read_records(root), []
    for document in DOCUMENTS:
        path = os.path.join(root, document)
        with open(path, encoding="utf-8") as file:
            before = file.read()
        after = written(before, files, document)
        if after != before:
            stale.append(document)
            if not check:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(after)
    for document in stale:
        print(f"{document}: " + (f"not what {RESULTS} says: run tools/dev report" if check else "written"))
    return 1 if check and stale else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], "--check" in sys.argv[2:]))
    except Wrong as wrong:
        print(f"report.py: {wrong}", file=sys.stderr)
        sys.exit(2)
