// SPDX-License-Identifier: MIT
// What channels, their cursors, slots, leases and views refuse.
// RUN: tile-opt %s -split-input-file -verify-diagnostics

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4]], repeats = [1]>
// expected-error @+1 {{a channel has 1 to 32 slots, not 33}}
func.func private @slots(!tile_gpu.channel<33 x (tensor<8xf16, #shared>)>)

// -----

// expected-error @+1 {{a slot holds tiles whose layout is of shared memory, not 'tensor<8xf16>'}}
func.func private @tiles(!tile_gpu.channel<3 x (tensor<8xf16>)>)

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @past_the_ring() {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  // expected-error @+1 {{'tile_gpu.cursor' op stands at slot 2 of 2}}
  %past = tile_gpu.cursor 2 : !tile_gpu.cursor<2>
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @other_ring() {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  // expected-note @+1 {{prior use here}}
  %other = tile_gpu.cursor 0 : !tile_gpu.cursor<3>
  // expected-error @+1 {{use of value '%other' expects different type than prior uses: '!tile_gpu.cursor<2>' vs '!tile_gpu.cursor<3>'}}
  %l = tile_gpu.wait %c[%other] : !ring
  tile_gpu.release %l
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @no_tile() {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %l = tile_gpu.wait %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.view' op there is no tile 1 in a slot of}}
  %v = tile_gpu.view %l tile 1 : tensor<32xf16, #shared>
  tile_gpu.release %l
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @other_elements() {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %l = tile_gpu.wait %c[%at] : !ring
  // expected-error @+1 {{repeats = [1]>>' is not the tile 'tensor<32xf16}}
  %v = tile_gpu.view %l tile 0 : tensor<32xf32, #shared>
  tile_gpu.release %l
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @lease_of_nothing(%l: !tile_gpu.lease) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  // expected-error @+1 {{'tile_gpu.view' op needs a slot or a lease of a channel}}
  %v = tile_gpu.view %l tile 0 : tensor<32xf16, #shared>
  return
}

// -----

// The view is verified before the ops whose results it reads.
#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
func.func @channel_of_another_type() {
  // expected-error @+1 {{'tile_gpu.view' op needs a slot or a lease of a channel}}
  %v = tile_gpu.view %l tile 0 : tensor<32xf16, #shared>
  %c = "tile_gpu.channel"() : () -> f32
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %l = "tile_gpu.wait"(%c, %at) : (f32, !tile_gpu.cursor<2>) -> !tile_gpu.lease
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @reads_registers(%x: tensor<32xf16, #lanes>) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  // expected-error @+1 {{'tile_gpu.read' op reads a view of shared memory, not 'tensor<32xf16, #tile_gpu.layout<register}}
  %y = tile_gpu.read %x : tensor<32xf16, #lanes> -> tensor<32xf16, #lanes>
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @reads_into_memory() {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %l = tile_gpu.wait %c[%at] : !ring
  %v = tile_gpu.view %l tile 0 : tensor<32xf16, #shared>
  // expected-error @+1 {{'tile_gpu.read' op gives a tile in registers, not 'tensor<32xf16, #tile_gpu.layout<shared}}
  %y = tile_gpu.read %v : tensor<32xf16, #shared> -> tensor<32xf16, #shared>
  tile_gpu.release %l
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @other_pointers(%p: tensor<32x!tile.ptr<f32>, #lanes>) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{do not fill a tile of type}}
  tile_gpu.copy %p to %s tile 0 : tensor<32x!tile.ptr<f32>, #lanes>
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
#reversed = #tile_gpu.layout<register = [], lane = [[16], [8], [4], [2], [1]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @other_mask(%p: tensor<32x!tile.ptr<f16>, #lanes>, %m: tensor<32xi1, #reversed>) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{the mask must have the layout of the pointers}}
  tile_gpu.copy %p to %s tile 0 mask %m : tensor<32x!tile.ptr<f16>, #lanes>, tensor<32xi1, #reversed>
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
#reversed = #tile_gpu.layout<register = [], lane = [[16], [8], [4], [2], [1]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @other_count(%p: tensor<32x!tile.ptr<f16>, #lanes>, %m: tensor<32xi1, #lanes>, %n: tensor<32xi32, #reversed>) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{`inside` must have the shape and the layout of the pointers}}
  tile_gpu.copy %p to %s tile 0 async 8 mask %m inside %n : tensor<32x!tile.ptr<f16>, #lanes>, tensor<32xi1, #lanes> inside tensor<32xi32, #reversed>
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @counts_single_elements(%p: tensor<32x!tile.ptr<f16>, #lanes>, %n: tensor<32xi32, #lanes>) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.copy' op has `inside`, which needs `async`}}
  tile_gpu.copy %p to %s tile 0 inside %n : tensor<32x!tile.ptr<f16>, #lanes> inside tensor<32xi32, #lanes>
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @two_bytes(%p: tensor<32x!tile.ptr<f16>, #lanes>) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.copy' op copies 2 bytes at a time; cp.async moves 4, 8 or 16}}
  tile_gpu.copy %p to %s tile 0 async 1 : tensor<32x!tile.ptr<f16>, #lanes>
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @acquired_twice() {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.acquire' op comes before the commit of the previous acquire}}
  %t = tile_gpu.acquire %c[%at] : !ring
  tile_gpu.commit %s
  tile_gpu.commit %t
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @never_committed() {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  // expected-error @+1 {{'tile_gpu.acquire' op has no commit of its slot in its block}}
  %s = tile_gpu.acquire %c[%at] : !ring
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @filled_late(%p: tensor<32x!tile.ptr<f16>, #lanes>) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %s = tile_gpu.acquire %c[%at] : !ring
  tile_gpu.commit %s
  // expected-error @+1 {{'tile_gpu.copy' op comes after the commit of its slot}}
  tile_gpu.copy %p to %s tile 0 : tensor<32x!tile.ptr<f16>, #lanes>
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @filled_elsewhere(%p: tensor<32x!tile.ptr<f16>, #lanes>, %b: i1) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %s = tile_gpu.acquire %c[%at] : !ring
  scf.if %b {
    // expected-error @+1 {{'tile_gpu.copy' op is in another block than the acquire of its slot}}
    tile_gpu.copy %p to %s tile 0 : tensor<32x!tile.ptr<f16>, #lanes>
  }
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @no_acquire(%s: !tile_gpu.slot) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  // expected-error @+1 {{'tile_gpu.commit' op needs the slot of an acquire}}
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @channel_from_elsewhere(%c: !ring) {
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  // expected-error @+1 {{'tile_gpu.wait' op needs the channel itself, as tile_gpu.channel gives it}}
  %l = tile_gpu.wait %c[%at] : !ring
  tile_gpu.release %l
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @slot_from_elsewhere(%c: !ring) {
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  // expected-error @+1 {{'tile_gpu.acquire' op needs the channel itself, as tile_gpu.channel gives it}}
  %s = tile_gpu.acquire %c[%at] : !ring
  tile_gpu.commit %s
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @never_released() {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  // expected-error @+1 {{'tile_gpu.wait' op gives a lease that is not released}}
  %l = tile_gpu.wait %c[%at] : !ring
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @released_twice() {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %l = tile_gpu.wait %c[%at] : !ring
  tile_gpu.release %l
  // expected-error @+1 {{'tile_gpu.release' op uses a lease that was released or handed on before}}
  tile_gpu.release %l
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @read_after_release() {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %l = tile_gpu.wait %c[%at] : !ring
  %v = tile_gpu.view %l tile 0 : tensor<32xf16, #shared>
  tile_gpu.release %l
  // expected-error @+1 {{'tile_gpu.read' op uses a lease that was released or handed on before}}
  %x = tile_gpu.read %v : tensor<32xf16, #shared> -> tensor<32xf16, #lanes>
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @released_in_one_branch(%b: i1) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %l = tile_gpu.wait %c[%at] : !ring
  // expected-error @+1 {{'scf.if' op releases a lease in only one of its branches}}
  scf.if %b {
    tile_gpu.release %l
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @released_again_and_again(%n: index) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %l = tile_gpu.wait %c[%at] : !ring
  // expected-error @+1 {{'scf.for' op releases a lease from outside the loop in each iteration}}
  scf.for %i = %zero to %n step %one {
    tile_gpu.release %l
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @carried_and_kept(%n: index) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %l = tile_gpu.wait %c[%at] : !ring
  // expected-error @+1 {{'scf.for' op gives a lease that is not released}}
  %last = scf.for %i = %zero to %n step %one iter_args(%held = %l) -> (!tile_gpu.lease) {
    scf.yield %held : !tile_gpu.lease
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @carried_and_used(%n: index) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %l = tile_gpu.wait %c[%at] : !ring
  // expected-error @+1 {{'scf.for' op uses a lease that was released or handed on before}}
  %last = scf.for %i = %zero to %n step %one iter_args(%held = %l) -> (!tile_gpu.lease) {
    %v = tile_gpu.view %l tile 0 : tensor<32xf16, #shared>
    scf.yield %held : !tile_gpu.lease
  }
  tile_gpu.release %last
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @carried_twice(%n: index) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %l = tile_gpu.wait %c[%at] : !ring
  // expected-error @+1 {{'scf.for' op takes a lease twice}}
  %last:2 = scf.for %i = %zero to %n step %one iter_args(%a = %l, %b = %l) -> (!tile_gpu.lease, !tile_gpu.lease) {
    scf.yield %a, %b : !tile_gpu.lease, !tile_gpu.lease
  }
  tile_gpu.release %last#0
  tile_gpu.release %last#1
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @of_two_channels(%n: index) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %d = tile_gpu.channel : !ring
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %l = tile_gpu.wait %c[%at] : !ring
  // expected-error @+1 {{'scf.for' op carries leases of different channels in one value}}
  %last = scf.for %i = %zero to %n step %one iter_args(%held = %l) -> (!tile_gpu.lease) {
    tile_gpu.release %held
    %other = tile_gpu.wait %d[%at] : !ring
    scf.yield %other : !tile_gpu.lease
  }
  tile_gpu.release %last
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @either_channel(%b: i1) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %d = tile_gpu.channel : !ring
  %l = tile_gpu.wait %c[%at] : !ring
  // expected-error @+1 {{'scf.if' op gives leases of different channels in one value}}
  %either = scf.if %b -> (!tile_gpu.lease) {
    scf.yield %l : !tile_gpu.lease
  } else {
    tile_gpu.release %l
    %other = tile_gpu.wait %d[%at] : !ring
    scf.yield %other : !tile_gpu.lease
  }
  tile_gpu.release %either
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @chosen(%b: i1) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %l = tile_gpu.wait %c[%at] : !ring
  %m = tile_gpu.wait %c[%at] : !ring
  // expected-error @+1 {{'arith.select' op must not use a lease: only view, release, loops and branches may}}
  %either = arith.select %b, %l, %m : !tile_gpu.lease
  tile_gpu.release %either
  return
}


// -----

// A loop that does not give back what it carries: the wait before it asks.
!ring = !tile_gpu.channel<3 x (tensor<32xf32, #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>>)>
func.func @loop_gives_nothing_back(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %channel = tile_gpu.channel : !ring
  %first = tile_gpu.cursor 0 : !tile_gpu.cursor<3>
  %lease = tile_gpu.wait %channel[%first] : !ring
  // expected-error @+1 {{carries leases of different channels in one value}}
  %last = "scf.for"(%c0, %n, %c1, %lease) ({
  ^bb0(%i: index, %before: !tile_gpu.lease):
    tile_gpu.release %before
    "scf.yield"() : () -> ()
  }) : (index, index, index, !tile_gpu.lease) -> !tile_gpu.lease
  return
}

// -----

// The acquire looks for its commit before it is known that uses come behind it.
!ring = !tile_gpu.channel<3 x (tensor<32xf32, #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>>)>
func.func @commit_first() {
  %channel = tile_gpu.channel : !ring
  %first = tile_gpu.cursor 0 : !tile_gpu.cursor<3>
  // expected-error @+1 {{operand #0 does not dominate this use}}
  tile_gpu.commit %slot
  // expected-note @+1 {{operand defined here}}
  %slot = tile_gpu.acquire %channel[%first] : !ring
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @bound(%n: index, %b: i1) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %l = tile_gpu.wait %c[%at] : !ring
  // expected-error @+1 {{'scf.for' op takes a lease as a loop bound}}
  "scf.for"(%l, %n, %one) ({
  ^bb0(%i: index):
    "scf.yield"() : () -> ()
  }) : (!tile_gpu.lease, index, index) -> ()
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @carried_by_nobody(%n: index, %b: i1) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %l = tile_gpu.wait %c[%at] : !ring
  // expected-error @+1 {{'scf.for' op does not carry all its initial values}}
  "scf.for"(%zero, %n, %one, %l) ({
  ^bb0(%i: index):
    "scf.yield"() : () -> ()
  }) : (index, index, index, !tile_gpu.lease) -> ()
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @handed_on_to_nobody(%n: index, %b: i1) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %l = tile_gpu.wait %c[%at] : !ring
  scf.if %b {
    // expected-error @+1 {{'scf.condition' op hands on a lease that nothing receives}}
    "scf.condition"(%b, %l) : (i1, !tile_gpu.lease) -> ()
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @none_that_is_kept() {
  %c = tile_gpu.channel : !ring
  // expected-error @+1 {{'tile_gpu.no_lease' op gives a lease that is not released}}
  %none = tile_gpu.no_lease %c : !ring
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @none_of_nothing(%c: !ring) {
  // expected-error @+1 {{'tile_gpu.no_lease' op needs the channel itself, as tile_gpu.channel gives it}}
  %none = tile_gpu.no_lease %c : !ring
  tile_gpu.release %none
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @another_tile(%x: tensor<32xf32>) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %slot = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.put' op a tile of type 'tensor<32xf32>' does not fill one of type 'tensor<32xf16, #tile_gpu.layout<}}
  tile_gpu.put %x to %slot tile 0 : tensor<32xf32>
  tile_gpu.commit %slot
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[1], [2], [4], [8], [16]], repeats = [1]>
#lanes = #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>
!ring = !tile_gpu.channel<2 x (tensor<32xf16, #shared>)>
func.func @copy_of_bits(%p: tensor<32xi1, #lanes>) {
  %c = tile_gpu.channel : !ring
  %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2>
  %s = tile_gpu.acquire %c[%at] : !ring
  // expected-error @+1 {{'tile_gpu.copy' op copies from pointers, not from}}
  tile_gpu.copy %p to %s tile 0 : tensor<32xi1, #lanes>
  tile_gpu.commit %s
  return
}
