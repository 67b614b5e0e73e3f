// SPDX-License-Identifier: MIT
// A compiler of another build: nothing but its identity is asked for.
extern "C" const char *tile_compiler_build() { return "sources 0123, LLVM 22"; }
