// SPDX-License-Identifier: MIT
// Pointers, descriptors, and the type constraints of the ops.
#ifndef TILE_TYPES_TD
#define TILE_TYPES_TD

include "dialects/tile/base.td"
include "mlir/IR/AttrTypeBase.td"

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_PtrType : Tile_Type<"Ptr", "ptr"> {
  let summary = "the address of an element in global memory";
  let description = [{
    `!tile.ptr<f16>` is the address of an `f16`. `!tile.ptr<!tile.ptr<f16>>` is the
    address of such an address. A tile of pointers is a tensor of this type. Pointer
    arithmetic counts in elements and is 64 bits wide.
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee);
  }]>];
}

def Tile_DescType : Tile_Type<"Desc", "desc"> {
  let summary = "a descriptor: a tensor in global memory that is read and written block by block";
  let description = [{
    `!tile.desc<128x64xf16>` describes a tensor in global memory. Loads and stores copy
    blocks of 128 by 64 elements. The extents and strides of the tensor are known at run
    time. A descriptor has one to five dimensions, and the last axis of its block
    spans at least 16 bytes.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$block, "::mlir::Type":$element);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [TypeBuilderWithInferredContext<
    (ins "::llvm::ArrayRef<int64_t>":$block, "::mlir::Type":$element), [{
    return $_get(element.getContext(), block, element);
  }]>];
  let extraClassDeclaration = [{
    ::mlir::RankedTensorType getBlockType() const {
      return ::mlir::RankedTensorType::get(getBlock(), getElement());
    }
  }];
}

// The elements of the language. Neither `index` nor odd widths: memory has no place for them.
def Tile_ArithIntElement : AnyTypeOf<[I8, I16, I32, I64], "an integer of 8 to 64 bits">;
def Tile_IntElement : AnyTypeOf<[I1, I8, I16, I32, I64], "i1 or an integer of 8 to 64 bits">;
// 8-bit floats are for storage, conversion and products.
def Tile_ArithFloatElement : AnyTypeOf<[F16, BF16, F32, F64], "f16, bf16, f32 or f64">;
def Tile_FloatElement : AnyTypeOf<[F16, BF16, F32, F64, F8E4M3FN, F8E5M2],
                                  "f16, bf16, f32, f64, f8E4M3FN or f8E5M2">;

// A scalar or a tile of them.
class ScalarOrTile<Type scalar, string what>
    : AnyTypeOf<[scalar, RankedTensorOf<[scalar]>], what>;

def Tile_Bool : ScalarOrTile<I1, "a condition or a tile of conditions">;
def Tile_Int : ScalarOrTile<Tile_IntElement, "an integer or a tile of integers">;
def Tile_ArithInt : ScalarOrTile<Tile_ArithIntElement, "an integer of 8 to 64 bits or a tile of them">;
def Tile_Float : ScalarOrTile<Tile_FloatElement, "a float or a tile of floats">;
def Tile_ArithFloat : ScalarOrTile<Tile_ArithFloatElement, "f16, bf16, f32, f64 or a tile of them">;
def Tile_Ptr : ScalarOrTile<Tile_PtrType, "a pointer or a tile of pointers">;
def Tile_Offset : ScalarOrTile<AnyTypeOf<[I32, I64]>, "a 32- or 64-bit offset or a tile of them">;
def Tile_I32 : ScalarOrTile<I32, "an i32 or a tile of them">;
def Tile_I64 : ScalarOrTile<I64, "an i64 or a tile of them">;
def Tile_Element : AnyTypeOf<[Tile_IntElement, Tile_FloatElement, Tile_PtrType],
                             "an integer, a float or a pointer">;
def Tile_Tile : RankedTensorOf<[Tile_Element], [], "a tile">;
def Tile_Any : AnyTypeOf<[Tile_Element, Tile_Tile], "a scalar or a tile">;
def Tile_Number : AnyTypeOf<[Tile_Int, Tile_Float], "a number or a tile of numbers">;
def Tile_NumberTile : RankedTensorOf<[Tile_IntElement, Tile_FloatElement], [], "a tile of numbers">;

#endif
