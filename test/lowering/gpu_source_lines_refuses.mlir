// SPDX-License-Identifier: MIT
// What stays as it is: a function without any place, and declarations.
// RUN: tile-opt %s --tile-gpu-source-lines --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-NOT: di_subprogram
llvm.func @elsewhere() loc(unknown)
llvm.func @placeless() {
  llvm.return loc(unknown)
} loc(unknown)
