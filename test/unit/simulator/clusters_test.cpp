// SPDX-License-Identifier: MIT
// The CTAs of a cluster that share a program's tiles (`num_ctas` above 1, no products): what the interpreter
// gives, in any order of threads.
#include <tile/buffer.h>
#include <tile/dsl.h>
#include <tile/interpreter.h>
#include <tile/simulator.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>

namespace tile::simulator {
namespace {

constexpr int programs = 7;   // more than run at once, and not a multiple
constexpr int size = 512;

struct Config {
  Launch launch{};
};

// y, and x behind it.
template <class T> std::vector<T> result(Device &device, const auto &kernel, const Config &config) {
  std::vector<T> numbers(std::size_t{programs} * size);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<T>(static_cast<i32>((i * 7919) % 1009) - 300);
  Buffer<T> x(device, numbers, "x"), y(device, std::vector<T>(std::size_t{programs} * size), "y");
  kernel.launch_with(config, OnDevice(device), x, y);
  std::vector<T> all = y.to_host();
  std::ranges::copy(x.to_host(), std::back_inserter(all));
  return all;
}

template <auto Fn> const Kernel<Fn> kernel{.name = "shared_program",
                                           .parameters = {"x", "y"},
                                           .grid = [](auto &, auto...) { return Grid{programs}; }};

// On two, four and sixteen CTAs, of one warp and of several.
template <auto Fn, class T = i32> void check() {
  const std::unique_ptr<Device> interpreter = open_interpreter();
  const std::vector<T> expected = result<T>(*interpreter, kernel<Fn>, {});
  for (const auto &[warps, ctas] : {std::pair(4, 2), {1, 4}, {2, 16}})
    for (unsigned seed = 0; seed < 4; ++seed) {
      SimulatorOptions options{.target = "sm_90", .check_uninitialized = true, .check_races = true};
      if (seed != 0)
        options.schedule_seed = seed;
      const std::unique_ptr<Device> device = open_simulator(options);
      EXPECT_EQ(result<T>(*device, kernel<Fn>, {{.num_warps = warps, .num_ctas = ctas}}), expected)
          << warps << " warps, " << ctas << " CTAs, seed " << seed;
    }
}

void less_its_sum(Ptr<i32> x, Ptr<i32> y, const Config &) {
  auto i = program_id(0) * size + arange(0, size);
  auto v = load(x + i);
  store(y + i, v - sum(v, 0));
}
TEST(Clusters, SumOfARow) { check<less_its_sum>(); }

// The elements of a row meet in their order: f(a, b) = 3 a + b is not associative, but first and last are.
void first_and_last(Ptr<i32> x, Ptr<i32> y, const Config &) {
  auto row = program_id(0) * size;
  auto v = load(x + row + arange(0, size));
  store(y + row, reduce(v, 0, [](const Int &first, const Int &) { return first; }));
  store(y + row + 1, reduce(v, 0, [](const Int &, const Int &last) { return last; }));
}
TEST(Clusters, OrderOfARow) { check<first_and_last>(); }

void where_is_the_largest(Ptr<i32> x, Ptr<i32> y, const Config &) {
  auto row = program_id(0) * size;
  auto v = load(x + row + arange(0, size));
  store(y + row, argmax(v, 0));
  store(y + row + 1, argmin(v, 0));
}
TEST(Clusters, PlaceOfTheLargest) { check<where_is_the_largest>(); }

// Exchanges of one loop use the same shared memory again and again.
void sums_so_far(Ptr<i32> x, Ptr<i32> y, const Config &) {
  constexpr int block = 64;
  auto row = program_id(0) * size;
  Int total = 0, largest = 0;
  for (auto begin : range(0, size, block)) {
    auto v = load(x + row + begin + arange(0, block));
    total += sum(v, 0);
    largest = maximum(largest, max(v, 0));
    store(y + row + begin + arange(0, block), v * total - largest);
  }
}
TEST(Clusters, SumsInALoop) { check<sums_so_far>(); }

// Rows of a tile: sums along one axis are combined, and those along the other are each CTA's own.
void both_axes(Ptr<i32> x, Ptr<i32> y, const Config &) {
  auto row = program_id(0) * size;
  auto i = arange(0, 8), j = arange(0, 64);
  auto at = i(all, none) * 64 + j(none, all);
  auto v = load(x + row + at);
  store(y + row + at, v - sum(v, 1)(all, none) * 3 + sum(v, 0)(none, all));
}
TEST(Clusters, TwoAxes) { check<both_axes>(); }

// Elements of other CTAs are read back behind a barrier.
void reversed(Ptr<i32> x, Ptr<i32> y, const Config &) {
  auto row = program_id(0) * size;
  auto i = arange(0, size);
  store(y + row + i, load(x + row + i) + 1);
  barrier();
  auto back = load(y + row + (size - 1 - i));
  barrier();
  store(y + row + i, back - sum(back, 0));
}
TEST(Clusters, BarrierOfAllCtas) { check<reversed>(); }

// The next row is loaded before this one is stored over itself; the weights of all rows are loaded once.
template <class T> void weighted_in_place(Ptr<T> x, Ptr<T>, const Config &) {
  auto i = arange(0, size);
  auto row = program_id(0) * size;
  auto v = load(x + row + i);
  auto weights = load(x + i);
  store(x + row + i, v * weights - max(v, 0), (i >= 0) & (program_id(0) > 0));   // the first stays
}
TEST(Clusters, NextRowInPlace) { check<weighted_in_place<i32>>(); }
TEST(Clusters, NextRowInWords) { check<weighted_in_place<i16>, i16>(); }
TEST(Clusters, NextRowInBytes) { check<weighted_in_place<i8>, i8>(); }

// A program sees what it has stored itself, and not what it loaded before that.
void loads_what_it_stored(Ptr<i32> x, Ptr<i32> y, const Config &) {
  auto i = program_id(0) * size + arange(0, size);
  auto v = load(x + i);
  store(x + i, v - sum(v, 0));
  store(y + i, load(x + i) + 1);
}
TEST(Clusters, LoadBehindAStore) { check<loads_what_it_stored>(); }

// What has no such axis is added once, and not by each CTA.
void counted(Ptr<i32> x, Ptr<i32> y, const Config &) {
  auto row = program_id(0) * size;
  auto v = load(x + row + arange(0, size));
  atomic_add(y + row, sum(v, 0));
  atomic_add(y + row + 1 + arange(0, 4), load(x + row + arange(0, 4)));
  atomic_add(y + row + 8 + arange(0, 256), load(x + row + arange(0, 256)));
}
TEST(Clusters, AtomicsOfOneCta) { check<counted>(); }

void in_a_branch(Ptr<i32> x, Ptr<i32> y, const Config &) {
  auto row = program_id(0) * size;
  auto i = row + arange(0, size);
  auto v = load(x + i);
  Int total = sum(v, 0);
  TILE_IF (total % 2 == 0) {
    v = v - max(v, 0);
  }
  store(y + i, v);
}
TEST(Clusters, SumInABranch) { check<in_a_branch>(); }

}   // namespace
}   // namespace tile::simulator
