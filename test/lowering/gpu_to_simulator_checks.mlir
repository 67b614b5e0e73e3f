// SPDX-License-Identifier: MIT
// What is built for the simulator alone: promises, offsets, loops.
// RUN: tile-opt %s --tile-gpu-to-simulator=checks-offsets=true -split-input-file | FileCheck %s
// RUN: tile-opt %s --tile-gpu-to-simulator -split-input-file | FileCheck %s --check-prefix=PLAIN

// CHECK: ["an offset that overflowed 32 bits", #loc
// CHECK-LABEL: llvm.func @offsets(
// CHECK: %[[NARROW:.*]] = llvm.mul %[[A:.*]], %[[B:.*]] : i32
// CHECK-DAG: %[[WIDE_A:.*]] = llvm.sext %[[A]] : i32 to i64
// CHECK-DAG: %[[WIDE_B:.*]] = llvm.sext %[[B]] : i32 to i64
// CHECK: %[[WIDE:.*]] = llvm.mul %[[WIDE_A]], %[[WIDE_B]] : i64
// CHECK: %[[INDEX:.*]] = llvm.sext %[[NARROW]] : i32 to i64
// CHECK: %[[SUM:.*]] = llvm.getelementptr %{{.*}}[%[[INDEX]]]
// CHECK: %[[FITS:.*]] = llvm.icmp "eq" %[[WIDE]], %[[INDEX]] : i64
// CHECK: %[[CHECKED:.*]] = llvm.select %[[FITS]], %[[SUM]], %{{.*}} : i1, !llvm.ptr
// CHECK: llvm.call @tile_sim_global_write(%{{.*}}, %[[CHECKED]],
// PLAIN-LABEL: llvm.func @offsets(
// PLAIN-NOT: llvm.select
llvm.func @offsets(%p: !llvm.ptr<1>, %a: i32, %b: i32) attributes {nvvm.kernel} {
  %0 = llvm.mul %a, %b : i32
  %1 = llvm.sext %0 : i32 to i64
  %2 = llvm.getelementptr %p[%1] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  llvm.store %a, %2 : i32, !llvm.ptr<1>
  llvm.return
}

// -----

// An index of any number cannot overflow: a remainder ends it.
// CHECK-LABEL: llvm.func @remainders(
// CHECK-NOT: llvm.select
llvm.func @remainders(%p: !llvm.ptr<1>, %a: i32, %b: i32) attributes {nvvm.kernel} {
  %0 = llvm.mul %a, %b : i32
  %1 = llvm.urem %0, %b : i32
  %2 = llvm.sext %1 : i32 to i64
  %3 = llvm.getelementptr %p[%2] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  llvm.store %a, %3 : i32, !llvm.ptr<1>
  llvm.return
}

// -----

// What a loop carries it carries in both widths, and on its way back it passes by the runtime.
// CHECK-LABEL: llvm.func @carried(
// CHECK: ^bb1(%[[AT:.*]]: i32, %[[WIDE:.*]]: i64):
// CHECK: %[[NEXT:.*]] = llvm.add %[[AT]], %[[STEP:.*]] : i32
// CHECK: %[[WIDE_NEXT:.*]] = llvm.add %[[WIDE]], %{{.*}} : i64
// CHECK: llvm.call @tile_sim_loop(
// CHECK: llvm.cond_br %{{.*}}, ^bb1(%[[NEXT]], %[[WIDE_NEXT]] : i32, i64), ^bb2
// PLAIN-LABEL: llvm.func @carried(
// PLAIN: llvm.call @tile_sim_loop(
llvm.func @carried(%p: !llvm.ptr<1>, %step: i32, %c: i1) attributes {nvvm.kernel} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  llvm.br ^loop(%zero : i32)
^loop(%at: i32):
  %next = llvm.add %at, %step : i32
  %wide = llvm.sext %at : i32 to i64
  %to = llvm.getelementptr %p[%wide] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  llvm.store %at, %to : i32, !llvm.ptr<1>
  llvm.cond_br %c, ^loop(%next : i32), ^end
^end:
  llvm.return
}

// -----

// An offset of 64 bits may leave the address space, too.
// CHECK-LABEL: llvm.func @far(
// CHECK: llvm.icmp "ult"
// CHECK: llvm.select
llvm.func @far(%p: !llvm.ptr<1>, %at: i64, %x: i32) attributes {nvvm.kernel} {
  %to = llvm.getelementptr %p[%at] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, f32
  llvm.store %x, %to : i32, !llvm.ptr<1>
  llvm.return
}

// -----

// CHECK-LABEL: llvm.func @promises(
// CHECK: llvm.call @tile_sim_assume_divisible(%{{.*}}, %{{.*}}, %[[X:.*]], %[[BY:.*]], %{{.*}})
// CHECK: llvm.call @tile_sim_assume_range(
// CHECK: llvm.call @tile_sim_assume_step(%{{.*}}, %{{.*}}, %[[X]], %{{.*}})
llvm.func @promises(%c: i1, %x: i64, %by: i64) attributes {nvvm.kernel} {
  llvm.intr.assume %c ["tile.divisible"(%x, %by : i64, i64)] : i1
  llvm.intr.assume %c ["tile.range"(%x, %by, %by : i64, i64, i64)] : i1
  llvm.intr.assume %c ["tile.step"(%x : i64)] : i1
  llvm.return
}
