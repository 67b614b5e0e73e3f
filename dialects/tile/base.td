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
    A program works on *tiles*. A tile is a tensor with a static shape. This dialect
    does not say where its elements are stored, and no op of it depends on hardware.
    Kernels use `arith` and `math` for most arithmetic and `scf` for control flow. This
    dialect adds:

    * loads, stores and atomics;
    * ops on shapes;
    * products, reductions and scans;
    * arithmetic ops for the cases that `arith` leaves undefined: here each input has a
      defined result.

    A scalar has a plain type such as `i32`, `f16` or `!tile.ptr<f16>`. A tile is a ranked
    tensor of such a type. Every extent is r * 2^k with an odd r <= 31, and a tile has at
    most 2^20 elements. Integers are signless; an op that depends on the sign states it.

    A kernel is a `func.func` with the attribute `tile.kernel`. The other attributes are:

    | of | attributes |
    |---|---|
    | the kernel: launch options | `tile.num_warps`, `tile.num_stages`, `tile.num_ctas`, `tile.ping_pong`, `tile.max_registers`, `tile.fp_fusion` |
    | an argument | `tile.name`, `tile.divisibility`, `tile.type` (the element type with its sign, such as `u32`) |
    | a loop (`scf.for`) | `tile.num_stages`, `tile.unroll`, `tile.specialize_warps` |

    <!-- Without this mark, mlir-tblgen would write it as text.
    [TOC]
    -->
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

def Tile_Scope : Tile_Enum<"Scope", "the threads that observe an atomic in order", [
  I32EnumAttrCase<"cta", 0>, I32EnumAttrCase<"gpu", 1>, I32EnumAttrCase<"sys", 2>]>;
def Tile_ScopeAttr : Tile_EnumAttr<Tile_Scope, "scope">;

def Tile_Update : Tile_Enum<"Update", "the operation of an atomic or a descriptor reduction", [
  I32EnumAttrCase<"add", 0>, I32EnumAttrCase<"fadd", 1>, I32EnumAttrCase<"smax", 2>,
  I32EnumAttrCase<"smin", 3>, I32EnumAttrCase<"umax", 4>, I32EnumAttrCase<"umin", 5>,
  I32EnumAttrCase<"fmax", 6>, I32EnumAttrCase<"fmin", 7>, I32EnumAttrCase<"bit_and", 8, "and">,
  I32EnumAttrCase<"bit_or", 9, "or">, I32EnumAttrCase<"bit_xor", 10, "xor">,
  I32EnumAttrCase<"exchange", 11, "xchg">]>;
def Tile_UpdateAttr : Tile_EnumAttr<Tile_Update, "update">;

def Tile_Padding : Tile_Enum<"Padding", "the value of elements outside the tensor in a descriptor load", [
  I32EnumAttrCase<"zero", 0>, I32EnumAttrCase<"nan", 1>]>;
def Tile_PaddingAttr : Tile_EnumAttr<Tile_Padding, "padding">;

def Tile_Rounding : Tile_Enum<"Rounding", "rounding of a float conversion", [
  I32EnumAttrCase<"nearest_even", 0, "rtne">, I32EnumAttrCase<"toward_zero", 1, "rtz">]>;
def Tile_RoundingAttr : Tile_EnumAttr<Tile_Rounding, "rounding">;

def Tile_NanRule : Tile_Enum<"NanRule", "how a minimum or maximum treats a NaN", [
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
