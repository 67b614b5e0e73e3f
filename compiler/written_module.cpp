// SPDX-License-Identifier: MIT
#include "compiler/written_module.h"

#include "compiler/compilation.h"
#include "compiler/compile.h"
#include "compiler/kernel_ir_module.h"
#include "compiler/pipeline.h"
#include "compiler/target/ptx.h"

#include "mlir/Pass/Pass.h"   // the next one needs it, and does not say so

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <numeric>

using namespace mlir;

namespace tile {

WrittenModule::WrittenModule(const std::string &text)
    : context_(make_context()), handler_(context_.get(), [this](Diagnostic &diagnostic) {
        if (!complaint_ && diagnostic.getSeverity() == DiagnosticSeverity::Error)
          complaint_.emplace(diagnostic.str(), placeOf(diagnostic.getLocation()));
        return success();
      }) {
  loadLoweringDialects(*context_);
  context_->printOpOnDiagnostic(false);
  module_ = parseSourceString<ModuleOp>(text, context_.get());
  if (!module_)
    raise();
  readLaunch();
}

void WrittenModule::readLaunch() {
  LLVM::LLVMFuncOp function;
  for (auto candidate : module_->getOps<LLVM::LLVMFuncOp>())
    if (!candidate.isExternal())
      function = candidate;
  if (!function)
    throw Error("the module has no kernel", {});
  kernel = function.getName().str();
  parameters = function.getNumArguments();
  if (auto extents = function->getAttrOfType<DenseI32ArrayAttr>("nvvm.reqntid"))
    threads = static_cast<unsigned>(extents[0]);
  if (threads % 32 != 0 || threads == 0 || threads > 1024)
    throw Error("kernel " + kernel + " has " + std::to_string(threads) +
                    " threads, no multiple of 32 up to 1024",
                {});
  if (auto extents = function->getAttrOfType<DenseI32ArrayAttr>("nvvm.cluster_dim"))
    for (auto [axis, extent] : llvm::enumerate(extents.asArrayRef()))
      cluster[axis] = static_cast<unsigned>(extent);
  if (const unsigned ctas = cluster[0] * cluster[1] * cluster[2]; ctas == 0 || ctas > 16)
    throw Error("kernel " + kernel + " has clusters of " + std::to_string(ctas) + " CTAs, not 1 to 16", {});
  if (auto bytes = (*module_)->getAttrOfType<IntegerAttr>("tile_gpu.shared_bytes"))
    sharedBytes = static_cast<unsigned>(bytes.getInt());
  if (sharedBytes > 227 << 10)
    throw Error("kernel " + kernel + " takes " + std::to_string(sharedBytes) +
                    " bytes of shared memory; there are 232448",
                {});
}

void WrittenModule::runPasses(const std::function<void(OpPassManager &)> &build) {
  PassManager passes(context_.get());
  build(passes);
  if (failed(passes.run(*module_)))
    raise();
}

void WrittenModule::raise() const {
  throw complaint_ ? *complaint_ : Error("a module written by hand is not right", {});
}

Compiled compileWritten(const std::string &text, const Target &target) {
  WrittenModule written(text);
  ModuleOp module = written.module();
  module->setAttr("tile_gpu.target", StringAttr::get(module.getContext(), target.name()));
  written.runPasses([](OpPassManager &passes) {
    buildPtxPipeline(passes, /*sourceLines=*/false);
    // Some ops of NVVM are no intrinsics but assembly text, such as waits in a loop.
    passes.addPass(createConvertNVVMToLLVMPass());
  });
  std::optional<std::string> ptx = translateToPtx(module, target);
  if (!ptx)
    written.raise();
  Compiled result;
  result.text = std::move(*ptx);
  result.symbol = written.kernel;
  result.threads = static_cast<int>(written.threads);
  result.sharedBytes = static_cast<int>(written.sharedBytes);
  if (auto formats = module->getAttrOfType<ArrayAttr>("tile_gpu.formats"))
    for (auto format : formats.getAsRange<StringAttr>())
      result.formats.push_back(format.str());
  result.parameters.resize(written.parameters);
  std::iota(result.parameters.begin(), result.parameters.end(), 0u);
  return result;
}

}   // namespace tile
