// SPDX-License-Identifier: MIT
// The pointer product: forms, element types, strides, activations, empty and ragged sizes.
#include "products.h"

#include <tile/matmul.h>

namespace tile {
namespace {

using kernels::MatmulConfig;
using kernels::MatmulForm;
using kernels::MatmulOptions;

// Small enough for many programs on small matrices.
MatmulOptions small(MatmulForm form, Precision precision = Precision::tf32) {
  return {.precision = precision,
          .config = MatmulConfig{.form = form, .block_m = 32, .block_n = 16, .block_k = 32, .group_m = 2}};
}

template <class In, class Out, auto Activation = kernels::no_activation>
void check(const ProductCase &p, const MatmulOptions &options, reference::Function activation = nullptr) {
  check_product<In, Out>(
      p, [&](auto a, auto b, auto c) { kernels::matmul<Activation>(device(), a, b, c, options); }, activation,
      options.precision);
}

template <class In, class Out> void check_forms_and_sizes(Precision precision = Precision::tf32) {
  check<In, Out>({96, 48, 64}, small(MatmulForm::exact, precision));
  for (MatmulForm form : {MatmulForm::wrap, MatmulForm::mask}) {
    check<In, Out>({96, 48, 64}, small(form, precision));
    check<In, Out>({97, 33, 45}, small(form, precision));
    check<In, Out>({5, 70, 31}, small(form, precision));
    check<In, Out>({1, 1, 1}, small(form, precision));
  }
}

TEST(Matmul, F16) { check_forms_and_sizes<f16, f16>(); }
TEST(Matmul, F16ToF32) { check_forms_and_sizes<f16, f32>(); }
TEST(Matmul, BF16) { check_forms_and_sizes<bf16, bf16>(); }
TEST(Matmul, F32) { check_forms_and_sizes<f32, f32>(Precision::ieee); }
TEST(Matmul, TF32) { check_forms_and_sizes<f32, f32>(Precision::tf32); }
TEST(Matmul, E4M3) { check_forms_and_sizes<e4m3, f16>(); }
TEST(Matmul, E5M2) { check_forms_and_sizes<e5m2, f32>(); }
TEST(Matmul, I8) { check_forms_and_sizes<i8, i32>(); }

TEST(Matmul, NarrowResults) {
  check<e4m3, e4m3>({40, 20, 33}, small(MatmulForm::wrap));
  check<f32, bf16>({40, 20, 33}, small(MatmulForm::mask));
  check<f32, f16>({40, 20, 33}, small(MatmulForm::mask, Precision::ieee));
}

TEST(Matmul, NothingToMultiply) {
  for (MatmulForm form : {MatmulForm::wrap, MatmulForm::mask, MatmulForm::exact}) {
    check<f16, f16>({0, 64, 64}, small(form));
    check<f16, f16>({64, 0, 64}, small(form));
    check<f16, f16>({0, 0, 0}, small(form));
    check<f16, f16>({64, 32, 0}, small(form));   // a sum of nothing is 0 and is written
    check<f16, f16, plus_one<f32>>({64, 32, 0}, small(form), plus_one_reference);
  }
  check<i8, i32, plus_one<i32>>({33, 17, 0}, small(MatmulForm::wrap), plus_one_reference);
}

TEST(Matmul, AnyStrides) {
  const reference::Placement rows{.padding = 3}, columns{.by_columns = true, .padding = 1},
      wide{.step = 3, .shift = 1}, tall{.by_columns = true, .step = 2, .padding = 5, .shift = 3};
  for (MatmulForm form : {MatmulForm::wrap, MatmulForm::mask})
    for (const reference::Placement &a : {rows, columns, wide, tall}) {
      check<f16, f16>({35, 18, 40, a, rows, columns}, small(form));
      check<f16, f16>({35, 18, 40, rows, a, tall}, small(form));
      check<f32, f32>({35, 18, 40, columns, columns, a}, small(form));
    }
  check<f16, f16>({64, 32, 64, columns, tall, wide}, small(MatmulForm::exact));
}

TEST(Matmul, Activations) {
  for (MatmulForm form : {MatmulForm::wrap, MatmulForm::mask}) {
    check<f16, f16, kernels::leaky_relu<f32>>({50, 30, 40}, small(form), reference::leaky_relu);
    check<bf16, f32, kernels::gelu>({50, 30, 40}, small(form), reference::gelu);
    check<i8, i32, kernels::leaky_relu<i32>>({50, 30, 40}, small(form), reference::leaky_relu_of_integer);
  }
  check<f16, f32, kernels::relu<f32>>({50, 30, 40}, small(MatmulForm::wrap),
                                      [](double x) { return x > 0 ? x : 0; });
  check<f32, f32, kernels::leaky_relu<f32>>({32, 16, 32}, small(MatmulForm::exact), reference::leaky_relu);
}

// The forms differ in what they load, not in the order of the sums.
TEST(Matmul, FormsAgreeToTheBit) {
  std::mt19937_64 source(7);
  reference::Placed<f32> a(device(), "a", 96, 64), b(device(), "b", 64, 48);
  a.fill(reference::random_matrix(96, 64, element_type<f32>, source));
  b.fill(reference::random_matrix(64, 48, element_type<f32>, source));
  reference::Placed<f32> exact(device(), "exact", 96, 48), other(device(), "other", 96, 48);
  kernels::matmul(device(), a.view(), b.view(), exact.view(), small(MatmulForm::exact, Precision::ieee));
  for (MatmulForm form : {MatmulForm::wrap, MatmulForm::mask}) {
    other.poison();
    kernels::matmul(device(), a.view(), b.view(), other.view(), small(form, Precision::ieee));
    expect_same(other, exact);
  }
}

TEST(Matmul, ItsOwnConfigs) {
  check<f16, f16>({256, 256, 128}, {});   // exact
  check<f16, f16>({130, 70, 100}, {});
  check<f16, f16>({1, 300, 20}, {});
}

// Widths that are no powers of two.
TEST(Matmul, OddMultiples) {
  check<f16, f16>({100, 100, 100}, {.config = MatmulConfig{.block_m = 48, .block_n = 96, .block_k = 32}});
  check<i8, i32>(
      {50, 150, 70},
      {.config = MatmulConfig{.form = MatmulForm::mask, .block_m = 16, .block_n = 144, .block_k = 32}});
}

TEST(Matmul, ConfigsOfExactFormNeedDivisibleSizes) {
  const auto &kernel = kernels::matmul_kernel<f16>;
  const f16 *in = nullptr;
  f16 *out = nullptr;
  const MatmulConfig exact{.form = MatmulForm::exact}, wrap{};
  auto keeps = [&](const MatmulConfig &cfg, int m, int n, int k) {
    return kernel.keep(cfg, in, in, out, m, n, k, k, 1, n, 1, n, 1);
  };
  EXPECT_TRUE(keeps(exact, 256, 128, 64));
  EXPECT_FALSE(keeps(exact, 257, 128, 64));
  EXPECT_FALSE(keeps(exact, 256, 127, 64));
  EXPECT_FALSE(keeps(exact, 256, 128, 65));
  EXPECT_TRUE(keeps(wrap, 257, 127, 65));
}

}   // namespace
}   // namespace tile
