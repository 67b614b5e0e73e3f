// SPDX-License-Identifier: MIT
// DO3 and DO7: what is done with a product. The accumulator has a layout of its own, and each
// of these asks for another.
#include "context.h"
#include "families.h"
#include "product.h"
#include "types.h"

#include <cmath>

namespace tile::conformance {

namespace {

enum class Epilogue { none, transposed, plus_matrix, plus_rows, plus_columns, softmax, chained };
constexpr Epilogue epilogues[] = {Epilogue::none,      Epilogue::transposed,   Epilogue::plus_matrix,
                                  Epilogue::plus_rows, Epilogue::plus_columns, Epilogue::softmax,
                                  Epilogue::chained};
const char *name_of(Epilogue epilogue) {
  static const char *const names[] = {"none",         "transpose", "plus_matrix", "plus_rows",
                                      "plus_columns", "softmax",   "chained"};
  return names[static_cast<int>(epilogue)];
}

struct EpilogueConfig {
  Epilogue epilogue = Epilogue::none;
  int m = 128, n = 128, k = 64;
  Launch launch{.num_warps = 8};
};

// `e` is the matrix, row or column that is added, or the second factor (n x n) of a chain.
template <class T, class E, class C>
void product_and(Ptr<const T> a, Ptr<const T> b, Ptr<const E> e, Ptr<C> z, const EpilogueConfig &cfg) {
  const Int m = arange(0, cfg.m), n = arange(0, cfg.n), k = arange(0, cfg.k);
  const Tensor<C> c =
      dot(load(a + (m(all, none) * cfg.k + k(none, all))), load(b + (k(all, none) * cfg.n + n(none, all))));
  const Int i = m(all, none) * cfg.n + n(none, all);
  switch (cfg.epilogue) {
  case Epilogue::none:
    return store(z + i, c);
  case Epilogue::transposed:
    return store(z + (n(all, none) * cfg.m + m(none, all)), trans(c));
  case Epilogue::plus_matrix:
    return store(z + i, c + cast<C>(load(e + i)));
  case Epilogue::plus_rows:
    return store(z + i, c + cast<C>(load(e + m))(all, none));
  case Epilogue::plus_columns:
    return store(z + i, c + cast<C>(load(e + n))(none, all));
  case Epilogue::softmax:
    if constexpr (is_float<C>)
      store(z + i, softmax(c, 1));
    return;
  case Epilogue::chained: {
    const Tensor<E> right = load(e + (n(all, none) * cfg.n + n(none, all)));
    return store(z + i, dot(cast<E>(c), right));
  }
  }
}

// The type of the second factor and of what is added: that of the operands where a product of
// it is legal and exact on small integers.
template <class T, class E, class C> void check_epilogue(Context &t, const EpilogueConfig &cfg) {
  const auto m = static_cast<std::size_t>(cfg.m), n = static_cast<std::size_t>(cfg.n),
             k = static_cast<std::size_t>(cfg.k);
  auto small = [&](std::size_t size) {   // sparse, so that a chain stays exact in 16 bits and in i8
    Array values(element_type<T>, size);
    for (std::size_t i = 0; i < size; ++i)
      values.set_integer(i, t.between(0, 3) ? 0 : t.between(is_signed<T> ? -1 : 0, 1));
    return values;
  };
  const Array a = small(m * k), b = small(k * n);
  Array e(element_type<E>, std::max(m, n) * n);
  for (std::size_t i = 0; i < e.size(); ++i)
    e.set_integer(i, t.between(is_signed<E> ? -1 : 0, 1));
  const std::vector<double> c = multiply({&a, k, 1}, {&b, n, 1}, nullptr, m, n, k);
  std::vector<double> expected = c;
  if (cfg.epilogue == Epilogue::chained) {
    Array middle(element_type<f64>, m * n);
    for (std::size_t i = 0; i < m * n; ++i)
      middle.set_real(i, c[i]);
    expected = multiply({&middle, n, 1}, {&e, n, 1}, nullptr, m, n, n);
  }
  for (std::size_t i = 0; i < m; ++i) {
    double total = 0, greatest = c[i * n];
    for (std::size_t j = 0; j < n; ++j)
      greatest = std::max(greatest, c[i * n + j]);
    for (std::size_t j = 0; j < n; ++j)
      total += std::exp(c[i * n + j] - greatest);
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t at = i * n + j;
      switch (cfg.epilogue) {
      case Epilogue::transposed:
        expected[j * m + i] = c[at];
        break;
      case Epilogue::plus_matrix:
        expected[at] += static_cast<double>(e.real(at));
        break;
      case Epilogue::plus_rows:
        expected[at] += static_cast<double>(e.real(i));
        break;
      case Epilogue::plus_columns:
        expected[at] += static_cast<double>(e.real(j));
        break;
      case Epilogue::softmax:
        expected[at] = std::exp(c[at] - greatest) / total;
        break;
      default:
        break;
      }
    }
  }
  Memory &in_a = t.input(a), &in_b = t.input(b), &in_e = t.input(e), &out = t.output<C>(m * n);
  t.run<&product_and<T, E, C>>(cfg, {1}, {in_a, in_b, in_e, out});
  t.close(out, expected,
          cfg.epilogue == Epilogue::softmax ? Tolerance{is_fp8<T> || sizeof(C) == 2 ? 0.01 : 1e-4, 1e-4}
                                            : Tolerance{});
}

template <class T, class E, class C> void add_epilogues(Suite &suite, const std::string &name) {
  for (Epilogue epilogue : epilogues) {
    if (epilogue == Epilogue::softmax && !is_float<C>)
      continue;
    for (auto [m, n, k, warps] : {std::array{64, 64, 32, 4}, {128, 128, 64, 8}}) {
      const EpilogueConfig cfg{epilogue, m, n, k, {.num_warps = warps}};
      suite.add("DO3/" + name + "/" + name_of(epilogue) + "/" + std::to_string(m) + "x" + std::to_string(n) +
                    "x" + std::to_string(k),
                [=](Context &t) { check_epilogue<T, E, C>(t, cfg); });
    }
  }
}

struct ChainConfig {
  int size = 64;
  Launch launch{};
};

// ((A B)^T as T) C, the order in which attention's backward pass meets it.
template <class T> void transposed_chain(Ptr<const T> a, Ptr<const T> b, Ptr<const T> c, Ptr<f32> z,
                                         const ChainConfig &cfg) {
  const Int i = reshape(arange(0, cfg.size * cfg.size), {cfg.size, cfg.size});
  const Tensor<T> first = cast<T>(dot(load(a + i), load(b + i)));
  store(z + i, dot(trans(first), load(c + i)));
}

template <class T> void check_transposed_chain(Context &t, int size, int warps) {
  const auto n = static_cast<std::size_t>(size);
  auto small = [&] {
    Array values(element_type<T>, n * n);
    for (std::size_t i = 0; i < n * n; ++i)
      values.set_integer(i, t.between(0, 2) ? 0 : t.between(-1, 1));
    return values;
  };
  const Array a = small(), b = small(), c = small();
  const std::vector<double> first = multiply({&a, n, 1}, {&b, n, 1}, nullptr, n, n, n);
  Array middle(element_type<f64>, n * n);
  for (std::size_t i = 0; i < n * n; ++i)
    middle.set_real(i, first[i]);
  Memory &in_a = t.input(a), &in_b = t.input(b), &in_c = t.input(c), &out = t.output<f32>(n * n);
  t.run<&transposed_chain<T>>({size, {.num_warps = warps}}, {1}, {in_a, in_b, in_c, out});
  t.close(out, multiply({&middle, 1, n}, {&c, n, 1}, nullptr, n, n, n), {});
}

}   // namespace

void add_dot_epilogue_cases(Suite &suite) {
  add_epilogues<f16, f16, f32>(suite, "f16_to_f32");
  add_epilogues<bf16, bf16, f32>(suite, "bf16_to_f32");
  add_epilogues<f32, f32, f32>(suite, "f32_tf32");
  add_epilogues<e4m3, f16, f32>(suite, "e4m3_to_f32");
  add_epilogues<e5m2, f16, f32>(suite, "e5m2_to_f32");
  add_epilogues<i8, i8, i32>(suite, "i8_to_i32");
  add_epilogues<f64, f64, f64>(suite, "f64");
  each(Types<f16, bf16>{}, [&]<class T>() {
    for (int size : {64, 128})
      for (int warps : {1, 2, 4, 8})
        suite.add("DO7/" + type_name<T>() + "/" + std::to_string(size) + "/warps_" + std::to_string(warps),
                  [=](Context &t) { check_transposed_chain<T>(t, size, warps); });
  });
}

}   // namespace tile::conformance
