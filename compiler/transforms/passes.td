// SPDX-License-Identifier: MIT
// Every pass of the compiler: what it needs, what it leaves behind, and a picture of it. Their order is
// written in compiler/pipeline.cpp.
#ifndef TILE_PASSES_TD
#define TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def TileSimplify : Pass<"tile-simplify", "::mlir::func::FuncOp"> {
  let summary = "brings a function into the canonical form of the tile dialect";
  let description = [{
    Later passes expect this form:

    * Ops run before elements are repeated. Elementwise ops move above `tile.splat`,
      `tile.broadcast` and `tile.expand_dims` of their operands, and so compute fewer elements.
    * A product and an addition become one op: `dot(a, b, 0) + c` becomes `dot(a, b, c)`. For
      floats this changes the rounding, because the accumulator is then part of the product.
      With `tile.fp_fusion = false` float products stay as they are.
    * `select(mask, load(p, mask), y)` becomes `load(p, mask, y)`.
    * The pass uses what is known about integers: constants, loop bounds, `tile.assume` and
      limits of the grid. Ops such as `tile.divsi` become ops of `arith` if their right operand
      allows it. Masks that are always true disappear, and so do remainders of numbers that are
      smaller than the divisor.
    * Canonicalization and the elimination of common subexpressions run until nothing changes.
      A second run of the pass changes nothing.

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
  let summary = "replaces descriptors by tiles of pointers";
  let description = [{
    The pass is for descriptors that no copy engine uses, for example on GPUs without one. It replaces a descriptor
    by its base, extents and strides. An access becomes pointers and a mask that is true inside the tensor.
    `tile.assume` states the alignment that the language requires of descriptors.

    Before:

    ```mlir
    %d = tile.make_descriptor %p, [%n], [%one] : !tile.ptr<f16> -> !tile.desc<64xf16>
    %x = tile.descriptor_load %d[%i] : !tile.desc<64xf16> -> tensor<64xf16>
    ```

    After, where `%index` is `%i` plus 0 to 63 in 64 bits:

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
  let summary = "converts the operands of a product to types that the matrix unit supports";
  let description = [{
    If the target has no matrix unit for a product, the pass widens its types. 8-bit floats become f16, which
    represents all of them exactly. An f16 accumulator becomes an f32 accumulator, and the result is rounded to f16
    after the product.

    ```mlir
    %c = tile.dot %a, %b, %acc : tensor<64x32xf8E4M3FN>, tensor<32x64xf8E5M2>, tensor<64x64xf32>   // before

    %x = tile.fp_cast %a : tensor<64x32xf8E4M3FN> -> tensor<64x32xf16>                             // after
    %y = tile.fp_cast %b : tensor<32x64xf8E5M2> -> tensor<32x64xf16>
    %c = tile.dot %x, %y, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    ```
  }];
  let options = [Option<"target", "target", "std::string", "std::string(::tile::default_target)", "the GPU, for example sm_90a">];
  let dependentDialects = ["::tile::ir::TileDialect"];
}

def TileGpuPlan : Pass<"tile-gpu-plan", "::mlir::func::FuncOp"> {
  let summary = "decides which warps copy and which multiply, and writes it down";
  let description = [{
    The pass decides whether the warps of a kernel get roles. It writes the decision as attributes and changes nothing
    else:

    * `tile_gpu.plan` stands at the kernel.
    * `tile_gpu.fill` stands at each load that the role of copies takes over.
    * `tile_gpu.anchored` stands at a descriptor whose base or number of rows the program determines, and whose map the
      launch makes all the same.
    * `tile_gpu.put_slots` stands at a product whose second operand is computed, and is put into so many slots.
    * `tile_gpu.behind` stands at a product that is made an iteration behind the product that it multiplies.
    * `tile_gpu.in_turn` stands at a loop of the kernel that runs in ping-pong.

    `tile-gpu-loop-over-programs` adds `tile_gpu.programs` to the loop over programs. The passes after it follow the
    plan. If they cannot, they report an error. A kernel that has a plan keeps it.

    ```mlir
    func.func @kernel(...) attributes {tile_gpu.plan = #tile_gpu.plan<warps = [4, 8], registers = [40, 232]>} {
      ...
      %x = tile.descriptor_load %a[%m, %k] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 3>}
      %y = tile.descriptor_load %b[%k, %n] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 3>}
      %d = tile.dot %x, %y, %sum
    ```

    A kernel gets no plan in these cases:

    * The target has no copy engine, or no products of operands in shared memory.
    * The kernel does not have 4, 8 or 16 warps.
    * The coordinates of the copies depend on values that one thread cannot compute: arguments, loops, arithmetic and
      loaded scalars are allowed.

    [hopper.md](hopper.md) lists all conditions.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"", "the GPU, for example sm_90a">,
    Option<"remarks", "remarks", "bool", "false", "report why a kernel gets no roles of warps">
  ];
  let dependentDialects = ["::tile::gpu::TileGpuDialect"];
}

def TileGpuPartitionOverCtas : Pass<"tile-gpu-partition-over-ctas", "::mlir::func::FuncOp"> {
  let summary = "divides the tile of a program among the CTAs of a cluster";
  let description = [{
    In a kernel with a plan and `tile.num_ctas` of 2 or 4, each CTA takes its part of the rows of the product and of everything
    that is computed from it. All CTAs read the other operand; `tile-gpu-specialize-warps` copies it once for all. Any
    other change of memory than a store of the tile is an error, because each CTA would make it.

    ```mlir
    %x = tile.descriptor_load %a[%m, %k] : !tile.desc<256x64xf16> -> tensor<256x64xf16>       // before

    %rank = tile_gpu.cta_rank                                                                // after
    %own = arith.addi %m, (%rank * 128)
    %x = tile.descriptor_load %a[%own, %k] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tile::gpu::TileGpuDialect"];
}

def TileGpuPartitionAxisOverCtas : Pass<"tile-gpu-partition-axis-over-ctas", "::mlir::func::FuncOp"> {
  let summary = "divides an axis of the tiles of a program without products among the CTAs of a cluster";
  let description = [{
    The pass is for kernels with `tile.num_ctas` above 1 and without a plan. The axis is the longest that a
    `tile.reduce` combines, or else the longest of a tile that is stored. A reduction along it gets the attribute
    `tile_gpu.over_ctas`: its result is combined over the CTAs, and all of them have it.

    ```mlir
    %i = tile.arange 0 to 16384 : tensor<16384xi32>                    // before, with tile.num_ctas = 4
    %s = tile.reduce (%x) axis = 0 : (tensor<16384xf32>) -> f32 { ... }
    tile.store %p, %s : !tile.ptr<f32>

    %rank = tile_gpu.cta_rank                                          // after
    %own = tile.arange 0 to 4096 : tensor<4096xi32>
    %i = arith.addi %own, (%rank * 4096)
    %s = tile.reduce (%x) axis = 0 {tile_gpu.over_ctas} : (tensor<4096xf32>) -> f32 { ... }
    scf.if (%rank == 0) { tile.store %p, %s : !tile.ptr<f32> }
    ```

    Operations that need elements of several CTAs, such as scans and reshapes, are errors.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tile::gpu::TileGpuDialect"];
}

def TileGpuLoopOverPrograms : Pass<"tile-gpu-loop-over-programs", "::mlir::func::FuncOp"> {
  let summary = "makes each CTA run many programs in a loop";
  let description = [{
    The pass is for kernels with a plan (`tile-gpu-plan`), and for those whose programs several CTAs share. The
    loads of the next program then overlap with the store of this program's result.

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

    A launch starts at most as many CTAs as run at the same time.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tile::gpu::TileGpuDialect"];
}

def TileGpuSpecializeWarps : Pass<"tile-gpu-specialize-warps", "::mlir::func::FuncOp"> {
  let summary = "partitions a kernel into roles: one thread issues copies, other warps multiply";
  let description = [{
    The pass follows the plan of a kernel (`tile-gpu-plan`). Such a kernel becomes two programs that run at the same
    time:

    * One thread issues the copies to the copy engine. It runs ahead as far as there are free slots.
    * Groups of four warps multiply tiles in shared memory and do everything else.

    Each program is the kernel without the work of the other program. So both contain the loops and branches.

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

    A kernel without a plan stays as it is. A plan that cannot be followed is an error.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"sm_90a\"", "the GPU, for example sm_90a">,
    Option<"remarks", "remarks", "bool", "false", "report at each product how it is computed">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tile::gpu::TileGpuDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def TileAssignLayouts : Pass<"tile-assign-layouts", "::mlir::func::FuncOp"> {
  let summary = "assigns a layout to every tile";
  let description = [{
    A layout says which register of which lane and warp holds each element. The pass chooses layouts as follows:

    * The accumulator and the operands of a product get the layouts that the target's matrix unit needs. Operands are
      in registers, or in shared memory if the unit reads them there.
    * Loads and stores access vectors of neighbouring elements. A vector is as wide as the known facts about the
      pointers allow.
    * Tiles that elementwise ops or loops connect get the same layout.
    * If that is impossible, the pass inserts `tile_gpu.convert_layout`. It also does so for a tile that is loaded
      along one axis and stored along the other.

    Before:

    ```mlir
    %x = tile.load %p : tensor<1024x!tile.ptr<f16>>
    ```

    After, where `#blocked` gives each lane eight neighbouring elements:

    ```mlir
    %x = tile.load %p : tensor<1024x!tile.ptr<f16>, #blocked>
    ```
  }];
  let options = [
    Option<"target", "target", "std::string", "std::string(::tile::default_target)", "the GPU, for example sm_90a">,
    Option<"remarks", "remarks", "bool", "false", "report at each product where its operands are">
  ];
  let dependentDialects = ["::tile::gpu::TileGpuDialect"];
}

def TileGpuHoistConversions : Pass<"tile-gpu-hoist-conversions", "::mlir::func::FuncOp"> {
  let summary = "moves layout conversions of loop-invariant tiles out of the loop";
  let description = [{
    If a tile is the same in every iteration, its conversion moves before the loop. The ops that compute the tile move
    with it.

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

def TileGpuReduceAfterLoops : Pass<"tile-gpu-reduce-after-loops", "::mlir::func::FuncOp"> {
  let summary = "reduces across threads once after a loop, and not in each of its iterations";
  let description = [{
    A loop may carry a value to which each iteration only adds what it has reduced. Then each thread keeps its own part
    of the value, and the parts of all threads meet after the loop. This saves the
    shuffles of each iteration and, where several warps have parts of an axis, the barriers.

    ```mlir
    %sums = scf.for %i = %zero to %n step %step iter_args(%sum = %zeros) -> (tensor<128xf32, #row>) {
      ...
      %scaled = arith.mulf %sum, %shrink : tensor<128xf32, #row>
      %s = tile.reduce (%p) axis = 1 : (tensor<128x128xf32, #tile>) -> tensor<128xf32, #row> { ... arith.addf ... }
      %next = arith.addf %scaled, %s : tensor<128xf32, #row>
    ```

    becomes a loop that carries `tensor<128x4xf32>`, one element for each of four lanes. `%p` is reshaped to
    `tensor<128x16x4x2xf32>` and reduced along its second and its last axis. After the loop, a `tile.reduce` along the
    four gives `%sums`.

    The pass moves sums, with or without a factor, and extrema. The layout must give the threads along the axis
    neighbouring bits of the coordinate.
  }];
  let dependentDialects = ["::tile::gpu::TileGpuDialect"];
}

def TileGpuLoadAhead : Pass<"tile-gpu-load-ahead", "::mlir::func::FuncOp"> {
  let summary = "moves loads of a loop to the iteration before";
  let description = [{
    In the loop of a role that multiplies, a load of a few registers moves to the iteration before. So memory answers
    while the product is made. The loop carries what was loaded.

    In kernels without products, this is done in innermost loops that do not write, and in the loop over programs. There,
    the loads of the next program stand before the work of this one, up to the first store, atomic, barrier or assert of
    a program. The loads take a quarter of a thread's registers at most. A load that is the same for all iterations
    moves before the loop.

    ```mlir
    scf.for %i = %lb to %ub step %s {                                                       // before
      %p = tile.addptr %scales, %i : !tile.ptr<f32>, i32
      %x = tile.load %p : !tile.ptr<f32>
      tile.dot ...
    }

    %first = tile.load %at_lb, %is_any : !tile.ptr<f32>                                     // after
    scf.for %i = %lb to %ub step %s iter_args(%x = %first) {
      %next = tile.load %at_i_plus_s, %is_next : !tile.ptr<f32>
      tile.dot ...
      scf.yield %next
    }
    ```
  }];
  let dependentDialects = ["::tile::gpu::TileGpuDialect"];
}

def TileGpuShareOperands : Pass<"tile-gpu-share-operands", "::mlir::func::FuncOp"> {
  let summary = "copies operands of products to shared memory";
  let description = [{
    A tile that is loaded for a product is copied into a slot of a channel. The copy is asynchronous and uses no
    registers. The tile is then read from the slot in the layout that the matrix unit needs. The operands of one
    product share a channel.

    * If a mask ends within a vector, the copy gets the number of elements inside.
    * Unaligned neighbours of 16 bits are loaded and stored into the slot one by one, by a copy without `async`.
    * If a tile is only permuted before the product, the view of the slot is permuted.
    * A load stays a load if no copy can do the same: copy units of one byte, scattered elements of two bytes, or an
      `other` that is not zero.

    If the layout of an operand is one of shared memory, the product takes the view of the slot, and the slot is
    released after the product. A computed operand is put into a slot. The blocks that it is computed from go through
    slots of their own: each thread reads from them the elements that it copied.

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
  let summary = "issues copies some iterations before the products that read them";
  let description = [{
    A channel that a loop fills and reads gets `num_stages` slots. This is the attribute of the loop, or else of the
    kernel.

    * Iteration `i` issues the copies of iteration `i + num_stages - 1`. The copies of the first iterations are issued
      before the loop.
    * If a matrix unit reads the slot in shared memory, the product is issued first, then the copies.
    * A product with an accumulator that the loop carries is awaited in the next iteration. Iteration `i` then issues
      the copies of iteration `i + num_stages - 2`.
    * Copies past the last iteration are switched off. So any number of iterations is correct, also zero.

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

def TileGpuOverlapProducts : Pass<"tile-gpu-overlap-products", "::mlir::func::FuncOp"> {
  let summary = "makes the second product of a chain an iteration behind the first";
  let description = [{
    A product with `tile_gpu.behind` multiplies what is computed from another product of its loop. It moves to the next
    iteration, where it begins when the first product of that iteration has begun. So a unit makes the second product
    while the threads compute from the first one. The first product of the first iteration and the second one of the
    last iteration are made outside of the loop. With no iteration nothing is made.

    ```mlir
    scf.for {                                                  // before
      %s = dot %q, %k;  %p = exp %s;  %sums = dot %p, %v, %acc {tile_gpu.behind}
    }

    %s = dot %q, %k;  %p = exp %s                              // after
    scf.for {
      %s1 = dot %q, %k in flight
      %sums1 = dot %p, %v, %acc in flight
      await %s1 pending 1;  %p1 = exp %s1;  await %sums1
    }
    %sums = dot %p, %v, %acc
    ```
  }];
}

def TileGpuAwaitProductsLate : Pass<"tile-gpu-await-products-late", "::mlir::func::FuncOp"> {
  let summary = "lets the products of an iteration go on until their sums are needed";
  let description = [{
    In a role, several products of one block are begun as early as their operands lie in shared memory. Each is awaited
    where something else than the next product first needs its sums. So a unit multiplies while the threads compute from
    the products before. The slots that a product reads are released after its wait.

    ```mlir
    %s = dot %k, %q;  %p = exp %s;  %sums = dot %p, %g, %acc       // before
    %t = dot %v, %g;  %d = mul %p, %t;  %more = dot %d, %q, %acc2

    %s0 = dot %k, %q in flight;  %t0 = dot %v, %g in flight        // after
    %s = await %s0 pending 1;  %p = exp %s;  %sums0 = dot %p, %g, %acc in flight
    %t = await %t0 pending 1;  %d = mul %p, %t;  %more0 = dot %d, %q, %acc2 in flight
    %sums = await %sums0 pending 1;  %more = await %more0
    ```
  }];
}

def TileUnrollLoops : Pass<"tile-unroll-loops", "::mlir::func::FuncOp"> {
  let summary = "unrolls the loops that have `tile.unroll`";
  let description = [{
    A loop with `tile.unroll = n` becomes two loops. The first one does n iterations in each trip. The second one does
    the remaining iterations. Both count iterations from 0, so that the induction variable does not overflow. A loop
    with constant bounds and at most n iterations becomes straight code. Both loops keep the other attributes.

    Before:

    ```mlir
    scf.for %i = %lb to %ub step %s {
      body(%i)
    } {tile.unroll = 2 : i32}
    ```

    After, where `%trips` is the number of iterations and `%whole` is half of it, rounded down:

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
