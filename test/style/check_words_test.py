# SPDX-License-Identifier: MIT
# Each retired word is found in names, comments and messages, and nothing else is.
import check_words as words


def found(text, name="compiler/a.cpp"):
    return [line.split(": ", 1)[1] for line in words.check_words(name, text)]


for name, part in (("isTurned", "transposed"), ("is_turned", "transposed"), ("WarpgroupPiece", "fragment"),
                   ("roomForExchange", "bytes"), ("KernelFaces", "api"), ("check_arrows", "dependency"),
                   ("StagedProduct", "copied"), ("ROOMS", "bytes")):
    lines = found(f"int {name} = 0;\n")
    assert len(lines) == 1 and lines[0].startswith(f"`{name}`: write ") and part in lines[0], (name, lines)
for text in ("// Each thread has a piece.", 'emitError("the kernel is split in two");', "// The tile is turned around.",
             "int x;   // of the house"):
    assert len(found(text + "\n")) >= 1, text
for text in ("returned.narrow(surface, typeface);", "std::piecewise_construct", "// split_k is 4", "auto [a, b] = split(x);",
             "int stages = num_stages;   // whose turn it is", '#include "a/piece.h"'):
    assert not [line for line in found(text + "\n") if "piece" not in text or "construct" in text], (text, found(text))
assert not found("piece of cake\n", "tools/a.md")
