// SPDX-License-Identifier: MIT
// Small kernels with inputs, that between them synchronise threads in every way that the compiler knows.
#pragma once

#include "compiler/host_code/simulator_code.h"
#include "runtime/simulator/simulation.h"

#include <tile/dsl.h>
#include <tile/simulator.h>

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace tile::simulator {

struct Shape {
  int rows = 32, columns = 32, inner = 32, programs = 1;
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

// Described blocks: partitioned into roles of copies and of products where the target has both. Several
// programs, so that one CTA runs some of them.

// b lies along K, or by rows.
template <class T, class R, bool AlongK>
void described(Ptr<const T> a, Ptr<const T> b, Ptr<R> c, Int k, const Shape &cfg) {
  const int rows = cfg.programs * cfg.rows;
  Int row = program_id(0) * cfg.rows;
  auto A = descriptor(a, {rows, k}, {k, 1}, {cfg.rows, cfg.inner});
  auto B = AlongK ? descriptor(b, {cfg.columns, k}, {k, 1}, {cfg.columns, cfg.inner})
                  : descriptor(b, {k, cfg.columns}, {cfg.columns, 1}, {cfg.inner, cfg.columns});
  auto C = descriptor(c, {rows, cfg.columns}, {cfg.columns, 1}, {cfg.rows, cfg.columns});
  auto acc = zeros<f32>({cfg.rows, cfg.columns});
  for (auto start : range(0, k, cfg.inner)) {
    auto x = A.load({row, start});
    auto y = AlongK ? trans(B.load({0, start})) : B.load({start, 0});
    acc = dot(x, y, acc);
  }
  C.store({row, 0}, cast<R>(acc));
}

// A loop in a loop, a branch around it, and a second ring; the result is stored by the threads.
inline void describedTwice(Ptr<const f16> a, Ptr<const f16> b, Ptr<f32> c, Int k, const Shape &cfg) {
  const int rows = cfg.programs * cfg.rows;
  Int row = program_id(0) * cfg.rows;
  auto A = descriptor(a, {rows, k}, {k, 1}, {cfg.rows, cfg.inner});
  auto B = descriptor(b, {k, cfg.columns}, {cfg.columns, 1}, {cfg.inner, cfg.columns});
  auto acc = zeros<f32>({cfg.rows, cfg.columns});
  for (auto round : range(0, 2)) {
    TILE_IF (program_id(0) / 2 % 2 == 0) {
      for (auto start : range(0, k - round * cfg.inner, cfg.inner))
        acc = dot(A.load({row, start}), B.load({start, 0}), acc);
    }
  }
  for (auto start : range(0, k, cfg.inner).stages(2))
    acc = dot(A.load({row, start}), B.load({start, 0}), acc);
  auto i = row + arange(0, cfg.rows), j = arange(0, cfg.columns);
  store(c + i(all, none) * cfg.columns + j(none, all), acc);
}

// Of three CTAs: the programs of each have 0, 0, 0, 3, 2, 1 and 3 blocks to multiply.
inline void describedSometimes(Ptr<const f16> a, Ptr<const f16> b, Ptr<f16> c, Int k, const Shape &cfg) {
  const int rows = cfg.programs * cfg.rows;
  Int row = program_id(0) * cfg.rows;
  auto A = descriptor(a, {rows, k}, {k, 1}, {cfg.rows, cfg.inner});
  auto B = descriptor(b, {k, cfg.columns}, {cfg.columns, 1}, {cfg.inner, cfg.columns});
  auto C = descriptor(c, {rows, cfg.columns}, {cfg.columns, 1}, {cfg.rows, cfg.columns});
  auto acc = zeros<f32>({cfg.rows, cfg.columns});
  Int earlier = program_id(0) / 3;
  for (auto start : range(0, minimum(k, earlier / 3 * (3 - earlier % 3) * cfg.inner), cfg.inner))
    acc = dot(A.load({row, start}), B.load({start, 0}), acc);
  C.store({row, 0}, cast<f16>(acc + 1.f));
}

// Each of two iterations describes half of the program's rows, and stores them. The launch makes maps with an
// anchor; if rows are `Narrower` in the second iteration, the program makes the maps.
template <bool Narrower>
void describedByPrograms(Ptr<const f16> a, Ptr<const f16> b, Ptr<f16> c, Int k, const Shape &cfg) {
  const int half = cfg.rows / 2;
  Int width = assume_range(k, 0, 1 << 20);
  Int64 pitch = cast<i64>(width);
  auto B = descriptor(b, {k, cfg.columns}, {cfg.columns, 1}, {cfg.inner, cfg.columns});
  for (auto round : range(0, 2).specialize_warps()) {
    Int row = program_id(0) * cfg.rows + round * half, less = Narrower ? round * 16 : 0;
    auto A = descriptor(assume_divisible(a + cast<i64>(row) * pitch, 16),
                        {half, assume_range(width - less, 0, 1 << 20)}, {pitch, 1}, {half, cfg.inner});
    auto acc = zeros<f32>({half, cfg.columns});
    for (auto start : range(0, k, cfg.inner))
      acc = dot(A.load({0, start}), B.load({start, 0}), acc);
    descriptor(assume_divisible(c + row * cfg.columns, 16), {half, cfg.columns - less}, {cfg.columns, 1},
               {half, cfg.columns})
        .store({0, 0}, cast<f16>(acc));
  }
}

// A kernel with a launch: what stands in the last buffer is its result.
struct Case {
  std::string name;
  KernelIR kernel;
  std::vector<std::vector<std::byte>> buffers;
  std::int32_t number;
  int programs = 1;
  std::string target = "sm_90";
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

template <class T, class R, auto Fn> Case roles_case(const std::string &name, Shape shape, int k) {
  Shape all = shape;
  all.rows *= shape.programs;
  Case result = product_case<T, R, Fn>(name, shape, k);
  result.buffers.front() = small_numbers<T>(static_cast<std::size_t>(all.rows * k), 1);
  result.buffers.back().resize(static_cast<std::size_t>(all.rows * all.columns) * sizeof(R));
  result.programs = shape.programs;
  result.target = "sm_90a";
  return result;
}

// Two groups take the programs in turn, with products on their way while the next slot is waited for. Rings
// that end a round within a program and somewhere in the next ones; a ring of one slot, whose products are
// awaited at once; two rings, one of them in a loop that some programs skip; programs without a product. So
// many programs that each group of each CTA has the turn several times.
inline std::vector<Case> ping_pong_corpus() {
  const auto launch = [](int stages) {
    return Launch{.num_warps = 4, .num_stages = stages, .ping_pong = true};
  };
  Shape ring{.rows = 64, .columns = 64, .inner = 32, .programs = 18, .launch = launch(3)};
  Shape one{.rows = 64, .columns = 32, .inner = 32, .programs = 18, .launch = launch(1)};
  Shape twice{.rows = 64, .columns = 32, .inner = 32, .programs = 18, .launch = launch(2)};
  Shape sometimes{.rows = 64, .columns = 32, .inner = 32, .programs = 21, .launch = launch(2)};
  std::vector<Case> cases;
  cases.push_back(roles_case<f16, f16, &described<f16, f16, false>>("in turn", ring, 160));
  cases.push_back(roles_case<bf16, f32, &described<bf16, f32, true>>("in turn, one slot", one, 96));
  cases.push_back(roles_case<f16, f32, &describedTwice>("in turn, two rings", twice, 192));
  cases.push_back(roles_case<f16, f16, &describedSometimes>("in turn, some without products", sometimes, 96));
  return cases;
}

inline std::vector<Case> roles_corpus() {
  Shape group{
      .rows = 64, .columns = 128, .inner = 32, .programs = 4, .launch = {.num_warps = 4, .num_stages = 3}};
  Shape groups{
      .rows = 128, .columns = 64, .inner = 32, .programs = 4, .launch = {.num_warps = 8, .num_stages = 2}};
  Shape twice{
      .rows = 64, .columns = 32, .inner = 32, .programs = 4, .launch = {.num_warps = 4, .num_stages = 3}};
  std::vector<Case> cases;
  cases.push_back(roles_case<f16, f16, &described<f16, f16, false>>("roles", group, 160));
  cases.push_back(roles_case<bf16, f32, &described<bf16, f32, true>>("roles, two groups", groups, 160));
  cases.push_back(roles_case<f16, f32, &describedTwice>("roles, two rings", twice, 128));
  Shape halves{
      .rows = 128, .columns = 64, .inner = 32, .programs = 4, .launch = {.num_warps = 4, .num_stages = 3}};
  cases.push_back(roles_case<f16, f16, &describedByPrograms<false>>("roles, anchored", halves, 160));
  cases.push_back(roles_case<f16, f16, &describedByPrograms<true>>("roles, own maps", halves, 160));
  for (Case &c : ping_pong_corpus())
    cases.push_back(std::move(c));
  return cases;
}

// Blocks that are loaded through pointers: all warps bring them to where a matrix unit reads them, if the
// target has one.

// b is computed from what is loaded, and put there.
template <class T, class R> void scaled(Ptr<const T> a, Ptr<const T> b, Ptr<R> c, Int k, const Shape &cfg) {
  auto i = arange(0, cfg.rows)[all, none], j = arange(0, cfg.columns)[none, all];
  auto acc = zeros<R>({cfg.rows, cfg.columns});
  for (auto start : range(0, k, cfg.inner)) {
    auto x = start + arange(0, cfg.inner);
    auto y = cast<T>(cast<f32>(load(b + x[all, none] * cfg.columns + j)) * 2.0f);
    acc = dot(load(a + i * k + x[none, all]), y, acc);
  }
  store(c + i * cfg.columns + j, acc);
}

// One block of a for two products, each with half of b.
template <class T, class R> void shared(Ptr<const T> a, Ptr<const T> b, Ptr<R> c, Int k, const Shape &cfg) {
  auto i = arange(0, cfg.rows)[all, none], j = arange(0, cfg.columns)[none, all];
  auto left = zeros<R>({cfg.rows, cfg.columns}), right = left;
  for (auto start : range(0, k, cfg.inner)) {
    auto x = start + arange(0, cfg.inner);
    auto block = load(a + i * k + x[none, all]);
    left = dot(block, load(b + x[all, none] * cfg.columns + j), left);
    right = dot(block, load(b + (k - cfg.inner - start + arange(0, cfg.inner))[all, none] * cfg.columns + j),
                right);
  }
  store(c + i * cfg.columns + j, left + right);
}

// What stays the same in the loop is read there each time; the second product has the first one's result in
// registers. Sums are whole numbers, so that all orders give the same.
template <class T, class R> void chain(Ptr<const T> a, Ptr<const T> b, Ptr<R> c, Int k, const Shape &cfg) {
  auto i = arange(0, cfg.rows)[all, none], j = arange(0, cfg.columns)[none, all];
  auto first = load(a + i * k + j);
  auto acc = zeros<R>({cfg.rows, cfg.columns});
  for (auto start : range(0, k, cfg.inner)) {
    auto rows = load(b + (start + arange(0, cfg.inner))[all, none] * cfg.columns + j);
    auto scores = dot(first, trans(rows));
    auto part = cast<T>(minimum(maximum(scores, -1.0f), 1.0f));
    acc = dot(part, rows, acc * 1.0f);
  }
  store(c + i * cfg.columns + j, acc);
}

// The same with the next step's scores made beside what becomes of this one's: two products are on their way
// through the whole iteration. After the last block there is no next step.
template <class T, class R> void chain_ahead(Ptr<const T> a, Ptr<const T> b, Ptr<R> c, Int k,
                                             const Shape &cfg) {
  auto i = arange(0, cfg.rows)[all, none], j = arange(0, cfg.columns)[none, all];
  auto first = load(a + i * k + j);
  auto rows_at = [&](const Int &start) {
    auto x = (start + arange(0, cfg.inner))[all, none];
    return load(b + x * cfg.columns + j, broadcast_to(x < k, {cfg.inner, cfg.columns}), 0);
  };
  auto scores = dot(first, trans(rows_at(0)));
  auto acc = zeros<R>({cfg.rows, cfg.columns});
  for (auto start : range(0, k, cfg.inner)) {
    auto next = dot(first, trans(rows_at(start + cfg.inner)));
    auto part = cast<T>(minimum(maximum(scores, -1.0f), 1.0f));
    acc = dot(part, rows_at(start), acc * 1.0f);
    scores = next;
  }
  store(c + i * cfg.columns + j, acc);
}

template <class T, class R, auto Fn = &product<T, R>>
Case shared_case(const std::string &name, Shape shape, int k) {
  Case result = product_case<T, R, Fn>(name, shape, k);
  result.target = "sm_90a";
  return result;
}
// A product that goes on while the next slot is waited for; one that threads copy beside; what is put there;
// rings of two products, one of which both read; a chain.
inline std::vector<Case> shared_corpus() {
  Shape ring{.rows = 128, .columns = 64, .inner = 32, .launch = {.num_warps = 8, .num_stages = 4}};
  Shape two{.rows = 128, .columns = 32, .inner = 32, .launch = {.num_warps = 8, .num_stages = 2}};
  Shape three{.rows = 128, .columns = 64, .inner = 32, .launch = {.num_warps = 8, .num_stages = 3}};
  std::vector<Case> cases;
  cases.push_back(shared_case<f16, f32>("shared, products in flight", ring, 192));
  cases.push_back(shared_case<bf16, f32>("shared, two stages", two, 96));
  cases.push_back(shared_case<f16, f32, &scaled<f16, f32>>("shared, computed", three, 128));
  cases.push_back(shared_case<f16, f32, &shared<f16, f32>>("shared, one operand twice", three, 128));
  cases.push_back(shared_case<f16, f32, &chain<f16, f32>>("shared, chain", three, 128));
  cases.push_back(shared_case<f16, f32, &chain_ahead<f16, f32>>("shared, chain ahead", three, 128));
  return cases;
}

inline std::vector<Case> corpus() {
  Shape deep{.rows = 64, .columns = 32, .inner = 32, .launch = {.num_warps = 4, .num_stages = 4}};
  Shape flat{.rows = 32, .columns = 64, .inner = 16, .launch = {.num_warps = 2, .num_stages = 2}};
  std::vector<Case> cases;
  cases.push_back(product_case<f16, f32>("three stages", {}, 160));
  cases.push_back(product_case<f16, f32>("four stages", deep, 192));
  cases.push_back(product_case<bf16, f32>("two stages", flat, 96));
  // Five steps and three slots: what is copied past the end lands where the result is rearranged.
  cases.push_back(product_case<i8, i32>("integers", {.inner = 64}, 320));
  cases.push_back(product_case<f16, f32, &products<f16, f32, true>>("two products", {}, 160));
  cases.push_back(tile_case<&turn, f32>("transpose", {}));
  cases.push_back(tile_case<&sums, f32>("sums", {}));
  cases.push_back(tile_case<&running, i32>("scan and sort", {.rows = 16}));
  for (Case &c : shared_corpus())
    cases.push_back(std::move(c));
  for (Case &c : roles_corpus())
    cases.push_back(std::move(c));
  return cases;
}

// The last buffer after a run; throws what the simulator finds.
inline std::vector<std::byte> run(const Case &c, const Program &program, SimulatorOptions options) {
  options.threads = 1;
  options.target = c.target;
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
  loadProgram(*device, {&program, [](const Program *) {}})->launch(Grid{c.programs}, arguments);
  std::vector<std::byte> result = c.buffers.back();
  device->copy_out(result.data(), addresses.back(), result.size());
  return result;
}

}   // namespace tile::simulator
