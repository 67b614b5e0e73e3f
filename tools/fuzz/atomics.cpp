// SPDX-License-Identifier: MIT
// Atomics. Where programs meet at an element nobody asks what was there before; where they ask, each has
// elements of its own, or what they make of the answers is the same set whoever comes first.
#include "tools/fuzz/families.h"

namespace tile::fuzz {
namespace {

bool is_word(Kind kind) { return kind == Kind::I32 || kind == Kind::I64; }

// How an element of this program's own may be changed; a float's only where sums are those of a ring.
std::string update(Writer &w, Kind kind) {
  if (!is_float(kind))
    return w.one_of({"add", "smax", "smin", "umax", "umin", "and", "or", "xor", "xchg"});
  return (kind == Kind::F32 || kind == Kind::F64) && w.one_in(2) ? "xchg" : "fadd";
}

std::string order(Writer &w) {
  return " ordering = " + w.one_of({"relaxed", "acquire", "release", "acq_rel"}) + " scope = gpu";
}

}   // namespace

void atomic_update(Writer &w, const Plan &plan) {
  if (plan.sums.empty())
    return;
  std::vector<Kind> kinds;
  for (const auto &[kind, argument] : plan.sums)
    kinds.push_back(kind);
  const Kind kind = w.one_of(kinds);
  const Type type{kind, w.one_of(plan.shapes)}, index{Kind::I32, type.axes};
  const double terms = static_cast<double>(elements(w.program, type)) * 64;
  const int value = w.any(type, exact_limit(kind) / terms);
  const int mask = w.one_in(2) ? w.any(w.with_kind(type, Kind::I1)) : -1;
  // One operation for each of the elements: sums and maxima of one element would depend on the order.
  static constexpr std::string_view names[] = {"add", "smax", "smin", "xor"};
  const std::uint32_t which = is_float(kind) ? 0 : w.below(std::size(names));
  const int any = w.any(index);
  const Writer::Fixing fixing(w);
  const int all = w.constant(index, sum_elements / 4 - 1), four = w.constant(index, 4);
  const int element = w.emit("arith.andi $0, $1 : $t0", {any, all}, index);
  const int scaled = w.emit("arith.muli $0, $1 : $t0", {element, four}, index);
  const int offsets = w.emit("arith.addi $0, $1 : $t0", {scaled, w.constant(index, which)}, index);
  std::vector<int> operands{plan.sums.at(kind), offsets, value};
  if (mask >= 0)
    operands.push_back(mask);
  w.effect(addresses(index) + "$~c = tile.atomic_rmw " +
               (is_float(kind) ? "fadd" : std::string(names[which])) + ", $~b, $2" +
               (mask >= 0 ? ", $3" : "") + " ordering = relaxed scope = gpu : $P",
           operands);
}

// On elements of this program's own, for what they held: the pattern that outputs begin with, or what an
// earlier one left.
void atomic_exchange(Writer &w, const Plan &plan) {
  std::vector<Kind> kinds;
  for (const auto &[kind, argument] : plan.outputs)
    if (is_word(kind) || (w.is_ring() && is_float(kind) && !is_fp8(kind)))
      kinds.push_back(kind);
  const Type type{w.one_of(kinds), w.one_of(plan.shapes)}, index{Kind::I32, type.axes};
  const int value = w.any(type, input_bound(w, type.kind));
  const int mask = w.one_in(2) ? w.any(w.with_kind(type, Kind::I1)) : -1;
  const bool swaps = mask < 0 && (is_word(type.kind) || type.kind == Kind::F32) && w.one_in(3);
  // Every other time what is there, if nothing has changed it.
  const std::int64_t pattern = static_cast<std::int64_t>(std::uint64_t{0x0101010101010101} * out_pattern);
  const int expected =
      !swaps ? -1
      : is_word(type.kind) && w.one_in(2)
          ? w.constant(type, type.kind == Kind::I32 ? static_cast<std::int32_t>(pattern) : pattern)
          : w.any(type, input_bound(w, type.kind));
  const int part = own_part(w, plan, type.kind);
  int offsets = -1;
  {
    const Writer::Fixing fixing(w);
    const int start = type.is_tile() ? w.emit("tile.splat $0 : $t0 -> $T0", {part}, index) : part;
    offsets = w.emit("arith.addi $0, $1 : $t0", {linear_index(w, type.axes), start}, index);
  }
  std::vector<int> operands{plan.outputs.at(type.kind), offsets, value};
  const double bound = input_bound(w, type.kind);
  if (swaps) {
    operands.insert(operands.begin() + 2, expected);
    w.emit(addresses(index) + "$=tile.atomic_cas $~b, $2, $3" + order(w) + " : $P", operands, type, bound);
  } else {
    if (mask >= 0)
      operands.push_back(mask);
    const std::string ordering = order(w);
    w.emit(addresses(index) + "$=tile.atomic_rmw " + update(w, type.kind) + ", $~b, $2" +
               (mask >= 0 ? ", $3" : "") + ordering + " : $P",
           operands, type, bound);
  }
}

// Each program draws a number, all different, and writes it at that place. Who drew which does not show, and
// nothing else may see the number.
void ticket(Writer &w, const Plan &plan) {
  if (!plan.sums.contains(Kind::I32))
    return;
  const Writer::Fixing fixing(w);
  Buffer *counters = nullptr;
  for (Buffer &buffer : w.program.buffers)
    if (buffer.role == "sums" && buffer.kind == Kind::I32)
      counters = &buffer;
  Buffer &places = w.program.buffers[plan.output_buffers.at(Kind::I32)];
  const int counter = w.i32(counters->elements++), first = w.i32(places.elements), one = w.i32(1);
  places.elements += 64;   // more than there are programs, and descriptors like aligned places
  w.effect("$~b = tile.addptr $0, $1 : $t0, $t1\n$~c = tile.atomic_rmw add, $~b, $2" + order(w) +
               " : $t0\n$~d = arith.addi $~c, $3 : $t3\n$~e = tile.addptr $4, $~d : $t4, $t3\n"
               "tile.store $~e, $~c : $t4",
           {plan.sums.at(Kind::I32), counter, one, first, plan.outputs.at(Kind::I32)});
}

}   // namespace tile::fuzz
