// SPDX-License-Identifier: MIT
// A program that may not compile takes its kernels from packs, and says what is missing. The driver is a
// stub, of a GPU of compute capability 9.0. Another process makes the pack, so that this one never has the
// compiler.
#include "compiler/api/compile.h"
#include "compiler/api/compiler.h"
#include "compiler/api/kernel_key.h"
#include "runtime/pack/pack.h"
#include "runtime/process.h"
#include "test/unit/cuda/loaded_stub.h"
#include "test/unit/runtime/scratch_folder.h"

#include <tile/cuda_device.h>
#include <tile/dsl.h>
#include <tile/packs.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace tile {
namespace {

using cuda::stub;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct Config {
  float number = 1;
  Launch launch{};
};
void fill_first(Ptr<f32> x, Int n, const Config &config) {
  const auto at = arange(0, 128);
  store(x + at, full<f32>({128}, config.number), at < n);
}
void fill_edited(Ptr<f32> x, Int n, const Config &config) {
  const auto at = arange(0, 128);
  store(x + at, full<f32>({128}, config.number + 100), at < n);
}
template <auto function> auto filling(const char *name, std::vector<Config> configs = {Config{}}) {
  return Kernel<function>{.name = name,
                          .grid = [](const Config &, auto...) { return Grid{1}; },
                          .configs = std::move(configs),
                          .key = [](auto, int n) { return Key{n}; }};
}
const auto one = filling<&fill_first>("one");
const auto edited = filling<&fill_edited>("one");
const auto several = filling<&fill_first>("several", {{.number = 5}, {.number = 6}, {.number = 7}});

constexpr auto any = ArgClass::generic, by16 = ArgClass::divisible_by_16;

template <class K>
void add(Pack &pack, const K &kernel, const Config &config, std::vector<ArgClass> classes,
         const char *target) {
  const KernelIR traced = kernel.trace(config, classes);
  ASSERT_TRUE(pack.add(packed_identity(traced), compile(traced, *Target::parse(target))));
}

// In a process of its own, below.
TEST(PackedKernels, DISABLED_MakesThePack) {
  Pack pack;
  add(pack, one, {.number = 1}, {any, any}, "sm_90a");
  add(pack, one, {.number = 1}, {by16, by16}, "sm_90a");
  add(pack, one, {.number = 1}, {by16, any}, "sm_80");
  add(pack, one, {.number = 2}, {any, any}, "sm_80");
  add(pack, one, {.number = 3}, {by16, by16}, "sm_80");
  add(pack, one, {.number = 4}, {any, any}, "sm_120");
  add(pack, several, {.number = 6}, {any, any}, "sm_90a");
  add(pack, several, {.number = 7}, {any, any}, "sm_90a");
  pack.add_tunings(R"({"device": "stub", "kernel": "several", "arguments": "f32*", "key": "48", )"
                   R"("config": "number=7", "median": 0.001})");
  pack.write(std::getenv("PACK_TO_WRITE"));
}

// What was assembled by a launch, or the error of it.
template <class K> std::string launched(Device &device, const K &kernel, float *x, int n) {
  stub().assembled.clear();
  stub().launches.clear();
  stub().parameterBytes.assign(2, 8);
  kernel(device, x, n);
  return stub().assembled;
}
template <class K> std::optional<Error> refusal(Device &device, const K &kernel, float *x, int n) {
  try {
    launched(device, kernel, x, n);
  } catch (const Error &error) {
    return error;
  }
  return std::nullopt;
}

TEST(PackedKernels, AreLaunchedWithoutTheCompiler) {
  testing::ScratchFolder scratch;
  testing::EnvironmentGuard guard;
  const std::string file = (scratch.path() / "some.tilepack").string();
  const std::filesystem::path cache = scratch.path() / "kept";
  guard.set("TILE_CACHE", "on");
  guard.set("TILE_CACHE_DIR", cache.c_str());
  guard.set("TILE_COMPILE", "never");
  guard.set("TILE_PTXAS", "driver");
  guard.set("PACK_TO_WRITE", file.c_str());
  for (const char *variable : {"TILE_DUMP", "TILE_TIMING", "TILE_PACKS", "GTEST_FILTER", "GTEST_SHARD_INDEX",
                               "GTEST_TOTAL_SHARDS", "GTEST_OUTPUT"})
    guard.set(variable, nullptr);
  const Ran ran = run_program({std::filesystem::read_symlink("/proc/self/exe").string(),
                               "--gtest_also_run_disabled_tests", "--gtest_filter=*DISABLED_MakesThePack"},
                              100);
  ASSERT_TRUE(ran.succeeded()) << ran.how() << ran.out << ran.err;

  stub() = {};
  const std::unique_ptr<Device> device = open_cuda();
  alignas(16) static float memory[128];
  const std::optional<Error> without = refusal(*device, one, memory, 48);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->code(), ErrorCode::not_prepared);
  EXPECT_THAT(without->what(), AllOf(HasSubstr("kernel one is not prepared for this launch"),
                                     HasSubstr("argument 1 is a multiple of 16, argument 2 is a multiple"),
                                     HasSubstr("no pack is loaded"), HasSubstr("tile pack")));

  load_pack(file);
  // Code for exactly these classes; then code that relies on less.
  EXPECT_THAT(launched(*device, one, memory, 48), HasSubstr(".target sm_90a"));
  const int loaded = stub().libraries;
  EXPECT_EQ(launched(*device, one, memory, 96), "");
  EXPECT_THAT(launched(*device, one, memory, 47), HasSubstr(".target sm_90a"));
  EXPECT_EQ(stub().libraries, loaded + 1);
  EXPECT_EQ(launched(*device, one, memory + 1, 48), "");   // other classes, the same code
  EXPECT_EQ(stub().launches.size(), 1u);
  EXPECT_EQ(launched(*device, one, memory + 1, 1), "");   // n is a constant in the trace of this launch
  EXPECT_EQ(stub().launches.size(), 1u);
  EXPECT_THAT(launched(*device, one.with({.number = 2}), memory, 48), HasSubstr(".target sm_80"));
  // Packed code, too, is what the kernel asks for, or is refused.
  for (const float number : {1.0f, 2.0f}) {
    auto strict = one.with({.number = number});
    strict.require.roles = true;
    const std::optional<Error> other = refusal(*device, strict, memory, 48);
    ASSERT_TRUE(other);
    EXPECT_EQ(other->code(), ErrorCode::unsupported);
    EXPECT_THAT(other->what(), HasSubstr("`.require` asks for roles of warps"));
  }

  const auto reason = [&](const auto &kernel, float *x) {
    const std::optional<Error> error = refusal(*device, kernel, x, 47);
    EXPECT_TRUE(error && error->code() == ErrorCode::not_prepared);
    return error ? std::string(error->what()) : "";
  };
  EXPECT_THAT(
      reason(one.with({.number = 3}), memory),
      AllOf(HasSubstr("the nearest entry, of " + file + ", is for launches in which argument 1 is a "),
            HasSubstr("argument 2 is a multiple of 16")));
  EXPECT_THAT(reason(one.with({.number = 4}), memory),
              HasSubstr("the packs have it for sm_120 (PTX), which this GPU, sm_90, does not run"));
  EXPECT_THAT(reason(one.with({.number = 9}), memory), HasSubstr("with other configs: number=1 "));
  EXPECT_THAT(
      reason(edited.with({.number = 1}), memory),
      HasSubstr(file + " has a kernel of this name that computes something else: it was edited since"));
  EXPECT_THAT(reason(filling<&fill_first>("third"), memory),
              HasSubstr("the packs have other kernels: one, several"));

  // Of several configs those that are packed, and of these the one that was measured.
  EXPECT_THAT(launched(*device, several, memory, 47), HasSubstr("1086324736"));   // 6
  EXPECT_THAT(launched(*device, several, memory, 48), HasSubstr("1088421888"));   // 7

  // Everything at once; what is loaded is not loaded again.
  const int before = stub().libraries;
  EXPECT_EQ(prepare(*device), 7u);   // all but the one for another GPU
  const int after = stub().libraries;
  EXPECT_GT(after, before);
  EXPECT_EQ(launched(*device, one.with({.number = 3}), memory, 48), "");
  EXPECT_EQ(stub().libraries, after);

  EXPECT_FALSE(compiler_is_loaded());
  EXPECT_FALSE(std::filesystem::exists(cache));   // nothing is written
  set_policy({.compile = Compile::when_needed});
  EXPECT_THAT(launched(*device, edited, memory, 47), HasSubstr(".target sm_90a"));
  EXPECT_TRUE(compiler_is_loaded());
}

}   // namespace
}   // namespace tile
