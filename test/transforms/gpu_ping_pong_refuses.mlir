// SPDX-License-Identifier: MIT
// Who asks for two groups in turn and cannot have them is told why.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_90a --tile-gpu-specialize-warps=target=sm_90a -split-input-file -verify-diagnostics
// RUN: tile-opt %s --tile-gpu-plan=target=sm_80 --tile-gpu-specialize-warps=target=sm_80 -split-input-file -verify-diagnostics=only-expected 2>&1 | FileCheck %s --allow-empty

// CHECK-NOT: tile_gpu.roles

// expected-error @+1 {{this kernel cannot run in ping-pong on sm_}}
func.func @no_product(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.ping_pong} {
  return
}
