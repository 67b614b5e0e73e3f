// SPDX-License-Identifier: MIT
// A compiling device finds on disk what it has compiled before. The driver is a stub, which says what it was
// given.
#include "compiler/api/kernel_key.h"
#include "runtime/cache/kernel_cache.h"
#include "test/unit/cuda/loaded_stub.h"
#include "test/unit/runtime/scratch_folder.h"

#include <tile/cuda_device.h>
#include <tile/dsl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tile {
namespace {

using cuda::stub;
using ::testing::HasSubstr;

struct Config {
  float number = 1;
  Launch launch{};
};
void fill(Ptr<f32> x, const Config &config) { store(x + arange(0, 128), full<f32>({128}, config.number)); }

// The cache of a process is opened once: one test, in the order in which things happen.
TEST(KeptKernels, AreFoundAgain) {
  testing::ScratchFolder scratch;
  testing::EnvironmentGuard guard;
  const std::string folder = (scratch.path() / "kept").string();
  guard.set("TILE_CACHE", "on");
  guard.set("TILE_CACHE_DIR", folder.c_str());
  guard.set("TILE_PTXAS", "driver");
  guard.set("TILE_DUMP", nullptr);
  guard.set("TILE_TIMING", nullptr);
  stub() = {};
  const std::unique_ptr<Device> device = open_cuda();
  const Kernel<&fill> kernel{.name = "fill"};
  const auto loaded = [&](const Config &config = {}) {
    stub().assembled.clear();
    device->load(kernel.trace(config));
    return stub().assembled;
  };

  const std::string compiled = loaded();
  EXPECT_THAT(compiled, HasSubstr(".entry fill"));
  KernelCache cache(folder, true, KernelCache::mib);
  ASSERT_EQ(cache.entries().size(), 1u);
  EXPECT_EQ(loaded(), compiled);
  EXPECT_NE(loaded({.number = 2}), compiled);
  EXPECT_EQ(cache.entries().size(), 2u);

  // It is what is kept that is loaded: here something else than the compiler makes.
  KernelCache::Entry entry = cache.entries().at(0);
  for (const KernelCache::Entry &each : cache.entries())
    if (each.kernel.text() == compiled)
      entry = each;
  LoweredKernel other = entry.kernel;
  other.set_text(compiled + "// kept\n");
  cache.insert(entry.key, other);
  EXPECT_EQ(loaded(), compiled + "// kept\n");

  // Who looks at compilations sees them.
  guard.set("TILE_TIMING", "1");
  EXPECT_EQ(loaded(), compiled);
  guard.set("TILE_TIMING", nullptr);
  EXPECT_EQ(loaded(), compiled);   // and it is kept again

  // What the driver refuses is made anew.
  other.target = "sm_80a";
  cache.insert(entry.key, other);
  EXPECT_EQ(loaded(), compiled);
  EXPECT_EQ(cache.find(entry.key)->text(), compiled);
}

}   // namespace
}   // namespace tile
