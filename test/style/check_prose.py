# SPDX-License-Identifier: MIT
# Measures the English of the pages, so that a reader who is no native speaker reads each of them once.
# usage: check_prose.py <root of the project> [--report] [--words] [page ...]
#   without options: fails if a page's median sentence is too long, or if a retired word is used
#   --report: one line for each page: sentences, median, share of long ones, the longest
#   --words: every retired word, with its place and what to write instead
import os
import re
import statistics
import sys

from check_sources import pages, without_programs

LONGEST_MEDIAN = 16      # words; half of a page's sentences are no longer
LONG = 30                # words; a sentence beyond is long
MOST_LONG = 0.05         # of a page's sentences
FEW_SENTENCES = 5        # a page with fewer has no median worth speaking of
# What scripts write between such comments is records in their own words.
GENERATED = re.compile(r"<!-- results: .*?<!-- end of results -->", re.DOTALL)

# One word, one meaning (docs/glossary.md). What a page may not say, what the sentence may hold that excuses it, and
# what to write instead.
RETIRED = [
    (r"houses?", None, "source tree"),
    (r"rooms?", None, "folder (of the source tree), space"),
    (r"faces?", None, "API"),
    (r"arrows?", None, "dependency"),
    (r"pieces?", None, "fragment, part, copy unit"),
    (r"turned", r"turned (on|off)\b", "transposed, swapped operands, reversed, xor"),
    (r"turns?", r"ping-pong|take[sn]? turns|took turns", "turn is for ping-pong; transposed, becomes"),
    (r"splits?|splitting", r"\bK\b|split_k|`split`|`\.split`|tile\.split|split: |[^a-z]split\(|\bjoin\b", "partition, decompose, divide; split is for K"),
    (r"stag(e[ds]|ing)", r"stages of compil|num_stages|compiler.{0,40}stages|stages of the compiler",
     "copied to shared memory, channel, load group"),
    (r"is none|are none", None, "say it with `no` or `not`"),
]


def plain(text):
    """The text without what no reader reads aloud: programs, output, links, pictures, comments."""
    text = without_programs(re.sub(r"<!--.*?-->", "", text, flags=re.S))
    text = re.sub(r"^(?: {4}|\t)(?![-*0-9|]).*$", "", text, flags=re.M)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return text


def units(text):
    """What stands by itself: paragraphs, headings, items of lists, cells of tables."""
    paragraph = []
    for line in plain(text).split("\n") + [""]:
        start = re.match(r"\s*([-*+]|\d+\.)\s+", line)
        if line.strip().startswith("|"):
            if not re.fullmatch(r"[|\s:\-]*", line):
                for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")):
                    yield from (part.strip() for part in cell.split("; "))   # a list in a cell
        elif not line.strip() or line.startswith("#") or start:
            if paragraph:
                yield " ".join(paragraph)
            paragraph = []
            if start:
                paragraph = [line[start.end():].strip()]
        else:
            paragraph.append(line.strip())


def sentences(text):
    """Sentences end at `.`, `?` or `!`. A cell without an end is a name or a figure, and no sentence."""
    for unit in units(text):
        unit = re.sub(r"`[^`]*`", "`code`", unit)
        for part in re.split(r"(?<=[.?!])[)\"”]?\s+(?=[A-Z`(\"“*\d])|(?<=:)\s*$", unit):
            words = [word for word in part.split() if re.search(r"\w", word)]
            if len(words) > 2:
                yield part, len(words)


def retired_words(name, text):
    for number, line in enumerate(without_programs(text).split("\n"), 1):
        if line.startswith("    "):
            continue
        for sentence in re.split(r"(?<=[.?!;])\s+|\|", re.sub(r"<!--.*?-->", "", line)):
            shown = re.sub(r"`[^`]*`", " ", re.sub(r"\]\([^)]*\)", "]", sentence))
            for word, excuse, instead in RETIRED:
                found = re.search(rf"\b({word})\b", shown, re.IGNORECASE)
                if found and not (excuse and re.search(excuse, sentence)):
                    yield f"{name}:{number}: `{found.group(1)}`: write {instead}"


def measure(text):
    lengths = [(length, part) for part, length in sentences(text)]
    if len(lengths) < FEW_SENTENCES:
        return None
    long = sum(length > LONG for length, _ in lengths) / len(lengths)
    return len(lengths), statistics.median(length for length, _ in lengths), long, max(lengths)


def check_page(name, text):
    figures = measure(text)
    if figures:
        _, median, long, (longest, part) = figures
        if median > LONGEST_MEDIAN:
            yield f"{name}: the median sentence has {median:g} words; at most {LONGEST_MEDIAN} read well"
        if long > MOST_LONG:
            yield f"{name}: {long:.0%} of the sentences have over {LONG} words, at most {MOST_LONG:.0%} may; " \
                  f"the longest has {longest}: {part[:60]}…"
    yield from retired_words(name, text)


def report(name, text):
    figures = measure(text)
    if figures:
        count, median, long, (longest, part) = figures
        yield f"{name:32} {count:4} sentences, median {median:4g}, {long:4.0%} over {LONG}, longest {longest}: {part[:70]}"


def main(root, *arguments):
    asked = {"--report": report, "--words": retired_words}
    views = [asked[a] for a in arguments if a in asked]
    lines = []
    for name in [a for a in arguments if a not in asked] or pages(root):
        with open(os.path.join(root, name), encoding="utf-8") as file:
            text = GENERATED.sub(lambda generated: "\n" * generated.group().count("\n"), file.read())
        for view in views or [check_page]:
            lines += view(name, text)
    for line in lines:
        print(line)
    return 1 if lines and not views else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
