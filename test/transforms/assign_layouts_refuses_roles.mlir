// SPDX-License-Identifier: MIT
// A tile in registers is of the warps of one role.
// RUN: tile-opt %s --tile-assign-layouts --verify-diagnostics

func.func @of_all_warps(%p: tensor<64x!tile.ptr<f32>>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  tile_gpu.roles warps 4 {
  } warps 4 {
    // expected-error @+1 {{uses a tile from outside of its role; make it in the role}}
    %x = tile.load %p : tensor<64x!tile.ptr<f32>>
  }
  return
}
