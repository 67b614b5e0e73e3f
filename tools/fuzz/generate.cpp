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
  const int odd = w.one_in(3) ? w.one_of(std::vector{3, 5, 7, 13}) : 1;
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
  const bool has_bytes = std::ranges::count(plan.integers, Kind::I8) != 0;
  const int least = has_bytes ? 32 : 16;
  plan.m = w.axis(w.one_of(std::vector{16, 16, 32, 64, 48, 128}));
  plan.n = w.axis(w.one_of(std::vector{8, 16, 32, 64, 48, 96}));
  plan.k = w.axis(w.one_of(std::vector{least, 32, 64}), least);
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
}

int buffer(Writer &w, const std::string &role, Kind kind, std::int64_t elements) {
  w.program.buffers.push_back({role, kind, elements});
  const int argument = w.fresh({kind, {}, true}, 0);
  w.argument(argument);
  return argument;
}

void choose_arguments(Writer &w, Plan &plan) {
  std::vector<Kind> kinds = plan.integers;
  kinds.erase(kinds.begin());   // i32 is there twice, to be chosen more often
  kinds.insert(kinds.end(), plan.floats.begin(), plan.floats.end());
  // Fusing a product and a sum changes floats of arbitrary bits.
  w.program.launch.fp_fusion = w.one_in(2);
  const bool has_wild = !w.program.launch.fp_fusion;
  for (Kind kind : kinds) {
    plan.inputs[kind] = buffer(w, "in", kind, input_elements);
    plan.output_buffers[kind] = w.program.buffers.size();
    plan.outputs[kind] = buffer(w, "out", kind, 0);
    if (is_float(kind) && has_wild)
      plan.wild[kind] = buffer(w, "wild", kind, input_elements);
    if ((kind == Kind::I32 || kind == Kind::F32) && w.one_in(3))
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

void program_number(Writer &w, Plan &plan) {
  const Type number{Kind::I32, {}};
  const int x = w.emit("tile.program_id x", {}, number), y = w.emit("tile.program_id y", {}, number);
  const int row = w.emit("arith.muli $0, $1 : $t0", {y, w.emit("tile.num_programs x", {}, number)}, number);
  plan.program_number = w.emit("arith.addi $0, $1 : $t0", {row, x}, number);
}

void statement(Writer &w, const Plan &plan) {
  switch (w.below(22)) {
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
    return movement(w, plan);
  case 13:
    return gather(w, plan);
  case 14:
    return reduction(w, plan);
  case 15:
    return scan(w, plan);
  case 16:
    return w.one_in(4) ? histogram(w, plan) : product(w, plan);
  case 17:
    return w.one_in(2) ? product(w, plan) : float_arithmetic(w, plan);
  case 18:
    return w.one_in(3) ? random_numbers(w, plan) : descriptor_load(w, plan);
  default:
    return some_load(w, plan);
  }
}

// What a loop or a branch gives: integers freely, floats that stay as small as they were said to be.
struct Given {
  std::vector<Type> types;
  std::vector<double> bounds;
};
Given random_results(Writer &w, const Plan &plan) {
  Given given;
  for (int i = 0; i < w.between(1, 3); ++i) {
    given.types.push_back(any_type(w, plan));
    const Kind kind = given.types.back().kind;
    given.bounds.push_back(is_float(kind) ? exact_limit(kind) / 4 : 0);
  }
  return given;
}

void branch(Writer &w, const Plan &plan) {
  const Given given = random_results(w, plan);
  Node node{.form = Node::Form::branch, .text = "", .operands = {}, .results = {}, .regions = {}};
  node.operands = {w.any({Kind::I1, {}})};
  for (int side = 0; side < 2; ++side)
    node.regions.push_back(w.region([&] {
      for (int i = 0; i < w.between(0, 6); ++i)
        statement(w, plan);
      for (std::size_t i = 0; i < given.types.size(); ++i)
        w.yield(w.any(given.types[i], given.bounds[i]));
    }));
  for (std::size_t i = 0; i < given.types.size(); ++i)
    node.results.push_back(w.fresh(given.types[i], given.bounds[i]));
  w.add(std::move(node));
}

// Up to 15 rounds, from anywhere, by steps of 1 to 3, also to the end of the type.
void loop(Writer &w, const Plan &plan, int depth) {
  const Given given = random_results(w, plan);
  const Type number{Kind::I32, {}};
  const bool is_unsigned = w.one_in(4);
  const int step = w.between(1, 3);
  const int from = w.i32(is_unsigned ? 2147483630 : w.one_in(3) ? 0 : w.between(-20, 20));
  const int rounds = w.one_in(2)
                         ? w.i32(w.between(0, 6))
                         : w.emit("arith.andi $0, $1 : $t0", {w.any(number), w.i32(depth ? 3 : 15)}, number);
  Node node{.form = is_unsigned ? Node::Form::unsigned_loop : Node::Form::loop,
            .text = "",
            .operands = {},
            .results = {},
            .regions = {}};
  node.operands = {from, w.emit("arith.addi $0, $1 : $t0", {from, rounds}, number), w.i32(step)};
  for (std::size_t i = 0; i < given.types.size(); ++i)
    node.operands.push_back(w.any(given.types[i], given.bounds[i]));
  node.regions.push_back(w.region([&] {
    const int counter = w.fresh(number, 0);
    w.argument(counter);
    for (std::size_t i = 0; i < given.types.size(); ++i)
      w.argument(w.fresh(given.types[i], given.bounds[i]));
    for (int i = 0; i < w.between(1, 8); ++i)
      statement(w, plan);
    if (!depth && w.one_in(4))
      loop(w, plan, depth + 1);
    if (!depth && w.one_in(5))
      branch(w, plan);
    for (std::size_t i = 0; i < given.types.size(); ++i)
      w.yield(w.any(given.types[i], given.bounds[i]));
  }));
  for (std::size_t i = 0; i < given.types.size(); ++i)
    node.results.push_back(w.fresh(given.types[i], given.bounds[i]));
  node.stages = w.one_in(4) ? w.between(1, 4) : 0;
  w.add(std::move(node));
}

// What nothing has used would be computed for nothing.
void store_some(Writer &w, const Plan &plan) {
  std::vector<int> unused = w.unused();
  std::erase_if(unused, [&](int value) {
    return !plan.outputs.contains(w.type(value).kind) || elements(w.program, w.type(value)) > plan.part;
  });
  for (int left = w.between(4, 10); left > 0 && !unused.empty(); --left) {
    const std::uint32_t which = w.below(unused.size());
    store(w, plan, unused[which]);
    unused.erase(unused.begin() + which);
  }
}

}   // namespace

Program generate(std::uint64_t seed) {
  Program program;
  program.seed = seed;
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
  program.launch.num_stages = w.between(1, 4);
  choose_arguments(w, plan);
  program_number(w, plan);
  // Conditions compare, numbers come from memory.
  w.source = [&](const Type &type) {
    if (type.kind != Kind::I1)
      return plan.inputs.contains(type.kind) ? load(w, plan, type) : w.edge(type);
    const Type compared = w.with_kind(type, Kind::I32);
    return w.emit("arith.cmpi " + w.one_of({"slt", "ne", "uge"}) + ", $0, $1 : $t0",
                  {load(w, plan, compared), w.any(compared)}, type);
  };

  for (int i = 0; i < w.between(2, 4); ++i)
    some_load(w, plan);
  const int steps = w.between(4, 28);
  for (int step = 0; step < steps; ++step) {
    statement(w, plan);
    if (w.one_in(20))
      loop(w, plan, 0);
    if (w.one_in(24))
      branch(w, plan);
    if (w.one_in(20))
      round_trip(w, plan);
    if (w.one_in(20))
      descriptor_store(w, plan);
    if (w.one_in(12))
      atomic_update(w, plan);
    if (w.one_in(8))
      product_loop(w, plan);
  }
  store_some(w, plan);
  program.body = w.take();
  return program;
}

}   // namespace tile::fuzz
