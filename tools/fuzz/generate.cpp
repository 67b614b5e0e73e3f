// SPDX-License-Identifier: MIT
#include "tools/fuzz/generate.h"

#include "tools/fuzz/families.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace tile::fuzz {
namespace {

int random_extent(Writer &w, int most, int odd) {
  int extent = 0;
  do
    extent = odd << w.below(9);
  while (extent > most && odd <= most);
  return std::min(extent, most);
}

void choose_axes(Writer &w, Plan &plan) {
  const int most = w.one_in(8) ? most_elements : w.one_in(2) ? 4096 : 512;
  const bool swaps = w.one_in(2);
  const int odd = w.one_in(3) ? w.one_of(std::vector{3, 5, 7, 9, 11, 13, 15, 31}) : 1;
  const int first = random_extent(w, std::min(most, 512), odd);
  int second = random_extent(w, std::min(512, std::max(1, most / first)), 1);
  second = 1 << (std::bit_width(static_cast<unsigned>(second)) - 1);
  const int a = w.axis(swaps ? second : first), b = w.axis(swaps ? first : second), one = plan.one;
  plan.axes = {a, b};
  plan.shapes = {{}, {a}, {b}, {a, one}, {one, b}, {a, b}, {a, b}, {w.product_of({a, b})}};
  if (w.one_in(2))
    plan.shapes.push_back({b, a});
  if (first * second * 2 <= most && w.one_in(2))
    plan.shapes.push_back({a, b, plan.two});
}

void choose_product(Writer &w, Plan &plan) {
  const bool has_bytes = std::ranges::count(plan.integers, Kind::I8) != 0 || !plan.stored_floats.empty();
  const int least = has_bytes ? 32 : 16;
  plan.m = w.axis(w.one_of(std::vector{16, 16, 32, 64, 48, 128, 8, 1 << w.below(3), 24, 40}));
  plan.n = w.axis(w.one_of(std::vector{8, 16, 32, 64, 48, 96, 16, 1 << w.below(3), 24, 40}));
  plan.k = w.axis(w.one_of(std::vector{least, 32, 64, 48, 80}), least);
  if (w.one_in(4)) {
    plan.stack = w.axis(w.one_of(std::vector{1, 2, 2, 3, 4}));
    for (const std::vector<int> &shape : {std::vector{plan.stack, plan.m, plan.n},
                                          {plan.stack, plan.m, plan.k},
                                          {plan.stack, plan.k, plan.n}})
      if (elements(w.program, {Kind::I32, shape}) <= most_elements)
        plan.shapes.push_back(shape);
  }
  if (w.one_in(3))   // of what shared operands give
    for (int axis : {plan.m, plan.k})
      if (elements(w.program, {Kind::I32, {axis, axis}}) <= most_elements)
        plan.shapes.push_back({axis, axis});
  if (w.one_in(4)) {
    plan.square = w.axis(64);
    plan.shapes.push_back({plan.square, plan.square});
  }
  for (const std::vector<int> &shape : {std::vector{plan.m, plan.n},
                                        {plan.m, plan.k},
                                        {plan.k, plan.n},
                                        {plan.m},
                                        {plan.n},
                                        {plan.m, plan.one},
                                        {plan.one, plan.n}})
    plan.shapes.push_back(shape);
}

void choose_kinds(Writer &w, Plan &plan) {
  plan.integers = {Kind::I32, Kind::I32};
  for (Kind kind : {Kind::I8, Kind::I16, Kind::I64})
    if (w.one_in(3))
      plan.integers.push_back(kind);
  for (Kind kind : {Kind::F16, Kind::BF16, Kind::F32, Kind::F64})
    if (w.one_in(kind == Kind::F64 ? 6 : 3))
      plan.floats.push_back(kind);
  // Products of 16-bit floats are sums of f32.
  if (!plan.floats.empty() && !std::ranges::count(plan.floats, Kind::F32))
    plan.floats.push_back(Kind::F32);
  for (Kind kind : {Kind::E4M3, Kind::E5M2})
    if (!plan.floats.empty() && w.one_in(5))
      plan.stored_floats.push_back(kind);
}

int buffer(Writer &w, const std::string &role, Kind kind, std::int64_t elements) {
  w.program.buffers.push_back({role, kind, elements});
  const int argument = w.fresh({kind, {}, true}, 0);
  w.argument(argument);
  return argument;
}

}   // namespace

void choose_arguments(Writer &w, Plan &plan) {
  std::vector<Kind> kinds = plan.integers;
  kinds.erase(kinds.begin());   // i32 is there twice, to be chosen more often
  kinds.insert(kinds.end(), plan.floats.begin(), plan.floats.end());
  kinds.insert(kinds.end(), plan.stored_floats.begin(), plan.stored_floats.end());
  // Fusing a product and a sum changes floats of arbitrary bits.
  w.program.launch.fp_fusion = w.one_in(2);
  const bool has_wild = !w.program.launch.fp_fusion && !w.is_ring();
  for (Kind kind : kinds) {
    plan.inputs[kind] = buffer(w, w.is_ring() && is_float(kind) ? "ring" : "in", kind, input_elements);
    plan.output_buffers[kind] = w.program.buffers.size();
    plan.outputs[kind] = buffer(w, "out", kind, 0);
    if (is_float(kind) && has_wild)
      plan.wild[kind] = buffer(w, "wild", kind, input_elements);
    if (is_float(kind) && !is_fp8(kind) && !w.is_ring() && w.one_in(3))
      plan.special[kind] = buffer(w, "special", kind, input_elements);
    const bool is_summed =
        kind == Kind::I32 || kind == Kind::F32 || (w.is_ring() && is_float(kind) && !is_fp8(kind));
    if (is_summed && w.one_in(3))
      plan.sums[kind] = buffer(w, "sums", kind, sum_elements);
  }
  for (const std::vector<int> &shape : plan.shapes)
    plan.part = std::max(plan.part, 2 * elements(w.program, {Kind::I32, shape}));
  for (int i = 0; i < 3; ++i) {
    const int limit = static_cast<int>(elements(w.program, {Kind::I32, w.one_of(plan.shapes)}));
    w.program.scalars.push_back(w.one_in(4) ? limit : w.one_in(8) ? 0 : w.between(0, limit));
    plan.scalars.push_back(w.fresh({Kind::I32, {}}, 0));
    w.argument(plan.scalars.back());
  }
}

void number_programs(Writer &w, Plan &plan) {
  const Type number{Kind::I32, {}};
  const int x = w.emit("tile.program_id x", {}, number), y = w.emit("tile.program_id y", {}, number);
  const int row = w.emit("arith.muli $0, $1 : $t0", {y, w.emit("tile.num_programs x", {}, number)}, number);
  plan.program_number = w.emit("arith.addi $0, $1 : $t0", {row, x}, number);
  plan.programs = w.program.grid.x * w.program.grid.y;
}

// Conditions compare, numbers come from memory.
std::function<int(const Type &)> source_of(Writer &w, const Plan &plan) {
  return [&](const Type &type) {
    if (type.kind != Kind::I1)
      return plan.inputs.contains(type.kind) ? load(w, plan, type) : w.edge(type);
    const Type compared = w.with_kind(type, Kind::I32);
    const std::vector<int> operands{load(w, plan, compared), w.any(compared)};
    return w.emit("arith.cmpi " + w.one_of({"slt", "ne", "uge"}) + ", $0, $1 : $t0", operands, type);
  };
}

// Families by weight; a number that none of them has is a load.
void statement(Writer &w, const Plan &plan) {
  switch (w.below(25)) {
  case 0:
  case 1:
  case 2:
  case 3:
    return integer_arithmetic(w, plan);
  case 4:
  case 5:
    return float_arithmetic(w, plan);
  case 6:
    return comparison(w, plan);
  case 7:
    return selection(w, plan);
  case 8:
  case 9:
    return conversion(w, plan);
  case 10:
  case 11:
  case 12:
  case 13:
  case 14:
    return movement(w, plan);
  case 15:
    return gather(w, plan);
  case 16:
  case 17:
    return reduction(w, plan);
  case 18:
    return scan(w, plan);
  case 19:
    return w.one_in(4) ? histogram(w, plan) : product(w, plan);
  case 20:
    return w.one_in(2) ? product(w, plan) : float_arithmetic(w, plan);
  case 21:
    return w.one_in(3) ? random_numbers(w, plan) : descriptor_load(w, plan);
  default:
    return some_load(w, plan);
  }
}

static bool has_products(const Region &region) {
  return std::ranges::any_of(region.nodes, [](const Node &node) {
    return node.text.starts_with("tile.dot") || std::ranges::any_of(node.regions, has_products);
  });
}

Program generate(std::uint64_t seed, Floats floats) {
  Program program;
  program.seed = seed;
  program.floats = floats;
  Writer w(program, seed);
  Plan plan;
  plan.one = w.axis(1);
  plan.two = w.axis(2, 2);
  choose_kinds(w, plan);
  choose_axes(w, plan);
  if (w.one_in(2))
    choose_product(w, plan);
  program.grid = {w.between(1, 3), w.one_in(3) ? 2 : 1, 1};
  program.launch.num_warps = 1 << w.below(w.one_in(4) ? 5 : 4);
  program.launch.num_stages = w.between(1, 5);
  choose_arguments(w, plan);
  number_programs(w, plan);
  w.source = source_of(w, plan);

  for (int i = 0; i < w.between(2, 4); ++i)
    some_load(w, plan);
  const int steps = w.between(4, 28);
  for (int step = 0; step < steps; ++step) {
    statement(w, plan);
    if (w.one_in(20))
      loop(w, plan, 0);
    if (w.one_in(24))
      branch(w, plan);
    if (w.one_in(32))
      while_loop(w, plan);
    if (w.one_in(32))
      persistent_loop(w, plan);
    if (w.one_in(20))
      round_trip(w, plan);
    if (w.one_in(20))
      descriptor_store(w, plan);
    if (w.one_in(24))
      descriptor_reduction(w, plan);
    if (w.one_in(12))
      atomic_update(w, plan);
    if (w.one_in(16))
      atomic_exchange(w, plan);
    if (w.one_in(48))
      ticket(w, plan);
    if (w.one_in(8))
      product_loop(w, plan);
    if (plan.square >= 0 && w.one_in(6))
      shared_product(w, plan);
    if (w.one_in(12))
      special_rows(w, plan);
    if (w.one_in(16))
      promise(w, plan);
  }
  store_some(w, plan, w.between(4, 10));
  program.body = w.take();
  // Most such programs are refused, because they have something that cannot be divided.
  if (!has_products(program.body) && w.one_in(3))
    program.launch.num_ctas = w.one_of(std::vector{2, 2, 4, 8});
  return program;
}

}   // namespace tile::fuzz
