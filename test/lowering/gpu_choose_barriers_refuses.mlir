// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-choose-barriers -verify-diagnostics

func.func @sixteen() attributes {tile.kernel, tile.num_warps = 32 : i32} {
  tile_gpu.sync warps 2 from 0
  tile_gpu.sync warps 2 from 2
  tile_gpu.sync warps 2 from 4
  tile_gpu.sync warps 2 from 6
  tile_gpu.sync warps 2 from 8
  tile_gpu.sync warps 2 from 10
  tile_gpu.sync warps 2 from 12
  tile_gpu.sync warps 2 from 14
  tile_gpu.sync warps 2 from 16
  tile_gpu.sync warps 2 from 18
  tile_gpu.sync warps 2 from 20
  tile_gpu.sync warps 2 from 22
  tile_gpu.sync warps 2 from 24
  tile_gpu.sync warps 2 from 26
  tile_gpu.sync warps 2 from 28
  // expected-error @+1 {{needs a barrier for one more group of warps, and a CTA has only 15 named barriers}}
  tile_gpu.sync warps 2 from 30
  return
}
