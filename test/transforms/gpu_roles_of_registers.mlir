// SPDX-License-Identifier: MIT
// Roles where no matrix unit multiplies out of shared memory: a single warp has the blocks copied, and those that
// multiply read each of them from its slot as mma.sync takes it. The slot is released behind the product, so that a step
// of K is read right before it is multiplied.
// RUN: tile-opt %s --tile-gpu-plan=target=sm_120 --tile-gpu-specialize-warps=target=sm_120 -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-gpu-plan=target=sm_120 --tile-gpu-specialize-warps=target=sm_120 --tile-assign-layouts=target=sm_120 -split-input-file | FileCheck %s --check-prefix=LAYOUT
// RUN: tile-opt %s --tile-gpu-plan="target=sm_120 remarks=true" --tile-gpu-specialize-warps="target=sm_120 remarks=true" -split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: tile-opt %s --tile-gpu-plan="target=sm_100a remarks=true" --tile-gpu-specialize-warps="target=sm_100a remarks=true" -split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=TCGEN
// RUN: tile-opt %s --tile-gpu-plan="target=sm_90a remarks=true" --tile-gpu-specialize-warps="target=sm_90a remarks=true" -split-input-file 2>&1 >/dev/null | FileCheck %s --check-prefix=WGMMA
// RUN: tile-opt %s --tile-gpu-plan=target=sm_120a --tile-gpu-specialize-warps=target=sm_120a -split-input-file | FileCheck %s --check-prefix=OF-ONE-GPU
// RUN: tile-opt %s --tile-gpu-plan=target=sm_80 -split-input-file | FileCheck %s --check-prefix=NO-ENGINE

// NO-ENGINE-NOT: tile_gpu.plan

// CHECK-LABEL: func.func @product(
// CHECK: %[[RING:.*]] = tile_gpu.channel : <2 x(
// CHECK: tile_gpu.roles warps 1 alone {
// CHECK: tile_gpu.copy_box
// CHECK: tile_gpu.copy_box
// CHECK: } warps 2 {
// CHECK: scf.for
// CHECK: %[[LEASE:.*]] = tile_gpu.wait
// CHECK: %[[X:.*]] = tile_gpu.view %[[LEASE]] tile 0
// CHECK: %[[Y:.*]] = tile_gpu.view %[[LEASE]] tile 1
// CHECK: %[[A:.*]] = tile_gpu.read %[[X]]
// CHECK: %[[B:.*]] = tile_gpu.read %[[Y]]
// CHECK: tile.dot %[[A]], %[[B]], %{{.*}} : tensor<64x64xf16>
// CHECK-NEXT: tile_gpu.release %[[LEASE]]
// CHECK: tile.descriptor_store

// What is read lies as the unit takes it.
// LAYOUT-LABEL: func.func @product(
// LAYOUT: } warps 2 {
// LAYOUT-NOT: tile_gpu.convert_layout
// LAYOUT: tile.dot
// LAYOUT-NOT: tile_gpu.convert_layout
// LAYOUT: tile_gpu.release

// REMARK: remark: read from shared memory, and multiplied by mma.sync of 2 warps; another role copies the blocks ahead, into 2 slots of 16 KiB{{$}}
// TCGEN: remark: read from shared memory, and multiplied by mma.sync of 2 warps; another role copies the blocks ahead, into 2 slots of 16 KiB; tcgen05 would be faster, and this compiler does not know it yet
// WGMMA: remark: read from shared memory, and multiplied by mma.sync of 2 warps; another role copies the blocks ahead, into 2 slots of 16 KiB; wgmma needs groups of four warps: num_warps = 4, 8 or 16
func.func @product(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 2 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// Both operands are computed, and stay in registers.
// CHECK-LABEL: func.func @computed(
// CHECK: tile_gpu.roles warps 1 alone {
// CHECK: } warps 4 {
// CHECK: tile_gpu.read
// CHECK: tile_gpu.read
// CHECK: arith.addf
// CHECK: arith.addf
// CHECK: tile.dot
// CHECK-NEXT: tile_gpu.release

// LAYOUT-LABEL: func.func @computed(
// LAYOUT: } warps 4 {
// LAYOUT-NOT: tile_gpu.convert_layout
// LAYOUT: tile_gpu.release

// REMARK: remark: read from shared memory, and multiplied by mma.sync of 4 warps
// TCGEN: remark: read from shared memory, and multiplied by mma.sync of 4 warps
// WGMMA: remark: this kernel gets no roles of warps: the second operand is computed
func.func @computed(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %block = arith.constant 64 : i32
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %sum = scf.for %i = %zero to %steps step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i32 {
    %from = arith.muli %i, %block : i32
    %x = tile.descriptor_load %a[%zero, %from] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%from, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %xx = arith.addf %x, %x : tensor<64x64xf16>
    %yy = arith.addf %y, %y : tensor<64x64xf16>
    %d = tile.dot %xx, %yy, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// A product of a product would wait for both in turn, and sums that registers do not hold have no roles.
// CHECK-LABEL: func.func @of_a_product(
// CHECK-NOT: tile_gpu.roles
// REMARK: remark: this kernel gets no roles of warps: a product multiplies the result of another one, and no matrix unit
// TCGEN: remark: this kernel gets no roles of warps: a product multiplies the result of another one, and no matrix unit
func.func @of_a_product(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<64x64xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %first = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %narrow = tile.fp_cast %first : tensor<64x64xf32> -> tensor<64x64xf16>
  %z = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %second = tile.dot %narrow, %z, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.descriptor_store %c[%zero, %zero], %second : !tile.desc<64x64xf32>, tensor<64x64xf32>
  return
}

// -----

// CHECK-LABEL: func.func @large(
// CHECK-NOT: tile_gpu.roles
// REMARK: remark: this kernel gets no roles of warps: the sums need too many registers of a thread; use a smaller block or more warps
func.func @large(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64 {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x256xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x32xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<32x256xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x256xf32>
  %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<128x32xf16> -> tensor<128x32xf16>
  %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<32x256xf16> -> tensor<32x256xf16>
  %sum = tile.dot %x, %y, %none : tensor<128x32xf16>, tensor<32x256xf16>, tensor<128x256xf32>
  tile.descriptor_store %c[%zero, %zero], %sum : !tile.desc<128x256xf32>, tensor<128x256xf32>
  return
}

// -----

// Scaled sums beside those of the product, 64 registers each: together they are too many, as 9 warps have 168.
// CHECK-LABEL: func.func @scaled(
// CHECK-NOT: tile_gpu.roles
// REMARK: remark: this kernel gets no roles of warps: the sums need too many registers of a thread; use a smaller block or more warps
func.func @scaled(%pa: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pc: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i64, %n: i64 {tile.divisibility = 16 : i32}, %k: i64 {tile.divisibility = 16 : i32}, %steps: i32) attributes {tile.kernel, tile.num_warps = 8 : i32} {
  %zero = arith.constant 0 : i32
  %width = arith.constant 64 : i32
  %unit = arith.constant 1 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %a = tile.make_descriptor %pa, [%m, %k], [%k, %unit] : !tile.ptr<f16> -> !tile.desc<128x64xf16>
  %b = tile.make_descriptor %pb, [%k, %n], [%n, %unit] : !tile.ptr<f16> -> !tile.desc<64x128xf16>
  %c = tile.make_descriptor %pc, [%m, %n], [%n, %unit] : !tile.ptr<f32> -> !tile.desc<128x128xf32>
  %all = scf.for %i = %zero to %steps step %width iter_args(%sum = %none) -> (tensor<128x128xf32>) : i32 {
    %x = tile.descriptor_load %a[%zero, %i] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %b[%i, %zero] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %of_block = tile.dot %x, %y, %none : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %scaled = arith.mulf %of_block, %of_block : tensor<128x128xf32>
    %next = arith.addf %sum, %scaled : tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  tile.descriptor_store %c[%zero, %zero], %all : !tile.desc<128x128xf32>, tensor<128x128xf32>
  return
}

// -----

// A tensor that the program describes: code for all GPUs of a generation cannot change a map.
// CHECK-LABEL: func.func @described(
// CHECK-NOT: tile_gpu.roles
// REMARK: remark: this kernel gets no roles of warps: code for this GPU cannot change the description of a tensor for the copy engine; base, extents and strides must come from kernel arguments
// OF-ONE-GPU-LABEL: func.func @described(
// OF-ONE-GPU: tile_gpu.roles warps 1 alone {
// OF-ONE-GPU: tile_gpu.device_map
// OF-ONE-GPU: } warps 4 {
func.func @described(%pa: !tile.ptr<!tile.ptr<f16>>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<!tile.ptr<f16>>, %k: i64, %rows: !tile.ptr<i32>, %steps: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %unit = arith.constant 1 : i64
  %width = arith.constant 64 : i64
  %none = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %b = tile.make_descriptor %pb, [%k, %width], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
  scf.for %i = %zero to %steps step %one : i32 {
    %at = tile.addptr %rows, %i : !tile.ptr<i32>, i32
    %read = tile.load %at : !tile.ptr<i32>
    %narrow = tile.assume %read {divisible = 8 : i64, range = array<i64: 0, 1000>} : i32
    %m = arith.extsi %narrow : i32 to i64
    %qa = tile.addptr %pa, %i : !tile.ptr<!tile.ptr<f16>>, i32
    %ra = tile.load %qa : !tile.ptr<!tile.ptr<f16>>
    %sa = tile.assume %ra {divisible = 16 : i64} : !tile.ptr<f16>
    %a = tile.make_descriptor %sa, [%m, %m], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
    %x = tile.descriptor_load %a[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %b[%zero, %zero] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %x, %y, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %r = tile.fp_cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
    %qc = tile.addptr %pc, %i : !tile.ptr<!tile.ptr<f16>>, i32
    %rc = tile.load %qc : !tile.ptr<!tile.ptr<f16>>
    %sc = tile.assume %rc {divisible = 16 : i64} : !tile.ptr<f16>
    %c = tile.make_descriptor %sc, [%m, %m], [%width, %unit] : !tile.ptr<f16> -> !tile.desc<64x64xf16>
    tile.descriptor_store %c[%zero, %zero], %r : !tile.desc<64x64xf16>, tensor<64x64xf16>
  } {tile.specialize_warps}
  return
}
