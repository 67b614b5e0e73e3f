// SPDX-License-Identifier: MIT
#include "dialects/tile/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile::ir;

#include "dialects/tile/dialect.cpp.inc"
#include "dialects/tile/enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/attributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/types.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tile/attributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tile/types.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tile/ops.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

static bool isNumber(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type, Float8E4M3FNType, Float8E5M2Type>(type) ||
         llvm::any_of(std::initializer_list<unsigned>{1, 8, 16, 32, 64},
                      [&](unsigned width) { return type.isSignlessInteger(width); });
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee) {
  if (isNumber(pointee) || isa<PtrType>(pointee))
    return success();
  return emitError() << "a pointer points to an integer of 8 to 64 bits, i1, f16, bf16, f32, f64, f8E4M3FN, "
                        "f8E5M2 or a pointer, not to "
                     << pointee;
}

LogicalResult DescType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> block,
                               Type element) {
  if (block.empty() || block.size() > 5)
    return emitError() << "a descriptor has 1 to 5 dimensions, not " << block.size();
  if (!isNumber(element))
    return emitError() << "a descriptor's elements are numbers, not " << element;
  int64_t elements = 1;
  for (int64_t extent : block) {
    if (!isLegalExtent(extent))
      return emitError() << "extent " << extent
                         << " of the block is not r * 2^k with an odd r <= " << MaxOddFactor;
    if (extent > MaxTileElements || (elements *= extent) > MaxTileElements)
      return emitError() << "a block has at most " << MaxTileElements << " elements";
  }
  int64_t rowBytes = block.back() * std::max(8u, element.getIntOrFloatBitWidth()) / 8;
  if (rowBytes < 16)
    return emitError() << "the last row of a block spans at least 16 bytes, this one " << rowBytes;
  return success();
}

Type DescType::parse(AsmParser &parser) {
  SmallVector<int64_t> block;
  Type element;
  if (parser.parseLess() || parser.parseDimensionList(block, /*allowDynamic=*/false) ||
      parser.parseType(element) || parser.parseGreater())
    return {};
  return parser.getChecked<DescType>(parser.getContext(), block, element);
}

void DescType::print(AsmPrinter &printer) const {
  printer << '<';
  printer.printDimensionList(getBlock());
  printer << 'x' << getElement() << '>';
}
