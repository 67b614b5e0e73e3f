// SPDX-License-Identifier: MIT
// DO1, DO2, DO4-DO6: products of every type, small ones, stacks of them, and the ways of
// multiplying f32.
#include "context.h"
#include "families.h"
#include "product.h"
#include "types.h"

#include <cmath>
#include <limits>

namespace tile::conformance {

namespace {

struct DotConfig {
  int m = 16, n = 16, k = 16;
  bool a_by_columns = false, b_by_columns = false;
  Precision precision = Precision::tf32;
  int max_imprecise_acc = 0;
  Launch launch{};
};

template <class A, class B, class C>
void product(Ptr<const A> a, Ptr<const B> b, Ptr<const C> c, Ptr<C> z, const DotConfig &cfg) {
  const Int m = arange(0, cfg.m), n = arange(0, cfg.n), k = arange(0, cfg.k);
  const Tensor<A> x = cfg.a_by_columns ? load(a + (m(all, none) + k(none, all) * cfg.m))
                                       : load(a + (m(all, none) * cfg.k + k(none, all)));
  const Tensor<B> y = cfg.b_by_columns ? load(b + (k(all, none) + n(none, all) * cfg.k))
                                       : load(b + (k(all, none) * cfg.n + n(none, all)));
  const Int i = m(all, none) * cfg.n + n(none, all);
  store(z + i, dot(x, y, load(c + i),
                   DotOptions{.precision = cfg.precision, .max_imprecise_acc = cfg.max_imprecise_acc}));
}

using Launcher = void (*)(Context &, const DotConfig &, const Memory &, const Memory &, const Memory &,
                          const Memory &);
template <class A, class B, class C>
void launch_product(Context &t, const DotConfig &cfg, const Memory &a, const Memory &b, const Memory &c,
                    const Memory &z) {
  t.run<&product<A, B, C>>(cfg, {1}, {a, b, c, z});
}

struct DotTypes {
  ElementType a, b, c;
  Launcher launch;
  Precision precision = Precision::tf32;
  std::string name() const {
    const std::string operands = a == b ? a.name() : a.name() + "_" + b.name();
    if (a.kind == Kind::F32)
      return precision == Precision::ieee ? "f32_ieee" : "f32_tf32";
    return operands + "_to_" + c.name();
  }
};
template <class A, class B, class C> DotTypes types(Precision precision = Precision::tf32) {
  return {element_type<A>, element_type<B>, element_type<C>, &launch_product<A, B, C>, precision};
}

void check_product(Context &t, const DotTypes &types, DotConfig cfg) {
  cfg.precision = types.precision;
  const auto m = static_cast<std::size_t>(cfg.m), n = static_cast<std::size_t>(cfg.n),
             k = static_cast<std::size_t>(cfg.k);
  for (bool integers : {true, false}) {
    if (!integers && !types.a.is_float())
      continue;
    t.section(integers ? "inputs=integers" : "inputs=uniform");
    auto draw = [&](ElementType type, std::size_t size) {
      return integers ? exact_inputs(t, type, size) : t.numbers(type, size, Inputs::uniform);
    };
    const Array a = draw(types.a, m * k), b = draw(types.b, k * n), c = draw(types.c, m * n);
    const MatrixView va{&a, cfg.a_by_columns ? 1 : k, cfg.a_by_columns ? m : 1};
    const MatrixView vb{&b, cfg.b_by_columns ? 1 : n, cfg.b_by_columns ? k : 1}, vc{&c, n, 1};
    Memory &in_a = t.input(a), &in_b = t.input(b), &in_c = t.input(c), &out = t.output(types.c, m * n);
    types.launch(t, cfg, in_a, in_b, in_c, out);
    Tolerance tolerance = integers ? Tolerance{} : product_tolerance(types.a, types.c, k);
    if (types.precision == Precision::ieee && !integers)
      tolerance = {.relative = 1e-5, .absolute = 1e-4};
    t.close(out, multiply(va, vb, &vc, m, n, k), tolerance);
  }
}

std::string shape_name(const DotConfig &cfg) {
  return std::to_string(cfg.m) + "x" + std::to_string(cfg.n) + "x" + std::to_string(cfg.k);
}

void add_products(Suite &suite, const DotTypes &types) {
  const int least_k = types.a.bytes() == 1 ? 32 : types.a.bytes() == 2 ? 16 : types.a.bytes() == 4 ? 8 : 4;
  for (int size : {16, 32, 64}) {
    DotConfig cfg{.m = size, .n = size, .k = std::max(size, least_k)};
    for (bool a_by_columns : {false, true})
      for (bool b_by_columns : {false, true}) {
        cfg.a_by_columns = a_by_columns, cfg.b_by_columns = b_by_columns;
        suite.add("DO1/" + types.name() + "/" + shape_name(cfg) + (a_by_columns ? "/t" : "/n") +
                      (b_by_columns ? "t" : "n"),
                  [=](Context &t) { check_product(t, types, cfg); });
      }
  }
  const std::array<int, 4> shapes[] = {{128, 256, 32, 8}, {128, 16, 32, 4},  {32, 128, 64, 4},
                                       {32, 128, 64, 2},  {128, 128, 64, 4}, {128, 128, 64, 2},
                                       {64, 128, 128, 4}, {64, 128, 128, 2}, {64, 64, 32, 4},
                                       {32, 32, 128, 16}, {96, 208, 48, 4}};
  for (auto [m, n, k, warps] : shapes) {
    if (k < least_k)
      continue;
    const DotConfig cfg{.m = m, .n = n, .k = k, .launch = {.num_warps = warps}};
    suite.add("DO1/" + types.name() + "/" + shape_name(cfg) + "/warps_" +
                  std::to_string(cfg.launch.num_warps),
              [=](Context &t) { check_product(t, types, cfg); });
  }
}

struct BatchConfig {
  int batch = 2, m = 32, n = 32, k = 32;
  bool a_transposed = false, b_transposed = false;
};
template <class T, class C> void batched(Ptr<const T> a, Ptr<const T> b, Ptr<C> z, const BatchConfig &cfg) {
  auto tile = [](const Ptr<const T> &p, int planes, int rows, int columns, bool transposed) {
    if (!transposed)
      return load(p + reshape(arange(0, planes * rows * columns), {planes, rows, columns}));
    return trans(load(p + reshape(arange(0, planes * rows * columns), {planes, columns, rows})));
  };
  const Tensor<T> x = tile(a, cfg.batch, cfg.m, cfg.k, cfg.a_transposed),
                  y = tile(b, cfg.batch, cfg.k, cfg.n, cfg.b_transposed);
  store(z + reshape(arange(0, cfg.batch * cfg.m * cfg.n), {cfg.batch, cfg.m, cfg.n}), dot(x, y));
}

template <class T, class C> void check_batch(Context &t, const BatchConfig &cfg) {
  const auto m = static_cast<std::size_t>(cfg.m), n = static_cast<std::size_t>(cfg.n),
             k = static_cast<std::size_t>(cfg.k);
  const auto batch = static_cast<std::size_t>(cfg.batch);
  const Array a = t.numbers<T>(batch * m * k, Inputs::integers),
              b = t.numbers<T>(batch * k * n, Inputs::integers);
  Array expected(element_type<C>, batch * m * n);
  for (std::size_t plane = 0; plane < batch; ++plane) {
    const MatrixView va{&a, cfg.a_transposed ? 1 : k, cfg.a_transposed ? m : 1, plane * m * k};
    const MatrixView vb{&b, cfg.b_transposed ? 1 : n, cfg.b_transposed ? k : 1, plane * k * n};
    const std::vector<double> c = multiply(va, vb, nullptr, m, n, k);
    for (std::size_t i = 0; i < m * n; ++i)
      expected.set_integer(plane * m * n + i, static_cast<Wide>(c[i]));
  }
  Memory &in_a = t.input(a), &in_b = t.input(b), &out = t.output<C>(batch * m * n);
  t.run<&batched<T, C>>(cfg, {1}, {in_a, in_b, out});
  t.exact(out, expected);
}

// Leading axes of 2, folded into one batch axis and unfolded again.
struct RankConfig {
  int rank = 4;
};
void product_of_rank(Ptr<const f16> a, Ptr<const f16> b, Ptr<f32> z, const RankConfig &cfg) {
  const int batch = 1 << (cfg.rank - 2);
  Shape shape(static_cast<std::size_t>(cfg.rank - 2), 2);
  shape.insert(shape.end(), {32, 32});
  const Int i = reshape(arange(0, batch * 1024), shape);
  const Tensor<f16> x = reshape(load(a + i), {batch, 32, 32}), y = reshape(load(b + i), {batch, 32, 32});
  store(z + i, reshape(dot(x, trans(y)), shape));
}

// Plain tf32 keeps about three decimal digits; the decomposed forms must do ten times better.
void check_split(Context &t, Precision precision, int size) {
  const DotTypes f32_types = types<f32, f32, f32>(precision);
  const auto n = static_cast<std::size_t>(size);
  const Array a = t.numbers<f32>(n * n, Inputs::uniform), b = t.numbers<f32>(n * n, Inputs::uniform),
              c(element_type<f32>, n * n);
  const std::vector<double> expected = multiply({&a, n, 1}, {&b, n, 1}, nullptr, n, n, n);
  auto worst = [&](Precision p) {
    Memory &in_a = t.input(a), &in_b = t.input(b), &in_c = t.input(c), &out = t.output<f32>(n * n);
    f32_types.launch(t, {.m = size, .n = size, .k = size, .precision = p}, in_a, in_b, in_c, out);
    const Array got = out.read();
    double error = 0;
    for (std::size_t i = 0; i < n * n; ++i)
      error = std::max(error, std::fabs(static_cast<double>(got.real(i)) - expected[i]));
    return error;
  };
  const double plain = worst(Precision::tf32), split = worst(precision);
  t.require(split * 10 <= plain,
            "the error is " + std::to_string(split) + ", that of plain tf32 " + std::to_string(plain));
  t.require(plain > 0, "tf32 products of random numbers came out exact: the operands were not shortened");

  // The parts of the other operand have either sign: none of them may turn an infinity into a NaN. The
  // largest float has no neighbour above it that a part could be rounded to.
  constexpr long double infinity = std::numeric_limits<long double>::infinity();
  const long double largest = static_cast<long double>(std::numeric_limits<float>::max());
  Array by_rows = a, by_columns = a, positive(element_type<f32>, n * n);
  for (std::size_t i = 0; i < n * n; ++i)
    positive.set_real(i, t.uniform(0.5, 1));
  std::size_t at = 0;
  for (long double special : {infinity, -infinity, std::numeric_limits<long double>::quiet_NaN(), largest}) {
    by_rows.set_real(at * n, special);
    by_columns.set_real(at++, special);
  }
  for (const auto &[left, right] : {std::pair{&by_rows, &positive}, {&positive, &by_columns}}) {
    t.section(left == &by_rows ? "infinities and NaN in a" : "infinities and NaN in b");
    Memory &in_a = t.input(*left), &in_b = t.input(*right), &in_c = t.input(c), &out = t.output<f32>(n * n);
    f32_types.launch(t, {.m = size, .n = size, .k = size, .precision = precision}, in_a, in_b, in_c, out);
    t.close(out, multiply({left, n, 1}, {right, n, 1}, nullptr, n, n, n),
            precision == Precision::bf16x3 ? Tolerance{.relative = 5e-5, .absolute = 2e-3}
                                           // 16 bits of each
                                           : Tolerance{.relative = 1e-5, .absolute = 1e-4});
  }
}

template <class A, class B> void add_partial_sums(Suite &suite) {
  for (auto [m, n, k] : {std::array{128, 256, 128}, {64, 64, 64}})
    for (int limit : {0, 32, 64, 128}) {
      if (limit > k)
        continue;
      const DotConfig cfg{.m = m, .n = n, .k = k, .max_imprecise_acc = limit, .launch = {.num_warps = 8}};
      suite.add("DO6/" + types<A, B, f32>().name() + "/" + shape_name(cfg) + "/limit_" +
                    std::to_string(limit),
                [=](Context &t) { check_product(t, types<A, B, f32>(), cfg); });
    }
}

}   // namespace

void add_dot_cases(Suite &suite) {
  for (const DotTypes &each_types :
       {types<f16, f16, f32>(), types<f16, f16, f16>(), types<bf16, bf16, f32>(), types<f32, f32, f32>(),
        types<f32, f32, f32>(Precision::ieee), types<e4m3, e4m3, f32>(), types<e5m2, e5m2, f32>(),
        types<e4m3, e5m2, f32>(), types<e5m2, e4m3, f32>(), types<e4m3, e4m3, f16>(), types<i8, i8, i32>(),
        types<u8, u8, i32>(), types<f64, f64, f64>()})
    add_products(suite, each_types);

  auto add_small = [&](const DotTypes &small_types, int m, int n, int k, int warps) {
    const DotConfig cfg{.m = m, .n = n, .k = k, .launch = {.num_warps = warps}};
    suite.add("DO2/" + small_types.name() + "/" + shape_name(cfg),
              [=](Context &t) { check_product(t, small_types, cfg); });
  };
  for (const DotTypes &small_types :
       {types<f16, f16, f32>(), types<e5m2, e5m2, f32>(), types<f32, f32, f32>(), types<f64, f64, f64>()}) {
    add_small(small_types, 2, 4, 32, 1);
    add_small(small_types, 1, 2, 32, 1);
  }
  add_small(types<f32, f32, f32>(), 64, 8, 8, 4);
  add_small(types<f16, f16, f32>(), 64, 8, 16, 4);
  for (auto [m, n, k] : {std::array{8, 8, 4}, {8, 8, 8}, {16, 8, 4}, {8, 8, 16}})
    add_small(types<f64, f64, f64>(), m, n, k, 1);

  auto add_batch = [&]<class T, class C>(const BatchConfig &cfg) {
    suite.add("DO4/" + type_name<T>() + "/" + std::to_string(cfg.batch) + "x" + std::to_string(cfg.m) + "x" +
                  std::to_string(cfg.n) + "x" + std::to_string(cfg.k) + (cfg.a_transposed ? "/t" : "/n") +
                  (cfg.b_transposed ? "t" : "n"),
              [=](Context &t) { check_batch<T, C>(t, cfg); });
  };
  auto add_batches = [&]<class T, class C>() {
    for (int batch : {1, 2, 4, 8})
      for (int size : {32, 64})
        add_batch.template operator()<T, C>({batch, size, size, size});
    for (auto [m, n] : {std::pair{1, 32}, {32, 2}, {8, 8}})
      add_batch.template operator()<T, C>({2, m, n, 32});
    add_batch.template operator()<T, C>({4, 128, 128, 64});
    add_batch.template operator()<T, C>({2, 32, 32, 32, true, false});
    add_batch.template operator()<T, C>({2, 32, 32, 32, false, true});
    add_batch.template operator()<T, C>({2, 32, 64, 32, true, true});
  };
  add_batches.template operator()<i8, i32>();
  add_batches.template operator()<f16, f32>();
  add_batches.template operator()<f32, f32>();
  add_batches.template operator()<f64, f64>();
  for (int rank : {3, 4, 5, 6})
    suite.add("DO4/rank_" + std::to_string(rank), [=](Context &t) {
      const std::size_t batch = std::size_t{1} << (rank - 2), n = batch * 1024;
      const Array a = t.numbers<f16>(n, Inputs::integers), b = t.numbers<f16>(n, Inputs::integers);
      std::vector<double> expected;
      for (std::size_t plane = 0; plane < batch; ++plane) {
        const std::vector<double> c =
            multiply({&a, 32, 1, plane * 1024}, {&b, 1, 32, plane * 1024}, nullptr, 32, 32, 32);
        expected.insert(expected.end(), c.begin(), c.end());
      }
      Memory &in_a = t.input(a), &in_b = t.input(b), &out = t.output<f32>(n);
      t.run<&product_of_rank>({rank}, {1}, {in_a, in_b, out});
      t.close(out, expected, {});
    });
  for (auto [name, precision] :
       {std::pair{"tf32x3", Precision::tf32x3}, {"bf16x3", Precision::bf16x3}, {"bf16x6", Precision::bf16x6}})
    for (int size : {64, 128})
      suite.add("DO5/" + std::string(name) + "/" + std::to_string(size),
                [=, precision = precision](Context &t) { check_split(t, precision, size); });
  add_partial_sums<e5m2, e5m2>(suite);
  add_partial_sums<e4m3, e4m3>(suite);
}

}   // namespace tile::conformance
