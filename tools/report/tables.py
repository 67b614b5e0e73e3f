# SPDX-License-Identifier: MIT
"""Makes the full tables of docs/performance.md: whoever doubts a mean of the first table finds each case here, with its
config and a link to the run."""
from records import TABLES, choices_of, entries

PEERS = {"cublas": "cuBLAS", "cublaslt-best": "cublasLt's best", "cudnn": "cuDNN", "copy": "a copy", "torch": "PyTorch",
         "loop": "PyTorch, one by one", "compile": "torch.compile", "triton": "Triton", "fa4": "FlashAttention-4"}


def table(columns, rows):
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    return "\n".join(lines + ["|" + "|".join(f" {cell} " if cell else " " for cell in row) + "|" for row in rows]) + "\n"


def entry_table(files, name):
    return table(TABLES[name], [[entry.record[column] for column in TABLES[name]] for entry in entries(files, name)])


def number(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def link(run):
    """`11-23 18:36`, to the file: names begin with the day and the time of day."""
    name = run["file"]
    return f"[{name[5:10]} {name[11:13]}:{name[13:15]}](results/{name})"


def choice_words(settings):
    """`head_dim 64`, `causal`, `f16`: choices in words that need no table above them."""
    said = {"yes": "causal", "no": "not causal"}
    return [said.get(value, value) if name == "causal" else value if name in ("dtype", "trans") else f"{name} {value}"
            for name, value in choices_of(settings).items()]


def peer_cell(case, provider, newest):
    run, peer, _ = case.peers[provider]
    ratio = case.ratio(provider)
    text = number(peer["rate"]) + (f" ({ratio:.3f} x)" if ratio else "")
    return text if newest is run else f"{text}, {link(run)}"


def case_table(cases):
    """A line a case: ours with its config, then every peer with our speed relative to it in the same run."""
    peers = list(dict.fromkeys(provider for case in cases.values() for provider in case.peers))
    lines = []
    for shape, case in cases.items():
        newest, ours = case.ours or (None, None)
        cells = [shape, link(newest) if newest else "", f"`{ours['config']}`" if ours else "",
                 number(ours["rate"]) if ours else ""]
        lines.append(cells + [peer_cell(case, peer, newest) if peer in case.peers else "" for peer in peers])
    unit = next(row["unit"] for case in cases.values()
                for row in [case.ours[1] if case.ours else None, *(peer[1] for peer in case.peers.values())] if row)
    return table(["shape", "run", "config", f"tile, {unit}"] + [f"{peer} (tile is)" for peer in peers], lines)


def bench_tables(bench):
    text = ""
    for device, run in bench.last_run.items():
        text += f"\n{device}, driver {run['driver']}\n"
        for group, cases in bench.groups.items():
            if group.device != device:
                continue
            timed = {shape: case for shape, case in cases.items() if case.ours or case.peers}
            if timed:
                config = f", {group.config}" if group.config else ""
                text += f"\n{group.kernel}, {group.variant}{config}\n\n{case_table(timed)}"
            for shape in cases:
                for row in bench.faults[group, shape]:
                    text += f"\n{shape}: {row['provider']} {row['outcome']}: {row['reason']}\n"
    return text.lstrip("\n") or "No run yet.\n"
