// SPDX-License-Identifier: MIT
// What cannot be made an iteration behind, and chains that get no roles.
// RUN: tile-opt %s --tile-gpu-plan="target=sm_90a remarks=true" --tile-gpu-overlap-products -split-input-file -verify-diagnostics

// The scores go on with the sums: both steps need them.
func.func @read_by_the_first(%pq: !tile.ptr<f16>, %pk: !tile.ptr<f16>, %pv: !tile.ptr<f16>, %po: !tile.ptr<f32>, %queries: i64, %keys: i64, %limit: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 128 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 128 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<128xf32>
  %q = tile.make_descriptor %pq, [%queries, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %k = tile.make_descriptor %pk, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %v = tile.make_descriptor %pv, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %o = tile.make_descriptor %po, [%queries, %length], [%length, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %id = tile.program_id x
  %row = arith.muli %id, %step : i32
  %query = tile.descriptor_load %q[%row, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
  %result:2 = scf.for %i = %zero to %limit step %step iter_args(%top = %lowest, %sums = %none) -> (tensor<128xf32>, tensor<128x128xf32>) : i32 {
    %key = tile.descriptor_load %k[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    %transposed = tile.permute %key [1, 0] : tensor<128x128xf16> -> tensor<128x128xf16>
    %scores = tile.dot %query, %transposed, %sums : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %greatest = tile.reduce(%scores) axis = 1 : (tensor<128x128xf32>) -> tensor<128xf32> {
    ^bb0(%x: f32, %y: f32):
      %more = tile.maximum %x, %y nan = ignore : f32
      tile.yield %more : f32
    }
    %next = tile.maximum %top, %greatest nan = ignore : tensor<128xf32>
    %column = tile.expand_dims %next {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %tops = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
    %less = arith.subf %scores, %tops : tensor<128x128xf32>
    %p = math.exp2 %less : tensor<128x128xf32>
    %weights = tile.fp_cast %p : tensor<128x128xf32> -> tensor<128x128xf16>
    %change = arith.subf %top, %next : tensor<128xf32>
    %shrink = math.exp2 %change : tensor<128xf32>
    %shrinks = tile.expand_dims %shrink {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %factors = tile.broadcast %shrinks : tensor<128x1xf32> -> tensor<128x128xf32>
    %scaled = arith.mulf %sums, %factors : tensor<128x128xf32>
    %value = tile.descriptor_load %v[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    // expected-error @+1 {{the plan of this kernel cannot be followed: `tile_gpu.behind` needs a product that multiplies what is computed from another one of its loop by a block that nothing else reads, and sums that the loop only hands on}}
    %more = tile.dot %weights, %value, %scaled {tile_gpu.behind} : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    scf.yield %next, %more : tensor<128xf32>, tensor<128x128xf32>
  }
  tile.descriptor_store %o[%row, %zero], %result#1 : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// It multiplies a block that is loaded.
func.func @no_chain(%pq: !tile.ptr<f16>, %pk: !tile.ptr<f16>, %pv: !tile.ptr<f16>, %po: !tile.ptr<f32>, %queries: i64, %keys: i64, %limit: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 128 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 128 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<128xf32>
  %q = tile.make_descriptor %pq, [%queries, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %k = tile.make_descriptor %pk, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %v = tile.make_descriptor %pv, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %o = tile.make_descriptor %po, [%queries, %length], [%length, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %id = tile.program_id x
  %row = arith.muli %id, %step : i32
  %query = tile.descriptor_load %q[%row, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
  %result:2 = scf.for %i = %zero to %limit step %step iter_args(%top = %lowest, %sums = %none) -> (tensor<128xf32>, tensor<128x128xf32>) : i32 {
    %key = tile.descriptor_load %k[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    %transposed = tile.permute %key [1, 0] : tensor<128x128xf16> -> tensor<128x128xf16>
    %scores = tile.dot %query, %transposed, %none : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %greatest = tile.reduce(%scores) axis = 1 : (tensor<128x128xf32>) -> tensor<128xf32> {
    ^bb0(%x: f32, %y: f32):
      %more = tile.maximum %x, %y nan = ignore : f32
      tile.yield %more : f32
    }
    %next = tile.maximum %top, %greatest nan = ignore : tensor<128xf32>
    %column = tile.expand_dims %next {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %tops = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
    %less = arith.subf %scores, %tops : tensor<128x128xf32>
    %p = math.exp2 %less : tensor<128x128xf32>
    %weights = tile.fp_cast %p : tensor<128x128xf32> -> tensor<128x128xf16>
    %change = arith.subf %top, %next : tensor<128xf32>
    %shrink = math.exp2 %change : tensor<128xf32>
    %shrinks = tile.expand_dims %shrink {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %factors = tile.broadcast %shrinks : tensor<128x1xf32> -> tensor<128x128xf32>
    %scaled = arith.mulf %sums, %factors : tensor<128x128xf32>
    %value = tile.descriptor_load %v[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    // expected-error @+1 {{the plan of this kernel cannot be followed: `tile_gpu.behind` needs a product}}
    %more = tile.dot %key, %value, %scaled {tile_gpu.behind} : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    scf.yield %next, %more : tensor<128xf32>, tensor<128x128xf32>
  }
  tile.descriptor_store %o[%row, %zero], %result#1 : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// One group of four warps would wait for itself.
func.func @one_group(%pq: !tile.ptr<f16>, %pk: !tile.ptr<f16>, %pv: !tile.ptr<f16>, %po: !tile.ptr<f32>, %queries: i64, %keys: i64, %limit: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 128 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 128 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x128xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<64xf32>
  %q = tile.make_descriptor %pq, [%queries, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %k = tile.make_descriptor %pk, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %v = tile.make_descriptor %pv, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %o = tile.make_descriptor %po, [%queries, %length], [%length, %unit] : !tile.ptr<f32> -> !tile.desc<64x128xf32>
  %id = tile.program_id x
  %row = arith.muli %id, %step : i32
  %query = tile.descriptor_load %q[%row, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
  %result:2 = scf.for %i = %zero to %limit step %step iter_args(%top = %lowest, %sums = %none) -> (tensor<64xf32>, tensor<64x128xf32>) : i32 {
    %key = tile.descriptor_load %k[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    %transposed = tile.permute %key [1, 0] : tensor<128x128xf16> -> tensor<128x128xf16>
    %scores = tile.dot %query, %transposed, %none : tensor<64x128xf16>, tensor<128x128xf16>, tensor<64x128xf32>
    %greatest = tile.reduce(%scores) axis = 1 : (tensor<64x128xf32>) -> tensor<64xf32> {
    ^bb0(%x: f32, %y: f32):
      %more = tile.maximum %x, %y nan = ignore : f32
      tile.yield %more : f32
    }
    %next = tile.maximum %top, %greatest nan = ignore : tensor<64xf32>
    %column = tile.expand_dims %next {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %tops = tile.broadcast %column : tensor<64x1xf32> -> tensor<64x128xf32>
    %less = arith.subf %scores, %tops : tensor<64x128xf32>
    %p = math.exp2 %less : tensor<64x128xf32>
    %weights = tile.fp_cast %p : tensor<64x128xf32> -> tensor<64x128xf16>
    %change = arith.subf %top, %next : tensor<64xf32>
    %shrink = math.exp2 %change : tensor<64xf32>
    %shrinks = tile.expand_dims %shrink {axis = 1 : i32} : tensor<64xf32> -> tensor<64x1xf32>
    %factors = tile.broadcast %shrinks : tensor<64x1xf32> -> tensor<64x128xf32>
    %scaled = arith.mulf %sums, %factors : tensor<64x128xf32>
    %value = tile.descriptor_load %v[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    // expected-remark @+1 {{this kernel gets no roles of warps: a product multiplies the result of another one, and a single group of four warps would do nothing beside it; use num_warps = 8 and 128 rows}}
    %more = tile.dot %weights, %value, %scaled : tensor<64x128xf16>, tensor<128x128xf16>, tensor<64x128xf32>
    scf.yield %next, %more : tensor<64xf32>, tensor<64x128xf32>
  }
  tile.descriptor_store %o[%row, %zero], %result#1 : !tile.desc<64x128xf32>, tensor<64x128xf32>
  return
}

// -----

// Registers hold 256 columns of sums, but not the weights of a step beside the scores of the next one.
func.func @long_rows(%pq: !tile.ptr<f16>, %pk: !tile.ptr<f16>, %pv: !tile.ptr<f16>, %po: !tile.ptr<f32>, %queries: i64, %keys: i64, %limit: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 128 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 128 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<128xf32>
  %q = tile.make_descriptor %pq, [%queries, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %k = tile.make_descriptor %pk, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %v = tile.make_descriptor %pv, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x256xf16>
  %o = tile.make_descriptor %po, [%queries, %length], [%length, %unit] : !tile.ptr<f32> -> !tile.desc<128x256xf32>
  %empty = arith.constant dense<0.000000e+00> : tensor<128x256xf32>
  %id = tile.program_id x
  %row = arith.muli %id, %step : i32
  %query = tile.descriptor_load %q[%row, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
  %result:2 = scf.for %i = %zero to %limit step %step iter_args(%top = %lowest, %sums = %empty) -> (tensor<128xf32>, tensor<128x256xf32>) : i32 {
    %key = tile.descriptor_load %k[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    %transposed = tile.permute %key [1, 0] : tensor<128x128xf16> -> tensor<128x128xf16>
    %scores = tile.dot %query, %transposed, %none : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %greatest = tile.reduce(%scores) axis = 1 : (tensor<128x128xf32>) -> tensor<128xf32> {
    ^bb0(%x: f32, %y: f32):
      %more = tile.maximum %x, %y nan = ignore : f32
      tile.yield %more : f32
    }
    %next = tile.maximum %top, %greatest nan = ignore : tensor<128xf32>
    %column = tile.expand_dims %next {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %tops = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
    %less = arith.subf %scores, %tops : tensor<128x128xf32>
    %p = math.exp2 %less : tensor<128x128xf32>
    %weights = tile.fp_cast %p : tensor<128x128xf32> -> tensor<128x128xf16>
    %change = arith.subf %top, %next : tensor<128xf32>
    %shrink = math.exp2 %change : tensor<128xf32>
    %shrinks = tile.expand_dims %shrink {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %factors = tile.broadcast %shrinks : tensor<128x1xf32> -> tensor<128x256xf32>
    %scaled = arith.mulf %sums, %factors : tensor<128x256xf32>
    %value = tile.descriptor_load %v[%i, %zero] : !tile.desc<128x256xf16> -> tensor<128x256xf16>
    // expected-remark @+1 {{this kernel gets no roles of warps: a product multiplies the result of another one, and registers do not hold both, those of two steps; use fewer columns in a step}}
    %more = tile.dot %weights, %value, %scaled : tensor<128x128xf16>, tensor<128x256xf16>, tensor<128x256xf32>
    scf.yield %next, %more : tensor<128xf32>, tensor<128x256xf32>
  }
  tile.descriptor_store %o[%row, %zero], %result#1 : !tile.desc<128x256xf32>, tensor<128x256xf32>
  return
}

// -----

// The second operand is computed from another product.
func.func @second_operand(%pq: !tile.ptr<f16>, %pk: !tile.ptr<f16>, %pv: !tile.ptr<f16>, %po: !tile.ptr<f32>, %queries: i64, %keys: i64, %limit: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 128 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 128 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<128xf32>
  %q = tile.make_descriptor %pq, [%queries, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %k = tile.make_descriptor %pk, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %v = tile.make_descriptor %pv, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %o = tile.make_descriptor %po, [%queries, %length], [%length, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %id = tile.program_id x
  %row = arith.muli %id, %step : i32
  %query = tile.descriptor_load %q[%row, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
  %result:2 = scf.for %i = %zero to %limit step %step iter_args(%top = %lowest, %sums = %none) -> (tensor<128xf32>, tensor<128x128xf32>) : i32 {
    %key = tile.descriptor_load %k[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    %transposed = tile.permute %key [1, 0] : tensor<128x128xf16> -> tensor<128x128xf16>
    %scores = tile.dot %query, %transposed, %none : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %greatest = tile.reduce(%scores) axis = 1 : (tensor<128x128xf32>) -> tensor<128xf32> {
    ^bb0(%x: f32, %y: f32):
      %more = tile.maximum %x, %y nan = ignore : f32
      tile.yield %more : f32
    }
    %next = tile.maximum %top, %greatest nan = ignore : tensor<128xf32>
    %column = tile.expand_dims %next {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %tops = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
    %less = arith.subf %scores, %tops : tensor<128x128xf32>
    %p = math.exp2 %less : tensor<128x128xf32>
    %weights = tile.fp_cast %p : tensor<128x128xf32> -> tensor<128x128xf16>
    %change = arith.subf %top, %next : tensor<128xf32>
    %shrink = math.exp2 %change : tensor<128xf32>
    %shrinks = tile.expand_dims %shrink {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %factors = tile.broadcast %shrinks : tensor<128x1xf32> -> tensor<128x128xf32>
    %scaled = arith.mulf %sums, %factors : tensor<128x128xf32>
    %value = tile.descriptor_load %v[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    %other = arith.addf %value, %weights : tensor<128x128xf16>
    // expected-remark @+1 {{this kernel gets no roles of warps: the second operand is computed, and would go back to shared memory between two waits}}
    %more = tile.dot %other, %weights, %scaled : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    scf.yield %next, %more : tensor<128xf32>, tensor<128x128xf32>
  }
  tile.descriptor_store %o[%row, %zero], %result#1 : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// Two products of a loop multiply what is computed from the first.
func.func @two_of_a_loop(%pq: !tile.ptr<f16>, %pk: !tile.ptr<f16>, %pv: !tile.ptr<f16>, %po: !tile.ptr<f32>, %queries: i64, %keys: i64, %limit: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 128 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 128 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<128xf32>
  %q = tile.make_descriptor %pq, [%queries, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %k = tile.make_descriptor %pk, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %v = tile.make_descriptor %pv, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %o = tile.make_descriptor %po, [%queries, %length], [%length, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %id = tile.program_id x
  %row = arith.muli %id, %step : i32
  %query = tile.descriptor_load %q[%row, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
  %result:3 = scf.for %i = %zero to %limit step %step iter_args(%top = %lowest, %sums = %none, %others = %none) -> (tensor<128xf32>, tensor<128x128xf32>, tensor<128x128xf32>) : i32 {
    %key = tile.descriptor_load %k[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    %transposed = tile.permute %key [1, 0] : tensor<128x128xf16> -> tensor<128x128xf16>
    %scores = tile.dot %query, %transposed, %none : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %greatest = tile.reduce(%scores) axis = 1 : (tensor<128x128xf32>) -> tensor<128xf32> {
    ^bb0(%x: f32, %y: f32):
      %more = tile.maximum %x, %y nan = ignore : f32
      tile.yield %more : f32
    }
    %next = tile.maximum %top, %greatest nan = ignore : tensor<128xf32>
    %column = tile.expand_dims %next {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %tops = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
    %less = arith.subf %scores, %tops : tensor<128x128xf32>
    %p = math.exp2 %less : tensor<128x128xf32>
    %weights = tile.fp_cast %p : tensor<128x128xf32> -> tensor<128x128xf16>
    %change = arith.subf %top, %next : tensor<128xf32>
    %shrink = math.exp2 %change : tensor<128xf32>
    %shrinks = tile.expand_dims %shrink {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %factors = tile.broadcast %shrinks : tensor<128x1xf32> -> tensor<128x128xf32>
    %scaled = arith.mulf %sums, %factors : tensor<128x128xf32>
    %value = tile.descriptor_load %v[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    // expected-remark @+2 {{registers do not hold both, those of two steps}}
    // expected-error @+1 {{of a loop, one product can be behind}}
    %more = tile.dot %weights, %value, %scaled {tile_gpu.behind} : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %again = tile.dot %weights, %key, %others {tile_gpu.behind} : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    scf.yield %next, %more, %again : tensor<128xf32>, tensor<128x128xf32>, tensor<128x128xf32>
  }
  tile.descriptor_store %o[%row, %zero], %result#1 : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// Both products multiply by one block: it would stay in its slot for two iterations.
func.func @shared_block(%pq: !tile.ptr<f16>, %pk: !tile.ptr<f16>, %pv: !tile.ptr<f16>, %po: !tile.ptr<f32>, %queries: i64, %keys: i64, %limit: i32) attributes {tile.kernel, tile.num_warps = 8 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 128 : i32
  %unit = arith.constant 1 : i64
  %length = arith.constant 128 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %lowest = arith.constant dense<0xFF800000> : tensor<128xf32>
  %q = tile.make_descriptor %pq, [%queries, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %k = tile.make_descriptor %pk, [%keys, %length], [%length, %unit] : !tile.ptr<f16> -> !tile.desc<128x128xf16>
  %o = tile.make_descriptor %po, [%queries, %length], [%length, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %id = tile.program_id x
  %row = arith.muli %id, %step : i32
  %query = tile.descriptor_load %q[%row, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
  %result:2 = scf.for %i = %zero to %limit step %step iter_args(%top = %lowest, %sums = %none) -> (tensor<128xf32>, tensor<128x128xf32>) : i32 {
    %key = tile.descriptor_load %k[%i, %zero] : !tile.desc<128x128xf16> -> tensor<128x128xf16>
    %transposed = tile.permute %key [1, 0] : tensor<128x128xf16> -> tensor<128x128xf16>
    %scores = tile.dot %query, %transposed, %none : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    %greatest = tile.reduce(%scores) axis = 1 : (tensor<128x128xf32>) -> tensor<128xf32> {
    ^bb0(%x: f32, %y: f32):
      %more = tile.maximum %x, %y nan = ignore : f32
      tile.yield %more : f32
    }
    %next = tile.maximum %top, %greatest nan = ignore : tensor<128xf32>
    %column = tile.expand_dims %next {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %tops = tile.broadcast %column : tensor<128x1xf32> -> tensor<128x128xf32>
    %less = arith.subf %scores, %tops : tensor<128x128xf32>
    %p = math.exp2 %less : tensor<128x128xf32>
    %weights = tile.fp_cast %p : tensor<128x128xf32> -> tensor<128x128xf16>
    %change = arith.subf %top, %next : tensor<128xf32>
    %shrink = math.exp2 %change : tensor<128xf32>
    %shrinks = tile.expand_dims %shrink {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %factors = tile.broadcast %shrinks : tensor<128x1xf32> -> tensor<128x128xf32>
    %scaled = arith.mulf %sums, %factors : tensor<128x128xf32>
    // expected-error @+1 {{`tile_gpu.behind` needs a product that multiplies what is computed from another one of its loop by a block that nothing else reads, and sums that the loop only hands on}}
    %more = tile.dot %weights, %key, %scaled {tile_gpu.behind} : tensor<128x128xf16>, tensor<128x128xf16>, tensor<128x128xf32>
    scf.yield %next, %more : tensor<128xf32>, tensor<128x128xf32>
  }
  tile.descriptor_store %o[%row, %zero], %result#1 : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}
