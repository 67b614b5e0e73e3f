# SPDX-License-Identifier: MIT
"""docs/language.md names everything that the public headers of the language declare.

    check_reference.py SOURCE_DIR INCLUDE_DIR
"""
import os
import re
import sys

LANGUAGE = "compiler/dsl/"
# Names that users meet only through others: what range() returns, what the operators convert to.
IMPLIED = set("Range begin end branch use made assign Axis Offset none_t all_t all_axes_t trace_with".split())
KEYWORDS = set("operator requires static_assert if return Error".split())


def without_comments_and_strings(text):
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r"'(\\.|[^'\\\d])'", "0", text)   # not the marks in 1'000
    return re.sub(r'"(\\.|[^"\\])*"', '""', text)


def without_details(text):
    """Drops every `namespace detail { ... }`."""
    while match := re.search(r"namespace (?:tile::)?detail {", text):
        start = match.start()
        depth, at = 0, text.index("{", start)
        for at in range(at, len(text)):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            if depth == 0:
                break
        text = text[:start] + text[at + 1 :]
    return text


def declared(text):
    """Names of functions, types, enumerators and constants in the public part of a header."""
    text = without_details(without_comments_and_strings(text))
    names = set(re.findall(r"^#define (TILE_IF)\b", text, re.MULTILINE))
    macros = set(re.findall(r"^#define (\w+)\((?:name|op|Name)", text, re.MULTILINE))
    for macro in macros:
        names |= set(re.findall(rf"^{macro}\((\w+)", text, re.MULTILINE))
    text = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.MULTILINE)
    text = text.replace("= {}", "")
    text = re.sub(r"\bprivate:.*?^};", "", text, flags=re.DOTALL | re.MULTILINE)
    for function in re.finditer(r"^(?:template <[^;{]*?> ?(?:requires\([^{;]*?\)\s)?)?\s{0,2}(?=\S)(?:inline |constexpr |friend )*"
                                r"[\w:<>,\s*&]+?[\s*&](\w+)\([^;{]*\)[^;{]*[;{]", text, re.MULTILINE):
        names.add(function.group(1))
    names |= set(re.findall(r"^(?:template <[^;{]*?>\s+)?(?:struct|class) (\w+)", text, re.MULTILINE))
    names |= set(re.findall(r"^(?:template <[^;{]*?>\s+)?using (\w+) =", text, re.MULTILINE))
    names = {name for name in names if not name.startswith("TILE_") or name == "TILE_IF"}
    for name, values in re.findall(r"^enum class (\w+)[^{]*\{([^}]*)\}", text, re.MULTILINE):
        names |= {name} | set(re.findall(r"\w+", values))
    names |= set(re.findall(r"^inline constexpr \w+ (\w+)\{", text, re.MULTILINE))
    return names


def main(source_dir, include_dir):
    docs = os.path.join(source_dir, "docs")
    with open(os.path.join(docs, "language.md"), encoding="utf-8") as file:
        words = set(re.findall(r"\w+", file.read()))
    wrong, names = [], set()
    for name in sorted(os.listdir(include_dir)):
        header = os.path.realpath(os.path.join(include_dir, name))
        if LANGUAGE in header:
            with open(header, encoding="utf-8") as file:
                names |= declared(file.read())
    names -= IMPLIED | KEYWORDS
    wrong += [f"docs/language.md does not mention {name}" for name in sorted(names - words)]
    print("\n".join(wrong))
    print(f"{len(names)} names, {len(wrong)} complaints")
    return bool(wrong) or len(names) < 100


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
