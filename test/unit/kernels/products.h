// SPDX-License-Identifier: MIT
// A product of random matrices in any placement, run by any of the kernels and compared with float64.
#pragma once

#include "on_device.h"

#include <tile/activation.h>
#include <tile/dsl.h>

namespace tile {

struct ProductCase {
  std::int64_t m, n, k;
  reference::Placement a{}, b{}, c{};
};

inline std::ostream &operator<<(std::ostream &to, const ProductCase &p) {
  auto placement = [&](const char *name, const reference::Placement &at) {
    to << " " << name << (at.by_columns ? ":columns" : ":rows") << " step " << at.step << " padding "
       << at.padding << " shift " << at.shift;
  };
  to << p.m << " x " << p.n << " x " << p.k;
  placement("a", p.a);
  placement("b", p.b);
  placement("c", p.c);
  return to;
}

template <class In> reference::Matrix as_multiplied(reference::Matrix values, Precision precision) {
  if (std::is_same_v<In, f32> && precision == Precision::tf32)
    for (double &value : values.values)
      value = reference::as_tf32(value);
  return values;
}

// multiply(a, b, c) on views; `activation` is the float64 twin of the kernel's.
template <class In, class Out, class Multiply>
void check_product(const ProductCase &p, Multiply multiply, reference::Function activation = nullptr,
                   Precision precision = Precision::tf32) {
  SCOPED_TRACE(::testing::PrintToString(p) + " " + element_type<In>.name() + " -> " +
               element_type<Out>.name());
  std::mt19937_64 source(static_cast<std::uint64_t>(p.m * 10007 + p.n * 101 + p.k + 1));
  reference::Placed<In> a(device(), "a", p.m, p.k, p.a), b(device(), "b", p.k, p.n, p.b);
  reference::Placed<Out> c(device(), "c", p.m, p.n, p.c);
  const auto x =
      as_multiplied<In>(a.fill(reference::random_matrix(p.m, p.k, element_type<In>, source)), precision);
  const auto y =
      as_multiplied<In>(b.fill(reference::random_matrix(p.k, p.n, element_type<In>, source)), precision);
  c.poison();
  multiply(a.view(), b.view(), c.view());
  device().synchronize();
  expect_result(c, reference::matmul(x, y, activation),
                reference::product_tolerance(element_type<In>, element_type<Out>, p.k));
}

template <class T> Tensor<T> plus_one(const Tensor<T> &x) { return x + 1; }
inline double plus_one_reference(double x) { return x + 1; }

}   // namespace tile
