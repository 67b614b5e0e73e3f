// SPDX-License-Identifier: MIT
// What threads wait for, and where they meet, follows from the order of the channels' steps.
// RUN: tile-opt %s --tile-gpu-distribute -canonicalize | FileCheck %s
#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
// As other threads copy it: for what each has copied itself it need not meet anybody.
#others = #tile_gpu.layout<register = [], lane = [[2], [1], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!one = !tile_gpu.channel<1 x (tensor<32xf32, #shared>)>
!two = !tile_gpu.channel<2 x (tensor<32xf32, #shared>)>
!three = !tile_gpu.channel<3 x (tensor<32xf32, #shared>)>

// Two ahead and one ahead in one loop. When A is waited for first, A1 and B0 may still be on their way; when B
// is, A2 may. Neither waits for copies of the other that were committed later.
// CHECK-LABEL: func.func @two_depths(
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 2
// CHECK-NEXT: tile_gpu.sync
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: tile_gpu.sync
// CHECK: nvvm.cp.async.commit.group
// CHECK: {{^    }}}
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NOT: nvvm.cp.async.wait.group
func.func @two_depths(%p: !tile.ptr<f32>, %n: i32, %b: i1) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two0 = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %two1 = tile_gpu.cursor 1 : !tile_gpu.cursor<2>
  %three0 = tile_gpu.cursor 0 : !tile_gpu.cursor<3>
  %three1 = tile_gpu.cursor 1 : !tile_gpu.cursor<3>
  %three2 = tile_gpu.cursor 2 : !tile_gpu.cursor<3>
  %a = tile_gpu.channel : !three
  %b_ = tile_gpu.channel : !two
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %qs = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #others>
  %s1 = tile_gpu.acquire %a[%three0] : !three
  tile_gpu.copy %qs to %s1 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
  tile_gpu.commit %s1
  %s2 = tile_gpu.acquire %a[%three1] : !three
  tile_gpu.copy %qs to %s2 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
  tile_gpu.commit %s2
  %s3 = tile_gpu.acquire %b_[%two0] : !two
  tile_gpu.copy %qs to %s3 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
  tile_gpu.commit %s3
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%fa = %three2, %na = %three0, %fb = %two1, %nb = %two0) -> (!tile_gpu.cursor<3>, !tile_gpu.cursor<3>, !tile_gpu.cursor<2>, !tile_gpu.cursor<2>) : i32 {
    %la = tile_gpu.wait %a[%na] : !three
    %s4 = tile_gpu.acquire %a[%fa] : !three
    tile_gpu.copy %qs to %s4 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
    tile_gpu.commit %s4
    %v5 = tile_gpu.view %la tile 0 : tensor<32xf32, #shared>
    %x = tile_gpu.read %v5 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
    tile.store %ps, %x : tensor<32x!tile.ptr<f32>, #lanes>
    tile_gpu.release %la
    %lb = tile_gpu.wait %b_[%nb] : !two
    %s6 = tile_gpu.acquire %b_[%fb] : !two
    tile_gpu.copy %qs to %s6 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
    tile_gpu.commit %s6
    %v7 = tile_gpu.view %lb tile 0 : tensor<32xf32, #shared>
    %y = tile_gpu.read %v7 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
    tile.store %ps, %y : tensor<32x!tile.ptr<f32>, #lanes>
    tile_gpu.release %lb
    %fa1 = tile_gpu.advance %fa : !tile_gpu.cursor<3>
    %na1 = tile_gpu.advance %na : !tile_gpu.cursor<3>
    %fb1 = tile_gpu.advance %fb : !tile_gpu.cursor<2>
    %nb1 = tile_gpu.advance %nb : !tile_gpu.cursor<2>
    scf.yield %fa1, %na1, %fb1, %nb1 : !tile_gpu.cursor<3>, !tile_gpu.cursor<3>, !tile_gpu.cursor<2>, !tile_gpu.cursor<2>
  }
  tile_gpu.drain %b_ : !two
  tile_gpu.drain %a : !three
  return
}

// A ring that runs on through an outer loop does not begin anew: its cursors are carried, and threads meet at
// its waits alone. The channel after it has memory of its own.
// CHECK-LABEL: func.func @through_two_loops(
// CHECK-SAME: tile_gpu.shared_bytes = 4096
// CHECK: tile_gpu.sync
// CHECK-NOT: tile_gpu.sync
// CHECK: scf.for {{.*}} -> (i32, i32)
// CHECK-NEXT: scf.for {{.*}} -> (i32, i32)
// CHECK-NEXT: nvvm.cp.async.wait.group 1
// CHECK-NEXT: tile_gpu.sync
// CHECK-NOT: tile_gpu.sync
// CHECK: arith.cmpi eq, %{{.*}}, %c3_i32
// CHECK: {{^      }}}
// CHECK-NEXT: tile_gpu.sync
// CHECK: tile_gpu.shared offset 3072 :
// CHECK: {{^    }}}
// CHECK-NEXT: nvvm.cp.async.wait.group 0
func.func @through_two_loops(%p: !tile.ptr<f32>, %n: i32, %b: i1) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one0 = tile_gpu.cursor 0 : !tile_gpu.cursor<1>
  %three0 = tile_gpu.cursor 0 : !tile_gpu.cursor<3>
  %three1 = tile_gpu.cursor 1 : !tile_gpu.cursor<3>
  %three2 = tile_gpu.cursor 2 : !tile_gpu.cursor<3>
  %a = tile_gpu.channel : !three
  %o = tile_gpu.channel : !one
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %qs = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #others>
  %s1 = tile_gpu.acquire %a[%three0] : !three
  tile_gpu.copy %qs to %s1 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
  tile_gpu.commit %s1
  %s2 = tile_gpu.acquire %a[%three1] : !three
  tile_gpu.copy %qs to %s2 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
  tile_gpu.commit %s2
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%fo = %three2, %no = %three0) -> (!tile_gpu.cursor<3>, !tile_gpu.cursor<3>) : i32 {
    %q:2 = scf.for %j = %c0 to %n step %c1 iter_args(%f = %fo, %w = %no) -> (!tile_gpu.cursor<3>, !tile_gpu.cursor<3>) : i32 {
      %l = tile_gpu.wait %a[%w] : !three
      %s3 = tile_gpu.acquire %a[%f] : !three
      tile_gpu.copy %qs to %s3 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
      tile_gpu.commit %s3
      %v4 = tile_gpu.view %l tile 0 : tensor<32xf32, #shared>
      %x = tile_gpu.read %v4 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
      tile.store %ps, %x : tensor<32x!tile.ptr<f32>, #lanes>
      tile_gpu.release %l
      %f1 = tile_gpu.advance %f : !tile_gpu.cursor<3>
      %w1 = tile_gpu.advance %w : !tile_gpu.cursor<3>
      scf.yield %f1, %w1 : !tile_gpu.cursor<3>, !tile_gpu.cursor<3>
    }
    %s5 = tile_gpu.acquire %o[%one0] : !one
    tile_gpu.copy %qs to %s5 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
    tile_gpu.commit %s5
    %k = tile_gpu.wait %o[%one0] : !one
    %v6 = tile_gpu.view %k tile 0 : tensor<32xf32, #shared>
    %y = tile_gpu.read %v6 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
    tile.store %ps, %y : tensor<32x!tile.ptr<f32>, #lanes>
    tile_gpu.release %k
    scf.yield %q#0, %q#1 : !tile_gpu.cursor<3>, !tile_gpu.cursor<3>
  }
  tile_gpu.drain %a : !three
  return
}

// A lease that is released an iteration later. Of three slots, the one that is filled next was released before
// the threads met.
// CHECK-LABEL: func.func @released_later(
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NEXT: tile_gpu.sync
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: tile_gpu.sync
// CHECK-NOT: tile_gpu.sync
// CHECK: scf.yield
func.func @released_later(%p: !tile.ptr<f32>, %n: i32, %b: i1) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %three0 = tile_gpu.cursor 0 : !tile_gpu.cursor<3>
  %three1 = tile_gpu.cursor 1 : !tile_gpu.cursor<3>
  %three2 = tile_gpu.cursor 2 : !tile_gpu.cursor<3>
  %a = tile_gpu.channel : !three
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %qs = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #others>
  %s1 = tile_gpu.acquire %a[%three0] : !three
  tile_gpu.copy %qs to %s1 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
  tile_gpu.commit %s1
  %s2 = tile_gpu.acquire %a[%three1] : !three
  tile_gpu.copy %qs to %s2 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
  tile_gpu.commit %s2
  %l0 = tile_gpu.wait %a[%three0] : !three
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%held = %l0, %f = %three2, %w = %three1) -> (!tile_gpu.lease, !tile_gpu.cursor<3>, !tile_gpu.cursor<3>) : i32 {
    %l = tile_gpu.wait %a[%w] : !three
    %v3 = tile_gpu.view %held tile 0 : tensor<32xf32, #shared>
    %x = tile_gpu.read %v3 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
    tile.store %ps, %x : tensor<32x!tile.ptr<f32>, #lanes>
    tile_gpu.release %held
    %s4 = tile_gpu.acquire %a[%f] : !three
    tile_gpu.copy %qs to %s4 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
    tile_gpu.commit %s4
    %f1 = tile_gpu.advance %f : !tile_gpu.cursor<3>
    %w1 = tile_gpu.advance %w : !tile_gpu.cursor<3>
    scf.yield %l, %f1, %w1 : !tile_gpu.lease, !tile_gpu.cursor<3>, !tile_gpu.cursor<3>
  }
  tile_gpu.release %r#0
  tile_gpu.drain %a : !three
  return
}

// Of two it is the one that was released just now: the threads meet once more.
// CHECK-LABEL: func.func @released_just_now(
// CHECK: scf.for
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: tile_gpu.sync
// CHECK: nvvm.ldmatrix
// CHECK: tile_gpu.sync
// CHECK: tile_gpu.copy_global
func.func @released_just_now(%p: !tile.ptr<f32>, %n: i32, %b: i1) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %two0 = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %two1 = tile_gpu.cursor 1 : !tile_gpu.cursor<2>
  %a = tile_gpu.channel : !two
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %qs = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #others>
  %s1 = tile_gpu.acquire %a[%two0] : !two
  tile_gpu.copy %qs to %s1 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
  tile_gpu.commit %s1
  %s2 = tile_gpu.acquire %a[%two1] : !two
  tile_gpu.copy %qs to %s2 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
  tile_gpu.commit %s2
  %l0 = tile_gpu.wait %a[%two0] : !two
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%held = %l0, %f = %two0, %w = %two1) -> (!tile_gpu.lease, !tile_gpu.cursor<2>, !tile_gpu.cursor<2>) : i32 {
    %l = tile_gpu.wait %a[%w] : !two
    %v3 = tile_gpu.view %held tile 0 : tensor<32xf32, #shared>
    %x = tile_gpu.read %v3 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
    tile.store %ps, %x : tensor<32x!tile.ptr<f32>, #lanes>
    tile_gpu.release %held
    %s4 = tile_gpu.acquire %a[%f] : !two
    tile_gpu.copy %qs to %s4 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
    tile_gpu.commit %s4
    %f1 = tile_gpu.advance %f : !tile_gpu.cursor<2>
    %w1 = tile_gpu.advance %w : !tile_gpu.cursor<2>
    scf.yield %l, %f1, %w1 : !tile_gpu.lease, !tile_gpu.cursor<2>, !tile_gpu.cursor<2>
  }
  tile_gpu.release %r#0
  tile_gpu.drain %a : !two
  return
}

// What the threads store themselves has arrived when they meet.
// CHECK-LABEL: func.func @stored(
// CHECK: tile_gpu.sync
// CHECK: tile_gpu.load_global
// CHECK: llvm.store
// CHECK-NOT: nvvm.cp.async
// CHECK: tile_gpu.sync
// CHECK: nvvm.ldmatrix
// CHECK-NOT: nvvm.cp.async
func.func @stored(%p: !tile.ptr<f32>, %n: i32, %b: i1) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one0 = tile_gpu.cursor 0 : !tile_gpu.cursor<1>
  %a = tile_gpu.channel : !one
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %qs = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #others>
  %s1 = tile_gpu.acquire %a[%one0] : !one
  tile_gpu.copy %qs to %s1 tile 0 : tensor<32x!tile.ptr<f32>, #others>
  tile_gpu.commit %s1
  %l = tile_gpu.wait %a[%one0] : !one
  %v2 = tile_gpu.view %l tile 0 : tensor<32xf32, #shared>
  %x = tile_gpu.read %v2 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
  tile.store %ps, %x : tensor<32x!tile.ptr<f32>, #lanes>
  tile_gpu.release %l
  return
}

// One path commits a group more: A's wait counts on none. B's wait there was for A, too.
// CHECK-LABEL: func.func @either_way(
// CHECK: scf.if
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: {{^    }}}
// CHECK-NEXT: nvvm.cp.async.wait.group 0
func.func @either_way(%p: !tile.ptr<f32>, %n: i32, %b: i1) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one0 = tile_gpu.cursor 0 : !tile_gpu.cursor<1>
  %a = tile_gpu.channel : !one
  %d = tile_gpu.channel : !one
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %qs = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #others>
  %s1 = tile_gpu.acquire %a[%one0] : !one
  tile_gpu.copy %qs to %s1 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
  tile_gpu.commit %s1
  scf.if %b {
    %s2 = tile_gpu.acquire %d[%one0] : !one
    tile_gpu.copy %qs to %s2 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
    tile_gpu.commit %s2
    %k = tile_gpu.wait %d[%one0] : !one
    %v3 = tile_gpu.view %k tile 0 : tensor<32xf32, #shared>
    %y = tile_gpu.read %v3 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
    tile.store %ps, %y : tensor<32x!tile.ptr<f32>, #lanes>
    tile_gpu.release %k
  }
  %l = tile_gpu.wait %a[%one0] : !one
  %v4 = tile_gpu.view %l tile 0 : tensor<32xf32, #shared>
  %x = tile_gpu.read %v4 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
  tile.store %ps, %x : tensor<32x!tile.ptr<f32>, #lanes>
  tile_gpu.release %l
  return
}

// B's copies are the youngest. Its wait was for all copies, and threads have met there: A's has nothing left to
// wait for.
// CHECK-LABEL: func.func @arrived_before(
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-NOT: nvvm.cp.async.wait.group
// CHECK: tile_gpu.sync
// CHECK: nvvm.ldmatrix
// CHECK-NOT: nvvm.cp.async.wait.group
// CHECK-NOT: tile_gpu.sync
// CHECK: nvvm.ldmatrix
func.func @arrived_before(%p: !tile.ptr<f32>, %n: i32, %b: i1) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one0 = tile_gpu.cursor 0 : !tile_gpu.cursor<1>
  %a = tile_gpu.channel : !one
  %d = tile_gpu.channel : !one
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %qs = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #others>
  %s1 = tile_gpu.acquire %a[%one0] : !one
  tile_gpu.copy %qs to %s1 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
  tile_gpu.commit %s1
  %s2 = tile_gpu.acquire %d[%one0] : !one
  tile_gpu.copy %qs to %s2 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
  tile_gpu.commit %s2
  %k = tile_gpu.wait %d[%one0] : !one
  %v3 = tile_gpu.view %k tile 0 : tensor<32xf32, #shared>
  %y = tile_gpu.read %v3 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
  tile.store %ps, %y : tensor<32x!tile.ptr<f32>, #lanes>
  tile_gpu.release %k
  %l = tile_gpu.wait %a[%one0] : !one
  %v4 = tile_gpu.view %l tile 0 : tensor<32xf32, #shared>
  %x = tile_gpu.read %v4 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
  tile.store %ps, %x : tensor<32x!tile.ptr<f32>, #lanes>
  tile_gpu.release %l
  return
}

// In turn in a loop. Each has the other's memory in between, and exchanges have both: whenever a channel begins
// again threads meet first, although all of them met at the other's wait.
// CHECK-LABEL: func.func @in_turn_in_a_loop(
// CHECK: scf.for
// CHECK-NEXT: tile_gpu.sync
// CHECK: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: tile_gpu.sync
// CHECK: tile_gpu.store_global
// CHECK-NEXT: tile_gpu.sync
// CHECK: nvvm.cp.async.commit.group
// CHECK-NEXT: nvvm.cp.async.wait.group 0
// CHECK-NEXT: tile_gpu.sync
func.func @in_turn_in_a_loop(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = tile_gpu.cursor 0 : !tile_gpu.cursor<1>
  %a = tile_gpu.channel : !one
  %b = tile_gpu.channel : !one
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #lanes>
  %qs = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #others>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %s1 = tile_gpu.acquire %a[%first] : !one
    tile_gpu.copy %qs to %s1 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
    tile_gpu.commit %s1
    %l1 = tile_gpu.wait %a[%first] : !one
    %v1 = tile_gpu.view %l1 tile 0 : tensor<32xf32, #shared>
    %x = tile_gpu.read %v1 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
    tile_gpu.release %l1
    tile.store %ps, %x : tensor<32x!tile.ptr<f32>, #lanes>
    %s2 = tile_gpu.acquire %b[%first] : !one
    tile_gpu.copy %qs to %s2 tile 0 async 1 : tensor<32x!tile.ptr<f32>, #others>
    tile_gpu.commit %s2
    %l2 = tile_gpu.wait %b[%first] : !one
    %v2 = tile_gpu.view %l2 tile 0 : tensor<32xf32, #shared>
    %y = tile_gpu.read %v2 : tensor<32xf32, #shared> -> tensor<32xf32, #lanes>
    tile_gpu.release %l2
    tile.store %ps, %y : tensor<32x!tile.ptr<f32>, #lanes>
  }
  return
}

!wide = !tile_gpu.channel<3 x (tensor<32xf64, #shared>)>
// Each thread reads what it has copied: it waits for that, and meets nobody in the loop.
// CHECK-LABEL: func.func @its_own(
// CHECK: scf.for
// CHECK-NOT: tile_gpu.sync
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-NOT: tile_gpu.sync
// CHECK: nvvm.cp.async.commit.group
// CHECK-NOT: tile_gpu.sync
// CHECK: }
func.func @its_own(%p: !tile.ptr<f64>, %n: i32) attributes {tile.kernel, tile.num_warps = 1 : i32, tile_gpu.target = "sm_90"} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ps = tile.splat %p : !tile.ptr<f64> -> tensor<32x!tile.ptr<f64>, #lanes>
  %a = tile_gpu.channel : !wide
  %at0 = tile_gpu.cursor 0 : !tile_gpu.cursor<3>
  %at1 = tile_gpu.cursor 1 : !tile_gpu.cursor<3>
  %at2 = tile_gpu.cursor 2 : !tile_gpu.cursor<3>
  %s0 = tile_gpu.acquire %a[%at0] : !wide
  tile_gpu.copy %ps to %s0 tile 0 async 1 : tensor<32x!tile.ptr<f64>, #lanes>
  tile_gpu.commit %s0
  %s1 = tile_gpu.acquire %a[%at1] : !wide
  tile_gpu.copy %ps to %s1 tile 0 async 1 : tensor<32x!tile.ptr<f64>, #lanes>
  tile_gpu.commit %s1
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%fa = %at2, %na = %at0) -> (!tile_gpu.cursor<3>, !tile_gpu.cursor<3>) : i32 {
    %la = tile_gpu.wait %a[%na] : !wide
    %s4 = tile_gpu.acquire %a[%fa] : !wide
    tile_gpu.copy %ps to %s4 tile 0 async 1 : tensor<32x!tile.ptr<f64>, #lanes>
    tile_gpu.commit %s4
    %v5 = tile_gpu.view %la tile 0 : tensor<32xf64, #shared>
    %x = tile_gpu.read %v5 : tensor<32xf64, #shared> -> tensor<32xf64, #lanes>
    tile.store %ps, %x : tensor<32x!tile.ptr<f64>, #lanes>
    tile_gpu.release %la
    %fa1 = tile_gpu.advance %fa : !tile_gpu.cursor<3>
    %na1 = tile_gpu.advance %na : !tile_gpu.cursor<3>
    scf.yield %fa1, %na1 : !tile_gpu.cursor<3>, !tile_gpu.cursor<3>
  }
  tile_gpu.drain %a : !wide
  return
}
