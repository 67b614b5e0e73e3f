// SPDX-License-Identifier: MIT
#include "compiler/launch_facts.h"

#include "runtime/kernel_names.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace tile {
namespace {

constexpr unsigned mostSharedBytes = 227 << 10;   // of any GPU: passes know their own target's limit

LLVM::LLVMFuncOp kernelOf(ModuleOp module) {
  LLVM::LLVMFuncOp function;
  for (auto candidate : module.getOps<LLVM::LLVMFuncOp>())
    if (!candidate.isExternal())
      function = candidate;
  if (!function)
    throw Error("the module has no kernel", {});
  return function;
}

void readThreads(LLVM::LLVMFuncOp function, LoweredKernel &kernel) {
  if (auto extents = function->getAttrOfType<DenseI32ArrayAttr>("nvvm.reqntid"))
    kernel.threads = static_cast<unsigned>(extents[0]);
  if (kernel.threads % 32 != 0 || kernel.threads == 0 || kernel.threads > 1024)
    throw Error("kernel " + kernel.name + " has " + std::to_string(kernel.threads) +
                    " threads, no multiple of 32 up to 1024",
                {});
  if (auto extents = function->getAttrOfType<DenseI32ArrayAttr>("nvvm.cluster_dim"))
    for (auto [axis, extent] : llvm::enumerate(extents.asArrayRef()))
      kernel.cluster[axis] = static_cast<unsigned>(extent);
  if (kernel.ctas() == 0 || kernel.ctas() > 16)
    throw Error("kernel " + kernel.name + " has clusters of " + std::to_string(kernel.ctas()) +
                    " CTAs, not 1 to 16",
                {});
}

void readSharedMemory(ModuleOp module, LoweredKernel &kernel) {
  if (auto bytes = module->getAttrOfType<IntegerAttr>("tile_gpu.shared_bytes"))
    kernel.shared_bytes = static_cast<unsigned>(bytes.getInt());
  if (kernel.shared_bytes > mostSharedBytes)
    throw Error("kernel " + kernel.name + " takes " + std::to_string(kernel.shared_bytes) +
                    " bytes of shared memory; there are " + std::to_string(mostSharedBytes),
                {});
}

// Pointers of the LLVM dialect do not say what they point to: bytes.
ElementType typeOf(Type type, const std::string &kernel) {
  if (isa<LLVM::LLVMPointerType>(type))
    return element_type<i8 *>;
  if (type.isF32())
    return element_type<f32>;
  if (type.isF64())
    return element_type<f64>;
  if (auto integer = dyn_cast<IntegerType>(type))
    switch (integer.getWidth()) {
    case 8:
      return element_type<i8>;
    case 16:
      return element_type<i16>;
    case 32:
      return element_type<i32>;
    case 64:
      return element_type<i64>;
    }
  std::string text;
  llvm::raw_string_ostream(text) << type;
  throw Error("kernel " + kernel + " takes a " + text + ", which no launch gives", {});
}

}   // namespace

Location placeOf(mlir::Location loc) {
  Location place;
  loc->walk([&](mlir::Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    place = {file.getFilename().str(), file.getLine(), file.getColumn()};
    return WalkResult::interrupt();
  });
  return place;
}

std::vector<LaunchArgument> launchArguments(ModuleOp module) {
  LLVM::LLVMFuncOp function = kernelOf(module);
  std::vector<LaunchArgument> arguments;
  for (Type type : function.getArgumentTypes())
    arguments.push_back({parameter_name({}, arguments.size()), typeOf(type, function.getName().str())});
  return arguments;
}

LoweredKernel launchFacts(ModuleOp module) {
  LLVM::LLVMFuncOp function = kernelOf(module);
  LoweredKernel kernel;
  kernel.name = kernel.symbol = function.getName().str();
  readThreads(function, kernel);
  readSharedMemory(module, kernel);
  if (auto faults = module->getAttrOfType<ArrayAttr>("tile_gpu.faults"))
    for (auto fault : faults.getAsRange<DictionaryAttr>())
      kernel.checks.push_back({fault.getAs<StringAttr>("message").str(),
                               placeOf(fault.getAs<LocationAttr>("where")),
                               fault.getAs<DenseI64ArrayAttr>("shape").asArrayRef().vec()});
  if (auto formats = module->getAttrOfType<ArrayAttr>("tile_gpu.formats"))
    for (auto format : formats.getAsRange<StringAttr>())
      kernel.formats.push_back(format.str());
  return kernel;
}

}   // namespace tile
