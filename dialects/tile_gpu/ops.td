// SPDX-License-Identifier: MIT
#ifndef TILE_GPU_OPS_TD
#define TILE_GPU_OPS_TD

include "dialects/tile_gpu/ptx_ops.td"
include "dialects/tile_gpu/role_ops.td"
include "dialects/tile_gpu/base.td"
include "dialects/tile/types.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TileGpu_ConvertLayoutOp : TileGpu_Op<"convert_layout", [Pure, SameOperandsAndResultShape,
    SameOperandsAndResultElementType]> {
  let summary = "the same tile in another layout";
  let description = [{
    Costs nothing, moves between registers, shuffles, or goes through shared memory, as the
    two layouts require.

    ```mlir
    %y = tile_gpu.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #mma>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

//===------------------------------------------------------------------------===//
// Channels: every hand-over through shared memory that does not happen at once
//===------------------------------------------------------------------------===//

def TileGpu_SharedMemory : Resource<"::tile::gpu::SharedMemory">;

def TileGpu_ChannelOp : TileGpu_Op<"channel"> {
  let summary = "a ring of slots in shared memory";
  let description = [{
    The producer acquires a slot, copies tiles into it and commits; the consumer waits for the slot, reads
    and releases it. Both count slots from 0 and begin again after the last. All threads of the CTA do both,
    some iterations apart:

    ```mlir
    %c = tile_gpu.channel : !tile_gpu.channel<3 x (tensor<128x64xf16, #swizzled>)>
    tile_gpu.acquire %c[%next] : !tile_gpu.channel<...>
    tile_gpu.copy %pointers to %c[%next] tile 0 mask %m : tensor<128x64x!tile.ptr<f16>, #blocked>, !tile_gpu.channel<...>, tensor<...>
    tile_gpu.commit %c[%next] : !tile_gpu.channel<...>

    tile_gpu.wait %c[%now] ahead 1 : !tile_gpu.channel<...>
    %a = tile_gpu.read %c[%now] tile 0 : !tile_gpu.channel<...> -> tensor<128x64xf16, #operand>
    tile_gpu.release %c[%now] : !tile_gpu.channel<...>
    ```

    Steps come in pairs: in each block, a channel's copies stand between an acquire and its commit, its reads
    between a wait and its release.
  }];
  let arguments = (ins);
  let results = (outs Res<TileGpu_ChannelType, "", [MemAlloc<TileGpu_SharedMemory>]>:$channel);
  let assemblyFormat = "attr-dict `:` type($channel)";
  let hasVerifier = 1;
}

class TileGpu_ChannelStep<string mnemonic> : TileGpu_Op<mnemonic, [
    MemoryEffects<[MemRead<TileGpu_SharedMemory>, MemWrite<TileGpu_SharedMemory>]>]> {
  let arguments = (ins TileGpu_ChannelType:$channel, I32:$slot);
  let assemblyFormat = "$channel `[` $slot `]` attr-dict `:` type($channel)";
}

def TileGpu_AcquireOp : TileGpu_ChannelStep<"acquire"> {
  let summary = "waits until a slot may be overwritten";
  let description = [{
    `first`: nothing else has made sure that the other threads are done with what was in the slot before.
  }];
  let arguments = (ins TileGpu_ChannelType:$channel, I32:$slot, UnitAttr:$first);
  let assemblyFormat = "$channel `[` $slot `]` (`first` $first^)? attr-dict `:` type($channel)";
}

def TileGpu_CommitOp : TileGpu_ChannelStep<"commit"> {
  let summary = "the copies into a slot are complete once they have arrived";
}

def TileGpu_WaitOp : TileGpu_ChannelStep<"wait"> {
  let summary = "waits until a slot is full";
  let description = [{
    `ahead`: how many slots were committed after this one and may still be on their way.
  }];
  let arguments = (ins TileGpu_ChannelType:$channel, I32:$slot, I32Attr:$ahead);
  let assemblyFormat = "$channel `[` $slot `]` `ahead` $ahead attr-dict `:` type($channel)";
}

def TileGpu_ReleaseOp : TileGpu_ChannelStep<"release"> {
  let summary = "this slot has been read";
}

def TileGpu_CopyOp : TileGpu_Op<"copy", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite<TileGpu_SharedMemory>]>]> {
  let summary = "asynchronous copy from global memory into a slot";
  let description = [{
    Elements whose mask is false become zero; nothing is copied, and the slot's contents are undefined, where
    the condition is false. `inside` counts the elements that are to be copied from each one on, along the axis
    in which memory is contiguous and up to the length of a vector, so that a matrix may end within one: the
    others become zero, too.

    ```mlir
    tile_gpu.copy %p to %c[%slot] tile 0 mask %m inside %n if %more
      : tensor<128x64x!tile.ptr<f16>, #l>, !tile_gpu.channel<...>, tensor<128x64xi1, #l> inside tensor<128x64xi32, #l>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$ptr, TileGpu_ChannelType:$channel, I32:$slot,
    Optional<AnyRankedTensor>:$mask, Optional<RankedTensorOf<[I32]>>:$inside, Optional<I1>:$condition, I32Attr:$tile,
    DefaultValuedAttr<Tile_CacheAttr, "::tile::ir::Cache::none">:$cache,
    DefaultValuedAttr<Tile_EvictAttr, "::tile::ir::Evict::normal">:$evict);
  let assemblyFormat = [{
    $ptr `to` $channel `[` $slot `]` `tile` $tile (`mask` $mask^)? (`inside` $inside^)? (`if` $condition^)? attr-dict
    `:` type($ptr) `,` type($channel) (`,` type($mask)^)? (`inside` type($inside)^)?
  }];
  let hasVerifier = 1;
}

def TileGpu_ReadOp : TileGpu_Op<"read", [MemoryEffects<[MemRead<TileGpu_SharedMemory>]>]> {
  let summary = "a tile of a slot, in registers";
  let arguments = (ins TileGpu_ChannelType:$channel, I32:$slot, I32Attr:$tile);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$channel `[` $slot `]` `tile` $tile attr-dict `:` type($channel) `->` type($result)";
  let hasVerifier = 1;
}

//===------------------------------------------------------------------------===//
// What one thread does, after tiles have become registers
//===------------------------------------------------------------------------===//

def TileGpu_LoadGlobalOp : TileGpu_Op<"load_global", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "consecutive elements from global memory";
  let description = [{
    Reads as many elements as there are results, in one instruction of up to 16 bytes. Where
    the predicate is false nothing is touched and the results are the `other`s, or zero.

    ```mlir
    %a, %b = tile_gpu.load_global %p if %c : (!tile.ptr<f32>) -> (f32, f32)
    ```
  }];
  let arguments = (ins Tile_PtrType:$ptr, Optional<I1>:$predicate, Variadic<Tile_Element>:$others,
    DefaultValuedAttr<Tile_CacheAttr, "::tile::ir::Cache::none">:$cache,
    DefaultValuedAttr<Tile_EvictAttr, "::tile::ir::Evict::normal">:$evict, UnitAttr:$is_volatile);
  let results = (outs Variadic<Tile_Element>:$results);
  let assemblyFormat = "$ptr (`if` $predicate^)? (`else` $others^ `:` type($others))? attr-dict `:` `(` type($ptr) `)` `->` `(` type($results) `)`";
  let hasVerifier = 1;
}

def TileGpu_StoreGlobalOp : TileGpu_Op<"store_global", [AttrSizedOperandSegments, MemoryEffects<[MemWrite]>]> {
  let summary = "consecutive elements to global memory";
  let description = [{
    ```mlir
    tile_gpu.store_global %p, %a, %b if %c : !tile.ptr<f32>, f32, f32
    ```
  }];
  let arguments = (ins Tile_PtrType:$ptr, Variadic<Tile_Element>:$values, Optional<I1>:$predicate,
    DefaultValuedAttr<Tile_CacheAttr, "::tile::ir::Cache::none">:$cache,
    DefaultValuedAttr<Tile_EvictAttr, "::tile::ir::Evict::normal">:$evict, UnitAttr:$is_volatile);
  let assemblyFormat = "$ptr `,` $values (`if` $predicate^)? attr-dict `:` type($ptr) `,` type($values)";
  let hasVerifier = 1;
}

def TileGpu_CopyGlobalOp : TileGpu_Op<"copy_global", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite<TileGpu_SharedMemory>]>]> {
  let summary = "consecutive bytes from global to shared memory, asynchronously";
  let description = [{
    4, 8 or 16 bytes. Only the first `inside` bytes are read, if it is given, and none where the predicate is
    false; zeros arrive in the place of the others.

    ```mlir
    tile_gpu.copy_global %p to %s bytes 16 inside %n if %c : !tile.ptr<f16>, !llvm.ptr<3>
    ```
  }];
  let arguments = (ins Tile_PtrType:$ptr, LLVM_PointerInAddressSpace<3>:$address, I32Attr:$bytes,
    Optional<I32>:$inside, Optional<I1>:$predicate, DefaultValuedAttr<Tile_EvictAttr, "::tile::ir::Evict::normal">:$evict);
  let assemblyFormat = "$ptr `to` $address `bytes` $bytes (`inside` $inside^)? (`if` $predicate^)? attr-dict `:` type($ptr) `,` type($address)";
}

def TileGpu_SharedOp : TileGpu_Op<"shared", [Pure]> {
  let summary = "address of a part of the CTA's shared memory";
  let description = [{
    Exchanges between threads all use the same bytes, one after the other; barriers keep them apart.

    ```mlir
    %s = tile_gpu.shared offset 98304 : !llvm.ptr<3>
    ```
  }];
  let arguments = (ins I64Attr:$offset);
  let results = (outs LLVM_PointerInAddressSpace<3>:$address);
  let assemblyFormat = "`offset` $offset attr-dict `:` type($address)";
}

def TileGpu_AtomicGlobalOp : TileGpu_Op<"atomic_global", [AllTypesMatch<["value", "result"]>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "reads, combines and writes one element of global memory in one step";
  let description = [{
    Gives the old value. Where the predicate is false nothing is touched and the result is zero.

    ```mlir
    %old = tile_gpu.atomic_global <fadd> %p, %x if %c ordering <relaxed> scope <gpu> : !tile.ptr<f32>, f32
    ```
  }];
  let arguments = (ins Tile_UpdateAttr:$update, Tile_PtrType:$ptr, Tile_Element:$value, Optional<I1>:$predicate,
    Tile_OrderingAttr:$ordering, Tile_ScopeAttr:$scope);
  let results = (outs Tile_Element:$result);
  let assemblyFormat = [{
    $update $ptr `,` $value (`if` $predicate^)? `ordering` $ordering `scope` $scope attr-dict
    `:` type($ptr) `,` type($value)
  }];
}

def TileGpu_SwapGlobalOp : TileGpu_Op<"swap_global", [AllTypesMatch<["expected", "desired", "result"]>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stores a value where global memory holds the expected bits";
  let description = [{
    Gives the old value. Where the predicate is false nothing is touched and the result is zero.

    ```mlir
    %old = tile_gpu.swap_global %p, %e, %d if %c ordering <acq_rel> scope <gpu> : !tile.ptr<i32>, i32
    ```
  }];
  let arguments = (ins Tile_PtrType:$ptr, Tile_Element:$expected, Tile_Element:$desired,
    Optional<I1>:$predicate, Tile_OrderingAttr:$ordering, Tile_ScopeAttr:$scope);
  let results = (outs Tile_Element:$result);
  let assemblyFormat = [{
    $ptr `,` $expected `,` $desired (`if` $predicate^)? `ordering` $ordering `scope` $scope attr-dict
    `:` type($ptr) `,` type($desired)
  }];
}

def TileGpu_TableOp : TileGpu_Op<"table", [Pure]> {
  let summary = "an element of a constant table";
  let description = [{
    The index counts the elements in row-major order; it is inside the table.

    ```mlir
    %x = tile_gpu.table dense<[3, 1, 2, 5]> : tensor<4xi32>[%i] : i32
    ```
  }];
  let arguments = (ins ElementsAttr:$values, I32:$index);
  let results = (outs Tile_Element:$result);
  let assemblyFormat = "$values `[` $index `]` attr-dict `:` type($result)";
}

def TileGpu_FaultRecordOp : TileGpu_Op<"fault_record", [Pure]> {
  let summary = "where a program that fails leaves word of it";
  let description = [{
    Six numbers in global memory that the host reads after a launch: whether anything has failed, which of
    the kernel's checks, the program's three ids, and the row-major number of the element. The first to change
    the first number from 0 to 1 writes the others.

    ```mlir
    %record = tile_gpu.fault_record : !tile.ptr<i32>
    ```
  }];
  let results = (outs Tile_PtrType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TileGpu_PrintfOp : TileGpu_Op<"printf", [MemoryEffects<[MemWrite]>]> {
  let summary = "one call of the device's printf";
  let description = [{
    Operands are of 32 or 64 bits; floats are f64, as C's variable arguments are.

    ```mlir
    tile_gpu.printf "x (pid %d) %d\0A" (%pid, %x) : i32, i32
    ```
  }];
  let arguments = (ins StrAttr:$format, Variadic<AnyTypeOf<[I32, I64, F64]>>:$values);
  let assemblyFormat = "$format (`(` $values^ `)`)? attr-dict (`:` type($values)^)?";
}

#endif
