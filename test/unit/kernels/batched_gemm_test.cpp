// SPDX-License-Identifier: MIT
// Products of stacks: transpositions, distances of any kind, shared matrices, and what no descriptor fits.
#include "products.h"

#include <tile/batched_gemm.h>

#include <gmock/gmock.h>

#include <algorithm>
#include <array>

namespace tile {
namespace {

using kernels::GemmConfig;
using kernels::GemmOptions;
using ::testing::HasSubstr;

constexpr std::int64_t batch = 3;

// A stack in a matrix that holds all of it: rows of matrices one below the other with `gap` rows between, or
// beside each other. Stored by columns, the same of the transposed matrices.
struct Lying {
  bool by_columns = false, beside = false, is_shared = false;
  std::int64_t gap = 0, padding = 0;
};

template <class T> struct PlacedStack {
  std::int64_t rows, cols;   // as stored
  Lying how;
  reference::Placed<T> all;

  PlacedStack(const char *name, std::int64_t m, std::int64_t n, const Lying &lying)
      : rows(lying.by_columns ? n : m), cols(lying.by_columns ? m : n), how(lying),
        all(device(), name, how.beside ? rows : matrices() * (rows + how.gap),
            how.beside ? matrices() * cols : cols,
            {.padding =
                 how.padding + reference::padding_to_16_bytes<T>(how.beside ? matrices() * cols : cols)}) {}
  std::int64_t matrices() const { return how.is_shared ? 1 : batch; }
  TensorView<T, 3> view() const {
    const MatrixView<T> whole = all.view();
    const std::int64_t apart = how.is_shared ? 0 : how.beside ? cols : (rows + how.gap) * whole.row_stride;
    const TensorView<T, 3> stack(whole.data, {batch, rows, cols}, {apart, whole.row_stride, 1});
    return how.by_columns ? stack.transposed() : stack;
  }
  // Calls f(element in matrix `i`, element of `whole`).
  template <class F> void each(std::int64_t i, reference::Matrix &matrix, reference::Matrix &whole,
                               F f) const {
    i = how.is_shared ? 0 : i;
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < cols; ++c)
        f(how.by_columns ? matrix.at(c, r) : matrix.at(r, c),
          how.beside ? whole.at(r, i * cols + c) : whole.at(i * (rows + how.gap) + r, c));
  }
  reference::Matrix matrix() const {
    return how.by_columns ? reference::Matrix(cols, rows) : reference::Matrix(rows, cols);
  }
};

struct Case {
  std::int64_t m, n, k;
  Lying a{}, b{}, c{};
};

template <class In, class Out, auto Activation = kernels::no_activation>
void check(const Case &p, const GemmOptions &options, reference::Function activation = nullptr) {
  SCOPED_TRACE(::testing::Message() << p.m << " x " << p.n << " x " << p.k << " a "
                                    << (p.a.by_columns ? "t" : "n") << " b " << (p.b.by_columns ? "t" : "n"));
  std::mt19937_64 source(7);
  PlacedStack<In> a("a", p.m, p.k, p.a), b("b", p.k, p.n, p.b);
  PlacedStack<Out> c("c", p.m, p.n, p.c);
  auto fill = [&](PlacedStack<In> &to) {
    const reference::Matrix shape = to.all.download();
    return as_multiplied<In>(
        to.all.fill(reference::random_matrix(shape.rows, shape.cols, element_type<In>, source)),
        options.precision);
  };
  reference::Matrix of_a = fill(a), of_b = fill(b), got = (c.all.poison(), c.all.download());
  // What lies between the results stays as it is.
  reference::Matrix expected = got;
  for (std::int64_t i = 0; i < batch; ++i) {
    reference::Matrix x = a.matrix(), y = b.matrix();
    auto take = [](double &to, double from) { to = from; };
    a.each(i, x, of_a, take);
    b.each(i, y, of_b, take);
    reference::Matrix product = reference::matmul(x, y, activation);
    c.each(i, product, expected, [](double from, double &to) { to = from; });
  }
  kernels::batched_gemm<Activation>(device(), a.view(), b.view(), c.view(), options);
  device().synchronize();
  expect_result(c.all, expected, reference::product_tolerance(element_type<In>, element_type<Out>, p.k));
}

GemmOptions small(Precision precision = Precision::tf32) {
  return {.precision = precision,
          .config = GemmConfig{.block_m = 32, .block_n = 16, .block_k = 32, .group_m = 2},
          .fall_back = false};
}

template <class In, class Out> void check_transpositions(Precision precision = Precision::tf32) {
  for (bool a_by_columns : {false, true})
    for (bool b_by_columns : {false, true})
      for (const auto &[m, n, k] : {std::array{97, 33, 45}, {64, 32, 64}, {1, 1, 1}})
        check<In, Out>({m, n, k, {.by_columns = a_by_columns}, {.by_columns = b_by_columns}},
                       small(precision));
}

TEST(BatchedGemm, F16) { check_transpositions<f16, f16>(); }
TEST(BatchedGemm, BF16ToF32) { check_transpositions<bf16, f32>(); }
TEST(BatchedGemm, F32) { check_transpositions<f32, f32>(Precision::ieee); }
TEST(BatchedGemm, TF32) { check_transpositions<f32, f32>(Precision::tf32); }
TEST(BatchedGemm, E4M3) { check_transpositions<e4m3, f16>(); }
TEST(BatchedGemm, E5M2) { check_transpositions<e5m2, f32>(); }
TEST(BatchedGemm, I8) { check_transpositions<i8, i32>(); }

// 64 rows are two blocks, so that results are described as one matrix; of 50 and with gaps they are not.
TEST(BatchedGemm, ResultsOfAnyDistance) {
  for (std::int64_t m : {64, 50})
    for (const Lying &c : {Lying{}, Lying{.gap = 3}, Lying{.beside = true}, Lying{.padding = 1}})
      check<f16, f16>({m, 32, 40, {.gap = 1}, {.beside = true}, c}, small());
}

TEST(BatchedGemm, ResultsStoredByColumns) {
  for (bool beside : {false, true})
    check<bf16, bf16>({50, 64, 40, {}, {.by_columns = true}, {.by_columns = true, .beside = beside}},
                      small());
}

// A matrix that all products share; where the rows of the others go on, all is one product.
TEST(BatchedGemm, SharedMatrices) {
  for (bool by_columns : {false, true})
    for (std::int64_t gap : {0, 1}) {
      check<f16, f16>({50, 30, 40, {.gap = gap}, {.by_columns = by_columns, .is_shared = true}}, small());
      check<f16, f16>({64, 30, 40, {.by_columns = by_columns, .is_shared = true}, {.gap = gap}}, small());
      check<f16, f16>(
          {40, 64, 40, {.is_shared = true}, {.by_columns = true, .gap = gap}, {.by_columns = true}}, small());
    }
  check<f16, f16>({50, 30, 40, {}, {.is_shared = true}, {.gap = 1}}, small());
  check<f16, f16>({50, 30, 40, {.is_shared = true}, {.is_shared = true}}, small());
}

TEST(BatchedGemm, Activations) {
  check<f16, f16, kernels::leaky_relu<f32>>({50, 30, 40}, small(), reference::leaky_relu);
  check<i8, i32, kernels::leaky_relu<i32>>({64, 30, 40}, small(), reference::leaky_relu_of_integer);
  check<f16, f16, plus_one<f32>>({40, 40, 0}, small(), plus_one_reference);
}

TEST(BatchedGemm, NothingToMultiply) {
  check<f16, f16>({0, 40, 40}, small());
  check<f16, f16>({40, 0, 40}, small());
  check<f16, f16>({40, 40, 0}, small());
  const TensorView<f16, 3> none(nullptr, {0, 8, 8});
  kernels::batched_gemm(device(), none, none, none, small());
}

TEST(BatchedGemm, ItsOwnConfigs) {
  const GemmOptions own{.fall_back = false};
  for (bool a_by_columns : {false, true})
    for (std::int64_t m : {128, 130})
      check<f16, f16>({m, 70, 100, {.by_columns = a_by_columns}, {.by_columns = !a_by_columns}}, own);
}

TEST(BatchedGemm, FallsBackWhereDescriptorsDoNotFit) {
  GemmOptions options = small();
  options.fall_back = true;
  check<f16, f16>({50, 30, 41, {.padding = 1}}, options);   // rows that end within 16 bytes
  check<f16, f16>({50, 30, 41, {.padding = 1}, {.is_shared = true}}, options);   // all in one product
  check<f16, f16>({50, 32, 41, {.beside = true}}, options);   // matrices that are 82 bytes apart
}

TEST(BatchedGemm, SaysWhatDoesNotFit) {
  Buffer<f16> memory(device(), 1 << 16);
  using View = TensorView<f16, 3>;
  const View a(memory.data(), {3, 16, 32}), b(memory.data() + 4096, {3, 32, 24}),
      c(memory.data() + 8192, {3, 16, 24});
  auto refusal = [&](const View &x, const View &y, const View &z) -> std::string {
    try {
      kernels::batched_gemm(device(), x, y, z, small());
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.where().file).find("batched_gemm_test.cpp"), std::string::npos);
      return error.what();
    }
    return "not refused";
  };
  EXPECT_EQ(refusal(a, b, c), "not refused");
  EXPECT_THAT(refusal(a, View(b.data, {3, 24, 32}), c),
              HasSubstr("batched_gemm: a [16, 32] and b [24, 32] do not multiply"));
  EXPECT_THAT(refusal(a, b, View(c.data, {3, 24, 16})),
              HasSubstr("batched_gemm: c has the shape [24, 16], the product of a [16, 32] and b [32, 24]"));
  EXPECT_THAT(refusal(a, View(b.data, {1, 32, 24}), c),
              HasSubstr("batched_gemm: b [1, 32, 24] must have as many matrices as a [3, 16, 32]"));
  EXPECT_THAT(
      refusal(a, View(b.data, {1, 32, 24}), c),
      HasSubstr("help: if all products share a matrix, give the view a stride of 0 between matrices"));
  EXPECT_THAT(refusal(a, b, View(c.data, {4, 16, 24})),
              HasSubstr("batched_gemm: c [4, 16, 24] must have as many matrices as a [3, 16, 32]"));
  EXPECT_THAT(refusal(a, b, View(c.data, {3, 16, 24}, {0, 24, 1})),
              HasSubstr("batched_gemm: c is written, but several of its elements share an address: its shape "
                        "is [3, 16, 24], its strides are 0, 24 and 1"));
  EXPECT_THAT(refusal(a, b, View(c.data, {3, 16, 24}, {360, 24, 1})), HasSubstr("share an address"));
  EXPECT_THAT(refusal(a, b, View(a.data + 64, {3, 16, 24})), HasSubstr("batched_gemm: c overlaps a"));
  EXPECT_THAT(refusal(a, View(c.data + 3 * 16 * 24 - 8, {3, 32, 24}, {0, 24, 1}), c),
              HasSubstr("batched_gemm: c overlaps b"));
  const std::string unfit = "batched_gemm: a does not fit a descriptor: ";
  EXPECT_THAT(refusal(View(a.data, {3, 16, 32}, {516, 32, 1}), b, c),
              HasSubstr(unfit + "the stride from one matrix to the next is not a multiple of 16 bytes"));
  EXPECT_THAT(refusal(View(a.data, {3, 16, 32}, {1024, 33, 1}), b, c),
              HasSubstr(unfit + "the stride from one"));
  EXPECT_THAT(refusal(View(a.data + 4, {3, 16, 32}), b, c), HasSubstr(unfit + "its address"));
  EXPECT_THAT(refusal(View(a.data + 4, {3, 16, 32}), b, c), HasSubstr("help: set fall_back"));
  EXPECT_EQ(refusal(a, View(b.data, {3, 32, 24}, {0, 24, 1}), c), "not refused");
}

// Else a block would reach into the next result, which another program may have written already.
TEST(BatchedGemm, DescribesResultsThatBlocksDivide) {
  const GemmConfig config{.block_m = 32};
  EXPECT_TRUE(kernels::detail::describes_result(config, 64, 3 * 64));
  EXPECT_FALSE(kernels::detail::describes_result(config, 50, 3 * 50));
  EXPECT_FALSE(kernels::detail::describes_result(config, 64, 0));   // with gaps between them
}

TEST(BatchedGemm, ListsEveryConfigOnce) {
  const auto configs = kernels::detail::batched_gemm_configs();
  std::vector<std::string> texts;
  for (const GemmConfig &config : configs) {
    texts.push_back(describe_config(config));
    EXPECT_TRUE(config.store_by_descriptor || config.launch.num_ctas == 1) << texts.back();
  }
  std::ranges::sort(texts);
  EXPECT_EQ(std::ranges::adjacent_find(texts), texts.end());
}

}   // namespace
}   // namespace tile
