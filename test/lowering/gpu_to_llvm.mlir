// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-to-llvm -split-input-file | FileCheck %s

// What the launch promises, and the shared memory it has to give.
// CHECK: module attributes {tile_gpu.shared_bytes = 768 : i64, tile_gpu.target = "sm_90"}
// CHECK: llvm.mlir.global external @tile_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.func @attributes(%{{.*}}: !llvm.ptr<1>, %{{.*}}: i32) attributes {nvvm.kernel, nvvm.maxnreg = 128 : i32, nvvm.reqntid = array<i32: 64, 1, 1>}
// CHECK-NOT: tile.
// CHECK: llvm.mlir.addressof @tile_shared : !llvm.ptr<3>
// CHECK: nvvm.read.ptx.sreg.ctaid.y
// CHECK: nvvm.read.ptx.sreg.nctaid.z
func.func @attributes(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32, tile.name = "p"}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 2 : i32, tile.max_registers = 128 : i32, tile_gpu.target = "sm_90",
                tile_gpu.shared_bytes = 768 : i64} {
  %s = tile_gpu.shared offset 0 : !llvm.ptr<3>
  %x = tile.program_id y
  %y = tile.num_programs z
  %z = arith.addi %x, %y : i32
  %q = tile.addptr %p, %z : !tile.ptr<f32>, i32
  return
}

// -----

// Division is total: a zero divisor acts as 1. The minimum by -1 wraps.
// CHECK-LABEL: llvm.func @division(
// CHECK: llvm.icmp "eq" %[[B:.*]], %{{.*}}
// CHECK: %[[SAFE:.*]] = llvm.select
// CHECK: llvm.sdiv %{{.*}}, %{{.*}}
// CHECK-LABEL: llvm.func @no_guard(
// CHECK-NOT: llvm.icmp
// CHECK: llvm.sdiv
func.func @division(%a: i32, %b: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, tile_gpu.target = "sm_90"} {
  %0 = tile.divsi %a, %b : i32
  tile_gpu.store_global %p, %0 : !tile.ptr<i32>, i32
  return
}
func.func @no_guard(%a: i32, %b: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, tile_gpu.target = "sm_90"} {
  %0 = arith.divsi %a, %b : i32
  tile_gpu.store_global %p, %0 : !tile.ptr<i32>, i32
  return
}

// -----

// Plain accesses are LLVM's, aligned as wide as they are.
// CHECK-LABEL: llvm.func @plain(
// CHECK: llvm.load %arg0 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
// CHECK: llvm.store %{{.*}}, %arg0 {alignment = 2 : i64} : f16, !llvm.ptr<1>
func.func @plain(%p: !tile.ptr<f16>) attributes {tile.kernel, tile_gpu.target = "sm_90"} {
  %0:8 = tile_gpu.load_global %p : (!tile.ptr<f16>) -> (f16, f16, f16, f16, f16, f16, f16, f16)
  tile_gpu.store_global %p, %0#7 : !tile.ptr<f16>, f16
  return
}

// Predicated ones, and those with a cache operator, stay instructions of PTX, on words of up to 32 bits.
// CHECK-LABEL: llvm.func @predicated(
// CHECK: tile_gpu.ptx_load %arg0 if %arg2 else %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32, i32, i32, i32 : (<1>) -> (i32, i32, i32, i32)
// CHECK: tile_gpu.ptx_store %arg0, %{{.*}} if %arg2 : <1>, i32
// CHECK: tile_gpu.ptx_load %arg1 if %arg2 else %{{.*}} : i8 : (<1>) -> (i8)
// CHECK: tile_gpu.ptx_load %arg0 {cache = #tile.cache<cg>, is_volatile} : (<1>) -> (i32)
// CHECK: tile_gpu.ptx_atomic <fadd> %arg0, %{{.*}} of f32 if %arg2 ordering <relaxed> scope <gpu> : <1>, i32
// CHECK: tile_gpu.ptx_shift_left
// CHECK: tile_gpu.ptx_shift_right %{{.*}}, %{{.*}} {is_signed}
// CHECK: llvm.lshr
func.func @predicated(%p: !tile.ptr<f32>, %b: !tile.ptr<i8>, %c: i1, %q: !tile.ptr<i64>, %x: i64) attributes {tile.kernel, tile_gpu.target = "sm_90"} {
  %0:4 = tile_gpu.load_global %p if %c : (!tile.ptr<f32>) -> (f32, f32, f32, f32)
  tile_gpu.store_global %p, %0#3 if %c : !tile.ptr<f32>, f32
  %1 = tile_gpu.load_global %b if %c : (!tile.ptr<i8>) -> (i8)
  %2 = tile_gpu.load_global %p {is_volatile, cache = #tile.cache<cg>} : (!tile.ptr<f32>) -> (f32)
  %3 = tile_gpu.atomic_global <fadd> %p, %2 if %c ordering <relaxed> scope <gpu> : !tile.ptr<f32>, f32
  %4 = tile.shli %x, %x : i64
  %5 = tile.shrsi %4, %x : i64
  %three = arith.constant 3 : i64
  %6 = tile.shrui %5, %three : i64
  tile_gpu.store_global %q, %6 : !tile.ptr<i64>, i64
  return
}

// -----

// Products and sums may fuse unless the kernel says no.
// CHECK-LABEL: llvm.func @fused(
// CHECK: llvm.fmul {{.*}} {fastmathFlags = #llvm.fastmath<contract>}
// CHECK-LABEL: llvm.func @exact(
// CHECK: llvm.fmul %arg0, %arg0 : f32
func.func @fused(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, tile_gpu.target = "sm_90"} {
  %0 = arith.mulf %x, %x : f32
  tile_gpu.store_global %p, %0 : !tile.ptr<f32>, f32
  return
}
func.func @exact(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, tile.fp_fusion = false, tile_gpu.target = "sm_90"} {
  %0 = arith.mulf %x, %x : f32
  tile_gpu.store_global %p, %0 : !tile.ptr<f32>, f32
  return
}

// -----

// A remainder is a long division, a bit of the quotient per iteration; of 16-bit floats in f32.
// CHECK-LABEL: llvm.func @remainder(
// CHECK: llvm.fpext %arg0 : f16 to f32
// CHECK: llvm.intr.ctlz
// CHECK: llvm.icmp "sgt"
// CHECK-NEXT: llvm.cond_br
// CHECK: llvm.icmp "uge"
// CHECK: llvm.shl
// CHECK: llvm.br
// CHECK: llvm.fptrunc {{.*}} : f32 to f16
func.func @remainder(%x: f16, %y: f16, %p: !tile.ptr<f16>) attributes {tile.kernel, tile_gpu.target = "sm_90"} {
  %0 = arith.remf %x, %y : f16
  tile_gpu.store_global %p, %0 : !tile.ptr<f16>, f16
  return
}

// -----

// The fast forms are one instruction each.
// CHECK-LABEL: llvm.func @fast(
// CHECK-NOT: llvm.fdiv
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK: llvm.call_intrinsic "llvm.nvvm.sqrt.approx.f"
// CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
func.func @fast(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, tile_gpu.target = "sm_90"} {
  %0 = math.exp2 %x fastmath<afn> : f32
  %1 = math.sqrt %0 fastmath<afn> : f32
  %2 = arith.divf %1, %x fastmath<arcp> : f32
  tile_gpu.store_global %p, %2 : !tile.ptr<f32>, f32
  return
}

// -----

// In f64 no approximation of the machine takes part.
// CHECK-LABEL: llvm.func @in_double(
// CHECK-NOT: approx
// CHECK: llvm.call_intrinsic "llvm.rint"
// CHECK: llvm.call_intrinsic "llvm.fma"
// CHECK-NOT: approx
func.func @in_double(%x: f64, %p: !tile.ptr<f64>) attributes {tile.kernel, tile_gpu.target = "sm_90"} {
  %0 = math.exp %x : f64
  %1 = math.log %0 : f64
  %2 = math.tanh %1 : f64
  %3 = math.erf %2 : f64
  %4 = math.sin %3 : f64
  tile_gpu.store_global %p, %4 : !tile.ptr<f64>, f64
  return
}

// -----

// The record of a failure is a variable that the host finds by its name.
// CHECK: llvm.mlir.global external @tile_fault(dense<0> : tensor<6xi32>) {addr_space = 1 : i32, alignment = 16 : i64}
// CHECK-LABEL: llvm.func @failing(
// CHECK: llvm.mlir.addressof @tile_fault : !llvm.ptr<1>
func.func @failing(%x: i32) attributes {tile.kernel, tile_gpu.target = "sm_90"} {
  %0 = tile_gpu.fault_record : !tile.ptr<i32>
  tile_gpu.store_global %0, %x : !tile.ptr<i32>, i32
  return
}

// -----

// bf16 of integers that f32 does not hold, without a second rounding: sm_90 has an instruction.
// CHECK-LABEL: llvm.func @integers_to_bf16
// CHECK-NOT: llvm.sitofp {{.*}} to bf16
// CHECK: %[[WIDE:.*]] = llvm.sitofp %{{.*}} : i32 to f64
// CHECK: llvm.call_intrinsic "llvm.nvvm.d2f.rz"(%[[WIDE]])
// CHECK: %[[ODD:.*]] = llvm.or %{{.*}} : i32
// CHECK: %[[FLOAT:.*]] = llvm.bitcast %[[ODD]] : i32 to f32
// CHECK: llvm.fptrunc %[[FLOAT]] : f32 to bf16
// CHECK: llvm.uitofp %{{.*}} : i64 to f64
// CHECK: llvm.sitofp %{{.*}} : i16 to bf16
func.func @integers_to_bf16(%p: !tile.ptr<bf16>, %x: i32, %y: i64, %z: i16) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_80"} {
  %a = arith.sitofp %x : i32 to bf16
  %b = arith.uitofp %y : i64 to bf16
  %c = arith.sitofp %z : i16 to bf16
  %d = arith.addf %a, %b : bf16
  %e = arith.addf %d, %c : bf16
  tile_gpu.store_global %p, %e : <bf16>, bf16
  return
}

// -----

// CHECK-LABEL: llvm.func @integers_to_bf16_in_one
// CHECK: llvm.sitofp %{{.*}} : i32 to bf16
func.func @integers_to_bf16_in_one(%p: !tile.ptr<bf16>, %x: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %a = arith.sitofp %x : i32 to bf16
  tile_gpu.store_global %p, %a : <bf16>, bf16
  return
}

// -----

// Of shuffled values that nobody uses nothing is left, nor of what only they need.
// CHECK-LABEL: llvm.func @unused_shuffles
// CHECK: nvvm.shfl.sync
// CHECK-NOT: nvvm.shfl.sync
func.func @unused_shuffles(%p: !tile.ptr<i32>, %x: i32, %lane: i32, %c: i1) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %all = arith.constant -1 : i32
  %last = arith.constant 31 : i32
  %a = nvvm.shfl.sync idx %all, %x, %lane, %last : i32 -> i32
  %b = nvvm.shfl.sync idx %all, %lane, %x, %last : i32 -> i32
  %d = arith.select %c, %a, %b : i32
  %e = nvvm.shfl.sync idx %all, %d, %lane, %last : i32 -> i32
  tile_gpu.store_global %p, %a : !tile.ptr<i32>, i32
  return
}

// -----

// Tensor maps are parameters behind the kernel's own, one for equal ones, that the launcher encodes: what of stands in the
// module, the fastest axis first. Bytes are bytes to the engine, whatever they mean.
// CHECK: module attributes {
// CHECK-NOT: tile_gpu.persistent
// CHECK-SAME: tile_gpu.tensor_maps = [
// CHECK-SAME: {base = 0 : i64, box = array<i32: 64, 128>, element = "f16", nan, sizes = [{parameter = 3 : i64}, {parameter = 2 : i64}], strides = [{parameter = 2 : i64}], swizzle = 128 : i32},
// CHECK-SAME: {anchored, base = 1 : i64, box = array<i32: 64, 64, 1>, element = "u8", sizes = [64, {parameter = 3 : i64}, 8], strides = [64, 4096], swizzle = 64 : i32, written},
// CHECK-SAME: {base = 0 : i64, box = array<i32: 32, 64>, element = "i32", sizes = [64, 64], strides = [64], swizzle = 128 : i32}]
// CHECK: llvm.func @maps(%{{[^,]*}}: !llvm.ptr<1>, %{{[^,]*}}: !llvm.ptr<1>, %{{[^,]*}}: i64, %{{[^,]*}}: i32, %[[A:[^,]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %[[B:[^,]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}, %[[C:[^,]*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant})
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[A]],
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[A]],
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[B]],
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %[[C]],
func.func @maps(%p: !tile.ptr<f16>, %q: !tile.ptr<f8E4M3FN>, %m: i64, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.target = "sm_90a", tile_gpu.shared_bytes = 1024 : i64} {
  %a = tile_gpu.tensor_map of 0 extents [#tile_gpu.argument<2>, #tile_gpu.argument<3>] strides [#tile_gpu.argument<2>] box [128, 64] of f16 swizzle 128 nan : !llvm.ptr
  %same = tile_gpu.tensor_map of 0 extents [#tile_gpu.argument<2>, #tile_gpu.argument<3>] strides [#tile_gpu.argument<2>] box [128, 64] of f16 swizzle 128 nan : !llvm.ptr
  %b = tile_gpu.tensor_map of 1 extents [8, #tile_gpu.argument<3>, 64] strides [4096, 64] box [1, 64, 64] of f8E4M3FN swizzle 64 written anchored : !llvm.ptr
  %c = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 32] of i32 swizzle 128 : !llvm.ptr
  %s = tile_gpu.shared offset 0 : !llvm.ptr<3>
  nvvm.cp.async.bulk.tensor.global.shared.cta %a, %s, box[%n, %n] : !llvm.ptr, !llvm.ptr<3>
  nvvm.cp.async.bulk.tensor.global.shared.cta %same, %s, box[%n, %n] : !llvm.ptr, !llvm.ptr<3>
  nvvm.cp.async.bulk.tensor.global.shared.cta %b, %s, box[%n, %n, %n] : !llvm.ptr, !llvm.ptr<3>
  nvvm.cp.async.bulk.tensor.global.shared.cta %c, %s, box[%n, %n] : !llvm.ptr, !llvm.ptr<3>
  return
}

// -----

// A kernel whose CTAs run several programs each takes the grid that was asked for in three more parameters, behind the maps;
// clusters count along x.
// CHECK: module attributes {
// CHECK-SAME: tile_gpu.persistent
// CHECK: llvm.func @persistent(%{{[^,]*}}: !llvm.ptr<1>, %{{[^,]*}}: !llvm.ptr {{{[^}]*}}}, %[[X:[^,]*]]: i32, %[[Y:[^,]*]]: i32, %[[Z:[^,]*]]: i32)
// CHECK-DAG: nvvm.read.ptx.sreg.clusterid.x
// CHECK-DAG: nvvm.read.ptx.sreg.nclusterid.x
// CHECK-NOT: nvvm.read.ptx.sreg.nctaid
// CHECK: llvm.add %[[X]], %[[Y]]
// CHECK: llvm.add %{{.*}}, %[[Z]]
func.func @persistent(%p: !tile.ptr<i32>) attributes {tile.kernel, tile.num_warps = 4 : i32, tile_gpu.target = "sm_90a", tile_gpu.shared_bytes = 1024 : i64} {
  %a = tile_gpu.tensor_map of 0 extents [64, 64] strides [64] box [64, 32] of i32 swizzle 128 : !llvm.ptr
  %s = tile_gpu.shared offset 0 : !llvm.ptr<3>
  %first = tile_gpu.cta_id
  %step = tile_gpu.cta_count
  nvvm.cp.async.bulk.tensor.global.shared.cta %a, %s, box[%first, %step] : !llvm.ptr, !llvm.ptr<3>
  %x = tile.num_programs x
  %y = tile.num_programs y
  %z = tile.num_programs z
  %xy = arith.addi %x, %y : i32
  %xyz = arith.addi %xy, %z : i32
  tile_gpu.store_global %p, %xyz : !tile.ptr<i32>, i32
  return
}
