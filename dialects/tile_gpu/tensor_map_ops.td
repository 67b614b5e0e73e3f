// SPDX-License-Identifier: MIT
// Instructions of PTX that change tensor maps on the device. LLVM has intrinsics for some of them, the NVVM
// dialect none; its fence.proxy.acquire and fence.proxy.release belong to these.
#ifndef TILE_GPU_TENSOR_MAP_OPS_TD
#define TILE_GPU_TENSOR_MAP_OPS_TD

include "dialects/tile_gpu/ops.td"

def TileGpu_SharedAddress : LLVM_PointerInAddressSpace<3>;

def TileGpu_PtxMapReplaceOp : TileGpu_PtxOp<"map_replace", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "changes one field of a tensor map";
  let description = [{
    This is `tensormap.replace` of a map of 128 bytes in global or shared memory. It writes through the generic proxy,
    so a use of the map needs fences. Fields have the names of PTX:

    | field | value |
    |---|---|
    | `global_address` | 64 bits |
    | `global_stride` | 64 bits, in bytes; needs a dimension; 0 is the stride of dimension 1 |
    | `box_dim`, `global_dim`, `element_stride` | 32 bits; needs a dimension, the fastest one is 0 |
    | `rank` | 32 bits; the number of dimensions minus one |
    | `elemtype`, `interleave_layout`, `swizzle_mode`, `fill_mode` | a constant, PTX's number of the choice |

    ```mlir
    tile_gpu.ptx_map_replace "global_address" of %map with %address : !llvm.ptr<3>, i64
    tile_gpu.ptx_map_replace "global_dim" 1 of %map with %rows : !llvm.ptr<3>, i32
    tile_gpu.ptx_map_replace "fill_mode" of %map to 1 : !llvm.ptr<3>
    ```
  }];
  let arguments = (ins StrAttr:$field, OptionalAttr<I32Attr>:$dimension,
    AnyTypeOf<[TileGpu_GlobalAddress, TileGpu_SharedAddress]>:$map, Optional<AnyTypeOf<[I32, I64]>>:$value,
    OptionalAttr<I32Attr>:$constant);
  let assemblyFormat = [{
    $field ($dimension^)? `of` $map (`with` $value^)? (`to` $constant^)? attr-dict `:` type($map)
    (`,` type($value)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral fields[] = {
      "global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride",
      "elemtype", "interleave_layout", "swizzle_mode", "fill_mode"};
    // By the order of `fields`.
    int getFieldNumber();
  }];
}

def TileGpu_PtxMapCopyOp : TileGpu_PtxOp<"map_copy", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "copies a tensor map to global memory, by one thread";
  let description = [{
    The op copies 128 bytes, aligned to 64, through the generic proxy. A use of the copy needs fences.

    ```mlir
    tile_gpu.ptx_map_copy %parameter to %place : !llvm.ptr, !llvm.ptr<1>
    ```
  }];
  let arguments = (ins LLVM_AnyPointer:$map, TileGpu_GlobalAddress:$place);
  let assemblyFormat = "$map `to` $place attr-dict `:` type($map) `,` type($place)";
}

def TileGpu_PtxMapPublishOp : TileGpu_PtxOp<"map_publish", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "copies a tensor map from shared to global memory, for use by tensor copies";
  let description = [{
    This is `tensormap.cp_fenceproxy`. All threads of a warp together copy 128 bytes, aligned to 128, and release them
    from the generic proxy to the tensor map proxy. A use of the copy needs an `nvvm.fence.proxy.acquire` of it.

    ```mlir
    tile_gpu.ptx_map_publish %changed to %place : !llvm.ptr<3>, !llvm.ptr<1>
    ```
  }];
  let arguments = (ins TileGpu_SharedAddress:$map, TileGpu_GlobalAddress:$place);
  let assemblyFormat = "$map `to` $place attr-dict `:` type($map) `,` type($place)";
}

#endif
