# SPDX-License-Identifier: MIT
# A check that cannot fail checks nothing: each rule is shown one file that breaks it.
import os
import tempfile

import check_sources as rules

LICENCE = "// SPDX-License-Identifier: MIT\n"


def expect(found, part):
    found = list(found)
    assert len(found) == 1 and part in found[0], (part, found)


def in_folder(files):
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, name)), exist_ok=True)
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text)
        return list(rules.check_source_lists(root, list(files)))


assert not list(rules.check_file("runtime/error.cpp", LICENCE + "// Why.\nint x;\n"))
expect(rules.check_file("a/b.cpp", LICENCE + "//\n" * 700), "split it")
expect(rules.check_file("a/b.cpp", "int x;\n"), "SPDX")
expect(rules.check_file("tools/run", "#!/bin/sh\necho\n"), "SPDX")
expect(rules.check_file("a/CMakeLists.txt", "project(x)\n"), "SPDX")
for name in ("Utils.cpp", "common.h", "shape_helpers.h", "util/x.cpp"):
    expect(rules.check_file("a/" + name, LICENCE + "#pragma once\n"), "name the file")
expect(rules.check_file("a/b.cpp", LICENCE + "\tint x;\n"), "spaces")
expect(rules.check_file("a/b.cpp", LICENCE + "int x; \n"), "white space")
expect(rules.check_file("a/b.cpp", LICENCE + "int x; // TO" "DO\n"), "finish")
expect(rules.check_file("a/b.cpp", LICENCE + "int x;"), "newline")
expect(rules.check_file("a/b.h", LICENCE + "int x;\n"), "pragma once")
expect(rules.check_file("a/b.h", LICENCE + "#pragma once\nusing namespace std;\n"), "namespace")
expect(rules.check_file("a/b.cpp", LICENCE + "// b.cpp: things\nint x;\n"), "rots")
for call in ("Add::create(b, XOp::create(b), YOp::create(b))", "c.or_(c.bits(x), c.and_(y, 1))", "f(splat(x), d.coordinate(y))", "g(wide(x), select(y))"):
    expect(rules.check_file("compiler/b.cpp", LICENCE + f"V v = {call};\n"), "two arguments make ops")
for call in ("c.or_(c.bits(x), c.constant(t, 1))", "f([&](V x) { return c.not_(x, y); }, c.bits(x))", 'f("c.a(", c.b(x))'):
    assert not list(rules.check_file("compiler/b.cpp", LICENCE + f"V v = {call};\n")), call
for call in ("w.emit(w.one_of(x), {w.any(y)})", "op(load(w, x), w_.i32(1))"):
    expect(rules.check_file("tools/fuzz/b.cpp", LICENCE + f"int v = {call};\n"), "two arguments draw")
expect(rules.check_file("test/unit/simulator/hopper/gemm.cpp", LICENCE + "f(place(x), constant(1));\n"), "write lines")
for line in ("void checkGrid(int x);", "  static std::vector<int> checkGrid();", "bool A::isGood() const {}"):
    expect(rules.check_file("runtime/b.cpp", LICENCE + line + "\n"), "snake_case")
    assert not list(rules.check_file("runtime/simulator/b.cpp", LICENCE + line + "\n"))
    assert not list(rules.check_file("tools/b.cpp", LICENCE + f'#include "mlir/IR/Value.h"\n{line}\n'))
for line in ("void check_grid(int x);", "return checkGrid(x);", "x = m.checkGrid();", "Grid theGrid{1};"):
    assert not list(rules.check_file("runtime/b.cpp", LICENCE + line + "\n")), line

assert not in_folder({"a/CMakeLists.txt": "f(x a.cpp LINK y)\n", "a/a.cpp": "\n"})
assert not in_folder({"a/CMakeLists.txt": "f(x\n  a.cpp\n  b/c.cpp\n)\n", "a/a.cpp": "\n", "a/b/c.cpp": "\n"})
assert not in_folder({"a/b/CMakeLists.txt": "f(x ../a.cpp)\n", "a/a.cpp": "\n"})
assert not in_folder({"a/CMakeLists.txt": "\n", "a/a.cpp": "// RUN: %cxx %s\n"})
assert not in_folder({"a/x.test": "RUN: %cxx %S/a.cpp\n", "a/a.cpp": "\n"})
expect(in_folder({"a/CMakeLists.txt": "f(x b.cpp)\n", "a/b.cpp": "\n", "a/a.cpp": "\n"}), "no CMakeLists.txt lists it")
expect(in_folder({"a/CMakeLists.txt": "f(x\n  b.cpp\n  a.cpp)\n", "a/a.cpp": "\n", "a/b.cpp": "\n"}), "sort")
