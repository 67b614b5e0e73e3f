// SPDX-License-Identifier: MIT
// Sorting by a bitonic network, whose steps are shape operations: to compare elements that are
// 2^j apart, [.., n] is seen as [.., n / 2^(j+1), 2, 2^j] and the axis of extent 2 is split off.
#include "compiler/dsl/shapes.h"

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

// One comparison of all pairs 2^j apart, in blocks of 2^k that are sorted up and down in turn.
Use exchange(const Use &keys, int k, int j, bool descending) {
  const std::int64_t rows = keys.value.shape[0], n = keys.value.shape[1];
  const std::int64_t near = std::int64_t(1) << j, pairs = n / (2 * near);
  Use view = permute(reshape(keys, {rows, pairs, 2, near}, false), {0, 1, 3, 2});
  auto [a, b] = split(view);
  Use low = binary(Binary::min, a, b), high = binary(Binary::max, a, b);
  if (descending)
    std::swap(low, high);
  Use first = low, second = high;
  if ((std::int64_t(1) << k) < n) {   // bit k of an element's index is bit k - j - 1 of its pair's
    ElementType i32{Kind::I32};
    Use bit = binary(Binary::bit_and, arange(0, pairs, keys.loc),
                     integer_constant(i32, std::int64_t(1) << (k - j - 1), keys.loc));
    Use down = compare(Compare::ne, bit, integer_constant(i32, 0, keys.loc));
    down = expand_dims(expand_dims(down, 0), 2);
    first = where(down, high, low);
    second = where(down, low, high);
  }
  return reshape(permute(join(first, second), {0, 1, 3, 2}), {rows, n}, false);
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

Use topk(const Use &a, int k) {
  check_rows("topk", a);
  Shape s = a.value.shape;
  if (!is_power_of_two(k) || k > s.back())
    throw Error("topk: k is " + std::to_string(k) + "; it is a power of two up to the last extent of " +
                    text(s),
                a.loc);
  Use keys = sorted_rows(a, true);
  Use index = broadcast(expand_dims(arange(0, k, a.loc), 0), {keys.value.shape[0], k});
  s.back() = k;
  return from_keys(reshape(gather(keys, index, 1), s, false), a.value.type);
}

Use histogram(const Use &a, int bins, const Use *mask) {
  check_shape("histogram: the bins", {bins}, a.loc);
  std::vector<Use> operands{ravel(a)};
  if (mask)
    operands.push_back(ravel(fit("the mask of histogram", *mask, a.value.shape, "the values")));
  return record(Code::histogram, std::move(operands), {Kind::I32}, {bins}, a.loc);
}

}   // namespace tile::detail
