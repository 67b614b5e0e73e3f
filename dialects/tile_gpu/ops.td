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
    The two layouts decide the cost. The conversion is free, moves elements between registers,
    shuffles them within a warp, or passes them through shared memory.

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
    The producer acquires a slot, copies tiles into it and commits it. The consumer waits for the slot, reads it and
    releases it. Each has a cursor that advances from slot to slot. Here all threads of the CTA are producer and
    consumer, some iterations apart:

    ```mlir
    %c = tile_gpu.channel : !tile_gpu.channel<3 x (tensor<128x64xf16, #swizzled>)>
    %slot = tile_gpu.acquire %c[%fill] : !tile_gpu.channel<...>
    tile_gpu.copy %pointers to %slot tile 0 async 8 mask %m : tensor<128x64x!tile.ptr<f16>, #blocked>, tensor<...>
    tile_gpu.commit %slot
    %filled = tile_gpu.advance %fill : !tile_gpu.cursor<3>

    %lease = tile_gpu.wait %c[%now] : !tile_gpu.channel<...>
    %v = tile_gpu.view %lease tile 0 : tensor<128x64xf16, #swizzled>
    %a = tile_gpu.read %v : tensor<128x64xf16, #swizzled> -> tensor<128x64xf16, #operand>
    tile_gpu.release %lease
    ```

    Slots are filled, read and released in the order of the ring: the n-th wait is for the n-th commit. This order
    determines which copies a thread waits for and where all threads need a barrier. No op states it.
  }];
  let arguments = (ins);
  let results = (outs Res<TileGpu_ChannelType, "", [MemAlloc<TileGpu_SharedMemory>]>:$channel);
  let assemblyFormat = "attr-dict `:` type($channel)";
}

def TileGpu_CursorOp : TileGpu_Op<"cursor", [Pure]> {
  let summary = "a position in a ring";
  let description = [{
    ```mlir
    %first = tile_gpu.cursor 0 : !tile_gpu.cursor<3>
    ```
  }];
  let arguments = (ins I32Attr:$slot);
  let results = (outs TileGpu_CursorType:$cursor);
  let assemblyFormat = "$slot attr-dict `:` type($cursor)";
  let hasVerifier = 1;
}

def TileGpu_AdvanceOp : TileGpu_Op<"advance", [Pure, AllTypesMatch<["cursor", "next"]>]> {
  let summary = "moves a cursor to the next slot; after the last slot comes the first, in the next round";
  let arguments = (ins TileGpu_CursorType:$cursor);
  let results = (outs TileGpu_CursorType:$next);
  let assemblyFormat = "$cursor attr-dict `:` type($cursor)";
}

// What takes threads a step on: it must stay where it is, as seen from all that uses shared memory.
class TileGpu_ChannelStep<string mnemonic, list<Trait> traits = []> : TileGpu_Op<mnemonic, traits # [
    MemoryEffects<[MemRead<TileGpu_SharedMemory>, MemWrite<TileGpu_SharedMemory>]>]>;

// A step that goes to the slot under a cursor.
class TileGpu_CursorStep<string mnemonic> : TileGpu_ChannelStep<mnemonic, [
    TypesMatchWith<"the cursor counts the channel's slots", "channel", "cursor",
        "::mlir::cast<::tile::gpu::ChannelType>($_self).getCursor()">]> {
  let arguments = (ins TileGpu_ChannelType:$channel, TileGpu_CursorType:$cursor);
  let assemblyFormat = "$channel `[` $cursor `]` attr-dict `:` type($channel)";
}

def TileGpu_AcquireOp : TileGpu_CursorStep<"acquire"> {
  let summary = "waits until a slot may be overwritten";
  let description = [{
    The result is the slot. It is filled and committed in the same block.
  }];
  let results = (outs TileGpu_SlotType:$slot);
  let hasVerifier = 1;
}

def TileGpu_CommitOp : TileGpu_ChannelStep<"commit"> {
  let summary = "commits a slot, which is full when the copies into it have arrived";
  let arguments = (ins TileGpu_SlotType:$slot);
  let assemblyFormat = "$slot attr-dict";
  let hasVerifier = 1;
}

def TileGpu_WaitOp : TileGpu_CursorStep<"wait"> {
  let summary = "waits until a slot is full";
  let description = [{
    The result is a lease of the slot. It is released exactly once, in this iteration or in a later one. The order of
    commits and waits determines how many later copies may still be in flight, of this channel and of others.
  }];
  let results = (outs TileGpu_LeaseType:$lease);
  let hasVerifier = 1;
}

def TileGpu_ReleaseOp : TileGpu_ChannelStep<"release"> {
  let summary = "ends the reading of a slot";
  let arguments = (ins TileGpu_LeaseType:$lease);
  let assemblyFormat = "$lease attr-dict";
}

def TileGpu_NoLeaseOp : TileGpu_Op<"no_lease", [Pure]> {
  let summary = "a lease of no slot, the first value of a loop that carries leases";
  let description = [{
    Its release does nothing. A loop may release, in each iteration, the slot of the iteration before. In its first
    iteration there is no such slot.

    ```mlir
    %none = tile_gpu.no_lease %c : !tile_gpu.channel<...>
    ```
  }];
  let arguments = (ins TileGpu_ChannelType:$channel);
  let results = (outs TileGpu_LeaseType:$lease);
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
  let hasVerifier = 1;
}

def TileGpu_AwaitProductsOp : TileGpu_Op<"await_products", [Elementwise, AllTypesMatch<["sums", "result"]>,
    MemoryEffects<[MemRead<TileGpu_SharedMemory>, MemWrite<TileGpu_SharedMemory>]>]> {
  let summary = "waits for the products that write these sums";
  let description = [{
    A product with `tile_gpu.in_flight` is asynchronous. When it has been issued, only the products before it are
    complete. Its sums may be used in two ways: as the accumulator of the next product in flight, or as the operand
    of this op. After the wait the sums are ordinary values, and the operands of the products have been read.

    `pending`: how many of the products that were begun last may still go on.

    ```mlir
    %sum = tile_gpu.await_products %in_flight : tensor<128x128xf32>

    %first = tile.dot ... {tile_gpu.in_flight}
    %second = tile.dot ... {tile_gpu.in_flight}
    %s = tile_gpu.await_products %first pending 1 : tensor<128x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$sums, DefaultValuedAttr<I32Attr, "0">:$pending);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$sums (`pending` $pending^)? attr-dict `:` type($sums)";
}

def TileGpu_ComputeFirstOp : TileGpu_Op<"compute_first",
    [MemoryEffects<[MemRead<TileGpu_SharedMemory>, MemWrite<TileGpu_SharedMemory>]>]> {
  let summary = "these tiles are computed before a wait that follows";
  let description = [{
    An assembler moves a wait for products up in front of arithmetic, and then the products go on beside nothing. This
    op keeps the wait after what computes the tiles.

    ```mlir
    tile_gpu.compute_first %p, %total : tensor<128x128xf32>, tensor<128xf32>
    %sum = tile_gpu.await_products %in_flight : tensor<128x128xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$tiles);
  let assemblyFormat = "$tiles attr-dict `:` type($tiles)";
}

def TileGpu_DrainOp : TileGpu_ChannelStep<"drain"> {
  let summary = "discards the slots that were committed and not awaited";
  let description = [{
    The op waits until no copy into the channel is in flight. It discards copies that ran ahead past the end of a
    loop. The ring is then empty and may start again at any slot.

    ```mlir
    tile_gpu.drain %c : !tile_gpu.channel<...>
    ```
  }];
  let arguments = (ins TileGpu_ChannelType:$channel);
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
}

def TileGpu_CopyOp : TileGpu_Op<"copy", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite<TileGpu_SharedMemory>]>]> {
  let summary = "copies a tile from global memory into a slot";
  let description = [{
    | form | copy |
    |---|---|
    | `async n` | cp.async moves n elements at a time, together 4, 8 or 16 bytes; the copy is asynchronous |
    | without `async` | the threads load and store, single elements if necessary |

    * `mask`: elements with a false mask become zero.
    * `inside`: a matrix may end within a vector. For each element, `inside` counts how many elements to copy from
      there on: along the axis in which memory is contiguous, up to the length of a vector. The others become zero.
    * `if`: if the condition is false, nothing is copied, and the contents of the slot are undefined.

    ```mlir
    tile_gpu.copy %p to %slot tile 0 async 8 mask %m inside %n if %more
      : tensor<128x64x!tile.ptr<f16>, #l>, tensor<128x64xi1, #l> inside tensor<128x64xi32, #l>
    tile_gpu.copy %q to %slot tile 1 : tensor<64x128x!tile.ptr<f16>, #l>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$ptr, TileGpu_SlotType:$slot,
    Optional<AnyRankedTensor>:$mask, Optional<RankedTensorOf<[I32]>>:$inside, Optional<I1>:$condition, I32Attr:$tile,
    OptionalAttr<I32Attr>:$async,
    DefaultValuedAttr<Tile_CacheAttr, "::tile::ir::Cache::none">:$cache,
    DefaultValuedAttr<Tile_EvictAttr, "::tile::ir::Evict::normal">:$evict);
  let assemblyFormat = [{
    $ptr `to` $slot `tile` $tile (`async` $async^)? (`mask` $mask^)? (`inside` $inside^)? (`if` $condition^)? attr-dict
    `:` type($ptr) (`,` type($mask)^)? (`inside` type($inside)^)?
  }];
  let hasVerifier = 1;
}

def TileGpu_PutOp : TileGpu_Op<"put", [MemoryEffects<[MemWrite<TileGpu_SharedMemory>]>]> {
  let summary = "stores a computed tile into a slot";
  let description = [{
    Each thread stores the elements that it holds.

    ```mlir
    tile_gpu.put %x to %slot tile 0 : tensor<128x64xf16, #l>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, TileGpu_SlotType:$slot, I32Attr:$tile);
  let assemblyFormat = "$value `to` $slot `tile` $tile attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def TileGpu_TensorMapOp : TileGpu_Op<"tensor_map", [Pure]> {
  let summary = "a tensor map for the copy engine, encoded at the launch";
  let description = [{
    The launcher encodes the map and passes it to the kernel.

    | part | meaning |
    |---|---|
    | `of` | the number of the kernel's argument that is the base |
    | `extents`, `strides` | in elements; each is a number, an argument of the kernel, or computed from these; the last axis is contiguous |
    | `box` | the extents of one copy |
    | `swizzle` | the bytes of a row of the box in shared memory, within which units of 16 bytes are permuted; 0: no swizzle |
    | `nan` | elements outside the tensor become NaN |
    | `written` | the kernel stores through the map |
    | `anchored` | the base is an anchor: its address is rounded down to a multiple of 16 bytes, and coordinates lead from there to any other address |

    ```mlir
    %a = tile_gpu.tensor_map of 0 extents [#tile_gpu.argument<3>, #tile_gpu.argument<5>] strides [#tile_gpu.argument<6>]
      box [128, 64] of f16 swizzle 128 : !llvm.ptr
    ```
  }];
  let arguments = (ins I64Attr:$base, ArrayAttr:$extents, ArrayAttr:$strides, DenseI64ArrayAttr:$box,
                       TypeAttr:$element, I32Attr:$swizzle, UnitAttr:$nan, UnitAttr:$written,
                       UnitAttr:$anchored);
  let results = (outs LLVM_AnyPointer:$map);
  let assemblyFormat = [{
    `of` $base `extents` $extents `strides` $strides `box` $box `of` $element `swizzle` $swizzle (`nan` $nan^)?
    (`written` $written^)? (`anchored` $anchored^)? attr-dict `:` type($map)
  }];
  let hasVerifier = 1;
}

def TileGpu_WorkspaceOp : TileGpu_Op<"workspace", [Pure]> {
  let summary = "global memory for each CTA during a launch";
  let description = [{
    The attribute is the number of bytes. They are aligned to 128, and their first contents are undefined. A kernel
    has one workspace.

    ```mlir
    %w = tile_gpu.workspace 256 : !llvm.ptr<1>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$bytes);
  let results = (outs LLVM_PointerInAddressSpace<1>:$memory);
  let assemblyFormat = "$bytes attr-dict `:` type($memory)";
}

def TileGpu_DeviceMapOp : TileGpu_Op<"device_map", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a tensor map for the copy engine, made by the program";
  let description = [{
    The first thread of a role makes a map of 128 bytes at byte `at` of the workspace. Only this thread may use the
    map. `like` is a map of a tensor without elements. The new map copies it and replaces base, extents and strides.
    Extents and strides count in elements, and the last axis is contiguous. A tensor with an extent below 1 has no
    elements.

    No copy or store that uses the previous map at this place may be in flight: wait with `tile_gpu.await_copies` or
    `tile_gpu.await_stores`. With `when`, the map is made only if the condition is true; otherwise the previous map
    stays.

    ```mlir
    %map = tile_gpu.device_map of %base extents [%m, %k] strides [%row] like %none in %w at 128
      : !tile.ptr<f16>, !llvm.ptr, !llvm.ptr<1> -> !llvm.ptr
    ```
  }];
  let arguments = (ins AnyType:$base, Variadic<I64>:$extents, Variadic<I64>:$strides, LLVM_AnyPointer:$like,
                       LLVM_PointerInAddressSpace<1>:$workspace, I32Attr:$at, Optional<I1>:$when);
  let results = (outs LLVM_AnyPointer:$map);
  let assemblyFormat = [{
    `of` $base `extents` `[` $extents `]` `strides` `[` $strides `]` `like` $like `in` $workspace `at` $at
    (`when` $when^)? attr-dict
    `:` type($base) `,` type($like) `,` type($workspace) `->` type($map)
  }];
  let hasVerifier = 1;
}

def TileGpu_AwaitCopiesOp : TileGpu_CursorStep<"await_copies"> {
  let summary = "the producer waits until all boxes that it copied have arrived";
  let description = [{
    The op waits for all slots before the cursor. The channel has barriers.

    ```mlir
    tile_gpu.await_copies %c[%fill] : !tile_gpu.channel<...>
    ```
  }];
  let hasVerifier = 1;
}

def TileGpu_AwaitSlotOrEndOp : TileGpu_ChannelStep<"await_slot_or_end", [SameVariadicOperandSize]> {
  let summary = "the producer waits until a slot may be overwritten, or ends because the role that reads has ended";
  let description = [{
    A role whose assert fails ends, and releases no slot any more. The roles name a channel on which such a role says so.
    This op waits for a slot of the producer, as `tile_gpu.acquire` does. If the other role has ended, it waits until
    all boxes that were copied have arrived, and ends the producer, too. `copied` are all channels that the producer
    fills, each with its cursor.

    ```mlir
    tile_gpu.await_slot_or_end %c[%fill] copied (%c, %d) [%fill, %next]
      : !tile_gpu.channel<...>, !tile_gpu.cursor<3> copied (!tile_gpu.channel<...>, !tile_gpu.channel<...>)
      [!tile_gpu.cursor<3>, !tile_gpu.cursor<1>]
    ```
  }];
  let arguments = (ins TileGpu_ChannelType:$channel, TileGpu_CursorType:$cursor, Variadic<TileGpu_ChannelType>:$copied,
                       Variadic<TileGpu_CursorType>:$cursors);
  let assemblyFormat = [{
    $channel `[` $cursor `]` `copied` `(` $copied `)` `[` $cursors `]` attr-dict
    `:` type($channel) `,` type($cursor) `copied` `(` type($copied) `)` `[` type($cursors) `]`
  }];
  let hasVerifier = 1;
}

def TileGpu_CopyBoxOp : TileGpu_Op<"copy_box", [MemoryEffects<[MemRead, MemWrite<TileGpu_SharedMemory>]>]> {
  let summary = "the copy engine fills a tile of a slot";
  let description = [{
    The engine copies the part of the tensor at the given coordinates, one for each axis. Elements outside the tensor
    become zero, or NaN with `nan` in the map. The channel has barriers: the slot is full when all of its bytes have
    arrived.

    `shared`: all CTAs of the cluster need the same tile. Each CTA issues the copy of a part of it to all of them.

    ```mlir
    tile_gpu.copy_box %map[%m, %k] to %slot tile 0 : !llvm.ptr
    ```
  }];
  let arguments = (ins LLVM_AnyPointer:$map, Variadic<I32>:$coords, TileGpu_SlotType:$slot, I32Attr:$tile,
                       UnitAttr:$shared);
  let assemblyFormat = "$map `[` $coords `]` `to` $slot `tile` $tile (`shared` $shared^)? attr-dict `:` type($map)";
  let hasVerifier = 1;
}

def TileGpu_StoreBoxOp : TileGpu_Op<"store_box", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the copy engine stores a tile to a part of a tensor, or adds it";
  let description = [{
    The tile goes through a channel without barriers, some columns at a time: each slot takes as many columns as the
    channel's tile has. Elements outside the tensor are not stored. The stores are asynchronous. A slot is written
    again only when the store before has read it. The threads await all stores before they end.

    Coordinates are not negative. The column coordinate and the rows of the tensor are multiples of 16 bytes.

    `adds`: each element is added to what is there, once and atomically.

    ```mlir
    tile_gpu.store_box %x to %map[%m, %n] through %c
      : tensor<128x256xf16, #acc>, !llvm.ptr, !tile_gpu.channel<2 x (tensor<128x64xf16, #swizzled>)>
    tile_gpu.await_stores
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, LLVM_AnyPointer:$map, Variadic<I32>:$coords, TileGpu_ChannelType:$channel,
                   UnitAttr:$adds);
  let assemblyFormat = [{
    $value `to` $map `[` $coords `]` `through` $channel (`adds` $adds^)? attr-dict
    `:` type($value) `,` type($map) `,` type($channel)
  }];
  let hasVerifier = 1;
}

def TileGpu_AwaitStoresOp : TileGpu_Op<"await_stores", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until the copy engine has completed all stores";
  let assemblyFormat = "attr-dict";
}

def TileGpu_CtaRankOp : TileGpu_Op<"cta_rank", [Pure]> {
  let summary = "the rank of the CTA among the CTAs that share a program";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def TileGpu_CtaIdOp : TileGpu_Op<"cta_id", [Pure]> {
  let summary = "the number of the CTA or cluster, in a kernel that runs several programs in each CTA";
  let description = [{
    CTAs that share a program have the same number. Together the CTAs loop over the programs of the grid.
    `tile.num_programs` counts the programs, `tile_gpu.cta_count` the CTAs.

    ```mlir
    %first = tile_gpu.cta_id
    %step = tile_gpu.cta_count
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def TileGpu_CtaCountOp : TileGpu_Op<"cta_count", [Pure]> {
  let summary = "the number of CTAs or clusters, in a kernel that runs several programs in each CTA";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def TileGpu_ViewOp : TileGpu_Op<"view", [Pure]> {
  let summary = "a tile of a slot, in shared memory";
  let description = [{
    A view is free. A `tile.permute` of a view is a view, too.

    ```mlir
    %v = tile_gpu.view %lease tile 0 : tensor<64x128xf16, #swizzled>
    ```
  }];
  let arguments = (ins TileGpu_LeaseType:$lease, I32Attr:$tile);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$lease `tile` $tile attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TileGpu_ReadOp : TileGpu_Op<"read", [MemoryEffects<[MemRead<TileGpu_SharedMemory>]>,
    SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "reads a tile from shared memory into registers";
  let description = [{
    ```mlir
    %a = tile_gpu.read %v : tensor<64x128xf16, #swizzled> -> tensor<64x128xf16, #operand>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$view);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$view attr-dict `:` type($view) `->` type($result)";
  let hasVerifier = 1;
}

//===------------------------------------------------------------------------===//
// What one thread does, after tiles have become registers
//===------------------------------------------------------------------------===//

def TileGpu_LoadGlobalOp : TileGpu_Op<"load_global", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "loads consecutive elements from global memory";
  let description = [{
    The op reads as many elements as it has results, in one instruction of up to 16 bytes. If
    the predicate is false, no memory is accessed, and the results are the `else` values, or zero.

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
  let summary = "stores consecutive elements to global memory";
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
  let summary = "copies consecutive bytes from global to shared memory asynchronously";
  let description = [{
    The op copies 4, 8 or 16 bytes. With `inside` it reads only this many bytes, and zeros replace the others. If the
    predicate is false, it reads nothing, and all bytes become zero.

    ```mlir
    tile_gpu.copy_global %p to %s bytes 16 inside %n if %c : !tile.ptr<f16>, !llvm.ptr<3>
    ```
  }];
  let arguments = (ins Tile_PtrType:$ptr, LLVM_PointerInAddressSpace<3>:$address, I32Attr:$bytes,
    Optional<I32>:$inside, Optional<I1>:$predicate, DefaultValuedAttr<Tile_EvictAttr, "::tile::ir::Evict::normal">:$evict);
  let assemblyFormat = "$ptr `to` $address `bytes` $bytes (`inside` $inside^)? (`if` $predicate^)? attr-dict `:` type($ptr) `,` type($address)";
}

def TileGpu_SharedOp : TileGpu_Op<"shared", [Pure]> {
  let summary = "the address of a part of the CTA's shared memory";
  let description = [{
    All exchanges between threads use the same bytes, one exchange after the other. Barriers separate them.

    ```mlir
    %s = tile_gpu.shared offset 98304 : !llvm.ptr<3>
    ```
  }];
  let arguments = (ins I64Attr:$offset);
  let results = (outs LLVM_PointerInAddressSpace<3>:$address);
  let assemblyFormat = "`offset` $offset attr-dict `:` type($address)";
}

def TileGpu_AddGlobalOp : TileGpu_Op<"add_global", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "adds floats to consecutive elements of global memory, to each of them atomically";
  let description = [{
    The order is `relaxed`, and nobody asks for the old values. The elements are f16, bf16 or f32, and as many as one
    instruction of the target adds.

    ```mlir
    tile_gpu.add_global %p, %a, %b if %c scope <gpu> : !tile.ptr<f32>, f32, f32
    ```
  }];
  let arguments = (ins Tile_PtrType:$ptr, Variadic<Tile_Element>:$values, Optional<I1>:$predicate,
    Tile_ScopeAttr:$scope);
  let assemblyFormat = "$ptr `,` $values (`if` $predicate^)? `scope` $scope attr-dict `:` type($ptr) `,` type($values)";
  let hasVerifier = 1;
}

def TileGpu_AtomicGlobalOp : TileGpu_Op<"atomic_global", [AllTypesMatch<["value", "result"]>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "reads, combines and writes one element of global memory atomically";
  let description = [{
    The result is the old value. If the predicate is false, no memory is accessed and the result is zero.

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
  let summary = "stores a value atomically if global memory holds the expected bits";
  let description = [{
    The result is the old value. If the predicate is false, no memory is accessed and the result is zero.

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
    The index counts the elements in row-major order. It must be inside the table.

    ```mlir
    %x = tile_gpu.table dense<[3, 1, 2, 5]> : tensor<4xi32>[%i] : i32
    ```
  }];
  let arguments = (ins ElementsAttr:$values, I32:$index);
  let results = (outs Tile_Element:$result);
  let assemblyFormat = "$values `[` $index `]` attr-dict `:` type($result)";
}

def TileGpu_FaultRecordOp : TileGpu_Op<"fault_record", [Pure]> {
  let summary = "the address of the record that a failing program writes";
  let description = [{
    The record is six numbers in global memory, which the host reads after a launch:

    * whether a check has failed;
    * the number of that check in the kernel;
    * the three ids of the program;
    * the row-major number of the element.

    The thread that changes the first number from 0 to 1 writes the others.

    ```mlir
    %record = tile_gpu.fault_record : !tile.ptr<i32>
    ```
  }];
  let results = (outs Tile_PtrType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TileGpu_PrintfOp : TileGpu_Op<"printf", [MemoryEffects<[MemWrite]>]> {
  let summary = "prints a text with values of this thread";
  let description = [{
    Operands have 32 or 64 bits. Floats are f64, as in C's variable arguments.

    On a GPU the op writes a record: the number of the format, and the values. The host reads the records and formats
    them. The simulator formats the values at once.

    ```mlir
    tile_gpu.printf "x (pid %d) %d\0A" (%pid, %x) : i32, i32
    ```
  }];
  let arguments = (ins StrAttr:$format, Variadic<AnyTypeOf<[I32, I64, F64]>>:$values);
  let assemblyFormat = "$format (`(` $values^ `)`)? attr-dict (`:` type($values)^)?";
}

#endif
