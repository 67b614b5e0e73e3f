// SPDX-License-Identifier: MIT
// The `tile_gpu` dialect: where the elements of tiles live.
#ifndef TILE_GPU_BASE_TD
#define TILE_GPU_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/OpBase.td"

def TileGpu_Dialect : Dialect {
  let name = "tile_gpu";
  let cppNamespace = "::tile::gpu";
  let summary = "Tiles distributed over the threads of a GPU";
  let description = [{
    This dialect is between the language and machine instructions. The tensors of `tile`
    ops carry a layout: it says which thread holds which element in which register. The ops
    of this dialect move elements between layouts, through shared memory and between
    threads.

    The function names its target in `tile_gpu.target`, such as "sm_90a", and keeps the
    launch attributes of the `tile` dialect.

    <!-- Without this mark, mlir-tblgen would write it as text.
    [TOC]
    -->
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::tile::ir::TileDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

def TileGpu_LayoutAttr : AttrDef<TileGpu_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding, ["verifyEncoding"]>]> {
  let mnemonic = "layout";
  let summary = "where each element of a tile is stored";
  let description = [{
    A layout is linear over GF(2). It lists the coordinates that each bit contributes: the
    bits of the register number (`register`), of the lane, of the warp, and of the CTA in a
    cluster (`block`). The xor of the contributions is the element's coordinates. If an
    extent has an odd factor, `repeats` says how often the layout repeats along that axis.

    This is a 16 x 24 accumulator of the matrix unit with one warp, three times 8 columns:

    ```mlir
    #tile_gpu.layout<register = [[0, 1], [8, 0]],
                     lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]],
                     warp = [], block = [], repeats = [1, 3]>
    ```
  }];
  // The layout of compiler/layout, as numbers: the columns, input bits by space, output bits by axis.
  let parameters = (ins ArrayRefParameter<"int64_t">:$columns, ArrayRefParameter<"int64_t">:$inBits,
                        ArrayRefParameter<"int64_t">:$outBits, ArrayRefParameter<"int64_t">:$repeats);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [AttrBuilder<(ins "const ::tile::layout::TileLayout &":$layout)>];
  let extraClassDeclaration = [{
    ::tile::layout::TileLayout getLayout() const;
  }];
}

def TileGpu_ArgumentAttr : AttrDef<TileGpu_Dialect, "Argument"> {
  let mnemonic = "argument";
  let summary = "an argument of the kernel, known at launch";
  let description = [{
    `#tile_gpu.argument<5>` stands for the value that a launch passes for this argument.
  }];
  let parameters = (ins "int64_t":$number);
  let assemblyFormat = "`<` $number `>`";
}

def TileGpu_Arithmetic : I32EnumAttr<"Arithmetic", "what the launcher computes", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"subtract", 1>, I32EnumAttrCase<"multiply", 2>,
  I32EnumAttrCase<"divide", 3>, I32EnumAttrCase<"ceil_divide", 4>, I32EnumAttrCase<"minimum", 5>,
  I32EnumAttrCase<"maximum", 6>]> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::tile::gpu";
}

def TileGpu_ComputedAttr : AttrDef<TileGpu_Dialect, "Computed"> {
  let mnemonic = "computed";
  let summary = "a number that the launcher computes from arguments of the kernel";
  let description = [{
    Both operands are numbers, arguments or computed themselves. With `narrow = true` the kernel computes in 32 bits.
    Quotients are of a positive number: `divide` rounds toward zero, `ceil_divide` up. This is `m * (k / 2)`:

    ```mlir
    #tile_gpu.computed<multiply(#tile_gpu.argument<3>, #tile_gpu.computed<divide(#tile_gpu.argument<5>, 2 : i64)>)>
    ```
  }];
  let parameters = (ins EnumParameter<TileGpu_Arithmetic>:$operation, "::mlir::Attribute":$left,
                        "::mlir::Attribute":$right, DefaultValuedParameter<"bool", "false">:$narrow);
  let assemblyFormat = "`<` $operation `(` $left `,` $right `)` (`narrow` `=` $narrow^)? `>`";
  let genVerifyDecl = 1;
}

def TileGpu_PlanAttr : AttrDef<TileGpu_Dialect, "Plan"> {
  let mnemonic = "plan";
  let summary = "the roles that the warps of a kernel are divided into";
  let description = [{
    `tile-gpu-plan` writes the attribute `tile_gpu.plan` to a kernel whose warps get roles. The passes after it follow
    the plan and decide nothing again. The first role copies, the others multiply. `warps` and `registers` say how many
    warps each role has, and how many registers each of its threads; 0 leaves the registers as they are. With
    `in_turn = true` two roles multiply in ping-pong: each takes every second iteration of a loop.

    ```mlir
    #tile_gpu.plan<warps = [4, 8], registers = [40, 232]>
    #tile_gpu.plan<warps = [4, 4, 4], registers = [40, 232, 232], in_turn = true>
    ```

    Two attributes of loops belong to it. `tile_gpu.programs` marks the loop over programs that
    `tile-gpu-loop-over-programs` makes. `tile_gpu.in_turn` marks the loop that runs in ping-pong.

    Two attributes of products belong to it, too. `tile_gpu.put_slots = 3` says that the second operand is computed, and
    is put into three slots one after the other while the products go on. `tile_gpu.behind` says that the product is made
    an iteration behind the product that it multiplies.
  }];
  let parameters = (ins ArrayRefParameter<"int32_t">:$warps, ArrayRefParameter<"int32_t">:$registers,
                        DefaultValuedParameter<"bool", "false">:$inTurn);
  let assemblyFormat = "`<` `warps` `=` `[` $warps `]` `,` `registers` `=` `[` $registers `]` "
                       "(`,` `in_turn` `=` $inTurn^)? `>`";
  let genVerifyDecl = 1;
}

def TileGpu_FillAttr : AttrDef<TileGpu_Dialect, "Fill"> {
  let mnemonic = "fill";
  let summary = "the channel that a load fills";
  let description = [{
    `tile-gpu-plan` writes the attribute `tile_gpu.fill` to each load that the role of copies takes over. Loads with one
    channel fill its slots together. The channel has `slots` slots.

    ```mlir
    %x = tile.descriptor_load %a[%m, %k] {tile_gpu.fill = #tile_gpu.fill<channel = 0, slots = 3>} : ...
    ```
  }];
  let parameters = (ins "int64_t":$channel, "int64_t":$slots);
  let assemblyFormat = "`<` `channel` `=` $channel `,` `slots` `=` $slots `>`";
  let genVerifyDecl = 1;
}

def TileGpu_ChannelType : TypeDef<TileGpu_Dialect, "Channel"> {
  let mnemonic = "channel";
  let summary = "a ring of slots in shared memory";
  let description = [{
    A producer passes tiles to a consumer through a channel. Each slot holds one tile of each listed type. The
    layouts of the types say where the elements are in shared memory. This channel has three slots, each with a
    tile of A and a tile of B:

    ```mlir
    !tile_gpu.channel<3 x (tensor<128x64xf16, #swizzled>, tensor<64x128xf16, #swizzled>)>
    ```

    | channel | use |
    |---|---|
    | without barriers | the same threads are producer and consumer |
    | `barriers = true` | one role is the producer, another is the consumer; each slot has two mbarriers, full and empty |
    | `barriers = true`, no tiles | two roles pass the ping-pong turn: one has it from acquire to commit, the other from wait to release |
  }];
  let parameters = (ins "int64_t":$slots, ArrayRefParameter<"::mlir::Type">:$tiles,
                        DefaultValuedParameter<"bool", "false">:$barriers);
  let assemblyFormat = "`<` $slots `x` `(` custom<Tiles>($tiles) `)` (`barriers` `=` $barriers^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getTile(unsigned index) const;
    // Where tile `index` begins in a slot, and how large a slot is, in bytes. Tiles begin at
    // multiples of 1024, the period of the widest swizzle.
    int64_t getTileOffset(unsigned index) const;
    int64_t getSlotBytes() const;
    int64_t getBytes() const { return getSlots() * getSlotBytes(); }
    // Of the mbarriers of all slots.
    int64_t getBarrierBytes() const { return getBarriers() ? 16 * getSlots() : 0; }
    // What goes around the ring.
    ::tile::gpu::CursorType getCursor() const;
  }];
}

def TileGpu_CursorType : TypeDef<TileGpu_Dialect, "Cursor"> {
  let mnemonic = "cursor";
  let summary = "the position of a producer or a consumer in a ring";
  let description = [{
    A cursor holds the number of the next slot. For a channel with barriers it also holds the parity of the current
    round through the ring. Producer and consumer each have a cursor and carry it through their loops.

    ```mlir
    !tile_gpu.cursor<3>
    !tile_gpu.cursor<3 parity = true>
    ```
  }];
  let parameters = (ins "int64_t":$slots, DefaultValuedParameter<"bool", "false">:$parity);
  let assemblyFormat = "`<` $slots (`parity` `=` $parity^)? `>`";
}

def TileGpu_SlotType : TypeDef<TileGpu_Dialect, "Slot"> {
  let mnemonic = "slot";
  let summary = "a slot that the producer may fill, from an acquire to its commit";
}

def TileGpu_LeaseType : TypeDef<TileGpu_Dialect, "Lease"> {
  let mnemonic = "lease";
  let summary = "a slot that the consumer may read, from a wait to its release";
  let description = [{
    A lease is released exactly once on every path. Loops may carry leases and branches may return them. The only
    other use of a lease is a view.
  }];
}

class TileGpu_Op<string mnemonic, list<Trait> traits = []> : Op<TileGpu_Dialect, mnemonic, traits>;

#endif
