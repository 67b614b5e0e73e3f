// SPDX-License-Identifier: MIT
// Small kernels with inputs, that between them synchronise threads in every way that the compiler knows.
#pragma once

#include "compiler/devices/simulator.h"
#include "compiler/devices/simulator_code.h"
#include "runtime/simulator/simulation.h"

#include <tile/dsl.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace tile::simulator {

struct Shape {
  int rows = 32, columns = 32, inner = 32;
  Launch launch{.num_warps = 4, .num_stages = 3};
};

template <class T, class R>
void product(Ptr<const T> a, Ptr<const T> b, Ptr<R> c, Int k, const Shape &cfg) {
  auto i = arange(0, cfg.rows)[all, none], j = arange(0, cfg.columns)[none, all];
  auto acc = zeros<R>({cfg.rows, cfg.columns});
  for (auto start : range(0, k, cfg.inner)) {
    auto x = start + arange(0, cfg.inner);
    acc = dot(load(a + i * k + x[none, all], x[none, all] < k),
              load(b + x[all, none] * cfg.columns + j, x[all, none] < k), acc);
  }
  store(c + i * cfg.columns + j, acc);
}

inline void turn(Ptr<const f32> x, Ptr<f32> y, Int, const Shape &cfg) {
  auto i = arange(0, cfg.rows), j = arange(0, cfg.columns);
  store(y + j[all, none] * cfg.rows + i[none, all],
        trans(load(x + i[all, none] * cfg.columns + j[none, all])));
}

inline void sums(Ptr<const f32> x, Ptr<f32> y, Int, const Shape &cfg) {
  auto i = arange(0, cfg.rows), j = arange(0, cfg.columns);
  auto tile = load(x + i[all, none] * cfg.columns + j[none, all]);
  store(y + i, sum(tile, 1));
  store(y + cfg.rows + j, sum(tile, 0));
  store(y + cfg.rows + cfg.columns + j, max(tile, 0));
}

inline void running(Ptr<const i32> x, Ptr<i32> y, Int, const Shape &cfg) {
  auto i = arange(0, cfg.rows * cfg.columns);
  auto v = load(x + i);
  store(y + i, cumsum(v, 0));
  store(y + cfg.rows * cfg.columns + i, sort(v));
}

// Two products, each with a channel of its own. Where the second one's place is known only when memory has
// been read, it has one slot, and the first as many as there are stages.
template <class T, class R, bool Known>
void products(Ptr<const T> a, Ptr<const T> b, Ptr<R> c, Int k, const Shape &cfg) {
  auto i = arange(0, cfg.rows)[all, none], j = arange(0, cfg.columns)[none, all];
  auto acc = zeros<R>({cfg.rows, cfg.columns}), other = zeros<R>({cfg.rows, cfg.columns});
  for (auto start : range(0, k, cfg.inner)) {
    auto x = start + arange(0, cfg.inner), y = k - cfg.inner - start + arange(0, cfg.inner);
    acc = dot(load(a + i * k + x[none, all]), load(b + x[all, none] * cfg.columns + j), acc);
    if constexpr (Known)
      other = dot(load(a + i * k + y[none, all]), load(b + y[all, none] * cfg.columns + j), other);
    else
      other = dot(load(a + i * k + y[none, all]),
                  load(b + cast<i32>(load(a + start) > 100) * 16 + y[all, none] * cfg.columns + j), other);
  }
  store(c + i * cfg.columns + j, acc + other);
}

// A kernel with a launch of one program: what stands in the last buffer is its result.
struct Case {
  std::string name;
  KernelIR kernel;
  std::vector<std::vector<std::byte>> buffers;
  std::int32_t number;
};

template <class T> std::vector<std::byte> small_numbers(std::size_t count, unsigned seed) {
  std::vector<std::byte> bytes(count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const T value = static_cast<T>(static_cast<float>(seed >> 16 & 7) - 3);
    std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

template <auto Fn> KernelIR traced(const Shape &shape, const std::string &name) {
  using enum ArgClass;
  static const Kernel<Fn> kernel{.name = "corpus", .grid = [](auto &, auto...) { return Grid{1}; }};
  (void)name;
  KernelIR probe = kernel.trace(shape);
  std::vector<ArgClass> classes(probe.parameters().size(), divisible_by_16);
  return kernel.trace(shape, classes);
}

template <class T, class R, auto Fn = &product<T, R>>
Case product_case(const std::string &name, Shape shape, int k) {
  return {name,
          traced<Fn>(shape, name),
          {small_numbers<T>(static_cast<std::size_t>(shape.rows * k), 1),
           small_numbers<T>(static_cast<std::size_t>(k * shape.columns), 2),
           std::vector<std::byte>(static_cast<std::size_t>(shape.rows * shape.columns) * sizeof(R))},
          k};
}
template <auto Fn, class T> Case tile_case(const std::string &name, Shape shape) {
  const auto count = static_cast<std::size_t>(shape.rows * shape.columns);
  return {name, traced<Fn>(shape, name), {small_numbers<T>(count, 3), std::vector<std::byte>(8 * count)}, 16};
}

inline std::vector<Case> corpus() {
  Shape deep{.rows = 64, .columns = 32, .inner = 32, .launch = {.num_warps = 4, .num_stages = 4}};
  Shape flat{.rows = 32, .columns = 64, .inner = 16, .launch = {.num_warps = 2, .num_stages = 2}};
  std::vector<Case> cases;
  cases.push_back(product_case<f16, f32>("three stages", {}, 160));
  cases.push_back(product_case<f16, f32>("four stages", deep, 192));
  cases.push_back(product_case<bf16, f32>("two stages", flat, 96));
  // Five steps and three slots: what is copied past the end lands where the result is turned around.
  cases.push_back(product_case<i8, i32>("integers", {.inner = 64}, 320));
  cases.push_back(product_case<f16, f32, &products<f16, f32, true>>("two products", {}, 160));
  cases.push_back(tile_case<&turn, f32>("transpose", {}));
  cases.push_back(tile_case<&sums, f32>("sums", {}));
  cases.push_back(tile_case<&running, i32>("scan and sort", {.rows = 16}));
  return cases;
}

// The last buffer after a run; throws what the simulator finds.
inline std::vector<std::byte> run(const Case &c, const Program &program, SimulatorOptions options) {
  options.threads = 1;
  options.print = [](std::string_view) {};
  const std::unique_ptr<Device> device = open_simulator(std::move(options));
  std::vector<Argument> arguments;
  std::vector<void *> addresses;
  for (const Parameter &parameter : c.kernel.parameters()) {
    if (!parameter.type.is_pointer()) {
      arguments.push_back({.type = parameter.type, .bits = static_cast<std::uint64_t>(c.number)});
      continue;
    }
    const auto &bytes = c.buffers[addresses.size()];
    addresses.push_back(device->allocate(bytes.size(), parameter.name));
    device->copy_in(addresses.back(), bytes.data(), bytes.size());
    arguments.push_back({.type = parameter.type, .bits = reinterpret_cast<std::uint64_t>(addresses.back())});
  }
  loadProgram(*device, {&program, [](const Program *) {}})->launch(Grid{1}, arguments);
  std::vector<std::byte> result = c.buffers.back();
  device->copy_out(result.data(), addresses.back(), result.size());
  return result;
}

}   // namespace tile::simulator
