// SPDX-License-Identifier: MIT
// Where a program is, what it may assume, and what it says while it runs.

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "index of this program along an axis of the grid";
  let description = [{
    ```mlir
    %pid = tile.program_id x
    ```
  }];
  let arguments = (ins Tile_AxisAttr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "custom<BareAxis>($axis) attr-dict";
}

def Tile_NumProgramsOp : Tile_Op<"num_programs", [Pure,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "number of programs along an axis of the grid";
  let description = [{
    ```mlir
    %n = tile.num_programs x
    ```
  }];
  let arguments = (ins Tile_AxisAttr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "custom<BareAxis>($axis) attr-dict";
}

def Tile_AssumeOp : Tile_Op<"assume", [Pure, AllTypesMatch<["value", "result"]>,
    DeclareOpInterfaceMethods<InferIntRangeInterface, ["inferResultRanges"]>]> {
  let summary = "promises a fact about a value";
  let description = [{
    The result is the operand. The compiler may rely on the promised facts:

    | attribute | fact |
    |---|---|
    | `divisible` | each element is a multiple of it; for a pointer, the address in bytes is |
    | `contiguous` | along the last axis, runs of this many elements count up by one |
    | `constant` | along the last axis, runs of this many elements are equal |
    | `range` | each element is in this range; signed, both ends included |

    The interpreter checks all of these facts, the simulator `divisible` and `range`.

    ```mlir
    %s = tile.assume %stride {divisible = 16 : i64} : i32
    ```
  }];
  let arguments = (ins Tile_Any:$value, OptionalAttr<I64Attr>:$divisible,
                   OptionalAttr<I64Attr>:$contiguous, OptionalAttr<I64Attr>:$constant,
                   OptionalAttr<DenseI64ArrayAttr>:$range);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_AssumeTrueOp : Tile_Op<"assume_true", [MemoryEffects<[MemWrite]>]> {
  let summary = "promises that a condition is true";
  let description = [{
    ```mlir
    tile.assume_true %c : i1
    ```
  }];
  let arguments = (ins Tile_Bool:$condition);
  let assemblyFormat = "$condition attr-dict `:` type($condition)";
  let hasCanonicalizeMethod = 1;
}

def Tile_AssumeApartOp : Tile_Op<"assume_apart", [MemoryEffects<[MemWrite]>]> {
  let summary = "promises that two pointers point into different buffers";
  let description = [{
    What the program stores through one of them, it does not load through the other. So a load may come before a
    store that precedes it. The promise counts for kernel arguments and pointers that are computed from them, if
    it stands in no branch and no loop of the kernel. The interpreter and the simulator check it.

    ```mlir
    tile.assume_apart %c, %a : !tile.ptr<f32>, !tile.ptr<f16>
    ```
  }];
  let arguments = (ins Tile_PtrType:$ptr, Tile_PtrType:$other);
  let assemblyFormat = "$ptr `,` $other attr-dict `:` qualified(type($ptr)) `,` qualified(type($other))";
}

def Tile_AssertOp : Tile_Op<"assert", [
    TypesMatchWith<"the mask has the condition's shape", "condition", "mask", "$_self",
                   "!getMask() || std::equal_to<>()">,
    MemoryEffects<[MemWrite]>]> {
  let summary = "stops the program if a condition is false";
  let description = [{
    The condition is checked where the mask is true. The check is always compiled in. Only
    the interpreter leaves it out, if `TILE_CHECK` does not include `asserts`.

    ```mlir
    tile.assert %c, "index in range", %mask : tensor<128xi1>
    ```
  }];
  let arguments = (ins Tile_Bool:$condition, StrAttr:$message, Optional<Tile_Bool>:$mask);
  let assemblyFormat = "$condition `,` $message (`,` $mask^)? attr-dict `:` type($condition)";
  let hasCanonicalizeMethod = 1;
}

def Tile_PrintOp : Tile_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "prints values while the kernel runs";
  let description = [{
    Each program prints one line for each element of each operand: prefix, program, index
    and value. With `hex` it prints the bits of the value. Integers are printed as signed;
    `unsigned_operands` has true at the position of an unsigned operand.

    ```mlir
    tile.print "x" (%x, %y) : tensor<8xf32>, i32
    ```
  }];
  let arguments = (ins StrAttr:$prefix, Variadic<Tile_Any>:$values, UnitAttr:$hex,
                   OptionalAttr<DenseBoolArrayAttr>:$unsigned_operands);
  let assemblyFormat = "$prefix (`hex` $hex^)? `(` $values `)` attr-dict (`:` type($values)^)?";
  let hasVerifier = 1;
}

def Tile_BarrierOp : Tile_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "orders the accesses of the program's threads to global memory";
  let description = [{
    ```mlir
    tile.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}
