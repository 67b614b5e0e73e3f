// SPDX-License-Identifier: MIT
// Ops that move elements, scan, count, update memory in one step and talk: each kernel is compiled and its
// PTX taken by the assembler. What they compute is the conformance suite's to see.
#include "assembles.h"

#include "compiler/analysis/layout_choice.h"
#include "compiler/analysis/layout_movement.h"

#include <tile/dsl.h>

namespace tile::codegen_test {
namespace {

struct Shapes {
  int rows = 8, columns = 32, axis = 0;
  bool reverse = false;
  Launch launch{.num_warps = 4};
};

template <class T> void pair_and_part(Ptr<const T> x, Ptr<T> y, const Shapes &cfg) {
  const int n = cfg.rows * cfg.columns;
  auto i = reshape(arange(0, n), {cfg.rows, cfg.columns});
  auto a = load(x + i), b = load(x + (i + n));
  auto both = reshape(join(a, b), {cfg.rows, 2 * cfg.columns});
  store(y + reshape(arange(0, 2 * n), {cfg.rows, 2 * cfg.columns}), both);
  auto [first, second] = split(join(b, a));
  store(y + (i + 2 * n), first);
  store(y + (i + 3 * n), second);
  store(y + (i + 4 * n), flip(a, 0));
  store(y + (i + 5 * n), flip(b, 1));
  store(y + (reshape(arange(0, n), {2, n / 2}) + 6 * n), reshape(a, {2, n / 2}));
}
template <class T> const Kernel<&pair_and_part<T>> pairing{.name = "pair_and_part",
                                                           .grid = [](auto &, auto...) { return Grid{1}; }};

// Scalars become a tile of two, a tile of two scalars.
void scalar_pairs(Ptr<const f32> x, Ptr<f32> y, const Shapes &) {
  store(y + arange(0, 2), join(load(x), load(x + 1)));
  auto [a, b] = split(load(x + arange(0, 2)));
  store(y + 2, a - b);
  store(y + 3 + arange(0, 2), join(full<f32>({}, 3.0f), full<f32>({}, 5.0f)));
}
const Kernel<&scalar_pairs> scalar_pairing{.name = "scalar_pairs",
                                           .grid = [](auto &, auto...) { return Grid{1}; }};

void rename_registers(Ptr<const f32> x, Ptr<f32> y, const Shapes &cfg) {
  const int n = cfg.rows * cfg.columns;
  auto i = reshape(arange(0, n), {cfg.rows, cfg.columns}), j = arange(0, n);
  auto a = load(x + i), b = load(x + (i + n));
  auto [sums, products] = split(join(a + b, a * b) + 1.0f);
  store(y + i, sums * products);
  store(y + (j + n), ravel(a));
}
const Kernel<&rename_registers> renaming{.name = "rename_registers",
                                         .grid = [](auto &, auto...) { return Grid{1}; }};

template <class T> void sort_rows(Ptr<const T> x, Ptr<T> y, const Shapes &cfg) {
  auto i = reshape(arange(0, cfg.rows * cfg.columns), {cfg.rows, cfg.columns});
  store(y + i, sort(load(x + i)));
}
template <class T> const Kernel<&sort_rows<T>> sorting{.name = "sort_rows",
                                                       .grid = [](auto &, auto...) { return Grid{1}; }};

void count_values(Ptr<const i32> x, Ptr<const i1> m, Ptr<i32> y, const Shapes &cfg) {
  auto i = arange(0, cfg.columns);
  store(y + arange(0, cfg.rows), histogram(load(x + i), cfg.rows, load(m + i)));
}
const Kernel<&count_values> counting{.name = "count_values", .grid = [](auto &, auto...) { return Grid{1}; }};

template <class T> void scan_tile(Ptr<const T> x, Ptr<T> y, const Shapes &cfg) {
  auto i = reshape(arange(0, cfg.rows * cfg.columns), {cfg.rows, cfg.columns});
  auto v = load(x + i);
  Reverse reverse = cfg.reverse ? Reverse::yes : Reverse::no;
  auto [scale, shift] = associative_scan(
      std::tuple{v, v}, cfg.axis,
      [](auto p, auto q) {
        auto [pa, pb] = p;
        auto [qa, qb] = q;
        return std::tuple{pa * qa, pb * qa + qb};
      },
      reverse);
  store(y + i, shift);
}
template <class T> const Kernel<&scan_tile<T>> scanning{.name = "scan_tile",
                                                        .grid = [](auto &, auto...) { return Grid{1}; }};

template <class T> void reduce_everything(Ptr<const T> x, Ptr<T> y, Ptr<i32> where_, const Shapes &cfg) {
  auto v = load(x + reshape(arange(0, cfg.rows * cfg.columns), {cfg.rows, cfg.columns}));
  store(y, max(v, all_axes));
  auto [best, index] = max_with_index(v, cfg.axis);
  auto i = arange(0, cfg.axis == 0 ? cfg.columns : cfg.rows);
  store(y + 1 + i, best);
  store(where_ + i, index);
}
template <class T> const Kernel<&reduce_everything<T>> reducing{
    .name = "reduce_everything", .grid = [](auto &, auto...) { return Grid{1}; }};

struct Atomics {
  Order order = Order::acq_rel;
  Scope scope = Scope::gpu;
  int elements = 128;
  Launch launch{.num_warps = 4};
};

// Every update of the type, of tiles and scalars; old values of some.
template <class T> void update_memory(Ptr<T> x, Ptr<T> y, const Atomics &cfg) {
  auto i = arange(0, cfg.elements);
  auto v = load(y + i);
  auto one = load(y);
  store(y + i, atomic_add(x + i, v, i % 3 == 0, cfg.order, cfg.scope));
  store(y + 1, atomic_add(x, one, cfg.order, cfg.scope));
  if constexpr (sizeof(T) >= 4) {
    atomic_max(x + i, v, cfg.order, cfg.scope);
    store(y + i, atomic_min(x + i, v, cfg.order, cfg.scope));
    atomic_xchg(x, one, cfg.order, cfg.scope);
    if constexpr (std::is_integral_v<T>) {
      atomic_and(x + i, v, cfg.order, cfg.scope);
      atomic_or(x, one, cfg.order, cfg.scope);
      store(y + i, atomic_xor(x + i, v, i < 5, cfg.order, cfg.scope));
    }
  }
  store(y + i, atomic_cas(x + i, v, v + v, cfg.order, cfg.scope));
  store(y + 2, atomic_cas(x, one, one, cfg.order, cfg.scope));
}
template <class T> const Kernel<&update_memory<T>> updating{.name = "update_memory",
                                                            .grid = [](auto &, auto...) { return Grid{1}; }};

void locked(Ptr<i32> lock, Ptr<i32> cells, const Atomics &cfg) {
  Int seen = atomic_cas(lock, 0, 1, Order::acquire);
  while_([&] { return seen != 0; }, [&] { seen = atomic_cas(lock, 0, 1, Order::acquire); });
  auto i = arange(0, cfg.elements);
  store(cells + i, load(cells + i) + 1);
  barrier();
  atomic_xchg(lock, 0, Order::release);
}
const Kernel<&locked> locking{.name = "locked", .grid = [](auto &, auto...) { return Grid{1}; }};

void talk(Ptr<const i32> x, Ptr<const f16> y, Ptr<i32> z, const Shapes &cfg) {
  auto i = reshape(arange(0, cfg.rows * cfg.columns), {cfg.rows, cfg.columns});
  auto v = load(x + i);
  print("100% of it", v, load(y + i), program_id(0));
  print_hex("bits", v, load(y));
  device_assert(v >= 0, "not negative", i % 2 == 0);
  device_assert(load(x) >= 0, "the first is not negative");
  assume(v < 100);
  assume(program_id(1) == 0);
  store(z + i, v);
}
const Kernel<&talk> talking{.name = "talk", .grid = [](auto &, auto...) { return Grid{1}; }};

template <class T> void print_values(Ptr<const T> x, const Shapes &) {
  print("tile", load(x + arange(0, 4)), x + arange(0, 4));
  print("scalar", load(x), x);
  print_hex("bits", load(x));
  print("nothing");
}
template <class T> const Kernel<&print_values<T>> printing{.name = "print_values",
                                                           .grid = [](auto &, auto...) { return Grid{1}; }};

const std::vector<std::string> Both{"sm_80", "sm_90"};

TEST(Movement, PairsPartsAndRegroups) {
  for (int warps : {1, 4})
    for (auto [rows, columns] : {std::pair{8, 16}, {1, 64}, {96, 2}, {6, 12}}) {
      Shapes cfg{.rows = rows, .columns = columns, .launch = {.num_warps = warps}};
      expect_ptx(pairing<f16>.trace(cfg), Both);
    }
  expect_ptx(pairing<i8>.trace({}), Both);
  expect_ptx(pairing<i1>.trace({}), Both);
  expect_ptx(pairing<e4m3>.trace({}), Both);
  expect_ptx(pairing<f64>.trace({}), Both);
  expect_ptx(scalar_pairing.trace({}), Both);
}

TEST(Movement, SortsAndCounts) {
  expect_ptx(sorting<f16>.trace({.rows = 4, .columns = 32}), Both);
  expect_ptx(sorting<i32>.trace({.rows = 1, .columns = 1}), Both);
  for (int bins : {2, 512})
    expect_ptx(counting.trace({.rows = bins, .columns = 256}), Both);
}

TEST(Movement, Scans) {
  for (int axis : {0, 1})
    for (bool reverse : {false, true})
      for (auto [rows, columns] : {std::pair{2, 256}, {64, 4}, {6, 24}})
        expect_ptx(scanning<f32>.trace({.rows = rows, .columns = columns, .axis = axis, .reverse = reverse}),
                   {"sm_90"});
  expect_ptx(scanning<bf16>.trace({.rows = 1, .columns = 1024, .axis = 1, .launch = {.num_warps = 16}}),
             Both);
}

TEST(Movement, Reduces) {
  for (int axis : {0, 1})
    for (auto [rows, columns] : {std::pair{1, 1}, {1, 3}, {48, 5}, {2, 128}})
      for (int warps : {1, 8})
        expect_ptx(reducing<f32>.trace(
                       {.rows = rows, .columns = columns, .axis = axis, .launch = {.num_warps = warps}}),
                   {"sm_90"});
  expect_ptx(reducing<i8>.trace({}), Both);
  expect_ptx(reducing<bf16>.trace({}), Both);
  expect_ptx(reducing<f64>.trace({.launch = {.num_warps = 32}}), Both);
}

TEST(Atomics, UpdateMemory) {
  for (Order order : {Order::relaxed, Order::acquire, Order::release, Order::acq_rel})
    for (int elements : {1, 128, 512}) {
      expect_ptx(updating<i32>.trace({order, Scope::gpu, elements}), Both);
      expect_ptx(updating<f32>.trace({order, Scope::cta, elements}), Both);
      expect_ptx(updating<bf16>.trace({order, Scope::sys, elements}), Both);
    }
  expect_ptx(updating<u32>.trace({}), Both);
  expect_ptx(updating<i64>.trace({}), Both);
  expect_ptx(updating<u64>.trace({}), Both);
  expect_ptx(updating<f16>.trace({}), Both);
  expect_ptx(updating<f64>.trace({}), Both);
  expect_ptx(locking.trace({}), Both);
}

TEST(Movement, OnEveryTarget) {
  const std::vector<std::string> all = {"sm_80",   "sm_86",   "sm_89",  "sm_90",   "sm_90a",
                                        "sm_100a", "sm_103a", "sm_100", "sm_120a", "sm_120"};
  expect_ptx(pairing<f16>.trace({}), all);
  expect_ptx(scanning<f32>.trace({}), all);
  expect_ptx(counting.trace({}), all);
  expect_ptx(updating<bf16>.trace({}), all);
  expect_ptx(updating<f64>.trace({.scope = Scope::sys}), all);
  expect_ptx(talking.trace({}), all);
}

// A range seen as a matrix is computed in place, and pairs that are parted again never moved.
TEST(Movement, RenamesRegistersWhereItCan) {
  std::string ptx = expect_ptx(renaming.trace({}), {"sm_90"});
  EXPECT_EQ(ptx.find("bar.sync"), std::string::npos) << ptx;
}

TEST(Diagnostics, Talk) {
  for (auto [rows, columns] : {std::pair{1, 4}, {8, 16}}) {
    std::string ptx = expect_ptx(talking.trace({.rows = rows, .columns = columns}), Both);
    EXPECT_NE(ptx.find("tile_prints"), std::string::npos) << ptx;
    EXPECT_EQ(ptx.find("vprintf"), std::string::npos) << ptx;
    EXPECT_NE(ptx.find("tile_fault"), std::string::npos) << ptx;
    EXPECT_NE(ptx.find("exit;"), std::string::npos) << ptx;
  }
}

TEST(Diagnostics, PrintEveryType) {
  expect_ptx(printing<i1>.trace({}), Both);
  expect_ptx(printing<u8>.trace({}), Both);
  expect_ptx(printing<i16>.trace({}), Both);
  expect_ptx(printing<u64>.trace({}), Both);
  expect_ptx(printing<f16>.trace({}), Both);
  expect_ptx(printing<bf16>.trace({}), Both);
  expect_ptx(printing<f32>.trace({}), Both);
  expect_ptx(printing<f64>.trace({}), Both);
}

std::int64_t row_major(const std::vector<std::int64_t> &coordinates, const layout::Shape &shape) {
  std::int64_t number = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    number = number * shape[axis] + coordinates[axis];
  return number;
}

TEST(LayoutMovement, KeepsEveryElementWhereItIs) {
  using layout::Shape;
  struct Case {
    Shape from, to;
    bool possible = true;
  };
  for (const Case &c : {Case{{128}, {8, 16}},
                        {{8, 16}, {128}},
                        {{4, 8, 16}, {32, 2, 8}},
                        {{96}, {6, 16}},
                        {{6, 16}, {3, 32}},
                        {{8, 12, 4}, {2, 4, 48}},
                        {{16, 1, 24}, {16, 24, 1}},
                        {{1}, {1, 1, 1}},
                        {{2, 96}, {192}, false},
                        {{96, 2}, {6, 32}},
                        {{4, 6}, {6, 4}, false}})
    for (unsigned warps : {1u, 4u}) {
      layout::TileLayout from = defaultLayout(c.from, warps);
      auto to = reshapeLayout(from, c.to);
      ASSERT_EQ(to.has_value(), c.possible);
      if (!to)
        continue;
      ASSERT_EQ(to->shape(), c.to);
      ASSERT_EQ(to->places(), from.places());
      for (std::int64_t reg = 0; reg < from.places(); ++reg)
        for (std::uint64_t lane = 0; lane < 32; ++lane)
          for (std::uint64_t warp = 0; warp < warps; ++warp)
            ASSERT_EQ(row_major(from.coordinates({reg, lane, warp}), c.from),
                      row_major(to->coordinates({reg, lane, warp}), c.to));

      layout::TileLayout pairs = joinLayout(from);
      ASSERT_EQ(pairs.places(), 2 * from.places());
      for (std::int64_t reg = 0; reg < pairs.places(); ++reg)
        for (std::uint64_t lane : {0u, 5u, 31u}) {
          auto expected = from.coordinates({reg / 2, lane, warps - 1});
          expected.push_back(reg % 2);
          ASSERT_EQ(pairs.coordinates({reg, lane, warps - 1}), expected);
        }
      ASSERT_EQ(layout::slice(pairs, pairs.rank() - 1), from);
    }
}

}   // namespace
}   // namespace tile::codegen_test
