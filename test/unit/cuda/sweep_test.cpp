// SPDX-License-Identifier: MIT
// What a sweep asks of the driver while another thread of the program records launches.
#include "runtime/cuda/device.h"
#include "test/unit/cuda/loaded_stub.h"
#include "test/unit/runtime/scratch_folder.h"

#include <tile/buffer.h>
#include <tile/launch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tile::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Three configs of a kernel that was lowered before, with checks if wanted.
class Space final : public launching::ConfigSpace {
 public:
  explicit Space(bool checks) : checks_(checks) {}
  std::size_t size() const override { return 3; }
  const void *list() const override { return this; }
  void push_values(std::size_t i, launching::WordKey &key) const override { key.push(i); }
  std::string text(std::size_t i) const override { return "block=" + std::to_string(i); }
  bool keeps(std::size_t) const override { return true; }
  Grid grid(std::size_t) const override { return {1}; }
  Key key() const override { return {}; }
  Work work() const override { return {}; }
  std::unique_ptr<Executable> executable(Device &device, std::size_t i,
                                         std::span<const ArgClass>) const override {
    LoweredKernel kernel;
    kernel.name = kernel.symbol = "scale";
    kernel.config = text(i);
    kernel.target = "sm_90a";
    kernel.kind = LoweredKernel::Code::cubin;
    kernel.threads = 128;
    kernel.take(std::vector<LaunchArgument>{{"x", element_type<f32 *>}}, {});
    if (checks_)
      kernel.checks.emplace_back();
    return device.load_lowered(std::move(kernel));
  }

 private:
  bool checks_;
};

TEST(Sweep, BreaksNothingThatAnotherThreadRecords) {
  testing::EnvironmentGuard guard;
  guard.set("TILE_TUNE", "always");
  guard.set("TILE_JOBS", "3");
  guard.set("TILE_CACHE", "off");
  stub() = {};
  static CudaDevice device;
  for (const bool checks : {false, true}) {
    Buffer<f32> x(device, std::vector<f32>(64, 1.0f));
    launching::PackedArgument argument = launching::pack_pointer(element_type<f32 *>, x.data(), false);
    argument.access = tuning::Access::writes;
    argument.memory = {x.data(), 64 * sizeof(f32)};
    stub().othersRecord = true;
    launching::launch({OnDevice(device), "scale", std::span(&argument, 1), launching::make_launch_cache()},
                      Space(checks));
    EXPECT_GT(stub().launches.size(), 50u) << "it was tuned";
    EXPECT_THAT(stub().broken, IsEmpty());
    EXPECT_EQ(stub().modules, checks ? 4 : 1) << "the losers are gone, but those that report to their device";
    stub().othersRecord = false;
  }
  stub().othersRecord = true;
  device.release(device.allocate(8, "after it"));
  EXPECT_THAT(stub().broken, ElementsAre("cuMemAlloc", "cuMemFree")) << "the thread is as it was";
  stub() = {};
}

}   // namespace
}   // namespace tile::cuda
