// SPDX-License-Identifier: MIT
#include "compiler/dsl/shapes.h"

#include <algorithm>
#include <mutex>
#include <set>

namespace tile::detail {

KeptShape::KeptShape(const Shape &s) {
  static std::mutex mutex;
  static std::set<Shape> kept;   // its nodes stay where they are
  if (s.empty())
    return;
  std::lock_guard lock(mutex);
  kept_ = &*kept.insert(s).first;
}

static_assert(std::is_trivially_copyable_v<Use>, "copies of values are to compile to nothing");

const Shape &KeptShape::get() const {
  static const Shape of_scalars;
  return kept_ ? *kept_ : of_scalars;
}

namespace {

constexpr std::int64_t MaxElements = std::int64_t(1) << 20;

bool legal_extent(std::int64_t n) {
  if (n <= 0)
    return false;
  while (n % 2 == 0)
    n /= 2;
  return n <= 31;
}

std::string nearest_legal(std::int64_t n) {
  std::int64_t below = n - 1, above = n + 1;
  while (below > 0 && !legal_extent(below))
    --below;
  while (!legal_extent(above))
    ++above;
  return "the nearest legal extents are " + std::to_string(below) + " and " + std::to_string(above);
}

// Where the operands come from: the variable's line, when that is another line than the use.
std::vector<Error::Note> origins(const Use &a, const Use &b) {
  std::vector<Error::Note> notes;
  const Trace &t = current_trace(b.loc);
  for (const Use *u : {&a, &b}) {
    const Op *maker = t.values[static_cast<std::size_t>(u->value.id)].maker;
    if (!maker || maker->code != Code::cell_get)
      continue;
    // The variable was made where its first value was.
    Loc made = maker->loc;
    for (const Region *r : t.open)
      for (const std::unique_ptr<Op> &op : r->ops)
        if (op->code == Code::cell_new && op->cell == maker->cell)
          made = op->loc;
    if (made.line() != u->loc.line())
      notes.push_back({"the operand of shape " + text(u->value.shape) + " was made here", made});
  }
  return notes;
}

}   // namespace

std::string text(const Shape &s) {
  std::string r = "[";
  for (std::size_t i = 0; i < s.size(); ++i)
    r += (i ? ", " : "") + std::to_string(s[i]);
  return s.empty() ? "[] (a scalar)" : r + "]";
}

std::int64_t element_count(const Shape &s) {
  std::int64_t n = 1;
  for (std::int64_t e : s)
    n *= e;
  return n;
}

void check_shape(const std::string &what, const Shape &s, Loc l) {
  std::int64_t elements = 1;
  for (std::int64_t e : s) {
    if (e <= 0)
      throw Error(what + ": a tile of shape " + text(s) + " is empty; every extent is at least 1", l);
    if (e > MaxElements || (elements *= e) > MaxElements)
      throw Error(what + ": a tile of shape " + text(s) + " has more than 2^20 elements", l);
    if (!legal_extent(e))
      throw Error(what + ": extent " + std::to_string(e) + " is not r * 2^k with an odd r <= 31; " +
                      nearest_legal(e),
                  l);
  }
}

Shape common_shape(const std::string &what, const Use &a, const Use &b) {
  const Shape &x = a.value.shape, &y = b.value.shape;
  if (x == y || y.empty())
    return x;
  if (x.empty())
    return y;
  if (x.size() != y.size()) {
    Error e(what + ": shapes " + text(x) + " and " + text(y) + " differ in rank", b.loc, origins(a, b));
    throw e.add_help("add the missing axes: x[all, none] or x[none, all]");
  }
  Shape r(x.size());
  for (std::size_t i = 0; i < r.size(); ++i) {
    if (x[i] != y[i] && x[i] != 1 && y[i] != 1) {
      Error e(what + ": shapes " + text(x) + " and " + text(y) + " do not broadcast (" +
                  std::to_string(x[i]) + " and " + std::to_string(y[i]) + ")",
              b.loc, origins(a, b));
      if (x.size() == 1)
        e.add_help("for all pairs of elements add an axis to each: x[all, none], y[none, all]");
      throw e;
    }
    r[i] = std::max(x[i], y[i]);
  }
  check_shape(what, r, b.loc);
  return r;
}

Use broadcast(const Use &u, const Shape &s) {
  if (u.value.shape == s)
    return u;
  if (const attributes::Constant *constant = constant_of(u))   // stays a constant
    return record<Code::constant>({}, u.value.type, s, u.loc, *constant);
  return record(u.value.shape.empty() ? Code::splat : Code::broadcast, {u}, u.value.type, s, u.loc);
}

Use fit(const std::string &what, const Use &u, const Shape &s, const std::string &of) {
  const Shape &x = u.value.shape;
  bool fits = x.empty() || x.size() == s.size();
  for (std::size_t i = 0; fits && i < x.size(); ++i)
    fits = x[i] == s[i] || x[i] == 1;
  if (!fits) {
    Error e(what + " has shape " + text(x) + " and does not fit " + of + ", " + text(s), u.loc);
    if (s.empty() && of == "the pointers")
      e.add_help("make a tile of pointers: p + arange(0, n)");
    throw e;
  }
  return broadcast(u, s);
}

int axis_of(const std::string &what, std::int64_t axis, const Use &u) {
  const int rank = static_cast<int>(u.value.shape.size());
  if (rank == 0)
    throw Error(what + ": a scalar has no axes", u.loc);
  if (axis < -rank || axis >= rank)
    throw Error(what + ": axis " + std::to_string(axis) + " is outside shape " + text(u.value.shape) +
                    ", whose axes are 0 to " + std::to_string(rank - 1) + " or -" + std::to_string(rank) +
                    " to -1",
                u.loc);
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

void too_large(std::uint64_t value, Loc l) {
  throw Error(std::to_string(value) + " does not fit 64 bits with a sign", l);
}

void need_scalar(const std::string &what, const Use &u, const std::string &instead) {
  if (!u.value.shape.empty())
    throw Error(what + " must be a scalar, this one has shape " + text(u.value.shape) + instead, u.loc);
}

}   // namespace tile::detail
