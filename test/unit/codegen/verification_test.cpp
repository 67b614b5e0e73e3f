// SPDX-License-Identifier: MIT
// When a kernel on its way through the passes is verified: between two of them where TILE_VERIFY asks for it,
// and behind the last in any case.
#include "compiler/compilation.h"
#include "test/unit/runtime/scratch_folder.h"

#include <tile/error.h>

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <string>

namespace tile {
namespace {

// Gives the kernel an invalid number of threads, or takes it back.
struct Spoil : mlir::PassWrapper<Spoil, mlir::OperationPass<mlir::ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Spoil)
  explicit Spoil(bool back) : back(back) {}
  void runOnOperation() override {
    llvm::StringRef name = mlir::NVVM::NVVMDialect::getReqntidAttrName();
    for (mlir::Operation &op : getOperation().getOps())
      if (back)
        op.removeAttr(name);
      else
        op.setAttr(name, mlir::UnitAttr::get(&getContext()));
  }
  bool back;
};

// What is complained about when the kernel is spoilt, and mended again by a second pass or not.
std::string complaint(const char *verify, bool mended) {
  testing::EnvironmentGuard environment;
  environment.set("TILE_VERIFY", verify);
  const HandWritten kernel{"module { llvm.func @k() attributes {nvvm.kernel} { llvm.return } }"};
  Compilation compilation(kernel, *Target::parse("sm_90a"), "test");
  try {
    compilation.runPasses([&](mlir::OpPassManager &passes) {
      passes.addPass(std::make_unique<Spoil>(false));
      if (mended)
        passes.addPass(std::make_unique<Spoil>(true));
    });
  } catch (const Error &error) {
    return error.message();
  }
  return "";
}

TEST(Verification, IsAtTheEnd) {
  EXPECT_EQ(complaint("0", true), "");
  EXPECT_NE(complaint("0", false), "");
}

TEST(Verification, IsBehindEveryPassIfAskedFor) {
  EXPECT_NE(complaint("1", true), "");
  EXPECT_NE(complaint("1", false), "");
}

}   // namespace
}   // namespace tile
