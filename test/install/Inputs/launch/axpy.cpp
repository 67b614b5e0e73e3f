// SPDX-License-Identifier: MIT
#include "axpy.h"

#include <tile/dsl.h>
#include <tile/library.h>

using namespace tile;

struct AxpyConfig {
  int block = 512;
  Launch launch{.num_warps = 4};
};

static void axpy_kernel(Ptr<const f32> x, Ptr<f32> y, Float a, Int n, const AxpyConfig &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + i, a * load(x + i, i < n) + load(y + i, i < n), i < n);
}

static const Kernel<&axpy_kernel> axpy{
    .name = "axpy", .parameters = {"x", "y", "a", "n"}, .grid = [](auto &cfg, auto, auto, auto, int n) {
      return Grid{cdiv(n, cfg.block)};
    }};

TILE_KERNEL_LIBRARY(axpy)

void axpy_on(Device &device, const float *x, float *y, int n) { axpy(device, x, y, 2.0f, n); }
