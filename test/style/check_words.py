# SPDX-License-Identifier: MIT
# One word, one meaning, in code as in pages: names, comments and messages use no retired word (docs/glossary.md).
# usage: check_words.py <root of the project>
import re
import sys

from check_prose import RETIRED
from check_sources import report, texts

# Parts of a name, as `isTurned` and `is_turned` have `turned`, and what to write instead.
RETIRED_IN_NAMES = {
    "house": "source", "room": "bytes, count or space", "face": "api or abi", "arrow": "dependency",
    "piece": "fragment, part or unit", "turned": "transposed, swapped, reversed or xored", "staged": "copied or shared",
    "staging": "copying or sharing",
}
# Code has stages of a pipeline, and threads whose turn it is, in every second file: names alone are checked for these.
RETIRED_IN_PROSE = [rule for rule in RETIRED if rule[0] not in ("turns?", r"stag(e[ds]|ing)")] + [
    ("staged|staging", None, "copied, shared"),
]
NAMES_IN_CODE = (".cpp", ".h", ".def", ".td", ".mlir", ".cmake", "CMakeLists.txt")
PROSE_IN_CODE = (".cpp", ".h", ".def")
# What names these words on purpose: records of earlier versions and their names, and the lists of the words.
EXEMPT = ("docs/results/", "test/style/check_prose", "test/style/check_words", "test/unit/kernels/costs_test.cpp")
# Names of somebody else that hold such a word. A GPU has confirmed the text of the GEMM that has `%staging`.
FOREIGN = re.compile(r"piecewise_construct|surface|typeface|^staging$")
FOREIGN_TEXT = "%staging"
COMMENT_OR_STRING = re.compile(r"//(.*)$|\"((?:[^\"\\]|\\.)*)\"")


def words_of(name):
    return [part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def check_names(name, text):
    for number, line in enumerate(text.split("\n"), 1):
        for found in re.findall(r"[A-Za-z_][A-Za-z_0-9]*", line):
            for word in words_of(found):
                instead = RETIRED_IN_NAMES.get(word) or RETIRED_IN_NAMES.get(word.removesuffix("s"))
                if instead and not FOREIGN.search(found):
                    yield f"{name}:{number}: `{found}`: write {instead}"


def check_prose_of_code(name, text):
    for number, line in enumerate(text.split("\n"), 1):
        for comment, literal in COMMENT_OR_STRING.findall(line):
            shown = re.sub(r"`[^`]*`", " ", comment or literal)
            if literal and (" " not in literal or FOREIGN_TEXT in literal) or line.lstrip().startswith("#"):
                continue   # a name, not a sentence
            for word, excuse, instead in RETIRED_IN_PROSE:
                found = re.search(rf"\b({word})\b", shown, re.IGNORECASE)
                if found and not (excuse and re.search(excuse, shown)):
                    yield f"{name}:{number}: `{found.group(1)}`: write {instead}"


def check_words(name, text):
    if name.endswith(NAMES_IN_CODE):
        yield from check_names(name, text)
    if name.endswith(PROSE_IN_CODE):
        yield from check_prose_of_code(name, text)


def main(root):
    code = texts(root, lambda name: name.endswith(NAMES_IN_CODE) and not name.startswith(EXEMPT))
    return report(line for name, text in code for line in check_words(name, text))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
