// SPDX-License-Identifier: MIT
// Host time of one launch with twelve arguments: of a kernel object with one config and of one that was
// tuned, of an executable, and of the driver's call alone, in turn.
#include "runtime/cuda/device.h"
#include "vector_add_ptx.h"

#include <tile/cuda_device.h>
#include <tile/dsl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace tile;
using namespace tile::cuda;

namespace {

struct Config {
  int block = 128;
};
void twelve(Ptr<const f32> a, Ptr<const f32> b, Ptr<f32> c, Int m, Int n, Int k, Int64 a_row, Int64 a_col,
            Int64 b_row, Int64 b_col, Int64 c_row, Int64 c_col, const Config &cfg) {
  auto i = cast<i64>(arange(0, cfg.block));
  auto sum = load(a + i * a_col + a_row) + load(b + i * b_col + b_row);
  store(c + i * c_col + c_row, sum, i < cast<i64>(m * n * k));
}
const Kernel<&twelve> kernel{
    .name = "twelve",
    .parameters = {"a", "b", "c", "m", "n", "k", "a_row", "a_col", "b_row", "b_col", "c_row", "c_col"},
    .grid = [](auto &, auto...) { return Grid{1}; },
    .configs = {{.block = 128}, {.block = 256}},
    .key = [](auto, auto, auto, int m, int n, int k, auto...) { return Key{m, n, k}; },
    .keep = [](auto &cfg, auto, auto, auto, int m, auto...) { return m <= cfg.block; }};

}   // namespace

int main() {
  try {
    std::unique_ptr<Device> opened = open_cuda();
    auto &device = static_cast<CudaDevice &>(*opened);
    std::vector<ElementType> types(3, element_type<f32 *>);
    types.resize(12, element_type<i32>);
    CudaExecutable executable(device, loweredPtx(TwelveArgumentsPtx, "twelve", 128, types));
    Argument arguments[12] = {};
    for (std::size_t i = 0; i < 12; ++i)
      arguments[i].type = types[i];
    void *raw[12];
    for (int i = 0; i < 12; ++i)
      raw[i] = &arguments[i].bits;
    const Driver &driver = Driver::get();
    Current current(*device.context());

    constexpr int Rounds = 101, Launches = 100;
    auto time = [&](auto &&launch) {
      auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < Launches; ++i)
        launch();
      double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
      device.synchronize();
      return us / Launches;
    };
    Buffer<f32> a(device, 1024), b(device, 1024), c(device, 1024);
    auto call = [&](const auto &called) {
      called(device, a, b, c, 8, 8, 2, std::int64_t(16), std::int64_t(1), std::int64_t(32), std::int64_t(1),
             std::int64_t(48), std::int64_t(1));
    };
    const auto fixed = kernel.with({.block = 128});
    call(fixed);
    call(kernel);
    device.synchronize();
    const cuda::LaunchConfig config{.block = {128, 1, 1}, .stream = device.stream()};
    std::vector<double> fixed_kernels, tuned_kernels, ours, drivers;
    for (int round = 0; round < Rounds; ++round) {
      fixed_kernels.push_back(time([&] { call(fixed); }));
      tuned_kernels.push_back(time([&] { call(kernel); }));
      ours.push_back(time([&] { executable.launch({1, 1, 1}, arguments); }));
      drivers.push_back(
          time([&] { driver.launchKernel(&config, executable.kernel().function(), raw, nullptr); }));
    }
    auto median = [](std::vector<double> &v) {
      std::nth_element(v.begin(), v.begin() + Rounds / 2, v.end());
      return v[Rounds / 2];
    };
    std::printf(
        "%s\nlaunch of 12 arguments, median of %d x %d: kernel of one config %.2f us, tuned kernel %.2f us, "
        "Executable::launch %.2f us, cuLaunchKernelEx %.2f us\n",
        device.description().c_str(), Rounds, Launches, median(fixed_kernels), median(tuned_kernels),
        median(ours), median(drivers));
  } catch (const Error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
