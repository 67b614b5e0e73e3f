// SPDX-License-Identifier: MIT
// Loads and stores. Every address is inside its buffer where the mask is true, and often outside it
// where it is false.
#include "tools/fuzz/families.h"

#include <algorithm>
#include <limits>

namespace tile::fuzz {
namespace {

// The index along one axis of a shape, with that shape.
int coordinate(Writer &w, const std::vector<int> &axes, std::size_t at, int one) {
  Type type{Kind::I32, {axes[at]}};
  int value = w.emit("tile.arange 0 to $x" + std::to_string(axes[at]) + " : $T0", {}, type);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (i == at)
      continue;
    type.axes.insert(type.axes.begin() + static_cast<std::ptrdiff_t>(i), one);
    value =
        w.emit("tile.expand_dims $0 {axis = " + std::to_string(i) + " : i32} : $t0 -> $T0", {value}, type);
  }
  return value;
}

int stretched(Writer &w, int value, const std::vector<int> &axes) {
  if (w.type(value).axes == axes)
    return value;
  return w.emit("tile.broadcast $0 : $t0 -> $T0", {value}, {Kind::I32, axes});
}

int splat(Writer &w, int scalar, const std::vector<int> &axes) {
  if (axes.empty())
    return scalar;
  return w.emit("tile.splat $0 : $t0 -> $T0", {scalar}, {w.type(scalar).kind, axes});
}

int add(Writer &w, int a, int b) { return w.emit("arith.addi $0, $1 : $t0", {a, b}, w.type(a)); }

// The elements' row-major numbers, if `order` names the axes in order; else those of a transposed tile.
int numbered(Writer &w, const std::vector<int> &axes, const std::vector<std::size_t> &order, int one) {
  int sum = -1;
  for (std::size_t place = 0; place < order.size(); ++place) {
    int value = coordinate(w, axes, order[place], one);
    std::vector<int> inner;
    for (std::size_t i = place + 1; i < order.size(); ++i)
      inner.push_back(axes[order[i]]);
    if (!inner.empty()) {
      const Type type = w.type(value);
      const std::string stride = "$x" + std::to_string(w.product_of(inner));
      const int factor = w.emit("arith.constant dense<" + stride + "> : $T0", {}, type);
      value = w.emit("arith.muli $0, $1 : $t0", {value, factor}, type);
    }
    value = stretched(w, value, axes);
    sum = sum < 0 ? value : add(w, sum, value);
  }
  return sum;
}

std::vector<std::size_t> some_order(Writer &w, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  for (std::size_t i = 0; i < rank; ++i)
    order[i] = i;
  if (rank > 1 && w.one_in(3))
    std::swap(order[rank - 1], order[w.below(rank - 1)]);
  return order;
}

std::string hints(Writer &w, std::initializer_list<std::string_view> caches) {
  const std::string evict = w.one_in(8) ? " evict = " + w.one_of({"first", "last"}) : "";
  return (w.one_in(5) ? " cache = " + w.one_of(caches) : "") + evict;
}

// A condition of the offsets' shape; with it the number of elements for which it holds is known.
struct Limited {
  int mask, count;
};
Limited below_a_scalar(Writer &w, const Plan &plan, int numbers) {
  const std::int64_t all = elements(w.program, w.type(numbers));
  std::size_t which = w.below(plan.scalars.size());
  const std::int64_t value = w.program.scalars[which];
  const int limit = splat(w, plan.scalars[which], w.type(numbers).axes);
  const int mask =
      w.emit("arith.cmpi slt, $0, $1 : $t0", {numbers, limit}, w.with_kind(w.type(numbers), Kind::I1));
  return {mask, static_cast<int>(std::clamp<std::int64_t>(value, 0, all))};
}

}   // namespace

std::string addresses(const Type &offsets, bool is_unsigned) {
  const std::string reading = is_unsigned ? " unsigned" : "";
  if (!offsets.is_tile())
    return "$~b = tile.addptr $0, $1" + reading + " : $t0, $t1\n";
  return "$~a = tile.splat $0 : $t0 -> $P\n$~b = tile.addptr $~a, $1" + reading + " : $P, $t1\n";
}

double input_bound(const Writer &w, Kind kind) {
  return !is_float(kind) ? 0 : w.is_ring() ? std::numeric_limits<double>::infinity() : 8;
}

int linear_index(Writer &w, const std::vector<int> &axes) {
  int one = 0;   // the first axis of every program
  if (axes.empty())
    return w.i32(0);
  if (axes.size() > 1 && w.has_product(axes) && w.one_in(3)) {
    const int flat = w.product_of(axes);
    const int numbers =
        w.emit("tile.arange 0 to $x" + std::to_string(flat) + " : $T0", {}, {Kind::I32, {flat}});
    return w.emit("tile.reshape $0 : $t0 -> $T0", {numbers}, {Kind::I32, axes});
  }
  std::vector<std::size_t> order(axes.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  return numbered(w, axes, order, one);
}

int load(Writer &w, const Plan &plan, const Type &type, bool is_whole) {
  const bool is_wild = plan.wild.contains(type.kind) && w.one_in(2);
  const int pointer = (is_wild ? plan.wild : plan.inputs).at(type.kind);
  const double bound = is_wild ? std::numeric_limits<double>::infinity() : input_bound(w, type.kind);
  const Type index{Kind::I32, type.axes};
  const std::int64_t count = elements(w.program, type);
  int offsets = 0, mask = -1;
  // Where the compiler sees that a mask is false, it knows the value: no mask of a ring's load is a constant.
  const bool is_opaque = w.is_ring() && is_float(type.kind);
  if (w.one_in(4)) {   // anywhere in the buffer, as data says
    const int all = w.constant(index, input_elements - 1);
    offsets = w.emit("arith.andi $0, $1 : $t0", {w.any(index), all}, index);
    if (!is_whole && w.one_in(3) && (type.is_tile() || !is_opaque))
      mask = is_opaque ? below_a_scalar(w, plan, offsets).mask : w.any(w.with_kind(type, Kind::I1));
  } else {
    const int numbers = type.is_tile() && type.axes.size() > 1 && w.one_in(4)
                            ? numbered(w, type.axes, some_order(w, type.axes.size()), 0)
                            : linear_index(w, type.axes);
    int left = input_elements - static_cast<int>(count);
    if (!is_whole && type.is_tile() && w.one_in(2)) {
      const Limited limited = below_a_scalar(w, plan, numbers);
      mask = limited.mask;
      if (w.one_in(2) && limited.count > 0)   // the elements behind the limit are behind the buffer
        left = input_elements - limited.count;
    }
    const int first =
        w.one_in(3) ? left
                    : static_cast<int>(w.below(static_cast<std::size_t>(left))) & (w.one_in(2) ? ~15 : ~0);
    const int start = w.i32(first);
    offsets = add(w, numbers, splat(w, start, type.axes));
  }
  std::vector<int> operands{pointer, offsets};
  std::string given;
  if (mask >= 0) {
    operands.push_back(mask);
    given = ", $2";
    if (w.one_in(2)) {
      operands.push_back(w.any(type, 8));
      given += ", $3";
    }
  }
  double most = bound;
  if (operands.size() > 3)
    most = std::max(most, w.bound(operands[3]));
  if (w.one_in(6))
    operands[1] = w.emit("arith.extui $0 : $t0 to $T0", {offsets}, {Kind::I64, index.axes});
  const std::string form = addresses(index, w.one_in(6));
  return w.emit(form + "$=tile.load $~b" + given + hints(w, {"ca", "cg"}) + " : $P", operands, type, most);
}

void some_load(Writer &w, const Plan &plan) { load(w, plan, any_type(w, plan)); }

// Each store of each program has a part of the buffer of its own.
int own_part(Writer &w, const Plan &plan, Kind kind) {
  const Writer::Fixing fixing(w);
  Buffer &buffer = w.program.buffers[plan.output_buffers.at(kind)];
  const int base =
      w.emit("arith.muli $0, $1 : $t0", {plan.program_number, w.i32(plan.part)}, {Kind::I32, {}});
  const int part = add(w, base, w.i32(buffer.elements));
  buffer.elements += plan.part * plan.programs;
  return part;
}

static int put(Writer &w, const Plan &plan, int value, int numbers, int part, int mask) {
  const Type index{Kind::I32, w.type(value).axes};
  const Writer::Fixing fixing(w);
  const int offsets = add(w, numbers, splat(w, part, index.axes));
  std::vector<int> operands{plan.outputs.at(w.type(value).kind), offsets, value};
  if (mask >= 0)
    operands.push_back(mask);
  w.effect(addresses(index) + "tile.store $~b, $2" + (mask >= 0 ? ", $3" : "") + hints(w, {"wb", "cg"}) +
               " : $P",
           operands);
  return offsets;
}

void store(Writer &w, const Plan &plan, int value) {
  const std::vector<int> axes = w.type(value).axes;
  const int part = own_part(w, plan, w.type(value).kind);
  const int numbers = [&] {
    const Writer::Fixing fixing(w);
    return axes.empty() ? w.i32(0) : numbered(w, axes, some_order(w, axes.size()), 0);
  }();
  int mask = -1;
  if (!axes.empty() && w.one_in(2))
    mask = w.one_in(2) ? below_a_scalar(w, plan, numbers).mask : w.any({Kind::I1, axes});
  put(w, plan, value, numbers, part, mask);
}

// Through memory and back in another order: the lanes of a program read what others of it wrote.
void round_trip(Writer &w, const Plan &plan) {
  const Type type = any_type(w, plan, true);
  const int value = w.any(type, is_float(type.kind) ? exact_limit(type.kind) : 0);
  const Writer::Fixing fixing(w);
  const int part = own_part(w, plan, w.type(value).kind);
  put(w, plan, value, linear_index(w, type.axes), part, -1);
  w.effect("tile.barrier", {});
  const Type index{Kind::I32, type.axes};
  const int count =
      w.emit("arith.constant dense<$x" + std::to_string(w.product_of(type.axes)) + "> : $T0", {}, index);
  const int after = w.emit("arith.subi $0, $1 : $t0", {count, linear_index(w, type.axes)}, index);
  const int backwards = w.emit("arith.subi $0, $1 : $t0", {after, w.constant(index, 1)}, index);
  const int offsets = add(w, backwards, splat(w, part, type.axes));
  w.emit(addresses(index) + "$=tile.load $~b : $P", {plan.outputs.at(type.kind), offsets}, type,
         w.bound(value));
}

// What nothing has used would be computed for nothing.
void store_some(Writer &w, const Plan &plan, int count) {
  std::vector<int> unused = w.unused();
  std::erase_if(unused, [&](int value) {
    return !plan.outputs.contains(w.type(value).kind) || elements(w.program, w.type(value)) > plan.part;
  });
  for (int left = count; left > 0 && !unused.empty(); --left) {
    const std::uint32_t which = w.below(unused.size());
    store(w, plan, unused[which]);
    unused.erase(unused.begin() + which);
  }
}

}   // namespace tile::fuzz
