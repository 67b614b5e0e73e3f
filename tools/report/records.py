# SPDX-License-Identifier: MIT
"""Reads what was measured and refuses what nobody could read later, so that tables and charts hold checked records only.

A file in docs/results/ is lines of JSON. Records of `tile bench --json` are taken as they are. Their files are called by
the day, the time of day and what was run, 2026-11-23-1836-grouped-bf16.jsonl. All other records are entries:

    {"table": "hardware", "date": "2026-11-22", "machine": "NVIDIA H200, ...", "command": "...", "outcome": "..."}
"""
import json
import os
import re
import shlex
from typing import NamedTuple

RESULTS = "docs/results"
# The members of the entries of each table, in order.
TABLES = {
    "kernels": ["date", "kernel", "tile", "peer"],
    "compile time": ["date", "what", "time"],
    "tuning": ["date", "what", "outcome"],
    "simulator": ["date", "what", "figure"],
    "predictions": ["date", "case", "configs", "order", "within 20%", "predicted / measured"],
    "hardware": ["date", "machine", "command", "outcome"],
    "random programs": ["date", "machine", "command", "outcome"],
}
BENCH_FILE = re.compile(r"\d{4}-\d\d-\d\d-\d{4}-[a-z0-9-]+\.jsonl")
USUAL = {"out": "auto", "act": "none", "shared": "none", "value_dim": "same", "window": "all", "scores": "plain", "part": "keys",
         "passes": "any", "page": "none", "lengths": "equal"}


class Wrong(Exception):
    pass


class Entry(NamedTuple):
    record: dict
    link: str    # from a page in docs/ to the line


class Group(NamedTuple):
    """What has a table of its own: `config` is empty for what is tuned, else what --config said."""
    device: str
    kernel: str
    variant: str
    config: str


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
                    raise Wrong(f"{where}: not JSON: {error}") from None
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


def entries(files, *tables):
    return [Entry(record, f"results/{name}#L{line}")
            for name, records in files for line, record in enumerate(records, 1) if record.get("table") in tables]


# --- runs of `tile bench` ---------------------------------------------------------------------------------------------


def is_size(value):   # 8192u is one, too
    return not isinstance(value, str) or value.endswith("u") and value[:-1].isdigit()


def shape_of(settings):
    return " x ".join(value if isinstance(value, str) else str(int(value))
                      for value in settings.values() if is_size(value))


def choices_of(settings):
    return {name: value for name, value in settings.items() if not is_size(value) and value != USUAL.get(name)}


def config_of(run):
    """What the command asked for, if it is a config that was not tuned."""
    words = shlex.split(run["command"])
    given = [after for word, after in zip(words, words[1:]) if word == "--config"]
    given += [word.removeprefix("--config=") for word in words if word.startswith("--config=")]
    return given[-1] if given and given[-1] not in ("tuned", "all") else ""


class Case:
    """One problem on one device: the newest run that timed our kernel, and for each peer the newest run of both."""

    def __init__(self, settings):
        self.settings = settings
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

    def ratio(self, provider):
        """How fast we are relative to the peer in the same run; None if no run timed both."""
        _, peer, ours = self.peers.get(provider, (None, None, None))
        return peer.get("tile_is", peer["median"] / ours["median"]) if ours else None


def fastest(rows, provider):
    timed = [row for row in rows if row["provider"] == provider and row["outcome"] == "timed"]
    return min(timed, key=lambda row: row["median"], default=None)


def bench_runs(files):
    """The runs in the order of their files, each with its rows by kernel, choices and shape."""
    for name, records in files:
        run = next((record for record in records if record.get("type") == "run"), None)
        if run is None:
            continue
        if not BENCH_FILE.fullmatch(name):
            raise Wrong(f"{RESULTS}/{name}: a file of `tile bench --json` must be named by the day and the time of the "
                        f"run, then by what was run, as in {run['date']}-1830-gemm-bf16.jsonl")
        cases = {}
        for record in records:
            if record.get("type") == "row":
                variant = " ".join(choices_of(record["settings"]).values())
                cases.setdefault((record["kernel"], variant, shape_of(record["settings"])), []).append(record)
        yield {**run, "file": name}, cases


class Bench:
    """Of each case the newest run, better or worse than the ones before."""

    def __init__(self, files):
        self.groups = {}     # Group: a Case for each shape
        self.faults = {}     # (Group, shape): what failed in the newest run
        self.last_run = {}   # of each device
        for run, cases in bench_runs(files):
            for (kernel, variant, shape), rows in cases.items():
                group = Group(run["device"], kernel, variant, config_of(run))
                of_group = self.groups.setdefault(group, {})
                of_group.setdefault(shape, Case(rows[0]["settings"])).add(run, rows)
                self.faults[group, shape] = [row for row in rows if row["outcome"] in ("failed", "wrong")]
                self.last_run[run["device"]] = run

    def device_of_most_cases(self, kernels, configs=("",)):
        """The machine that a chart of these kernels shows; of those with as many cases, the one with the newest run."""
        def cases(device):
            return sum(len(cases) for group, cases in self.groups.items()
                       if group.device == device and group.kernel in kernels and group.config in configs)
        return max(self.last_run, key=lambda device: (cases(device), self.last_run[device]["file"]), default=None)


def dates(runs, link=None):
    """`2026-11-22 to 2026-11-25`, of runs; with `link`, each date is one."""
    runs = sorted(runs, key=lambda run: run["file"])
    shown = [runs[-1]] if runs[0]["file"][:10] == runs[-1]["file"][:10] else [runs[0], runs[-1]]
    return " to ".join(link(run["file"][:10], run) if link else run["file"][:10] for run in shown)
