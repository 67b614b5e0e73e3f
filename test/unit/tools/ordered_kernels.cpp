// SPDX-License-Identifier: MIT
// Kernels whose results depend on the order of the threads, for `tile check`.
#include <tile/dsl.h>
#include <tile/library.h>

using namespace tile;

struct OrderedConfig {
  int block = 128;
};

// Which warp comes first decides the result.
void tickets_kernel(Ptr<i32> y, Ptr<i32> next, const OrderedConfig &cfg) {
  auto i = arange(0, cfg.block);
  store(y + i, atomic_add(next + i * 0, 1));
}

// Sums of floats: the order of the warps decides the last bits.
void total_kernel(Ptr<const f32> x, Ptr<f32> total, Int n, const OrderedConfig &cfg) {
  auto i = arange(0, cfg.block);
  atomic_add(total + i * 0, load(x + i, i < n), i < n);
}

const Kernel<&tickets_kernel> tickets{
    .name = "tickets", .parameters = {"y", "next"}, .grid = [](auto &, auto...) { return Grid{1}; }};
const Kernel<&total_kernel> total{
    .name = "total", .parameters = {"x", "total", "n"}, .grid = [](auto &, auto...) { return Grid{1}; }};

TILE_KERNEL_LIBRARY(tickets, total)
