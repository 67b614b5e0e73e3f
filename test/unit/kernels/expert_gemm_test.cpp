// SPDX-License-Identifier: MIT
// Products of experts: uneven and empty experts, both orders of their matrices, rows of none, wrong ends, and
// what is refused.
#include "products.h"

#include <tile/buffer.h>
#include <tile/expert_gemm.h>

#include <gmock/gmock.h>

#include <algorithm>

namespace tile {
namespace {

using kernels::ExpertGemmConfig;
using kernels::ExpertGemmOptions;
using ::testing::HasSubstr;

struct Experts {
  std::vector<i32> ends;
  std::int64_t rows, n, k;   // rows of a, of which the last ones may be nobody's
};

ExpertGemmOptions small(int programs) {
  return {.config = ExpertGemmConfig{.block_m = 32, .block_n = 16, .block_k = 32, .programs = programs}};
}

struct Lying {
  bool b_by_columns = false;
  std::int64_t padding = 0;   // of rows, in elements: 0 for multiples of 16 bytes
};

template <class In, class Out, auto Activation = kernels::no_activation>
void check(const Experts &p, const ExpertGemmOptions &options, const Lying &lying = {},
           reference::Function activation = nullptr) {
  std::mt19937_64 source(p.ends.size());
  const auto pad = [&](std::int64_t cols, auto element) {
    return reference::Placement{
        .padding =
            lying.padding + (lying.padding ? 0 : reference::padding_to_16_bytes<decltype(element)>(cols))};
  };
  const auto experts = static_cast<std::int64_t>(p.ends.size());
  const std::int64_t stored_rows = lying.b_by_columns ? p.n : p.k,
                     stored_cols = lying.b_by_columns ? p.k : p.n;
  reference::Placed<In> a(device(), "a", p.rows, p.k, pad(p.k, In{})),
      b(device(), "b", experts * stored_rows, stored_cols, pad(stored_cols, In{}));
  reference::Placed<Out> c(device(), "c", p.rows, p.n, pad(p.n, Out{}));
  const auto x = as_multiplied<In>(a.fill(reference::random_matrix(p.rows, p.k, element_type<In>, source)),
                                   Precision::tf32);
  const auto y = as_multiplied<In>(
      b.fill(reference::random_matrix(experts * stored_rows, stored_cols, element_type<In>, source)),
      Precision::tf32);
  c.poison();
  reference::Matrix expected = c.download();
  std::int64_t begin = 0;
  for (std::int64_t e = 0; e < experts; ++e) {
    reference::Matrix own(p.k, p.n);
    for (std::int64_t i = 0; i < p.k; ++i)
      for (std::int64_t j = 0; j < p.n; ++j)
        own.at(i, j) = lying.b_by_columns ? y.at(e * p.n + j, i) : y.at(e * p.k + i, j);
    const std::int64_t end = p.ends[static_cast<std::size_t>(e)];
    reference::Matrix rows(std::max<std::int64_t>(0, end - begin), p.k);
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t i = 0; i < p.k; ++i)
        rows.at(row - begin, i) = x.at(row, i);
    const reference::Matrix part = reference::matmul(rows, own, activation);
    for (std::int64_t row = begin; row < end; ++row)
      for (std::int64_t j = 0; j < p.n; ++j)
        expected.at(row, j) = part.at(row - begin, j);
    begin = std::max(begin, end);
  }
  const Buffer<i32> ends(device(), p.ends, "ends");
  const MatrixView<In> stored = b.view();
  const TensorView<In, 3> stack(stored.data, {experts, stored_rows, stored_cols},
                                {stored_rows * stored.row_stride, stored.row_stride, 1});
  kernels::expert_gemm<Activation>(device(), a.view(), lying.b_by_columns ? stack.transposed() : stack,
                                   c.view(), ends, options);
  device().synchronize();
  expect_result(c, expected, reference::product_tolerance(element_type<In>, element_type<Out>, p.k));
}

const Experts uneven{.ends = {40, 40, 41, 168, 169, 201}, .rows = 210, .n = 40, .k = 50};

TEST(ExpertGemm, Types) {
  check<f16, f16>(uneven, small(4));
  check<bf16, f32>(uneven, small(4));
  check<f32, f32>(uneven, small(4));
  check<e4m3, f16>(uneven, small(4));
  check<i8, i32>(uneven, small(4));
}

TEST(ExpertGemm, MatricesByColumns) {
  check<f16, f16>(uneven, small(4), {.b_by_columns = true});
  check<e4m3, f32>(uneven, small(4), {.b_by_columns = true});
}

TEST(ExpertGemm, RowsThatNoDescriptorFits) {
  check<f16, f16>(uneven, small(4), {.padding = 1});
  check<f16, f32>(uneven, small(3), {.b_by_columns = true, .padding = 3});
}

TEST(ExpertGemm, AnyNumberOfPrograms) {
  for (int programs : {1, 7, 200})
    check<f16, f16>(uneven, small(programs));
}

TEST(ExpertGemm, NothingToDo) {
  check<f16, f16>({.ends = {0, 0, 0}, .rows = 5, .n = 8, .k = 16}, small(3));
  check<f16, f16>({.ends = {0}, .rows = 0, .n = 8, .k = 16}, small(3));
  check<f16, f16>({.ends = {}, .rows = 4, .n = 8, .k = 16}, small(3));
  check<f16, f16>({.ends = {3, 9}, .rows = 9, .n = 8, .k = 0}, small(3));
  check<f16, f16>({.ends = {3, 9}, .rows = 9, .n = 0, .k = 16}, small(3));
}

TEST(ExpertGemm, Activations) {
  check<f16, f16, kernels::leaky_relu<f32>>(uneven, small(4), {}, reference::leaky_relu);
  check<f16, f32, plus_one<f32>>({.ends = {3, 9}, .rows = 12, .n = 8, .k = 0}, small(3), {},
                                 plus_one_reference);
}

TEST(ExpertGemm, ItsOwnConfig) { check<f16, f16>(uneven, {}); }

// Ends that descend, or are beyond the rows, give some result and touch nothing but the rows.
TEST(ExpertGemm, WrongEnds) {
  const Buffer<f16> a(device(), std::vector<f16>(20 * 16), "a"),
      b(device(), std::vector<f16>(3 * 16 * 16), "b");
  Buffer<f32> c(device(), std::vector<f32>(30 * 16, -1.f), "c");
  for (const std::vector<i32> &wrong :
       {std::vector<i32>{10, 5, 20}, {25, 1000000, 2147483647}, {-5, 10, -2147483647}}) {
    const Buffer<i32> ends(device(), wrong, "ends");
    kernels::expert_gemm(device(), MatrixView<const f16>(a.data(), 20, 16),
                         TensorView<const f16, 3>(b.data(), {3, 16, 16}), MatrixView<f32>(c.data(), 20, 16),
                         ends, small(2));
    device().synchronize();
    const std::vector<f32> got = c.to_host();
    EXPECT_TRUE(std::all_of(got.begin() + 20 * 16, got.end(), [](f32 x) { return x == -1.f; }));
  }
}

TEST(ExpertGemm, Refuses) {
  const Buffer<f16> a(device(), std::vector<f16>(20 * 16), "a"),
      b(device(), std::vector<f16>(3 * 16 * 16), "b");
  Buffer<f16> c(device(), std::vector<f16>(20 * 16), "c");
  const Buffer<i32> ends(device(), std::vector<i32>{1, 2}, "ends");
  const MatrixView<const f16> rows(a.data(), 20, 16);
  const MatrixView<f16> result(c.data(), 20, 16);
  const auto refusal = [&](auto call) -> std::string {
    try {
      call();
    } catch (const Error &error) {
      EXPECT_TRUE(error.where().known());
      return error.message();
    }
    return "not refused";
  };
  const TensorView<const f16, 3> three(b.data(), {3, 16, 16}), two(b.data(), {2, 16, 16});
  EXPECT_THAT(refusal([&] { kernels::expert_gemm(device(), rows, three, result, ends); }),
              HasSubstr("expert_gemm: ends"));
  EXPECT_EQ(refusal([&] {
              kernels::expert_gemm(device(), rows.transposed(),
                                   TensorView<const f16, 3>(b.data(), {2, 20, 16}),
                                   MatrixView<f16>(c.data(), 16, 16), ends);
            }),
            "expert_gemm: a is not stored by rows");
  EXPECT_THAT(refusal([&] {
                kernels::expert_gemm(device(), rows, two,
                                     MatrixView<f16>(const_cast<f16 *>(a.data()), 20, 16), ends);
              }),
              HasSubstr("overlap"));
  EXPECT_EQ(refusal([&] {   // c begins where the second expert's matrix does
              kernels::expert_gemm(device(), rows, two,
                                   MatrixView<f16>(const_cast<f16 *>(b.data()) + 16 * 16, 20, 16), ends);
            }),
            "expert_gemm: c overlaps b, which is read while c is written");
  EXPECT_THAT(refusal([&] {
                kernels::expert_gemm(device(), rows, two, result, ends,
                                     {.config = ExpertGemmConfig{.programs = 0}});
              }),
              HasSubstr("programs"));
}

}   // namespace
}   // namespace tile
