// SPDX-License-Identifier: MIT
// Grouped products: ragged and empty groups, any number of programs, what is promised about alignment.
#include "products.h"

#include <tile/grouped_gemm.h>

#include <deque>

namespace tile {
namespace {

using kernels::GroupedGemmConfig;
using kernels::GroupedGemmOptions;
using kernels::GroupedProblems;

struct Sizes {
  std::int64_t m, n, k;
};

GroupedGemmOptions small(int programs, Precision precision = Precision::tf32) {
  return {.precision = precision,
          .config = GroupedGemmConfig{.block_m = 32, .block_n = 16, .block_k = 32, .programs = programs}};
}

template <class In, class Out, auto Activation = kernels::no_activation>
void check(const std::vector<Sizes> &groups, const GroupedGemmOptions &options,
           std::int64_t padding_bytes = 0, int expected_alignment = 0,
           reference::Function activation = nullptr) {
  std::mt19937_64 source(groups.size());
  std::deque<reference::Placed<In>> as, bs;
  std::deque<reference::Placed<Out>> cs;
  std::vector<reference::Matrix> expected;
  std::vector<typename GroupedProblems<In, Out>::Problem> problems;
  auto pad = [&](std::int64_t cols, std::int64_t bytes) {   // rows of a multiple of padding_bytes
    const std::int64_t step = std::max<std::int64_t>(1, padding_bytes / bytes);
    return reference::Placement{.padding = (step - std::max<std::int64_t>(cols, 1) % step) % step};
  };
  for (const Sizes &g : groups) {
    as.emplace_back(device(), "a", g.m, g.k, pad(g.k, sizeof(In)));
    bs.emplace_back(device(), "b", g.k, g.n, pad(g.n, sizeof(In)));
    cs.emplace_back(device(), "c", g.m, g.n, pad(g.n, sizeof(Out)));
    const auto x = as_multiplied<In>(
        as.back().fill(reference::random_matrix(g.m, g.k, element_type<In>, source)), options.precision);
    const auto y = as_multiplied<In>(
        bs.back().fill(reference::random_matrix(g.k, g.n, element_type<In>, source)), options.precision);
    cs.back().poison();
    expected.push_back(reference::matmul(x, y, activation));
    problems.push_back({as.back().view(), bs.back().view(), cs.back().view()});
  }
  const GroupedProblems<In, Out> list(device(), problems);
  EXPECT_EQ(list.count(), static_cast<int>(groups.size()));
  if (expected_alignment) {
    EXPECT_EQ(list.alignment(), expected_alignment);
  }
  kernels::grouped_gemm<Activation>(device(), list, options);
  device().synchronize();
  for (std::size_t g = 0; g < groups.size(); ++g) {
    SCOPED_TRACE("group " + std::to_string(g));
    expect_result(cs[g], expected[g],
                  reference::product_tolerance(element_type<In>, element_type<Out>, groups[g].k));
  }
}

const std::vector<Sizes> ragged{{40, 30, 50}, {0, 20, 10},  {1, 1, 1},   {127, 20, 33},
                                {33, 0, 64},  {129, 17, 0}, {32, 16, 32}};

TEST(GroupedGemm, F16) { check<f16, f16>(ragged, small(4)); }
TEST(GroupedGemm, BF16ToF32) { check<bf16, f32>(ragged, small(4)); }
TEST(GroupedGemm, F32) { check<f32, f32>(ragged, small(4, Precision::ieee)); }
TEST(GroupedGemm, TF32) { check<f32, f32>(ragged, small(4)); }
TEST(GroupedGemm, E4M3) { check<e4m3, f16>(ragged, small(4)); }
TEST(GroupedGemm, E5M2) { check<e5m2, f32>(ragged, small(4)); }
TEST(GroupedGemm, I8) { check<i8, i32>(ragged, small(4)); }

// One program does everything; 7 do not divide the tiles; most of 200 do nothing.
TEST(GroupedGemm, AnyNumberOfPrograms) {
  for (int programs : {1, 7, 200})
    check<f16, f16>(ragged, small(programs));
}

TEST(GroupedGemm, AnyNumberOfGroups) {
  check<f16, f16>({}, small(3));
  check<f16, f16>({{50, 20, 40}}, small(3));
  check<f16, f16>({{0, 0, 0}, {0, 5, 5}, {5, 0, 5}}, small(3));
  check<f16, f16>(std::vector<Sizes>(16, {33, 17, 20}), small(5));
}

TEST(GroupedGemm, Activations) {
  check<f16, f16, kernels::leaky_relu<f32>>(ragged, small(4), 0, 0, reference::leaky_relu);
  check<i8, i32, kernels::leaky_relu<i32>>(ragged, small(4), 0, 0, reference::leaky_relu_of_integer);
  check<f16, f32, plus_one<f32>>(ragged, small(4), 0, 0, plus_one_reference);   // also where K is 0
}

// What is promised to the compiler about addresses and strides follows from them.
TEST(GroupedGemm, Alignment) {
  check<f16, f16>({{40, 31, 50}, {20, 9, 7}}, small(4), 16, 16);
  check<f16, f16>({{40, 31, 50}, {20, 9, 7}}, small(4), 8, 8);
  check<f16, f16>({{40, 31, 50}, {20, 9, 7}}, small(4), 2, 2);
  check<i8, i32>({{40, 31, 50}, {20, 9, 7}}, small(4), 1, 1);
  check<e4m3, f32>({{40, 31, 50}, {20, 9, 7}}, small(4), 16, 16);
}

// Problems with the same n, k and leading dimensions; those of matrices without a second row do not matter.
TEST(GroupedGemm, Alike) {
  const Buffer<f16> a(device(), std::vector<f16>(64 * 64), "a"), b(device(), std::vector<f16>(64 * 64), "b");
  Buffer<f16> c(device(), std::vector<f16>(64 * 64), "c");
  struct Shape {
    std::int64_t m, n, k, a_row = 32, b_row = 32, c_row = 32;
  };
  const auto are_alike = [&](const std::vector<Shape> &shapes) {
    std::vector<GroupedProblems<f16, f16>::Problem> problems;
    std::int64_t row = 0;   // results lie apart
    for (const Shape &s : shapes) {
      problems.push_back({MatrixView<const f16>(a.data(), s.m, s.k, s.a_row, 1),
                          MatrixView<const f16>(b.data(), s.k, s.n, s.b_row, 1),
                          MatrixView<f16>(c.data() + row * 64, s.m, s.n, s.c_row, 1)});
      row += s.m;
    }
    return GroupedProblems<f16, f16>(device(), problems).alike();
  };
  EXPECT_TRUE(are_alike({{5, 16, 24}, {0, 16, 24}, {9, 16, 24}}));
  EXPECT_TRUE(are_alike({{1, 16, 24, 40, 32, 48}, {9, 16, 24}})) << "one row";
  EXPECT_FALSE(are_alike({{5, 16, 24}, {5, 24, 24}}));
  EXPECT_FALSE(are_alike({{5, 16, 24}, {5, 16, 16}}));
  EXPECT_FALSE(are_alike({{5, 16, 24}, {5, 16, 24, 40}}));
  EXPECT_FALSE(are_alike({{5, 16, 24}, {5, 16, 24, 32, 40}}));
  EXPECT_FALSE(are_alike({{5, 16, 24}, {5, 16, 24, 32, 32, 40}}));
  EXPECT_FALSE(are_alike({{5, 16, 24, 25}, {5, 16, 24, 25}})) << "rows at no multiples of 16 bytes";
  EXPECT_FALSE(are_alike({}));
}

TEST(GroupedGemm, ItsOwnConfig) { check<f16, f16>({{150, 140, 70}, {0, 3, 3}, {10, 200, 64}}, {}); }

TEST(GroupedGemm, RefusesWhatIsNotStoredByRows) {
  reference::Placed<f16> a(device(), "a", 8, 8, {.by_columns = true}), b(device(), "b", 8, 8),
      c(device(), "c", 8, 8);
  try {
    const GroupedProblems<f16, f16> list(device(),
                                         {{b.view(), b.view(), c.view()}, {a.view(), b.view(), c.view()}});
    FAIL() << "not refused";
  } catch (const Error &error) {
    EXPECT_EQ(error.message(), "grouped_gemm: a of problem 1 is not stored by rows");
    EXPECT_TRUE(error.where().known());
  }
}

}   // namespace
}   // namespace tile
