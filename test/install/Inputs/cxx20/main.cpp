// SPDX-License-Identifier: MIT
// A program that stays with C++20.
#include <tile/devices.h>
#include <tile/dsl.h>

#include <cstdio>
#include <vector>

static_assert(__cplusplus < 202100L, "it was asked for C++20");

using namespace tile;

struct Config {
  int n = 8;
};
void table(Ptr<i32> out, const Config &cfg) {
  auto i = arange(0, cfg.n);
  store(out + (i(all, none) * cfg.n + i(none, all)), i(all, none) * i(none, all));
}
const Kernel<&table> kernel{.name = "table", .grid = [](auto &, auto) { return Grid{}; }};

int main() {
  auto device = open_device("interpreter");
  std::vector<i32> products(64);
  kernel(*device, std::span(products));
  std::printf("%d\n", products[63]);   // 49
}
