// SPDX-License-Identifier: MIT
// Warps of one CTA that run programs of their own, and how the threads of such a group wait for each other.
#ifndef TILE_GPU_ROLE_OPS_TD
#define TILE_GPU_ROLE_OPS_TD

include "dialects/tile_gpu/base.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TileGpu_RolesOp : TileGpu_Op<"roles", [NoRegionArguments, NoTerminator, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "a program for each group of warps";
  let description = [{
    The warps of the CTA are given to the roles in order: here warps 0 to 3 run the first program and warps 4 to 7
    the second. Tiles of a role are spread over its warps alone, and what waits for "all threads" in it waits for
    the role's. All threads meet before the roles begin; afterwards no role waits for another but where it says so.
    Roles end the kernel: only its return follows. The CTA has as many warps as its roles together, whatever
    `tile.num_warps` says; tiles before the roles are spread over all of them.

    ```mlir
    tile_gpu.roles warps 4 {
      %s = tile.reduce (%x) axis = 0 : (tensor<128xf32, #four_warps>) -> f32 { ... }
      tile.store %p, %s : !tile.ptr<f32>
    } warps 4 {
      ...
    }
    ```

    A failed assert ends the role that it is in; the program has failed when all roles have ended.

    `in_turn`: the roles behind the first take turns at the slots that it fills: each is waited for and released by
    one of them alone, which all of them know.

    ```mlir
    tile_gpu.roles in_turn warps 4 alone {
      ...
    } warps 4 {
      ...
    } warps 4 {
      ...
    }
    ```

    `registers`: so many has each thread of the role while it runs. `alone`: one thread runs the program, the others
    end. It has no tiles.

    ```mlir
    tile_gpu.roles warps 4 registers 40 alone {
      ...
    } warps 8 registers 232 {
      ...
    }
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$warps, DenseI32ArrayAttr:$registers, DenseBoolArrayAttr:$alone, UnitAttr:$in_turn);
  let regions = (region VariadicRegion<SizedRegion<1>>:$programs);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // The first warp of a role.
    int32_t getFirstWarp(unsigned role);
  }];
}

def TileGpu_SyncOp : TileGpu_Op<"sync"> {
  let summary = "all threads of a group of warps wait for each other";
  let description = [{
    What they have done to memory before is seen by all of them afterwards. Without a group: all threads of the
    CTA. `shared`: it is there for shared memory alone, so that it may be left away where nobody has used any
    since the threads last met. Which barrier of the machine it is, is decided last, by
    `tile-gpu-choose-barriers`.

    ```mlir
    tile_gpu.sync
    tile_gpu.sync shared
    tile_gpu.sync warps 4 from 8
    ```
  }];
  let arguments = (ins OptionalAttr<I32Attr>:$first_warp, OptionalAttr<I32Attr>:$warps, UnitAttr:$shared);
  let assemblyFormat = "(`shared` $shared^)? (`warps` $warps^ `from` $first_warp)? attr-dict";
  let hasVerifier = 1;
}

#endif
