// SPDX-License-Identifier: MIT
// z = x + y: the smallest complete program. It has a kernel, its launch and the host side.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <cstdio>
#include <vector>

using namespace tile;

struct VectorAddConfig {
  int block = 1024;
};

void vector_add_kernel(Ptr<const f32> x, Ptr<const f32> y, Ptr<f32> z, Int n, const VectorAddConfig &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  auto inside = i < n;
  store(z + i, load(x + i, inside) + load(y + i, inside), inside);
}

const Kernel<&vector_add_kernel> vector_add{
    .name = "vector_add",
    .parameters = {"x", "y", "z", "n"},
    .grid = [](auto &cfg, auto, auto, auto, int n) { return Grid{cdiv(n, cfg.block)}; },
};

int main() {
  const int n = 100'001;   // no block divides it
  std::vector<f32> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = 0.5f * static_cast<f32>(i);
    y[i] = static_cast<f32>(n - i);
  }

  auto device = open_device();   // a GPU, or else the simulator of one
  Buffer<f32> dx(*device, x, "x"), dy(*device, y, "y"), dz(*device, n, "z");
  vector_add(*device, dx, dy, dz, n);

  std::vector<f32> z = dz.to_host();
  int wrong = 0;
  for (int i = 0; i < n; ++i)
    wrong += z[i] != x[i] + y[i];
  std::printf("vector_add of %d elements on %s: %d wrong\n", n, device->description().c_str(), wrong);
  return wrong != 0;
}
