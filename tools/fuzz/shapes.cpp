// SPDX-License-Identifier: MIT
// Operations that move elements about.
#include "tools/fuzz/families.h"

namespace tile::fuzz {
namespace {

// Whether one shape becomes the other by stretching axes of extent 1.
bool stretches(const Plan &plan, const std::vector<int> &from, const std::vector<int> &to) {
  if (from.size() != to.size() || from == to)
    return false;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] != to[i] && from[i] != plan.one)
      return false;
  return true;
}

void add_axis(Writer &w, const Plan &plan, int value) {
  Type type = w.type(value);
  const std::size_t at = w.below(type.axes.size() + 1);
  type.axes.insert(type.axes.begin() + static_cast<std::ptrdiff_t>(at), plan.one);
  w.emit("tile.expand_dims $0 {axis = " + std::to_string(at) + " : i32} : $t0 -> $T0", {value}, type,
         w.bound(value));
}

void stretch(Writer &w, const Plan &plan, int value) {
  const Type &type = w.type(value);
  std::vector<std::vector<int>> targets;
  for (const std::vector<int> &shape : plan.shapes)
    if (stretches(plan, type.axes, shape))
      targets.push_back(shape);
  if (!targets.empty())
    w.emit("tile.broadcast $0 : $t0 -> $T0", {value}, {type.kind, w.one_of(targets)}, w.bound(value));
}

void reorder(Writer &w, int value) {
  Type type = w.type(value);
  std::vector<int> order;
  for (std::size_t i = 0; i < type.axes.size(); ++i)
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(w.below(i + 1)), static_cast<int>(i));
  std::string list;
  std::vector<int> axes;
  for (int from : order) {
    list += (list.empty() ? "" : ", ") + std::to_string(from);
    axes.push_back(type.axes[static_cast<std::size_t>(from)]);
  }
  const double bound = w.bound(value);
  w.emit("tile.permute $0 [" + list + "] : $t0 -> $T0", {value}, {type.kind, axes}, bound);
}

// To one axis, or from it to the axes that it is the product of.
void reshape(Writer &w, int value) {
  Type type = w.type(value);
  if (type.axes.size() == 1) {
    const std::vector<int> factors = w.program.axes[static_cast<std::size_t>(type.axes[0])].factors;
    if (factors.empty())
      return;
    type.axes = factors;
  } else {
    if (!w.has_product(type.axes))
      return;
    type.axes = {w.product_of(type.axes)};
  }
  const double bound = w.bound(value);
  w.emit("tile.reshape $0 : $t0 -> $T0", {value}, type, bound);
}

void pair(Writer &w, const Plan &plan, int value) {
  Type type = w.type(value);
  if (!type.axes.empty() && type.axes.back() == plan.two) {
    type.axes.pop_back();
    const double bound = w.bound(value);
    w.emit_several("tile.split $0 : $t0 -> $T0", {value}, {{type, bound}, {type, bound}});
    return;
  }
  if (elements(w.program, type) * 2 > most_elements || type.axes.size() > 2)
    return;
  const int other = w.any(type, w.bound(value));
  const double bound = std::max(w.bound(value), w.bound(other));
  type.axes.push_back(plan.two);
  w.emit("tile.join $0, $1 : $t0 -> $T0", {value, other}, type, bound);
}

}   // namespace

void movement(Writer &w, const Plan &plan) {
  const Type type = w.one_of(w.types_in_scope());
  const double limit = is_float(type.kind) ? exact_limit(type.kind) : 0;
  const int value = w.existing(type, limit);
  if (value < 0)
    return;
  if (!type.is_tile()) {
    const std::vector<int> shape = w.one_of(plan.shapes);
    if (!shape.empty() && type.kind != Kind::I1)
      w.emit("tile.splat $0 : $t0 -> $T0", {value}, {type.kind, shape}, w.bound(value));
    else if (type.kind != Kind::I1)
      pair(w, plan, value);
    return;
  }
  switch (w.below(6)) {
  case 0:
    if (type.axes.size() < 3)
      add_axis(w, plan, value);
    return;
  case 1:
    return reorder(w, value);
  case 2:
    return reshape(w, value);
  case 3:
    return pair(w, plan, value);
  default:
    return stretch(w, plan, value);
  }
}

// Indices are taken modulo the axis: an index outside it is nobody's promise.
void gather(Writer &w, const Plan &plan) {
  const Type source = any_type(w, plan, true);
  const double limit = is_float(source.kind) ? exact_limit(source.kind) : 0;
  const int value = w.any(source, limit);
  const std::size_t axis = w.below(source.axes.size());
  Type result = source;
  if (w.one_in(2))
    result.axes[axis] = w.one_of(plan.axes);
  if (elements(w.program, result) > most_elements)
    return;
  const Type indices = w.with_kind(result, Kind::I32);
  const std::string extent = "$x" + std::to_string(source.axes[axis]);
  const int length = w.emit("arith.constant dense<" + extent + "> : $T0", {}, indices);
  const int index = w.emit("tile.remui $0, $1 : $t0", {w.any(indices), length}, indices);
  w.emit("tile.gather $0[$1] {axis = " + std::to_string(axis) + " : i32} : $t0, $t1 -> $T0", {value, index},
         result, w.bound(value));
}

}   // namespace tile::fuzz
