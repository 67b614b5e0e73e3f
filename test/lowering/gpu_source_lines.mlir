// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-source-lines --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// The kernel is a scope in its own file; what lies in another file has a scope there. Of fused and inlined places
// the first one counts. An operation without a place keeps none.
// CHECK-LABEL: llvm.func @kernel(
// CHECK: llvm.mul {{.*}} loc(fused<#llvm.di_subprogram<{{.*}}file = <"k.cpp" in "src">{{.*}}>["src/k.cpp":12:5])
// CHECK: llvm.add {{.*}} loc(fused<#llvm.di_lexical_block_file<{{.*}}file = <"act.h" in "src">{{.*}}>["src/act.h":3:7])
// CHECK: llvm.sub {{.*}} loc(fused<#llvm.di_subprogram<{{.*}}>["src/k.cpp":13:9])
// CHECK: llvm.xor {{.*}} loc(unknown)
// CHECK: loc(fused<#llvm.di_subprogram<{{.*}}emissionKind = DebugDirectivesOnly{{.*}}name = "kernel"{{.*}}>["src/k.cpp":10:1])
llvm.func @kernel(%a: i32) {
  %0 = llvm.mul %a, %a : i32 loc("src/k.cpp":12:5)
  %1 = llvm.add %0, %a : i32 loc(callsite("src/act.h":3:7 at "src/k.cpp":14:2))
  %2 = llvm.sub %1, %a : i32 loc(fused["src/k.cpp":13:9, "src/k.cpp":12:5])
  %3 = llvm.xor %2, %a : i32 loc(unknown)
  llvm.return loc("src/k.cpp":15:1)
} loc("src/k.cpp":10:1)
