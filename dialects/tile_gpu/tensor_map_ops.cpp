// SPDX-License-Identifier: MIT
// The rules of the ops that change tensor maps.
#include "dialects/tile_gpu/tensor_map_ops.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "dialects/tile_gpu/tensor_map_ops.cpp.inc"

namespace tile::gpu {

int PtxMapReplaceOp::getFieldNumber() {
  return static_cast<int>(llvm::find(fields, getField()) - std::begin(fields));
}

LogicalResult PtxMapReplaceOp::verify() {
  const auto *field = llvm::find(fields, getField());
  if (field == std::end(fields)) {
    InFlightDiagnostic error = emitOpError("knows no field `")
                               << getField() << "` of tensor maps; there are: ";
    llvm::interleaveComma(fields, error);
    return error;
  }
  StringRef name = *field;
  bool isOfDimension = name.ends_with("_dim") || name.ends_with("_stride");
  int64_t last = name == "global_stride" ? 3 : 4;
  if (isOfDimension != getDimension().has_value() || (isOfDimension && *getDimension() > last))
    return emitOpError("`") << name << "` "
                            << (isOfDimension ? "needs a dimension, 0 to " + std::to_string(last)
                                              : "takes no dimension");
  bool isChoice = field - std::begin(fields) >= 6;
  if (isChoice != getConstant().has_value() || isChoice == (getValue() != nullptr))
    return emitOpError("`") << name << "` takes " << (isChoice ? "a constant" : "a value");
  bool isWide = name == "global_address" || name == "global_stride";
  if (!isChoice && !getValue().getType().isInteger(isWide ? 64 : 32))
    return emitOpError("`") << name << "` takes " << (isWide ? 64 : 32) << " bits, not "
                            << getValue().getType();
  return success();
}

}   // namespace tile::gpu
