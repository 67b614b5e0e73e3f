// SPDX-License-Identifier: MIT
// What the launcher makes of a launch, of a kernel that was specialised: the function has fewer parameters
// than the launch has arguments.
#include "compiler/launch_facts.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class LaunchParameters : public ::testing::Test {
 protected:
  LaunchParameters() { context.loadDialect<mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect>(); }
  // Of a function that takes x, n, and no pitch, which is 1.
  KernelSignature taken(const std::string &map, const std::string &parameters = "") {
    const std::string text =
        "module attributes {tile_gpu.persistent, tile_gpu.workspace = 256 : i32, tile_gpu.tensor_maps = [" +
        map +
        R"(]} {
      llvm.func @k(%x: !llvm.ptr<1>, %n: i32, )" +
        parameters + R"(
          %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant},
          %gx: i32, %gy: i32, %gz: i32, %memory: !llvm.ptr<1>) attributes {nvvm.kernel} {
        llvm.return
      }
    })";
    const auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      throw Error("the test's module cannot be parsed", {});
    KernelSignature kernel{.name = "k"};
    kernel.take(std::vector<LaunchArgument>{{"pitch", element_type<i32>},
                                            {"x", element_type<f16 *>},
                                            {"one", element_type<i64>},
                                            {"n", element_type<i32>}},
                std::vector{ArgClass::one, ArgClass::generic, ArgClass::one, ArgClass::divisible_by_16});
    takeLaunchParameters(*module, kernel);
    return kernel;
  }
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

TEST_F(LaunchParameters, NameArgumentsByTheFunctionsParameters) {
  const KernelSignature kernel =
      taken(R"({element = "u8", base = 0 : i64, sizes = [{parameter = 1 : i64}, 32],
      strides = [{parameter = 1 : i64}], box = array<i32: 32, 1>, swizzle = 32 : i32, written})");
  EXPECT_TRUE(kernel.persistent);
  const LaunchNumber n = LaunchNumber::argument(3), constant = LaunchNumber::constant(32);
  EXPECT_THAT(kernel.parameters,
              ElementsAre(PassedArgument{1}, PassedArgument{3},
                          TensorParameter{.element = TensorElement::u8,
                                          .base = 1,
                                          .sizes = {n, constant},
                                          .strides = {n},
                                          .box = {32, 1},
                                          .swizzle = TensorSwizzle::bytes32,
                                          .is_written = true},
                          GridExtent{0}, GridExtent{1}, GridExtent{2}, WorkspaceParameter{256}));
}

TEST_F(LaunchParameters, AreThoseThatTheFunctionHas) {
  const std::string map = R"({element = "f16", base = 0, sizes = [64], strides = [], box = array<i32: 64>,
                              swizzle = 0 : i32})";
  EXPECT_NO_THROW(taken(map));
  EXPECT_THAT([&] { taken(map, "%more: i32,"); },
              ThrowsMessage<Error>(HasSubstr("takes 8 parameters, but its launch passes 7")));
  EXPECT_THAT([&] { taken(""); },
              ThrowsMessage<Error>(HasSubstr("takes 7 parameters, but its launch passes 6")));
  std::string other = map;
  other.replace(other.find("base = 0"), 8, "base = 2");
  EXPECT_THAT([&] { taken(other); },
              ThrowsMessage<Error>(HasSubstr("depends on parameter 2, which is not an argument")));
}

}   // namespace
}   // namespace tile
