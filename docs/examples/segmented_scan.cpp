// SPDX-License-Identifier: MIT
// Running sums that begin anew where a segment begins. A row is longer than a tile, so what a tile ends with
// is carried to the next one.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <cmath>
#include <cstdio>
#include <tuple>
#include <vector>

using namespace tile;

struct ScanConfig {
  int block = 128;
};

void segmented_scan_kernel(Ptr<const f32> x, Ptr<const i1> begins, Ptr<f32> y, Int n, const ScanConfig &cfg) {
  Float carried = 0.0f;
  for (auto from : range(0, n, cfg.block)) {
    auto i = from + arange(0, cfg.block);
    auto value = load(x + i, i < n);
    auto fresh = load(begins + i, i < n);
    // A pair (sum, whether a segment began): what began later forgets what came before.
    auto [total, began] = associative_scan(std::tuple{value, cast<i32>(fresh)}, 0, [](auto a, auto b) {
      auto [sum_a, began_a] = a;
      auto [sum_b, began_b] = b;
      return std::tuple{where(began_b != 0, sum_b, sum_a + sum_b), began_a | began_b};
    });
    auto result = where(began != 0, total, total + carried);
    store(y + i, result, i < n);
    carried = last(result, 0);
  }
}

const Kernel<&segmented_scan_kernel> segmented_scan{
    .name = "segmented_scan",
    .parameters = {"x", "begins", "y", "n"},
    .grid = [](auto &, auto...) { return Grid{1}; },
};

int main() {
  const int n = 1000;
  std::vector<f32> x(n);
  std::vector<bool> flags(n);
  auto begins = [](int i) { return i % 61 == 7 || i % 300 == 299; };
  for (int i = 0; i < n; ++i) {
    x[static_cast<std::size_t>(i)] = static_cast<float>(i % 13) - 4.0f;
    flags[static_cast<std::size_t>(i)] = begins(i);
  }

  auto device = open_device();
  Buffer<f32> dx(*device, x, "x"), dy(*device, n, "y");
  Buffer<i1> db(*device, flags, "begins");
  segmented_scan(*device, dx, db, dy, n);

  int wrong = 0;
  float sum = 0;
  const std::vector<f32> y = dy.to_host();
  for (int i = 0; i < n; ++i) {
    sum = begins(i) ? x[static_cast<std::size_t>(i)] : sum + x[static_cast<std::size_t>(i)];
    wrong += y[static_cast<std::size_t>(i)] != sum;   // small integers: exact
  }
  std::printf("segmented_scan of %d: %d wrong, %s\n", n, wrong, wrong ? "WRONG" : "correct");
  return wrong != 0;
}
