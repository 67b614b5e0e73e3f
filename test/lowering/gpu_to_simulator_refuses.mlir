// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-to-simulator -split-input-file -verify-diagnostics

llvm.func @unknown_op() {
  // expected-error @+1 {{the simulator cannot run `nvvm.pmevent`}}
  nvvm.pmevent id = 1
  llvm.return
}

// -----

!acc = !llvm.struct<(f32, f32, f32, f32)>
llvm.func @results_too_early(%a: i64, %b: i64, %c: !acc) {
  // expected-error @+1 {{the simulator cannot run `nvvm.wgmma.mma_async`, because it gives results that are not there yet; use tile_gpu.ptx_wgmma and tile_gpu.ptx_wgmma_wait}}
  %d = nvvm.wgmma.mma_async %a, %b, %c, <m = 64, n = 8, k = 16>, D [<f32>, <one>], A [<f16>, <one>, <row>], B [<f16>, <one>, <col>] : !acc -> !acc
  llvm.return
}

// -----

llvm.func @generic_access(%p: !llvm.ptr<3>) {
  // expected-error @+1 {{the simulator cannot run `llvm.addrspacecast to a generic pointer that is read or written through`}}
  %g = llvm.addrspacecast %p : !llvm.ptr<3> to !llvm.ptr
  %x = llvm.load %g : !llvm.ptr -> i32
  llvm.return
}

// -----

llvm.func @unknown_intrinsic(%x: f32) {
  // expected-error @+1 {{the simulator cannot run `llvm.nvvm.tanh.approx.f`}}
  %0 = llvm.call_intrinsic "llvm.nvvm.tanh.approx.f"(%x) : (f32) -> f32
  llvm.return
}

// -----

llvm.func @text() {
  // expected-error @+1 {{the simulator cannot run `llvm.inline_asm`}}
  llvm.inline_asm has_side_effects "nop;", "" : () -> ()
  llvm.return
}

// -----

llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @call(%n: i64) {
  // expected-error @+1 {{the simulator cannot run `malloc`}}
  %0 = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
  llvm.return
}

// -----

llvm.func @promise(%c: i1, %p: !llvm.ptr, %n: i64) {
  // expected-error @+1 {{the simulator cannot run `llvm.intr.assume of align`}}
  llvm.intr.assume %c ["align"(%p, %n : !llvm.ptr, i64)] : i1
  llvm.return
}

// -----

// expected-error @+1 {{tile-gpu-to-simulator needs a module of one kernel, which tile-gpu-to-llvm makes}}
module {
}

// -----

llvm.func @no_number(%p: !llvm.ptr<1>) {
  // expected-error @+1 {{the simulator cannot run `an access to other than numbers`}}
  %x = llvm.load %p : !llvm.ptr<1> -> !llvm.struct<(i32, i32)>
  llvm.return
}
