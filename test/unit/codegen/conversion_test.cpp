// SPDX-License-Identifier: MIT
// Conversions between given layouts, lowered and run on the simulator: a tile is loaded in one layout and
// stored in another, and memory must be the same afterwards. The simulator sees each lane's registers and the
// order of every access; that the plans are right in themselves is seen in test/unit/layout.
#include "compiler/analysis/layout_movement.h"
#include "compiler/layout/constructors.h"
#include "compiler/pipeline.h"
#include "dialects/tile_gpu/dialect.h"
#include "test/unit/simulator/hopper/bench.h"

#include <tile/kernel_ir.h>

#include "compiler/kernel_ir_module.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tile {
namespace {

using layout::Shape;
using layout::TileLayout;

struct Lowered {
  std::string text;   // in the LLVM and NVVM dialects
  std::size_t count(const std::string &what) const {
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size())
      ++n;
    return n;
  }
};

// The layout of a tile's elements in row-major order.
TileLayout flat(const TileLayout &layout) {
  std::int64_t elements = 1;
  for (std::int64_t extent : layout.shape())
    elements *= extent;
  return reshapeLayout(layout, {elements}).value();
}

// y = x for as many elements as the layouts have, in integers of so many bits.
Lowered lowered(const TileLayout &src, const TileLayout &dst, unsigned bits, const std::string &target) {
  const std::unique_ptr<mlir::MLIRContext> context = make_context();
  loadLoweringDialects(*context);
  auto type = [&](const Shape &shape, const std::string &element, const TileLayout &layout) {
    std::string text = "tensor<";
    llvm::raw_string_ostream out(text);
    for (std::int64_t extent : shape)
      out << extent << 'x';
    out << element << ", " << gpu::LayoutAttr::get(context.get(), layout) << '>';
    return text;
  };
  const std::string element = "i" + std::to_string(bits), pointer = "!tile.ptr<" + element + ">";
  const TileLayout in = flat(src), out = flat(dst);
  auto places = [&](const std::string &name, const std::string &argument, const TileLayout &layout) {
    const std::string index = type(layout.shape(), "i32", layout), at = type(layout.shape(), pointer, layout);
    return "%i" + name + " = tile.arange 0 to " + std::to_string(layout.shape()[0]) + " : " + index + "\n%s" +
           name + " = tile.splat " + argument + " : " + pointer + " -> " + at + "\n%p" + name +
           " = tile.addptr %s" + name + ", %i" + name + " : " + at + ", " + index + "\n";
  };
  const std::string from = type(src.shape(), element, src), to = type(dst.shape(), element, dst);
  const std::string read = type(in.shape(), element, in), written = type(out.shape(), element, out);
  const std::string text =
      "func.func @kernel(%x: " + pointer + " {tile.divisibility = 16 : i32}, %y: " + pointer +
      " {tile.divisibility = 16 : i32}) attributes {tile.kernel, tile_gpu.target = \"" + target +
      "\", tile.num_warps = " + std::to_string(src.warps()) + " : i32} {\n" + places("0", "%x", in) +
      places("1", "%y", out) + "%a = tile.load %p0 : " + type(in.shape(), pointer, in) +
      "\n%b = tile.reshape %a : " + read + " -> " + from + "\n%c = tile_gpu.convert_layout %b : " + from +
      " -> " + to + "\n%d = tile.reshape %c : " + to + " -> " + written +
      "\ntile.store %p1, %d : " + type(out.shape(), pointer, out) + "\nreturn\n}\n";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, context.get());
  if (!module)
    return {};
  mlir::PassManager passes(context.get());
  buildThreadPipeline(passes);
  buildLLVMPipeline(passes);
  if (failed(passes.run(*module)))
    return {};
  Lowered result;
  llvm::raw_string_ostream print(result.text);
  module->print(print);
  return result;
}

template <class T> void expectCopies(const Lowered &kernel, std::size_t elements) {
  std::vector<T> x(elements);
  std::iota(x.begin(), x.end(), T(1));
  simulator::Bench bench;
  T *in = bench.buffer(x, "x"), *out = bench.buffer(std::vector<T>(elements), "y");
  bench.run(*simulator::compileForHost(HandWritten{kernel.text}),
            {static_cast<void *>(in), static_cast<void *>(out)});
  EXPECT_EQ(std::vector<T>(out, out + elements), x);
}

Lowered checked(const TileLayout &src, const TileLayout &dst, unsigned bits,
                const std::string &target = "sm_90") {
  Lowered kernel = lowered(src, dst, bits, target);
  std::size_t elements = 1;
  for (std::int64_t extent : src.shape())
    elements *= static_cast<std::size_t>(extent);
  EXPECT_NE(kernel.text, "");
  SCOPED_TRACE(src.linear().text() + "to\n" + dst.linear().text() + kernel.text);
  switch (kernel.text.empty() ? 0 : bits) {
  case 8:
    expectCopies<std::uint8_t>(kernel, elements);
    break;
  case 16:
    expectCopies<std::uint16_t>(kernel, elements);
    break;
  case 32:
    expectCopies<std::uint32_t>(kernel, elements);
    break;
  case 64:
    expectCopies<std::uint64_t>(kernel, elements);
    break;
  default:
    break;
  }
  return kernel;
}

// The same with bit `reg` of the register and bit `lane` of the lane in each other's place.
TileLayout exchanged(const TileLayout &layout, unsigned reg, unsigned lane) {
  std::vector<std::uint64_t> columns = layout.linear().columns();
  std::swap(columns[reg], columns[layout.linear().inBits(layout::Dim::Register) + lane]);
  return {layout::LinearLayout(layout.linear().ins(), layout.linear().outs(), std::move(columns)),
          layout.repeats()};
}

void expectNoMemory(const Lowered &kernel) {
  EXPECT_EQ(kernel.count("nvvm.barrier0"), 1u) << kernel.text;   // between all loads and the stores
  EXPECT_NE(kernel.text.find("tile_gpu.shared_bytes = 0"), std::string::npos);
}

TEST(ConversionsWithinWarps, ATranspositionIsHalfAShuffleAndOneAndAHalfSelectsForEachWord) {
  struct Case {
    unsigned bits;
    std::size_t words;
  };
  // 32 registers; two elements of 16 bits or four of 8 travel in a word.
  for (auto [bits, words] : {Case{64, 64}, {32, 32}, {16, 16}, {8, 8}}) {
    TileLayout src = layout::blocked({64, 64}, {{1, 2}, {4, 8}, {4, 1}, {1, 0}});
    Lowered kernel = checked(src, exchanged(src, 0, 0), bits);
    EXPECT_EQ(kernel.count("nvvm.shfl.sync"), words / 2) << kernel.text;
    EXPECT_EQ(kernel.count("llvm.select"), words * 3 / 2) << kernel.text;
    expectNoMemory(kernel);
  }
}

// Other lanes hold the same registers, and each keeps what was in its own: three in four of them move.
TEST(ConversionsWithinWarps, LanesChangePlaces) {
  TileLayout src = layout::blocked({64, 64}, {{1, 2}, {4, 8}, {4, 1}, {1, 0}});
  TileLayout other = layout::blocked({64, 64}, {{1, 2}, {4, 8}, {4, 1}, {0, 1}});
  Lowered kernel = checked(src, other, 16);
  EXPECT_EQ(kernel.count("llvm.select"), 0u) << kernel.text;
  EXPECT_EQ(kernel.count("nvvm.shfl.sync"), 16u) << kernel.text;
  expectNoMemory(kernel);
}

// Repetitions of an odd extent fill what is left of a word.
TEST(ConversionsWithinWarps, RepetitionsTravelTogether) {
  TileLayout src = layout::blocked({3 * 64}, {{2}, {32}, {1}, {0}});
  for (auto [bits, words] : {std::pair{32u, 3u}, {16u, 2u}, {8u, 1u}}) {
    Lowered kernel = checked(src, exchanged(src, 0, 2), bits);
    EXPECT_EQ(kernel.count("nvvm.shfl.sync"), words) << kernel.text;
    expectNoMemory(kernel);
  }
}

// Every lane of a group of four holds four rows, of which it shall hold one; and back.
TEST(ConversionsWithinWarps, ReplicasComeAndGo) {
  TileLayout few = layout::blocked({32}, {{1}, {32}, {1}, {0}});
  TileLayout rows = layout::slice(layout::blocked({32, 64}, {{4, 1}, {8, 4}, {1, 1}, {0, 1}}), 1);
  for (unsigned bits : {8u, 32u, 64u}) {
    Lowered spread = checked(rows, few, bits), gathered = checked(few, rows, bits);
    EXPECT_EQ(spread.count("nvvm.shfl.sync"), bits == 64 ? 2u : 1u) << spread.text;
    EXPECT_EQ(gathered.count("nvvm.shfl.sync"), bits == 64 ? 8u : 4u) << gathered.text;
    expectNoMemory(spread);
    expectNoMemory(gathered);
  }
}

std::vector<TileLayout> layoutsOf(const Shape &shape) {
  return {layout::blocked(shape, {{1, 8}, {8, 4}, {4, 1}, {1, 0}}),
          layout::blocked(shape, {{8, 1}, {4, 8}, {1, 4}, {0, 1}}),
          layout::blocked(shape, {{1, 1}, {4, 8}, {2, 2}, {1, 0}}),
          layout::mmaAccumulator(shape, 2, 2),
          layout::mmaOperandA(shape, 16, 2, 2),
          layout::mmaOperandB(shape, 16, 2, 2)};
}

TEST(ConversionsThroughMemory, BetweenAllPairs) {
  for (const TileLayout &src : layoutsOf({32, 64}))
    for (const TileLayout &dst : layoutsOf({32, 64}))
      for (unsigned bits : {8u, 16u, 32u, 64u})
        for (const char *target : {"sm_80", "sm_90"})
          if (!(src == dst))
            checked(src, dst, bits, target);
  for (const TileLayout &src : layoutsOf({96, 32}))
    for (const TileLayout &dst : layoutsOf({96, 32}))
      if (!(src == dst))
        checked(src, dst, 16);
}

// Four instructions on each side for 32 elements of a lane.
TEST(ConversionsThroughMemory, MatricesWhereTheyFit) {
  TileLayout acc = layout::mmaAccumulator({64, 64}, 4, 1), rows = layoutsOf({64, 64})[0],
             columns = layoutsOf({64, 64})[1];
  Lowered hopper = checked(acc, rows, 16), transposed = checked(acc, columns, 16),
          ampere = checked(acc, rows, 16, "sm_80");
  EXPECT_EQ(hopper.count("nvvm.stmatrix"), 4u) << hopper.text;
  EXPECT_EQ(hopper.count("#nvvm.mma_layout<row>"), 4u) << hopper.text;
  EXPECT_EQ(transposed.count("nvvm.stmatrix"), 4u) << transposed.text;
  EXPECT_EQ(transposed.count("#nvvm.mma_layout<col>"), 4u) << transposed.text;
  EXPECT_EQ(ampere.count("nvvm.stmatrix"), 0u);
  EXPECT_EQ(ampere.count("nvvm.ldmatrix"), 4u) << ampere.text;
}

// More than may be taken at once: 128 x 256 of 4 bytes in two rounds.
TEST(ConversionsThroughMemory, GoInRounds) {
  TileLayout rows = layout::blocked({128, 256}, {{1, 4}, {1, 32}, {4, 1}, {1, 0}});
  TileLayout columns = layout::blocked({128, 256}, {{4, 1}, {32, 1}, {1, 4}, {0, 1}});
  Lowered kernel = checked(rows, columns, 32);
  EXPECT_EQ(kernel.count("nvvm.barrier0"), 4u);   // nobody has used the memory before the first round
  EXPECT_NE(kernel.text.find("tile_gpu.shared_bytes = 65536"), std::string::npos);
}

}   // namespace
}   // namespace tile
