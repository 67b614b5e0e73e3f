// SPDX-License-Identifier: MIT
// Pointers, loads and stores, descriptors, atomics.

def Tile_AddPtrOp : Tile_Op<"addptr", [Pure, SameShape, Elementwise, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "adds a number of elements to a pointer";
  let description = [{
    The offset is sign-extended to 64 bits, or zero-extended with `unsigned_offset`. It is
    then multiplied by the size of the pointee.

    ```mlir
    %q = tile.addptr %p, %i : tensor<128x!tile.ptr<f16>>, tensor<128xi32>
    ```
  }];
  let arguments = (ins Tile_Ptr:$ptr, Tile_Offset:$offset, UnitAttr:$unsigned_offset);
  let results = (outs Tile_Ptr:$result);
  let assemblyFormat = [{
    $ptr `,` $offset (`unsigned` $unsigned_offset^)? attr-dict `:` type($ptr) `,` type($offset)
  }];
  let hasCanonicalizeMethod = 1;
  let hasFolder = 1;
}

def Tile_PtrToIntOp : Tile_Op<"ptr_to_int", [Pure, SameShape, Elementwise]> {
  let summary = "the address as a 64-bit integer";
  let description = [{
    ```mlir
    %i = tile.ptr_to_int %p : !tile.ptr<f16> -> i64
    ```
  }];
  let arguments = (ins Tile_Ptr:$ptr);
  let results = (outs Tile_I64:$result);
  let assemblyFormat = "$ptr attr-dict `:` type($ptr) `->` type($result)";
  let hasFolder = 1;
}

def Tile_IntToPtrOp : Tile_Op<"int_to_ptr", [Pure, SameShape, Elementwise]> {
  let summary = "a 64-bit integer as an address";
  let description = [{
    ```mlir
    %p = tile.int_to_ptr %i : i64 -> !tile.ptr<f16>
    ```
  }];
  let arguments = (ins Tile_I64:$value);
  let results = (outs Tile_Ptr:$result);
  let assemblyFormat = "$value attr-dict `:` type($value) `->` type($result)";
  let hasFolder = 1;
}

def Tile_LoadOp : Tile_Op<"load", [
    TypesMatchWith<"the result is what the pointers point to", "ptr", "result",
                   "::tile::ir::getPointeeType($_self)">,
    TypesMatchWith<"the mask has the pointers' shape", "ptr", "mask",
                   "::tile::ir::getConditionType($_self)",
                   "!getMask() || std::equal_to<>()">,
    TypesMatchWith<"`other` has the loaded type", "ptr", "other",
                   "::tile::ir::getPointeeType($_self)",
                   "!getOther() || std::equal_to<>()">,
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "reads elements from global memory";
  let description = [{
    Where the mask is false, no memory is accessed and the element is `other`, or 0 without
    `other`. An `i1` takes one byte in memory; every non-zero byte is true.

    ```mlir
    %x = tile.load %p, %mask, %other cache = ca : tensor<128x!tile.ptr<f16>>
    ```
  }];
  let arguments = (ins Tile_Ptr:$ptr, Optional<Tile_Bool>:$mask, Optional<Tile_Any>:$other,
    DefaultValuedAttr<Tile_CacheAttr, "::tile::ir::Cache::none">:$cache,
    DefaultValuedAttr<Tile_EvictAttr, "::tile::ir::Evict::normal">:$evict,
    UnitAttr:$is_volatile);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)? (`cache` `=` custom<BareCache>($cache)^)?
    (`evict` `=` custom<BareEvict>($evict)^)? (`volatile` $is_volatile^)? attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_StoreOp : Tile_Op<"store", [
    TypesMatchWith<"the value has the pointed-to type", "ptr", "value",
                   "::tile::ir::getPointeeType($_self)">,
    TypesMatchWith<"the mask has the pointers' shape", "ptr", "mask",
                   "::tile::ir::getConditionType($_self)",
                   "!getMask() || std::equal_to<>()">,
    MemoryEffects<[MemWrite]>]> {
  let summary = "writes elements to global memory";
  let description = [{
    Where the mask is false, no memory is accessed. If two elements have the same address,
    either value may remain.

    ```mlir
    tile.store %p, %x, %mask evict = first : tensor<128x!tile.ptr<f16>>
    ```
  }];
  let arguments = (ins Tile_Ptr:$ptr, Tile_Any:$value, Optional<Tile_Bool>:$mask,
    DefaultValuedAttr<Tile_CacheAttr, "::tile::ir::Cache::none">:$cache,
    DefaultValuedAttr<Tile_EvictAttr, "::tile::ir::Evict::normal">:$evict,
    UnitAttr:$is_volatile);
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)? (`cache` `=` custom<BareCache>($cache)^)?
    (`evict` `=` custom<BareEvict>($evict)^)? (`volatile` $is_volatile^)? attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_MakeDescriptorOp : Tile_Op<"make_descriptor", [Pure, AttrSizedOperandSegments]> {
  let summary = "describes a tensor in global memory";
  let description = [{
    Extents and strides count in elements and are 64 bits wide. The last stride is 1, and
    each other stride is a multiple of 16 bytes. The base is aligned to 16 bytes.

    ```mlir
    %d = tile.make_descriptor %p, [%m, %k], [%s, %one] padding = nan
       : !tile.ptr<f16> -> !tile.desc<128x64xf16>
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, Variadic<I64>:$shape, Variadic<I64>:$strides,
    DefaultValuedAttr<Tile_PaddingAttr, "::tile::ir::Padding::zero">:$padding);
  let results = (outs Tile_DescType:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` (`padding` `=` custom<BarePadding>($padding)^)?
    attr-dict `:` type($base) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_DescriptorLoadOp : Tile_Op<"descriptor_load", [MemoryEffects<[MemRead]>]> {
  let summary = "loads the block at the given coordinates through a descriptor";
  let description = [{
    Elements outside the tensor are 0, or NaN if the descriptor's padding is `nan`. The
    result has the block's shape; leading extents of 1 may be dropped.

    ```mlir
    %x = tile.descriptor_load %d[%i, %k] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    ```
  }];
  let arguments = (ins Tile_DescType:$desc, Variadic<I32>:$coords,
    DefaultValuedAttr<Tile_CacheAttr, "::tile::ir::Cache::none">:$cache,
    DefaultValuedAttr<Tile_EvictAttr, "::tile::ir::Evict::normal">:$evict);
  let results = (outs Tile_NumberTile:$result);
  let assemblyFormat = [{
    $desc `[` $coords `]` (`cache` `=` custom<BareCache>($cache)^)?
    (`evict` `=` custom<BareEvict>($evict)^)? attr-dict `:` type($desc) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Tile_DescriptorStoreOp : Tile_Op<"descriptor_store", [MemoryEffects<[MemWrite]>]> {
  let summary = "stores a tile to the block at the given coordinates through a descriptor";
  let description = [{
    Elements outside the tensor are not stored. The tile has the block's shape; leading extents of 1 may be dropped.

    ```mlir
    tile.descriptor_store %d[%i, %k], %x : !tile.desc<128x64xf16>, tensor<128x64xf16>
    ```
  }];
  let arguments = (ins Tile_DescType:$desc, Variadic<I32>:$coords, Tile_NumberTile:$value);
  let assemblyFormat = "$desc `[` $coords `]` `,` $value attr-dict `:` type($desc) `,` type($value)";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_DescriptorReduceOp : Tile_Op<"descriptor_reduce", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "combines a tile with the block at the given coordinates through a descriptor";
  let description = [{
    Each element is updated once and atomically. Elements outside the tensor are not
    updated.

    | elements | updates |
    |---|---|
    | integers of 32 or 64 bits | `add`, `smax`, `smin`, `umax`, `umin`, `and`, `or`, `xor` |
    | floats of 16 to 64 bits | `fadd`, `fmax`, `fmin` |

    ```mlir
    tile.descriptor_reduce fadd, %d[%i, %k], %x : !tile.desc<128x64xf32>, tensor<128x64xf32>
    ```
  }];
  let arguments = (ins Tile_UpdateAttr:$update, Tile_DescType:$desc, Variadic<I32>:$coords,
                   Tile_NumberTile:$value);
  let assemblyFormat = [{
    custom<BareUpdate>($update) `,` $desc `[` $coords `]` `,` $value
    attr-dict `:` type($desc) `,` type($value)
  }];
  let hasVerifier = 1;
}

def Tile_AtomicRmwOp : Tile_Op<"atomic_rmw", [
    TypesMatchWith<"the value has the pointed-to type", "ptr", "value",
                   "::tile::ir::getPointeeType($_self)">,
    TypesMatchWith<"the result has the pointed-to type", "ptr", "result",
                   "::tile::ir::getPointeeType($_self)">,
    TypesMatchWith<"the mask has the pointers' shape", "ptr", "mask",
                   "::tile::ir::getConditionType($_self)",
                   "!getMask() || std::equal_to<>()">,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "reads, combines and writes each element atomically";
  let description = [{
    The result is the old values. Where the mask is false, no memory is accessed and the
    result is 0. A tile is updated once per element, a scalar once per program. `fmax` and
    `fmin` use the total order -NaN < -inf < .. < -0 < +0 < .. < +inf < +NaN. Integers have
    32 or 64 bits. Floats have 16 to 64 bits, or 32 or 64 for `xchg`.

    ```mlir
    %old = tile.atomic_rmw fadd, %p, %x, %mask ordering = relaxed scope = gpu
         : tensor<128x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins Tile_UpdateAttr:$update, Tile_Ptr:$ptr, Tile_Number:$value, Optional<Tile_Bool>:$mask,
    Tile_OrderingAttr:$ordering, Tile_ScopeAttr:$scope);
  let results = (outs Tile_Number:$result);
  let assemblyFormat = [{
    custom<BareUpdate>($update) `,` $ptr `,` $value (`,` $mask^)?
    `ordering` `=` custom<BareOrdering>($ordering) `scope` `=` custom<BareScope>($scope)
    attr-dict `:` type($ptr)
  }];
  let hasCanonicalizeMethod = 1;
  let hasVerifier = 1;
}

def Tile_AtomicCasOp : Tile_Op<"atomic_cas", [
    TypesMatchWith<"the compared value has the pointed-to type", "ptr", "expected",
                   "::tile::ir::getPointeeType($_self)">,
    TypesMatchWith<"the value has the pointed-to type", "ptr", "desired",
                   "::tile::ir::getPointeeType($_self)">,
    TypesMatchWith<"the result has the pointed-to type", "ptr", "result",
                   "::tile::ir::getPointeeType($_self)">,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "stores a value atomically if memory holds the expected bits";
  let description = [{
    The result is the old values. The op compares bits: 16, 32 or 64 of them.

    ```mlir
    %old = tile.atomic_cas %p, %expected, %desired ordering = acq_rel scope = gpu : !tile.ptr<i32>
    ```
  }];
  let arguments = (ins Tile_Ptr:$ptr, Tile_Number:$expected, Tile_Number:$desired,
    Tile_OrderingAttr:$ordering, Tile_ScopeAttr:$scope);
  let results = (outs Tile_Number:$result);
  let assemblyFormat = [{
    $ptr `,` $expected `,` $desired `ordering` `=` custom<BareOrdering>($ordering)
    `scope` `=` custom<BareScope>($scope) attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
}
