# SPDX-License-Identifier: MIT
"""Prints a program that adds every ordered pair of different element types: none may compile but i32 with i64."""
TYPES = "i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 e4m3 e5m2 i1".split()

print("""// expect-each: two tensors of different element types do not combine
#include <tile/dsl.h>
using namespace tile;
#if FAIL""")
for a in TYPES:
    for b in TYPES:
        if a != b and {a, b} != {"i32", "i64"}:
            print(f"auto {a}_{b}(const Tensor<{a}> &x, const Tensor<{b}> &y) {{ return x + y; }}   // refused")
print("#endif")
