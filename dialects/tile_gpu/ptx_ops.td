// SPDX-License-Identifier: MIT
// Instructions of PTX that neither LLVM nor the NVVM dialect has an op for, on LLVM's types.
#ifndef TILE_GPU_PTX_OPS_TD
#define TILE_GPU_PTX_OPS_TD

include "dialects/tile_gpu/base.td"
include "dialects/tile/types.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

// What a register holds; a byte travels in 16 bits of one.
def TileGpu_Word : AnyTypeOf<[I8, I16, I32, I64], "a word of 8 to 64 bits">;
def TileGpu_GlobalAddress : LLVM_PointerInAddressSpace<1>;

// These ops end the common part of all ways of a kernel: `tile-gpu-to-ptx` makes assembly text of them,
// `tile-gpu-to-simulator` calls.
class TileGpu_PtxOp<string mnemonic, list<Trait> traits> : TileGpu_Op<"ptx_" # mnemonic, traits>;

def TileGpu_PtxLoadOp : TileGpu_PtxOp<"load", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "loads consecutive words from global memory";
  let description = [{
    If the predicate is false, no memory is accessed and the results are the `else` values.

    ```mlir
    %w = tile_gpu.ptx_load %p if %c else %other : i32 {cache = #tile.cache<cg>} : (!llvm.ptr<1>) -> (i32)
    ```
  }];
  let arguments = (ins TileGpu_GlobalAddress:$ptr, Optional<I1>:$predicate, Variadic<TileGpu_Word>:$others,
    DefaultValuedAttr<Tile_CacheAttr, "::tile::ir::Cache::none">:$cache,
    DefaultValuedAttr<Tile_EvictAttr, "::tile::ir::Evict::normal">:$evict, UnitAttr:$is_volatile);
  let results = (outs Variadic<TileGpu_Word>:$results);
  let assemblyFormat = "$ptr (`if` $predicate^)? (`else` $others^ `:` type($others))? attr-dict `:` `(` type($ptr) `)` `->` `(` type($results) `)`";
  let hasVerifier = 1;
}

def TileGpu_PtxStoreOp : TileGpu_PtxOp<"store", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "stores consecutive words to global memory";
  let description = [{
    ```mlir
    tile_gpu.ptx_store %p, %w0, %w1 if %c : !llvm.ptr<1>, i32, i32
    ```
  }];
  let arguments = (ins TileGpu_GlobalAddress:$ptr, Variadic<TileGpu_Word>:$words, Optional<I1>:$predicate,
    DefaultValuedAttr<Tile_CacheAttr, "::tile::ir::Cache::none">:$cache,
    DefaultValuedAttr<Tile_EvictAttr, "::tile::ir::Evict::normal">:$evict, UnitAttr:$is_volatile);
  let assemblyFormat = "$ptr `,` $words (`if` $predicate^)? attr-dict `:` type($ptr) `,` type($words)";
}

def TileGpu_PtxStoreAsyncOp : TileGpu_PtxOp<"store_async", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stores a word to the shared memory of a CTA of the cluster, and says so to an mbarrier there";
  let description = [{
    The mbarrier lies in the same CTA as the word. It counts the bytes of the word when they have landed. Who waits for
    it sees the word. The thread itself does not wait.

    ```mlir
    tile_gpu.ptx_store_async %p, %w completes %barrier : !llvm.ptr<7>, i32, !llvm.ptr<7>
    ```
  }];
  let arguments = (ins LLVM_PointerInAddressSpace<7>:$ptr, AnyTypeOf<[I32, I64]>:$word,
    LLVM_PointerInAddressSpace<7>:$mbarrier);
  let assemblyFormat = "$ptr `,` $word `completes` $mbarrier attr-dict `:` type($ptr) `,` type($word) `,` type($mbarrier)";
}

def TileGpu_PtxAddOp : TileGpu_PtxOp<"add", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "adds floats to consecutive words of global memory, to each float atomically";
  let description = [{
    A word is bits; `of` names the type of the floats that they have: one f32, or two of f16 or bf16.

    ```mlir
    tile_gpu.ptx_add %p, %w0, %w1 of f16 if %c scope <gpu> : !llvm.ptr<1>, i32, i32
    ```
  }];
  let arguments = (ins TileGpu_GlobalAddress:$ptr, Variadic<I32>:$words, TypeAttr:$element, Optional<I1>:$predicate,
    Tile_ScopeAttr:$scope);
  let assemblyFormat = [{
    $ptr `,` $words `of` $element (`if` $predicate^)? `scope` $scope attr-dict `:` type($ptr) `,` type($words)
  }];
}

def TileGpu_PtxAtomicOp : TileGpu_PtxOp<"atomic", [AllTypesMatch<["value", "result"]>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "reads, combines and writes a word of global memory atomically";
  let description = [{
    A word is bits; `of` names the element type that they have, for example for `fadd`. The result is the old bits.
    If the predicate is false, no memory is accessed and the result is zero.

    ```mlir
    %old = tile_gpu.ptx_atomic <fadd> %p, %x of bf16 if %c ordering <relaxed> scope <gpu> : !llvm.ptr<1>, i16
    ```
  }];
  let arguments = (ins Tile_UpdateAttr:$update, TileGpu_GlobalAddress:$ptr, TileGpu_Word:$value,
    TypeAttr:$element, Optional<I1>:$predicate, Tile_OrderingAttr:$ordering, Tile_ScopeAttr:$scope);
  let results = (outs TileGpu_Word:$result);
  let assemblyFormat = [{
    $update $ptr `,` $value `of` $element (`if` $predicate^)? `ordering` $ordering `scope` $scope attr-dict
    `:` type($ptr) `,` type($value)
  }];
}

def TileGpu_PtxSwapOp : TileGpu_PtxOp<"swap", [AllTypesMatch<["expected", "desired", "result"]>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stores a word atomically if global memory holds the expected word";
  let description = [{
    The result is the old bits. If the predicate is false, no memory is accessed and the result is zero.

    ```mlir
    %old = tile_gpu.ptx_swap %p, %e, %d if %c ordering <acq_rel> scope <gpu> : !llvm.ptr<1>, i32
    ```
  }];
  let arguments = (ins TileGpu_GlobalAddress:$ptr, TileGpu_Word:$expected, TileGpu_Word:$desired,
    Optional<I1>:$predicate, Tile_OrderingAttr:$ordering, Tile_ScopeAttr:$scope);
  let results = (outs TileGpu_Word:$result);
  let assemblyFormat = [{
    $ptr `,` $expected `,` $desired (`if` $predicate^)? `ordering` $ordering `scope` $scope attr-dict
    `:` type($ptr) `,` type($desired)
  }];
}

def TileGpu_PtxShiftLeftOp : TileGpu_PtxOp<"shift_left", [Pure]> {
  let summary = "left shift by up to 2^32 - 1 bits; a shift by 64 or more gives zero";
  let description = [{
    ```mlir
    %y = tile_gpu.ptx_shift_left %x, %amount : i64, i32
    ```
  }];
  let arguments = (ins I64:$value, I32:$amount);
  let results = (outs I64:$result);
  let assemblyFormat = "$value `,` $amount attr-dict `:` type($value) `,` type($amount)";
}

def TileGpu_PtxShiftRightOp : TileGpu_PtxOp<"shift_right", [Pure]> {
  let summary = "right shift by up to 2^32 - 1 bits; a shift by 64 or more gives zero, or the sign with `is_signed`";
  let description = [{
    ```mlir
    %y = tile_gpu.ptx_shift_right %x, %amount {is_signed} : i64, i32
    ```
  }];
  let arguments = (ins I64:$value, I32:$amount, UnitAttr:$is_signed);
  let results = (outs I64:$result);
  let assemblyFormat = "$value `,` $amount attr-dict `:` type($value) `,` type($amount)";
}

def TileGpu_PtxMmaOp : TileGpu_PtxOp<"mma", [AttrSizedOperandSegments]> {
  let summary = "multiplies matrices of 8-bit floats; all threads of a warp compute 16 rows";
  let description = [{
    This is `mma.sync` with 16 rows, 8 columns and 32 bytes of k, for the element types that `nvvm.mma.sync` lacks:
    f8E4M3FN and f8E5M2, also mixed. The table in `compiler/target/matrix_units.h` lists the combinations. A and B are
    words of four elements, in the fragments of mma.m16n8k32.

    ```mlir
    %d = tile_gpu.ptx_mma [%a0, %a1, %a2, %a3] * [%b0, %b1] onto [%c0, %c1, %c2, %c3] {type_a = f8E4M3FN, type_b = f8E5M2}
      : !llvm.struct<(f32, f32, f32, f32)>
    ```
  }];
  let arguments = (ins Variadic<I32>:$a, Variadic<I32>:$b, Variadic<F32>:$sums, TypeAttr:$type_a, TypeAttr:$type_b);
  let results = (outs LLVM_AnyStruct:$result);
  let assemblyFormat = "`[` $a `]` `*` `[` $b `]` `onto` `[` $sums `]` attr-dict `:` type($result)";
  let extraClassDeclaration = [{
    // The row of the matrix unit; null if there is no such row.
    const ::tile::MatrixUnit *getMatrixUnit();
  }];
  let hasVerifier = 1;
}

def TileGpu_PtxWgmmaOp : TileGpu_PtxOp<"wgmma", [AttrSizedOperandSegments, AllTypesMatch<["accumulators", "result"]>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "issues an asynchronous product of matrices; all threads of a warpgroup compute 64 rows";
  let description = [{
    This is `wgmma.mma_async` with 64 rows, `n` columns and 32 bytes of k. A is a matrix descriptor or four registers,
    B is a matrix descriptor. The op differs from `nvvm.wgmma.mma_async` in two ways: it takes A from registers, and it
    decides at run time whether it adds to the accumulators.

    **Use the result only after a `ptx_wgmma_wait` that covers the op and returns the result.** Before that wait, the
    result stands for registers that the matrix unit may still write. You may pass it to further `ptx_wgmma` of the
    same shape.

    Element types are f16, bf16, tf32, f8E4M3FN, f8E5M2, si8 and ui8. The table in `compiler/target/matrix_units.h`
    lists the combinations. `transpose_a` and `transpose_b` say that the contiguous axis of the operand is not k; only
    16-bit elements allow it. `if` says whether the op adds to the accumulators. Without `if` it adds.

    ```mlir
    %d = tile_gpu.ptx_wgmma [%a] * %b onto %c if %p {n = 8 : i32, type_a = f16, type_b = f16}
      : !llvm.struct<(f32, f32, f32, f32)>, i64
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[I32, I64]>>:$a, I64:$b, LLVM_AnyStruct:$accumulators, Optional<I1>:$accumulate,
    I32Attr:$n, TypeAttr:$type_a, TypeAttr:$type_b, UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$negate_a,
    UnitAttr:$negate_b);
  let results = (outs LLVM_AnyStruct:$result);
  let assemblyFormat = [{
    `[` $a `]` `*` $b `onto` $accumulators (`if` $accumulate^)? attr-dict `:` type($accumulators) `,` type($a)
  }];
  let extraClassDeclaration = [{
    // The row of the matrix unit; null if there is no such row.
    const ::tile::MatrixUnit *getMatrixUnit();
    // Whether A comes from registers and not from shared memory.
    bool hasRegisters() { return getA().size() > 1; }
  }];
  let hasVerifier = 1;
}

def TileGpu_PtxComputeFirstOp : TileGpu_PtxOp<"compute_first", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "these words are computed before a wait that follows";
  let description = [{
    The assembler moves a wait up to where the registers that it waits for are named last, but not across a branch. This
    is a branch that depends on the words. It is almost never taken, and harmless then.

    ```mlir
    tile_gpu.ptx_compute_first %a, %b
    ```
  }];
  let arguments = (ins Variadic<I32>:$words);
  let assemblyFormat = "$words attr-dict";
}

def TileGpu_PtxWgmmaWaitOp : TileGpu_PtxOp<"wgmma_wait", [MemoryEffects<[MemRead, MemWrite]>,
    TypesMatchWith<"accumulators keep their types", "accumulators", "results", "$_self">]> {
  let summary = "waits until at most a given number of groups of matrix operations are in flight";
  let description = [{
    This is `wgmma.wait_group`. Its operands are the accumulators that the program uses next. If the wait covers the
    operations that write an accumulator, the result is its value. Any other accumulator still stands for registers of
    an operation in flight.

    ```mlir
    %values = tile_gpu.ptx_wgmma_wait 0 for %d : !llvm.struct<(f32, f32, f32, f32)>
    ```
  }];
  let arguments = (ins I32Attr:$pending, Variadic<LLVM_AnyStruct>:$accumulators);
  let results = (outs Variadic<LLVM_AnyStruct>:$results);
  let assemblyFormat = "$pending (`for` $accumulators^ `:` type($accumulators))? attr-dict";
}

#endif
