# SPDX-License-Identifier: MIT
# Prints a program for `tile fuzz --replay` whose one warp works on 64x256 numbers, 2 KB for each thread and
# value: 160 values are more than a stack holds beside what a thread calls, 256 KB.
print("// fuzz: seed 1 floats small grid 1 1 elements 16384 16384 scalars")
print("func.func @fuzz(%a: !tile.ptr<i32> {tile.name = \"in_i32\", tile.divisibility = 16 : i32},")
print("                %b: !tile.ptr<i32> {tile.name = \"out_i32\", tile.divisibility = 16 : i32})")
print("    attributes {tile.kernel, tile.num_warps = 1 : i32, tile.num_stages = 1 : i32} {")
print("  %i = tile.arange 0 to 16384 : tensor<16384xi32>")
for name in "ab":
    print(f"  %{name}s = tile.splat %{name} : !tile.ptr<i32> -> tensor<16384x!tile.ptr<i32>>")
    print(f"  %{name}p = tile.addptr %{name}s, %i : tensor<16384x!tile.ptr<i32>>, tensor<16384xi32>")
print("  %x0 = tile.load %ap : tensor<16384x!tile.ptr<i32>>")
for n in range(160):
    print(f"  %x{n + 1} = arith.{'muli' if n % 2 else 'xori'} %x{n}, %i : tensor<16384xi32>")
print("  tile.store %bp, %x160 : tensor<16384x!tile.ptr<i32>>")
print("  return")
print("}")
