// SPDX-License-Identifier: MIT
// Stamps of the clock on a real GPU; without one each case is skipped and counted.
#include "compiler/devices/stamping_device.h"
#include "runtime/timeline/measured.h"

#include <tile/buffer.h>
#include <tile/dsl.h>
#include <tile/lowered_cuda.h>

#include <gmock/gmock.h>

#include <algorithm>

namespace tile::timeline {
namespace {

struct Config {
  int block = 1024;
  Launch launch{.num_warps = 4};
};
// Sums of n blocks, with a barrier between the warps in each.
void add_up(Ptr<f32> x, Ptr<f32> y, Int n, const Config &cfg) {
  auto at = arange(0, cfg.block);
  auto all = zeros<f32>({});
  for (auto i : range(n))
    all += sum(load(x + i % 8 * cfg.block + at), all_axes);
  store(y + program_id(0), all);
}

class Stamps : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = why_no_cuda(); !reason.empty())
      GTEST_SKIP() << reason;
    device_ = open_stamping_cuda();
  }
  // The sums of 40 programs, each of n blocks of ones; the first launch warms up.
  StampedLaunch launch(int n, std::vector<std::int64_t> ctas = {}) {
    Buffer<f32> x(*device_, 8 * 1024, "x"), y(*device_, 40, "y");
    x.copy_from(std::vector<float>(8 * 1024, 1.0f));
    kernel_(*device_, x, y, n);
    begin_stamping(*device_, Stamping::read, std::move(ctas));
    kernel_(*device_, x, y, n);
    std::vector<StampedLaunch> launches = end_stamping(*device_);
    for (const float sum : y.to_host())
      EXPECT_EQ(sum, 1024.0f * static_cast<float>(n));
    EXPECT_EQ(launches.size(), 1u);
    return std::move(launches.at(0));
  }

  std::unique_ptr<Device> device_;
  const Kernel<&add_up> kernel_{
      .name = "add_up", .parameters = {"x", "y", "n"}, .grid = [](auto &, auto...) { return Grid{40}; }};
};

TEST_F(Stamps, EachWarpTellsItsWaits) {
  const int n = 2000;
  const StampedLaunch written = launch(n);
  EXPECT_EQ(written.ctas, (std::vector<std::int64_t>{0, 14, 28}));
  const Measured m = measured(written, written.ctas, device_->machine().clock_hertz);
  EXPECT_EQ(m.lost, 0u);
  EXPECT_TRUE(m.is_clock_known);
  EXPECT_GT(m.hertz, 0.5e9);
  EXPECT_LT(m.hertz, 1.1 * device_->machine().clock_hertz);
  ASSERT_EQ(m.timeline.warps.size(), 3u * 4);
  for (const WarpTimeline &warp : m.timeline.warps) {
    double now = 0;
    std::size_t loads = 0;
    for (const Span &span : warp.spans) {
      EXPECT_GE(span.begin, now);
      EXPECT_GT(span.end, span.begin);
      now = span.end;
      loads += span.state == State::results;
    }
    EXPECT_GE(loads, static_cast<std::size_t>(n) / 2);   // where a loop is not unrolled, n of them
    EXPECT_LE(now, warp.end + 1);
  }
  for (const simulator::WarpRecord &warp : m.record.warps)   // short waits are no spans
    EXPECT_GE(std::ranges::count(warp.steps, simulator::Act::barrier, &simulator::Step::act), n / 2);
}

TEST_F(Stamps, AFullListCountsWhatItLoses) {
  const int n = 60'000;
  const StampedLaunch written = launch(n, {7});
  const Measured m = measured(written, written.ctas, device_->machine().clock_hertz);
  EXPECT_EQ(m.stamps, 4u * ((1 << 18) - 64) / 16);
  EXPECT_GT(m.lost, 0u);
  EXPECT_EQ(m.ctas.at(0).number, 7);
}

}   // namespace
}   // namespace tile::timeline
