// SPDX-License-Identifier: MIT
// What a program sees of its own kernel without a GPU, and what kernels are called, in code and in files.
#include "assembles.h"
#include "kernels.h"

#include "test/unit/runtime/scratch_folder.h"

#include <tile/devices.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tile {
namespace {

using codegen_test::Config;
using ::testing::HasSubstr;

const Kernel<&codegen_test::add_vectors> add{
    .name = "add", .parameters = {"x", "y", "z", "n"}, .grid = [](auto &cfg, auto, auto, auto, int n) {
      return Grid{cdiv(n, cfg.block)};
    }};
const Kernel<&codegen_test::product<f16, f32>> product{.name = "product"};
constexpr ArgClass by16 = ArgClass::divisible_by_16;

template <class F> std::string refused(F f) {
  try {
    f();
  } catch (const Error &error) {
    return error.what();
  }
  return "not refused";
}

TEST(CompiledKernel, ShowsEveryStage) {
  const CompiledKernel code = add.compile({.block = 512}, {by16, by16, by16, by16}, "sm_90a");
  EXPECT_THAT(code.text("tile"), HasSubstr("tile.arange 0 to 512"));
  EXPECT_THAT(code.text("tile_gpu"), HasSubstr("#tile_gpu.layout"));
  EXPECT_THAT(code.text("thread"), HasSubstr("nvvm.read.ptx.sreg.tid.x"));
  EXPECT_THAT(code.text("llvm"), HasSubstr("define ptx_kernel void @add"));
  EXPECT_THAT(code.text("ptx"), HasSubstr(".target sm_90a"));
  EXPECT_THAT(std::string(code.ptx()), HasSubstr(".entry add("));
  EXPECT_EQ(CompiledKernel::stages().front(), "tile");
  EXPECT_EQ(CompiledKernel::stages().back(), "sass");
}

// Where n is 1, both operands are one block.
void two_blocks(Ptr<const f16> x, Ptr<f32> y, Int n, const Config &) {
  auto X = descriptor(x, {64, 64}, {64, 1}, {64, 64});
  auto i = arange(0, 64);
  auto product = dot(X.load({0, 0}), trans(X.load({n - 1, 0})));
  store(y + (i(all, none) * 64 + i(none, all)), product);
}
TEST(CompiledKernel, MayHaveOperandsThatASpecialisationMakesOne) {
  const Kernel<&two_blocks> kernel{.name = "two_blocks"};
  for (const ArgClass n : {ArgClass::one, ArgClass::generic})
    for (const char *target : {"sm_80", "sm_90a"}) {
      const CompiledKernel code = kernel.compile({.launch = {.num_warps = 4}}, {by16, by16, n}, target);
      const std::string text = code.text("tile_gpu");
      const std::size_t first = text.find("tile_gpu.copy"), last = text.rfind("tile_gpu.copy");
      EXPECT_EQ(first == last, n == ArgClass::one) << target << "\n" << text;
    }
}

int count(const CompiledKernel &code, std::string_view begin) {
  int all = 0;
  for (const auto &[name, number] : code.instructions())
    if (name.starts_with(begin))
      all += number;
  return all;
}

TEST(CompiledKernel, CountsItsInstructions) {
  const CompiledKernel wide = add.compile({.block = 512}, {by16, by16, by16, by16});
  const CompiledKernel narrow = add.compile({.block = 512});
  EXPECT_EQ(count(wide, "ld.global.v4"), 2);   // 512 elements of 128 threads are four each
  EXPECT_EQ(count(narrow, "ld.global"), 8);
  EXPECT_EQ(count(product.compile({}, {}, "sm_80"), "mma.sync"), 16);
  EXPECT_EQ(count(wide, "ret"), 1);
  EXPECT_EQ(count(wide, "."), 0);   // directives
}

// Rows are loaded and columns stored, with one mask and the same rows and columns in all offsets: each access
// is of 16 bytes, and the tile is transposed in between.
void transposed(Ptr<const f16> x, Ptr<f16> y, Int m, Int n, const Config &) {
  auto i = arange(0, 64), j = arange(0, 64);
  auto inside = (i(all, none) < m) & (j(none, all) < n);
  auto tile = load(x + (i(all, none) * n + j(none, all)), inside, 0);
  store(y + (j(none, all) * m + i(all, none)), tile, inside);
}
// Of two tiles of one shape each is loaded along its own axis.
void plus_transposed(Ptr<const f16> a, Ptr<const f16> b, Ptr<f16> c, Int n, const Config &) {
  auto i = arange(0, 64), j = arange(0, 64);
  auto inside = (i(all, none) < n) & (j(none, all) < n);
  auto at = i(all, none) * n + j(none, all);
  auto sum = load(a + at, inside, 0) + load(b + (j(none, all) * n + i(all, none)), inside, 0);
  store(c + at, sum, inside);
}
TEST(CompiledKernel, AccessesEachTileAlongItsOwnAxis) {
  static const Kernel<&transposed> one{.name = "transposed"};
  static const Kernel<&plus_transposed> two{.name = "plus_transposed"};
  const CompiledKernel transposed = one.compile({}, {by16, by16, by16, by16}, "sm_80");
  EXPECT_EQ(count(transposed, "ld.global.v4"), 4);   // 64 x 64 halves of 128 threads are 64 bytes each
  EXPECT_EQ(count(transposed, "st.global.v4"), 4);
  EXPECT_EQ(count(transposed, "ld.global"), 4);
  EXPECT_EQ(count(transposed, "st.global"), 4);
  const CompiledKernel sum = two.compile({}, {by16, by16, by16, by16}, "sm_80");
  EXPECT_EQ(count(sum, "ld.global.v4"), 8);
  EXPECT_EQ(count(sum, "ld.global"), 8);
  EXPECT_EQ(count(sum, "st.global.v4"), 4);
  EXPECT_EQ(count(sum, "st.global"), 4);
}

TEST(CompiledKernel, IsWhatIsLaunchedWithoutACompiler) {
  const CompiledKernel code = add.compile({.block = 512}, {}, "sm_80");
  EXPECT_EQ(LoweredKernel::parse(code.lowered().serialise()), code.lowered());
  EXPECT_EQ(code.threads(), 128u);
  EXPECT_EQ(code.lowered().target, "sm_80");
  EXPECT_EQ(code.ir().name(), "add");
}

TEST(CompiledKernel, KnowsItsRegisters) {
  codegen_test::skip_without_assembler();
  if (!codegen_test::has_assembler())
    return;
  const KernelResources resources = product.compile({}).resources();
  EXPECT_GT(resources.registers, 16);
  EXPECT_EQ(resources.spill_bytes, 0);
  EXPECT_GT(resources.shared_bytes, 0);
  EXPECT_THAT(resources.assembler_log, HasSubstr("registers"));
}

TEST(CompiledKernel, RefusesWhatIsNot) {
  EXPECT_THAT(refused([] { add.compile({}, {}, "sm_91"); }),
              HasSubstr("error: there is no target `sm_91`; there are: sm_80, "));
  const CompiledKernel code = add.compile({});
  EXPECT_THAT(refused([&] { code.text("ptxx"); }),
              ::testing::AllOf(HasSubstr("there is no stage `ptxx`"), HasSubstr("did you mean `ptx`?")));
}

TEST(KernelName, IsNotNothing) {
  auto nameless = add;
  const auto device = open_device("interpreter");
  for (const char *name : {static_cast<const char *>(nullptr), ""}) {
    nameless.name = name;
    const std::string traced = refused([&] { nameless.trace({}); });
    EXPECT_THAT(traced, HasSubstr("error: the kernel has no name"));
    EXPECT_THAT(traced, HasSubstr("compiled_kernel_test.cpp"));
    EXPECT_THAT(traced, HasSubstr("= help: set `.name = "));
    std::vector<f32> x(4);
    const auto all = std::span<const f32>(x);
    EXPECT_THAT(refused([&] { nameless(*device, all, all, std::span(x), 4); }), HasSubstr("has no name"));
  }
  auto unnamed = add;
  unnamed.parameters = {"x", "", nullptr, "n"};
  EXPECT_EQ(unnamed.trace({}).parameters()[1].name, "arg1");
  EXPECT_EQ(unnamed.trace({}).parameters()[2].name, "arg2");
}

// Facts about tiles are of their layouts: nothing is left of them on the numbers of one thread.
enum class Promise { contiguous, constant };
struct PromiseConfig {
  Promise promise = Promise::contiguous;
};
void promising(Ptr<const i32> from, Ptr<f32> x, const PromiseConfig &cfg) {
  const auto i = arange(0, 512);
  auto at = load(from + i);
  if (cfg.promise == Promise::contiguous)
    store(x + assume_divisible(assume_contiguous(at, 4), 4), 1.0f);
  else
    store(x + i, load(x + assume_constant(at, 8)));
}
const Kernel<&promising> promises{.name = "promises"};

TEST(CompiledKernel, TakesFactsAboutTiles) {
  testing::EnvironmentGuard guard;
  guard.set("TILE_VERIFY", "1");
  for (const char *target : {"sm_80", "sm_90a"}) {
    const CompiledKernel vectors = promises.compile({Promise::contiguous}, {by16, by16}, target);
    EXPECT_EQ(count(vectors, "st.global.v4"), 1) << target << "\n" << vectors.ptx();
    EXPECT_THAT(std::string(promises.compile({Promise::constant}, {by16, by16}, target).ptx()),
                HasSubstr("ld.global"));
  }
}

// Whatever the name is, its code assembles and its files stay in their folder.
TEST(KernelName, IsNoPath) {
  testing::EnvironmentGuard guard;
  const testing::ScratchFolder scratch;
  const std::filesystem::path folder = scratch.path() / "a" / "b" / "ir";
  guard.set("TILE_DUMP", folder.c_str());
  const std::string large(4000, 'n');
  const char *names[] = {"../../outside", "..", "/etc", "a b\n\"c\"", "7", "\xc3\xbc", large.c_str()};
  for (const char *name : names) {
    auto other = add;
    other.name = name;
    const CompiledKernel code = other.compile({});
    EXPECT_EQ(code.ir().name(), name);
    if (codegen_test::has_assembler()) {
      EXPECT_GT(code.resources().registers, 0) << name;
    }
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), std::ssize(names));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path()), {}), 1);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path() / "a"), {}), 1);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.path() / "a" / "b"), {}), 1);
}

}   // namespace
}   // namespace tile
