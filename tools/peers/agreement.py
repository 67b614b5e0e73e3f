#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How well two runs of `tile bench` agree, and with an independent measurement: for each shape, the speed of the
kernel relative to each peer in both runs, and the time of a peer in the first run beside that of another program.

    tile bench gemm --shapes ... --compare cublas,cublaslt-best --json a.jsonl
    tile bench gemm --shapes ... --compare cublas,cublaslt-best --json b.jsonl
    python3 tools/peers/torch_peers.py gemm --shapes ... --json torch.jsonl
    python3 tools/peers/agreement.py a.jsonl b.jsonl --independent cublas=torch.jsonl

Exit code 1 where ratios of the runs differ by more than 2% (5% of shapes that take less than --small, 5 us), or the
independent measurement by more than 3%.
"""
import argparse
import json
import sys


def read(name):
    """Medians, and what tile is of the peer, by kernel, shape and provider."""
    medians, ratios = {}, {}
    with open(name, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            if row.get("type") != "row" or row.get("outcome", "timed") != "timed":
                continue
            sizes = [value if isinstance(value, str) else str(int(value)) for value in row["settings"].values()
                     if not isinstance(value, str) or value.endswith("u") and value[:-1].isdigit()]
            dtype = row["settings"].get("dtype", "")
            case = (row["kernel"], dtype, " x ".join(sizes))   # 8192u is one, too
            best = medians.setdefault(case, {})
            best[row["provider"]] = min(row["median"], best.get(row["provider"], row["median"]))
            if "tile_is" in row:   # of rounds, in which the clock is the same for both
                ratios.setdefault(case, {})[row["provider"]] = row["tile_is"]
    for case, best in medians.items():
        for peer in best.keys() - {"tile"} if "tile" in best else ():
            ratios.setdefault(case, {}).setdefault(peer, best[peer] / best["tile"])
    return medians, ratios


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("first")
    parser.add_argument("second")
    parser.add_argument("--independent", metavar="PEER=FILE", help="figures of PEER by another program")
    parser.add_argument("--small", type=float, default=5, help="microseconds below which 5%% are allowed; 5")
    arguments = parser.parse_args()
    (first, ratios), (_, others) = read(arguments.first), read(arguments.second)
    worst, bad = 0.0, 0
    print(f"{'case':44} {'peer':14} {'first':>8} {'second':>8} {'differ':>8}")
    for case, ours in ratios.items():
        for peer, one in ours.items():
            two = others.get(case, {}).get(peer)
            if two is None:
                continue
            differ = abs(one / two - 1)
            allowed = 0.05 if first[case][peer] * 1e6 < arguments.small else 0.02
            worst, bad = max(worst, differ), bad + (differ > allowed)
            print(f"{' '.join(case):44} {peer:14} {one:8.3f} {two:8.3f} {100 * differ:7.2f}%"
                  + ("  more than allowed" if differ > allowed else ""))
    if arguments.independent:
        peer, name = arguments.independent.split("=", 1)
        for case, others in read(name)[0].items():
            here = first.get(case, {}).get(peer)
            for other, seconds in others.items():
                if here is None:
                    continue
                differ = abs(here / seconds - 1)
                bad += differ > 0.03
                print(f"{' '.join(case):44} {peer} {here * 1e6:.2f} us, {other} {seconds * 1e6:.2f} us: "
                      f"{100 * differ:.2f}%" + ("  more than allowed" if differ > 0.03 else ""))
    print(f"ratios of the two runs differ by {100 * worst:.2f}% at most; {bad} beyond what is allowed")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
