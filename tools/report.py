# SPDX-License-Identifier: MIT
"""Writes the tables of docs/performance.md and docs/hardware-tests.md from the records in docs/results/: lines of JSON,
one file for what belongs together. A table stands between two comments, and nothing is written by hand there:

    <!-- results: kernels -->
    ...
    <!-- end of results -->

Records of `tile bench --json` are taken as they are. Their files are called by the day, the time of day and what was
run, 2026-11-23-1836-grouped-bf16.jsonl: the tables show the newest run of each case. All others are entries, whose
members after `table` are the cells of a row:

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
BENCH_FILE = re.compile(r"\d{4}-\d\d-\d\d-\d{4}-[a-z0-9-]+\.jsonl")
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


class Case:
    """One problem on one device: the newest run that timed our kernel, and for each peer the newest run of both."""

    def __init__(self):
        self.ours = None    # (run, row)
        self.peers = {}     # provider: (run, row of the peer, our row of the same run)

    def add(self, run, rows):
        ours = fastest(rows, "tile")
        if ours:
            self.ours = (run, ours)
        for provider in dict.fromkeys(row["provider"] for row in rows if row["provider"] != "tile"):
            peer = fastest(rows, provider)
            if peer and (ours or provider not in self.peers):
                self.peers[provider] = (run, peer, ours)


def fastest(rows, provider):
    timed = [row for row in rows if row["provider"] == provider and row["outcome"] == "timed"]
    return min(timed, key=lambda row: row["median"], default=None)


def link(run):
    """`11-23 18:36`, to the file: names begin with the day and the time of day."""
    name = run["file"]
    return f"[{name[5:10]} {name[11:13]}:{name[13:15]}](results/{name})"


def peer_cell(run, peer, ours, newest):
    text = number(peer["rate"])
    if ours:
        text += f" ({peer.get('tile_is', peer['median'] / ours['median']):.3f} x)"
    return text if newest is run else f"{text}, {link(run)}"


def bench_table(cases):
    """A line a case: ours with its config, then every peer with our speed relative to it in the same run."""
    peers = []
    for case in cases.values():
        peers += [provider for provider in case.peers if provider not in peers]
    lines = []
    for shape, case in cases.items():
        newest, ours = case.ours or (None, None)
        cells = [shape, link(newest) if newest else "", f"`{ours['config']}`" if ours else "",
                 number(ours["rate"]) if ours else ""]
        lines.append(cells + [peer_cell(*case.peers[peer], newest) if peer in case.peers else "" for peer in peers])
    unit = next(row["unit"] for case in cases.values()
                for row in [case.ours[1] if case.ours else None, *(peer[1] for peer in case.peers.values())] if row)
    return table(["shape", "run", "config", f"tile, {unit}"] + [f"{peer} (tile is)" for peer in peers], lines)


def bench_runs(files):
    """The runs in the order of their files, each with its rows by case."""
    for name, records in files:
        run = next((record for record in records if record.get("type") == "run"), None)
        if run is None:
            continue
        if not BENCH_FILE.fullmatch(name):
            raise Wrong(f"{RESULTS}/{name}: a file of `tile bench --json` is called by the day and the time of the run, "
                        f"then by what was run, as in {run['date']}-1830-gemm-bf16.jsonl")
        cases = {}
        for record in records:
            if record.get("type") == "row":
                key = (record["kernel"], variant_of(record["settings"]), shape_of(record["settings"]))
                cases.setdefault(key, []).append(record)
        yield {**run, "file": name}, cases


def bench(files):
    """Of each case the newest run, better or worse than the ones before."""
    tables, faults, last_run = {}, {}, {}   # tables: of each device and kind of problem, a Case for each shape
    for run, cases in bench_runs(files):
        for (kernel, variant, shape), rows in cases.items():
            group = (run["device"], kernel, variant)
            tables.setdefault(group, {}).setdefault(shape, Case()).add(run, rows)
            faults[group + (shape,)] = [row for row in rows if row["outcome"] in ("failed", "wrong")]
            last_run[run["device"]] = run
    text = ""
    for device, run in last_run.items():
        text += f"\n{device}, driver {run['driver']}\n"
        for (of_device, kernel, variant), cases in tables.items():
            if of_device != device:
                continue
            timed = {shape: case for shape, case in cases.items() if case.ours or case.peers}
            if timed:
                text += f"\n{kernel}, {variant}\n\n{bench_table(timed)}"
            for shape in cases:
                for row in faults[device, kernel, variant, shape]:
                    text += f"\n{shape}: {row['provider']} {row['outcome']}: {row['reason']}\n"
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
