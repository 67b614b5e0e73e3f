# SPDX-License-Identifier: MIT
# Measures the English of the pages, so that a reader who is no native speaker reads each of them once.
# usage: check_prose.py <root of the project> [--report] [--words] [page ...]
#   without options: fails if a page's median sentence is too long, or if a retired word is used
#   --report: one line for each page: sentences, median, share of long ones, the longest
#   --words: every retired word, with its place and what to write instead
import os
import re
import statistics
import subprocess
import sys

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
    (r"splits?|splitting", r"\bK\b|split_k|`split`|`\.split`|\bjoin\b", "partition, decompose, divide; split is for K"),
    (r"stag(e[ds]|ing)", r"stages of compil|num_stages|compiler.{0,40}stages|stages of the compiler",
     "copied to shared memory, channel, load group"),
    (r"is none|are none", None, "say it with `no` or `not`"),
]


def plain(text):
    """The text without what no reader reads aloud: programs, output, links, pictures, comments."""
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)
    text = re.sub(r"^( *)```.*?^\1```\s*$", "\n", text, flags=re.S | re.M)
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


def lines_of_text(text):
    """Numbered lines in which programs, output and inline code are blank."""
    fence = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            fence = not fence
        elif not fence and not line.startswith("    "):
            yield number, re.sub(r"<!--.*?-->", "", line)


def retired_words(name, text):
    for number, line in lines_of_text(text):
        for sentence in re.split(r"(?<=[.?!;])\s+|\|", line):
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


def pages(root):
    listing = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=root, capture_output=True, text=True, check=True,
    )
    return [name for name in sorted(listing.stdout.splitlines()) if os.path.isfile(os.path.join(root, name))]


def main(arguments):
    root = arguments[0]
    options = [a for a in arguments[1:] if a.startswith("--")]
    failed = False
    for name in [a for a in arguments[1:] if not a.startswith("--")] or pages(root):
        with open(os.path.join(root, name), encoding="utf-8") as file:
            text = GENERATED.sub(lambda generated: "\n" * generated.group().count("\n"), file.read())
        if "--report" in options:
            figures = measure(text)
            if figures:
                count, median, long, (longest, part) = figures
                print(f"{name:32} {count:4} sentences, median {median:4g}, {long:4.0%} over {LONG}, longest {longest}: {part[:70]}")
        for problem in retired_words(name, text) if options else check_page(name, text):
            if not options or "--words" in options:
                print(problem)
                failed = True
    return 1 if failed and not options else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
