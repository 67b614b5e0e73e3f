// SPDX-License-Identifier: MIT
// Where a trace stamps the clock: around waits, before what begins, and at both ends of the kernel.
// RUN: tile-opt %s --split-input-file --tile-gpu-stamp-clock | FileCheck %s

// CHECK: #[[BARRIER:.*]] = loc("k.cpp":3:5)
// CHECK: #[[LOAD:.*]] = loc("k.cpp":4:5)
// CHECK: module attributes {tile_gpu.stamps = {ctas = 16 : i32, list_bytes = 262144 : i32,
// CHECK-SAME: sites = {{\[\[}}"barrier", #[[BARRIER]], 0], ["global_load", #[[LOAD]], 0], ["mbarrier_wait",
// CHECK: llvm.mlir.global external @tile_clock(dense<-1> : tensor<9xi64>) {addr_space = 4 : i32, alignment = 16 : i64}
// CHECK-LABEL: llvm.func @waits(
// Declared before all other stamps. The first lane writes.
// CHECK-NEXT: llvm.inline_asm has_side_effects ".reg .pred tile_on; .reg .b32 tile_at, tile_lost, tile_begin, tile_end;{{.*}}and.b32 n, n, 31;{{.*}}st.global.v2.b32 [list], {cta, warp};{{.*}}mov.pred tile_on, on;
// Both times of a wait. What is stored behind it says whether the list is full.
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_begin, %clock;", ""
// CHECK-NEXT: nvvm.barrier0
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", ""
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}mov.b32 what, 2;{{.*}}@tile_on st.global.v4.b32 [to], {tile_begin, tile_end, what, what};{{.*}}@!tile_on add.u32 tile_lost, tile_lost, 1;{{.*}}and.b32 offset, tile_at, 262143; setp.ne.and.u32 tile_on, offset, 0, tile_on;
// Two loads, one stamp. What they give is waited for where it is used first.
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", ""
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}mov.b32 what, 4;{{.*}}st.global.v4.b32 [to], {tile_end, tile_end, what, what};
// CHECK-NEXT: tile_gpu.ptx_load
// CHECK-NEXT: tile_gpu.ptx_load
// With the mbarrier.
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_begin, %clock;", ""
// CHECK-NEXT: nvvm.mbarrier.try_wait.parity
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", ""
// CHECK-NEXT: [[AT:%.*]] = llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}mad.lo.u32 what, $0, 8192, 6;{{.*}}", "r" [[AT]]
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_begin, %clock;", ""
// CHECK-NEXT: [[WORD:%.*]] = llvm.zext %{{.*}} : i8 to i16
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}cvt.u32.u32 word, $0;{{.*}}cvt.u32.u16 word, $1;{{.*}}@never nanosleep.u32 0; }", "r,h" %{{[^,]*}}, [[WORD]]
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", ""
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}mov.b32 what, 8;{{.*}}st.global.v4.b32 [to], {tile_begin, tile_end, what, what};
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", ""
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}mov.b32 what, 10;{{.*}}st.global.v4.b32 [to], {tile_end, tile_end, what, what};
// CHECK-NEXT: tile_gpu.ptx_store
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}st.global.b32 [list+12], tile_lost;{{.*}}%globaltimer;{{.*}}%clock64;
// CHECK-NEXT: llvm.return
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @waits(%p: !llvm.ptr<1>, %bar: !llvm.ptr<3>, %phase: i32) attributes {nvvm.kernel} {
    nvvm.barrier0 loc("k.cpp":3:5)
    %x = tile_gpu.ptx_load %p : (!llvm.ptr<1>) -> (i32) loc("k.cpp":4:5)
    %y = tile_gpu.ptx_load %p : (!llvm.ptr<1>) -> (i8) loc("k.cpp":5:5)
    nvvm.mbarrier.try_wait.parity %bar, %phase, %phase : !llvm.ptr<3>, i32, i32
    tile_gpu.ptx_store %p, %x : !llvm.ptr<1>, i32
    llvm.return
  }
}

// -----

// Loads with arithmetic between them are one group: a wait for the first would keep the second behind it.
// CHECK-LABEL: llvm.func @loads(
// CHECK: llvm.inline_asm has_side_effects "{{.*}}mov.b32 what, 2;
// CHECK-NEXT: tile_gpu.ptx_load
// CHECK-NEXT: llvm.add
// CHECK-NEXT: llvm.load
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_begin, %clock;", ""
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}@never nanosleep
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", ""
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}mov.b32 what, 4;{{.*}}st.global.v4.b32 [to], {tile_begin, tile_end, what, what};
// CHECK-NEXT: llvm.add
// CHECK: nvvm.barrier0
// What another block uses is not awaited here.
// CHECK: llvm.inline_asm has_side_effects "{{.*}}mov.b32 what, 8;
// CHECK-NEXT: tile_gpu.ptx_load
// CHECK-NEXT: llvm.br
// CHECK-NOT: nanosleep
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @loads(%p: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %x = tile_gpu.ptx_load %p : (!llvm.ptr<1>) -> (i32)
    %0 = llvm.add %x, %x : i32
    %y = llvm.load %p : !llvm.ptr<1> -> i32
    %1 = llvm.add %0, %y : i32
    nvvm.barrier0
    %z = tile_gpu.ptx_load %p : (!llvm.ptr<1>) -> (i32)
    llvm.br ^next(%z : i32)
  ^next(%w: i32):
    %2 = llvm.add %w, %1 : i32
    llvm.return
  }
}

// -----

// Products of a group have one stamp, in front of their fence; a second group has its own. The first lane gives its list
// to the one that is elected for a role of one thread.
// CHECK-LABEL: llvm.func @products(
// CHECK-NEXT: llvm.inline_asm has_side_effects ".reg{{.*}}and.b32 n, n, 31;
// CHECK: %[[ELECTED:.*]] = nvvm.elect.sync
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}.aligned{{.*}}shfl.sync.idx.b32 at, tile_at, 0, 31, -1;{{.*}}selp.b32 tile_at, at, 0, $0;{{.*}}setp.ne.u32 tile_on, at, 0; }", "b" %[[ELECTED]]
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", ""
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}mov.b32 what, 2;{{.*}}st.global.v4.b32 [to], {tile_end, tile_end, what, what};
// CHECK-NEXT: nvvm.wgmma.fence.aligned
// CHECK-NEXT: tile_gpu.ptx_wgmma
// CHECK-NEXT: tile_gpu.ptx_wgmma
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", ""
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}mov.b32 what, 4;{{.*}}st.global.v4.b32 [to], {tile_end, tile_end, what, what};
// CHECK-NEXT: tile_gpu.ptx_wgmma
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_begin, %clock;", ""
// CHECK-NEXT: tile_gpu.ptx_wgmma_wait 1
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", ""
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}mov.b32 what, 6;{{.*}}st.global.v4.b32 [to], {tile_begin, tile_end, what, what};
// In front of a wait for products of other blocks there is no stamp: it has one time, and its number says so.
// CHECK: {{^ +\^bb1}}
// CHECK-NEXT: tile_gpu.ptx_wgmma_wait 0
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", ""
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}mov.b32 what, 9;{{.*}}st.global.v4.b32 [to], {tile_end, tile_end, what, what};
!four = !llvm.struct<(f32, f32, f32, f32)>
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @products(%a: i64, %zero: !four) attributes {nvvm.kernel} {
    %is = nvvm.elect.sync -> i1
    nvvm.wgmma.fence.aligned
    %0 = tile_gpu.ptx_wgmma [%a] * %a onto %zero {n = 8 : i32, type_a = f16, type_b = f16} : !four, i64
    %1 = tile_gpu.ptx_wgmma [%a] * %a onto %0 {n = 8 : i32, type_a = f16, type_b = f16} : !four, i64
    nvvm.wgmma.commit.group.sync.aligned
    %2 = tile_gpu.ptx_wgmma [%a] * %a onto %1 {n = 8 : i32, type_a = f16, type_b = f16} : !four, i64
    nvvm.wgmma.commit.group.sync.aligned
    %3 = tile_gpu.ptx_wgmma_wait 1 for %2 : !four
    llvm.br ^next(%3 : !four)
  ^next(%4: !four):
    %5 = tile_gpu.ptx_wgmma_wait 0 for %4 : !four
    llvm.return
  }
}

// -----

// Products that begin where a wait ends: the wait says so, and is stored behind their commit.
// CHECK: sites = {{\[\[}}"product", #{{[^,]*}}, 0], ["mbarrier_wait", #{{[^,]*}}, 1]
// CHECK-LABEL: llvm.func @filled(
// CHECK: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_begin, %clock;", ""
// CHECK-NEXT: nvvm.mbarrier.try_wait.parity
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", ""
// CHECK-NEXT: llvm.add
// CHECK-NEXT: nvvm.wgmma.fence.aligned
// CHECK-NEXT: tile_gpu.ptx_wgmma
// CHECK-NEXT: nvvm.wgmma.commit.group.sync.aligned
// CHECK-NEXT: llvm.ptrtoint
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}mad.lo.u32 what, $0, 8192, 4;{{.*}}{tile_begin, tile_end, what, what};
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_begin, %clock;", ""
// CHECK-NEXT: tile_gpu.ptx_wgmma_wait 0
!two = !llvm.struct<(f32, f32, f32, f32)>
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @filled(%a: i64, %zero: !two, %bar: !llvm.ptr<3>, %phase: i32) attributes {nvvm.kernel} {
    nvvm.mbarrier.try_wait.parity %bar, %phase, %phase : !llvm.ptr<3>, i32, i32
    %next = llvm.add %a, %a : i64
    nvvm.wgmma.fence.aligned
    %0 = tile_gpu.ptx_wgmma [%next] * %a onto %zero {n = 8 : i32, type_a = f16, type_b = f16} : !two, i64
    nvvm.wgmma.commit.group.sync.aligned
    %1 = tile_gpu.ptx_wgmma_wait 0 for %0 : !two
    llvm.return
  }
}

// -----

// Copies that begin where a wait ends: nothing is stored in front of them.
// CHECK: sites = {{\[\[}}"mbarrier_wait", #{{[^,]*}}, 0], ["load", #{{[^,]*}}, 0]{{\]}}
// CHECK-LABEL: llvm.func @copies(
// CHECK: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_begin, %clock;", ""
// CHECK-NEXT: nvvm.mbarrier.try_wait.parity
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", ""
// CHECK-NEXT: nvvm.mbarrier.arrive.expect_tx
// CHECK-NEXT: nvvm.cp.async.bulk.shared.cluster.global
// CHECK-NEXT: nvvm.cp.async.bulk.shared.cluster.global
// CHECK-NEXT: llvm.ptrtoint %[[EMPTY:.*]] : !llvm.ptr<3> to i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}mad.lo.u32 what, $0, 8192, 2;{{.*}}{tile_begin, tile_end, what, what};
// CHECK-NEXT: llvm.ptrtoint %[[FULL:.*]] : !llvm.ptr<3> to i32
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}mad.lo.u32 what, $0, 8192, 4;{{.*}}{tile_end, tile_end, what, what};
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}st.global.b32 [list+12], tile_lost;
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @copies(%empty: !llvm.ptr<3>, %full: !llvm.ptr<3>, %to: !llvm.ptr<7>, %from: !llvm.ptr<1>, %n: i32) attributes {nvvm.kernel} {
    nvvm.mbarrier.try_wait.parity %empty, %n, %n : !llvm.ptr<3>, i32, i32
    nvvm.mbarrier.arrive.expect_tx %full, %n : !llvm.ptr<3>, i32
    nvvm.cp.async.bulk.shared.cluster.global %to, %from, %full, %n : !llvm.ptr<7>, !llvm.ptr<1>
    nvvm.cp.async.bulk.shared.cluster.global %to, %from, %full, %n : !llvm.ptr<7>, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// An arrival frees a slot. The wait in front of it is stored behind it.
// CHECK-LABEL: llvm.func @arrival(
// CHECK: tile_gpu.ptx_wgmma_wait 0
// CHECK-NEXT: llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", ""
// CHECK-NEXT: llvm.cond_br
// CHECK: nvvm.mbarrier.arrive
// CHECK: {{^ +\^bb2}}
// CHECK-NEXT: llvm.inline_asm has_side_effects "{{.*}}{tile_end, tile_end, what, what};
!sums = !llvm.struct<(f32, f32, f32, f32)>
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @arrival(%sums: !sums, %bar: !llvm.ptr<3>, %first: i1) attributes {nvvm.kernel} {
    %0 = tile_gpu.ptx_wgmma_wait 0 for %sums : !sums
    llvm.cond_br %first, ^arrive, ^behind
  ^arrive:
    nvvm.mbarrier.arrive %bar : !llvm.ptr<3>
    llvm.br ^behind
  ^behind:
    llvm.return
  }
}
