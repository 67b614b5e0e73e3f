// SPDX-License-Identifier: MIT
// Products that share operands: one tile is both of them, as it is or transposed, or several products read
// it.
//
//    dot(x, x)    dot(x, trans(x))    dot(x, y) and dot(z, x)    dot(load p, trans(load p)), which are one
//    load
#include "tools/fuzz/described_products.h"

#include <algorithm>
#include <utility>

namespace tile::fuzz {
int transposed(Writer &w, int matrix) {
  Type type = w.type(matrix);
  std::swap(type.axes[0], type.axes[1]);
  return w.emit("tile.permute $0 [1, 0] : $t0 -> $T0", {matrix}, type, w.bound(matrix));
}

// ---------------------------------------------------------------------------------- tiles of any program

void shared_product(Writer &w, const Plan &plan) {
  std::vector<Multiplied> kinds = accepted_products(w, plan);
  std::erase_if(kinds, [](const Multiplied &kind) { return kind.a != kind.b; });
  if (plan.k < 0 || kinds.empty())
    return;
  const Multiplied kind = w.one_of(kinds);
  // All extents those of a group of four warps, or any.
  const bool is_square = plan.square >= 0 && !w.one_in(4);
  const int m = is_square ? plan.square : plan.m, n = is_square ? plan.square : plan.n,
            k = is_square ? plan.square : plan.k;
  const auto tile = [&](int rows, int columns) {
    const Type type{kind.a, {rows, columns}};
    if (elements(w.program, type) > most_elements)
      return -1;
    return w.one_in(2) ? load(w, plan, type) : w.any(type, 16);
  };
  const auto multiply = [&](int left, int right) {
    if (left >= 0 && right >= 0)
      some_product(w, kind, left, right);
  };
  switch (w.below(4)) {
  case 0: {
    const int x = tile(m, m);
    return multiply(x, x);
  }
  case 1: {
    const int x = tile(m, k);
    return x < 0 ? void() : multiply(x, transposed(w, x));
  }
  case 2: {
    const int x = tile(m, k);
    return x < 0 ? void() : multiply(transposed(w, x), x);
  }
  default: {
    const int x = tile(m, k), y = tile(k, n), z = tile(n, m);
    multiply(x, y);
    return multiply(z, x);
  }
  }
}

// ---------------------------------------------------------------------------------- blocks of tensors

void DescribedProducts::choose_sharing(Kind kind, bool must_have_roles) {
  if (program_.launch.num_warps < 4 || !w_.one_in(5))
    return;
  // Of elements that have not 16 bits units read both operands along K: x by x is no such product.
  const bool may_be_same = ElementType{kind}.bytes() == 2 || !must_have_roles;
  sharing_ = may_be_same && w_.one_in(2) ? Sharing::same : Sharing::transposed;
}

void DescribedProducts::share_operands(Product &second) {
  const Product &first = products_[0];
  second.shares_a = second.k == first.k && w_.one_in(2);
  if (second.shares_a)
    second.a_is_transposed = first.a_is_transposed;
  second.shares_b = second.k == first.k && w_.one_in(3);
}

// The tensors of all products, at the program's begin or where the tile is known.
void DescribedProducts::describe(const Plan &) {
  const std::string role = w_.is_ring() ? "ring" : "in";
  const auto factor = [&](Kind kind, int along, int times, int k, bool is_transposed) {
    const bool is_own = makes_maps_ && !w_.one_in(3);
    const std::string of = is_float(kind) ? role : "in";
    const bool is_stack = w_.one_in(8);
    return is_transposed ? tensor({of, kind, k, along, most_rounds, times, is_own, false, is_stack})
                         : tensor({of, kind, along, k, times, most_rounds, is_own, false, is_stack});
  };
  for (std::size_t i = 0; i < products_.size(); ++i) {
    Product &p = products_[i];
    p.a = p.shares_a ? products_[0].a : factor(p.kind.a, plan_.m, tiles_m_, p.k, p.a_is_transposed);
    // B is K by N, and transposed where it lies by columns.
    if (!p.shares_b && (i != 0 || sharing_ == Sharing::none))
      p.b = factor(p.kind.b, p.n, tiles_n_, p.k, !p.b_is_transposed);
  }
}

// Of the next product, behind those that there are `before`.
std::pair<int, int> DescribedProducts::operands(const Product &p,
                                                const std::vector<std::pair<int, int>> &before,
                                                const Steps &at) {
  const int along = at(p.k);
  const auto read = [&](const Tensor &t, bool is_transposed, int from) {
    return is_transposed ? load(t, along, from) : load(t, from, along);
  };
  const auto read_a = [&](bool is_wanted_transposed) {
    const int block = read(p.a, p.a_is_transposed, from_m_);
    return p.a_is_transposed != is_wanted_transposed ? transposed(w_, block) : block;
  };
  const int a = p.shares_a ? before[0].first : read_a(false);
  if (p.shares_b)
    return {a, before[0].second};
  if (before.empty() && sharing_ != Sharing::none) {
    const bool is_transposed = sharing_ == Sharing::transposed;
    if (w_.one_in(3))   // loaded again, which the compiler finds to be the same
      return {a, read_a(is_transposed)};
    return {a, is_transposed ? transposed(w_, a) : a};
  }
  const int b = read(p.b, !p.b_is_transposed, from_n_);
  return {a, p.b_is_transposed ? transposed(w_, b) : b};
}

}   // namespace tile::fuzz
