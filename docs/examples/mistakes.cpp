// SPDX-License-Identifier: MIT
// Common mistakes. The program prints the error message of each.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <cstdio>

using namespace tile;

struct Config {
  int m = 128, n = 64;
};

void shapes(Ptr<f32> p, Int row, const Config &cfg) {
  auto rows = arange(0, cfg.m), columns = arange(0, cfg.n);
  store(p + (rows * row + columns), 0.0f);
}

void carried(Ptr<f32> p, Int n, const Config &cfg) {
  auto acc = zeros<f32>({cfg.m, cfg.n});
  for (auto i : range(n))
    acc = sum(acc, 1) + cast<f32>(i);
  store(p, sum(acc, all_axes));
}

void leaves(Ptr<i32> p, Int n, const Config &) {
  for (auto i : range(n)) {
    store(p + i, i);
    break;
  }
}

void unmasked(Ptr<f32> p, Int /*n*/, const Config &cfg) {
  auto i = program_id(0) * cfg.m + arange(0, cfg.m);
  store(p + i, cast<f32>(i));   // forgot `i < n`
}
const Kernel<&unmasked> fill{
    .name = "fill",
    .parameters = {"p", "n"},
    .grid = [](auto &cfg, auto, int n) { return Grid{cdiv(n, cfg.m)}; },
};

template <class Action> void show(const char *name, Action action) {
  try {
    action();
    std::printf("== %s\nno error\n", name);
  } catch (const Error &e) {
    std::printf("== %s\n%s\n", name, e.what());
  }
}

int main() {
  show("shapes", [] { Kernel<&shapes>{.name = "shapes"}.trace({}); });
  show("carried", [] { Kernel<&carried>{.name = "carried"}.trace({}); });
  show("leaves", [] { Kernel<&leaves>{.name = "leaves"}.trace({}); });
  show("unmasked", [] {
    auto device = open_device("interpreter");
    Buffer<f32> p(*device, 1000, "p");
    fill(*device, p, 1000);
  });
}
