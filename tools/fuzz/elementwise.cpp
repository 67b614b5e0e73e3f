// SPDX-License-Identifier: MIT
// Arithmetic, comparisons and conversions, element by element.
#include "tools/fuzz/families.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tile::fuzz {

static constexpr double wild = std::numeric_limits<double>::infinity();

Type any_type(Writer &w, const Plan &plan, bool tile_only, bool computed) {
  // Integers are what conditions and addresses need; a ring is what its programs are for.
  const bool has_float = !plan.floats.empty() && (w.is_ring() ? w.one_in(2) : w.one_in(3));
  Type type{has_float ? w.one_of(plan.floats) : w.one_of(plan.integers), {}};
  if (has_float && !computed && !plan.stored_floats.empty() && w.one_in(4))
    type.kind = w.one_of(plan.stored_floats);
  do
    type.axes = w.one_of(plan.shapes);
  while (tile_only && type.axes.empty());
  return type;
}

static Type integer_type(Writer &w, const Plan &plan) {
  return {w.one_of(plan.integers), w.one_of(plan.shapes)};
}

void integer_arithmetic(Writer &w, const Plan &plan) {
  const Type type = integer_type(w, plan);
  if (w.one_in(12)) {
    w.emit("math.absi $0 : $t0", {w.any(type)}, type);
    return;
  }
  const std::string name = w.one_of(
      {"arith.addi",  "arith.subi",   "arith.muli",     "arith.andi",     "arith.ori",  "arith.xori",
       "arith.maxsi", "arith.minsi",  "arith.maxui",    "arith.minui",    "tile.divsi", "tile.divui",
       "tile.remsi",  "tile.remui",   "tile.ceildivsi", "tile.ceildivui", "tile.shli",  "tile.shrsi",
       "tile.shrui",  "tile.mulhisi", "tile.mulhiui",   "arith.addi",     "arith.subi", "arith.xori"});
  w.emit(name + " $0, $1 : $t0", {w.any(type), w.any(type)}, type);
}

// An operand, wild ones where the program allows them.
static int float_operand(Writer &w, const Plan &plan, const Type &type, double limit) {
  return w.any(type, plan.wild.empty() ? limit : w.one_in(3) ? wild : limit);
}

// A float of a ring plus one that the compiler cannot know: with what it knows it would compute as with
// numbers.
static int unknown(Writer &w, const Plan &plan, int value) {
  const Type type = w.type(value);
  return w.emit("arith.addf $0, $1 : $t0", {value, load(w, plan, type, /*is_whole=*/true)}, type, wild);
}

// In a ring these are some function of the bits, which is enough to see where values go.
static void without_laws(Writer &w, const Plan &plan, const Type &type, int a, int b) {
  a = unknown(w, plan, a);
  b = unknown(w, plan, b);
  if (w.one_in(2))
    w.emit(w.one_of({"arith.divf", "math.powf"}) + " $0, $1 : $t0", {a, b}, type, wild);
  else
    w.emit("math." +
               w.one_of({"exp", "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tanh", "erf", "sqrt",
                         "rsqrt"}) +
               " $0 : $t0",
           {a}, type, wild);
  w.has_no_laws();
}

void float_arithmetic(Writer &w, const Plan &plan) {
  if (plan.floats.empty())
    return;
  const Type type{w.one_of(plan.floats), w.one_of(plan.shapes)};
  const double limit = exact_limit(type.kind);
  const int a = float_operand(w, plan, type, limit / 2), b = float_operand(w, plan, type, limit / 2);
  const double most = std::max(w.bound(a), w.bound(b));
  if (w.is_ring() && w.one_in(6))
    return without_laws(w, plan, type, a, b);
  switch (w.below(10)) {
  case 0:
    w.emit("arith.negf $0 : $t0", {a}, type, w.bound(a));
    return;
  case 1:
    w.emit("math.absf $0 : $t0", {a}, type, w.bound(a));
    return;
  case 2:
  case 3: {
    const std::string nan = w.one_of({"ignore", "propagate"});
    w.emit("tile." + w.one_of({"maximum", "minimum"}) + " $0, $1 nan = " + nan + " : $t0", {a, b}, type,
           most);
    return;
  }
  case 4:
    if (w.bound(a) * w.bound(b) < limit || most == wild)
      w.emit("arith.mulf $0, $1 : $t0", {a, b}, type, most == wild ? wild : w.bound(a) * w.bound(b));
    return;
  case 8: {
    const int c = w.any(type, limit / 2);
    const double sum = w.bound(a) * w.bound(b) + w.bound(c);
    if (sum < limit || w.admits(std::max(most, w.bound(c)), limit))
      w.emit("math.fma $0, $1, $2 : $t0", {a, b, c}, type, std::isfinite(sum) ? sum : wild);
    return;
  }
  case 9: {
    const int low = w.edge(type), high = w.edge(type);
    w.emit("tile.clamp $0, $1, $2 nan = " + w.one_of({"ignore", "propagate"}) + " : $t0", {a, low, high},
           type, std::max({most, w.bound(low), w.bound(high)}));
    return;
  }
  case 5:
    w.emit("math." + w.one_of({"floor", "ceil", "trunc", "round", "roundeven"}) + " $0 : $t0", {a}, type,
           w.bound(a));
    return;
  default:
    if (w.bound(a) + w.bound(b) < limit || most == wild)
      w.emit("arith." + w.one_of({"addf", "subf"}) + " $0, $1 : $t0", {a, b}, type, w.bound(a) + w.bound(b));
  }
}

void random_numbers(Writer &w, const Plan &plan) {
  const Type type{Kind::I32, w.one_of(plan.shapes)};
  const int seed = w.any({Kind::I64, {}});
  w.emit_several("tile.philox $0, $1, $2, $3, $4 : $t1",
                 {seed, w.any(type), w.any(type), w.any(type), w.any(type)},
                 {{type, 0}, {type, 0}, {type, 0}, {type, 0}});
}

void comparison(Writer &w, const Plan &plan) {
  const Type type = any_type(w, plan, false, /*computed=*/true);
  if (is_float(type.kind)) {
    const int a = float_operand(w, plan, type, exact_limit(type.kind));
    const int b = float_operand(w, plan, type, exact_limit(type.kind));
    w.emit("arith.cmpf " + w.one_of({"oeq", "one", "olt", "ole", "ogt", "oge", "une", "ueq", "ult"}) +
               ", $0, $1 : $t0",
           {a, b}, w.with_kind(type, Kind::I1));
    return;
  }
  const std::vector<int> operands{w.any(type), w.any(type)};
  w.emit("arith.cmpi " + w.one_of({"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"}) +
             ", $0, $1 : $t0",
         operands, w.with_kind(type, Kind::I1));
}

void selection(Writer &w, const Plan &plan) {
  const Type type = any_type(w, plan), condition = w.with_kind(type, Kind::I1);
  const double limit = is_float(type.kind) ? exact_limit(type.kind) : 0;
  const int a = w.any(type, limit), b = w.any(type, limit);
  w.emit(type.is_tile() ? "arith.select $0, $1, $2 : $t0, $t1" : "arith.select $0, $1, $2 : $t1",
         {w.any(condition), a, b}, type, std::max(w.bound(a), w.bound(b)));
}

static void between_integers(Writer &w, int value, Kind to) {
  const Type from = w.type(value);
  const int old_bits = ElementType{from.kind}.bits(), bits = ElementType{to}.bits();
  if (old_bits == bits)
    return;
  const std::string name = bits < old_bits ? "trunci" : w.one_of({"extsi", "extui"});
  w.emit("arith." + name + " $0 : $t0 to $T0", {value}, w.with_kind(from, to));
}

void conversion(Writer &w, const Plan &plan) {
  const Type from = any_type(w, plan);
  const bool to_float = w.one_in(2) && !plan.floats.empty();
  const std::vector<Kind> &floats =
      !plan.stored_floats.empty() && w.one_in(3) && is_float(from.kind) ? plan.stored_floats : plan.floats;
  const Kind to = to_float ? w.one_of(floats) : w.one_of(plan.integers);
  if (is_integer(from.kind) && !to_float)
    return between_integers(w, w.one_in(4) ? w.any(w.with_kind(from, Kind::I1)) : w.any(from), to);
  if (is_integer(from.kind)) {
    // Only a few bits, so that sums of the numbers are exact.
    const int masked = w.emit("arith.andi $0, $1 : $t0", {w.any(from), w.constant(from, 7)}, from);
    w.emit("arith." + w.one_of({"sitofp", "uitofp"}) + " $0 : $t0 to $T0", {masked}, w.with_kind(from, to),
           7);
    return;
  }
  int value = float_operand(w, plan, from, exact_limit(to_float ? to : from.kind));
  if (!to_float && w.is_ring()) {   // a constant would be saturated
    if (is_fp8(from.kind))
      return;
    value = unknown(w, plan, value);
  }
  if (!to_float)
    w.emit("tile." + w.one_of({"fptosi", "fptoui"}) + " $0 : $t0 -> $T0", {value}, w.with_kind(from, to));
  else if (to != from.kind)
    w.emit("tile.fp_cast $0 : $t0 -> $T0", {value}, w.with_kind(from, to), w.bound(value));
}

}   // namespace tile::fuzz
