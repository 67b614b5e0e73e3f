# SPDX-License-Identifier: MIT
"""Makes the tables of docs/hardware-tests.md from entries that were written in whole sentences: what was checked, how many
cases passed, and the beginning of what was said about it. Each row links to its line, which has the whole text."""
import re
from typing import NamedTuple

from records import Entry, entries
from tables import table

LONGEST = 90   # characters of a sentence in the log
# What an entry is about: the kind that its command names first. Those with True say whether something is right.
KINDS = [
    ("conformance suite", True, r"`?tile test\b|tile_conformance"),
    ("calibration of the simulator", True, r"tile_calibration"),
    ("random programs", True, r"tile fuzz|^seeds\b"),
    ("tests of devices and launches", True, r"tile_(?:cuda|launched)_tests"),
    ("tests of compiled code", True, r"tile_(?:codegen|kernels)_tests"),
    ("memory checks", True, r"compute-sanitizer --tool \S*memcheck|\bmemcheck\b"),
    ("race checks", True, r"compute-sanitizer --tool \S*racecheck|\bracecheck\b"),
    ("kernels run by hand", True, r"tile run|tile dump"),
    ("time of launches", False, r"launch_overhead|first_result|tile latency"),
    ("tuning", False, r"tile tune|tuning_race"),
    ("speed", False, r"tile bench|bench::|torch_peers|hand-written"),
]
# Of these a run may leave cases out: `--filter F`, `of KE*`.
SUITES = {"conformance suite", "tests of compiled code"}
PART = re.compile(r"--filter|--gtest_filter| of [A-Z]+\*|\bstopped\b")
VERDICTS = (r"(?:passed|failed|skipped|agree|differ|faults?|errors?|hazards?)\b")
NUMBERS = r"\d[\d,]*(?:(?:,| and| of) \d[\d,]*)*"
COUNT = re.compile(rf"(?:{NUMBERS} (?:cases |micro-kernels )?{VERDICTS}|\d[\d,]* of \d[\d,]* run|PASS\b|all (?:cases )?pass\b"
                   rf"|no (?:error|hazard)(?: reported)?\b|none failed|each\b)")
RANDOM, ON_SIMULATOR = "random programs", " on the simulator"


class Check(NamedTuple):
    kind: str
    whole: bool      # no filter left cases out
    date: str
    machine: str
    program: str
    count: str
    sentence: str
    link: str


def kind_of(command, before):
    """`the same` is what the entry before was, unless it names a kind itself."""
    found = []
    for name, _, pattern in KINDS:
        match = re.search(pattern, command)
        if match:
            found.append((match.start(), name))
    return min(found)[1] if found else before if command.startswith("the same") else None


def program_of(command, before):
    """The command without its options; of a sanitizer, its tools."""
    command = command.replace("`", "")
    if "compute-sanitizer" in command or "compute-sanitizer" in before and command.startswith("the same"):
        return "`compute-sanitizer`, " + ", ".join(dict.fromkeys(re.findall(r"\b(?:mem|race|sync)check\b", command)))
    if command.startswith("the same"):
        return before
    name = re.split(r" --|[,:;(]| of [A-Z]+\*", re.sub(r"^(?:[A-Z_]+=\S+ )+", "", command))[0].strip()
    device = re.search(r"--device \w+", command)
    if not name.startswith(("tile", "tools/", "launch", "first", "seeds")):
        return name
    return f"`{name} {device.group()}`" if device else f"`{name}`"


def count_of(outcome):
    """The counts that an outcome begins with, and the rest without the reason for what was skipped."""
    at = end = 0
    while match := COUNT.match(outcome, at):
        end = match.end()
        at = end + 2 if outcome[end:end + 2] in (", ", "; ") else len(outcome)
    rest = re.sub(r"^ \([^)]*\)", "", outcome[end:]) if end else outcome
    return outcome[:end], rest.lstrip(" ,;:.")


def sentence_of(text):
    """The beginning of a text, cut where a clause or a word ends, outside of code and links."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    if len(text) <= LONGEST:
        return text
    ends = [match.start() for match in re.finditer(r"[;:,.]? ", text[:LONGEST])]
    closed = [end for end in ends if text[:end].count("`") % 2 == 0 and text[:end].count("(") == text[:end].count(")")]
    return (text[:closed[-1]] if closed else text[:LONGEST]) + " …"


def parts(entry):
    """An entry about several programs with an outcome of each is as many checks."""
    commands, outcomes = entry.record["command"].split("; "), entry.record["outcome"].split("; ")
    if len(commands) != len(outcomes) or not all(kind_of(command, None) for command in commands):
        return [entry]
    return [Entry({**entry.record, "command": command, "outcome": outcome}, entry.link)
            for command, outcome in zip(commands, outcomes)]


def checks(files):
    """In the order in which they were written. `the same` is about the entry before in the same table."""
    found, before = [], {}
    for one in entries(files, "hardware", RANDOM):
        for entry in parts(one):
            record = entry.record
            last = before.get(record["table"], Check("other", False, "", "", "", "", "", ""))
            kind = kind_of(record["command"], last.kind.removesuffix(ON_SIMULATOR)) or "other"
            count, rest = count_of(record["outcome"])
            machine = last.machine if record["machine"].startswith("the same") else record["machine"].split(", driver")[0]
            found.append(Check(kind + (ON_SIMULATOR if record["table"] == RANDOM else ""),
                               kind not in SUITES or not PART.search(record["command"]), record["date"], machine,
                               program_of(record["command"], last.program), count, sentence_of(rest), entry.link))
            before[record["table"]] = found[-1]
    return found


def newest_checks(files):
    """The newest whole run of each kind, whatever came out."""
    newest = {}
    for check in checks(files):
        if check.whole and (check.kind not in newest or check.date >= newest[check.kind].date):
            newest[check.kind] = check
    names = [name for name, is_check, _ in KINDS if is_check]
    order = names + [name + ON_SIMULATOR for name in names]
    return table(["what", "command", "count", "more", "date", "machine"],
                 [[kind, newest[kind].program, newest[kind].count, newest[kind].sentence,
                   f"[{newest[kind].date}]({newest[kind].link})", newest[kind].machine]
                  for kind in order if kind in newest])


def log(files):
    """All checks, newest first."""
    found = sorted(enumerate(checks(files)), key=lambda one: (one[1].date, one[0]), reverse=True)
    return table(["date", "what", "count", "machine", "more"],
                 [[f"[{check.date}]({check.link})", check.program, check.count, check.machine, check.sentence]
                  for _, check in found])
