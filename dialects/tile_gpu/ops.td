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
    The producer acquires a slot, copies tiles into it and commits. The consumer waits for the slot, looks at
    it and releases it. Each of the two has a cursor that goes from slot to slot. All threads of the CTA do both,
    some iterations apart:

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

    Slots are filled, looked at and released in the order of the ring: the n-th wait is for the n-th commit. What
    threads have to wait for, and where they have to meet, follows from that order and stands in no operation.
  }];
  let arguments = (ins);
  let results = (outs Res<TileGpu_ChannelType, "", [MemAlloc<TileGpu_SharedMemory>]>:$channel);
  let assemblyFormat = "attr-dict `:` type($channel)";
}

def TileGpu_CursorOp : TileGpu_Op<"cursor", [Pure]> {
  let summary = "where a ring begins";
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
  let summary = "the next slot; after the last one the first, in the next round";
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
    Gives the slot, which is filled and committed in the same block.
  }];
  let results = (outs TileGpu_SlotType:$slot);
  let hasVerifier = 1;
}

def TileGpu_CommitOp : TileGpu_ChannelStep<"commit"> {
  let summary = "a slot is full once the copies into it have arrived";
  let arguments = (ins TileGpu_SlotType:$slot);
  let assemblyFormat = "$slot attr-dict";
  let hasVerifier = 1;
}

def TileGpu_WaitOp : TileGpu_CursorStep<"wait"> {
  let summary = "waits until a slot is full";
  let description = [{
    Gives a lease of the slot, which is released exactly once, in this iteration or in a later one. How many later
    copies may still be on their way, of this channel and of others, follows from the order of commits and waits.
  }];
  let results = (outs TileGpu_LeaseType:$lease);
  let hasVerifier = 1;
}

def TileGpu_ReleaseOp : TileGpu_ChannelStep<"release"> {
  let summary = "nobody looks at this slot any more";
  let arguments = (ins TileGpu_LeaseType:$lease);
  let assemblyFormat = "$lease attr-dict";
}

def TileGpu_NoLeaseOp : TileGpu_Op<"no_lease", [Pure]> {
  let summary = "what a loop that hands its leases on begins with";
  let description = [{
    A lease of no slot. Releasing it does nothing. A loop that releases in each iteration the slot of the one before
    has none in the first.

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
  let summary = "waits until the products are made whose sums these are";
  let description = [{
    A product that is marked `tile_gpu.in_flight` goes on while the program does: only the products before it are
    over, and its sums are for the next product of the same kind, or for this, alone. After the wait they are
    values, and the operands of all products have been read.

    ```mlir
    %sum = tile_gpu.await_products %in_flight : tensor<128x128xf32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$sums);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$sums attr-dict `:` type($sums)";
}

def TileGpu_DrainOp : TileGpu_ChannelStep<"drain"> {
  let summary = "what was committed and not waited for is given up";
  let description = [{
    Waits until nothing is on its way into the channel any more. Copies that ran ahead of a loop's end are
    taken back by this; the ring is empty, and may begin anew at any slot.

    ```mlir
    tile_gpu.drain %c : !tile_gpu.channel<...>
    ```
  }];
  let arguments = (ins TileGpu_ChannelType:$channel);
  let assemblyFormat = "$channel attr-dict `:` type($channel)";
}

def TileGpu_CopyOp : TileGpu_Op<"copy", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemWrite<TileGpu_SharedMemory>]>]> {
  let summary = "copy from global memory into a slot";
  let description = [{
    There are two kinds of producers. `async n`: cp.async moves n elements at a time, of 4, 8 or 16 bytes together,
    and arrives later. Without it the threads load and store, single elements if need be.

    Elements whose mask is false become zero; nothing is copied, and the slot's contents are undefined, where
    the condition is false. `inside` counts the elements that are to be copied from each one on, along the axis
    in which memory is contiguous and up to the length of a vector, so that a matrix may end within one: the
    others become zero, too.

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
  let summary = "a computed tile goes into a slot";
  let description = [{
    The threads store what they have of it.

    ```mlir
    tile_gpu.put %x to %slot tile 0 : tensor<128x64xf16, #l>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, TileGpu_SlotType:$slot, I32Attr:$tile);
  let assemblyFormat = "$value `to` $slot `tile` $tile attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def TileGpu_TensorMapOp : TileGpu_Op<"tensor_map", [Pure]> {
  let summary = "describes to the copy engine a tensor that the launch determines";
  let description = [{
    The launcher encodes it and passes it to the kernel. Extents and strides in elements, the last axis is
    contiguous; each is a number or an argument of the kernel. `box`: what one copy takes. `swizzle`: the bytes of a row
    of the box in shared memory whose pieces of 16 are exchanged, or 0.

    ```mlir
    %a = tile_gpu.tensor_map of 0 extents [#tile_gpu.argument<3>, #tile_gpu.argument<5>] strides [#tile_gpu.argument<6>]
      box [128, 64] of f16 swizzle 128 : !llvm.ptr
    ```
  }];
  let arguments = (ins I64Attr:$base, ArrayAttr:$extents, ArrayAttr:$strides, DenseI64ArrayAttr:$box,
                       TypeAttr:$element, I32Attr:$swizzle, UnitAttr:$nan, UnitAttr:$written);
  let results = (outs LLVM_AnyPointer:$map);
  let assemblyFormat = [{
    `of` $base `extents` $extents `strides` $strides `box` $box `of` $element `swizzle` $swizzle (`nan` $nan^)?
    (`written` $written^)? attr-dict `:` type($map)
  }];
  let hasVerifier = 1;
}

def TileGpu_WorkspaceOp : TileGpu_Op<"workspace", [Pure]> {
  let summary = "global memory of the CTA's own, while the launch lasts";
  let description = [{
    So many bytes, aligned to 128; what they hold at first is undefined. A kernel has one workspace.

    ```mlir
    %w = tile_gpu.workspace 256 : !llvm.ptr<1>
    ```
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntPositive]>:$bytes);
  let results = (outs LLVM_PointerInAddressSpace<1>:$memory);
  let assemblyFormat = "$bytes attr-dict `:` type($memory)";
}

def TileGpu_DeviceMapOp : TileGpu_Op<"device_map", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "describes to the copy engine a tensor that the program determines";
  let description = [{
    The first thread of a role makes a map of 128 bytes at byte `at` of the workspace, and is the only one that may
    use it. The map is like `like`, a map of a tensor without elements, but for base, extents and strides, which
    are in elements, the last axis contiguous. A tensor with an extent below 1 has no elements.

    Nothing that uses the map that was there before is on its way any more: see `tile_gpu.await_copies` and
    `tile_gpu.await_stores`. With `when`, it is made where that holds, else it is what it was.

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
  let summary = "the producer waits until all boxes that it has had copied have landed";
  let description = [{
    Those of the slots before its cursor. The channel has barriers.

    ```mlir
    tile_gpu.await_copies %c[%fill] : !tile_gpu.channel<...>
    ```
  }];
  let hasVerifier = 1;
}

def TileGpu_CopyBoxOp : TileGpu_Op<"copy_box", [MemoryEffects<[MemRead, MemWrite<TileGpu_SharedMemory>]>]> {
  let summary = "the copy engine fills a tile of a slot";
  let description = [{
    With the part of a tensor at some coordinates, of all axes. `shared`: all CTAs of the cluster want it, each has a
    part of it copied to all. What lies outside of the tensor becomes zero, or NaN if
    the map says so. The channel has barriers; the slot is full when all of its bytes have landed.

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
  let summary = "the copy engine stores a tile to a part of a tensor";
  let description = [{
    The tile goes through a channel of the threads that hold it, some columns at a time: each slot takes as many as the
    channel's tile is wide. What lies outside of the tensor is dropped. The stores go on while the threads do;
    a slot is written again when its store has read it. Before the threads end they await all.

    Coordinates are not negative, and a row of the tensor has a multiple of 16 bytes.

    ```mlir
    tile_gpu.store_box %x to %map[%m, %n] through %c
      : tensor<128x256xf16, #acc>, !llvm.ptr, !tile_gpu.channel<2 x (tensor<128x64xf16, #swizzled>)>
    tile_gpu.await_stores
    ```
  }];
  let arguments = (ins AnyRankedTensor:$value, LLVM_AnyPointer:$map, Variadic<I32>:$coords, TileGpu_ChannelType:$channel);
  let assemblyFormat = [{
    $value `to` $map `[` $coords `]` `through` $channel attr-dict `:` type($value) `,` type($map) `,` type($channel)
  }];
  let hasVerifier = 1;
}

def TileGpu_AwaitStoresOp : TileGpu_Op<"await_stores", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "waits until all tiles that were given to the copy engine are stored";
  let assemblyFormat = "attr-dict";
}

def TileGpu_CtaRankOp : TileGpu_Op<"cta_rank", [Pure]> {
  let summary = "the number of the CTA among those that share a program";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def TileGpu_CtaIdOp : TileGpu_Op<"cta_id", [Pure]> {
  let summary = "the number of the CTA, or of the cluster, of a kernel whose CTAs run several programs each";
  let description = [{
    CTAs that share a program have one number. They go over the programs of the grid, which `tile.num_programs` counts; there are `tile_gpu.cta_count` CTAs.

    ```mlir
    %first = tile_gpu.cta_id
    %step = tile_gpu.cta_count
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def TileGpu_CtaCountOp : TileGpu_Op<"cta_count", [Pure]> {
  let summary = "how many CTAs run a kernel whose CTAs run several programs each";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def TileGpu_ViewOp : TileGpu_Op<"view", [Pure]> {
  let summary = "a tile of a slot, where it lies in shared memory";
  let description = [{
    Costs nothing. A `tile.permute` of a view is a view, too.

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
  let summary = "a tile from shared memory to registers";
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
