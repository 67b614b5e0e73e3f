// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-to-llvm -split-input-file -verify-diagnostics

// expected-error @+1 {{tile-gpu-to-llvm needs a kernel whose `tile_gpu.target` is set by tile-assign-layouts}}
module {
  func.func @no_target() {
    return
  }
}
