// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-to-ptx -split-input-file | FileCheck %s

// A load's result is what stands in its place first.
// CHECK-LABEL: llvm.func @accesses(
// CHECK: llvm.inline_asm has_side_effects{{.*}} "mov.b32 $0, $4; mov.b32 $1, $5; @$3 ld.global.cg.v2.b32 {$0, $1}, [$2];", "=&r,=&r,l,b,r,r"
// CHECK: llvm.inline_asm has_side_effects{{.*}} "@$2 st.global.b32 [$0], $1;", "l,r,b"
// A byte travels in 16 bits.
// CHECK: llvm.zext %{{.*}} : i8 to i16
// CHECK: llvm.inline_asm has_side_effects{{.*}} "mov.b16 $0, $3; @$2 ld.global.b8 $0, [$1];", "=&h,l,b,h"
// CHECK: llvm.inline_asm has_side_effects{{.*}} "ld.volatile.global.b32 $0, [$1];"
// One hint of two.
// CHECK: "ld.global.L1::evict_last.b32 $0, [$1];"
// CHECK: "ld.global.cg.b32 $0, [$1];"
// CHECK: "st.global.L1::evict_first.b32 [$0], $1;"
// CHECK: "st.global.cs.b32 [$0], $1;"
module attributes {tile_gpu.target = "sm_90"} {
  llvm.func @accesses(%p: !llvm.ptr<1>, %w: i32, %b: i8, %c: i1) {
    %0:2 = tile_gpu.ptx_load %p if %c else %w, %w : i32, i32 {cache = #tile.cache<cg>} : (!llvm.ptr<1>) -> (i32, i32)
    tile_gpu.ptx_store %p, %0#1 if %c : !llvm.ptr<1>, i32
    %1 = tile_gpu.ptx_load %p if %c else %b : i8 : (!llvm.ptr<1>) -> (i8)
    %2 = tile_gpu.ptx_load %p {is_volatile, cache = #tile.cache<cg>} : (!llvm.ptr<1>) -> (i32)
    %3 = tile_gpu.ptx_load %p {cache = #tile.cache<ca>, evict = #tile.evict<last>} : (!llvm.ptr<1>) -> (i32)
    %4 = tile_gpu.ptx_load %p {cache = #tile.cache<cg>, evict = #tile.evict<last>} : (!llvm.ptr<1>) -> (i32)
    tile_gpu.ptx_store %p, %w {cache = #tile.cache<wb>, evict = #tile.evict<first>} : !llvm.ptr<1>, i32
    tile_gpu.ptx_store %p, %w {cache = #tile.cache<cs>, evict = #tile.evict<first>} : !llvm.ptr<1>, i32
    llvm.return
  }
}

// -----

// CHECK-LABEL: llvm.func @updates(
// CHECK: "mov.b32 $0, 0; @$3 atom.relaxed.gpu.global.add.f32 $0, [$1], $2;", "=&r,l,r,b,~{memory}"
// CHECK: "atom.acq_rel.sys.global.add.noftz.bf16 $0, [$1], $2;", "=&h,l,h,~{memory}"
// Floats order as signed integers if the value is positive, the other way round if not.
// CHECK: "{ .reg .pred pos, neg; setp.ge.s32 pos, $2, 0; setp.lt.s32 neg, $2, 0; @pos atom.relaxed.gpu.global.max.s32 $0, [$1], $2; @neg atom.relaxed.gpu.global.min.u32 $0, [$1], $2; }"
// CHECK: "atom.acquire.cta.global.cas.b32 $0, [$1], $2, $3;", "=&r,l,r,r,~{memory}"
// CHECK: llvm.inline_asm "shl.b64 $0, $1, $2;", "=l,l,r"
// CHECK: llvm.inline_asm "shr.u64 $0, $1, $2;", "=l,l,r"
// CHECK: llvm.inline_asm "shr.s64 $0, $1, $2;", "=l,l,r"
module attributes {tile_gpu.target = "sm_90"} {
  llvm.func @updates(%p: !llvm.ptr<1>, %w: i32, %h: i16, %x: i64, %c: i1) {
    %0 = tile_gpu.ptx_atomic <fadd> %p, %w of f32 if %c ordering <relaxed> scope <gpu> : !llvm.ptr<1>, i32
    %1 = tile_gpu.ptx_atomic <fadd> %p, %h of bf16 ordering <acq_rel> scope <sys> : !llvm.ptr<1>, i16
    %2 = tile_gpu.ptx_atomic <fmax> %p, %w of f32 ordering <relaxed> scope <gpu> : !llvm.ptr<1>, i32
    %3 = tile_gpu.ptx_swap %p, %w, %w ordering <acquire> scope <cta> : !llvm.ptr<1>, i32
    %4 = tile_gpu.ptx_shift_left %x, %w : i64, i32
    %5 = tile_gpu.ptx_shift_right %x, %w : i64, i32
    %6 = tile_gpu.ptx_shift_right %x, %w {is_signed} : i64, i32
    llvm.return
  }
}

// -----

// Several floats at once; a word has two of 16 bits.
// CHECK-LABEL: llvm.func @adds(
// CHECK: "@$5 red.relaxed.gpu.global.add.v4.f32 [$0], {$1, $2, $3, $4};", "l,r,r,r,r,b,~{memory}"
// CHECK: "red.relaxed.cta.global.add.noftz.f16x2 [$0], $1;", "l,r,~{memory}"
// CHECK: "red.relaxed.sys.global.add.noftz.v2.bf16x2 [$0], {$1, $2};", "l,r,r,~{memory}"
module attributes {tile_gpu.target = "sm_90"} {
  llvm.func @adds(%p: !llvm.ptr<1>, %w: i32, %c: i1) {
    tile_gpu.ptx_add %p, %w, %w, %w, %w of f32 if %c scope <gpu> : !llvm.ptr<1>, i32, i32, i32, i32
    tile_gpu.ptx_add %p, %w of f16 scope <cta> : !llvm.ptr<1>, i32
    tile_gpu.ptx_add %p, %w, %w of bf16 scope <sys> : !llvm.ptr<1>, i32, i32
    llvm.return
  }
}

// -----

// Before sm_90 no instruction adds bf16.
// CHECK-LABEL: llvm.func @older(
// CHECK: retry: fma.rn.bf16 sum, seen, one, $2; atom.relaxed.gpu.global.cas.b16
module attributes {tile_gpu.target = "sm_80"} {
  llvm.func @older(%p: !llvm.ptr<1>, %h: i16) {
    %0 = tile_gpu.ptx_atomic <fadd> %p, %h of bf16 ordering <relaxed> scope <gpu> : !llvm.ptr<1>, i16
    llvm.return
  }
}

// -----

// A print is a record in memory that the host reads: the number of its format, and so many words of values.
// CHECK: tile_gpu.formats = ["x %d\0A", "%g %d\0A", "here\0A"]
// CHECK-NOT: vprintf
// CHECK-NOT: @tile_format
// CHECK: llvm.mlir.global external @tile_prints(dense<0> : tensor<3xi64>) {addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<3 x i64>
// CHECK: llvm.func internal @tile_print(%{{.*}}: i32, %{{.*}}: !llvm.ptr, %{{.*}}: i32)
// CHECK: llvm.atomicrmw add %{{.*}}, %{{.*}} monotonic : !llvm.ptr<1>, i64
// CHECK-LABEL: llvm.func @prints(
// CHECK: llvm.call @tile_print({{.*}}) : (i32, !llvm.ptr, i32) -> ()
// Padding before the f64 counts.
// CHECK: llvm.mlir.constant(4 : i32)
// CHECK-NEXT: llvm.call @tile_print(
// CHECK: llvm.call @tile_print(
// CHECK: llvm.call @tile_print(
module attributes {tile_gpu.target = "sm_90"} {
  llvm.mlir.global internal constant @tile_format_0("x %d\0A\00")
  llvm.mlir.global internal constant @tile_format_1("%g %d\0A\00")
  llvm.mlir.global internal constant @tile_format_2("here\0A\00")
  llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  llvm.func @prints(%x: i32, %y: f64) {
    %one = llvm.mlir.constant(1 : i32) : i32
    %a = llvm.alloca %one x !llvm.struct<(i32)> : (i32) -> !llvm.ptr
    %b = llvm.alloca %one x !llvm.struct<(i32, f64)> : (i32) -> !llvm.ptr
    %none = llvm.mlir.zero : !llvm.ptr
    llvm.store %x, %a : i32, !llvm.ptr
    %f0 = llvm.mlir.addressof @tile_format_0 : !llvm.ptr
    %0 = llvm.call @vprintf(%f0, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    %f1 = llvm.mlir.addressof @tile_format_1 : !llvm.ptr
    %1 = llvm.call @vprintf(%f1, %b) : (!llvm.ptr, !llvm.ptr) -> i32
    %f2 = llvm.mlir.addressof @tile_format_2 : !llvm.ptr
    %2 = llvm.call @vprintf(%f2, %none) : (!llvm.ptr, !llvm.ptr) -> i32
    %f3 = llvm.mlir.addressof @tile_format_0 : !llvm.ptr
    %3 = llvm.call @vprintf(%f3, %a) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
}

// -----

// CHECK-LABEL: llvm.func @tensor_maps(
// CHECK: %[[S:.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK: "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [$0], $1;", "r,l,~{memory}" %[[S]], %{{.*}} :
// CHECK: "tensormap.replace.tile.box_dim.global.b1024.b32 [$0], 1, $1;", "l,r,~{memory}"
// CHECK: "tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [$0], 1;", "r,~{memory}"
// CHECK: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], 128;", "l,r,~{memory}"
// CHECK: "{ .reg .b64 a, b, c, d; ld.v2.b64 {a, b}, [$0+0]; ld.v2.b64 {c, d}, [$0+16]; st.global.v2.b64 [$1+0], {a, b}; st.global.v2.b64 [$1+16], {c, d};
// CHECK-SAME: ld.v2.b64 {c, d}, [$0+112]; st.global.v2.b64 [$1+96], {a, b}; st.global.v2.b64 [$1+112], {c, d}; }", "l,l,~{memory}"
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @tensor_maps(%s: !llvm.ptr<3>, %g: !llvm.ptr<1>, %x: i64, %n: i32, %p: !llvm.ptr) {
    tile_gpu.ptx_map_replace "global_address" of %s with %x : !llvm.ptr<3>, i64
    tile_gpu.ptx_map_replace "box_dim" 1 of %g with %n : !llvm.ptr<1>, i32
    tile_gpu.ptx_map_replace "fill_mode" of %s to 1 : !llvm.ptr<3>
    tile_gpu.ptx_map_publish %s to %g : !llvm.ptr<3>, !llvm.ptr<1>
    tile_gpu.ptx_map_copy %p to %g : !llvm.ptr, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// LLVM has intrinsics for what nvvm.mma.sync lacks.
// CHECK-LABEL: llvm.func @products_of_bytes(
// CHECK: llvm.call_intrinsic "llvm.nvvm.mma.m16n8k32.row.col.f32.e5m2.e4m3.f32"({{.*}}) : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
module attributes {tile_gpu.target = "sm_89"} {
  llvm.func @products_of_bytes(%w: i32, %c: f32) {
    %0 = tile_gpu.ptx_mma [%w, %w, %w, %w] * [%w, %w] onto [%c, %c, %c, %c] {type_a = f8E5M2, type_b = f8E4M3FN} : !llvm.struct<(f32, f32, f32, f32)>
    llvm.return
  }
}
