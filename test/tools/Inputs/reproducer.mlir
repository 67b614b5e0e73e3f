// SPDX-License-Identifier: MIT
func.func @f(%x: i32) -> i32 {
  %one = arith.constant 1 : i32
  %0 = tile.divsi %x, %one : i32
  return %0 : i32
}

{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: "builtin.module(func.func(tile-simplify))",
      disable_threading: true,
      verify_each: true
    }
  }
#-}
