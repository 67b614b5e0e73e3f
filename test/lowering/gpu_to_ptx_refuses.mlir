// SPDX-License-Identifier: MIT
// RUN: tile-opt %s --tile-gpu-to-ptx -split-input-file -verify-diagnostics

// expected-error @+1 {{tile-gpu-to-ptx needs a module whose `tile_gpu.target` is set by tile-gpu-to-llvm}}
module {
  llvm.func @no_target() {
    llvm.return
  }
}

// -----

!two = !llvm.struct<(i32, i32)>
module attributes {tile_gpu.target = "sm_90"} {
  llvm.func @no_unit(%a: i64, %c: !two) {
    // expected-error @+1 {{wgmma of 'f16' and 'f16' is missing: sm_90 has no such matrix unit}}
    %0 = tile_gpu.ptx_wgmma [%a] * %a onto %c {n = 8 : i32, type_a = f16, type_b = f16} : !two, i64
    llvm.return
  }
}

// -----

// Its text is not a constant that anybody knows.
module attributes {tile_gpu.target = "sm_90"} {
  llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
  llvm.func @prints(%text: !llvm.ptr) {
    // expected-error @+1 {{this call of vprintf was not made by tile-gpu-to-llvm, so its text and its values are not known here}}
    %0 = llvm.call @vprintf(%text, %text) : (!llvm.ptr, !llvm.ptr) -> i32
    llvm.return
  }
}

// -----

!two = !llvm.struct<(i32, i32)>
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @no_commit(%a: i64, %c: !two) {
    // expected-error @+1 {{is not committed before the next wait, so that wait does not wait for it; add a commit group between them}}
    %0 = tile_gpu.ptx_wgmma [%a] * %a onto %c {n = 8 : i32, type_a = f16, type_b = f16} : !two, i64
    // expected-note @+1 {{the wait is here}}
    %1 = tile_gpu.ptx_wgmma_wait 0 for %0 : !two
    nvvm.wgmma.commit.group.sync.aligned
    llvm.return
  }
}

// -----

!two = !llvm.struct<(i32, i32)>
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @commit_elsewhere(%a: i64, %c: !two) {
    // expected-error @+1 {{is not committed in its block, so no wait waits for it}}
    %0 = tile_gpu.ptx_wgmma [%a] * %a onto %c {n = 8 : i32, type_a = f16, type_b = f16} : !two, i64
    llvm.return
  }
}

// -----

!two = !llvm.struct<(i32, i32)>
module attributes {tile_gpu.target = "sm_90a"} {
  llvm.func @one_left(%a: i64, %c: !two) {
    // expected-error @+1 {{is the last product, but no wait of this kernel waits for all products}}
    %0 = tile_gpu.ptx_wgmma [%a] * %a onto %c {n = 8 : i32, type_a = f16, type_b = f16} : !two, i64
    nvvm.wgmma.commit.group.sync.aligned
    %1 = tile_gpu.ptx_wgmma_wait 1 for %0 : !two
    llvm.return
  }
}
