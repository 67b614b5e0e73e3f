// SPDX-License-Identifier: MIT
// Products of matrices, alone and in loops over K, which the compiler pipelines.
#include "tools/fuzz/families.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tile::fuzz {
namespace {

int zero(Writer &w, const Type &type) { return w.constant(type, 0); }

// What `read` gives where some condition holds, else zeros.
template <class Read> int sometimes(Writer &w, const Type &type, Read read) {
  const int condition = w.any({Kind::I1, {}});
  Node node{.form = Node::Form::branch, .text = "", .operands = {condition}, .results = {}, .regions = {}};
  double bound = 0;
  node.regions.push_back(w.region([&] {
    const int value = read();
    bound = w.bound(value);
    w.yield(value);
  }));
  node.regions.push_back(w.region([&] { w.yield(zero(w, type)); }));
  const int result = w.fresh(type, bound);
  node.results = {result};
  w.add(std::move(node));
  return result;
}

}   // namespace

std::vector<Multiplied> accepted_products(const Writer &w, const Plan &plan) {
  std::vector<Multiplied> all;
  for (const auto &[kind, argument] : plan.inputs) {
    if (kind == Kind::I8)
      all.push_back({kind, kind, Kind::I32});
    if (kind == Kind::F16 || kind == Kind::BF16 || kind == Kind::F32)
      all.push_back({kind, kind, Kind::F32});
    if (kind == Kind::F64)
      all.push_back({kind, kind, Kind::F64});
    if (kind == Kind::F16 && w.is_ring())   // 16 bits of a sum of small numbers are soon too few
      all.push_back({kind, kind, kind});
    if (is_fp8(kind))
      for (Kind other : plan.stored_floats)
        all.push_back({kind, other, Kind::F32});
  }
  return all;
}

// How the numbers are read, where there is a choice that exact numbers do not show. Elements of a ring have
// no parts that products of higher precision could be made of.
std::string product_options(Writer &w, Kind kind, bool is_whole) {
  if (kind == Kind::F32 && !is_whole && w.one_in(2))
    return " precision = " + (w.is_ring() ? "ieee" : w.one_of({"ieee", "tf32x3", "bf16x3"}));
  if (kind != Kind::I8 || w.one_in(2))
    return "";
  return w.one_of({" {unsigned_a}", " {unsigned_b}", " {unsigned_a, unsigned_b}"});
}

void some_product(Writer &w, const Multiplied &kind, int left, int right) {
  const int k = w.type(left).axes.back();
  const int least = ElementType{kind.a}.bytes() == 1 ? 32 : 16;
  Type sum{kind.sum, w.type(left).axes};
  sum.axes.back() = w.type(right).axes.back();
  if (extent(w.program, k) < least || elements(w.program, sum) > most_elements)
    return;
  const double most = w.bound(left) * w.bound(right) * extent(w.program, k);
  const bool is_exact = most < exact_limit(kind.sum) / 2;   // not for wild operands
  if (!is_exact && !w.is_ring())
    return;
  if (!is_exact && std::isfinite(std::max(w.bound(left), w.bound(right))))
    return;
  const int start = w.one_in(2) ? zero(w, sum) : w.any(sum, exact_limit(kind.sum) / 2);
  const double bound = is_float(kind.sum) && !is_exact ? std::numeric_limits<double>::infinity() : most;
  w.emit("tile.dot $0, $1, $2" + product_options(w, kind.a) + " : $t0, $t1, $t2", {left, right, start}, sum,
         bound + w.bound(start));
}

void product(Writer &w, const Plan &plan) {
  if (w.one_in(4))
    return shared_product(w, plan);
  const std::vector<Multiplied> kinds = accepted_products(w, plan);
  if (plan.k < 0 || kinds.empty())
    return;
  const Multiplied kind = w.one_of(kinds);
  Type a{kind.a, {plan.m, plan.k}}, b{kind.b, {plan.k, plan.n}};
  if (plan.stack >= 0 && w.one_in(2))
    for (Type *type : {&a, &b})
      type->axes.insert(type->axes.begin(), plan.stack);
  for (const Type &type : {a, b})
    if (elements(w.program, type) > most_elements)
      return;
  const int left = w.one_in(2) ? load(w, plan, a) : w.any(a, 16);
  const int right = w.one_in(2) ? load(w, plan, b) : w.any(b, 16);
  some_product(w, kind, left, right);
}

// Both operands from memory, further on in every round; what is behind K or behind the last row is masked
// off.
void product_loop(Writer &w, const Plan &plan) {
  const std::vector<Multiplied> kinds = accepted_products(w, plan);
  if (plan.k < 0 || kinds.empty())
    return;
  const Multiplied kind = w.one_of(kinds);
  // x by x transposed; or two products that share an operand, as it is or changed.
  enum class Sharing { none, transposed, of_two, changed };
  const Sharing sharing = !w.one_in(3)                      ? Sharing::none
                          : kind.a == kind.b && w.one_in(2) ? Sharing::transposed
                          : is_fp8(kind.a) || w.one_in(2)   ? Sharing::of_two
                                                            : Sharing::changed;
  const bool is_pair = sharing == Sharing::of_two || sharing == Sharing::changed;
  const int n = sharing == Sharing::transposed ? plan.m : plan.n;
  const Type sum{kind.sum, {plan.m, n}};
  if (elements(w.program, sum) > most_elements)
    return;
  const int most_rounds = 8, k = extent(w.program, plan.k);
  const double most = input_bound(w, kind.a) * input_bound(w, kind.b) * k * most_rounds * (is_pair ? 2 : 1);
  const int start = zero(w, sum);
  const Type number{Kind::I32, {}};

  int rounds;
  if (w.one_in(2)) {
    rounds = w.i32(w.below(most_rounds));
  } else {
    const int some =
        w.emit("arith.andi $0, $1 : $t0", {w.one_of(plan.scalars), w.i32(most_rounds - 1)}, number);
    rounds = some;
  }
  const int width = w.emit("arith.constant $x" + std::to_string(plan.k) + " : i32", {}, number);
  const int end = w.emit("arith.muli $0, $1 : $t0", {rounds, width}, number);
  const bool masked = w.one_in(2), by_columns = w.one_in(3), is_conditional = w.one_in(6);
  const int limit =
      masked ? w.emit("arith.subi $0, $1 : $t0", {end, w.i32(w.between(0, k - 1))}, number) : end;

  // a[i, k] is at i * row + k or at k * row + i; the rows of both matrices have the same distance.
  const int row = std::max({extent(w.program, plan.m), extent(w.program, plan.n), k * most_rounds});
  const int last = std::max(extent(w.program, plan.m), k * most_rounds) * row + row;
  if (last > input_elements)
    return;
  const int stride = w.i32(row);

  auto index = [&](int along, std::size_t axis, bool is_inner, int offset) {
    Type type{Kind::I32, {along}};
    int value = w.emit("tile.arange 0 to $x" + std::to_string(along) + " : $T0", {}, type);
    if (offset >= 0)
      value = w.emit("arith.addi $0, $1 : $t0", {value, w.emit("tile.splat $0 : $t0 -> $T0", {offset}, type)},
                     type);
    const int plain = value;
    if (!is_inner)
      value = w.emit("arith.muli $0, $1 : $t0", {value, w.emit("tile.splat $0 : $t0 -> $T0", {stride}, type)},
                     type);
    type.axes.insert(axis ? type.axes.begin() : type.axes.end(), 0);
    const std::string expand =
        "tile.expand_dims $0 {axis = " + std::string(axis ? "0" : "1") + " : i32} : $t0 -> $T0";
    return std::pair{w.emit(expand, {value}, type), offset >= 0 ? w.emit(expand, {plain}, type) : -1};
  };
  auto operand = [&](const Type &type, std::size_t k_axis, bool k_is_inner, int counter) {
    const auto [inner, position] = index(plan.k, k_axis, k_is_inner, counter);
    const auto [outer, unused] = index(type.axes[1 - k_axis], 1 - k_axis, !k_is_inner, -1);
    (void)unused;
    auto whole = [&](int value, Kind element) {
      return w.emit("tile.broadcast $0 : $t0 -> $T0", {value}, {element, type.axes});
    };
    const Type offsets{Kind::I32, type.axes};
    const int sum_of =
        w.emit("arith.addi $0, $1 : $t0", {whole(inner, Kind::I32), whole(outer, Kind::I32)}, offsets);
    const std::string form =
        "$~a = tile.splat $0 : $t0 -> $P\n$~b = tile.addptr $~a, $1 : $P, $t1\n$=tile.load $~b";
    std::vector<int> operands{plan.inputs.at(type.kind), sum_of};
    if (masked) {
      const Type line = w.type(position);
      const int bound = w.emit("tile.splat $0 : $t0 -> $T0", {limit}, line);
      const int inside =
          w.emit("arith.cmpi slt, $0, $1 : $t0", {position, bound}, w.with_kind(line, Kind::I1));
      operands.push_back(whole(inside, Kind::I1));
    }
    const auto read = [&] {
      return w.emit(form + (masked ? ", $2" : "") + " : $P", operands, type, input_bound(w, type.kind));
    };
    return is_conditional && w.one_in(2) ? sometimes(w, type, read) : read();
  };

  const int from = w.i32(0);
  const Region body = w.region([&] {
    const int counter = w.fresh(number, 0), carried = w.fresh(sum, most);
    w.argument(counter);
    w.argument(carried);
    const int a = operand({kind.a, {plan.m, plan.k}}, 1, !by_columns, counter);
    const auto multiplied = [&](int left, int right, int sums) {
      return w.emit("tile.dot $0, $1, $2" + product_options(w, kind.a) + " : $t0, $t1, $t2",
                    {left, right, sums}, sum, most);
    };
    if (sharing == Sharing::transposed)
      return w.yield(multiplied(a, transposed(w, a), carried));
    const int b = operand({kind.b, {plan.k, plan.n}}, 0, by_columns, counter);
    if (w.one_in(3))
      integer_arithmetic(w, plan);
    const int first = multiplied(a, b, carried);
    if (!is_pair)
      return w.yield(first);
    const int other = operand({kind.b, {plan.k, plan.n}}, 0, w.one_in(2), counter);
    const int left = sharing == Sharing::of_two ? a
                     : is_float(kind.a)         ? w.emit("arith.negf $0 : $t0", {a}, w.type(a), w.bound(a))
                                                : w.emit("arith.addi $0, $0 : $t0", {a}, w.type(a));
    w.yield(multiplied(left, other, first));
  });
  Node loop{.form = Node::Form::loop,
            .text = "",
            .operands = {from, end, width, start},
            .results = {},
            .regions = {}};
  loop.results.push_back(w.fresh(sum, most));
  loop.regions.push_back(body);
  loop.stages = w.one_in(2) ? w.between(1, 5) : 0;
  loop.unroll = w.one_in(4) ? w.between(2, 5) : 0;
  w.add(std::move(loop));
}

}   // namespace tile::fuzz
