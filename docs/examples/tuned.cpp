// SPDX-License-Identifier: MIT
// What a program asks of the speed of its kernels: a choice of configs, an expected cost, a sweep, a
// comparison and a budget. A device without a clock times nothing, and the program checks results and
// refusals alone.
#include <tile/bench.h>
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>
#include <tile/gemm.h>
#include <tile/simulator.h>
#include <tile/tuning.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace tile;

struct CopyConfig {
  int block = 1024;
  Launch launch{.num_warps = 4};
};

void copy_kernel(Ptr<const f16> x, Ptr<f16> y, Int n, const CopyConfig &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + i, load(x + i, i < n), i < n);
}

const Kernel<&copy_kernel> copy{
    .name = "copy",
    .grid = [](auto &cfg, auto, auto, int n) { return Grid{cdiv(n, cfg.block)}; },
    .configs = {{.block = 256}, {.block = 1024}, {.block = 4096, .launch = {.num_warps = 8}}},
    .key = [](auto, auto, int n) { return Key{n}; },
    .keep = [](auto &cfg, auto, auto, int n) { return cfg.block == 256 || n >= cfg.block; },
    .work = [](auto, auto, int n) { return Work{.bytes = 4.0 * n}; },
};

const Kernel<&copy_kernel> copy_when_asked{
    .name = "copy_when_asked",
    .grid = [](auto &cfg, auto, auto, int n) { return Grid{cdiv(n, cfg.block)}; },
    .configs = {{.block = 256}, {.block = 4096}},
    .cost =
        [](auto &cfg, const Machine &gpu, auto, auto, int n) {
          const double waves = std::ceil(double(cdiv(n, cfg.block)) / gpu.multiprocessors);
          return 2e-6 + waves * cfg.block * 4 / (gpu.memory_bytes_per_second / gpu.multiprocessors);
        },
    .tunes = Tunes::when_asked,
};

struct ProductConfig {
  int block = 128, block_k = 64;
  Launch launch{.num_warps = 8};
};

void product(Ptr<const f16> x, Ptr<const f16> y, Ptr<f16> z, Int n, const ProductConfig &cfg) {
  Int row = program_id(0) * cfg.block, column = program_id(1) * cfg.block;
  auto X = descriptor(x, {n, n}, {n, 1}, {cfg.block, cfg.block_k});
  auto Y = descriptor(y, {n, n}, {n, 1}, {cfg.block_k, cfg.block});
  auto sums = zeros<f32>({cfg.block, cfg.block});
  for (auto i : range(cdiv(n, cfg.block_k)))
    sums = dot(X.load({row, i * cfg.block_k}), Y.load({i * cfg.block_k, column}), sums);
  descriptor(z, {n, n}, {n, 1}, {cfg.block, cfg.block}).store({row, column}, cast<f16>(sums));
}

const Kernel<&product> fast{
    .name = "product",
    .grid = [](auto &cfg, auto, auto, auto, int n) { return Grid{cdiv(n, cfg.block), cdiv(n, cfg.block)}; },
    .require = {.unit = ProductUnit::wgmma, .roles = true, .no_spills = true, .registers = 168},
};

void launches(Device &device, const Buffer<f16> &x, const Buffer<f16> &y, int n) {
  copy(device, x, y, n);                        // tunes, the first time with this n
  copy.with({.block = 256})(device, x, y, n);   // does not
}

void sweeps(Device &device, const Buffer<f16> &x, const Buffer<f16> &y, int n, MatrixView<const f16> a,
            MatrixView<const f16> b, MatrixView<f16> c) {
  const tuning::Sweep sweep = copy.tune(device, x, y, n);     // before the first launch
  copy.tune(device, {.seconds = 2, .at_most = 8}, x, y, n);   // `tuning::Options`
  {
    const tuning::Asking asking({.seconds = 2});   // <tile/tuning.h>
    kernels::gemm(device, a, b, c);                // launches of this thread tune
  }
  std::printf("%s; ", sweep.records[sweep.winner].config.c_str());
}

void compare(Device &device, int n) {
  std::vector<Buffer<f16>> x, y;
  for (int set = 0; set < 4; ++set) {
    x.emplace_back(device, std::vector<f16>(n, f16(1.0f)));
    y.emplace_back(device, n);
  }
  const Kernel<&copy_kernel> one = copy.with({.block = 256}), other = copy.with({.block = 1024});
  const bench::Call calls[] = {[&](int set) { one(device, x[set], y[set], n); },
                               [&](int set) { other(device, x[set], y[set], n); }};
  const std::vector<bench::Timing> t =
      bench::compare(device, calls, {.cache = bench::Cache::rotating, .sets = 4});
  std::printf("%.2f and %.2f us; ", t[0].median * 1e6, t[1].median * 1e6);
}

bool all_are(float value, const Buffer<f16> &buffer) {
  const std::vector<f16> got = buffer.to_host();
  return std::ranges::all_of(got, [&](f16 x) { return static_cast<float>(x) == value; });
}

// The error of a launch for a GPU that the simulator stands for; empty: its code is as the budget says.
std::string refusal(const char *gpu) {
  auto device = open_simulator({.target = gpu});
  const int n = 256;
  Buffer<f16> x(*device, std::vector<f16>(n * n, f16(1.0f)), "x"), z(*device, n * n, "z");
  try {
    fast(*device, x, x, z, n);
    device->synchronize();
  } catch (const Error &e) {
    return e.message();
  }
  return all_are(256, z) ? "" : "wrong result";
}

int main() {
  auto device = open_device();
  const int n = 100, size = n * n;
  Buffer<f16> x(*device, std::vector<f16>(size, f16(1.0f)), "x"), y(*device, size, "y"),
      z(*device, size, "z");
  launches(*device, x, y, n);   // fewer elements than most blocks have
  launches(*device, x, y, size);
  bool is_right = all_are(1, y);
  sweeps(*device, x, y, size, MatrixView(x, n, n), MatrixView(y, n, n), MatrixView(z, n, n));
  is_right &= all_are(100, z);
  copy_when_asked(*device, z, y, size);
  is_right &= all_are(100, y);
  if (device->can_time())
    compare(*device, 1 << 20);

  // By the cost, 300 elements take longer in one block of 4096 than in two blocks of 256 side by side.
  const Machine gpu{.multiprocessors = 132, .memory_bytes_per_second = 4.8e12};
  is_right &= copy_when_asked.cost({.block = 256}, gpu, nullptr, nullptr, 300) <
              copy_when_asked.cost({.block = 4096}, gpu, nullptr, nullptr, 300);
  is_right &= refusal("sm_90a").empty();
  is_right &= refusal("sm_80") ==
              "`.require` asks for products by wgmma, but for sm_80 a product is made by mma.sync";
  std::printf("tuned: %s\n", is_right ? "correct" : "WRONG");
  return is_right ? 0 : 1;
}
