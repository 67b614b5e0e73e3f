// SPDX-License-Identifier: MIT
// Prints the recorded program of a kernel. Tracing needs no device.
#include <tile/dsl.h>

#include <cstdio>

using namespace tile;

struct ScaleConfig {
  int block = 128;
  bool squared = false;
};

void scale_kernel(Ptr<f32> x, Int n, Float factor, const ScaleConfig &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  auto v = load(x + i, i < n) * factor;
  if (cfg.squared)
    v *= v;
  store(x + i, v, i < n);
}

int main() {
  Kernel<&scale_kernel> scale{.name = "scale", .parameters = {"x", "n", "factor"}};
  std::printf("%s", scale.trace({.block = 64}).text({.locations = false}).c_str());
}
