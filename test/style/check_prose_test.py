# SPDX-License-Identifier: MIT
# Each rule of check_prose.py is shown a page that breaks it, and one that does not.
import check_prose as prose


def expect(text, *parts):
    found = list(prose.check_page("page.md", text))
    assert len(found) == len(parts), (text, found)
    for part, problem in zip(parts, found):
        assert part in problem, (part, problem)


SHORT = "A launch runs the kernel. A program computes a tile. " * 5
expect(SHORT)
expect("word " * 17 + ". " + ("Word " * 17 + ". ") * 6, "the median sentence has 17 words")
expect(SHORT + "Word" + " word" * 31 + ".", "9% of the sentences have over 30 words", )
# Not prose: programs, output, links' targets, inline code, tables' lines, comments.
expect(SHORT + "\n\n```sh\nthe house of rooms\n```\n\n`house` [a page](rooms/house.md) <!-- house -->\n")
expect("A room.", "page.md:1: `room`: write folder")
expect("It is turned around. It turns.", "`turned`: write transposed", "`turns`: write turn is for ping-pong")
expect("The groups take turns. Two groups turn by turn in ping-pong. It is turned off by default.")
expect("The kernel is split into roles.", "`split`: write partition")
expect("K is split among programs. `split_k` is the number of splits.")
expect("Operands are staged.", "`staged`: write copied to shared memory")
expect("Of these there is none.", "`is none`: write say it")
# Lists, headings and cells stand by themselves; a heading is no sentence's beginning.
assert [part for part, _ in prose.sentences("# One heading here\n* first of them\n* second of them\n\n| a b c | d e f; g h i |")] == \
    ["first of them", "second of them", "a b c", "d e f", "g h i"]
assert prose.measure("Two words.") is None
