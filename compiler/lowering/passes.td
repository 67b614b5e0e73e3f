// SPDX-License-Identifier: MIT
// The passes that leave tiles behind. Their order is written in compiler/pipeline.cpp.
#ifndef TILE_LOWERING_PASSES_TD
#define TILE_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileGpuDistribute : Pass<"tile-gpu-distribute", "::mlir::func::FuncOp"> {
  let summary = "from tiles with layouts to the registers of one thread";
  let description = [{
    Every tile becomes the values in which one thread holds its elements. Ops on tiles become
    ops on those; scalar ops stay. Exchanges between threads become shuffles and shared memory
    with the barriers that they need.

    Before, on 32 lanes of one warp:

    ```mlir
    %r = tile.arange 0 to 64 : tensor<64xi32, #two_a_lane>
    ```

    After:

    ```mlir
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %lane = arith.andi %thread, %c31 : i32
    %0 = arith.shli %lane, %c1 : i32
    %1 = arith.addi %0, %c1 : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect", "::tile::gpu::TileGpuDialect"];
}

def TileGpuSinkReads : Pass<"tile-gpu-sink-reads", "::mlir::func::FuncOp"> {
  let summary = "operands of matrix instructions are read one step of K before they are needed";
  let description = [{
    Of a slot in shared memory, read whole before its product, each part moves down to where the product is
    one step of K before the part's first use: the registers of two steps are enough then.

    ```mlir
    %a0 = nvvm.ldmatrix %p0 ...        // before: read k0, k1, k2; mma k0, k1, k2
    %a0 = nvvm.ldmatrix %p0 ...        // after: read k0, k1; mma k0; read k2; mma k1; mma k2
    ```
  }];
}

def TileGpuFloatsToRing : Pass<"tile-gpu-floats-to-ring", "::mlir::ModuleOp"> {
  let summary = "floats compute as integers modulo 2^width, for the simulator";
  let description = [{
    For `tile fuzz`, right behind `tile-gpu-distribute`: every operation on floats becomes the one that compiler/analysis/float_ring.h gives it, on
    the float's bits. Operations that move floats, and matrix instructions, stay; `tile-gpu-to-simulator` takes
    the ring's own matrix unit where the module says `tile_gpu.ring_floats`, which this pass sets. An
    operation on floats that the ring does not know is an error.

    ```mlir
    %c = arith.addf %a, %b : f32            // before

    %0 = arith.bitcast %a : f32 to i32      // after
    %1 = arith.bitcast %b : f32 to i32
    %2 = arith.addi %0, %1 : i32
    %c = arith.bitcast %2 : i32 to f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def TileGpuCheckFacts : Pass<"tile-gpu-check-facts", "::mlir::func::FuncOp"> {
  let summary = "promises and steps of loops are checked while the kernel runs, for the simulator";
  let description = [{
    Right behind `tile-gpu-distribute`: beside every `tile.assume` of a number or a pointer that promises a
    multiple or a range stands the condition that it means, with the values that a report names.
    `tile-gpu-to-simulator` makes a call of each.

    ```mlir
    %s = tile.assume %stride {divisible = 16 : i64} : i32     // before

    %0 = arith.extsi %stride : i32 to i64                     // after
    %1 = arith.remsi %0, %c16 : i64
    %2 = arith.cmpi eq, %1, %c0 : i64
    llvm.intr.assume %2 ["tile.divisible"(%0, %c16 : i64, i64)] : i1
    %s = tile.assume %stride {divisible = 16 : i64} : i32
    ```

    A loop whose step only the data of the kernel says has a comparison in front of it that bears the attribute
    `tile_gpu.loop_step`; there stands a condition of its own, `tile.step`.
  }];
  let options = [
    Option<"checksPromises", "checks-promises", "bool", "true", "promises too, not the steps of loops alone">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

def TileGpuChooseBarriers : Pass<"tile-gpu-choose-barriers", "::mlir::func::FuncOp"> {
  let summary = "the machine's barrier for each group of threads that wait for each other";
  let description = [{
    All threads of the CTA meet at its barrier, those of one warp at the warp's, and those of other groups of
    warps at a named barrier of the group. A CTA has 15 of these; more groups are an error. A meeting that is
    `shared` is left away where its threads have not touched shared memory since they last met.

    ```mlir
    tile_gpu.sync shared                 // before: the first in the kernel
    tile_gpu.sync
    tile_gpu.sync warps 4 from 8

    nvvm.barrier0                        // after
    nvvm.barrier id = %c1 number_of_threads = %c128
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::NVVM::NVVMDialect"];
}

def TileGpuStartEarly : Pass<"tile-gpu-start-early", "::mlir::func::FuncOp"> {
  let summary = "the kernel may be started while the one before it ends, and waits where it first needs memory";
  let description = [{
    On GPUs that have it. What comes before the wait runs beside the last programs of the kernel before: a
    thread's indices, the mbarriers of a ring. Every thread waits, on each way through the kernel, before it or
    what it begins touches global memory. That the next kernel may be started, in turn, is said at once: its
    threads have a wait of their own. The kernel is marked `tile_gpu.starts_early`, which makes the launch ask for
    it.

    ```mlir
    %i = arith.addi %base, %lane : i32       // before
    %x = tile_gpu.ptx_load %p ...

    nvvm.griddepcontrol launch_dependents    // after
    %i = arith.addi %base, %lane : i32
    nvvm.griddepcontrol wait
    %x = tile_gpu.ptx_load %p ...
    ```
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"];
}

def TileGpuToLLVM : Pass<"tile-gpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "what one thread does, in the LLVM and NVVM dialects";
  let description = [{
    Ends the common part of the pipeline: the module holds one `llvm.func` with `nvvm.kernel`. What neither
    dialect has an op for stays an op of PTX, such as `tile_gpu.ptx_load`.

    ```mlir
    %pid = tile.program_id x            // before
    %pid = nvvm.read.ptx.sreg.ctaid.x : i32   // after
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::scf::SCFDialect", "::tile::gpu::TileGpuDialect"];
}

def TileGpuToPtx : Pass<"tile-gpu-to-ptx", "::mlir::ModuleOp"> {
  let summary = "ops of PTX as assembly text";
  let description = [{
    Ends the pipeline for a GPU: the module is ready to be translated to LLVM IR. It knows the target from the
    module's `tile_gpu.target`.

    ```mlir
    tile_gpu.ptx_store %p, %w if %c : !llvm.ptr<1>, i32                                              // before
    llvm.inline_asm has_side_effects "@$2 st.global.b32 [$0], $1;", "l,r,b" %p, %w, %c : ...         // after
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TileGpuSourceLines : Pass<"tile-gpu-source-lines", "::mlir::ModuleOp"> {
  let summary = "the user's source lines, as debug information";
  let description = [{
    Gives the kernel a scope of debug information, and every operation its place in it, so that PTX has a `.loc`
    for each line of the user's source. The kind is `DebugDirectivesOnly`: the machine code is the same with and
    without. Operations without a place keep none; a kernel without any place stays as it is.

    ```mlir
    llvm.return loc("k.cpp":7:3)                              // before
    llvm.return loc(fused<#di_subprogram>["k.cpp":7:3])       // after
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TileGpuToSimulator : Pass<"tile-gpu-to-simulator", "::mlir::ModuleOp"> {
  let summary = "operations of the machine as calls of the simulator";
  let description = [{
    Ends the pipeline for the host's CPU. Each NVVM op, each op of PTX and each `llvm.nvvm` intrinsic becomes a
    call of the simulator's runtime; accesses to shared and global memory are checked by one; address spaces
    go. An operation without a twin in the simulator is an error. `tile_gpu.sites` lists what the runtime
    may have to report, with the places in the user's source.

    ```mlir
    nvvm.barrier0                                                     // before
    llvm.call @tile_sim_barrier(%thread, %site) : (!llvm.ptr, i32) -> ()   // after
    ```
  }];
  let options = [
    Option<"checksOffsets", "checks-offsets", "bool", "false",
           "accesses through offsets that overflowed are reported">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
