// SPDX-License-Identifier: MIT
// Arithmetic that the language defines for every input while `arith` does not, and
// conversions with the language's rules. What `arith` and `math` define fully is theirs.

class Tile_TotalBinary<string mnemonic, string what, string rules>
    : Tile_Op<mnemonic, [Pure, Elementwise, SameOperandsAndResultType,
                        DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = what;
  let arguments = (ins Tile_ArithInt:$lhs, Tile_ArithInt:$rhs);
  let results = (outs Tile_ArithInt:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let description = [{
    This op does the same as the op of that name in `arith`, and is defined for every
    input: }] # rules # [{.

    `tile-simplify` replaces it by the `arith` op if it proves that the right operand
    avoids these cases.

    ```mlir
    %c = tile.}] # mnemonic # [{ %a, %b : tensor<128xi32>
    ```
  }];
}
def Tile_DivSIOp : Tile_TotalBinary<"divsi", "signed quotient, truncated toward zero",
    "a divisor of zero counts as 1, and MIN / -1 is MIN">;
def Tile_DivUIOp : Tile_TotalBinary<"divui", "unsigned quotient",
    "a divisor of zero counts as 1">;
def Tile_RemSIOp : Tile_TotalBinary<"remsi", "signed remainder with the dividend's sign",
    "a divisor of zero counts as 1, and the remainder of MIN / -1 is 0">;
def Tile_RemUIOp : Tile_TotalBinary<"remui", "unsigned remainder",
    "a divisor of zero counts as 1">;
def Tile_CeilDivSIOp : Tile_TotalBinary<"ceildivsi", "signed quotient, rounded up",
    "a divisor of zero counts as 1, MIN / -1 is MIN, and the ceiling is exact for every sign">;
def Tile_CeilDivUIOp : Tile_TotalBinary<"ceildivui", "unsigned quotient, rounded up",
    "a divisor of zero counts as 1, and the ceiling is exact">;
def Tile_ShLIOp : Tile_TotalBinary<"shli", "left shift",
    "the amount is unsigned, and a shift by the width or more gives 0">;
def Tile_ShRSIOp : Tile_TotalBinary<"shrsi", "right shift that fills with the sign",
    "the amount is unsigned, and a shift by the width or more leaves the sign in all bits">;
def Tile_ShRUIOp : Tile_TotalBinary<"shrui", "right shift that fills with zeros",
    "the amount is unsigned, and a shift by the width or more gives 0">;

class Tile_MulHigh<string mnemonic, string what>
    : Tile_Op<mnemonic, [Pure, Elementwise, Commutative, SameOperandsAndResultType]> {
  let summary = what;
  let description = [{
    ```mlir
    %h = tile.}] # mnemonic # [{ %a, %b : i32
    ```
  }];
  let arguments = (ins Tile_ArithInt:$lhs, Tile_ArithInt:$rhs);
  let results = (outs Tile_ArithInt:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
  let hasFolder = 1;
}
def Tile_MulHiUIOp : Tile_MulHigh<"mulhiui", "high half of the unsigned product">;
def Tile_MulHiSIOp : Tile_MulHigh<"mulhisi", "high half of the signed product">;

class Tile_FloatExtremum<string mnemonic, string what>
    : Tile_Op<mnemonic, [Pure, Elementwise, Commutative, SameOperandsAndResultType]> {
  let summary = what;
  let description = [{
    -0 is less than +0. If one operand is a NaN, the result is the other operand
    (`ignore`) or NaN (`propagate`). For integers use `arith.maxsi`, `arith.maxui`,
    `arith.minsi` and `arith.minui`.

    ```mlir
    %m = tile.}] # mnemonic # [{ %a, %b nan = ignore : tensor<128xf32>
    ```
  }];
  let arguments = (ins Tile_ArithFloat:$lhs, Tile_ArithFloat:$rhs, Tile_NanRuleAttr:$nan);
  let results = (outs Tile_ArithFloat:$result);
  let assemblyFormat = "$lhs `,` $rhs `nan` `=` custom<BareNanRule>($nan) attr-dict `:` type($result)";
  let hasFolder = 1;
}
def Tile_MaximumOp : Tile_FloatExtremum<"maximum", "the larger of two floats">;
def Tile_MinimumOp : Tile_FloatExtremum<"minimum", "the smaller of two floats">;

def Tile_ClampOp : Tile_Op<"clamp", [Pure, Elementwise, SameOperandsAndResultType]> {
  let summary = "minimum(maximum(x, low), high) of floats";
  let description = [{
    With `ignore` a NaN gives `low`. If low > high, the result is `high`.

    ```mlir
    %c = tile.clamp %x, %lo, %hi nan = ignore : tensor<128xf32>
    ```
  }];
  let arguments = (ins Tile_ArithFloat:$value, Tile_ArithFloat:$low, Tile_ArithFloat:$high,
                   Tile_NanRuleAttr:$nan);
  let results = (outs Tile_ArithFloat:$result);
  let assemblyFormat = [{
    $value `,` $low `,` $high `nan` `=` custom<BareNanRule>($nan) attr-dict `:` type($result)
  }];
  let hasFolder = 1;
}

def Tile_FpCastOp : Tile_Op<"fp_cast", [Pure, SameShape, Elementwise]> {
  let summary = "converts between float types with one rounding";
  let description = [{
    The conversion rounds to nearest even, or toward zero with `rounding = rtz`. A
    conversion to fp8 saturates; NaN stays NaN. In a conversion to f16 or bf16 an overflow
    gives infinity. Widening is exact. The two types differ.

    ```mlir
    %h = tile.fp_cast %x : tensor<128xf32> -> tensor<128xf16>
    %t = tile.fp_cast %x rounding = rtz : f32 -> bf16
    ```
  }];
  let arguments = (ins Tile_Float:$value,
    DefaultValuedAttr<Tile_RoundingAttr, "::tile::ir::Rounding::nearest_even">:$rounding);
  let results = (outs Tile_Float:$result);
  let assemblyFormat = [{
    $value (`rounding` `=` custom<BareRounding>($rounding)^)? attr-dict `:` type($value) `->` type($result)
  }];
  let hasFolder = 1;
  let hasVerifier = 1;
}

class Tile_FpToInt<string mnemonic, string what> : Tile_Op<mnemonic, [Pure, SameShape, Elementwise]> {
  let summary = what;
  let description = [{
    The conversion truncates toward zero and saturates at the ends of the integer type.
    NaN becomes 0.

    ```mlir
    %i = tile.}] # mnemonic # [{ %x : tensor<128xf32> -> tensor<128xi32>
    ```
  }];
  let arguments = (ins Tile_Float:$value);
  let results = (outs Tile_ArithInt:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
}
def Tile_FpToSIOp : Tile_FpToInt<"fptosi", "float to signed integer">;
def Tile_FpToUIOp : Tile_FpToInt<"fptoui", "float to unsigned integer">;

def Tile_PhiloxOp : Tile_Op<"philox", [Pure, SameShape, Elementwise,
    AllTypesMatch<["c0", "c1", "c2", "c3", "r0", "r1", "r2", "r3"]>]> {
  let summary = "four random words from a seed and a counter, by Philox-4x32-10";
  let description = [{
    The key is the 64-bit seed, low word first. The counter is (c0, c1, c2, c3).

    ```mlir
    %a, %b, %c, %d = tile.philox %seed, %c0, %c1, %c2, %c3 : tensor<128xi32>
    ```
  }];
  let arguments = (ins I64:$seed, Tile_I32:$c0, Tile_I32:$c1, Tile_I32:$c2, Tile_I32:$c3);
  let results = (outs Tile_I32:$r0, Tile_I32:$r1, Tile_I32:$r2, Tile_I32:$r3);
  let assemblyFormat = "$seed `,` $c0 `,` $c1 `,` $c2 `,` $c3 attr-dict `:` type($c0)";
}
