// SPDX-License-Identifier: MIT
// The passes that leave tiles behind. Their order is written in compiler/pipeline.cpp.
#ifndef TILE_LOWERING_PASSES_TD
#define TILE_LOWERING_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileGpuDistribute : Pass<"tile-gpu-distribute", "::mlir::func::FuncOp"> {
  let summary = "replaces tiles with layouts by the registers of one thread";
  let description = [{
    The pass replaces every tile by the values that one thread holds of it, and ops on tiles by
    ops on these values. Scalar ops stay. Exchanges between threads become shuffles, or accesses
    to shared memory with the necessary barriers.

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

def TileGpuCarryWords : Pass<"tile-gpu-carry-words", "::mlir::func::FuncOp"> {
  let summary = "carries elements that a loop loads in words of 32 bits";
  let description = [{
    A loop that loads elements of 16 or 8 bits for its next iteration carries the words that memory gave, and takes them
    apart in that iteration. Otherwise the assembler gives each element a register of 32 bits. The first iteration's
    elements must come from a load, too. All other values stay as they are.

    ```mlir
    scf.for %i = %a to %b step %c iter_args(%x = %x0, %y = %y0) -> (f16, f16) {          // before
      %x1, %y1 = tile_gpu.load_global %p : (!tile.ptr<f16>) -> (f16, f16)
      scf.yield %x1, %y1 : f16, f16
    }

    scf.for %i = %a to %b step %c iter_args(%w = %w0) -> (i32) { ... }                   // after
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect"];
}

def TileGpuSinkReads : Pass<"tile-gpu-sink-reads", "::mlir::func::FuncOp"> {
  let summary = "reads operands of matrix instructions one step of K before their use";
  let description = [{
    Before this pass, a product reads its whole slot of shared memory first. The pass moves each read down, to one step
    of K before its first use. The reads then need only the registers of two steps.

    ```mlir
    %a0 = nvvm.ldmatrix %p0 ...        // before: read k0, k1, k2; mma k0, k1, k2
    %a0 = nvvm.ldmatrix %p0 ...        // after: read k0, k1; mma k0; read k2; mma k1; mma k2
    ```
  }];
}

def TileGpuFloatsToRing : Pass<"tile-gpu-floats-to-ring", "::mlir::ModuleOp"> {
  let summary = "replaces floats by integers modulo 2^width, for the simulator";
  let description = [{
    The pass is for `tile fuzz` and runs directly after `tile-gpu-distribute`. It replaces every op on floats by the
    integer op that compiler/analysis/float_ring.h defines, on the bits of the float. Ops that move floats stay, and so
    do matrix instructions. The pass sets `tile_gpu.ring_floats` on the module, and `tile-gpu-to-simulator` then uses a
    matrix unit for these integers. An op on floats that float_ring.h does not define is an error.

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
  let summary = "checks promises and the steps of loops while the kernel runs, for the simulator";
  let description = [{
    The pass runs directly after `tile-gpu-distribute`. A `tile.assume` of a scalar number or pointer may promise a
    multiple or a range. The pass adds the condition beside it, with the values for the report.
    `tile-gpu-to-simulator` replaces each condition by a call.

    ```mlir
    %s = tile.assume %stride {divisible = 16 : i64} : i32     // before

    %0 = arith.extsi %stride : i32 to i64                     // after
    %1 = arith.remsi %0, %c16 : i64
    %2 = arith.cmpi eq, %1, %c0 : i64
    llvm.intr.assume %2 ["tile.divisible"(%0, %c16 : i64, i64)] : i1
    %s = tile.assume %stride {divisible = 16 : i64} : i32
    ```

    A `tile.assume_apart` is marked: `tile-gpu-to-llvm` makes a condition `tile.apart` of it, with both pointers.

    If the step of a loop is known only at run time, a comparison with the attribute `tile_gpu.loop_step` precedes the
    loop. The pass adds a condition there, `tile.step`.
  }];
  let options = [
    Option<"checksPromises", "checks-promises", "bool", "true", "also check promises, not only the steps of loops">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

def TileGpuChooseBarriers : Pass<"tile-gpu-choose-barriers", "::mlir::func::FuncOp"> {
  let summary = "chooses the hardware barrier for each group of threads";
  let description = [{
    | threads | barrier |
    |---|---|
    | all threads of the CTA | the barrier of the CTA |
    | one warp | the barrier of the warp |
    | another group of warps | a named barrier for this group |

    A CTA has 15 named barriers; more groups are an error. The pass removes a `shared` barrier if its threads have not
    used shared memory since the last barrier.

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
  let summary = "lets a kernel start while the previous kernel ends";
  let description = [{
    The pass is for GPUs with programmatic dependent launch. The code before the wait overlaps with the last programs
    of the previous kernel: it computes a thread's indices and initialises the mbarriers of a ring.

    * Every thread waits before its first access to global memory, on each path through the kernel. This includes
      accesses by the asynchronous copies that it issues.
    * The kernel allows the launch of the next kernel at once, because the threads of that kernel wait themselves.
    * The attribute `tile_gpu.starts_early` marks the kernel. The launch then requests the early start.

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

def TileGpuPairCasts : Pass<"tile-gpu-pair-casts", "::mlir::func::FuncOp"> {
  let summary = "casts 8-bit floats two at a time";
  let description = [{
    The pass is for GPUs with instructions that cast two 8-bit floats: to e4m3 and e5m2 from f32, rounded to nearest,
    and from e4m3 to f16. It joins two casts of one kind that follow each other. Other casts are converted by
    `tile-gpu-to-llvm`, with integer instructions.

    ```mlir
    %a = tile.fp_cast %x : f32 -> f8E4M3FN                                                  // before
    %b = tile.fp_cast %y : f32 -> f8E4M3FN

    %ab = llvm.call_intrinsic "llvm.nvvm.ff.to.e4m3x2.rn"(%y, %x) : (f32, f32) -> i16        // after
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect"];
}

def TileGpuShortForms : Pass<"tile-gpu-short-forms", "::mlir::func::FuncOp"> {
  let summary = "computes functions of f32 in fewer instructions where the numbers beside them allow it";
  let description = [{
    The machine's instructions for powers and reciprocals take numbers below 2^-126 as 0. The general forms scale such
    arguments and results, with three or four more instructions. They are not needed where

    * a power is only added to numbers of 1 or more
    * the divisor of a fast quotient (`fastmath<arcp>`) is a sum of 1 and of what is not negative

    A change of sign becomes LLVM's, which is a part of the arithmetic instruction behind it, if only such instructions
    read it. They give the same NaN for either sign.

    ```mlir
    %e = math.exp %x : f32                                                     // before
    %y = arith.addf %one, %e : f32
    %s = arith.divf %one, %y fastmath<arcp> : f32

    %p = llvm.fmul %x, %log2_e : f32                                           // after
    %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"(%p) : (f32) -> f32
    %y = arith.addf %one, %e : f32
    %s = llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"(%y) : (f32) -> f32
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TileGpuToLLVM : Pass<"tile-gpu-to-llvm", "::mlir::ModuleOp"> {
  let summary = "converts the code of one thread to the LLVM and NVVM dialects";
  let description = [{
    This pass ends the common part of the pipeline. The module then holds one `llvm.func` with `nvvm.kernel`. PTX
    instructions without an op in these dialects stay ops such as `tile_gpu.ptx_load`.

    ```mlir
    %pid = tile.program_id x            // before
    %pid = nvvm.read.ptx.sreg.ctaid.x : i32   // after
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::cf::ControlFlowDialect", "::mlir::scf::SCFDialect", "::tile::gpu::TileGpuDialect"];
}

def TileGpuCastBytes : Pass<"tile-gpu-cast-bytes", "::mlir::LLVM::LLVMFuncOp"> {
  let summary = "casts bytes to floats without the conversion instruction";
  let description = [{
    A multiprocessor converts 16 integers in a cycle and permutes the bytes of 64 words. So bytes become the last bits of a
    float that counts ones there, and that float is subtracted: 1024 of f16, two elements at a time, and 2^23 of f32. A
    bf16 is the rounded f32. What is done to all bytes of a word alike before is done to the word, as `x & 15` of packed
    weights. Results are exact, as they were.

    ```mlir
    %x = llvm.extractelement %bytes[%c0] : vector<4xi8>                                            // before
    %y = llvm.extractelement %bytes[%c1] : vector<4xi8>
    %a = llvm.uitofp %x : i8 to f16
    %b = llvm.uitofp %y : i8 to f16

    %parts = llvm.shufflevector %bytes, %c64 [0, 4, 1, 4] : vector<4xi8>                            // after
    %large = llvm.bitcast %parts : vector<4xi8> to vector<2xf16>
    %both = llvm.fsub %large, %c1024 : vector<2xf16>
    %a = llvm.extractelement %both[%c0] : vector<2xf16>
    %b = llvm.extractelement %both[%c1] : vector<2xf16>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TileGpuStampClock : Pass<"tile-gpu-stamp-clock", "::mlir::ModuleOp"> {
  let summary = "stamps the GPU's clock around what a timeline shows, for traces";
  let description = [{
    The pass runs only for `tile trace --device cuda`, between `tile-gpu-to-llvm` and `tile-gpu-to-ptx`. One lane of each
    warp writes the clock and a number into a list of its own:

    * at the begin and at the end of each wait: for an mbarrier, products, copies, stores, a barrier, the cluster, and
      the results of loads. All results of loads are awaited where one of them is used first
    * before each bulk store, and before the first of several copies, products, loads or stores that follow one another.
      Products that begin where a wait ends have no stamp, and the wait says so. Nothing is stored in front of copies and
      products that begin there
    * at the beginning and at the end of the kernel, with the time of the whole GPU

    Only the CTAs that `tile_clock` names write, up to 16. `tile_gpu.stamps` lists the places, with locations in the
    user's source.

    ```mlir
    nvvm.barrier0                                                        // before

    llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_begin, %clock;", "" : () -> ()   // after
    nvvm.barrier0
    llvm.inline_asm has_side_effects "@tile_on mov.u32 tile_end, %clock;", "" : () -> ()
    llvm.inline_asm has_side_effects "… @tile_on st.global.v4.b32 …", "" : () -> ()
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TileGpuToPtx : Pass<"tile-gpu-to-ptx", "::mlir::ModuleOp"> {
  let summary = "converts PTX ops to inline assembly";
  let description = [{
    This pass ends the pipeline for a GPU. The module can then be translated to LLVM IR. The pass reads the target from
    the module's `tile_gpu.target`.

    ```mlir
    tile_gpu.ptx_store %p, %w if %c : !llvm.ptr<1>, i32                                              // before
    llvm.inline_asm has_side_effects "@$2 st.global.b32 [$0], $1;", "l,r,b" %p, %w, %c : ...         // after
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TileGpuSourceLines : Pass<"tile-gpu-source-lines", "::mlir::ModuleOp"> {
  let summary = "adds the user's source lines as debug information";
  let description = [{
    The pass gives the kernel a debug scope, and every op a location in this scope. PTX then has a `.loc` for each line
    of the user's source. The kind is `DebugDirectivesOnly`: the machine code is the same with and without it. Ops
    without a location stay without one. A kernel without any location stays as it is.

    ```mlir
    llvm.return loc("k.cpp":7:3)                              // before
    llvm.return loc(fused<#di_subprogram>["k.cpp":7:3])       // after
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def TileGpuToSimulator : Pass<"tile-gpu-to-simulator", "::mlir::ModuleOp"> {
  let summary = "converts GPU ops to calls of the simulator";
  let description = [{
    This pass ends the pipeline for the host's CPU:

    * Each NVVM op, PTX op and `llvm.nvvm` intrinsic becomes a call of the simulator's runtime.
    * A call of the runtime checks each access to shared and global memory.
    * Address spaces disappear.
    * An op without a counterpart in the simulator is an error.
    * `tile_gpu.sites` lists what the runtime may report, with locations in the user's source.

    ```mlir
    nvvm.barrier0                                                     // before
    llvm.call @tile_sim_barrier(%thread, %site) : (!llvm.ptr, i32) -> ()   // after
    ```
  }];
  let options = [
    Option<"checksOffsets", "checks-offsets", "bool", "false",
           "report accesses through offsets that overflowed">,
    Option<"marksPlaces", "marks-places", "bool", "false",
           "call the runtime before each operation that takes other hardware than the arithmetic units, for recordings">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
