// SPDX-License-Identifier: MIT
// What the analysis knows of the pointers and masks that kernels make: the width of their accesses.
#include "compiler/analysis/axis_analysis.h"

#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace tile {
namespace {

using Axes = std::vector<AxisFact>;

// A function and the facts of what its ops read.
class Kernel {
 public:
  explicit Kernel(const std::string &body, const std::string &arguments =
                                               "%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32") {
    context_.loadDialect<ir::TileDialect, gpu::TileGpuDialect, mlir::arith::ArithDialect,
                         mlir::func::FuncDialect, mlir::scf::SCFDialect>();
    module_ = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(" + arguments + ") {\n" + body + "\nreturn\n}\n", &context_);
    EXPECT_TRUE(module_);
  }

  // Of the operand `operand` of the `index`-th op of this name.
  AxisFacts of(llvm::StringRef op, unsigned operand, unsigned index = 0) {
    AxisAnalysis analysis(*module_->getOps<mlir::func::FuncOp>().begin());
    AxisFacts facts;
    module_->walk([&](mlir::Operation *each) {
      if (each->getName().getStringRef() == op && index-- == 0)
        facts = analysis.of(each->getOperand(operand));
    });
    return facts;
  }

 private:
  mlir::MLIRContext context_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
};

const std::string vectorAdd = R"(
  %block = arith.constant 1024 : i32
  %pid = tile.program_id x
  %base = arith.muli %pid, %block : i32
  %r = tile.arange 0 to 1024 : tensor<1024xi32>
  %b = tile.splat %base : i32 -> tensor<1024xi32>
  %i = arith.addi %b, %r : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>>
  %q = tile.addptr %ps, %i : tensor<1024x!tile.ptr<f16>>, tensor<1024xi32>
  %x = tile.load %q, %m : tensor<1024x!tile.ptr<f16>>
)";

TEST(AxisAnalysis, VectorsOfAKnownPointer) {
  Kernel kernel(vectorAdd);
  EXPECT_EQ(kernel.of("tile.load", 0).axes, (Axes{{1024, 16, 1}}));
  EXPECT_EQ(kernel.of("tile.load", 1).axes, (Axes{{1, 1, 1}})) << "n may end within a vector";
}

TEST(AxisAnalysis, AMaskIsUniformWhereTheBoundIsAMultiple) {
  Kernel kernel(vectorAdd, "%p: !tile.ptr<f16>, %n: i32 {tile.divisibility = 16 : i32}");
  EXPECT_EQ(kernel.of("tile.load", 0).axes, (Axes{{1024, 1, 1}}));
  EXPECT_EQ(kernel.of("tile.load", 1).axes, (Axes{{1, 1, 16}}));
}

// Rows i % M of A: the remainder keeps runs only as long as M allows; K runs along the last axis.
std::string wrapped(const std::string &remainder) {
  return R"(
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %i = )" +
         remainder +
         R"( %r, %ns : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %q = tile.addptr %ps, %i : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %x = tile.load %q : tensor<64x!tile.ptr<f16>>
)";
}

TEST(AxisAnalysis, WrappedIndices) {
  const std::string divisible =
      "%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}";
  EXPECT_EQ(Kernel(wrapped("tile.remui"), divisible).of("tile.load", 0).axes[0].contiguity, 1)
      << "n may be zero, which divides as one";
  const std::string positive = "  %m = tile.assume %n {range = array<i64: 1, 65536>} : i32\n";
  std::string body = positive + wrapped("tile.remsi");
  body.replace(body.find("tile.splat %n"), 13, "tile.splat %m");
  EXPECT_EQ(Kernel(body, divisible).of("tile.load", 0).axes, (Axes{{16, 16, 1}}));
  EXPECT_EQ(Kernel(body).of("tile.load", 0).axes[0].contiguity, 1) << "n of any size";
}

TEST(AxisAnalysis, PointersThatALoopMoves) {
  auto kernel = [](const std::string &step) {
    return Kernel(R"(
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %s = arith.constant dense<)" +
                  step + R"(> : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %q = tile.addptr %ps, %r : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %end = scf.for %k = %c0 to %n step %c1 iter_args(%at = %q) -> tensor<64x!tile.ptr<f16>> : i32 {
    %x = tile.load %at : tensor<64x!tile.ptr<f16>>
    %next = tile.addptr %at, %s : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    scf.yield %next : tensor<64x!tile.ptr<f16>>
  })")
        .of("tile.load", 0)
        .axes;
  };
  EXPECT_EQ(kernel("64"), (Axes{{64, 16, 1}}));
  EXPECT_EQ(kernel("4"), (Axes{{64, 8, 1}}));
  EXPECT_EQ(kernel("3"), (Axes{{64, 2, 1}}));
}

TEST(AxisAnalysis, InductionVariables) {
  auto divisibility = [](const std::string &bounds, const std::string &step) {
    return Kernel(R"(
  %c16 = arith.constant 16 : i32
  %c24 = arith.constant 24 : i32
  %c32 = arith.constant 32 : i32
  scf.for %k = )" +
                  bounds + " step " + step + R"( : i32 {
    %q = tile.addptr %p, %k : !tile.ptr<f16>, i32
  })")
        .of("tile.addptr", 1)
        .axes[0]
        .divisibility;
  };
  EXPECT_EQ(divisibility("%c32 to %n", "%c16"), 16);
  EXPECT_EQ(divisibility("%c24 to %n", "%c32"), 8);
  EXPECT_EQ(divisibility("%n to %c32", "%c32"), 1);
}

// An induction variable below an unsigned bound may be negative as a signed number: k / 16 * 16 rounds
// towards zero then, and 16 neighbours have not one quotient.
TEST(AxisAnalysis, UnsignedLoopsMayPassTheSignedRange) {
  auto constancy = [](const std::string &loop, const std::string &divide) {
    return Kernel(R"(
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %sixteen = arith.constant dense<16> : tensor<64xi32>
  %r = tile.arange 0 to 64 : tensor<64xi32>
  )" + loop + R"( %k = %c0 to %n step %c16 : i32 {
    %ks = tile.splat %k : i32 -> tensor<64xi32>
    %i = arith.addi %ks, %r overflow<nsw> : tensor<64xi32>
    %d = )" + divide +
                  R"( %i, %sixteen : tensor<64xi32>
    %e = arith.xori %d, %d : tensor<64xi32>
  })")
        .of("arith.xori", 0)
        .axes[0]
        .constancy;
  };
  EXPECT_EQ(constancy("scf.for", "arith.divsi"), 16);
  EXPECT_EQ(constancy("scf.for unsigned", "arith.divsi"), 1);
  EXPECT_EQ(constancy("scf.for unsigned", "arith.divui"), 16);
}

TEST(AxisAnalysis, Assumptions) {
  Kernel kernel(R"(
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %s = tile.splat %n : i32 -> tensor<64xi32>
  %i = arith.xori %r, %s : tensor<64xi32>
  %a = tile.assume %i {contiguous = 8 : i64} : tensor<64xi32>
  %m = tile.assume %n {divisible = 24 : i64} : i32
  %q = tile.addptr %p, %m : !tile.ptr<f16>, i32
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %t = tile.addptr %ps, %a : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
)");
  EXPECT_EQ(kernel.of("tile.addptr", 1, 0).axes, (Axes{{1, 8, 1}}));
  EXPECT_EQ(kernel.of("tile.addptr", 1, 1).axes, (Axes{{8, 1, 1}}));
}

TEST(AxisAnalysis, UnsignedExtensionOfANegativeConstant) {
  Kernel kernel(R"(
  %ones = arith.constant -1 : i32
  %wide = arith.extui %ones : i32 to i64
  %q = tile.addptr %p, %wide : !tile.ptr<f16>, i64
)");
  EXPECT_EQ(kernel.of("tile.addptr", 1).constant, 0xffffffffLL);
}

// What stands in another layout has the same values.
TEST(AxisAnalysis, ConversionsKeepFacts) {
  Kernel kernel(R"(
  %r = tile.arange 0 to 32 : tensor<32xi32, #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>>
  %c = tile_gpu.convert_layout %r : tensor<32xi32, #tile_gpu.layout<register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = [], repeats = [1]>> -> tensor<32xi32, #tile_gpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [0]], warp = [], block = [], repeats = [1]>>
  %e = arith.xori %c, %c : tensor<32xi32, #tile_gpu.layout<register = [[1]], lane = [[2], [4], [8], [16], [0]], warp = [], block = [], repeats = [1]>>
)");
  EXPECT_EQ(kernel.of("arith.xori", 0).axes, (Axes{{32, AxisFacts::MaxDivisibility, 1}}));
}

}   // namespace
}   // namespace tile
