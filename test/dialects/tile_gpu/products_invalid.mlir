// SPDX-License-Identifier: MIT
// What products that go on while the program does refuse: sums that are looked at before a wait, nobody who
// awaits the last one, slots that are released while they are read.
// RUN: tile-opt %s -split-input-file -verify-diagnostics

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32>
!at = !tile_gpu.cursor<2 parity = true>
!ring = !tile_gpu.channel<2 x (!x, !x) barriers = true>

// Nothing is wrong with this one.
func.func @as_it_should_be(%n: i32, %none: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
  } warps 4 {
    %first = tile_gpu.cursor 0 : !at
    %no = tile_gpu.no_lease %c : !ring
    %r:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %last = %no, %at = %first) -> (!sums, !tile_gpu.lease, !at) : i32 {
      %lease = tile_gpu.wait %c[%at] : !ring
      %a = tile_gpu.view %lease tile 0 : !x
      %b = tile_gpu.view %lease tile 1 : !x
      %d = tile.dot %a, %b, %acc {tile_gpu.in_flight} : !x, !x, !sums
      tile_gpu.release %last
      %next = tile_gpu.advance %at : !at
      scf.yield %d, %lease, %next : !sums, !tile_gpu.lease, !at
    }
    %done = tile_gpu.await_products %r#0 : !sums
    tile_gpu.release %r#1
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32>
!at = !tile_gpu.cursor<2 parity = true>
!ring = !tile_gpu.channel<2 x (!x, !x) barriers = true>

func.func @nobody_waits(%n: i32, %none: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
  } warps 4 {
    %first = tile_gpu.cursor 0 : !at
    %no = tile_gpu.no_lease %c : !ring
    %r:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %last = %no, %at = %first) -> (!sums, !tile_gpu.lease, !at) : i32 {
      %lease = tile_gpu.wait %c[%at] : !ring
      %a = tile_gpu.view %lease tile 0 : !x
      %b = tile_gpu.view %lease tile 1 : !x
      // expected-error @+1 {{'tile.dot' op runs asynchronously and is never awaited: await_products is missing}}
      %d = tile.dot %a, %b, %acc {tile_gpu.in_flight} : !x, !x, !sums
      tile_gpu.release %last
      %next = tile_gpu.advance %at : !at
      scf.yield %d, %lease, %next : !sums, !tile_gpu.lease, !at
    }
    tile_gpu.release %r#1
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32>
!at = !tile_gpu.cursor<2 parity = true>
!ring = !tile_gpu.channel<2 x (!x, !x) barriers = true>

func.func @looked_at_in_the_loop(%n: i32, %none: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
  } warps 4 {
    %first = tile_gpu.cursor 0 : !at
    %no = tile_gpu.no_lease %c : !ring
    %r:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %last = %no, %at = %first) -> (!sums, !tile_gpu.lease, !at) : i32 {
      %lease = tile_gpu.wait %c[%at] : !ring
      %a = tile_gpu.view %lease tile 0 : !x
      %b = tile_gpu.view %lease tile 1 : !x
      // expected-note @+1 {{the product begins here}}
      %d = tile.dot %a, %b, %acc {tile_gpu.in_flight} : !x, !x, !sums
      tile_gpu.release %last
      // expected-error @+1 {{'arith.negf' op uses the sums of a product that is in flight; use the result of await_products}}
      %e = arith.negf %d : !sums
      %next = tile_gpu.advance %at : !at
      scf.yield %d, %lease, %next : !sums, !tile_gpu.lease, !at
    }
    %done = tile_gpu.await_products %r#0 : !sums
    tile_gpu.release %r#1
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32>
!at = !tile_gpu.cursor<2 parity = true>
!ring = !tile_gpu.channel<2 x (!x, !x) barriers = true>

func.func @looked_at_in_the_next_iteration(%n: i32, %none: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
  } warps 4 {
    %first = tile_gpu.cursor 0 : !at
    %no = tile_gpu.no_lease %c : !ring
    %r:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %last = %no, %at = %first) -> (!sums, !tile_gpu.lease, !at) : i32 {
      %lease = tile_gpu.wait %c[%at] : !ring
      %a = tile_gpu.view %lease tile 0 : !x
      %b = tile_gpu.view %lease tile 1 : !x
      // expected-error @+1 {{'arith.negf' op uses the sums of a product that is in flight; use the result of await_products}}
      %e = arith.negf %acc : !sums
      // expected-note @+1 {{the product begins here}}
      %d = tile.dot %a, %b, %acc {tile_gpu.in_flight} : !x, !x, !sums
      tile_gpu.release %last
      %next = tile_gpu.advance %at : !at
      scf.yield %d, %lease, %next : !sums, !tile_gpu.lease, !at
    }
    %done = tile_gpu.await_products %r#0 : !sums
    tile_gpu.release %r#1
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32>
!at = !tile_gpu.cursor<2 parity = true>
!ring = !tile_gpu.channel<2 x (!x, !x) barriers = true>

func.func @looked_at_behind_the_loop(%n: i32, %none: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
  } warps 4 {
    %first = tile_gpu.cursor 0 : !at
    %no = tile_gpu.no_lease %c : !ring
    %r:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %last = %no, %at = %first) -> (!sums, !tile_gpu.lease, !at) : i32 {
      %lease = tile_gpu.wait %c[%at] : !ring
      %a = tile_gpu.view %lease tile 0 : !x
      %b = tile_gpu.view %lease tile 1 : !x
      // expected-note @+1 {{the product begins here}}
      %d = tile.dot %a, %b, %acc {tile_gpu.in_flight} : !x, !x, !sums
      tile_gpu.release %last
      %next = tile_gpu.advance %at : !at
      scf.yield %d, %lease, %next : !sums, !tile_gpu.lease, !at
    }
    // expected-error @+1 {{'arith.negf' op uses the sums of a product that is in flight; use the result of await_products}}
    %e = arith.negf %r#0 : !sums
    %done = tile_gpu.await_products %r#0 : !sums
    tile_gpu.release %r#1
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32>
!at = !tile_gpu.cursor<2 parity = true>
!ring = !tile_gpu.channel<2 x (!x, !x) barriers = true>

func.func @released_before_the_next_product(%n: i32, %none: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
  } warps 4 {
    %first = tile_gpu.cursor 0 : !at
    %no = tile_gpu.no_lease %c : !ring
    %r:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %last = %no, %at = %first) -> (!sums, !tile_gpu.lease, !at) : i32 {
      %lease = tile_gpu.wait %c[%at] : !ring
      %a = tile_gpu.view %lease tile 0 : !x
      %b = tile_gpu.view %lease tile 1 : !x
      // expected-error @+1 {{'tile_gpu.release' op releases a slot that a product in flight may still read; release it after the next product, or after await_products}}
      tile_gpu.release %last
      // expected-note @+1 {{the product begins here}}
      %d = tile.dot %a, %b, %acc {tile_gpu.in_flight} : !x, !x, !sums
      %next = tile_gpu.advance %at : !at
      scf.yield %d, %lease, %next : !sums, !tile_gpu.lease, !at
    }
    %done = tile_gpu.await_products %r#0 : !sums
    tile_gpu.release %r#1
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32>
!at = !tile_gpu.cursor<2 parity = true>
!ring = !tile_gpu.channel<2 x (!x, !x) barriers = true>

func.func @released_before_the_wait(%n: i32, %none: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
  } warps 4 {
    %first = tile_gpu.cursor 0 : !at
    %no = tile_gpu.no_lease %c : !ring
    %r:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %last = %no, %at = %first) -> (!sums, !tile_gpu.lease, !at) : i32 {
      %lease = tile_gpu.wait %c[%at] : !ring
      %a = tile_gpu.view %lease tile 0 : !x
      %b = tile_gpu.view %lease tile 1 : !x
      // expected-note @+1 {{the product begins here}}
      %d = tile.dot %a, %b, %acc {tile_gpu.in_flight} : !x, !x, !sums
      tile_gpu.release %last
      %next = tile_gpu.advance %at : !at
      scf.yield %d, %lease, %next : !sums, !tile_gpu.lease, !at
    }
    // expected-error @+1 {{'tile_gpu.release' op releases a slot that a product in flight may still read; release it after the next product, or after await_products}}
    tile_gpu.release %r#1
    %done = tile_gpu.await_products %r#0 : !sums
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32>
!at = !tile_gpu.cursor<2 parity = true>
!ring = !tile_gpu.channel<2 x (!x, !x) barriers = true>

func.func @released_at_once(%n: i32, %none: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
  } warps 4 {
    %first = tile_gpu.cursor 0 : !at
    %lease = tile_gpu.wait %c[%first] : !ring
    %a = tile_gpu.view %lease tile 0 : !x
    %b = tile_gpu.view %lease tile 1 : !x
    // expected-note @+1 {{the product begins here}}
    %d = tile.dot %a, %b, %none {tile_gpu.in_flight} : !x, !x, !sums
    // expected-error @+1 {{'tile_gpu.release' op releases a slot that a product in flight may still read; release it after the next product, or after await_products}}
    tile_gpu.release %lease
    %done = tile_gpu.await_products %d : !sums
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32>
!ring = !tile_gpu.channel<2 x (!x, !x) barriers = true>

// Nothing is wrong with this one: the first product is over while the second one goes on.
func.func @one_pending(%none: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
  } warps 4 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    %lease = tile_gpu.wait %c[%at] : !ring
    %a = tile_gpu.view %lease tile 0 : !x
    %b = tile_gpu.view %lease tile 1 : !x
    %d = tile.dot %a, %b, %none {tile_gpu.in_flight} : !x, !x, !sums
    %next = tile_gpu.advance %at : !tile_gpu.cursor<2 parity = true>
    %other = tile_gpu.wait %c[%next] : !ring
    %y = tile_gpu.view %other tile 0 : !x
    %e = tile.dot %y, %y, %none {tile_gpu.in_flight} : !x, !x, !sums
    %first = tile_gpu.await_products %d pending 1 : !sums
    tile_gpu.release %lease
    %second = tile_gpu.await_products %e : !sums
    tile_gpu.release %other
  }
  return
}


// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32>
!ring = !tile_gpu.channel<2 x (!x, !x) barriers = true>

func.func @too_many_pending(%none: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
  } warps 4 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    %lease = tile_gpu.wait %c[%at] : !ring
    %a = tile_gpu.view %lease tile 0 : !x
    %b = tile_gpu.view %lease tile 1 : !x
    // expected-note @+1 {{the product begins here}}
    %d = tile.dot %a, %b, %none {tile_gpu.in_flight} : !x, !x, !sums
    // expected-error @+1 {{lets more products go on than were begun since, so this one may still write its sums; lower `pending`}}
    %first = tile_gpu.await_products %d pending 1 : !sums
    tile_gpu.release %lease
  }
  return
}


// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32>
!ring = !tile_gpu.channel<2 x (!x, !x) barriers = true>

func.func @still_read_by_the_second(%none: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
  } warps 4 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    %lease = tile_gpu.wait %c[%at] : !ring
    %a = tile_gpu.view %lease tile 0 : !x
    %b = tile_gpu.view %lease tile 1 : !x
    %d = tile.dot %a, %b, %none {tile_gpu.in_flight} : !x, !x, !sums
    %next = tile_gpu.advance %at : !tile_gpu.cursor<2 parity = true>
    %other = tile_gpu.wait %c[%next] : !ring
    %y = tile_gpu.view %other tile 0 : !x
    // expected-note @+1 {{the product begins here}}
    %e = tile.dot %y, %y, %none {tile_gpu.in_flight} : !x, !x, !sums
    %first = tile_gpu.await_products %d pending 1 : !sums
    tile_gpu.release %lease
    // expected-error @+1 {{releases a slot that a product in flight may still read}}
    tile_gpu.release %other
    %second = tile_gpu.await_products %e : !sums
  }
  return
}


// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32>
!ring = !tile_gpu.channel<2 x (!x, !x) barriers = true>

func.func @the_second_does_not_wait(%none: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c = tile_gpu.channel : !ring
  tile_gpu.roles warps 4 alone {
  } warps 4 {
    %at = tile_gpu.cursor 0 : !tile_gpu.cursor<2 parity = true>
    %lease = tile_gpu.wait %c[%at] : !ring
    %a = tile_gpu.view %lease tile 0 : !x
    %b = tile_gpu.view %lease tile 1 : !x
    // expected-note @+1 {{the product begins here}}
    %d = tile.dot %a, %b, %none {tile_gpu.in_flight} : !x, !x, !sums
    %e = tile.dot %b, %b, %none {tile_gpu.in_flight} : !x, !x, !sums
    // expected-error @+1 {{releases a slot that a product in flight may still read}}
    tile_gpu.release %lease
    %first = tile_gpu.await_products %d : !sums
    %second = tile_gpu.await_products %e : !sums
  }
  return
}

// -----

#shared = #tile_gpu.layout<shared offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]], repeats = [1, 1]>
!x = tensor<64x64xf16, #shared>
!sums = tensor<64x64xf32>

// The rules of products look at the view: it is verified before them.
func.func @a_view_of_nothing(%none: !sums) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  tile_gpu.roles warps 4 alone {
  } warps 4 {
    // expected-error @+1 {{requires a single operand}}
    %a = "tile_gpu.view"() <{tile = 0 : i32}> : () -> !x
    %d = tile.dot %a, %a, %none {tile_gpu.in_flight} : !x, !x, !sums
    %first = tile_gpu.await_products %d : !sums
  }
  return
}
