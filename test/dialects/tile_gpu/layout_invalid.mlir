// SPDX-License-Identifier: MIT
// RUN: tile-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{a vector of 2 coordinates in a layout of rank 1}}
func.func private @rank(tensor<2xf32, #tile_gpu.layout<register = [[1, 0]], lane = [], warp = [], block = [], repeats = [1]>>)

// -----

// expected-error @+1 {{coordinate -1 of a layout is not between 0 and 2^30}}
func.func private @negative(tensor<2xf32, #tile_gpu.layout<register = [[-1]], lane = [], warp = [], block = [], repeats = [1]>>)

// -----

// expected-error @+1 {{coordinate 4294967296 of a layout is not between 0 and 2^30}}
func.func private @far(tensor<2xf32, #tile_gpu.layout<register = [[4294967296]], lane = [], warp = [], block = [], repeats = [1]>>)

// -----

// expected-error @+1 {{a layout has at most 2^40 elements and as many places}}
func.func private @huge(tensor<2xf32, #tile_gpu.layout<register = [[536870912, 0, 0], [0, 536870912, 0], [0, 0, 536870912]],
    lane = [], warp = [], block = [], repeats = [1, 1, 1]>>)

// -----

// expected-error @+1 {{a layout gives every element of the tile a place, this one leaves some out}}
func.func private @gap(tensor<4xf32, #tile_gpu.layout<register = [[2]], lane = [], warp = [], block = [], repeats = [1]>>)

// -----

// Two columns that are equal reach half of the elements.
// expected-error @+1 {{this one leaves some out}}
func.func private @same(tensor<4xf32, #tile_gpu.layout<register = [[3]], lane = [[3]], warp = [], block = [], repeats = [1]>>)

// -----

// expected-error @+1 {{a repeat is the odd factor of an extent}}
func.func private @even(tensor<4xf32, #tile_gpu.layout<register = [[1]], lane = [], warp = [], block = [], repeats = [2]>>)

// -----

// expected-error @+1 {{a repeat is the odd factor of an extent}}
func.func private @no_repeat(tensor<2xf32, #tile_gpu.layout<register = [[1]], lane = [], warp = [], block = [], repeats = [0]>>)

// -----

// expected-error @+1 {{the layout is for a tile of shape [6], but the tensor has shape [4]}}
func.func private @shape(tensor<4xf32, #tile_gpu.layout<register = [[1]], lane = [], warp = [], block = [], repeats = [3]>>)

// -----

// expected-error @+1 {{the layout is for a tile of shape [2], but the tensor has shape [2, 1]}}
func.func private @shape_rank(tensor<2x1xf32, #tile_gpu.layout<register = [[1]], lane = [], warp = [], block = [], repeats = [1]>>)

// -----

// expected-error @+1 {{expected 'register'}}
func.func private @order(tensor<2xf32, #tile_gpu.layout<lane = [[1]], register = [], warp = [], block = [], repeats = [1]>>)

// -----

// expected-error @+1 {{expected 'offset'}}
func.func private @both(tensor<2xf32, #tile_gpu.layout<shared register = [[1]], repeats = [1]>>)

// -----

// expected-error @+1 {{expected '>'}}
func.func private @more(tensor<2xf32, #tile_gpu.layout<shared offset = [[1]], repeats = [1], lane = []>>)
