// SPDX-License-Identifier: MIT
// Loads, stores and reductions through descriptors, with blocks that lie partly or wholly outside the tensor.
#include "tools/fuzz/families.h"

namespace tile::fuzz {
namespace {

int i64(Writer &w, std::int64_t value) { return w.constant({Kind::I64, {}}, value); }

// Rows of whole multiples of 16 bytes, of at most two dimensions.
bool fits(const Writer &w, const Type &type) {
  if (type.axes.empty() || type.axes.size() > 2 || type.kind == Kind::I1)
    return false;
  const auto row = static_cast<std::size_t>(extent(w.program, type.axes.back()));
  return row * ElementType{type.kind}.bytes() % 16 == 0;
}

// Where a block begins: mostly near the tensor, on either side.
int coordinate(Writer &w, const Plan &plan, int along) {
  if (w.one_in(4))
    return w.one_of(plan.scalars);
  const int length = extent(w.program, along);
  return w.i32(w.one_in(2) ? 0 : w.between(-length, 2 * length));
}

std::string list(std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return "[" + text + "]";
}

}   // namespace

void descriptor_load(Writer &w, const Plan &plan) {
  const Type type = any_type(w, plan, true);
  if (!fits(w, type))
    return;
  const std::size_t rank = type.axes.size();
  const int row = extent(w.program, type.axes.back()) * w.between(1, 2);
  const int rows = rank == 2 ? std::min(input_elements / row, 2 * extent(w.program, type.axes[0])) : 1;
  std::vector<int> operands{plan.inputs.at(type.kind)};
  if (rank == 2)
    operands.push_back(i64(w, w.between(0, rows)));
  operands.push_back(i64(w, w.between(0, row)));
  if (rank == 2)
    operands.push_back(i64(w, row));
  operands.push_back(i64(w, 1));
  for (int along : type.axes)
    operands.push_back(coordinate(w, plan, along));
  w.emit("$~d = tile.make_descriptor $0, " + list(1, rank) + ", " + list(1 + rank, rank) +
             " : $t0 -> !tile.desc<$S0>\n$=tile.descriptor_load $~d" + list(1 + 2 * rank, rank) +
             " : !tile.desc<$S0> -> $T0",
         operands, type, input_bound(w, type.kind));
}

// The tensor is the store's own part of the buffer, and no larger than the block; the block may stand outside
// it. `operation` ends with the descriptor.
static void write(Writer &w, const Plan &plan, const Type &type, const std::string &operation) {
  const std::size_t rank = type.axes.size();
  const int value = w.any(type, is_float(type.kind) ? exact_limit(type.kind) : 0);
  const int part = own_part(w, plan, type.kind);
  std::vector<int> operands{plan.outputs.at(type.kind), part, value};
  for (int along : type.axes)
    operands.push_back(i64(w, w.between(0, extent(w.program, along))));
  if (rank == 2)
    operands.push_back(
        w.emit("arith.constant $x" + std::to_string(type.axes.back()) + " : i64", {}, {Kind::I64, {}}));
  operands.push_back(i64(w, 1));
  for (int along : type.axes)
    operands.push_back(coordinate(w, plan, along));
  w.effect("$~b = tile.addptr $0, $1 : $t0, $t1\n$~d = tile.make_descriptor $~b, " + list(3, rank) + ", " +
               list(3 + rank, rank) + " : $t0 -> !tile.desc<$s2>\n" + operation + list(3 + 2 * rank, rank) +
               ", $2 : !tile.desc<$s2>, $t2",
           operands);
}

void descriptor_store(Writer &w, const Plan &plan) {
  const Type type = any_type(w, plan, true);
  if (fits(w, type))
    write(w, plan, type, "tile.descriptor_store $~d");
}

// Each element once: what it is combined with is what outputs begin with.
void descriptor_reduction(Writer &w, const Plan &plan) {
  const Type type = any_type(w, plan, true, /*computed=*/true);
  const bool is_word = type.kind == Kind::I32 || type.kind == Kind::I64;
  if (!fits(w, type) || (!is_word && !(w.is_ring() && is_float(type.kind))))
    return;
  const std::string how =
      is_word ? w.one_of({"add", "smax", "smin", "umax", "umin", "and", "or", "xor"}) : "fadd";
  write(w, plan, type, "tile.descriptor_reduce " + how + ", $~d");
}

}   // namespace tile::fuzz
