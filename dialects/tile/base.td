// SPDX-License-Identifier: MIT
// The `tile` dialect itself, its enums and the constraints its ops share.
#ifndef TILE_BASE_TD
#define TILE_BASE_TD

include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tile::ir";
  let summary = "Block-level programs over tiles of a tensor";
  let description = [{
    A program works on *tiles*: tensors of a static shape whose elements have no
    place yet. Nothing here knows hardware. Integer and floating-point arithmetic
    is the `arith` and `math` dialects', control flow is `scf`'s; this dialect adds
    memory, shapes, products, reductions and those arithmetic operations whose
    meaning in the language is total where `arith` leaves cases undefined.

    A scalar is a plain `i32`, `f16`, `!tile.ptr<f16>`; a tile is a ranked tensor of
    them. Every extent is r * 2^k with an odd r <= 31 and a tile has at most 2^20
    elements. Integers are signless; where the sign matters the op says so.

    A kernel is a `func.func` with the attribute `tile.kernel`. Its launch options
    are the attributes `tile.num_warps`, `tile.num_stages`, `tile.max_registers`
    and `tile.fp_fusion`; its arguments carry `tile.name`, `tile.divisibility`
    and `tile.type` (the signed spelling of the element type). Loops (`scf.for`)
    may carry `tile.num_stages` and `tile.unroll`.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

//===------------------------------------------------------------------------===//
// Enums
//===------------------------------------------------------------------------===//

class Tile_Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let genSpecializedAttr = 0;
  let cppNamespace = "::tile::ir";
}
class Tile_EnumAttr<Tile_Enum info, string mnemonic>
    : EnumAttr<Tile_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def Tile_Axis : Tile_Enum<"Axis", "axis of the launch grid", [
  I32EnumAttrCase<"x", 0>, I32EnumAttrCase<"y", 1>, I32EnumAttrCase<"z", 2>]>;
def Tile_AxisAttr : Tile_EnumAttr<Tile_Axis, "axis">;

def Tile_Cache : Tile_Enum<"Cache", "cache operator of a global access", [
  I32EnumAttrCase<"none", 0>, I32EnumAttrCase<"ca", 1>, I32EnumAttrCase<"cg", 2>,
  I32EnumAttrCase<"cv", 3>, I32EnumAttrCase<"wb", 4>, I32EnumAttrCase<"cs", 5>,
  I32EnumAttrCase<"wt", 6>]>;
def Tile_CacheAttr : Tile_EnumAttr<Tile_Cache, "cache">;

def Tile_Evict : Tile_Enum<"Evict", "eviction priority of a global access", [
  I32EnumAttrCase<"normal", 0>, I32EnumAttrCase<"first", 1>, I32EnumAttrCase<"last", 2>]>;
def Tile_EvictAttr : Tile_EnumAttr<Tile_Evict, "evict">;

def Tile_Ordering : Tile_Enum<"Ordering", "memory ordering of an atomic", [
  I32EnumAttrCase<"relaxed", 0>, I32EnumAttrCase<"acquire", 1>,
  I32EnumAttrCase<"release", 2>, I32EnumAttrCase<"acq_rel", 3>]>;
def Tile_OrderingAttr : Tile_EnumAttr<Tile_Ordering, "ordering">;

def Tile_Scope : Tile_Enum<"Scope", "who observes an atomic in order", [
  I32EnumAttrCase<"cta", 0>, I32EnumAttrCase<"gpu", 1>, I32EnumAttrCase<"sys", 2>]>;
def Tile_ScopeAttr : Tile_EnumAttr<Tile_Scope, "scope">;

def Tile_Update : Tile_Enum<"Update", "how an atomic or a descriptor reduction combines", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"fadd", 1>, I32EnumAttrCase<"smax", 2>,
  I32EnumAttrCase<"smin", 3>, I32EnumAttrCase<"umax", 4>, I32EnumAttrCase<"umin", 5>,
  I32EnumAttrCase<"fmax", 6>, I32EnumAttrCase<"fmin", 7>, I32EnumAttrCase<"bit_and", 8, "and">,
  I32EnumAttrCase<"bit_or", 9, "or">, I32EnumAttrCase<"bit_xor", 10, "xor">,
  I32EnumAttrCase<"exchange", 11, "xchg">]>;
def Tile_UpdateAttr : Tile_EnumAttr<Tile_Update, "update">;

def Tile_Padding : Tile_Enum<"Padding", "what a descriptor load yields outside the tensor", [
  I32EnumAttrCase<"zero", 0>, I32EnumAttrCase<"nan", 1>]>;
def Tile_PaddingAttr : Tile_EnumAttr<Tile_Padding, "padding">;

def Tile_Rounding : Tile_Enum<"Rounding", "rounding of a float conversion", [
  I32EnumAttrCase<"nearest_even", 0, "rtne">, I32EnumAttrCase<"toward_zero", 1, "rtz">]>;
def Tile_RoundingAttr : Tile_EnumAttr<Tile_Rounding, "rounding">;

def Tile_NanRule : Tile_Enum<"NanRule", "what a NaN does to a minimum or maximum", [
  I32EnumAttrCase<"ignore", 0>, I32EnumAttrCase<"propagate", 1>]>;
def Tile_NanRuleAttr : Tile_EnumAttr<Tile_NanRule, "nan">;

def Tile_Precision : Tile_Enum<"Precision", "how an f32 product is computed", [
  I32EnumAttrCase<"tf32", 0>, I32EnumAttrCase<"tf32x3", 1>, I32EnumAttrCase<"bf16x3", 2>,
  I32EnumAttrCase<"bf16x6", 3>, I32EnumAttrCase<"ieee", 4>]>;
def Tile_PrecisionAttr : Tile_EnumAttr<Tile_Precision, "precision">;

//===------------------------------------------------------------------------===//
// Traits and the base class
//===------------------------------------------------------------------------===//

// Checks the rule on extents for every tensor an op takes or gives.
def LegalTiles : NativeOpTrait<"LegalTiles"> { let cppNamespace = "::tile::ir"; }
// Operands and results are all scalars or all tiles of one shape.
def SameShape : NativeOpTrait<"SameShape"> { let cppNamespace = "::tile::ir"; }

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, !listconcat([LegalTiles], traits)>;

#endif
