// SPDX-License-Identifier: MIT
// Promises about tiles that hold by construction, and accesses that rely on them.
#include "tools/fuzz/families.h"

namespace tile::fuzz {
namespace {

// All offsets lie in an input.
constexpr const char *and_together = "arith.andi $0, $1 : $t0";

// Row-major numbers count up by one along the whole last axis, however its extent shrinks.
int contiguous(Writer &w, const std::vector<int> &axes) {
  const int numbers = linear_index(w, axes);
  return w.emit("tile.assume $0 {contiguous = $x" + std::to_string(axes.back()) + " : i64} : $t0", {numbers},
                w.type(numbers));
}

// A column that is stretched along the last axis.
int constant(Writer &w, const std::vector<int> &axes, int any) {
  const Type tile{Kind::I32, axes};
  const int inside = w.emit(and_together, {any, w.constant(tile, input_elements - 1)}, tile);
  std::vector<int> column = axes;
  column.back() = 0;   // the first axis of every program has extent 1
  const int few = w.emit("tile.reduce ($0) axis = " + std::to_string(axes.size() - 1) +
                             " : ($t0) -> $T0 {\n^bb0(%a: $e0, %b: $e0):\n  %c = arith.maxsi %a, %b : $e0\n"
                             "  tile.yield %c : $e0\n}",
                         {inside}, {Kind::I32, {axes.begin(), axes.end() - 1}});
  int stretched = few;
  if (axes.size() > 1) {
    stretched =
        w.emit("tile.expand_dims $0 {axis = " + std::to_string(axes.size() - 1) + " : i32} : $t0 -> $T0",
               {few}, {Kind::I32, column});
    stretched = w.emit("tile.broadcast $0 : $t0 -> $T0", {stretched}, tile);
  } else {
    stretched = w.emit("tile.splat $0 : $t0 -> $T0", {few}, tile);
  }
  return w.emit("tile.assume $0 {constant = $x" + std::to_string(axes.back()) + " : i64} : $t0", {stretched},
                tile);
}

int divisible(Writer &w, const Type &type, int any) {
  const int by = 1 << w.below(5);
  const int small = w.emit(and_together, {any, w.constant(type, input_elements / by - 1)}, type);
  const int multiple = w.emit("arith.muli $0, $1 : $t0", {small, w.constant(type, by)}, type);
  return w.emit("tile.assume $0 {divisible = " + std::to_string(by) + " : i64} : $t0", {multiple}, type);
}

int ranged(Writer &w, const Type &type, int any) {
  const int most = (1 << w.between(0, 15)) - 1;
  const int small = w.emit(and_together, {any, w.constant(type, most)}, type);
  return w.emit("tile.assume $0 {range = array<i64: 0, " + std::to_string(most) + ">} : $t0", {small}, type);
}

}   // namespace

void promise(Writer &w, const Plan &plan) {
  Type type{Kind::I32, w.one_of(plan.shapes)};
  const int any = w.any(type);
  const int offsets = [&] {   // with another value in its place the promise would not hold
    const Writer::Fixing fixing(w);
    const std::uint32_t which = w.below(type.axes.empty() ? 2 : 4);
    return which == 0   ? divisible(w, type, any)
           : which == 1 ? ranged(w, type, any)
           : which == 2 ? contiguous(w, type.axes)
                        : constant(w, type.axes, any);
  }();
  if (w.one_in(3))
    return;
  const Kind kind = !plan.floats.empty() && w.one_in(2) ? w.one_of(plan.floats) : w.one_of(plan.integers);
  w.emit(addresses(type) + "$=tile.load $~b : $P", {plan.inputs.at(kind), offsets}, {kind, type.axes},
         input_bound(w, kind));
}

}   // namespace tile::fuzz
