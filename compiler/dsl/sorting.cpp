// SPDX-License-Identifier: MIT
// Sorting by a bitonic network, whose steps are shape operations: to compare elements that are
// 2^j apart, [.., n] is seen as [.., n / 2^(j+1), 2, 2^j]. The axis of extent 2 separates each pair.
#include "compiler/dsl/shapes.h"

#include <optional>

namespace tile::detail {

namespace {

bool is_power_of_two(std::int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

ElementType signed_twin(ElementType t) {
  switch (t.bits()) {
  case 16:
    return {Kind::I16};
  case 32:
    return {Kind::I32};
  default:
    return {Kind::I64};
  }
}

// Its own inverse: between the bits of a float and an integer of the same order,
// -inf < .. < -0 < +0 < .. < +inf < NaN without a sign.
Use flip_negative(const Use &bits) {
  ElementType t = bits.value.type;
  const int width = t.bits();
  Use sign = binary(Binary::shr, bits, integer_constant(t, width - 1, bits.loc));
  Use mantissa =
      integer_constant(t, static_cast<std::int64_t>((std::uint64_t(1) << (width - 1)) - 1), bits.loc);
  return binary(Binary::bit_xor, bits, binary(Binary::bit_and, sign, mantissa));
}

// Integers that are ordered as the elements are; all NaNs are the largest.
Use to_keys(const Use &a) {
  if (!a.value.type.is_float())
    return a;
  ElementType t = signed_twin(a.value.type);
  Use largest =
      integer_constant(t, static_cast<std::int64_t>((std::uint64_t(1) << (t.bits() - 1)) - 1), a.loc);
  return where(compare(Compare::ne, a, a), largest, flip_negative(bitcast(a, t)));
}

Use from_keys(const Use &keys, ElementType t) {
  return t.is_float() ? bitcast(flip_negative(keys), t) : keys;
}

// The pairs of elements of [rows, n] that are 2^j apart, as [rows, n / 2^(j+1), 2^j] each.
struct Pairs {
  Use a, b;
};
Pairs pairs_of(const Use &rows, int j) {
  const std::int64_t n = rows.value.shape[1], near = std::int64_t(1) << j;
  auto [a, b] =
      split(permute(reshape(rows, {rows.value.shape[0], n / (2 * near), 2, near}, false), {0, 1, 3, 2}));
  return {a, b};
}
Use joined(const Pairs &p, const Use &rows) {
  return reshape(permute(join(p.a, p.b), {0, 1, 3, 2}), rows.value.shape, false);
}
// Which pairs lie in a block of 2^k that is sorted downward: every second one; none where there is one block.
std::optional<Use> downward(const Use &rows, int k, int j) {
  const std::int64_t n = rows.value.shape[1];
  if ((std::int64_t(1) << k) >= n)
    return {};
  // Bit k of an element's index is bit k - j - 1 of its pair's.
  ElementType i32{Kind::I32};
  Use bit = binary(Binary::bit_and, arange(0, n >> (j + 1), rows.loc),
                   integer_constant(i32, std::int64_t(1) << (k - j - 1), rows.loc));
  Use down = compare(Compare::ne, bit, integer_constant(i32, 0, rows.loc));
  return expand_dims(expand_dims(down, 0), 2);
}

// One comparison of all pairs 2^j apart, in blocks of 2^k that are sorted up and down in turn.
Use exchange(const Use &keys, int k, int j, bool descending) {
  const Pairs p = pairs_of(keys, j);
  Use low = binary(Binary::min, p.a, p.b), high = binary(Binary::max, p.a, p.b);
  if (descending)
    std::swap(low, high);
  const std::optional<Use> down = downward(keys, k, j);
  if (!down)
    return joined({low, high}, keys);
  Use before = where(*down, high, low);
  return joined({before, where(*down, low, high)}, keys);
}

Use sorted_rows(const Use &a, bool descending) {
  const Shape &s = a.value.shape;
  const std::int64_t n = s.back();
  Use keys = reshape(to_keys(a), {element_count(s) / n, n}, false);
  for (int k = 1; (std::int64_t(1) << k) <= n; ++k)
    for (int j = k - 1; j >= 0; --j)
      keys = exchange(keys, k, j, descending);
  return keys;
}

void check_rows(const char *what, const Use &a) {
  axis_of(what, -1, a);
  if (!is_power_of_two(a.value.shape.get().back()))
    throw Error(std::string(what) + ": the last axis of shape " + text(a.value.shape) +
                    " is not a power of two",
                a.loc);
}

}   // namespace

Use sort(const Use &a, Descending descending) {
  check_rows("sort", a);
  Use keys = sorted_rows(a, descending == Descending::yes);
  return from_keys(reshape(keys, a.value.shape, false), a.value.type);
}

namespace {

// Of the first k columns of [rows, n].
Use first_columns(const Use &rows, std::int64_t k) {
  if (k == rows.value.shape[1])
    return rows;
  Use column = broadcast(expand_dims(arange(0, k, rows.loc), 0), {rows.value.shape[0], k});
  return gather(rows, column, 1);
}

void check_k(const char *what, const Use &a, std::int64_t k) {
  if (!is_power_of_two(k) || k > a.value.shape.get().back())
    throw Error(std::string(what) + ": k is " + std::to_string(k) +
                    "; it must be a power of two up to the last extent of " + text(a.value.shape),
                a.loc);
}

// One step of the network on keys and the indices that they had. No two elements are equal: of equal keys the
// one with the lower index comes first.
struct Indexed {
  Use keys, index;
};
Indexed exchange(const Indexed &x, int k, int j, bool descending) {
  const Pairs keys = pairs_of(x.keys, j), index = pairs_of(x.index, j);
  Use later = compare(descending ? Compare::lt : Compare::gt, keys.a, keys.b);
  Use equal = compare(Compare::eq, keys.a, keys.b);
  Use behind = compare(Compare::gt, index.a, index.b);
  Use swap = binary(Binary::bit_or, later, binary(Binary::bit_and, equal, behind));
  if (const std::optional<Use> down = downward(x.keys, k, j))
    swap = binary(Binary::bit_xor, swap, *down);
  auto placed = [&](const Pairs &p) {
    Use before = where(swap, p.b, p.a);
    return joined({before, where(swap, p.a, p.b)}, x.keys);
  };
  Use moved = placed(keys);
  return {moved, placed(index)};
}

}   // namespace

std::vector<Use> sort_together(const char *what, const std::vector<Use> &tiles, Descending descending,
                               const std::int64_t *k) {
  const Use &first = tiles[0];
  check_rows(what, first);
  for (const Use &tile : tiles)
    if (tile.value.shape != first.value.shape)
      throw Error(std::string(what) + ": the tiles have shapes " + text(first.value.shape) + " and " +
                      text(tile.value.shape) + "; all must have the same shape",
                  tile.loc);
  Shape s = first.value.shape;
  if (k)
    check_k(what, first, *k);
  const std::int64_t n = s.back(), rows = element_count(s) / n;
  Use keys = reshape(to_keys(first), {rows, n}, false);
  Indexed x{keys, broadcast(expand_dims(arange(0, n, first.loc), 0), {rows, n})};
  for (int step = 1; (std::int64_t(1) << step) <= n; ++step)
    for (int j = step - 1; j >= 0; --j)
      x = exchange(x, step, j, descending == Descending::yes);

  Use index = k ? first_columns(x.index, *k) : x.index;
  s.back() = k ? *k : n;
  // What moved is taken from where it was: also of the first tile, whose NaNs keep their bits so.
  std::vector<Use> result;
  for (const Use &tile : tiles)
    result.push_back(reshape(gather(reshape(tile, {rows, n}, false), index, 1), s, false));
  result.push_back(reshape(index, s, false));
  return result;
}

Use topk(const Use &a, std::int64_t k) {
  check_rows("topk", a);
  check_k("topk", a, k);
  Shape s = a.value.shape;
  Use keys = sorted_rows(a, true);
  s.back() = k;
  return from_keys(reshape(first_columns(keys, k), s, false), a.value.type);
}

Use histogram(const Use &a, std::int64_t bins, const Use *mask) {
  check_shape("histogram: the bins", {bins}, a.loc);
  std::vector<Use> operands{ravel(a)};
  if (mask)
    operands.push_back(ravel(fit("the mask of histogram", *mask, a.value.shape, "the values")));
  return record(Code::histogram, std::move(operands), {Kind::I32}, {bins}, a.loc);
}

}   // namespace tile::detail
