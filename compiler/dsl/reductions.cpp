// SPDX-License-Identifier: MIT
// Reductions and scans: the named ones build their combine region from the same operations
// that a user's function would record.
#include "compiler/dsl/shapes.h"

#include <exception>

namespace tile::detail {

// ------------------------------------------------------------------ a region being traced

Combine::Combine(const char *what, bool is_scan, std::vector<Use> tiles, WhichAxis axis, Reverse reverse,
                 Loc l)
    : is_scan_(is_scan), exceptions_(std::uncaught_exceptions()), loc_(l) {
  reduces_all_ = axis.is_every;
  const Shape shape = tiles[0].value.shape;
  rank_ = static_cast<int>(shape.size());
  for (Use &u : tiles) {
    if (u.value.shape != shape)
      throw Error(std::string(what) + ": the tiles have shapes " + text(shape) + " and " +
                      text(u.value.shape) + "; all must have the same shape",
                  l);
    if (shape.empty())
      throw Error(std::string(what) + ": a scalar has no axes", l);
    if (reduces_all_)
      u = ravel(u);
  }
  axis_ = reduces_all_ ? 0 : axis_of(what, axis.number, tiles[0]);
  Trace &t = current_trace(l);
  if (t.isolated_from)
    throw Error("a combine function works on scalars, not on tiles", l);
  op_ = is_scan ? record<Code::scan>(tiles, l, {.axis = axis_, .reverse = reverse})
                : record<Code::reduce>(tiles, l, {axis_});
  op_->regions.resize(1);
  t.push(op_->regions[0]);
  t.isolated_from = op_->regions[0].scope;
  for (std::size_t i = 0; i < 2 * tiles.size(); ++i) {
    ElementType type = tiles[i % tiles.size()].value.type;
    arguments_.push_back({t.value(type, {}), type, {}});
    op_->regions[0].arguments.push_back(arguments_.back().id);
  }
}

Combine::~Combine() {
  if (!open_)
    return;
  Trace *t = current_trace_or_null();
  t->isolated_from = 0;
  t->pop();
  if (std::uncaught_exceptions() != exceptions_)
    torn(*t, "combine function", loc_);
}

std::vector<Use> Combine::finish(const std::vector<Use> &results, KeepDims keep) {
  Trace &t = current_trace(loc_);
  const std::size_t n = arguments_.size() / 2;
  for (const Use &u : results)
    need_scalar("the result of a combine function", u);
  record(Code::yield, results, loc_)->pinned = true;
  t.isolated_from = 0;
  t.pop();
  open_ = false;
  Shape s = t.values[static_cast<std::size_t>(op_->operands[0])].shape;
  if (!is_scan_)
    s.erase(s.begin() + axis_);
  std::vector<Use> r;
  for (std::size_t i = 0; i < n; ++i)
    r.push_back(result(op_, arguments_[i].type, s, loc_));
  if (keep == KeepDims::yes)
    for (Use &u : r)
      u = reduces_all_ ? broadcast(u, Shape(static_cast<std::size_t>(rank_), 1)) : expand_dims(u, axis_);
  return r;
}

// ------------------------------------------------------------------------ the named ones

namespace {

const char *name_of(bool is_scan, Reduction how) {
  switch (how) {
  case Reduction::sum:
    return is_scan ? "cumsum" : "sum";
  case Reduction::product:
    return "cumprod";
  case Reduction::max:
    return is_scan ? "cummax" : "max";
  case Reduction::min:
    return "min";
  case Reduction::bit_xor:
    return "xor_sum";
  case Reduction::any:
    return "any";
  case Reduction::all:
    return "all_of";
  case Reduction::first:
    return "first";
  case Reduction::last:
    return "last";
  }
  return "";
}

Use combine(Reduction how, const Use &a, const Use &b, Nan nan) {
  switch (how) {
  case Reduction::sum:
    return binary(Binary::add, a, b);
  case Reduction::product:
    return binary(Binary::mul, a, b);
  case Reduction::max:
    return binary(Binary::max, a, b, nan);
  case Reduction::min:
    return binary(Binary::min, a, b, nan);
  case Reduction::bit_xor:
    return binary(Binary::bit_xor, a, b);
  case Reduction::any:
    return binary(Binary::bit_or, a, b);
  case Reduction::all:
    return binary(Binary::bit_and, a, b);
  case Reduction::last:
    return b;
  case Reduction::first:
    break;
  }
  return a;
}

// Sums and products of small integers work in 32 bits and say so; of 16-bit floats they work
// in f32 and round once.
ElementType accumulator(Reduction how, ElementType t) {
  if (how != Reduction::sum && how != Reduction::product)
    return t;
  if (t.is_float())
    return t.bits() == 16 ? ElementType{Kind::F32} : t;
  if (t.bits() >= 32)
    return t;
  return {t.is_unsigned() ? Kind::U32 : Kind::I32};
}

Use run(bool is_scan, Reduction how, const Use &a, WhichAxis axis, Reverse reverse, KeepDims keep, Nan nan) {
  ElementType t = a.value.type, wide = accumulator(how, t);
  Combine region(name_of(is_scan, how), is_scan, {convert(a, wide)}, axis, reverse, a.loc);
  Use r = region.finish({combine(how, region.argument(0), region.argument(1), nan)}, keep)[0];
  return t.is_float() ? convert(r, t) : r;
}

Use both(const Use &a, const Use &b) { return binary(Binary::bit_and, a, b); }
Use either(const Use &a, const Use &b) { return binary(Binary::bit_or, a, b); }

// Whether (b, ib) is taken rather than (a, ia). The lower index wins ties whatever the order
// in which elements meet, so the combination commutes. A NaN loses against every number under
// `ignore` and wins under `propagate`; two NaNs tie. -0 and +0 tie.
Use takes_second(bool largest, const Use &a, const Use &ia, const Use &b, const Use &ib, Nan nan) {
  Use better = compare(largest ? Compare::gt : Compare::lt, b, a);
  Use tie = compare(Compare::eq, a, b);
  if (a.value.type.is_float()) {
    Use an = is_nan(a), bn = is_nan(b);
    Use no = unary(Unary::invert, nan == Nan::ignore ? bn : an);
    better = either(better, nan == Nan::ignore ? both(an, no) : both(bn, no));
    tie = either(tie, both(an, bn));
  }
  return either(better, both(tie, compare(Compare::lt, ib, ia)));
}

}   // namespace

Use reduce(Reduction how, const Use &a, WhichAxis axis, KeepDims keep, Nan nan) {
  return run(false, how, a, axis, Reverse::no, keep, nan);
}

Use scan(Reduction how, const Use &a, WhichAxis axis, Reverse reverse) {
  return run(true, how, a, axis, reverse, KeepDims::no, Nan::ignore);
}

std::pair<Use, Use> arg_reduce(bool largest, const Use &a, WhichAxis axis, KeepDims keep, Nan nan) {
  const Shape &s = a.value.shape;
  const bool everything = axis.is_every;
  const int i = everything ? 0 : axis_of(largest ? "argmax" : "argmin", axis.number, a);
  Use source = everything ? ravel(a) : a;
  Use index = arange(0, source.value.shape[static_cast<std::size_t>(i)], a.loc);
  for (int k = 0; k < static_cast<int>(source.value.shape.size()); ++k)
    if (k != i)
      index = expand_dims(index, k);
  index = broadcast(index, source.value.shape);
  Combine region(largest ? "argmax" : "argmin", false, {source, index}, {i}, Reverse::no, a.loc);
  Use x = region.argument(0), ix = region.argument(1), y = region.argument(2), iy = region.argument(3);
  Use second = takes_second(largest, x, ix, y, iy, nan);
  std::vector<Use> r =
      region.finish({where(second, y, x), where(second, iy, ix)}, everything ? KeepDims::no : keep);
  if (everything && keep == KeepDims::yes)
    for (Use &u : r)
      u = broadcast(u, Shape(s.size(), 1));
  return {r[0], r[1]};
}

}   // namespace tile::detail
