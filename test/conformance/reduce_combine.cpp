// SPDX-License-Identifier: MIT
// RE3-RE6: reductions with a user's combine function, of products, after permutations, and
// carried through loops.
#include "context.h"
#include "families.h"
#include "types.h"

#include <algorithm>
#include <cmath>

namespace tile::conformance {

namespace {

struct CombineConfig {
  int rows = 32, columns = 64;
};

// Mean and variance of each row by Chan's pairwise update: three values are reduced together.
void welford(Ptr<const f32> x, Ptr<f32> means, Ptr<f32> variances, const CombineConfig &cfg) {
  const Int row = arange(0, cfg.rows), column = arange(0, cfg.columns);
  const Tensor<f32> value = load(x + (row(all, none) * cfg.columns + column(none, all)));
  auto [mean, m2, count] =
      reduce(std::tuple{value, zeros_like(value), full_like(value, 1.0f)}, 1, [](auto a, auto b) {
        auto [mean_a, m2_a, count_a] = a;
        auto [mean_b, m2_b, count_b] = b;
        const Tensor<f32> both = count_a + count_b, delta = mean_b - mean_a;
        return std::tuple{mean_a + delta * (count_b / both),
                          m2_a + m2_b + delta * delta * (count_a * count_b / both), both};
      });
  store(means + row, mean);
  store(variances + row, m2 / count);
}

void check_welford(Context &t) {
  Array x(element_type<f32>, 32 * 64);
  std::vector<double> means(32), variances(32);
  for (std::size_t i = 0; i < 32; ++i) {
    double sum = 0, squares = 0;
    for (std::size_t j = 0; j < 64; ++j) {
      x.set_real(i * 64 + j, t.uniform(-3, 5));
      sum += static_cast<double>(x.real(i * 64 + j));
    }
    means[i] = sum / 64;
    for (std::size_t j = 0; j < 64; ++j)
      squares += std::pow(static_cast<double>(x.real(i * 64 + j)) - means[i], 2);
    variances[i] = squares / 64;
  }
  Memory &in = t.input(x), &out_means = t.output<f32>(32), &out_variances = t.output<f32>(32);
  t.run<&welford>({}, {1}, {in, out_means, out_variances});
  t.close(out_means, means, {.relative = 1e-4, .absolute = 1e-5});
  t.close(out_variances, variances, {.relative = 1e-4});
}

// The greatest value and its place, written by hand: f32 and i32 together, both axes.
void argmax_pair(Ptr<const f32> x, Ptr<f32> values, Ptr<i32> places, const CombineConfig &cfg) {
  const Int row = arange(0, cfg.rows), column = arange(0, cfg.columns);
  const Tensor<f32> value = load(x + (row(all, none) * cfg.columns + column(none, all)));
  const Int index = broadcast_to(row(all, none), {cfg.rows, cfg.columns});
  auto [best, place] = reduce(std::tuple{value, index}, 0, [](auto a, auto b) {
    auto [value_a, index_a] = a;
    auto [value_b, index_b] = b;
    const Bool first = value_a >= value_b;
    return std::tuple{where(first, value_a, value_b), where(first, index_a, index_b)};
  });
  store(values + column, best);
  store(places + column, place);
}

void check_argmax_pair(Context &t) {
  const Array x = t.numbers<f32>(32 * 64, Inputs::integers);
  Array values(element_type<f32>, 64), places(element_type<i32>, 64);
  for (std::size_t j = 0; j < 64; ++j) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < 32; ++i)
      if (x.real(i * 64 + j) > x.real(best * 64 + j))
        best = i;
    values.set_bits(j, x.bits(best * 64 + j));
    places.set_integer(j, static_cast<Wide>(best));
  }
  Memory &in = t.input(x), &out_values = t.output<f32>(64), &out_places = t.output<i32>(64);
  t.run<&argmax_pair>({}, {1}, {in, out_values, out_places});
  t.exact(out_values, values);
  t.exact(out_places, places);
}

// Associative, but the order shows: the combination of 2x2 matrices (a b; 0 1) by product.
void affine_product(Ptr<const i32> a, Ptr<const i32> b, Ptr<i32> z, const CombineConfig &cfg) {
  const Int i = arange(0, cfg.columns);
  auto [scale, shift] = reduce(std::tuple{load(a + i), load(b + i)}, 0, [](auto p, auto q) {
    auto [pa, pb] = p;
    auto [qa, qb] = q;
    return std::tuple{pa * qa, pb * qa + qb};
  });
  store(z, scale);
  store(z + 1, shift);
}

struct ProductConfig {
  int m = 128, n = 16, k = 32, axis = 0;
  Launch launch{.num_warps = 4};
};

// The accumulator of a dot has a layout of its own; reduced twice, the slice of it too.
template <class T, class C>
void reduce_product(Ptr<const T> a, Ptr<const T> b, Ptr<C> z, Ptr<C> total, const ProductConfig &cfg) {
  const Int m = arange(0, cfg.m), n = arange(0, cfg.n), k = arange(0, cfg.k);
  const Tensor<T> x = load(a + (m(all, none) * cfg.k + k(none, all)));
  const Tensor<T> y = load(b + (k(all, none) * cfg.n + n(none, all)));
  const Tensor<C> sums = sum(dot(x, y), cfg.axis);
  store(z + arange(0, cfg.axis == 0 ? cfg.n : cfg.m), sums);
  store(total, sum(sums, 0));
}

template <class T, class C> void check_reduce_product(Context &t, int m, int n, int axis) {
  const int k = 32;
  const auto [M, N, K] =
      std::array{static_cast<std::size_t>(m), static_cast<std::size_t>(n), static_cast<std::size_t>(k)};
  const Array a = t.numbers<T>(M * K, Inputs::integers), b = t.numbers<T>(K * N, Inputs::integers);
  std::vector<long double> sums(axis == 0 ? N : M);
  long double total = 0;
  for (std::size_t i = 0; i < M; ++i)
    for (std::size_t j = 0; j < N; ++j)
      for (std::size_t l = 0; l < K; ++l) {
        const long double product = a.real(i * K + l) * b.real(l * N + j);
        sums[axis == 0 ? j : i] += product;
        total += product;
      }
  Array expected(element_type<C>, sums.size()), expected_total(element_type<C>, 1);
  for (std::size_t i = 0; i < sums.size(); ++i)
    expected.set_integer(i, static_cast<Wide>(sums[i]));
  expected_total.set_integer(0, static_cast<Wide>(total));
  Memory &in_a = t.input(a), &in_b = t.input(b), &out = t.output<C>(sums.size()), &out_total = t.output<C>(1);
  t.run<&reduce_product<T, C>>({m, n, k, axis}, {1}, {in_a, in_b, out, out_total});
  t.exact(out, expected);
  t.exact(out_total, expected_total);
}

void truths(Ptr<const i1> x, Ptr<i1> odd, Ptr<i1> some, Ptr<i1> every, const CombineConfig &cfg) {
  const Int row = arange(0, cfg.rows), column = arange(0, cfg.columns);
  const Bool value = load(x + (row(all, none) * cfg.columns + column(none, all)));
  store(odd + row, xor_sum(value, 1));
  store(some + row, any(value, 1));
  store(every + row, all_of(value, 1));
}

void check_truths(Context &t) {
  Array x(element_type<i1>, 32 * 64), odd(element_type<i1>, 32), some(element_type<i1>, 32),
      every(element_type<i1>, 32);
  for (std::size_t i = 0; i < 32; ++i) {
    std::size_t count = 0;
    for (std::size_t j = 0; j < 64; ++j) {
      const bool value = i == 0 ? false : i == 1 ? true : t.between(0, 1) == 1;
      x.set_bits(i * 64 + j, value);
      count += value;
    }
    odd.set_bits(i, count % 2);
    some.set_bits(i, count > 0);
    every.set_bits(i, count == 64);
  }
  Memory &in = t.input(x), &out_odd = t.output<i1>(32), &out_some = t.output<i1>(32),
         &out_every = t.output<i1>(32);
  t.run<&truths>({}, {1}, {in, out_odd, out_some, out_every});
  t.exact(out_odd, odd);
  t.exact(out_some, some);
  t.exact(out_every, every);
}

struct ChainConfig {
  bool second = false;
};
// Five axes, permuted, then three of them reduced one after the other.
void chained(Ptr<const i32> x, Ptr<i32> z, const ChainConfig &cfg) {
  const Shape shape = cfg.second ? Shape{8, 2, 32, 4, 16} : Shape{4, 32, 32, 4, 2};
  const Int value = load(x + reshape(arange(0, 32768), shape));
  if (!cfg.second) {
    const Int rest = xor_sum(xor_sum(xor_sum(permute(value, {2, 1, 0, 3, 4}), 3), 1), 0);
    store(z + reshape(arange(0, 8), {4, 2}), rest);
  } else {
    const Int rest = xor_sum(xor_sum(xor_sum(permute(value, {4, 0, 1, 3, 2}), 0), 2), 0);
    store(z + reshape(arange(0, 64), {2, 32}), rest);
  }
}

void check_chained(Context &t, bool second) {
  const Array x = t.numbers<i32>(32768, Inputs::uniform);
  Array expected(element_type<i32>, second ? 64 : 8);
  for (std::size_t i = 0; i < x.size(); ++i) {
    // First: (4,32,32,4,2) loses axes 3, 1 and 2 of the source and keeps (axis 0, axis 4).
    // Second: (8,2,32,4,16) permuted is (16,8,2,4,32); losing 16, 4 and 8 keeps (axis 1, axis 2).
    const std::size_t to =
        second ? (i / (32 * 4 * 16)) % 2 * 32 + (i / (4 * 16)) % 32 : i / (32 * 32 * 4 * 2) * 2 + i % 2;
    expected.set_bits(to, expected.bits(to) ^ x.bits(i));
  }
  Memory &in = t.input(x), &out = t.output<i32>(expected.size());
  t.run<&chained>({second}, {1}, {in, out});
  t.exact(out, expected);
}

enum class Carried { sum, max, min };
struct CarriedConfig {
  Carried fold = Carried::sum;
  int block = 64;
};
template <class T> void carried_reduction(Ptr<const T> x, Ptr<T> z, Int n, const CarriedConfig &cfg) {
  const Int i = arange(0, cfg.block);
  Tensor<T> acc = load(x + (program_id(0) * n + i));
  for (auto start : range(cfg.block, n, cfg.block)) {
    const Tensor<T> more = load(x + (program_id(0) * n + start + i));
    if (cfg.fold == Carried::sum)
      acc += more;
    else
      acc = cfg.fold == Carried::max ? maximum(acc, more) : minimum(acc, more);
  }
  const Tensor<T> result = cfg.fold == Carried::sum   ? sum(acc, 0)
                           : cfg.fold == Carried::max ? max(acc, 0)
                                                      : min(acc, 0);
  store(z + program_id(0), result);
}

template <class T> void check_carried(Context &t, Carried fold) {
  for (int block : {32, 64, 128})
    for (int n : {512, 1024, 2048})
      for (int programs : {2, 4}) {
        t.section("block=" + std::to_string(block) + " n=" + std::to_string(n));
        const auto length = static_cast<std::size_t>(n);
        const Array x = t.numbers<T>(length * static_cast<std::size_t>(programs), Inputs::integers);
        Array expected(element_type<T>, static_cast<std::size_t>(programs));
        for (std::size_t p = 0; p < expected.size(); ++p) {
          Wide value = fold == Carried::sum ? 0 : static_cast<Wide>(x.real(p * length));
          for (std::size_t i = 0; i < length; ++i) {
            const auto element = static_cast<Wide>(x.real(p * length + i));
            value = fold == Carried::sum   ? value + element
                    : fold == Carried::max ? std::max(value, element)
                                           : std::min(value, element);
          }
          expected.set_integer(p, value);
        }
        Memory &in = t.input(x), &out = t.output<T>(expected.size());
        t.run<&carried_reduction<T>>({fold, block}, {programs}, {in, out, n});
        t.exact(out, expected);
      }
}

}   // namespace

void add_combine_cases(Suite &suite) {
  suite.add("RE3/welford", check_welford);
  suite.add("RE3/argmax_pair", check_argmax_pair);
  suite.add("RE3/order_is_kept", [](Context &t) {
    const Array a = t.numbers<i32>(64, Inputs::uniform), b = t.numbers<i32>(64, Inputs::uniform);
    Array expected(element_type<i32>, 2);
    expected.set_integer(0, 1);
    for (std::size_t i = 0; i < 64; ++i) {
      expected.set_integer(1, expected.integer(1) * a.integer(i) + b.integer(i));
      expected.set_integer(0, expected.integer(0) * a.integer(i));
    }
    Memory &in_a = t.input(a), &in_b = t.input(b), &out = t.output<i32>(2);
    t.run<&affine_product>({}, {1}, {in_a, in_b, out});
    t.exact(out, expected);
  });
  for (auto [m, n] : {std::pair{128, 16}, {32, 128}, {64, 64}})
    for (int axis : {0, 1}) {
      const std::string shape = std::to_string(m) + "x" + std::to_string(n) + "/axis_" + std::to_string(axis);
      suite.add("RE4/f16_to_f32/" + shape,
                [=, m = m, n = n](Context &t) { check_reduce_product<f16, f32>(t, m, n, axis); });
      suite.add("RE4/i8_to_i32/" + shape,
                [=, m = m, n = n](Context &t) { check_reduce_product<i8, i32>(t, m, n, axis); });
    }
  suite.add("RE5/conditions", check_truths);
  suite.add("RE5/chained/4x32x32x4x2", [](Context &t) { check_chained(t, false); });
  suite.add("RE5/chained/8x2x32x4x16", [](Context &t) { check_chained(t, true); });
  each(Types<f32, i32>{}, [&]<class T>() {
    suite.add("RE6/sum/" + type_name<T>(), [](Context &t) { check_carried<T>(t, Carried::sum); });
    suite.add("RE6/max/" + type_name<T>(), [](Context &t) { check_carried<T>(t, Carried::max); });
    suite.add("RE6/min/" + type_name<T>(), [](Context &t) { check_carried<T>(t, Carried::min); });
  });
}

}   // namespace tile::conformance
