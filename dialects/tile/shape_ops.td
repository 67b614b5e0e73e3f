// SPDX-License-Identifier: MIT
// Making tiles and moving their elements about.

def Tile_ArangeOp : Tile_Op<"arange", [Pure,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "the integers from start to end - 1";
  let description = [{
    ```mlir
    %r = tile.arange 0 to 128 : tensor<128xi32>
    ```
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "a tile filled with one scalar";
  let description = [{
    ```mlir
    %t = tile.splat %x : f32 -> tensor<128x64xf32>
    ```
  }];
  let arguments = (ins Tile_Element:$value);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "repeats elements along axes of extent 1";
  let description = [{
    Rank and element type stay the same. Each extent of 1 may become any extent.

    ```mlir
    %t = tile.broadcast %x : tensor<128x1xf32> -> tensor<128x64xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$value);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_ExpandDimsOp : Tile_Op<"expand_dims", [Pure,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "inserts an axis of extent 1";
  let description = [{
    ```mlir
    %t = tile.expand_dims %x {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$value, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "gives a tile another shape, with its elements in row-major order";
  let description = [{
    With `any_order` the compiler may choose the order of the elements.

    ```mlir
    %t = tile.reshape %x : tensor<32x4xf32> -> tensor<128xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$value, UnitAttr:$any_order);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value (`any_order` $any_order^)? attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_PermuteOp : Tile_Op<"permute", [Pure,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "reorders the axes";
  let description = [{
    Axis `i` of the result is axis `order[i]` of the operand.

    ```mlir
    %t = tile.permute %x [1, 0] : tensor<128x64xf16> -> tensor<64x128xf16>
    ```
  }];
  let arguments = (ins Tile_Tile:$value, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$value $order attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_JoinOp : Tile_Op<"join", [Pure, AllTypesMatch<["lhs", "rhs"]>,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "pairs two tiles along a new last axis of extent 2";
  let description = [{
    Two scalars give a tile of two elements.

    ```mlir
    %t = tile.join %a, %b : tensor<128xf16> -> tensor<128x2xf16>
    ```
  }];
  let arguments = (ins Tile_Any:$lhs, Tile_Any:$rhs);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_SplitOp : Tile_Op<"split", [Pure, AllTypesMatch<["lhs", "rhs"]>,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "undoes a join: the two tiles along a last axis of extent 2";
  let description = [{
    ```mlir
    %a, %b = tile.split %t : tensor<128x2xf16> -> tensor<128xf16>
    ```
  }];
  let arguments = (ins Tile_Tile:$value);
  let results = (outs Tile_Any:$lhs, Tile_Any:$rhs);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($lhs)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_Op<"gather", [Pure]> {
  let summary = "selects elements of a tile by indices along an axis";
  let description = [{
    Along `axis`, `result[.., i, ..] = source[.., index[.., i, ..], ..]`. The other
    extents of source and index are equal. An index outside the axis gives an unspecified
    value. The interpreter reports it as an error.

    ```mlir
    %t = tile.gather %x[%i] {axis = 0 : i32} : tensor<64xf32>, tensor<32xi32> -> tensor<32xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, RankedTensorOf<[I32, I64]>:$index, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $source `[` $index `]` attr-dict `:` type($source) `,` type($index) `->` type($result)
  }];
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}
