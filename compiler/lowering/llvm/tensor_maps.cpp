// SPDX-License-Identifier: MIT
// Tensor maps become parameters of the kernel, behind those that it has, and so do the extents of the grid
// where a CTA runs several programs. What the launcher has to encode stands in the module:
// `tile_gpu.tensor_maps`, with the fastest axis first, as the copy engine counts.
#include "compiler/lowering/llvm/patterns.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tile::gpu {

// As compiler/launch_facts.cpp reads it: an argument is {parameter = 3}.
static Attribute launchNumber(Attribute number) {
  Builder b(number.getContext());
  SmallVector<NamedAttribute> parts;
  if (auto argument = dyn_cast<ArgumentAttr>(number)) {
    parts.push_back(b.getNamedAttr("parameter", b.getI64IntegerAttr(argument.getNumber())));
  } else if (auto computed = dyn_cast<ComputedAttr>(number)) {
    parts = {b.getNamedAttr("operation", b.getStringAttr(stringifyArithmetic(computed.getOperation()))),
             b.getNamedAttr("left", launchNumber(computed.getLeft())),
             b.getNamedAttr("right", launchNumber(computed.getRight()))};
    if (computed.getNarrow())
      parts.push_back(b.getNamedAttr("narrow", b.getUnitAttr()));
  } else {
    return number;
  }
  return b.getDictionaryAttr(parts);
}

static ArrayAttr reversed(ArrayAttr list) {
  SmallVector<Attribute> entries = llvm::map_to_vector(llvm::reverse(list), launchNumber);
  return ArrayAttr::get(list.getContext(), entries);
}

// As runtime/tensor_description.h calls it: of the narrow ones the engine sees the bits.
static std::string nameOf(Type element) {
  std::string name;
  llvm::raw_string_ostream text(name);
  if (element.getIntOrFloatBitWidth() == 8 || element.isInteger(16))
    text << 'u' << element.getIntOrFloatBitWidth();
  else
    text << element;
  return name;
}

static DictionaryAttr description(TensorMapOp map) {
  Builder b(map.getContext());
  SmallVector<int32_t> box(llvm::reverse(map.getBox()));
  SmallVector<NamedAttribute> fields{
      b.getNamedAttr("element", b.getStringAttr(nameOf(map.getElement()))),
      b.getNamedAttr("base", b.getI64IntegerAttr(static_cast<int64_t>(map.getBase()))),
      b.getNamedAttr("sizes", reversed(map.getExtents())),
      b.getNamedAttr("strides", reversed(map.getStrides())),
      b.getNamedAttr("box", b.getDenseI32ArrayAttr(box)),
      b.getNamedAttr("swizzle", b.getI32IntegerAttr(static_cast<int32_t>(map.getSwizzle())))};
  if (map.getNan())
    fields.push_back(b.getNamedAttr("nan", b.getUnitAttr()));
  if (map.getWritten())
    fields.push_back(b.getNamedAttr("written", b.getUnitAttr()));
  if (map.getAnchored())
    fields.push_back(b.getNamedAttr("anchored", b.getUnitAttr()));
  return b.getDictionaryAttr(fields);
}

unsigned takeTensorMaps(func::FuncOp kernel) {
  llvm::MapVector<Attribute, Value> parameters;   // one for equal maps
  SmallVector<TensorMapOp> maps;
  kernel.walk([&](TensorMapOp map) { maps.push_back(map); });
  for (TensorMapOp map : maps) {
    Value &parameter = parameters[description(map)];
    if (!parameter) {   // behind those of maps before
      unsigned number = kernel.getNumArguments();
      if (failed(kernel.insertArgument(number, map.getType(), {}, map.getLoc())))
        return 0;
      parameter = kernel.getArgument(number);
    }
    map.replaceAllUsesWith(parameter);
    map.erase();
  }
  if (!parameters.empty()) {
    SmallVector<Attribute> list = llvm::to_vector(llvm::make_first_range(parameters));
    kernel->getParentOp()->setAttr(TensorMapsName, ArrayAttr::get(kernel.getContext(), list));
  }
  return static_cast<unsigned>(parameters.size());
}

void takeGrid(func::FuncOp kernel) {
  Builder b(kernel.getContext());
  kernel->getParentOp()->setAttr(PersistentName, b.getUnitAttr());
  unsigned first = kernel.getNumArguments();
  for (unsigned axis = 0; axis < 3; ++axis)
    if (failed(kernel.insertArgument(first + axis, b.getI32Type(), {}, kernel.getLoc())))
      return;
  kernel.walk([&](ir::NumProgramsOp count) {
    count.replaceAllUsesWith(kernel.getArgument(first + static_cast<unsigned>(count.getAxis())));
    count.erase();
  });
}

void takeWorkspace(func::FuncOp kernel) {
  WorkspaceOp workspace;
  kernel.walk([&](WorkspaceOp found) { workspace = found; });
  if (!workspace)
    return;
  constexpr uint64_t alignment = 128;
  const auto bytes = static_cast<int64_t>(llvm::alignTo(workspace.getBytes(), alignment));
  ImplicitLocOpBuilder b(workspace.getLoc(), workspace);
  kernel->getParentOp()->setAttr(WorkspaceName, b.getI32IntegerAttr(static_cast<int32_t>(bytes)));
  const unsigned number = kernel.getNumArguments();
  if (failed(kernel.insertArgument(number, workspace.getType(), {}, workspace.getLoc())))
    return;
  Value cta = arith::ExtUIOp::create(b, b.getI64Type(), NVVM::BlockIdXOp::create(b, b.getI32Type()));
  Value before = arith::MulIOp::create(b, cta, arith::ConstantIntOp::create(b, bytes, 64));
  workspace.replaceAllUsesWith(LLVM::GEPOp::create(b, workspace.getType(), b.getI8Type(),
                                                   kernel.getArgument(number), LLVM::GEPArg(before))
                                   .getResult());
  workspace.erase();
}

void markTensorMaps(LLVM::LLVMFuncOp kernel, unsigned first, unsigned count) {
  constexpr unsigned bytes = 128;
  constexpr int64_t alignment = 64;
  MLIRContext *context = kernel.getContext();
  Type map = LLVM::LLVMArrayType::get(IntegerType::get(context, 8), bytes);
  for (unsigned i = first; i < first + count; ++i) {
    kernel.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(map));
    kernel.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                      IntegerAttr::get(IntegerType::get(context, 64), alignment));
    kernel.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(), UnitAttr::get(context));
  }
}

}   // namespace tile::gpu
