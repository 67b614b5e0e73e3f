// SPDX-License-Identifier: MIT
// The `tile_gpu` dialect: where the elements of tiles live.
#ifndef TILE_GPU_BASE_TD
#define TILE_GPU_BASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/IR/OpBase.td"

def TileGpu_Dialect : Dialect {
  let name = "tile_gpu";
  let cppNamespace = "::tile::gpu";
  let summary = "Tiles distributed over the threads of a GPU";
  let description = [{
    Between the language and machine instructions: the tensors of `tile` ops carry a
    layout that says which thread holds which element in which register, and the ops
    of this dialect move elements between layouts.

    The function names its target in `tile_gpu.target` ("sm_90a") and keeps the launch
    attributes of the `tile` dialect.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::tile::ir::TileDialect"];
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

def TileGpu_LayoutAttr : AttrDef<TileGpu_Dialect, "Layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding, ["verifyEncoding"]>]> {
  let mnemonic = "layout";
  let summary = "which place holds which element of a tile";
  let description = [{
    A linear layout over GF(2), given by the coordinates that each bit of the register
    number, the lane, the warp and the CTA of a cluster contributes, and how often it
    repeats along each axis where the extent has an odd factor. A 16 x 24 accumulator of
    the matrix unit, one warp, three times 8 columns:

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
  let summary = "the value of one of the kernel's arguments";
  let description = [{
    Of what the launch determines: `#tile_gpu.argument<5>`.
  }];
  let parameters = (ins "int64_t":$number);
  let assemblyFormat = "`<` $number `>`";
}

def TileGpu_ChannelType : TypeDef<TileGpu_Dialect, "Channel"> {
  let mnemonic = "channel";
  let summary = "a ring of slots in shared memory";
  let description = [{
    What a producer hands to a consumer, some tiles at a time. Every slot holds one tile of each listed type;
    their layouts say where the elements lie in shared memory. Three slots, each with a piece of A and one
    of B:

    ```mlir
    !tile_gpu.channel<3 x (tensor<128x64xf16, #swizzled>, tensor<64x128xf16, #swizzled>)>
    ```

    Two roles hand tiles over through a channel with `barriers = true`: each slot has two mbarriers, one that says that
    it is full and one that it is empty. Without them the same threads are on both sides. One with barriers and no tiles
    hands over nothing but the turn: who has acquired its slot has it until the commit, who waits for that has it
    until the release.
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
  let summary = "where one side of a channel stands in its ring";
  let description = [{
    The slot that is next, of so many, and the parity of the rounds made so far where barriers ask for it. Producer
    and consumer each have one and carry it through their loops.

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
  let summary = "a slot that its producer may fill: from an acquire to its commit";
}

def TileGpu_LeaseType : TypeDef<TileGpu_Dialect, "Lease"> {
  let mnemonic = "lease";
  let summary = "a slot that its consumer may look at: from a wait to its release";
  let description = [{
    Released exactly once, wherever that is: loops carry leases, and branches give them. Nothing else may be done
    with one but views.
  }];
}

class TileGpu_Op<string mnemonic, list<Trait> traits = []> : Op<TileGpu_Dialect, mnemonic, traits>;

#endif
