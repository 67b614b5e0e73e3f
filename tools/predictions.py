# SPDX-License-Identifier: MIT
"""Compares what `tile trace` predicts with what a GPU measured, for all configs of the cases of some records.

usage: predictions.py TILE RECORD... [--most N] [--cases N] [--pairs FILE] [--entries FILE] [--least-order X] [--least-near X]
       [--first N]

TILE      the program
RECORD    lines of `tile bench KERNEL --config all --json`, or of a sweep below docs/results/sweeps
--most N          configs of a case, spread over all from the fastest to the slowest; 12
--cases N         cases of each record, the first ones; all
--pairs FILE      writes a line of JSON for each config: predicted and measured, in microseconds
--entries FILE    writes a line of JSON for each case, for the table `predictions` of docs/results
--least-order X   exit code 1 if the order of a kernel's configs agrees less (Spearman's rank correlation, mean of its cases)
--first N         also tells how far the best of the N configs that are predicted to be the fastest is from the best
--least-near X    exit code 1 if a smaller share of all predictions is within 20% of what was measured
"""
import argparse
import datetime
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

NEAR = 0.2
USUAL = ("auto", "none", "same", "all", "plain")


class Case(NamedTuple):
    kernel: str
    settings: tuple    # of (name, value)

    def title(self):
        """Without choices that are as they mostly are."""
        said = [f"{name}={value}" for name, value in self.settings if value not in USUAL and (name, value) != ("sharing", 1)]
        return " ".join([self.kernel, *said])


def read(path):
    """(case, config, seconds) of each config that was timed."""
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    run = records[0]
    for record in records:
        if record["type"] == "row" and record["provider"] == "tile" and record.get("median"):
            yield Case(record["kernel"], tuple(record["settings"].items())), record["config"], record["median"]
        elif record["type"] == "sweep":
            settings = {name: record[name] for name in ("m", "n", "k", "trans")} | {"dtype": run["dtype"]}
            for place, microseconds in record["measured"]:
                yield Case(run["kernel"], tuple(settings.items())), run["configs"][place], microseconds * 1e-6


def spread(pairs, most):
    """So many of them, from the fastest to the slowest."""
    pairs = sorted(pairs, key=lambda pair: pair[1])
    if len(pairs) <= most:
        return pairs
    return [pairs[round(i * (len(pairs) - 1) / (most - 1))] for i in range(most)]


def predict(tile, case, config):
    """Microseconds, of all kernels that the launch starts."""
    command = [tile, "trace", case.kernel] + [word for name, value in case.settings for word in (f"--{name}", str(value))]
    # The default config has no text: a field that it has as it is stands for it.
    command += ["--config", "launch.num_ctas=1" if config == "default" else config]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    times = re.findall(r"([\d.]+) µs for the launch", done.stdout)
    if done.returncode or not times:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return sum(map(float, times))


def agreement(first, second):
    """Spearman's rank correlation: 1 where both have the same order."""
    def ranks(values):
        return {place: rank for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__))}
    one, other, count = ranks(first), ranks(second), len(first)
    return 1 - 6 * sum((one[i] - other[i]) ** 2 for i in range(count)) / (count * (count * count - 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tile")
    parser.add_argument("records", nargs="+")
    parser.add_argument("--most", type=int, default=12)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--pairs")
    parser.add_argument("--entries")
    parser.add_argument("--least-order", type=float, default=-1)
    parser.add_argument("--least-near", type=float, default=0)
    parser.add_argument("--first", type=int, default=0)
    options = parser.parse_args()

    cases = {}
    for path in options.records:
        of_record = {}
        for case, config, seconds in read(path):
            of_record.setdefault(case, []).append((config, seconds * 1e6))
        cases |= dict(list(of_record.items())[:options.cases])
    pairs = [(case, config, measured) for case, all_of in cases.items() for config, measured in spread(all_of, options.most)]
    with ThreadPoolExecutor(2) as workers:
        predicted = list(workers.map(lambda pair: predict(options.tile, pair[0], pair[1]), pairs))

    by_case, orders, near, lines, entries, losses = {}, {}, 0, [], [], []
    for (case, config, measured), guess in zip(pairs, predicted):
        by_case.setdefault(case, []).append((guess, measured))
        near += abs(guess / measured - 1) <= NEAR
        lines.append({"type": "prediction", "kernel": case.kernel, "settings": dict(case.settings), "config": config,
                      "predicted": round(guess, 2), "measured": round(measured, 2)})
    for case, values in by_case.items():
        if len(values) < 3:
            continue
        order = agreement(*zip(*values))
        ratios = sorted(guess / measured for guess, measured in values)
        close = sum(abs(ratio - 1) <= NEAR for ratio in ratios)
        orders.setdefault(case.kernel, []).append(order)
        entries.append({"table": "predictions", "date": str(datetime.date.today()), "case": case.title(),
                        "configs": str(len(values)), "order": f"{order:.2f}", "within 20%": f"{close} of {len(values)}",
                        "predicted / measured": f"{ratios[0]:.2f} to {ratios[-1]:.2f}"})
        said = ""
        if options.first:
            losses.append(min(measured for _, measured in sorted(values)[:options.first])
                          / min(measured for _, measured in values) - 1)
            said = f", the best of the first {options.first} loses {losses[-1]:.1%}"
        print(f"{case.title()}: {len(values)} configs, order {order:.2f}, {close} within 20%, "
              f"ratios {ratios[0]:.2f} to {ratios[-1]:.2f}{said}", flush=True)
    if losses:
        print(f"{sum(loss <= 0.02 for loss in losses)} of {len(losses)} cases: the best of the first {options.first} is within 2% of the best")
    print(f"{near} of {len(pairs)} predictions are within 20% of what was measured")
    for path, records in ((options.pairs, lines), (options.entries, entries)):
        if path:
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(json.dumps(record) + "\n" for record in records)
    failed = near < options.least_near * len(pairs)
    for kernel, of_kernel in orders.items():
        mean = sum(of_kernel) / len(of_kernel)
        if mean < options.least_order:
            print(f"{kernel}: the order agrees by {mean:.2f} only")
            failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
