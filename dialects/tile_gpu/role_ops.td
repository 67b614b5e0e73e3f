// SPDX-License-Identifier: MIT
// Warps of one CTA that run programs of their own, and how the threads of such a group wait for each other.
#ifndef TILE_GPU_ROLE_OPS_TD
#define TILE_GPU_ROLE_OPS_TD

include "dialects/tile_gpu/base.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TileGpu_RolesOp : TileGpu_Op<"roles", [NoRegionArguments, NoTerminator, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "a program for each role, that is, for each group of warps";
  let description = [{
    The roles take the warps of the CTA in order: here warps 0 to 3 run the first program and warps 4 to 7 run the
    second.

    * The tiles of a role are distributed over the warps of the role. In a role, "all threads" means the threads
      of the role.
    * All threads meet at a barrier before the roles begin. After that a role waits for another only at an explicit
      wait.
    * Roles end the kernel: only the return follows.
    * The CTA has as many warps as all roles together, whatever `tile.num_warps` says. Tiles before the roles are
      distributed over all of these warps.

    ```mlir
    tile_gpu.roles warps 4 {
      %s = tile.reduce (%x) axis = 0 : (tensor<128xf32, #four_warps>) -> f32 { ... }
      tile.store %p, %s : !tile.ptr<f32>
    } warps 4 {
      ...
    }
    ```

    A failed assert ends its role. The program has failed when all roles have ended. `end`: a channel without tiles.
    A role whose assert fails says so there, and the role that copies asks for it while it waits
    (`tile_gpu.await_slot_or_end`).

    ```mlir
    tile_gpu.roles end %e : !tile_gpu.channel<1 x () barriers> warps 4 alone {
      tile_gpu.await_slot_or_end ...
    } warps 8 {
      tile.assert %condition, "message"
    }
    ```

    `in_turn`: the roles after the first one take turns at the slots that the first one fills (ping-pong).
    Exactly one of them waits for each slot and releases it. All roles know which one.

    ```mlir
    tile_gpu.roles in_turn warps 4 alone {
      ...
    } warps 4 {
      ...
    } warps 4 {
      ...
    }
    ```

    `registers`: the number of registers of each thread of the role. `alone`: one thread runs the program, and the
    other threads of the role end. This program has no tiles.

    ```mlir
    tile_gpu.roles warps 4 registers 40 alone {
      ...
    } warps 8 registers 232 {
      ...
    }
    ```
  }];
  let arguments = (ins Optional<TileGpu_ChannelType>:$end, DenseI32ArrayAttr:$warps, DenseI32ArrayAttr:$registers, DenseBoolArrayAttr:$alone, UnitAttr:$in_turn);
  let regions = (region VariadicRegion<SizedRegion<1>>:$programs);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    // The first warp of a role.
    int32_t getFirstWarp(unsigned role);
  }];
}

def TileGpu_SyncOp : TileGpu_Op<"sync"> {
  let summary = "a barrier for all threads of a group of warps";
  let description = [{
    After the barrier, each thread sees the memory accesses that the others made before it. Without `warps`, the group
    is all threads of the CTA.

    `shared`: the barrier is only for shared memory. It is removed if no thread of the group has used shared memory
    since the last barrier.

    At the end `tile-gpu-choose-barriers` chooses the hardware barrier.

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
