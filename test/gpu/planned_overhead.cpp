// SPDX-License-Identifier: MIT
// Host time of a product with three tensor maps: by a plan, as usual, and of the driver's call alone for a
// kernel that takes as much; then the longest of a thousand numbers of rows by a plan.
#include "runtime/cuda/device.h"

#include <tile/cuda_device.h>
#include <tile/gemm_plan.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <random>

using namespace tile;
using namespace tile::cuda;

namespace {

// Three maps, and the numbers that a product takes beside them.
constexpr std::string_view mapsPtx = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry maps(.param .align 64 .b8 a[128], .param .align 64 .b8 b[128], .param .align 64 .b8 c[128],
                     .param .u64 d, .param .u64 e, .param .u64 f, .param .u64 g, .param .u64 h, .param .u64 i,
                     .param .u64 j, .param .u64 k, .param .u64 l)
{
  ret;
}
)";

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

using Clock = std::chrono::steady_clock;
double microseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

}   // namespace

int main() try {
  const std::unique_ptr<Device> opened = open_cuda();
  auto &device = static_cast<CudaDevice &>(*opened);
  constexpr std::int64_t most = 1000, n = 1024, k = 1024;
  kernels::GemmPlan<bf16> plan(device, {.most_m = most, .n = n, .k = k});
  const Clock::time_point begin = Clock::now();
  plan.prepare();
  std::printf("%s\nprepared for 1 to %d rows in %.0f ms\n", device.description().c_str(), int(most),
              microseconds_since(begin) / 1000);
  Buffer<std::byte> memory(device, plan.workspace_bytes());

  const Driver &driver = Driver::get();
  const Current current(*device.context());
  Module module = nullptr;
  Function maps = nullptr;
  check(driver.moduleLoadData(&module, mapsPtx.data()), "load a kernel");
  check(driver.moduleGetFunction(&maps, module, "maps"), "find a kernel");
  alignas(64) std::array<std::byte, 128> map{};
  std::uint64_t number = 0;
  std::array<void *, 12> raw;
  raw.fill(&number);
  std::fill_n(raw.begin(), 3, map.data());
  const cuda::LaunchConfig config{.block = {128, 1, 1}, .stream = device.stream()};

  constexpr int sets = 8, rounds = 101, launches = 100;
  std::vector<Buffer<bf16>> a, b, c;
  for (int i = 0; i < sets; ++i) {
    a.emplace_back(device, most * k);
    b.emplace_back(device, k * n);
    c.emplace_back(device, most * n);
    for (Buffer<bf16> *each : {&a.back(), &b.back()})
      each->fill_bytes(0);
  }
  const auto time = [&](auto &&launch) {
    device.synchronize();
    const Clock::time_point start = Clock::now();
    for (int i = 0; i < launches; ++i)
      launch(i);
    return microseconds_since(start) / launches;
  };
  const auto planned = [&](std::int64_t m, int set) {
    const Status status = plan.run(device, MatrixView(a[set], m, k), MatrixView(b[set], k, n),
                                   MatrixView(c[set], m, n), {memory.data(), memory.size()});
    status.check();
  };
  const auto usual = [&](int set) {
    kernels::gemm(device, MatrixView(a[set], 128, k), MatrixView(b[set], k, n), MatrixView(c[set], 128, n));
  };
  usual(0);
  std::vector<double> by_plan, by_plan_of_others, as_usual, as_usual_of_others, by_driver;
  for (int round = 0; round < rounds; ++round) {
    by_plan.push_back(time([&](int) { planned(128, 0); }));
    by_plan_of_others.push_back(time([&](int i) { planned(128, i % sets); }));
    as_usual.push_back(time([&](int) { usual(0); }));
    as_usual_of_others.push_back(time([&](int i) { usual(i % sets); }));
    by_driver.push_back(
        time([&](int) { check(driver.launchKernel(&config, maps, raw.data(), nullptr), "launch"); }));
  }
  std::printf(
      "a launch, median of %d x %d: by a plan %.2f us, of other matrices %.2f us; as usual %.2f us, of "
      "other matrices %.2f us; cuLaunchKernelEx %.2f us\n",
      rounds, launches, median(by_plan), median(by_plan_of_others), median(as_usual),
      median(as_usual_of_others), median(by_driver));

  std::vector<std::int64_t> rows(most);
  for (std::int64_t i = 0; i < most; ++i)
    rows[i] = i + 1;
  std::ranges::shuffle(rows, std::mt19937(1));
  std::vector<double> each;
  for (const std::int64_t m : rows) {
    const Clock::time_point start = Clock::now();
    planned(m, static_cast<int>(m % sets));
    each.push_back(microseconds_since(start));
    if (each.size() % 100 == 0)
      device.synchronize();   // a full queue would be waited for
  }
  const double longest = std::ranges::max(each);
  std::printf(
      "1000 numbers of rows by a plan: median %.2f us, longest %.2f us (%lld rows), %d above 100 us\n",
      median(each), longest, static_cast<long long>(rows[std::ranges::find(each, longest) - each.begin()]),
      int(std::ranges::count_if(each, [](double us) { return us > 100; })));
} catch (const Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
