// SPDX-License-Identifier: MIT
// A product as BLAS sees it: matrices are stored by columns there, so c = a * b, all by rows, is asked for as
// c' = b' * a', which are the same bytes.
#pragma once

#include "tools/registry/problem.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tile::bench::blas {

// A number in the type that BLAS scales with.
struct Scale {
  double f64;
  float f32;
  std::int32_t i32;
};

struct ProductCall {
  std::int64_t m, n, k;   // of the transposed product: m columns of our c, n rows
  std::vector<std::int64_t>
      rows;   // n of all products in one call of the kernel, which are groups of a, b, c
  int transFirst, transSecond;
  std::int64_t ldFirst, ldSecond, ldResult;
  int inType, outType, computeType, scaleType;
  std::int64_t
      batch;   // matrices of each; so many elements from one matrix to the next, 0 where it is shared
  std::int64_t stepFirst, stepSecond, stepResult;
  const void *one() const;
  const void *zero() const;
};

// Throws Cannot where BLAS has no such function: activations, sums, rows.
ProductCall product_call(const registry::Problem &problem, const std::string &library);
std::string version_text(std::size_t version);               // 130100: "13.1.0"
std::string layout_name(const registry::Problem &product);   // "nt"

}   // namespace tile::bench::blas
