# SPDX-License-Identifier: MIT
"""Draws what was measured as SVG, by hand and without a library, so that a page and its pictures come from the same
records and a test can compare both. Colours follow the reader's scheme, light or dark."""
import math
import re
from html import escape
from typing import NamedTuple

from records import dates
from tables import PEERS, choice_words, number

WIDTH, COLUMN, LETTER = 800, 66, 7    # of the picture; of a column of figures at the right; of a letter, at most
TOP, BOTTOM, OURS, THEIRS, GAP = 112, 44, 8, 4, 9
SHORT = {"cublaslt-best": "cublasLt", "copy": "copy", "loop": "one by one", "fa4": "FA4"}
# Of each provider the colour on white and on black.
COLOURS = {"tile": ("#0969da", "#58a6ff"), "cublas": ("#8c959f", "#8b949e"), "cublaslt-best": ("#bc4c00", "#f0883e"),
           "triton": ("#8250df", "#bc8cff"), "torch": ("#bf3989", "#f778ba"), "compile": ("#bf3989", "#f778ba"),
           "loop": ("#953800", "#ffa657"), "cudnn": ("#1a7f37", "#3fb950"),
           "fa4": ("#9a6700", "#d29922"), "copy": ("#8c959f", "#8b949e")}
STYLE = """  <style>
    .page {{ fill: #ffffff; stroke: #d0d7de }}
    text {{ fill: #1f2328; font-size: 12px }}
    .title {{ font-size: 16px; font-weight: 600 }}
    .small {{ fill: #57606a }}
    .right {{ text-anchor: end }}
    .middle {{ text-anchor: middle }}
    .line {{ stroke: #d0d7de; stroke-width: 1 }}
{light}
    @media (prefers-color-scheme: dark) {{
      .page {{ fill: #0d1117; stroke: #30363d }}
      text {{ fill: #e6edf3 }}
      .small {{ fill: #9198a1 }}
      .line {{ stroke: #30363d }}
{dark}
    }}
  </style>
"""


class Bar(NamedTuple):
    label: str
    case: object    # records.Case


def axis_step(largest, width):
    """1, 2 or 5 times a power of ten, so that at most eight lines are drawn, and their figures are apart."""
    lines = max(1, min(8, width // (4 * LETTER)))
    power = 10 ** math.floor(math.log10(largest / lines))
    return next(step * power for step in (1, 2, 5, 10) if largest / (step * power) <= lines)


def beside(case):
    """The peers of the newest run: rates of other runs were taken at another clock of the GPU."""
    return {name: peer for name, (run, peer, _) in case.peers.items() if run is case.ours[0]}


def style_of(providers):
    rules = [[f"{indent}.{name} {{ fill: {COLOURS[name][scheme]} }}" for name in providers]
             for scheme, indent in ((0, "    "), (1, "      "))]
    return STYLE.format(light="\n".join(rules[0]), dark="\n".join(rules[1]))


def head(title, height, providers):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
            f'role="img" aria-label="{escape(title)}"\n'
            f'     font-family="ui-sans-serif, system-ui, \'Segoe UI\', Helvetica, Arial, sans-serif">\n'
            f"  <!-- SPDX-License-Identifier: MIT; written by tools/report from docs/results/ -->\n"
            f"{style_of(providers)}"
            f'  <rect class="page" x="0.5" y="0.5" width="{WIDTH - 1}" height="{height - 1}" rx="6"/>\n'
            + text(20, 30, title, "title"))


def text(x, y, what, kind=""):
    return f'  <text class="{kind}" x="{x:g}" y="{y:g}">{escape(what, quote=False)}</text>\n'.replace(' class=""', "")


def legend(providers):
    drawn, x = "", 20
    for name in providers:
        drawn += f'  <rect class="{name}" x="{x}" y="62" width="12" height="12" rx="2"/>\n'
        shown = "tile" if name == "tile" else PEERS[name]
        drawn += text(x + 18, 72, shown)
        x += 42 + LETTER * len(shown)
    return drawn


def draw(title, bars, unit, subtitle):
    """A group of bars for each case: ours, then each peer, with the figures at the right."""
    peers = [name for name in PEERS if any(name in beside(bar.case) for bar in bars)]
    row = OURS + len(peers) * (THEIRS + 1) + GAP
    left = 34 + LETTER * max(len(bar.label) for bar in bars)
    right = WIDTH - 20 - COLUMN * (len(peers) + 1)
    bottom = TOP + row * len(bars)
    rates = [peer["rate"] for bar in bars for peer in (bar.case.ours[1], *beside(bar.case).values())]
    step = axis_step(max(rates), right - left)
    most = step * math.ceil(max(rates) / step)
    scale = (right - left) / most
    drawn = head(title, bottom + BOTTOM, ["tile", *peers]) + text(20, 50, subtitle, "small") + legend(["tile", *peers])
    for i in range(round(most / step) + 1):
        x = left + i * step * scale
        drawn += f'  <path class="line" d="M{x:.1f} {TOP - 6}V{bottom}"/>\n'
        drawn += text(round(x, 1), bottom + 16, f"{i * step:g}", "small middle")
    drawn += text(round((left + right) / 2, 1), bottom + 34, f"{unit}, longer is faster", "small middle")
    columns = [WIDTH - 20 - COLUMN * (len(peers) - i) for i in range(len(peers) + 1)]
    for x, shown in zip(columns, [unit] + [SHORT.get(name, PEERS[name]) for name in peers]):
        drawn += text(x, TOP - 12, shown, "small right")
    for x, shown in zip(columns, ["tile"] + ["tile /"] * len(peers)):
        drawn += text(x, TOP - 26, shown, "small right")
    for i, bar in enumerate(bars):
        y = TOP + i * row + GAP / 2
        base = y + (row - GAP) / 2 + 4
        drawn += text(left - 10, base, bar.label, "right")
        found = beside(bar.case)
        for name, rate in [("tile", bar.case.ours[1]["rate"])] + [(n, found[n]["rate"]) for n in peers if n in found]:
            place = y if name == "tile" else y + OURS + 1 + peers.index(name) * (THEIRS + 1)
            drawn += (f'  <rect class="{name}" x="{left}" y="{place:g}" width="{rate * scale:.1f}" '
                      f'height="{OURS if name == "tile" else THEIRS}"/>\n')
        drawn += text(columns[0], base, number(bar.case.ours[1]["rate"]), "right")
        for x, name in zip(columns[1:], peers):
            if name in found:
                drawn += text(x, base, f"{bar.case.ratio(name):.2f} x", "right")
    return drawn + "</svg>\n"


def chart(what, bars, bench, device, tuned="tuned"):
    """`what` says the kernel; what all cases have in common is said once, in the title."""
    if not bars:
        return head(f"{what}: no run yet", 60, []) + "</svg>\n"
    runs = [bar.case.ours[0] for bar in bars]
    unit = bars[0].case.ours[1]["unit"]
    subtitle = f"{device.split(',')[0]}, driver {bench.last_run[device]['driver']}, {dates(runs)}, {tuned}, by tile bench"
    return draw(what, bars, unit, subtitle)


def timed(bench, device, kernel, config=""):
    return {group: {shape: case for shape, case in cases.items() if case.ours}
            for group, cases in bench.groups.items()
            if (group.device, group.kernel, group.config) == (device, kernel, config)}


def newest(bench, device, kernel, configs):
    """The newest run of each case with one of the configs; of the same minute, that of the first config."""
    found = {}
    for config in configs:
        for group, cases in timed(bench, device, kernel, config).items():
            for shape, case in cases.items():
                one = found.get((group.variant, shape))
                if one is None or case.ours[0]["file"][:15] > one[0].ours[0]["file"][:15]:
                    found[group.variant, shape] = (case, config)
    return list(found.values())


def sizes(shape):
    """Equal sizes first, then by the sizes."""
    numbers = [int(size.rstrip("u")) for size in shape.split(" x ")]
    return len(set(numbers)) > 1, numbers


def gemm_chart(bench):
    """The types and transpositions that have most shapes: the first of those that have as many."""
    device = bench.device_of_most_cases(["gemm"])
    found = timed(bench, device, "gemm")
    group = max(found, key=lambda one: len(found[one]), default=None)
    if group is None:
        return chart("GEMM", [], bench, device)
    shapes = sorted(found[group], key=sizes)
    return chart(f"GEMM by shape (m x n x k), {group.variant}", [Bar(shape, found[group][shape]) for shape in shapes], bench, device)


ATTENTION_CONFIGS = ("", "untuned")   # the tuner's choice, and that of a program which never tunes


def attention_chart(bench):
    """Of each case the newest run, tuned or not: the line says which if the cases differ."""
    device = bench.device_of_most_cases(["attention"], ATTENTION_CONFIGS)
    cases = newest(bench, device, "attention", ATTENTION_CONFIGS)
    configs = {config for _, config in cases}
    tuned = "tuned unless a line says untuned" if len(configs) == 2 else "untuned" if "untuned" in configs else "tuned"
    bars = [Bar(", ".join([attention_shape(case.settings), *choice_words(case.settings)] +
                          (["untuned"] if len(configs) == 2 and config else [])), case) for case, config in cases]
    bars.sort(key=lambda bar: [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", bar.label)])
    return chart("Attention by heads x tokens" if bars else "Attention", bars, bench, device, tuned)


def attention_shape(settings):
    """`64 x 4096`; keys and heads that share keys only where they say more."""
    sizes = [settings["heads"], settings["m"]] + [settings["n"]] * (settings["n"] != settings["m"])
    shared = f", sharing {settings['sharing']}" if settings.get("sharing", 1) != 1 else ""
    return " x ".join(str(size) for size in sizes) + shared


ROWS = ("softmax", "layer_norm", "vector_add")


def rows_chart(bench):
    device = bench.device_of_most_cases(ROWS)
    found = {}
    for kernel in ROWS:
        for group, cases in timed(bench, device, kernel).items():
            for shape in sorted(cases, key=sizes):
                found.setdefault(group.variant, []).append(Bar(f"{kernel} {shape}", cases[shape]))
    variant = max(found, key=lambda one: len(found[one]), default=None)
    return chart("Kernels on rows" + (f", {variant}" if variant else ""), found.get(variant, []), bench, device)


CHARTS = {"docs/speed.svg": gemm_chart, "docs/speed-attention.svg": attention_chart, "docs/speed-rows.svg": rows_chart}
