# SPDX-License-Identifier: MIT
"""Makes the first table of docs/performance.md: one row for each kernel and library, so that a reader knows in a minute
how fast the project is, how sure that is, and where it is slowest.

Times of the host (compiling, tuning, launching) are entries in words. Their figures are found by the phrases below; a
measurement of the same kind is written in the same words, and then its row is up to date.
"""
import re
import statistics

from records import dates, entries
from tables import PEERS, choice_words, table

COLUMNS = ["what", "beside", "tile is", "median", "at worst", "cases", "measured", "machine"]
# The rows: name, kernel, what --config asked for (empty: the tuner's choice), and the element type of those that
# have a row of their own.
KERNELS = [
    ("GEMM, tuned", "gemm"),
    ("GEMM, untuned", "gemm", "untuned"),
    ("GEMM of f32 as sums of bf16 (`bf16x6`), untuned", "gemm", "untuned", "bf16x6"),
    ("GEMM of f32 as sums of bf16 (`bf16x3`), untuned", "gemm", "untuned", "bf16x3"),
    ("GEMM through pointers (`matmul`)", "matmul"),
    ("batched GEMM", "batched_gemm"),
    ("grouped GEMM, tuned", "grouped_gemm"),
    ("grouped GEMM, untuned", "grouped_gemm", "untuned"),
    ("attention, tuned", "attention"),
    ("attention, untuned", "attention", "untuned"),
    ("gradients of attention, tuned", "attention_backward"),
    ("gradients of attention, untuned", "attention_backward", "untuned"),
    ("attention over pages of keys, tuned", "sequence_attention"),
    ("attention over pages of keys, untuned", "sequence_attention", "untuned"),
    ("softmax", "softmax"),
    ("layer norm", "layer_norm"),
    ("vector add", "vector_add"),
]
FIGURES = r"(\d[\d.]*(?:(?:, | and )\d[\d.]*)*)"
# Our times and the other one's, each in the newest entry that has one of the phrases.
HOST_TIMES = [
    ("compiling one GEMM, cold", "Triton", [rf"compiled in {FIGURES} (ms), Triton's[^:;]*? in {FIGURES} ms"]),
    ("tuning a GEMM of 24 configs, cold", "Triton",
     [rf"(?:tuned in|24 configs compiled and timed[^:;]*:) {FIGURES} (s)(?: \([^)]*\))?, Triton {FIGURES} s"]),
    ("launch, 12 arguments, on the host", "`cuLaunchKernel`",
     [rf"{FIGURES} ([µu]s) through `Executable::launch`[;,] {FIGURES} [µu]s for `cuLaunchKernel`",
      rf"`?Executable::launch`? {FIGURES} ([µu]s)[;,] `?cuLaunchKernel(?:Ex)?`?(?: alone)? {FIGURES} [µu]s"]),
]


def times(ratio):
    return f"{ratio:.2f} x"


def short(machine):
    return machine.split(",")[0]


def kernel_rows(bench, device):
    own = {row[3] for row in KERNELS if len(row) > 3}
    for name, kernel, *rest in KERNELS:
        config, dtype = [*rest, "", ""][:2]
        groups = [(group, cases) for group, cases in bench.groups.items()
                  if (group.device, group.kernel, group.config) == (device, kernel, config)]
        for peer in PEERS:
            found = [(case.ratio(peer), ", ".join([shape, *choice_words(case.settings)]), shape, case.peers[peer][0])
                     for _, cases in groups for shape, case in cases.items()
                     if case.ratio(peer) and (case.settings.get("dtype") == dtype if dtype else
                                              case.settings.get("dtype") not in own)]
            if found:
                ratios = [ratio for ratio, *_ in found]
                worst = min(found, key=lambda one: one[0])
                shapes = len({shape for _, _, shape, _ in found})
                yield [name, PEERS[peer], f"**{times(statistics.geometric_mean(ratios))}**",
                       times(statistics.median(ratios)), f"{times(worst[0])}: {worst[1]}",
                       f"{len(found)}, {shapes} shape{'s' if shapes > 1 else ''}",
                       dates([run for *_, run in found], lambda date, run: f"[{date}](results/{run['file']})"),
                       short(device)]


def figures(text):
    return [float(one) for one in re.split(", | and ", text)]


def host_rows(files):
    known = entries(files, "hardware", "compile time", "tuning")
    for name, peer, phrases in HOST_TIMES:
        newest = None
        for entry in known:
            text = entry.record.get("outcome", entry.record.get("time"))
            match = next(filter(None, (re.search(phrase, text) for phrase in phrases)), None)
            if match and (newest is None or entry.record["date"] >= newest[0].record["date"]):
                newest = (entry, match)
        if newest is None:
            continue
        entry, match = newest
        ours, theirs = figures(match[1]), figures(match[3])
        if len(ours) != len(theirs):
            ours, theirs = [statistics.median(ours)], [statistics.median(theirs)]
        ratios = [their / our for our, their in zip(ours, theirs)]
        yield [name, peer, f"**{times(statistics.geometric_mean(ratios))}**", times(statistics.median(ratios)),
               f"{times(min(ratios))}; medians {statistics.median(ours):g} and {statistics.median(theirs):g} {match[2]}",
               f"{len(ratios)} run{'s' if len(ratios) > 1 else ''}",
               f"[{entry.record['date']}]({entry.link})", short(entry.record.get("machine", ""))]


def summary_table(files, bench):
    rows = [row for device in bench.last_run for row in kernel_rows(bench, device)] + list(host_rows(files))
    return table(COLUMNS, rows) if rows else "No run yet.\n"
