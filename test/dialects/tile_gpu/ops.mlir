// SPDX-License-Identifier: MIT
// RUN: tile-opt %s | tile-opt | FileCheck %s
// RUN: tile-opt %s --mlir-print-op-generic | tile-opt | FileCheck %s
// RUN: tile-opt %s --emit-bytecode | tile-opt | FileCheck %s
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
#reversed = #tile_gpu.layout<register = [], lane = [[16], [8], [4], [2], [1]], warp = [], block = [], repeats = [1]>

// CHECK-LABEL: func.func @convert(
// CHECK: tile_gpu.convert_layout %{{.*}} : tensor<32xf16, #{{.*}}> -> tensor<32xf16, #{{.*}}>
func.func @convert(%x: tensor<32xf16, #lanes>) -> tensor<32xf16, #reversed> {
  %0 = tile_gpu.convert_layout %x : tensor<32xf16, #lanes> -> tensor<32xf16, #reversed>
  return %0 : tensor<32xf16, #reversed>
}

// CHECK-LABEL: func.func @loads(
// CHECK: tile_gpu.load_global %{{.*}} : (<f32>) -> (f32)
// CHECK: tile_gpu.load_global %{{.*}} if %{{.*}} : (<f32>) -> (f32, f32)
// CHECK: tile_gpu.load_global %{{.*}} if %{{.*}} else %{{.*}}, %{{.*}} : f32, f32 {cache = #tile{{.*}}, is_volatile} : (<f32>) -> (f32, f32)
func.func @loads(%p: !tile.ptr<f32>, %c: i1, %x: f32) {
  %0 = tile_gpu.load_global %p : (!tile.ptr<f32>) -> (f32)
  %1:2 = tile_gpu.load_global %p if %c : (!tile.ptr<f32>) -> (f32, f32)
  %2:2 = tile_gpu.load_global %p if %c else %x, %x : f32, f32 {cache = #tile.cache<cg>, is_volatile} : (!tile.ptr<f32>) -> (f32, f32)
  return
}

// CHECK-LABEL: func.func @stores(
// CHECK: tile_gpu.store_global %{{.*}}, %{{.*}} : <i1>, i1
// CHECK: tile_gpu.store_global %{{.*}}, %{{.*}}, %{{.*}} if %{{.*}} {evict = #tile{{.*}}} : <i1>, i1, i1
func.func @stores(%p: !tile.ptr<i1>, %c: i1) {
  tile_gpu.store_global %p, %c : !tile.ptr<i1>, i1
  tile_gpu.store_global %p, %c, %c if %c {evict = #tile.evict<first>} : !tile.ptr<i1>, i1, i1
  return
}


#rows = #tile_gpu.layout<register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = [], repeats = [1, 1]>
#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], repeats = [1, 1]>
#across = #tile_gpu.layout<shared offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [0, 4], [0, 8]], repeats = [1, 1]>
!ring = !tile_gpu.channel<3 x (tensor<16x16xf16, #shared>)>

// CHECK-LABEL: func.func @channels(
// CHECK: %[[C:.*]] = tile_gpu.channel : <3 x(tensor<16x16xf16, #{{.*}}>)>
// CHECK: %[[FIRST:.*]] = tile_gpu.cursor 0 : <3>
// CHECK: %[[SLOT:.*]] = tile_gpu.acquire %[[C]][%[[FIRST]]] : <3 x
// CHECK: tile_gpu.copy %{{.*}} to %[[SLOT]] tile 0 async 8 mask %{{.*}} if %{{.*}} : tensor<16x16x!tile.ptr<f16>, #{{.*}}>, tensor<16x16xi1, #{{.*}}>
// CHECK: tile_gpu.copy %{{.*}} to %[[SLOT]] tile 0 async 8 mask %{{.*}} inside %{{.*}} if %{{.*}} : tensor<16x16x!tile.ptr<f16>, #{{.*}}>, tensor<16x16xi1, #{{.*}}> inside tensor<16x16xi32, #{{.*}}>
// CHECK: tile_gpu.copy %{{.*}} to %[[SLOT]] tile 0 : tensor<16x16x!tile.ptr<f16>, #{{.*}}>
// CHECK: tile_gpu.put %{{.*}} to %[[SLOT]] tile 0 : tensor<16x16xf16, #{{.*}}>
// CHECK: tile_gpu.commit %[[SLOT]]
// CHECK: tile_gpu.advance %[[FIRST]] : <3>
// CHECK: %[[LEASE:.*]] = tile_gpu.wait %[[C]][%[[FIRST]]] : <3 x
// CHECK: %[[VIEW:.*]] = tile_gpu.view %[[LEASE]] tile 0 : tensor<16x16xf16, #{{.*}}>
// CHECK: tile_gpu.read %[[VIEW]] : tensor<16x16xf16, #{{.*}}> -> tensor<16x16xf16, #{{.*}}>
// CHECK: tile_gpu.release %[[LEASE]]
// CHECK: tile_gpu.drain %[[C]] : <3 x
func.func @channels(%p: tensor<16x16x!tile.ptr<f16>, #rows>, %y: tensor<16x16xf16, #rows>, %m: tensor<16x16xi1, #rows>, %n: tensor<16x16xi32, #rows>, %c: i1) -> tensor<16x16xf16, #rows> {
  %channel = tile_gpu.channel : !ring
  %first = tile_gpu.cursor 0 : !tile_gpu.cursor<3>
  %slot = tile_gpu.acquire %channel[%first] : !ring
  tile_gpu.copy %p to %slot tile 0 async 8 mask %m if %c : tensor<16x16x!tile.ptr<f16>, #rows>, tensor<16x16xi1, #rows>
  tile_gpu.copy %p to %slot tile 0 async 8 mask %m inside %n if %c : tensor<16x16x!tile.ptr<f16>, #rows>, tensor<16x16xi1, #rows> inside tensor<16x16xi32, #rows>
  tile_gpu.copy %p to %slot tile 0 : tensor<16x16x!tile.ptr<f16>, #rows>
  tile_gpu.put %y to %slot tile 0 : tensor<16x16xf16, #rows>
  tile_gpu.commit %slot
  %next = tile_gpu.advance %first : !tile_gpu.cursor<3>
  %lease = tile_gpu.wait %channel[%first] : !ring
  %v = tile_gpu.view %lease tile 0 : tensor<16x16xf16, #shared>
  %x = tile_gpu.read %v : tensor<16x16xf16, #shared> -> tensor<16x16xf16, #rows>
  tile_gpu.release %lease
  tile_gpu.drain %channel : !ring
  return %x : tensor<16x16xf16, #rows>
}

// A lease ends once, wherever that is: an iteration later, or in each branch.
// CHECK-LABEL: func.func @leases(
func.func @leases(%n: index, %c: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %channel = tile_gpu.channel : !ring
  %first = tile_gpu.cursor 0 : !tile_gpu.cursor<3>
  %lease = tile_gpu.wait %channel[%first] : !ring
  // CHECK: scf.for {{.*}} -> (!tile_gpu.lease, !tile_gpu.cursor<3>)
  %last, %end = scf.for %i = %c0 to %n step %c1 iter_args(%before = %lease, %now = %first) -> (!tile_gpu.lease, !tile_gpu.cursor<3>) {
    %next = tile_gpu.advance %now : !tile_gpu.cursor<3>
    %this = tile_gpu.wait %channel[%next] : !ring
    tile_gpu.release %before
    scf.yield %this, %next : !tile_gpu.lease, !tile_gpu.cursor<3>
  }
  // CHECK: scf.if
  %kept = scf.if %c -> (!tile_gpu.lease) {
    scf.yield %last : !tile_gpu.lease
  } else {
    tile_gpu.release %last
    %other = tile_gpu.wait %channel[%end] : !ring
    scf.yield %other : !tile_gpu.lease
  }
  // CHECK: scf.while
  %rest = scf.while (%at = %kept) : (!tile_gpu.lease) -> !tile_gpu.lease {
    scf.condition(%c) %at : !tile_gpu.lease
  } do {
  ^bb0(%held: !tile_gpu.lease):
    scf.yield %held : !tile_gpu.lease
  }
  scf.if %c {
    tile_gpu.release %rest
  } else {
    %v = tile_gpu.view %rest tile 0 : tensor<16x16xf16, #shared>
    %t = tile.permute %v [1, 0] : tensor<16x16xf16, #shared> -> tensor<16x16xf16, #across>
    tile_gpu.release %rest
  }
  return
}

// CHECK-LABEL: func.func @copies(
// CHECK: tile_gpu.shared offset 4096 : <3>
// CHECK: tile_gpu.copy_global %{{.*}} to %{{.*}} bytes 16 if %{{.*}} : <f16>, <3>
// CHECK: tile_gpu.copy_global %{{.*}} to %{{.*}} bytes 16 inside %{{.*}} if %{{.*}} : <f16>, <3>
func.func @copies(%p: !tile.ptr<f16>, %c: i1, %n: i32) {
  %s = tile_gpu.shared offset 4096 : !llvm.ptr<3>
  tile_gpu.copy_global %p to %s bytes 16 if %c : !tile.ptr<f16>, !llvm.ptr<3>
  tile_gpu.copy_global %p to %s bytes 16 inside %n if %c : !tile.ptr<f16>, !llvm.ptr<3>
  return
}

// CHECK-LABEL: func.func @atomics(
// CHECK: tile_gpu.atomic_global <fadd> %{{.*}}, %{{.*}} if %{{.*}} ordering <relaxed> scope <gpu> : <f32>, f32
// CHECK: tile_gpu.swap_global %{{.*}}, %{{.*}}, %{{.*}} if %{{.*}} ordering <acq_rel> scope <gpu> : <i32>, i32
func.func @atomics(%p: !tile.ptr<f32>, %x: f32, %q: !tile.ptr<i32>, %e: i32, %c: i1) {
  %0 = tile_gpu.atomic_global <fadd> %p, %x if %c ordering <relaxed> scope <gpu> : !tile.ptr<f32>, f32
  %1 = tile_gpu.swap_global %q, %e, %e if %c ordering <acq_rel> scope <gpu> : !tile.ptr<i32>, i32
  return
}

// CHECK-LABEL: func.func @others(
// CHECK: tile_gpu.table dense<[3, 1, 2, 5]> : tensor<4xi32>[%{{.*}}] : i32
// CHECK: tile_gpu.fault_record : <i32>
// CHECK: tile_gpu.printf "x %d\0A"(%{{.*}}) : i32
func.func @others(%i: i32) {
  %0 = tile_gpu.table dense<[3, 1, 2, 5]> : tensor<4xi32>[%i] : i32
  %1 = tile_gpu.fault_record : !tile.ptr<i32>
  tile_gpu.printf "x %d\0A" (%0) : i32
  return
}

// CHECK-LABEL: func.func @of_ptx(
// CHECK: tile_gpu.ptx_load %{{.*}} if %{{.*}} else %{{.*}}, %{{.*}} : i32, i32 {cache = #tile.cache<cg>} : (<1>) -> (i32, i32)
// CHECK: tile_gpu.ptx_store %{{.*}}, %{{.*}}, %{{.*}} if %{{.*}} : <1>, i32, i32
// CHECK: tile_gpu.ptx_store_async %{{.*}}, %{{.*}} completes %{{.*}} : <7>, i32, <7>
// CHECK: tile_gpu.ptx_atomic <fadd> %{{.*}}, %{{.*}} of f32 if %{{.*}} ordering <relaxed> scope <gpu> : <1>, i32
// CHECK: tile_gpu.ptx_swap %{{.*}}, %{{.*}}, %{{.*}} if %{{.*}} ordering <acq_rel> scope <gpu> : <1>, i32
// CHECK: tile_gpu.ptx_shift_left %{{.*}}, %{{.*}} : i64, i32
// CHECK: tile_gpu.ptx_shift_right %{{.*}}, %{{.*}} {is_signed} : i64, i32
func.func @of_ptx(%p: !llvm.ptr<1>, %w: i32, %x: i64, %c: i1, %shared: !llvm.ptr<7>) {
  %0:2 = tile_gpu.ptx_load %p if %c else %w, %w : i32, i32 {cache = #tile.cache<cg>} : (!llvm.ptr<1>) -> (i32, i32)
  tile_gpu.ptx_store %p, %0#0, %0#1 if %c : !llvm.ptr<1>, i32, i32
  tile_gpu.ptx_store_async %shared, %w completes %shared : !llvm.ptr<7>, i32, !llvm.ptr<7>
  %1 = tile_gpu.ptx_atomic <fadd> %p, %w of f32 if %c ordering <relaxed> scope <gpu> : !llvm.ptr<1>, i32
  %2 = tile_gpu.ptx_swap %p, %w, %w if %c ordering <acq_rel> scope <gpu> : !llvm.ptr<1>, i32
  %3 = tile_gpu.ptx_shift_left %x, %w : i64, i32
  %4 = tile_gpu.ptx_shift_right %x, %w {is_signed} : i64, i32
  return
}

// CHECK-LABEL: func @matrices_of_a_warp
// CHECK: tile_gpu.ptx_mma[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] * [%{{.*}}, %{{.*}}] onto[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] {type_a = f8E4M3FN, type_b = f8E5M2} : !llvm.struct<(f32, f32, f32, f32)>
func.func @matrices_of_a_warp(%w: i32, %c: f32) {
  %0 = tile_gpu.ptx_mma [%w, %w, %w, %w] * [%w, %w] onto [%c, %c, %c, %c] {type_a = f8E4M3FN, type_b = f8E5M2} : !llvm.struct<(f32, f32, f32, f32)>
  return
}

// CHECK-LABEL: func @matrices(
// CHECK: tile_gpu.ptx_wgmma[%{{.*}}] * %{{.*}} onto %{{.*}} if %{{.*}} {n = 8 : i32, transpose_b, type_a = f16, type_b = f16} : !llvm.struct<(f32, f32, f32, f32)>, i64
// CHECK: tile_gpu.ptx_wgmma[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] * %{{.*}} onto %{{.*}} {n = 8 : i32, negate_a, type_a = f8E4M3FN, type_b = f8E5M2} : !llvm.struct<(f32, f32, f32, f32)>, i32, i32, i32, i32
// CHECK: tile_gpu.ptx_wgmma_wait 1 for %{{.*}} : !llvm.struct<(f32, f32, f32, f32)>
// CHECK: tile_gpu.ptx_compute_first %[[WORD:.*]], %[[WORD]]
// CHECK: tile_gpu.ptx_wgmma_wait 0
func.func @matrices(%a: i64, %r: i32, %b: i64, %c: !llvm.struct<(f32, f32, f32, f32)>, %p: i1) {
  %0 = tile_gpu.ptx_wgmma [%a] * %b onto %c if %p {n = 8 : i32, transpose_b, type_a = f16, type_b = f16} : !llvm.struct<(f32, f32, f32, f32)>, i64
  %1 = tile_gpu.ptx_wgmma [%r, %r, %r, %r] * %b onto %0 {n = 8 : i32, negate_a, type_a = f8E4M3FN, type_b = f8E5M2} : !llvm.struct<(f32, f32, f32, f32)>, i32, i32, i32, i32
  %2 = tile_gpu.ptx_wgmma_wait 1 for %1 : !llvm.struct<(f32, f32, f32, f32)>
  %word = arith.constant 5 : i32
  tile_gpu.ptx_compute_first %word, %word
  tile_gpu.ptx_wgmma_wait 0
  return
}

// CHECK-LABEL: func.func @roles(
// CHECK: tile_gpu.sync{{$}}
// CHECK: tile_gpu.roles warps 3 {
// CHECK-NEXT: tile_gpu.sync warps 3 from 0
// CHECK-NEXT: tile.store
// CHECK-NEXT: } warps 1 {
// CHECK-NEXT: } {note = "kept"}
// CHECK-NEXT: return
func.func @roles(%p: !tile.ptr<i32>, %x: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  tile_gpu.sync
  tile_gpu.roles warps 3 {
    tile_gpu.sync warps 3 from 0
    tile.store %p, %x : !tile.ptr<i32>
  } warps 1 {
  } {note = "kept"}
  return
}

// CHECK-LABEL: func.func @adds(
// CHECK: tile_gpu.add_global %{{.*}}, %{{.*}}, %{{.*}} if %{{.*}} scope <gpu> : <f16>, f16, f16
// CHECK: tile_gpu.ptx_add %{{.*}}, %{{.*}} of f16 if %{{.*}} scope <gpu> : <1>, i32
func.func @adds(%p: !tile.ptr<f16>, %x: f16, %c: i1, %q: !llvm.ptr<1>, %w: i32) {
  tile_gpu.add_global %p, %x, %x if %c scope <gpu> : !tile.ptr<f16>, f16, f16
  tile_gpu.ptx_add %q, %w of f16 if %c scope <gpu> : !llvm.ptr<1>, i32
  return
}
