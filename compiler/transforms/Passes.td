// SPDX-License-Identifier: MIT
// Every pass of the compiler: what it needs, what it leaves behind, and a picture of it. Their order is
// written in compiler/pipeline.cpp.
#ifndef TILE_PASSES_TD
#define TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileSimplify : Pass<"tile-simplify", "::mlir::func::FuncOp"> {
  let summary = "canonical forms of the tile dialect";
  let description = [{
    Brings a function into the one form that later passes expect:

    * Work is done before elements are repeated. Elementwise ops move above `tile.splat`,
      `tile.broadcast` and `tile.expand_dims` of their operands and so run on fewer elements.
    * A product and the sum it goes into become one op: `dot(a, b, 0) + c` is `dot(a, b, c)`.
      Integers always; floats unless the function has `tile.fp_fusion = false`, because the
      accumulator then takes part in the product's roundings.
    * `select(mask, load(p, mask), y)` is `load(p, mask, y)`.
    * What is known about integers (constants, loop bounds, `tile.assume`, grid limits) is used:
      the total ops of this dialect become `arith`'s where their right operand is harmless,
      masks that always hold disappear, remainders of small numbers too.
    * Canonicalization and common subexpressions run along until nothing changes: running the
      pass again changes nothing.

    Before:

    ```mlir
    %r = tile.arange 0 to 64 : tensor<64xi32>
    %s = tile.splat %stride : i32 -> tensor<64x1xi32>
    %c = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %o = arith.muli %c, %s : tensor<64x1xi32>
    %b = tile.broadcast %o : tensor<64x1xi32> -> tensor<64x32xi32>
    %p = tile.splat %x : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
    %q = tile.addptr %p, %b : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    ```

    After, with 64 instead of 2048 additions:

    ```mlir
    %r = tile.arange 0 to 64 : tensor<64xi32>
    %s = tile.splat %stride : i32 -> tensor<64xi32>
    %o = arith.muli %r, %s : tensor<64xi32>
    %p = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
    %a = tile.addptr %p, %o : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    %c = tile.expand_dims %a {axis = 1 : i32} : tensor<64x!tile.ptr<f16>> -> tensor<64x1x!tile.ptr<f16>>
    %q = tile.broadcast %c : tensor<64x1x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tile::ir::TileDialect"];
}

#endif
