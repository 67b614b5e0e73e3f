// SPDX-License-Identifier: MIT
// GPUs with a row less: what is compiled for them takes the next way. So it is the rows that passes ask.
#include "compiler/api/compile.h"
#include "test/unit/codegen/kernels.h"

#include <tile/error.h>

#include <gmock/gmock.h>

namespace tile {
namespace {

using codegen_test::Config;
using codegen_test::product;
using testing::HasSubstr;
using testing::Not;

template <class T, class R> std::string compiled(const Target &target, Stage stage) {
  const Kernel<&product<T, R>> kernel{
      .name = "product", .grid = [](auto &, auto, auto, auto, int, int, int) { return Grid{1}; }};
  const Config config{.rows = 32, .cols = 32, .inner = 32};
  std::vector<ArgClass> classes(6, ArgClass::divisible_by_16);
  return text_after(stage, kernel.trace(config, classes), target);
}

template <class Change> Target without(const std::string &target, const std::string &what, Change change) {
  TargetDescription description = Target::parse(target)->description();
  description.name = target + " without " + what;
  change(description);
  return Target::add(description);
}
Target withoutUnit(const std::string &target, MatrixElement a) {
  return without(target, std::string(nameOf(a)), [&](TargetDescription &d) {
    std::erase_if(d.matrixUnits, [&](const MatrixUnit &unit) { return unit.a.element == a; });
  });
}

TEST(MissingRows, ProductsOfHalvesAreComputedWithoutAUnit) {
  EXPECT_THAT((compiled<f16, f32>(*Target::parse("sm_90"), Stage::Thread)), HasSubstr("nvvm.mma.sync"));
  const std::string text = compiled<f16, f32>(withoutUnit("sm_90", MatrixElement::f16), Stage::Thread);
  EXPECT_THAT(text, Not(HasSubstr("nvvm.mma.sync")));
  EXPECT_THAT(text, HasSubstr("math.fma"));
}

TEST(MissingRows, ProductsOfBytesAreMadeOfHalves) {
  EXPECT_THAT((compiled<e4m3, f32>(*Target::parse("sm_89"), Stage::Thread)), HasSubstr("tile_gpu.ptx_mma"));
  const std::string text = compiled<e4m3, f32>(withoutUnit("sm_89", MatrixElement::e4m3), Stage::Thread);
  EXPECT_THAT(text, Not(HasSubstr("tile_gpu.ptx_mma")));
  EXPECT_THAT(text, HasSubstr("nvvm.mma.sync"));
}

TEST(MissingRows, AUnitWithoutAHandlerIsRefused) {
  const Target target = without("sm_90", "mma.sync", [](TargetDescription &d) {
    for (MatrixUnit &unit : d.matrixUnits)
      unit.instruction = "mma.new";
  });
  EXPECT_THAT(([&] { compiled<f16, f32>(target, Stage::Thread); }),
              testing::ThrowsMessage<Error>(HasSubstr("no handler multiplies by mma.new")));
}

TEST(MissingRows, OperandsLieAsTheyLikeWithoutAUnit) {
  EXPECT_THAT((compiled<bf16, f32>(*Target::parse("sm_90"), Stage::TileGpu)), HasSubstr("tile_gpu.read"));
  EXPECT_THAT((compiled<bf16, f32>(withoutUnit("sm_90", MatrixElement::bf16), Stage::TileGpu)),
              Not(HasSubstr("tile_gpu.read")));
}

TEST(MissingRows, DataIsLoadedAndStoredWithoutACopyEngine) {
  EXPECT_THAT((compiled<f16, f32>(*Target::parse("sm_90"), Stage::Thread)),
              HasSubstr("tile_gpu.copy_global"));
  const Target target = without("sm_90", "copies", [](TargetDescription &d) { d.threadCopies.reset(); });
  const std::string text = compiled<f16, f32>(target, Stage::Thread);
  EXPECT_THAT(text, Not(HasSubstr("tile_gpu.copy_global")));
  EXPECT_THAT(text, HasSubstr("nvvm.mma.sync"));
}

}   // namespace
}   // namespace tile
