// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-to-ptx -split-input-file -verify-diagnostics

// expected-error @+1 {{tile-gpu-to-ptx needs a module whose `tile_gpu.target` is set by tile-gpu-to-llvm}}
module {
  llvm.func @no_target() {
    llvm.return
  }
}
