// SPDX-License-Identifier: MIT
// What launches of a shipped kernel cost the thread of a server that never stops meeting new numbers of rows.
// The device compiles nothing and takes its time for it.
#include "test/unit/runtime/scratch_folder.h"
#include "test/unit/runtime/timed_device.h"

#include <tile/gemm.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <random>
#include <thread>
#include <vector>

namespace tile {
namespace {

class Gpu : public testing::TimedDevice {
 public:
  Gpu() {
    is = {.name = "NVIDIA H200",
          .multiprocessors = 132,
          .capability = 90,
          .clock_hertz = 1.98e9,
          .memory_bytes_per_second = 4.8e12,
          .cache_bytes = 50 << 20,
          .memory_bytes = std::size_t{140} << 30,
          .shared_bytes = 232448};
    loader = [this](const KernelIR &) {
      if (std::this_thread::get_id() == launching_)
        ++waited_for;
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      return std::make_unique<Program>(*this, 0, nullptr);
    };
  }
  ~Gpu() override { finish_background(); }
  std::string description() const override { return "NVIDIA H200, sm_90, 132 multiprocessors"; }
  std::string toolchain() const override { return "none"; }   // what is stored is looked for, too
  bool has_limits() const override { return true; }
  bool loads_in_background() const override { return true; }
  int waited_for = 0;

 private:
  const std::thread::id launching_ = std::this_thread::get_id();
};

double cpu_seconds() {   // of this thread, so that no other can disturb the measurement
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

TEST(Engine, OfAThousandNumbersOfRowsNoLaunchWaits) {
  testing::EnvironmentGuard environment;
  const testing::ScratchFolder folder;
  environment.set("TILE_CACHE_DIR", folder.path().c_str());
  for (const char *name : {"TILE_TUNE", "TILE_STAND_INS"})
    environment.set(name, nullptr);
  static Gpu gpu;   // its executables live as long as the kernel's function
  constexpr std::int64_t most = 8192, n = 4096, k = 4096;
  auto *const memory = reinterpret_cast<bf16 *>(std::uintptr_t{1} << 40);   // which nobody touches
  const auto launch = [&](std::int64_t m) {
    kernels::gemm(gpu, MatrixView<const bf16>(memory, m, k), MatrixView<const bf16>(memory + most * k, k, n),
                  MatrixView<bf16>(memory + most * k + k * n, m, n));
  };
  for (const std::int64_t m : {most, most - 1, std::int64_t{1}})
    launch(m);
  gpu.waited_for = 0;
  std::minstd_rand random(1);
  std::vector<double> seconds;
  for (int i = 0; i < 1000; ++i) {
    const double before = cpu_seconds();
    launch(1 + static_cast<std::int64_t>(random()) % most);
    seconds.push_back(cpu_seconds() - before);
  }
  EXPECT_EQ(gpu.waited_for, 0);
  EXPECT_EQ(gpu.measurements, 0);
  std::ranges::sort(seconds);
  RecordProperty("largest_us", static_cast<int>(seconds.back() * 1e6));
  RecordProperty("median_us", static_cast<int>(seconds[500] * 1e6));
  EXPECT_LT(seconds.back(), 5e-3) << "the median takes " << seconds[500];
}

}   // namespace
}   // namespace tile
