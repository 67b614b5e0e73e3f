// SPDX-License-Identifier: MIT
// Mistakes that only a run shows. The program prints the reports of some; the library shows kernels to
// `tile`.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>
#include <tile/library.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace tile;

struct Config {
  int block = 128;
};

void racing_kernel(Ptr<const f32> x, Ptr<f32> total, Int n, const Config &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  auto part = sum(load(x + i, i < n), 0);
  store(total, load(total) + part);
}
const Kernel<&racing_kernel> racing{
    .name = "racing", .parameters = {"x", "total", "n"}, .grid = [](auto &cfg, auto, auto, int n) {
      return Grid{cdiv(n, cfg.block)};
    }};

void endless_kernel(Ptr<i32> y, Int n, const Config &) {
  Int x = n;
  while_([&] { return x != 1; }, [&] { x = where(x % 2 == 0, x / 2, x * 3 + 2); });
  store(y, x);
}
const Kernel<&endless_kernel> endless{
    .name = "endless", .parameters = {"y", "n"}, .grid = [](auto &, auto, int) { return Grid{1}; }};

void weights_kernel(Ptr<const f32> x, Ptr<f32> y, Int n, const Config &cfg) {
  auto i = arange(0, cfg.block);
  auto v = load(x + i, i < n, -INFINITY);
  auto e = exp(v - max(v, 0));
  device_assert(!isnan(e), "a weight is not a number", i < n);
  store(y + i, e, i < n);
}
const Kernel<&weights_kernel> weights{.name = "weights",
                                      .parameters = {"x", "y", "n"},
                                      .grid = [](auto &, auto, auto, int) { return Grid{1}; }};

void printing_kernel(Ptr<const f32> x, Int n, const Config &cfg) {
  auto i = arange(0, cfg.block);
  auto e = exp(load(x + i, i < n, -INFINITY));
  print("sum", sum(e, 0));
}
const Kernel<&printing_kernel> printing{
    .name = "printing", .parameters = {"x", "n"}, .grid = [](auto &, auto, int) { return Grid{1}; }};

TILE_KERNEL_LIBRARY(racing, endless)

template <class Action> void show(const char *name, Action action) {
  std::printf("== %s\n", name);
  try {
    action();
  } catch (const Error &e) {
    std::printf("%s\n", e.what());
  }
}

int main() {
  auto device = open_device("interpreter");
  Buffer<f32> y(*device, 100, "y");
  show("printed", [&] {
    std::vector<f32> values(100);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<f32>(i) / 100 - 1;
    printing(*device, Buffer<f32>(*device, values, "x"), 100);
  });
  show("nan", [&] {
    Buffer<f32> x(*device, std::vector<f32>(100, -INFINITY), "x");
    weights(*device, x, y, 100);
  });
  setenv("TILE_CHECK", "all", 1);   // as on the command line, before a device is opened
  auto checking = open_device("interpreter");
  Buffer<f32> z(*checking, 100, "y");
  show("unwritten", [&] {
    Buffer<f32> x(*checking, 100, "x");
    weights(*checking, x, z, 100);
  });
}
