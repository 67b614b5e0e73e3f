// SPDX-License-Identifier: MIT
// The descriptor product: transpositions, element types, results of any strides, and what no descriptor fits.
#include "products.h"

#include <tile/gemm.h>

namespace tile {
namespace {

using kernels::GemmConfig;
using kernels::GemmOptions;

GemmOptions small(Precision precision = Precision::tf32) {
  return {.precision = precision,
          .config = GemmConfig{.block_m = 32, .block_n = 16, .block_k = 32, .group_m = 2},
          .fall_back = false};
}

template <class T> reference::Placement stored_by(bool columns, std::int64_t rows, std::int64_t cols) {
  return {.by_columns = columns, .padding = reference::padding_to_16_bytes<T>(columns ? rows : cols)};
}

template <class In, class Out, auto Activation = kernels::no_activation>
void check(const ProductCase &p, const GemmOptions &options, reference::Function activation = nullptr) {
  check_product<In, Out>(
      p, [&](auto a, auto b, auto c) { kernels::gemm<Activation>(device(), a, b, c, options); }, activation,
      options.precision);
}

// With padded rows, so that descriptors describe every operand.
template <class In, class Out, auto Activation = kernels::no_activation>
void check_stored(std::int64_t m, std::int64_t n, std::int64_t k, bool a_by_columns, bool b_by_columns,
                  const GemmOptions &options, reference::Function activation = nullptr) {
  check<In, Out, Activation>({m, n, k, stored_by<In>(a_by_columns, m, k), stored_by<In>(b_by_columns, k, n),
                              stored_by<Out>(false, m, n)},
                             options, activation);
}

template <class In, class Out> void check_transpositions_and_sizes(Precision precision = Precision::tf32) {
  for (bool a_by_columns : {false, true})
    for (bool b_by_columns : {false, true}) {
      check_stored<In, Out>(97, 33, 45, a_by_columns, b_by_columns, small(precision));
      check_stored<In, Out>(64, 32, 64, a_by_columns, b_by_columns, small(precision));
      check_stored<In, Out>(1, 1, 1, a_by_columns, b_by_columns, small(precision));
      check_stored<In, Out>(3, 40, 33, a_by_columns, b_by_columns, small(precision));
    }
}

TEST(Gemm, F16) { check_transpositions_and_sizes<f16, f16>(); }
TEST(Gemm, BF16ToF32) { check_transpositions_and_sizes<bf16, f32>(); }
TEST(Gemm, F32) { check_transpositions_and_sizes<f32, f32>(Precision::ieee); }
TEST(Gemm, TF32) { check_transpositions_and_sizes<f32, f32>(Precision::tf32); }
TEST(Gemm, E4M3) { check_transpositions_and_sizes<e4m3, f16>(); }
TEST(Gemm, E5M2) { check_transpositions_and_sizes<e5m2, f32>(); }
TEST(Gemm, I8) { check_transpositions_and_sizes<i8, i32>(); }

TEST(Gemm, NothingToMultiply) {
  for (bool by_columns : {false, true}) {
    check_stored<f16, f16>(0, 40, 40, by_columns, by_columns, small());
    check_stored<f16, f16>(40, 0, 40, by_columns, by_columns, small());
    check_stored<f16, f16>(40, 40, 0, by_columns, by_columns, small());
    check_stored<f16, f16, plus_one<f32>>(40, 40, 0, by_columns, by_columns, small(), plus_one_reference);
  }
}

TEST(Gemm, Activations) {
  check_stored<f16, f16, kernels::leaky_relu<f32>>(50, 30, 40, false, true, small(), reference::leaky_relu);
  check_stored<i8, i32, kernels::leaky_relu<i32>>(50, 30, 40, true, false, small(),
                                                  reference::leaky_relu_of_integer);
  check_stored<f32, f32, kernels::gelu>(50, 30, 40, false, false, small(Precision::ieee), reference::gelu);
}

// Where no descriptor fits C, it is stored through pointers.
TEST(Gemm, ResultsOfAnyStrides) {
  const auto a = stored_by<f16>(false, 50, 40), b = stored_by<f16>(true, 40, 30);
  for (const reference::Placement &c : {reference::Placement{.padding = 1}, reference::Placement{.step = 2},
                                        reference::Placement{.shift = 3}})
    check<f16, f16>({50, 30, 40, a, b, c}, small());
  GemmOptions pointers = small();
  pointers.config->store_by_descriptor = false;
  check_stored<f16, f16>(50, 30, 40, false, false, pointers);
}

// C stored by columns is the transposed product stored by rows.
TEST(Gemm, ResultsStoredByColumns) {
  for (bool a_by_columns : {false, true})
    for (bool b_by_columns : {false, true})
      check<bf16, bf16>({50, 30, 40, stored_by<bf16>(a_by_columns, 50, 40),
                         stored_by<bf16>(b_by_columns, 40, 30), stored_by<bf16>(true, 50, 30)},
                        small());
}

// A matrix of one row or one column has a stride that nothing uses and that need not fit.
TEST(Gemm, SingleRowsAndColumns) {
  const reference::Placement row{.padding = 1}, column{.by_columns = true, .padding = 3}, packed{};
  const auto rest = [](std::int64_t rows, std::int64_t cols) { return stored_by<f16>(false, rows, cols); };
  for (const reference::Placement &one_row : {row, packed}) {
    check<f16, f16>({1, 40, 24, one_row, rest(24, 40), one_row}, small());
    check<f16, f16>({40, 40, 1, column, one_row, rest(40, 40)}, small());
  }
  for (const reference::Placement &one_column : {column, packed}) {
    check<f16, f16>({48, 1, 24, rest(48, 24), one_column, one_column}, small());
    check<f16, f16>({40, 40, 1, one_column, row, rest(40, 40)}, small());
  }
}

TEST(Gemm, FallsBackWhereDescriptorsDoNotFit) {
  GemmOptions options = small();
  options.fall_back = true;
  check<f16, f16>({50, 30, 41}, options);                         // rows of 82 bytes
  check<f16, f16>({50, 30, 40, {.step = 2}, {}, {}}, options);    // no unit stride
  check<f16, f16>({50, 32, 40, {.shift = 1}, {}, {}}, options);   // off 16 bytes
  check<f16, f16>({50, 32, 40, {}, {.by_columns = true, .padding = 1}, {.step = 3}}, options);
}

TEST(Gemm, SaysWhatDoesNotFit) {
  auto refuses = [](const ProductCase &p, const char *sentence) {
    reference::Placed<f16> a(device(), "a", p.m, p.k, p.a), b(device(), "b", p.k, p.n, p.b),
        c(device(), "c", p.m, p.n);
    try {
      kernels::gemm(device(), a.view(), b.view(), c.view(), small());
      ADD_FAILURE() << "not refused: " << p;
    } catch (const Error &error) {
      EXPECT_NE(error.message().find(sentence), std::string::npos) << error.what();
      EXPECT_TRUE(error.where().known());
    }
  };
  refuses({50, 32, 41}, "gemm: a does not fit a descriptor: the stride from one contiguous row");
  refuses({50, 30, 40}, "gemm: b does not fit a descriptor: the stride from one contiguous row");
  refuses({50, 32, 40, {.step = 2}}, "gemm: a does not fit a descriptor: neither its rows nor its columns");
  refuses({50, 32, 40, {}, {.shift = 4}},
          "gemm: b does not fit a descriptor: its address is not a multiple of 16");
}

// Operands may be views of const elements, and not all alike.
TEST(Gemm, ConstOperands) {
  check_product<f16, f16>({40, 32, 48}, [](MatrixView<const f16> a, MatrixView<f16> b, MatrixView<f16> c) {
    kernels::gemm(device(), a, b, c, small());
    kernels::matmul(device(), a, b, c);
  });
}

TEST(Gemm, ItsOwnConfigs) {
  GemmOptions own{.fall_back = false};
  for (bool a_by_columns : {false, true})
    for (bool b_by_columns : {false, true})
      check_stored<f16, f16>(130, 70, 100, a_by_columns, b_by_columns, own);
}

TEST(Gemm, KeepsTheConfigsOfTheOperandsOrders) {
  const auto configs = kernels::detail::gemm_configs();
  const kernels::detail::Product few_of_many{8, 8, 1 << 20};
  std::size_t all = 0;
  for (bool a_by_rows : {false, true})
    for (bool b_by_rows : {false, true})
      for (bool c_fits : {false, true}) {
        int kept = 0;
        for (const GemmConfig &cfg : configs)
          if (kernels::detail::keep_gemm_config(cfg, few_of_many, a_by_rows, b_by_rows, c_fits)) {
            ++kept;
            EXPECT_EQ(cfg.a == kernels::StoredBy::rows, a_by_rows);
            EXPECT_EQ(cfg.b == kernels::StoredBy::rows, b_by_rows);
            EXPECT_EQ(cfg.store_by_descriptor, c_fits);
          }
        EXPECT_GT(kept, 10);
        all += static_cast<std::size_t>(kept);
      }
  EXPECT_EQ(all, configs.size());
}

TEST(Gemm, NarrowTilesAreForNarrowResults) {
  std::vector<int> rows, cols;   // of the narrow ones
  for (const GemmConfig &cfg : kernels::detail::gemm_configs()) {
    auto keeps = [&](int m, int n) {
      return kernels::detail::keep_gemm_config(cfg, {m, n, 512}, true, true, true);
    };
    if (!keeps(32, 4096) && keeps(16, 4096))
      rows.push_back(cfg.block_m);
    if (!keeps(4096, 32) && keeps(4096, 16))
      cols.push_back(cfg.block_n);
    EXPECT_FALSE(keeps(4096, 4096) && (cfg.block_m < 32 || cfg.block_n < 32)) << cfg.block_m;
  }
  EXPECT_EQ(rows, std::vector{8});
  EXPECT_EQ(cols, std::vector{8});
}

TEST(Gemm, SplitsAreForFewTilesOfManyProducts) {
  auto most_split_k_of = [](std::int64_t m, std::int64_t n, std::int64_t k) {
    int most = 1;
    for (const GemmConfig &cfg : kernels::detail::gemm_configs())
      if (kernels::detail::keep_gemm_config(cfg, {m, n, k}, true, true, true))
        most = std::max(most, cfg.split_k);
    return most;
  };
  EXPECT_EQ(most_split_k_of(512, 512, 16384), 16);
  EXPECT_EQ(most_split_k_of(512, 512, 4096), 8);
  EXPECT_EQ(most_split_k_of(512, 512, 512), 1);
  EXPECT_EQ(most_split_k_of(256, 4096, 4096), 4);
  EXPECT_EQ(most_split_k_of(1024, 1024, 8192), 4);
  EXPECT_EQ(most_split_k_of(4096, 4096, 16384), 1);
}

TEST(Gemm, SplitsAreNotWithoutEnd) {
  try {
    check_stored<f16, f16>(8, 8, 8, false, false, {.config = GemmConfig{.split_k = 65}});
    FAIL();
  } catch (const Error &e) {
    EXPECT_NE(std::string_view(e.what()).find("split_k is 65, but at most 64 is supported"),
              std::string_view::npos)
        << e.what();
    EXPECT_TRUE(e.where().known());
  }
}

// Every program has a part of K, the last ones a shorter one or none.
TEST(Gemm, SplitsOfK) {
  for (int parts : {2, 3, 8})
    for (bool swap_ab : {false, true}) {
      GemmOptions split{.config = GemmConfig{.block_m = 32,
                                             .block_n = 64,
                                             .block_k = 32,
                                             .swap_ab = swap_ab,
                                             .split_k = parts,
                                             .launch = {.num_warps = 4}}};
      for (int k : {0, 1, 33, 200})
        for (bool by_columns : {false, true})
          check_stored<f16, f16>(45, 70, k, by_columns, !by_columns, split);
    }
}

TEST(Gemm, MultipliesTheTransposes) {
  GemmOptions swapped{.config = GemmConfig{.block_m = 16, .block_n = 64, .block_k = 32, .swap_ab = true}};
  for (bool a_by_columns : {false, true})
    for (bool b_by_columns : {false, true})
      check_stored<f16, f16>(13, 70, 100, a_by_columns, b_by_columns, swapped);
}

}   // namespace
}   // namespace tile
