// SPDX-License-Identifier: MIT
// Chains of reductions over rows with infinities and NaNs of both signs. The numbers beside them are small,
// so that there is one result in every order: a NaN, an infinity, or an exact sum. What comes of it is stored
// and nothing else sees it: a conversion would make large numbers of infinities.
#include "tools/fuzz/families.h"

namespace tile::fuzz {
namespace {

int reduced(Writer &w, int value, std::size_t axis) {
  Type type = w.type(value);
  const std::string how =
      w.one_of({"arith.addf %a, %b", "arith.addf %a, %b", "tile.maximum %a, %b nan = ignore",
                "tile.maximum %a, %b nan = propagate", "tile.minimum %a, %b nan = ignore"});
  type.axes.erase(type.axes.begin() + static_cast<std::ptrdiff_t>(axis));
  return w.emit("tile.reduce ($0) axis = " + std::to_string(axis) +
                    " : ($t0) -> $T0 {\n^bb0(%a: $e0, %b: $e0):\n" + "  %c = " + how +
                    " : $e0\n  tile.yield %c : $e0\n}",
                {value}, type);
}

// A result of each row beside all elements of the row again.
int spread(Writer &w, int value, const Type &to, std::size_t axis) {
  if (to.axes.size() == 1)
    return w.emit("tile.splat $0 : $t0 -> $T0", {value}, to);
  Type column = to;
  column.axes[axis] = 0;   // the first axis of every program has extent 1
  const int one =
      w.emit("tile.expand_dims $0 {axis = " + std::to_string(axis) + " : i32} : $t0 -> $T0", {value}, column);
  return w.emit("tile.broadcast $0 : $t0 -> $T0", {one}, to);
}

void chain(Writer &w, const Plan &plan, const Type &type) {
  Plan from = plan;
  from.inputs[type.kind] = plan.special.at(type.kind);
  from.wild.clear();
  int value = load(w, from, type, /*is_whole=*/true);
  const std::size_t axis = w.below(type.axes.size());
  const int row = reduced(w, value, axis);
  value = w.emit("arith." + w.one_of({"subf", "addf"}) + " $0, $1 : $t0", {value, spread(w, row, type, axis)},
                 type);
  if (w.one_in(3))
    value = w.emit("arith.negf $0 : $t0", {value}, type);
  for (int result : {row, value, reduced(w, value, w.below(type.axes.size()))})
    store(w, plan, result);
}

}   // namespace

void special_rows(Writer &w, const Plan &plan) {
  std::vector<Type> types;
  for (const auto &[kind, argument] : plan.special)
    for (const std::vector<int> &axes : plan.shapes) {
      // Two sums, of numbers up to 8 and of those with the first sum beside them.
      const Type type{kind, axes};
      const double terms = static_cast<double>(elements(w.program, type));
      if (!axes.empty() && 8 * terms * (terms + 1) <= exact_limit(kind))
        types.push_back(type);
    }
  if (types.empty())
    return;
  const Type type = w.one_of(types);
  Region hidden = w.region([&] { chain(w, plan, type); });
  for (Node &node : hidden.nodes)
    w.add(std::move(node));
}

}   // namespace tile::fuzz
