// SPDX-License-Identifier: MIT
// Every pass of the compiler: what it needs, what it leaves behind, and a picture of it. Their order is
// written in compiler/pipeline.cpp.
#ifndef TILE_PASSES_TD
#define TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileSimplify : Pass<"tile-simplify", "::mlir::func::FuncOp"> {
  let summary = "canonical forms of the tile dialect";
  let description = [{
    Brings a function into the one form that later passes expect:

    * Work is done before elements are repeated. Elementwise ops move above `tile.splat`,
      `tile.broadcast` and `tile.expand_dims` of their operands and so run on fewer elements.
    * A product and the sum it goes into become one op: `dot(a, b, 0) + c` is `dot(a, b, c)`.
      Integers always; floats unless the function has `tile.fp_fusion = false`, because the
      accumulator then takes part in the product's roundings.
    * `select(mask, load(p, mask), y)` is `load(p, mask, y)`.
    * What is known about integers (constants, loop bounds, `tile.assume`, grid limits) is used:
      the total ops of this dialect become `arith`'s where their right operand is harmless,
      masks that always hold disappear, remainders of small numbers too.
    * Canonicalization and common subexpressions run along until nothing changes: running the
      pass again changes nothing.

    Before:

    ```mlir
    %r = tile.arange 0 to 64 : tensor<64xi32>
    %s = tile.splat %stride : i32 -> tensor<64x1xi32>
    %c = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %o = arith.muli %c, %s : tensor<64x1xi32>
    %b = tile.broadcast %o : tensor<64x1xi32> -> tensor<64x32xi32>
    %p = tile.splat %x : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
    %q = tile.addptr %p, %b : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    ```

    After, with 64 instead of 2048 additions:

    ```mlir
    %r = tile.arange 0 to 64 : tensor<64xi32>
    %s = tile.splat %stride : i32 -> tensor<64xi32>
    %o = arith.muli %r, %s : tensor<64xi32>
    %p = tile.splat %x : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
    %a = tile.addptr %p, %o : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    %c = tile.expand_dims %a {axis = 1 : i32} : tensor<64x!tile.ptr<f16>> -> tensor<64x1x!tile.ptr<f16>>
    %q = tile.broadcast %c : tensor<64x1x!tile.ptr<f16>> -> tensor<64x32x!tile.ptr<f16>>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tile::ir::TileDialect"];
}

def TileDescriptorsToPointers : Pass<"tile-descriptors-to-pointers", "::mlir::func::FuncOp"> {
  let summary = "blocks of described tensors become tiles of pointers";
  let description = [{
    For GPUs without a tensor-copy engine. A descriptor becomes its parts: base, extents, strides; an access becomes
    pointers and a mask of what is inside the tensor. The alignment that the language promises of descriptors
    is stated in `tile.assume`.

    Before:

    ```mlir
    %d = tile.make_descriptor %p, [%n], [%one] : !tile.ptr<f16> -> !tile.desc<64xf16>
    %x = tile.descriptor_load %d[%i] : !tile.desc<64xf16> -> tensor<64xf16>
    ```

    After, with `%index` being `%i` plus 0 to 63 in 64 bits:

    ```mlir
    %base = tile.assume %p {divisible = 16 : i64} : !tile.ptr<f16>
    %mask = arith.andi (%index >= 0), (%index < %n)
    %q = tile.addptr (tile.splat %base), %index
    %x = tile.load %q, %mask : tensor<64x!tile.ptr<f16>>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tile::ir::TileDialect"];
}

def TileWidenProducts : Pass<"tile-widen-products", "::mlir::func::FuncOp"> {
  let summary = "products of types that the matrix unit does not take become products of wider ones";
  let description = [{
    8-bit floats become f16, which holds all of them exactly, where the target has no products of them as they lie; an accumulator
    of f16 becomes one of f32 that is rounded behind the product.

    ```mlir
    %c = tile.dot %a, %b, %acc : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E5M2>, tensor<64x64xf32>   // before

    %x = tile.fp_cast %a : tensor<64x32xf8E4M3FN> -> tensor<64x32xf16>                             // after
    %y = tile.fp_cast %b : tensor<32x64xf8E5M2> -> tensor<32x64xf16>
    %c = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    ```
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tile::default_target)", "the GPU, as in sm_90a">];
  let dependentDialects = ["::tile::ir::TileDialect"];
}

def TileGpuSplitOverCtas : Pass<"tile-gpu-split-over-ctas", "::mlir::func::FuncOp"> {
  let summary = "the CTAs of a cluster share a program's tile";
  let description = [{
    A kernel with `tile.num_ctas = 2` has the rows of its product divided, and those of all that is made of it. What
    both CTAs read, the other operand, is copied once for both by `tile-gpu-specialize-warps`. What changes memory
    and is no store of a part of the tile is refused: each CTA would do it.

    ```mlir
    %x = tile.descriptor_load %a[%m, %k] : !tile.desc<256x64xf16> -> tensor<256x64xf16>       // before

    %rank = tile_gpu.cta_rank                                                                // after
    %own = arith.addi %m, (%rank * 128)
    %x = tile.descriptor_load %a[%own, %k] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    ```
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90a\"", "the GPU, as in sm_90a">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tile::gpu::TileGpuDialect"];
}

def TileGpuLoopOverPrograms : Pass<"tile-gpu-loop-over-programs", "::mlir::func::FuncOp"> {
  let summary = "one CTA runs many programs";
  let description = [{
    For kernels that `tile-gpu-specialize-warps` splits: the copies of the next program then run while this one's
    result is stored.

    ```mlir
    %i = tile.program_id x                                    // before
    ...

    %n = tile.num_programs x                                  // after, for one axis
    %first = tile_gpu.cta_id
    %step = tile_gpu.cta_count
    scf.for unsigned %i = %first to %n step %step {
      ...
    }
    ```

    The launch starts no more CTAs than run at once.
  }];
  let options = [Option<"target", "target", "std::string", "\"sm_90a\"", "the GPU, as in sm_90a">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tile::gpu::TileGpuDialect"];
}

def TileGpuSpecializeWarps : Pass<"tile-gpu-specialize-warps", "::mlir::func::FuncOp"> {
  let summary = "one warp has tiles copied, the others multiply them";
  let description = [{
    A kernel whose loops multiply blocks of described tensors becomes two programs that run side by side: one thread
    tells the copy engine what to fetch, as far ahead as there are slots; groups of four warps multiply out of shared
    memory, and do all the rest. Each program is the kernel without what the other one does, so loops and branches
    are in both.

    Before:

    ```mlir
    %acc = scf.for %i = ... iter_args(%sum = %zero) {
      %x = tile.descriptor_load %a[%m, %k] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
      %y = tile.descriptor_load %b[%k, %n] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
      %d = tile.dot %x, %y, %sum ...
      scf.yield %d
    }
    tile.descriptor_store %c[%m, %n], %acc
    ```

    After:

    ```mlir
    %c = tile_gpu.channel : !tile_gpu.channel<3 x (...) barriers = true>
    tile_gpu.roles warps 4 registers 40 alone {
      scf.for %i = ... iter_args(%at = %first) {
        %slot = tile_gpu.acquire %c[%at]
        tile_gpu.copy_box %a[%m, %k] to %slot tile 0
        tile_gpu.copy_box %b[%k, %n] to %slot tile 1
        tile_gpu.commit %slot
        ...
      }
    } warps 8 registers 232 {
      %acc = scf.for %i = ... iter_args(%sum = %zero, %at = %first) {
        %lease = tile_gpu.wait %c[%at]
        %x = tile_gpu.view %lease tile 0
        %y = tile_gpu.view %lease tile 1
        %d = tile.dot %x, %y, %sum
        tile_gpu.release %lease
        ...
      }
      tile.descriptor_store %c[%m, %n], %acc
    }
    ```

    A kernel stays as it is where the target has no such copies and products, where its number of warps is no
    multiple of four, and where the copies depend on more than arguments and arithmetic.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"", "the GPU, as in sm_90a">,
    Option<"remarks", "remarks", "bool", "false", "say at the products what becomes of them, or why they stay as they are">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tile::gpu::TileGpuDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def TileAssignLayouts : Pass<"tile-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "gives every tile a layout";
  let description = [{
    From tiles without a place to tiles whose elements lie in registers of lanes of warps. The
    accumulator of a product lies as the target's matrix unit wants it, and so do its operands, in registers or, where
    the unit reads them there, in shared memory; memory is accessed in
    vectors of neighbouring elements, as wide as the axis facts of its pointers allow; what is
    connected to these by elementwise ops or loops lies alike; where that is impossible, and where a tile is loaded
    along one axis and stored along the other one, `tile_gpu.convert_layout` goes in between.

    Before:

    ```mlir
    %x = tile.load %p : tensor<1024x!tile.ptr<f16>>
    ```

    After, with `#blocked` giving each lane eight neighbouring elements:

    ```mlir
    %x = tile.load %p : tensor<1024x!tile.ptr<f16>, #blocked>
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "std::string(::tile::default_target)", "the GPU, as in sm_90a">,
    Option<"remarks", "remarks", "bool", "false", "say at the products where their operands are">
  ];
  let dependentDialects = ["::tile::gpu::TileGpuDialect"];
}

def TileGpuHoistConversions : Pass<"tile-gpu-hoist-conversions", "::mlir::func::FuncOp"> {
  let summary = "what a loop does not change is moved to where it is wanted before the loop";
  let description = [{
    A conversion of a tile that every iteration finds the same leaves the loop, and so does what the tile is
    computed from.

    ```mlir
    scf.for %i = %lb to %ub step %s {                                                       // before
      %q = tile_gpu.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #operand>
      tile.dot %q, ...
    }

    %q = tile_gpu.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #operand>   // after
    scf.for %i = %lb to %ub step %s {
      tile.dot %q, ...
    }
    ```
  }];
  let dependentDialects = ["::tile::gpu::TileGpuDialect"];
}

def TileGpuStageOperands : Pass<"tile-gpu-stage-operands", "::mlir::func::FuncOp"> {
  let summary = "operands of products go through shared memory";
  let description = [{
    A tile that is loaded for a product is copied into a slot of a channel, asynchronously and with no
    register in between, and read from there as the matrix unit wants it. The operands of one product share a
    channel. Of a mask that ends within a vector the copy is told how many elements are inside. Neighbours of 16 bits
    that are not aligned are loaded and stored into the slot one by one: a copy that is not `async`. A tile that is only
    permuted before the product is permuted as a view of the slot. A load stays what it is where neither could
    do the same: pieces of one byte, scattered elements of two, an `other` that is not zero.

    An operand whose layout is one of shared memory is not read: the product takes the view, and the slot is released
    behind it. What is no load is put into a slot; blocks that it is computed from go through slots of their own, from
    which each thread reads what it has copied.

    Before:

    ```mlir
    %x = tile.load %p : tensor<128x64x!tile.ptr<f16>, #blocked>
    %a = tile_gpu.convert_layout %x : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #operand>
    ```

    After:

    ```mlir
    %c = tile_gpu.channel : !tile_gpu.channel<1 x (tensor<128x64xf16, #swizzled>)>
    %slot = tile_gpu.acquire %c[%first]
    tile_gpu.copy %p to %slot tile 0 async 8
    tile_gpu.commit %slot
    %lease = tile_gpu.wait %c[%first]
    %v = tile_gpu.view %lease tile 0 : tensor<128x64xf16, #swizzled>
    %a = tile_gpu.read %v : tensor<128x64xf16, #operand>
    tile_gpu.release %lease
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tile::gpu::TileGpuDialect"];
}

def TileGpuPipelineLoops : Pass<"tile-gpu-pipeline-loops", "::mlir::func::FuncOp"> {
  let summary = "copies run ahead of the products that read them";
  let description = [{
    Channels that a loop fills and reads get `num_stages` slots, the loop's own number or the kernel's. The
    copies of iteration `i + num_stages - 1` are issued in iteration `i`, those of the first ones before
    the loop; where a matrix unit reads the slot by itself, behind the beginning of its product. A product whose sums the
    loop hands on is awaited in the next iteration, and the copies are then of `i + num_stages - 2`. Copies past the last iteration are switched off, so that any number of iterations works, none
    too.

    ```mlir
    scf.for %i = %lb to %ub step %s {                  // before
      acquire; copy; commit; wait; view, read; release; dot
    }

    acquire; copy if 0 < %trips; commit                // after, with two slots
    scf.for %i = %lb to %ub step %s {
      wait; acquire; copy if %i1 < %trips; commit; view, read; release; dot
    }
    drain
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tile::gpu::TileGpuDialect"];
}

def TileUnrollLoops : Pass<"tile-unroll-loops", "::mlir::func::FuncOp"> {
  let summary = "loops with `tile.unroll` do several iterations in each trip";
  let description = [{
    A loop with `tile.unroll = n` becomes one that does n iterations in each trip, and one behind it for what
    remains. Iterations are counted from 0, so that no value of the induction variable passes the end of its
    type. A loop whose bounds are constants and that runs up to n times is no loop any more. Other attributes
    stay, on both loops.

    Before:

    ```mlir
    scf.for %i = %lb to %ub step %s {
      body(%i)
    } {tile.unroll = 2 : i32}
    ```

    After, with `%trips` being how often the loop runs, and `%whole` half of it, rounded down:

    ```mlir
    scf.for unsigned %j = %0 to %whole step %1 {
      %i = %lb + %j * 2 * %s
      body(%i)
      body(%i + %s)
    }
    scf.for unsigned %j = %whole * 2 to %trips step %1 {
      body(%lb + %j * %s)
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

#endif
