// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-to-ptx -split-input-file | FileCheck %s

!two = !llvm.struct<(i32, i32)>
!four = !llvm.struct<(f32, f32, f32, f32)>
!sums = !llvm.struct<(i32, i32, i32, i32)>

// Accumulators are tied: result i is operand i. What is not tied comes behind both.
// CHECK-LABEL: llvm.func @types(
// CHECK: llvm.inline_asm has_side_effects{{.*}} "{ .reg .pred adds; setp.eq.b32 adds, 0, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, adds, 1, 1, 0, 0; }", "=f,=f,=f,=f,0,1,2,3,l,l,~{memory}"
// CHECK: "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $8, $9, $10, -1, 1, 1, 0;", "=f,=f,=f,=f,0,1,2,3,l,l,b,~{memory}"
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, adds, 1, -1, 0, 1; }
// CHECK: wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, $8, $9, adds, 1, 1; }
// CHECK: wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {$0, $1, $2, $3}, $8, $9, adds, 1, 1; }
// CHECK: wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8 {$0, $1, $2, $3}, $8, $9, adds; }", "=r,=r,=r,=r,0,1,2,3,l,l,~{memory}"
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16 {$0, $1}, $4, $5, adds, 1, 1, 0, 0; }", "=r,=r,0,1,l,l,~{memory}"
// CHECK: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, adds, 1, 1, 1; }", "=f,=f,=f,=f,0,1,2,3,r,r,r,r,l,~{memory}"
// CHECK: wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {$0, $1, $2, $3}, {$8, $9, $10, $11}, $12, adds, 1, 1; }
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @types(%a: i64, %b: i64, %r: i32, %c: !four, %s: !sums, %h: !two, %p: i1) {
    %0 = tile_gpu.ptx_wgmma [%a] * %b onto %c {n = 8 : i32, type_a = f16, type_b = f16} : !four, i64
    %1 = tile_gpu.ptx_wgmma [%a] * %b onto %c if %p {n = 8 : i32, negate_a, transpose_a, type_a = bf16, type_b = bf16} : !four, i64
    %2 = tile_gpu.ptx_wgmma [%a] * %b onto %c {n = 8 : i32, negate_b, transpose_b, type_a = f16, type_b = f16} : !four, i64
    %3 = tile_gpu.ptx_wgmma [%a] * %b onto %c {n = 8 : i32, type_a = tf32, type_b = tf32} : !four, i64
    %4 = tile_gpu.ptx_wgmma [%a] * %b onto %c {n = 8 : i32, type_a = f8E4M3FN, type_b = f8E5M2} : !four, i64
    %5 = tile_gpu.ptx_wgmma [%a] * %b onto %s {n = 8 : i32, type_a = si8, type_b = ui8} : !sums, i64
    %6 = tile_gpu.ptx_wgmma [%a] * %b onto %h {n = 8 : i32, type_a = f16, type_b = f16} : !two, i64
    %7 = tile_gpu.ptx_wgmma [%r, %r, %r, %r] * %b onto %c {n = 8 : i32, transpose_b, type_a = f16, type_b = f16} : !four, i32, i32, i32, i32
    %8 = tile_gpu.ptx_wgmma [%r, %r, %r, %r] * %b onto %c {n = 8 : i32, type_a = tf32, type_b = tf32} : !four, i32, i32, i32, i32
    nvvm.wgmma.commit.group.sync.aligned
    tile_gpu.ptx_wgmma_wait 0
    llvm.return
  }
}

// -----

// The wait ties the accumulators of both products; without any it is the wait alone.
// CHECK-LABEL: llvm.func @wait(
// CHECK: "wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,=r,=r,0,1,2,3,4,5,~{memory}"
// CHECK: "wgmma.wait_group.sync.aligned 0;", "~{memory}"
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @wait(%c: !llvm.struct<(f32, f32, f32, f32)>, %h: !llvm.struct<(i32, i32)>) {
    %0:2 = tile_gpu.ptx_wgmma_wait 1 for %c, %h : !llvm.struct<(f32, f32, f32, f32)>, !llvm.struct<(i32, i32)>
    tile_gpu.ptx_wgmma_wait 0
    llvm.return
  }
}

// -----

// What is written to registers stays before the fence: constants, and operands that are computed.
// CHECK-LABEL: llvm.func @registers(
// CHECK: llvm.mlir.zero
// CHECK: llvm.add
// CHECK: llvm.inline_asm has_side_effects{{.*}} "", "=f,=f,=f,=f,0,1,2,3,~{memory}"
// CHECK: llvm.inline_asm has_side_effects{{.*}} "", "=r,0,~{memory}"
// CHECK: nvvm.wgmma.fence.aligned
// CHECK-NOT: ""
// CHECK: wgmma.mma_async
// CHECK: wgmma.mma_async
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @registers(%b: i64, %r: i32) {
    %zero = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    %s = llvm.add %r, %r : i32
    nvvm.wgmma.fence.aligned
    %0 = tile_gpu.ptx_wgmma [%s, %r, %r, %r] * %b onto %zero {n = 8 : i32, type_a = f16, type_b = f16} : !llvm.struct<(f32, f32, f32, f32)>, i32, i32, i32, i32
    %1 = tile_gpu.ptx_wgmma [%r, %r, %r, %r] * %b onto %0 {n = 8 : i32, type_a = f16, type_b = f16} : !llvm.struct<(f32, f32, f32, f32)>, i32, i32, i32, i32
    nvvm.wgmma.commit.group.sync.aligned
    tile_gpu.ptx_wgmma_wait 0
    llvm.return
  }
}

// -----

// What is computed before a loop that leaves a product on its way, and wanted behind the wait alone, is computed there,
// with what is assumed of it: of values that no pass can know before. What the loop reads, and what is computed before
// the loop around, stay.
// CHECK-LABEL: llvm.func @behind(
// CHECK: %[[EARLY:.*]] = llvm.add %{{.*}}, %{{.*}} : i32
// CHECK: ^bb1(%[[TILE:.*]]: i32):
// CHECK-NEXT: %[[READ:.*]] = llvm.mul %[[TILE]], %[[EARLY]] : i32
// CHECK-NEXT: llvm.br ^bb2
// CHECK: ^bb3:
// CHECK-NOT: llvm.sdiv
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: %[[KEPT:.*]] = llvm.inline_asm has_side_effects{{.*}} "", "=r,0,~{memory}" %[[READ]]
// CHECK: %[[ROWS:.*]] = llvm.inline_asm has_side_effects{{.*}} "", "=r,0,~{memory}" %[[EARLY]]
// CHECK-NEXT: %[[ROW:.*]] = llvm.sdiv %[[KEPT]], %[[ROWS]] : i32
// CHECK-NEXT: %[[IS:.*]] = llvm.icmp "sge" %[[ROW]], %{{.*}} : i32
// CHECK-NEXT: llvm.intr.assume %[[IS]]
// CHECK: llvm.store %[[ROW]]
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @behind(%a: i64, %n: i32, %place: !llvm.ptr) {
    %none = llvm.mlir.zero : !llvm.struct<(f32, f32, f32, f32)>
    %zero = llvm.mlir.constant(0 : i32) : i32
    %early = llvm.add %n, %n : i32
    llvm.br ^bb1(%n : i32)
  ^bb1(%tile: i32):
    %read = llvm.mul %tile, %early : i32
    %row = llvm.sdiv %read, %early : i32
    %is = llvm.icmp "sge" %row, %zero : i32
    llvm.intr.assume %is : i1
    llvm.br ^bb2(%zero, %none : i32, !llvm.struct<(f32, f32, f32, f32)>)
  ^bb2(%i: i32, %sums: !llvm.struct<(f32, f32, f32, f32)>):
    %next = llvm.add %i, %read : i32
    %more = llvm.icmp "slt" %next, %n : i32
    nvvm.wgmma.fence.aligned
    %sum = tile_gpu.ptx_wgmma [%a] * %a onto %sums {n = 8 : i32, type_a = f16, type_b = f16} : !llvm.struct<(f32, f32, f32, f32)>, i64
    nvvm.wgmma.commit.group.sync.aligned
    llvm.cond_br %more, ^bb2(%next, %sum : i32, !llvm.struct<(f32, f32, f32, f32)>), ^bb3
  ^bb3:
    %over = tile_gpu.ptx_wgmma_wait 0 for %sum : !llvm.struct<(f32, f32, f32, f32)>
    llvm.store %row, %place : i32, !llvm.ptr
    %again = llvm.icmp "slt" %tile, %n : i32
    llvm.cond_br %again, ^bb1(%next : i32), ^bb4
  ^bb4:
    llvm.return
  }
}

// -----

// In a kernel with such products, addresses of shared memory that are known at run time alone are sums of the low
// bits of its base, the offset and the high bits. Assembly text keeps LLVM from putting both together again. Addresses
// that are constants, and those of other accesses, stay as they are.
// CHECK-LABEL: llvm.func @addresses(
// CHECK: %[[LOW:.*]] = llvm.inline_asm {{.*}}"mov.u32 $0, tile_shared; and.b32 $0, $0, 262143;", "=r"
// CHECK: %[[BASE:.*]] = llvm.inline_asm {{.*}}"mov.u32 $0, tile_shared;", "=r"
// CHECK: %[[HIGH:.*]] = llvm.and %[[BASE]], %{{.*}}
// CHECK: %[[AT:.*]] = llvm.add %[[LOW]], %[[SLOT:[a-z0-9]+]] : i32
// CHECK: %[[BEHIND:.*]] = llvm.add %[[AT]], %{{.*}}
// CHECK: %[[ADDRESS:.*]] = llvm.add %[[BEHIND]], %[[HIGH]]
// CHECK: llvm.and %[[ADDRESS]], %{{.*}}
// CHECK: llvm.ptrtoint
// CHECK: %[[SHORT:.*]] = llvm.trunc %{{.*}} : i64 to i32
// CHECK: llvm.add %[[LOW]], %[[SHORT]]
// CHECK: %[[BARRIER:.*]] = llvm.inttoptr %{{.*}} : i32 to !llvm.ptr<3>
// CHECK: nvvm.mbarrier.try_wait.parity %[[BARRIER]],
// CHECK: llvm.store %{{.*}}, %{{.*}} : i32, !llvm.ptr<3>
// CHECK-LABEL: llvm.func @no_products(
// CHECK-NOT: inline_asm
// CHECK: llvm.ptrtoint
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.mlir.global external @tile_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
  llvm.func @addresses(%slot: i32, %far: i64, %parity: i32, %ticks: i32, %out: !llvm.ptr<1>) {
    nvvm.wgmma.fence.aligned
    %bits = llvm.mlir.constant(262143 : i32) : i32
    %base = llvm.mlir.addressof @tile_shared : !llvm.ptr<3>
    %first = llvm.getelementptr %base[4096] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %place = llvm.getelementptr %first[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %address = llvm.ptrtoint %place : !llvm.ptr<3> to i32
    %masked = llvm.and %address, %bits : i32
    %constant = llvm.ptrtoint %first : !llvm.ptr<3> to i32
    %barrier = llvm.getelementptr %base[%far] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, i8
    nvvm.mbarrier.try_wait.parity %barrier, %parity, %ticks : !llvm.ptr<3>, i32, i32
    llvm.store %parity, %place : i32, !llvm.ptr<3>
    llvm.store %masked, %out : i32, !llvm.ptr<1>
    llvm.store %constant, %out : i32, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @no_products(%slot: i32) -> i32 {
    %base = llvm.mlir.addressof @tile_shared : !llvm.ptr<3>
    %place = llvm.getelementptr %base[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %address = llvm.ptrtoint %place : !llvm.ptr<3> to i32
    llvm.return %address : i32
  }
}
