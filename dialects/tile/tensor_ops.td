// SPDX-License-Identifier: MIT
// Whole-tile operations: products, reductions, scans, histograms.

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + a * b of matrices or of batches of matrices";
  let description = [{
    The shapes are `[M, K] x [K, N] + [M, N]`. All three may have a leading batch axis.
    Both operands have the same element type; only fp8 types may differ.

    | attribute | meaning |
    |---|---|
    | `unsigned_a`, `unsigned_b` | the 8-bit integers of this operand are unsigned |
    | `precision` | how f32 operands are multiplied |
    | `max_imprecise_acc` | after this many elements of K, partial sums of fp8 products are added in full f32; 0: never |

    | operands | accumulator and result | least K |
    |---|---|---|
    | f16 | f32, f16 | 16 |
    | bf16 | f32 | 16 |
    | f8E4M3FN, f8E5M2, mixed | f32, f16 | 32 |
    | f32 | f32 | 8 |
    | f64 | f64 | 4 |
    | i8 | i32, which wraps | 32 |

    ```mlir
    %c = tile.dot %a, %b, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    ```
  }];
  let arguments = (ins Tile_NumberTile:$a, Tile_NumberTile:$b, Tile_NumberTile:$acc,
    DefaultValuedAttr<Tile_PrecisionAttr, "::tile::ir::Precision::tf32">:$precision,
    DefaultValuedAttr<I32Attr, "0">:$max_imprecise_acc, UnitAttr:$unsigned_a, UnitAttr:$unsigned_b);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`precision` `=` custom<BarePrecision>($precision)^)?
    attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}

def Tile_ReduceOp : Tile_Op<"reduce", [RecursiveMemoryEffects, IsolatedFromAbove, SingleBlock]> {
  let summary = "combines the elements along an axis";
  let description = [{
    The op reduces N tiles of the same shape together. The region takes 2N scalars and
    yields N. Its first N arguments belong to the earlier elements. The operation must be
    associative, and need not be commutative. The region contains only pure ops and uses
    no value from outside; it defines its own constants. The reduction of a tile of rank 1
    gives a scalar.

    ```mlir
    %s = tile.reduce (%x) axis = 0 : (tensor<128xf32>) -> f32 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_NumberTile>:$values, I32Attr:$axis);
  let results = (outs Variadic<Tile_Number>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $values `)` `axis` `=` $axis attr-dict `:` functional-type($values, $results) $combine
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [RecursiveMemoryEffects, IsolatedFromAbove, SingleBlock]> {
  let summary = "inclusive scan along an axis";
  let description = [{
    The op combines elements as `tile.reduce` does, and gives the result for every prefix.
    With `reverse` it gives the result for every suffix and combines from the last
    element on. The first N arguments are then the combined later elements.

    ```mlir
    %s = tile.scan (%x) axis = 0 : (tensor<128xf32>) -> tensor<128xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    }
    ```
  }];
  let arguments = (ins Variadic<Tile_NumberTile>:$values, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_NumberTile>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = [{
    `(` $values `)` `axis` `=` $axis (`reverse` $reverse^)? attr-dict
    `:` functional-type($values, $results) $combine
  }];
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["ReduceOp", "ScanOp"]>]> {
  let summary = "ends a combine region";
  let description = [{
    ```mlir
    tile.yield %c : f32
    ```
  }];
  let arguments = (ins Variadic<Tile_Element>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Tile_HistogramOp : Tile_Op<"histogram", [Pure,
    TypesMatchWith<"the mask has the values' shape", "value", "mask",
                   "::tile::ir::getConditionType($_self)",
                   "!getMask() || std::equal_to<>()">,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "counts how often each value from 0 to bins - 1 occurs";
  let description = [{
    A value outside the bins is not counted, nor is a value where the mask is false.

    ```mlir
    %h = tile.histogram %x, %mask : tensor<2048xi32> -> tensor<8xi32>
    ```
  }];
  let arguments = (ins RankedTensorOf<[I32]>:$value, Optional<RankedTensorOf<[I1]>>:$mask);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$value (`,` $mask^)? attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
}
