// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-stamp-clock -split-input-file -verify-diagnostics

// expected-error @+1 {{tile-gpu-stamp-clock needs a module of one kernel, which tile-gpu-to-llvm makes}}
module {
  llvm.func @one() {
    llvm.return
  }
  llvm.func @two() {
    llvm.return
  }
}
