// SPDX-License-Identifier: MIT
// A kernel whose configs go wrong in every way that ends a process, or does not; and one that makes its
// launches itself, which no tool can do for it.
#include <tile/dsl.h>
#include <tile/library.h>

#include <cstdlib>

#include <unistd.h>

using namespace tile;

struct MoodyConfig {
  int mood = 0;
};

void moody_kernel(Ptr<const f32> x, Ptr<f32> y, Int n, const MoodyConfig &cfg) {
  if (cfg.mood == 1)
    std::abort();
  for (volatile bool goes_on = cfg.mood == 2; goes_on;) {   // works, and never ends
  }
  if (cfg.mood == 3)
    ::_exit(7);
  auto i = program_id(0) * 128 + arange(0, cfg.mood == 4 ? 0 : 128);   // 0: there is no such tile
  store(y + i, load(x + i, i < n) + 1.f, i < n);
}

const Kernel<&moody_kernel> moody{.name = "moody",
                                  .parameters = {"x", "y", "n"},
                                  .grid = [](auto &, auto, auto, int n) { return Grid{cdiv(n, 128)}; },
                                  .configs = {{0}, {1}, {2}, {3}, {4}, {5}}};

const Kernel<&moody_kernel> surrounded{
    .name = "surrounded",
    .parameters = {"x", "y", "n"},
    .grid = [](auto &, auto, auto, int n) { return Grid{cdiv(n, 128)}; },
    .around = [](auto &, OnDevice, auto &launch, auto x, auto y, int n) { launch(x, y, n); }};

TILE_KERNEL_LIBRARY(moody, surrounded)
