// SPDX-License-Identifier: MIT
#include "test/calibration/coverage.h"

#include "compiler/compilation.h"
#include "compiler/pipeline.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace tile::calibration {

std::set<std::string> operationsOf(const std::string &module) {
  Compilation written(HandWritten{module}, *Target::parse("sm_90a"), "coverage");
  std::set<std::string> names;
  written.module().walk([&](Operation *op) {
    names.insert(op->getName().getStringRef().str());
    if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op))
      names.insert(call.getIntrin().str());
  });
  return names;
}

std::set<std::string> callsOf(const std::string &module) {
  Compilation written(HandWritten{module}, *Target::parse("sm_90a"), "coverage");
  written.runPasses([](OpPassManager &passes) { buildSimulatorPipeline(passes); });
  std::set<std::string> names;
  written.module().walk([&](LLVM::CallOp call) {
    if (std::optional<StringRef> callee = call.getCallee())
      names.insert(callee->str());
  });
  return names;
}

}   // namespace tile::calibration
