// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-simplify --tile-assign-layouts=target=sm_90 --cse --canonicalize --tile-gpu-share-operands --tile-gpu-pipeline-loops --canonicalize | FileCheck %s

// Three slots: two iterations ahead. The pointers of A advance twice, for the copies and, unused, for the loop.
// What ran ahead of the loop's end is taken back.
// CHECK-LABEL: func.func @three(
// CHECK: %[[C:.*]] = tile_gpu.channel : <3 x
// CHECK: %[[AT0:.*]] = tile_gpu.cursor 0 : <3>
// CHECK: tile_gpu.acquire %[[C]][%[[AT0]]] :
// CHECK: tile_gpu.copy {{.*}} tile 0 async 8 if
// CHECK: tile_gpu.copy {{.*}} tile 1 async 8 if
// CHECK: tile_gpu.commit
// CHECK: %[[AT1:.*]] = tile_gpu.cursor 1 : <3>
// CHECK: tile_gpu.acquire %[[C]][%[[AT1]]] :
// CHECK: tile_gpu.copy {{.*}} tile 0 async 8 if
// CHECK: tile_gpu.copy {{.*}} tile 1 async 8 if
// CHECK: tile_gpu.commit
// CHECK: %[[AT2:.*]] = tile_gpu.cursor 2 : <3>
// CHECK: %[[BEGIN:.*]] = tile_gpu.cursor 0 : <3>
// CHECK: scf.for {{.*}} %[[FILL:[^ ]*]] = %[[AT2]], %[[NOW:[^ ]*]] = %[[BEGIN]])
// CHECK: %[[LEASE:.*]] = tile_gpu.wait %[[C]][%[[NOW]]] :
// CHECK: arith.cmpi ult
// CHECK: %[[SLOT:.*]] = tile_gpu.acquire %[[C]][%[[FILL]]] :
// CHECK: tile_gpu.copy {{.*}} to %[[SLOT]] tile 0 async 8 if
// CHECK: tile_gpu.commit %[[SLOT]]
// CHECK: tile_gpu.view %[[LEASE]] tile 0
// CHECK: tile_gpu.release %[[LEASE]]
// CHECK: tile.dot
// CHECK: %[[FILLED:.*]] = tile_gpu.advance %[[FILL]] : <3>
// CHECK: %[[NEXT:.*]] = tile_gpu.advance %[[NOW]] : <3>
// CHECK: scf.yield {{.*}}, %[[FILLED]], %[[NEXT]] :
// CHECK: {{^  }}}
// CHECK-NEXT: tile_gpu.drain %[[C]]
func.func @three(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %ahead = arith.constant dense<64> : tensor<64x64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cols = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %wide = arith.muli %rows, %ahead : tensor<64x64xi32>
  %offset = arith.addi %wide, %cols : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pb = tile.addptr %bs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// The loop's own number counts more than the kernel's.
// CHECK-LABEL: func.func @two(
// CHECK: tile_gpu.channel : <2 x
// CHECK: scf.for
// CHECK: tile_gpu.wait
// CHECK: tile_gpu.advance %{{.*}} : <2>
func.func @two(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 5 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %ahead = arith.constant dense<64> : tensor<64x64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cols = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %wide = arith.muli %rows, %ahead : tensor<64x64xi32>
  %offset = arith.addi %wide, %cols : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pb = tile.addptr %bs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  } {tile.num_stages = 2 : i32}
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Two channels take turns before the loop as they do in it, and share their cursors.
// CHECK-LABEL: func.func @both(
// CHECK: %[[AT0:.*]] = tile_gpu.cursor 0 : <3>
// CHECK: tile_gpu.acquire %[[A:.*]][%[[AT0]]]
// CHECK: tile_gpu.acquire %[[B:.*]][%[[AT0]]]
// CHECK: %[[AT1:.*]] = tile_gpu.cursor 1 : <3>
// CHECK: tile_gpu.acquire %[[A]][%[[AT1]]]
// CHECK: tile_gpu.acquire %[[B]][%[[AT1]]]
// CHECK: scf.for
// CHECK: tile_gpu.wait %[[ONE:.*]][%[[NOW:.*]]] :
// CHECK: tile_gpu.acquire %[[ONE]][%[[FILL:.*]]] :
// CHECK: tile_gpu.wait %[[OTHER:.*]][%[[NOW]]] :
// CHECK: tile_gpu.acquire %[[OTHER]][%[[FILL]]] :
// CHECK: {{^  }}}
// CHECK-NEXT: tile_gpu.drain %[[B]]
// CHECK-NEXT: tile_gpu.drain %[[A]]
func.func @both(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %ahead = arith.constant dense<64> : tensor<64x64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cols = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %wide = arith.muli %rows, %ahead : tensor<64x64xi32>
  %offset = arith.addi %wide, %cols : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pb = tile.addptr %bs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %pz = tile.addptr %pb, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pw = tile.addptr %pz, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %sum, %end, %also = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa, %more = %none) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf32>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %z = tile.load %pz : tensor<64x64x!tile.ptr<f16>>
    %w = tile.load %pw : tensor<64x64x!tile.ptr<f16>>
    %e = tile.dot %z, %w, %more : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next, %e : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf32>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.store %pc, %also : tensor<64x64x!tile.ptr<f32>>
  return
}

// The pointers of A come from a table. Its entries are loaded ahead, where there are any.
// CHECK-LABEL: func.func @by_table(
// CHECK: %[[RUNS0:.*]] = arith.cmpi ugt
// CHECK: tile.load {{.*}}, %[[RUNS0]] : !tile.ptr<i32>
// CHECK: tile_gpu.commit
// CHECK: %[[RUNS1:.*]] = arith.cmpi ugt
// CHECK: tile.load {{.*}}, %[[RUNS1]] : !tile.ptr<i32>
// CHECK: tile_gpu.commit
// CHECK: scf.for
// CHECK: tile_gpu.wait
// CHECK: %[[RUNS:.*]] = arith.cmpi ult
// CHECK: %[[PAGE:.*]] = tile.load {{.*}}, %[[RUNS]] : !tile.ptr<i32>
// CHECK: arith.muli %[[PAGE]]
// CHECK: tile_gpu.copy {{.*}} if %[[RUNS]]
// CHECK-NOT: tile.load
// CHECK: tile.dot
func.func @by_table(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %table: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %of_page = arith.constant 4096 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %row_length = arith.constant dense<64> : tensor<64x64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cols = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %wide = arith.muli %rows, %row_length : tensor<64x64xi32>
  %offset = arith.addi %wide, %cols : tensor<64x64xi32>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pb = tile.addptr %bs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i32 {
    %entry = tile.addptr %table, %i : !tile.ptr<i32>, i32
    %page = tile.load %entry : !tile.ptr<i32>
    %first = arith.muli %page, %of_page : i32
    %at = tile.addptr %a, %first : !tile.ptr<f16>, i32
    %as = tile.splat %at : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %x = tile.load %pa : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// The loop stores, but into another buffer than what the copies read.
// CHECK-LABEL: func.func @stores_apart(
// CHECK: tile_gpu.channel : <3 x
// CHECK: tile_gpu.acquire
// CHECK: scf.for
// CHECK: tile_gpu.wait
// CHECK: tile_gpu.acquire
// CHECK: tile.store
func.func @stores_apart(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  tile.assume_apart %c, %a : !tile.ptr<f32>, !tile.ptr<f16>
  tile.assume_apart %c, %b : !tile.ptr<f32>, !tile.ptr<f16>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %ahead = arith.constant dense<64> : tensor<64x64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %col = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x64xi32>
  %cols = tile.broadcast %col : tensor<1x64xi32> -> tensor<64x64xi32>
  %wide = arith.muli %rows, %ahead : tensor<64x64xi32>
  %offset = arith.addi %wide, %cols : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pb = tile.addptr %bs, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %pb : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    tile.store %pc, %d : tensor<64x64x!tile.ptr<f32>>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}
