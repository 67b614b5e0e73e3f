// SPDX-License-Identifier: MIT
// Runs a kernel that writes 64 integers, and gives them back.
#pragma once

#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

#include <vector>

namespace tile::test {

struct Config {
  int block = 16;
  bool twice = false;
};

// The kernel is void(Ptr<i32> out, Int n, const Config &); `out` has -1 where nothing was written.
template <auto Fn>
std::vector<i32> run(int n = 7, Config config = {}, const char *device_name = "interpreter") {
  auto device = open_device(device_name);
  Buffer<i32> out(*device, std::vector<i32>(64, -1), "out");
  Kernel<Fn> kernel{.name = "kernel", .grid = [](auto &, auto...) { return Grid{}; }};
  kernel.with(config)(*device, out, n);
  device->synchronize();
  return out.to_host();
}

template <auto Fn> std::vector<i32> run_first(std::size_t count, int n = 7, Config config = {}) {
  std::vector<i32> all = run<Fn>(n, config);
  return {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)};
}

// What the kernel is traced to, without places.
template <auto Fn> std::string text(Config config = {}, std::vector<ArgClass> classes = {}) {
  return Kernel<Fn>{.name = "kernel"}.trace(config, classes, {.locations = false}).text({.locations = false});
}

inline std::size_t count(const std::string &text, const std::string &word) {
  std::size_t n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size()))
    ++n;
  return n;
}

}   // namespace tile::test
