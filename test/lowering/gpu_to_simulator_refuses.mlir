// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-to-simulator -split-input-file -verify-diagnostics

llvm.func @unknown_op() {
  %m = llvm.mlir.constant(-1 : i32) : i32
  // expected-error @+1 {{the simulator has no twin of `nvvm.bar.warp.sync`}}
  nvvm.bar.warp.sync %m : i32
  llvm.return
}

// -----

llvm.func @unknown_intrinsic(%x: f32) {
  // expected-error @+1 {{the simulator has no twin of `llvm.nvvm.tanh.approx.f`}}
  %0 = llvm.call_intrinsic "llvm.nvvm.tanh.approx.f"(%x) : (f32) -> f32
  llvm.return
}

// -----

llvm.func @text() {
  // expected-error @+1 {{the simulator has no twin of `llvm.inline_asm`}}
  llvm.inline_asm has_side_effects "nop;", "" : () -> ()
  llvm.return
}

// -----

llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @call(%n: i64) {
  // expected-error @+1 {{the simulator has no twin of `malloc`}}
  %0 = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  llvm.return
}

// -----

// expected-error @+1 {{tile-gpu-to-simulator needs a module of one kernel, which tile-gpu-to-llvm makes}}
module {
}
