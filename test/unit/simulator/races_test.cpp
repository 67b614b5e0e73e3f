// SPDX-License-Identifier: MIT
// Programs of one launch that meet in global memory: reported where nothing orders them and the bytes show
// it.
#include <tile/simulator.h>

#include <tile/buffer.h>
#include <tile/dsl.h>

#include <gmock/gmock.h>

#include <numeric>

namespace tile::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Narrow {
  Launch launch{.num_warps = 1};
};

// What a launch of four programs on x, 64 numbers from 0 on, and y, zeros, says.
template <auto Fn> std::string message(const SimulatorOptions &options) {
  const std::unique_ptr<Device> device = open_simulator(options);
  std::vector<i32> numbers(64);
  std::iota(numbers.begin(), numbers.end(), 0);
  Buffer<i32> x(*device, numbers, "x"), y(*device, std::vector<i32>(64), "y");
  const Kernel<Fn> kernel{
      .name = "meeting", .parameters = {"x", "y"}, .grid = [](auto &, auto...) { return Grid{4}; }};
  try {
    kernel(*device, x, y);
  } catch (const Error &error) {
    return error.what();
  }
  return "nothing";
}
template <auto Fn> std::string checked(int threads = 1) {
  return message<Fn>({.threads = threads, .check_races = true});
}

void all_store(Ptr<i32> x, Ptr<i32>, const Narrow &) { store(x + 7, program_id(0)); }
void a_read_one_is_stored(Ptr<i32> x, Ptr<i32> y, const Narrow &) {
  Int me = program_id(0);
  Int other = load(x + 3);
  store(y + me, other);
  store(x + me, me + 10);
}
void a_stored_one_is_read(Ptr<i32> x, Ptr<i32> y, const Narrow &) {
  Int me = program_id(0);
  store(x + me + 1, me + 10);
  barrier();
  store(y + me, load(x + me));
}
void tiles_overlap(Ptr<i32>, Ptr<i32> y, const Narrow &) {
  Int me = program_id(0);
  store(y + me * 15 + arange(0, 16), me);
}

TEST(Races, OfStores) {
  EXPECT_THAT(checked<&all_store>(),
              AllOf(HasSubstr("error: store writes element 7 of `x`, which program (0, 0, 0) stores with "
                              "another value; nothing orders the two: a race between programs"),
                    HasSubstr("races_test.cpp:42"), HasSubstr("note: that program stores it here"),
                    HasSubstr("program (1, 0, 0), thread 0"), HasSubstr("kernel meeting"),
                    HasSubstr("help: let only one program store each element")));
  EXPECT_THAT(checked<&tiles_overlap>(),
              AllOf(HasSubstr("element 15 of `y`, which program (0, 0, 0) stores with another value"),
                    HasSubstr("races_test.cpp:57")));
}
void boxes_overlap(Ptr<i32> x, Ptr<i32> y, const Narrow &) {
  Int me = program_id(0);
  auto out = descriptor(y, {2, 32}, {32, 1}, {1, 32});
  auto in = descriptor(x, {2, 32}, {32, 1}, {1, 32});
  out.store({me / 2, 0}, in.load({me % 2, 0}));
}
void a_box_is_read(Ptr<i32> x, Ptr<i32> y, const Narrow &) {
  Int me = program_id(0);
  auto in = descriptor(x, {2, 32}, {32, 1}, {1, 32});
  store(y + me, sum(in.load({me % 2, 0}), all_axes));
  store(x + me + 40, -1);
}
TEST(Races, OfBoxes) {
  EXPECT_THAT(checked<&boxes_overlap>(),
              AllOf(HasSubstr("of `y`, which program (0, 0, 0) stores with another value; nothing orders"),
                    HasSubstr("note: that program stores it here")));
  EXPECT_THAT(checked<&a_box_is_read>(),
              AllOf(HasSubstr("of `x`, which program ("), HasSubstr("a race between programs")));
}
// The engine that copies boxes stores them, too: what they are is known when they land.
struct Products {
  Launch launch{.num_warps = 4};
};
void products_overlap(Ptr<const f16> a, Ptr<const f16> b, Ptr<f16> c, Int m, const Products &) {
  const auto A = descriptor(a, {m, 128}, {128, 1}, {64, 64}), B = descriptor(b, {128, 64}, {64, 1}, {64, 64});
  auto acc = zeros<f32>({64, 64});
  for (auto k : range(0, 128, 64))
    acc = dot(A.load({program_id(0) * 64, k}), B.load({k, 0}), acc);
  descriptor(c, {64, 64}, {64, 1}, {64, 64}).store({0, 0}, cast<f16>(acc));
}
TEST(Races, OfBoxesOfProducts) {
  const std::unique_ptr<Device> device = open_simulator({.threads = 1, .check_races = true});
  std::vector<f16> rows(std::size_t{128} * 128), ones(std::size_t{128} * 64, f16(1.0f));
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] = f16(i < rows.size() / 2 ? 1.0f : 2.0f);
  Buffer<f16> a(*device, rows, "a"), b(*device, ones, "b"), c(*device, std::vector<f16>(64 * 64), "c");
  const Kernel<&products_overlap> kernel{.name = "products",
                                         .parameters = {"a", "b", "c", "m"},
                                         .grid = [](auto &, auto...) { return Grid{2}; }};
  std::string found = "nothing";
  try {
    kernel(*device, a, b, c, 128);
  } catch (const Error &error) {
    found = error.what();
  }
  // Whichever of the two comes first.
  EXPECT_THAT(found,
              AllOf(HasSubstr("element 0 of `c`, which program ("), HasSubstr("stores with another value"),
                    HasSubstr("program (0, 0, 0)"), HasSubstr("program (1, 0, 0)")));
}
TEST(Races, OfLoadsAndStores) {
  EXPECT_THAT(checked<&a_read_one_is_stored>(),
              AllOf(HasSubstr("error: store writes element 3 of `x`, which program ("),
                    HasSubstr("reads as it was before"), HasSubstr("races_test.cpp:47"),
                    HasSubstr("note: that program reads it here"), HasSubstr("races_test.cpp:45")));
  EXPECT_THAT(checked<&a_stored_one_is_read>(),
              AllOf(HasSubstr("error: load reads element 1 of `x`, which program (0, 0, 0) stores in the "
                              "same launch"),
                    HasSubstr("races_test.cpp:53"), HasSubstr("races_test.cpp:51")));
}
TEST(Races, AreLookedForWhereThatIsAsked) {
  EXPECT_EQ(message<&all_store>({.threads = 1}), "nothing");
  EXPECT_EQ(message<&a_stored_one_is_read>({.threads = 1}), "nothing");
}

// ---- programs without races

void the_same_value(Ptr<i32> x, Ptr<i32> y, const Narrow &) {
  store(x + 7, 5);
  store(y + arange(0, 32), load(x + 32 + arange(0, 32)));
}
void neighbours(Ptr<i32> x, Ptr<i32> y, const Narrow &) {
  Int me = program_id(0);
  store(y + me * 16 + arange(0, 16), load(x + me * 16 + arange(0, 16)));
  auto own = y + me * 16 + arange(0, 16);
  barrier();
  store(own, load(own) + 1);
}
// The last one to come adds up what all have stored.
void the_last_one_sums(Ptr<i32> x, Ptr<i32> y, const Narrow &) {
  Int me = program_id(0);
  store(x + me, me + 10);
  barrier();
  Int before = atomic_add(y, 1, Order::acq_rel);
  TILE_IF (before == 3) {
    store(y + 1, sum(load(x + arange(0, 4)), 0));
  }
}
void one_after_the_other(Ptr<i32> x, Ptr<i32> y, const Narrow &) {
  Int me = program_id(0);
  while_([&] { return atomic_add(y, 0, Order::acquire) < me; }, [] {});
  store(x + 1, load(x + 1) + me);
  barrier();
  atomic_add(y, 1, Order::release);
}
void a_flag_is_watched(Ptr<i32> x, Ptr<i32> y, const Narrow &) {
  Int me = program_id(0);
  while_([&] { return load(y, Access{.is_volatile = true}) < me; }, [] {});
  store(x + 1, load(x + 1) + me);
  barrier();
  store(y, me + 1);
}

TEST(Races, AreNotWhatBytesOrAtomicsOrder) {
  for (const int threads : {1, 4}) {
    EXPECT_EQ(checked<&the_same_value>(threads), "nothing");
    EXPECT_EQ(checked<&neighbours>(threads), "nothing");
    EXPECT_EQ(checked<&the_last_one_sums>(threads), "nothing");
    EXPECT_EQ(checked<&one_after_the_other>(threads), "nothing");
    EXPECT_EQ(checked<&a_flag_is_watched>(threads), "nothing");
  }
}

}   // namespace
}   // namespace tile::simulator
