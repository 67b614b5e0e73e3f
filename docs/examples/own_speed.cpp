// SPDX-License-Identifier: MIT
// How fast a kernel of one's own is, on data that lies in no cache.
#include <tile/bench.h>
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <cstdio>
#include <vector>

using namespace tile;

struct ScaleConfig {
  int block = 4096;
  Launch launch{.num_warps = 8};
};

void scale_kernel(Ptr<const f16> x, Ptr<f16> y, Int n, const ScaleConfig &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + i, load(x + i, i < n) * f16(2.0f), i < n);
}

const Kernel<&scale_kernel> scale{
    .name = "scale",
    .parameters = {"x", "y", "n"},
    .grid = [](auto &cfg, auto, auto, int n) { return Grid{cdiv(n, cfg.block)}; },
};

int main() {
  auto device = open_device("auto");
  if (!device->can_time()) {
    std::printf("%s has no clock\n", device->description().c_str());
    return 0;
  }
  const int n = 1 << 25, sets = 4;   // 512 MiB together: more than any cache holds
  std::vector<Buffer<f16>> x, y;
  for (int set = 0; set < sets; ++set) {
    x.emplace_back(*device, std::vector<f16>(n, f16(0.1f * static_cast<float>(set + 1))));
    y.emplace_back(*device, n);
  }
  const bench::Timing t = bench::time(*device, [&](int set) { scale(*device, x[set], y[set], n); },
                                      {.cache = bench::Cache::rotating, .sets = sets});
  std::printf("%.2f us +- %.1f%%, %.2f TB/s\n", t.median * 1e6, 100 * t.spread, 4.0 * n / t.median * 1e-12);
}
