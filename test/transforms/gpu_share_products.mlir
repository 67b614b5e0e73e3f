// SPDX-License-Identifier: MIT
// Products of a unit that reads shared memory, in kernels whose warps all do the same.
// RUN: tile-opt %s --tile-layout-pipeline=target=sm_90a | FileCheck %s

// One operand is computed: what it is computed from is copied ahead, each thread reads what it has copied, and what
// it makes of that is put into a slot of its own. The copies of the next iteration come behind the product.
// CHECK-LABEL: func.func @scaled(
// CHECK-DAG: %[[PUT:.*]] = tile_gpu.channel : <1 x(tensor<32x32xf16, #{{.*}}shared
// CHECK-DAG: %[[FROM:.*]] = tile_gpu.channel : <3 x(tensor<32x32xf16, #{{.*}}shared
// CHECK-DAG: %[[LEFT:.*]] = tile_gpu.channel : <3 x(tensor<64x32xf16, #{{.*}}shared
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: %[[F:.*]] = tile_gpu.wait %[[FROM]]
// CHECK: tile_gpu.copy
// CHECK: %[[V:.*]] = tile_gpu.view %[[F]] tile 0
// CHECK: %[[READ:.*]] = tile_gpu.read %[[V]]
// CHECK: tile_gpu.release %[[F]]
// CHECK: tile.fp_cast %[[READ]]
// CHECK: %[[Y:.*]] = tile.fp_cast
// CHECK: %[[S:.*]] = tile_gpu.acquire %[[PUT]]
// CHECK: tile_gpu.put %[[Y]] to %[[S]] tile 0
// CHECK: tile_gpu.commit %[[S]]
// CHECK: %[[L:.*]] = tile_gpu.wait %[[LEFT]]
// CHECK: %[[A:.*]] = tile_gpu.view %[[L]] tile 0
// CHECK: %[[P:.*]] = tile_gpu.wait %[[PUT]]
// CHECK: %[[B:.*]] = tile_gpu.view %[[P]] tile 0
// CHECK: %[[D:.*]] = tile.dot %[[A]], %[[B]], %{{.*}} {tile_gpu.in_flight}
// CHECK: tile_gpu.copy
// CHECK: tile_gpu.await_products %[[D]]
// CHECK-DAG: tile_gpu.release %[[P]]
// CHECK-DAG: tile_gpu.release %[[L]]
// CHECK: scf.yield
func.func @scaled(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg1: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %arg3: i32 {tile.divisibility = 16 : i32}) attributes {tile.fp_fusion = true, tile.kernel, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  %cst = arith.constant dense<32> : tensor<64xi32>
  %cst_0 = arith.constant dense<32> : tensor<32xi32>
  %cst_1 = arith.constant dense<2.000000e+00> : tensor<32x32xf32>
  %c0_i32 = arith.constant 0 : i32
  %c32_i32 = arith.constant 32 : i32
  %cst_2 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
  %0 = tile.arange 0 to 64 : tensor<64xi32>
  %1 = tile.arange 0 to 32 : tensor<32xi32>
  %2 = tile.expand_dims %1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %3 = scf.for %arg4 = %c0_i32 to %arg3 step %c32_i32 iter_args(%arg5 = %cst_2) -> (tensor<64x32xf32>)  : i32 {
    %11 = tile.splat %arg3 : i32 -> tensor<64xi32>
    %12 = arith.muli %0, %11 : tensor<64xi32>
    %13 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
    %14 = tile.addptr %13, %12 : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    %15 = tile.expand_dims %14 {axis = 1 : i32} : tensor<64x!tile.ptr<f16>> -> tensor<64x1x!tile.ptr<f16>>
    %16 = tile.broadcast %15 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
    %17 = tile.splat %arg4 : i32 -> tensor<32xi32>
    %18 = arith.addi %17, %1 : tensor<32xi32>
    %19 = tile.expand_dims %18 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %20 = tile.broadcast %19 : tensor<1x32xi32> -> tensor<64x32xi32>
    %21 = tile.addptr %16, %20 : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %22 = tile.load %21 : tensor<64x32x!tile.ptr<f16>>
    %23 = arith.muli %18, %cst_0 : tensor<32xi32>
    %24 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<32x!tile.ptr<f16>>
    %25 = tile.addptr %24, %23 : tensor<32x!tile.ptr<f16>>, tensor<32xi32>
    %26 = tile.expand_dims %25 {axis = 1 : i32} : tensor<32x!tile.ptr<f16>> -> tensor<32x1x!tile.ptr<f16>>
    %27 = tile.broadcast %26 : tensor<32x1x!tile.ptr<f16>> -> tensor<32x32x!tile.ptr<f16>>
    %28 = tile.broadcast %2 : tensor<1x32xi32> -> tensor<32x32xi32>
    %29 = tile.addptr %27, %28 : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %30 = tile.load %29 : tensor<32x32x!tile.ptr<f16>>
    %31 = tile.fp_cast %30 : tensor<32x32xf16> -> tensor<32x32xf32>
    %32 = arith.mulf %31, %cst_1 : tensor<32x32xf32>
    %33 = tile.fp_cast %32 : tensor<32x32xf32> -> tensor<32x32xf16>
    %34 = tile.dot %22, %33, %arg5 : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    scf.yield %34 : tensor<64x32xf32>
  }
  %4 = arith.muli %0, %cst : tensor<64xi32>
  %5 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %6 = tile.addptr %5, %4 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %7 = tile.expand_dims %6 {axis = 1 : i32} : tensor<64x!tile.ptr<f32>> -> tensor<64x1x!tile.ptr<f32>>
  %8 = tile.broadcast %7 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x32x!tile.ptr<f32>>
  %9 = tile.broadcast %2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %10 = tile.addptr %8, %9 : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  tile.store %10, %3 : tensor<64x32x!tile.ptr<f32>>
  return
}

// Two products read the same block: one channel has it, and is released behind the second one.
// CHECK-LABEL: func.func @both(
// CHECK-DAG: %[[SECOND:.*]] = tile_gpu.channel : <3 x(tensor<32x32xf16, #tile_gpu.layout<{{[^x]*}}>>)>
// CHECK-DAG: %[[FIRST:.*]] = tile_gpu.channel : <3 x(tensor<64x32xf16, #{{.*}}, tensor<32x32xf16, #
// CHECK: scf.for
// CHECK: %[[L:.*]] = tile_gpu.wait %[[FIRST]]
// CHECK: %[[A:.*]] = tile_gpu.view %[[L]] tile 0
// CHECK: %[[B:.*]] = tile_gpu.view %[[L]] tile 1
// CHECK: tile.dot %[[A]], %[[B]]
// CHECK-NOT: tile_gpu.release
// CHECK: %[[M:.*]] = tile_gpu.wait %[[SECOND]]
// CHECK: %[[C:.*]] = tile_gpu.view %[[M]] tile 0
// CHECK: tile.dot %[[A]], %[[C]]
// CHECK-DAG: tile_gpu.release %[[M]]
// CHECK-DAG: tile_gpu.release %[[L]]
// CHECK: scf.yield
func.func @both(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg1: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %arg3: i32 {tile.divisibility = 16 : i32}) attributes {tile.fp_fusion = true, tile.kernel, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  %cst = arith.constant dense<32> : tensor<64xi32>
  %cst_0 = arith.constant dense<32> : tensor<32xi32>
  %c0_i32 = arith.constant 0 : i32
  %c32_i32 = arith.constant 32 : i32
  %cst_1 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
  %0 = tile.arange 0 to 64 : tensor<64xi32>
  %1 = tile.arange 0 to 32 : tensor<32xi32>
  %2 = tile.expand_dims %1 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %3:2 = scf.for %arg4 = %c0_i32 to %arg3 step %c32_i32 iter_args(%arg5 = %cst_1, %arg6 = %cst_1) -> (tensor<64x32xf32>, tensor<64x32xf32>)  : i32 {
    %12 = tile.splat %arg3 : i32 -> tensor<64xi32>
    %13 = arith.muli %0, %12 : tensor<64xi32>
    %14 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
    %15 = tile.addptr %14, %13 : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    %16 = tile.expand_dims %15 {axis = 1 : i32} : tensor<64x!tile.ptr<f16>> -> tensor<64x1x!tile.ptr<f16>>
    %17 = tile.broadcast %16 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
    %18 = tile.splat %arg4 : i32 -> tensor<32xi32>
    %19 = arith.addi %18, %1 : tensor<32xi32>
    %20 = tile.expand_dims %19 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %21 = tile.broadcast %20 : tensor<1x32xi32> -> tensor<64x32xi32>
    %22 = tile.addptr %17, %21 : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %23 = tile.load %22 : tensor<64x32x!tile.ptr<f16>>
    %24 = arith.muli %19, %cst_0 : tensor<32xi32>
    %25 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<32x!tile.ptr<f16>>
    %26 = tile.addptr %25, %24 : tensor<32x!tile.ptr<f16>>, tensor<32xi32>
    %27 = tile.expand_dims %26 {axis = 1 : i32} : tensor<32x!tile.ptr<f16>> -> tensor<32x1x!tile.ptr<f16>>
    %28 = tile.broadcast %27 : tensor<32x1x!tile.ptr<f16>> -> tensor<32x32x!tile.ptr<f16>>
    %29 = tile.broadcast %2 : tensor<1x32xi32> -> tensor<32x32xi32>
    %30 = tile.addptr %28, %29 : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %31 = tile.load %30 : tensor<32x32x!tile.ptr<f16>>
    %32 = tile.dot %23, %31, %arg5 : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    %33 = tile.splat %arg3 : i32 -> tensor<32xi32>
    %34 = arith.addi %19, %33 : tensor<32xi32>
    %35 = arith.muli %34, %cst_0 : tensor<32xi32>
    %36 = tile.addptr %25, %35 : tensor<32x!tile.ptr<f16>>, tensor<32xi32>
    %37 = tile.expand_dims %36 {axis = 1 : i32} : tensor<32x!tile.ptr<f16>> -> tensor<32x1x!tile.ptr<f16>>
    %38 = tile.broadcast %37 : tensor<32x1x!tile.ptr<f16>> -> tensor<32x32x!tile.ptr<f16>>
    %39 = tile.addptr %38, %29 : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %40 = tile.load %39 : tensor<32x32x!tile.ptr<f16>>
    %41 = tile.dot %23, %40, %arg6 : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    scf.yield %32, %41 : tensor<64x32xf32>, tensor<64x32xf32>
  }
  %4 = arith.muli %0, %cst : tensor<64xi32>
  %5 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %6 = tile.addptr %5, %4 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %7 = tile.expand_dims %6 {axis = 1 : i32} : tensor<64x!tile.ptr<f32>> -> tensor<64x1x!tile.ptr<f32>>
  %8 = tile.broadcast %7 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x32x!tile.ptr<f32>>
  %9 = tile.broadcast %2 : tensor<1x32xi32> -> tensor<64x32xi32>
  %10 = tile.addptr %8, %9 : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  %11 = arith.addf %3#0, %3#1 : tensor<64x32xf32>
  tile.store %10, %11 : tensor<64x32x!tile.ptr<f32>>
  return
}

// What the loop leaves as it is lies there all the time; a product of a product has that in registers, as it comes.
// CHECK-LABEL: func.func @chain(
// CHECK: tile_gpu.copy %{{.*}} to %{{.*}} tile 0 async
// CHECK: %[[L:.*]] = tile_gpu.wait
// CHECK: %[[FIRST:.*]] = tile_gpu.view %[[L]] tile 0
// CHECK: scf.for
// CHECK: tile.dot %[[FIRST]], %
// CHECK: %[[PART:.*]] = tile.fp_cast
// CHECK-NOT: tile_gpu.convert_layout
// CHECK: tile.dot %[[PART]], %
// CHECK: scf.yield
// CHECK: tile_gpu.release %[[L]]
func.func @chain(%arg0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg1: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %arg2: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %arg3: i32 {tile.divisibility = 16 : i32}) attributes {tile.fp_fusion = true, tile.kernel, tile.num_stages = 3 : i32, tile.num_warps = 4 : i32} {
  %cst = arith.constant dense<32> : tensor<32xi32>
  %cst_0 = arith.constant dense<32> : tensor<64xi32>
  %cst_1 = arith.constant dense<5.000000e-01> : tensor<64x32xf32>
  %c0_i32 = arith.constant 0 : i32
  %c32_i32 = arith.constant 32 : i32
  %cst_2 = arith.constant dense<0.000000e+00> : tensor<64x32xf32>
  %0 = tile.arange 0 to 32 : tensor<32xi32>
  %1 = tile.expand_dims %0 {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %2 = tile.arange 0 to 64 : tensor<64xi32>
  %3 = arith.muli %2, %cst_0 : tensor<64xi32>
  %4 = tile.splat %arg0 : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %5 = tile.addptr %4, %3 : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %6 = tile.expand_dims %5 {axis = 1 : i32} : tensor<64x!tile.ptr<f16>> -> tensor<64x1x!tile.ptr<f16>>
  %7 = tile.broadcast %6 : tensor<64x1x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
  %8 = tile.broadcast %1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %9 = tile.addptr %7, %8 : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %10 = tile.load %9 : tensor<64x32x!tile.ptr<f16>>
  %11 = scf.for %arg4 = %c0_i32 to %arg3 step %c32_i32 iter_args(%arg5 = %cst_2) -> (tensor<64x32xf32>)  : i32 {
    %17 = tile.splat %arg4 : i32 -> tensor<32xi32>
    %18 = arith.addi %17, %0 : tensor<32xi32>
    %19 = arith.muli %18, %cst : tensor<32xi32>
    %20 = tile.splat %arg1 : !tile.ptr<f16> -> tensor<32x!tile.ptr<f16>>
    %21 = tile.addptr %20, %19 : tensor<32x!tile.ptr<f16>>, tensor<32xi32>
    %22 = tile.expand_dims %21 {axis = 1 : i32} : tensor<32x!tile.ptr<f16>> -> tensor<32x1x!tile.ptr<f16>>
    %23 = tile.broadcast %22 : tensor<32x1x!tile.ptr<f16>> -> tensor<32x32x!tile.ptr<f16>>
    %24 = tile.broadcast %1 : tensor<1x32xi32> -> tensor<32x32xi32>
    %25 = tile.addptr %23, %24 : tensor<32x32x!tile.ptr<f16>>, tensor<32x32xi32>
    %26 = tile.load %25 : tensor<32x32x!tile.ptr<f16>>
    %27 = tile.permute %26 [1, 0] : tensor<32x32xf16> -> tensor<32x32xf16>
    %28 = tile.dot %10, %27, %cst_2 : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    %29 = tile.fp_cast %28 : tensor<64x32xf32> -> tensor<64x32xf16>
    %30 = arith.mulf %arg5, %cst_1 : tensor<64x32xf32>
    %31 = tile.dot %29, %26, %30 : tensor<64x32xf16>, tensor<32x32xf16>, tensor<64x32xf32>
    scf.yield %31 : tensor<64x32xf32>
  }
  %12 = tile.splat %arg2 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %13 = tile.addptr %12, %3 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %14 = tile.expand_dims %13 {axis = 1 : i32} : tensor<64x!tile.ptr<f32>> -> tensor<64x1x!tile.ptr<f32>>
  %15 = tile.broadcast %14 : tensor<64x1x!tile.ptr<f32>> -> tensor<64x32x!tile.ptr<f32>>
  %16 = tile.addptr %15, %8 : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  tile.store %16, %11 : tensor<64x32x!tile.ptr<f32>>
  return
}

// One tile is both operands: it is copied once, and read where it is.
// CHECK-LABEL: func.func @square(
// CHECK: tile_gpu.channel : <{{[0-9]+}} x(tensor<64x64xf16, #{{[^x]*}}>)>
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: %[[L:.*]] = tile_gpu.wait
// CHECK: %[[X:.*]] = tile_gpu.view %[[L]] tile 0
// CHECK: tile.dot %[[X]], %[[X]],
// CHECK-NOT: tile_gpu.view
// CHECK: return
func.func @square(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
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
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// So it is where the other operand is the tile transposed.
// CHECK-LABEL: func.func @gram(
// CHECK: tile_gpu.channel : <{{[0-9]+}} x(tensor<64x64xf16, #{{[^x]*}}>)>
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: %[[L:.*]] = tile_gpu.wait
// CHECK: %[[X:.*]] = tile_gpu.view %[[L]] tile 0
// CHECK: %[[T:.*]] = tile.permute %{{.*}} [1, 0]
// CHECK: tile.dot %{{.*}}, %[[T]], %{{.*}}
// CHECK-NOT: tile_gpu.put
// CHECK: return
func.func @gram(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
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
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %t = tile.permute %x [1, 0] : tensor<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %t, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}

// Two products share both operands, which are released behind the second one.
// CHECK-LABEL: func.func @of_two(
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: %[[L:.*]] = tile_gpu.wait
// CHECK: %[[X:.*]] = tile_gpu.view %[[L]] tile 0
// CHECK: %[[Y:.*]] = tile_gpu.view %[[L]] tile 1
// CHECK: tile.dot %[[X]], %[[Y]],
// CHECK-NOT: tile_gpu.release
// CHECK: tile.dot %[[Y]], %[[X]],
// CHECK: tile_gpu.release %[[L]]
func.func @of_two(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
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
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pa = tile.addptr %as, %offset : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %pc = tile.addptr %cs, %offset : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %sum, %end = scf.for %i = %zero to %steps step %one iter_args(%acc = %none, %at = %pa) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
    %p = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %y = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %e = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %d = tile.dot %y, %x, %e : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %at, %ahead : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  tile.store %pc, %sum : tensor<64x64x!tile.ptr<f32>>
  return
}
