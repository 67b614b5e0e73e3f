// SPDX-License-Identifier: MIT
// A program that finds its kernel in the cache has nothing of the compiler, and one that does not gets it.
// The driver is a stub.
#include "compiler/api/compiler.h"
#include "runtime/process.h"
#include "test/unit/cuda/loaded_stub.h"
#include "test/unit/runtime/scratch_folder.h"

#include <tile/cuda_device.h>
#include <tile/dsl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

namespace tile {
namespace {

using cuda::stub;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Config {
  float number = 1;
  Launch launch{};
};
void fill(Ptr<f32> x, const Config &config) { store(x + arange(0, 128), full<f32>({128}, config.number)); }
const Kernel<&fill> kernel{.name = "fill"};

std::string mapped_files() {
  std::ifstream file("/proc/self/maps");
  return {std::istreambuf_iterator<char>(file), {}};
}
auto has_the_compiler() {
  return AllOf(HasSubstr("/libtile_compiler.so"), HasSubstr("/libMLIR.so"), HasSubstr("/libLLVM.so"));
}
auto has_nothing_of_it() {
  return AllOf(Not(HasSubstr("libtile_compiler")), Not(HasSubstr("libMLIR")), Not(HasSubstr("libLLVM")));
}

// In a process of its own, below: what the next one finds.
TEST(LazyCompiler, DISABLED_FillsTheCache) { open_cuda()->load(kernel.trace(Config{})); }

TEST(LazyCompiler, IsThereAtTheFirstMissOnly) {
  testing::ScratchFolder scratch;
  testing::EnvironmentGuard guard;
  guard.set("TILE_CACHE", "on");
  guard.set("TILE_CACHE_DIR", (scratch.path() / "kept").c_str());
  guard.set("TILE_PTXAS", "driver");
  guard.set("TILE_DUMP", nullptr);
  guard.set("TILE_TIMING", nullptr);
  guard.set("GTEST_FILTER", nullptr);
  for (const char *variable : {"GTEST_SHARD_INDEX", "GTEST_TOTAL_SHARDS", "GTEST_OUTPUT"})
    guard.set(variable, nullptr);
  guard.set("LD_LIBRARY_PATH", std::filesystem::path(STUB_CUDA).parent_path().c_str());
  const Ran ran = run_program({std::filesystem::read_symlink("/proc/self/exe").string(),
                               "--gtest_also_run_disabled_tests", "--gtest_filter=*DISABLED_FillsTheCache"},
                              100);
  ASSERT_TRUE(ran.succeeded()) << ran.how() << ran.out << ran.err;

  stub() = {};
  const std::unique_ptr<Device> device = open_cuda();
  device->load(kernel.trace(Config{}));
  EXPECT_THAT(stub().assembled, HasSubstr(".entry fill"));
  EXPECT_FALSE(compiler_is_loaded());
  EXPECT_THAT(mapped_files(), has_nothing_of_it());

  stub().assembled.clear();
  device->load(kernel.trace(Config{.number = 2}));
  EXPECT_THAT(stub().assembled, HasSubstr(".entry fill"));
  EXPECT_TRUE(compiler_is_loaded());
  EXPECT_THAT(mapped_files(), has_the_compiler());
}

}   // namespace
}   // namespace tile
