// SPDX-License-Identifier: MIT
// Reductions, scans and histograms. Every combination is associative to the bit; some do not commute, so that
// a wrong order shows.
#include "tools/fuzz/families.h"

namespace tile::fuzz {
namespace {

// The combine region of one tile whose elements have the type `$e0`.
std::string combining(const std::string &operation) {
  return " {\n^bb0(%a: $e0, %b: $e0):\n  %c = " + operation + " : $e0\n  tile.yield %c : $e0\n}";
}

// Two tiles are the maps x -> x * a + b; combining them is applying one after the other.
constexpr std::string_view maps = " {\n^bb0(%a: $e0, %b: $e0, %c: $e0, %d: $e0):\n"
                                  "  %e = arith.muli %a, %c : $e0\n  %f = arith.muli %b, %c : $e0\n"
                                  "  %g = arith.addi %f, %d : $e0\n  tile.yield %e, %g : $e0, $e0\n}";

// The same of floats, which a ring alone allows.
constexpr std::string_view float_maps = " {\n^bb0(%a: $e0, %b: $e0, %c: $e0, %d: $e0):\n"
                                        "  %e = arith.mulf %a, %c : $e0\n  %f = arith.mulf %b, %c : $e0\n"
                                        "  %g = arith.addf %f, %d : $e0\n  tile.yield %e, %g : $e0, $e0\n}";

// The largest value and where it stands; of equal ones the first.
constexpr std::string_view largest = " {\n^bb0(%a: $e0, %b: $e1, %c: $e0, %d: $e1):\n"
                                     "  %e = arith.cmpi sge, %a, %c : $e0\n"
                                     "  %f = arith.select %e, %a, %c : $e0\n"
                                     "  %g = arith.select %e, %b, %d : $e1\n"
                                     "  tile.yield %f, %g : $e0, $e1\n}";

struct Combination {
  std::string region;
  bool is_sum = false;
};

Combination combination(Writer &w, Kind kind) {
  if (!is_float(kind))
    return {combining("arith." + w.one_of({"addi", "addi", "muli", "andi", "ori", "xori", "maxsi", "minui"}) +
                      " %a, %b"),
            false};
  if (w.one_in(2))
    return {combining("arith.addf %a, %b"), true};
  const std::string rule = w.one_of({"ignore", "propagate"});
  return {" {\n^bb0(%a: $e0, %b: $e0):\n  %c = tile." + w.one_of({"maximum", "minimum"}) +
              " %a, %b nan = " + rule + " : $e0\n  tile.yield %c : $e0\n}",
          false};
}

void combine(Writer &w, const Plan &plan, bool is_scan) {
  const Type type = any_type(w, plan, true, /*computed=*/true);
  const std::size_t axis = w.below(type.axes.size());
  Type result = type;
  if (!is_scan)
    result.axes.erase(result.axes.begin() + static_cast<std::ptrdiff_t>(axis));
  const std::string name = is_scan ? "tile.scan" : "tile.reduce";
  const std::string where =
      " axis = " + std::to_string(axis) + (is_scan && w.one_in(2) ? " reverse" : "") + " : ";
  if (is_integer(type.kind) && w.one_in(3)) {
    const bool is_largest = w.one_in(2);
    const Type second = is_largest ? w.with_kind(type, Kind::I32) : type;
    const Type second_result = w.with_kind(result, second.kind);
    w.emit_several(name + " ($0, $1)" + where + "($t0, $t1) -> ($T0, $T1)" +
                       std::string(is_largest ? largest : maps),
                   {w.any(type), w.any(second)}, {{result, 0}, {second_result, 0}});
    return;
  }
  if (w.is_ring() && is_float(type.kind) && w.one_in(3)) {
    const int a = load(w, plan, type), b = load(w, plan, type);
    if (w.one_in(2))
      w.emit_several(name + " ($0, $1)" + where + "($t0, $t1) -> ($T0, $T1)" + std::string(float_maps),
                     {a, b}, {{result, w.bound(a)}, {result, w.bound(b)}});
    else
      w.emit(name + " ($0)" + where + "($t0) -> $T0" + combining("arith.mulf %a, %b"), {a}, result,
             w.bound(a));
    return;
  }
  const Combination how = combination(w, type.kind);
  const double limit = exact_limit(type.kind), terms = how.is_sum ? extent(w.program, type.axes[axis]) : 1;
  const int value = w.any(type, limit / terms);
  w.emit(name + " ($0)" + where + "($t0) -> $T0" + how.region, {value}, result, w.bound(value) * terms);
}

}   // namespace

void reduction(Writer &w, const Plan &plan) { combine(w, plan, false); }
void scan(Writer &w, const Plan &plan) { combine(w, plan, true); }

void histogram(Writer &w, const Plan &plan) {
  const Type values{Kind::I32, {w.product_of(w.one_of(plan.shapes))}};
  const Type bins{Kind::I32, {w.one_of(plan.axes)}};
  if (w.existing(values, 0) < 0)
    return;
  if (w.one_in(2))
    w.emit("tile.histogram $0, $1 : $t0 -> $T0", {w.any(values), w.any(w.with_kind(values, Kind::I1))}, bins);
  else
    w.emit("tile.histogram $0 : $t0 -> $T0", {w.any(values)}, bins);
}

}   // namespace tile::fuzz
