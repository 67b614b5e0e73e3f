// SPDX-License-Identifier: MIT
// Making tiles, and moving their elements about.
#include "compiler/dsl/shapes.h"

#include <algorithm>
#include <limits>

namespace tile::detail {

namespace {

template <Code code> Use program_axis(const char *name, std::int64_t axis, Loc l) {
  if (axis < 0 || axis > 2)
    throw Error(std::string(name) + ": a grid has the axes 0, 1 and 2, not " + std::to_string(axis), l);
  return record<code>({}, {Kind::I32}, {}, l, {static_cast<std::int32_t>(axis)});
}

Use insert_axis(const Use &a, std::size_t at) {
  Shape s = a.value.shape;
  s.insert(s.begin() + static_cast<std::ptrdiff_t>(at), 1);
  if (a.value.shape.empty())
    return broadcast(a, s);
  return record<Code::expand_dims>({a}, a.value.type, s, a.loc, {static_cast<std::int32_t>(at)});
}

}   // namespace

Use program_id(std::int64_t axis, Loc l) { return program_axis<Code::program_id>("program_id", axis, l); }
Use num_programs(std::int64_t axis, Loc l) {
  return program_axis<Code::num_programs>("num_programs", axis, l);
}

Use arange(std::int64_t lo, std::int64_t hi, Loc l) {
  std::string what = "arange(" + std::to_string(lo) + ", " + std::to_string(hi) + ")";
  if (hi <= lo)
    throw Error(what + " is empty", l);
  if (lo < std::numeric_limits<std::int32_t>::min() || hi > std::numeric_limits<std::int32_t>::max())
    throw Error(
        what + " counts in 32 bits; cast first and then add: tile::cast<tile::i64>(arange(0, n)) + lo", l);
  check_shape(what, {hi - lo}, l);
  return record<Code::arange>({}, {Kind::I32}, {hi - lo}, l, {.start = lo, .end = hi});
}

Use full(const Shape &s, const Use &value, Loc l) {
  need_scalar("the value of full", value, "; use broadcast_to");
  check_shape("full", s, l);
  return broadcast(value, s);
}

Use expand(const Use &a, const AxisSpec *axes, int n) {
  auto named =
      static_cast<std::size_t>(std::count_if(axes, axes + n, [](const AxisSpec &x) { return !x.is_new; }));
  if (named != a.value.shape.size())
    throw Error("this subscript has " + std::to_string(named) + " `all` for a tensor of shape " +
                    text(a.value.shape) + "; write one for each of its axes",
                a.loc);
  Use r = a;
  for (int i = 0; i < n; ++i)
    if (axes[i].is_new)
      r = insert_axis(r, static_cast<std::size_t>(i));
  return r;
}

Use expand_dims(const Use &a, std::int64_t axis) {
  int rank = static_cast<int>(a.value.shape.size()) + 1;
  if (axis < -rank || axis >= rank)
    throw Error("expand_dims: axis " + std::to_string(axis) + " is outside the result, whose axes are 0 to " +
                    std::to_string(rank - 1) + " or -" + std::to_string(rank) + " to -1",
                a.loc);
  return insert_axis(a, static_cast<std::size_t>(axis < 0 ? axis + rank : axis));
}

Use broadcast_to(const Use &a, const Shape &s) {
  check_shape("broadcast_to", s, a.loc);
  return fit("the operand of broadcast_to", a, s, "the shape");
}

Use reshape(const Use &a, const Shape &s, bool any_order) {
  check_shape("reshape", s, a.loc);
  if (element_count(s) != element_count(a.value.shape))
    throw Error("reshape: shape " + text(a.value.shape) + " has " +
                    std::to_string(element_count(a.value.shape)) + " elements, " + text(s) + " has " +
                    std::to_string(element_count(s)),
                a.loc);
  if (s == a.value.shape)
    return a;
  if (a.value.shape.empty())
    return broadcast(a, s);
  if (s.empty())
    throw Error("reshape: a tile cannot become a scalar; use a reduction such as sum", a.loc);
  return record<Code::reshape>({a}, a.value.type, s, a.loc, {.any_order = any_order});
}

Use ravel(const Use &a) { return reshape(a, {element_count(a.value.shape)}, false); }

Use squeeze(const Use &a, std::int64_t axis) {
  int i = axis_of("squeeze", axis, a);
  Shape s = a.value.shape;
  if (s[static_cast<std::size_t>(i)] != 1)
    throw Error("squeeze: axis " + std::to_string(axis) + " of shape " + text(s) + " has extent " +
                    std::to_string(s[static_cast<std::size_t>(i)]) + ", not 1",
                a.loc);
  s.erase(s.begin() + i);
  if (s.empty())   // its one element: half of two of it
    return split(broadcast(a, {2})).first;
  return reshape(a, s, false);
}

Use permute(const Use &a, const std::vector<std::int64_t> &order) {
  const std::size_t rank = a.value.shape.size();
  std::vector<std::int32_t> axes;
  Shape s;
  for (std::int64_t axis : order) {
    int i = axis_of("permute", axis, a);
    if (std::find(axes.begin(), axes.end(), i) != axes.end())
      throw Error("permute: axis " + std::to_string(axis) + " is named twice", a.loc);
    axes.push_back(i);
    s.push_back(a.value.shape[static_cast<std::size_t>(i)]);
  }
  if (axes.size() != rank)
    throw Error("permute: " + std::to_string(axes.size()) + " axes are named, the tensor has shape " +
                    text(a.value.shape),
                a.loc);
  if (std::is_sorted(axes.begin(), axes.end()))
    return a;
  return record<Code::permute>({a}, a.value.type, s, a.loc, {.order = std::move(axes)});
}

Use trans(const Use &a) {
  int rank = static_cast<int>(a.value.shape.size());
  if (rank < 2)
    throw Error("trans: the tensor has shape " + text(a.value.shape) + " and no two axes to swap", a.loc);
  std::vector<std::int64_t> order;
  for (int i = 0; i < rank; ++i)
    order.push_back(i);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return permute(a, order);
}

Use join(const Use &a, const Use &b) {
  Shape s = common_shape("join", a, b);
  if (s.empty())
    return reshape(join(broadcast(a, {1}), broadcast(b, {1})), {2}, false);
  Use x = broadcast(a, s), y = broadcast(b, s);
  s.push_back(2);
  check_shape("join", s, a.loc);
  return record(Code::join, {x, y}, a.value.type, s, a.loc);
}

std::pair<Use, Use> split(const Use &a) {
  Shape s = a.value.shape;
  if (s.empty() || s.back() != 2)
    throw Error("split: the last axis must have extent 2, this tensor has shape " + text(s), a.loc);
  s.pop_back();
  Op *op = record(Code::split, {a}, a.loc);
  Use first = result(op, a.value.type, s, a.loc);
  return {first, result(op, a.value.type, s, a.loc)};
}

Use interleave(const Use &a, const Use &b) {
  Use pairs = join(a, b);
  Shape s = pairs.value.shape;
  if (s.size() < 2)
    return pairs;
  s.pop_back();
  s.back() *= 2;
  return reshape(pairs, s, false);
}

namespace {
// 0, 1, 2, ... along one axis of a tile of this rank: [1, .., n, .., 1].
Use iota(std::int64_t n, std::size_t axis, std::size_t rank, Loc l) {
  Use r = arange(0, n, l);
  for (std::size_t i = 0; i < rank; ++i)
    if (i != axis)
      r = insert_axis(r, i);
  return r;
}
}   // namespace

Use flip(const Use &a, std::int64_t axis) {
  auto i = static_cast<std::size_t>(axis_of("flip", axis, a));
  const Shape &s = a.value.shape;
  Use last = integer_constant({Kind::I32}, s[i] - 1, a.loc);
  Use index = binary(Binary::sub, last, iota(s[i], i, s.size(), a.loc));
  return gather(a, broadcast(index, s), static_cast<int>(i));
}

Use gather(const Use &source, const Use &index, std::int64_t axis) {
  int i = axis_of("gather", axis, source);
  const Shape &x = source.value.shape, &y = index.value.shape;
  bool fits = x.size() == y.size();
  for (std::size_t k = 0; fits && k < x.size(); ++k)
    fits = static_cast<int>(k) == i || x[k] == y[k];
  if (!fits)
    throw Error("gather: the source has shape " + text(x) + ", the index " + text(y) +
                    "; all extents except that of axis " + std::to_string(i) + " must be equal",
                source.loc);
  return record<Code::gather>({source, index}, source.value.type, y, source.loc, {i});
}

}   // namespace tile::detail
