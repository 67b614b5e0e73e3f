// SPDX-License-Identifier: MIT
// Loops and branches with tiles that they carry.
#include "tools/fuzz/families.h"

#include <algorithm>

namespace tile::fuzz {
namespace {

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
    given.bounds.push_back(!is_float(kind) ? 0 : w.is_ring() ? input_bound(w, kind) : exact_limit(kind) / 4);
  }
  return given;
}

}   // namespace

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

// Of 1 to 3, known or as data says; rarely one that is not positive, which is an error where the loop is
// reached. A step of an unsigned loop is less than 2^31: MLIR's canonicalizer takes others for negative ones,
// and removes the loop.
static int step_of(Writer &w, bool is_unsigned) {
  const Type number{Kind::I32, {}};
  if (!w.one_in(3))
    return w.i32(w.between(1, 3));
  const int data = w.any(number);
  const Writer::Fixing fixing(w);   // with another value in its place the loop could be an error, too
  const int few = w.emit("arith.andi $0, $1 : $t0", {data, w.i32(w.one_in(2) ? 1 : 2)}, number);
  const int more = w.one_in(12) ? w.between(-3, 0) : 1;
  return w.emit("arith.addi $0, $1 : $t0", {few, w.i32(is_unsigned ? std::max(more, 0) : more)}, number);
}

// Up to 15 rounds, from anywhere, also to the end of the type.
void loop(Writer &w, const Plan &plan, int depth) {
  const Given given = random_results(w, plan);
  const Type number{Kind::I32, {}};
  const bool is_unsigned = w.one_in(4);
  const int from = w.i32(is_unsigned ? 2147483630 : w.one_in(3) ? 0 : w.between(-20, 20));
  const int rounds = w.one_in(2)
                         ? w.i32(w.between(0, 6))
                         : w.emit("arith.andi $0, $1 : $t0", {w.any(number), w.i32(depth ? 3 : 15)}, number);
  Node node{.form = is_unsigned ? Node::Form::unsigned_loop : Node::Form::loop,
            .text = "",
            .operands = {},
            .results = {},
            .regions = {}};
  node.operands = {from, w.emit("arith.addi $0, $1 : $t0", {from, rounds}, number), step_of(w, is_unsigned)};
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
    if (!depth && w.one_in(8))
      while_loop(w, plan);
    for (std::size_t i = 0; i < given.types.size(); ++i)
      w.yield(w.any(given.types[i], given.bounds[i]));
  }));
  for (std::size_t i = 0; i < given.types.size(); ++i)
    node.results.push_back(w.fresh(given.types[i], given.bounds[i]));
  node.stages = w.one_in(4) ? w.between(1, 5) : 0;
  node.unroll = w.one_in(4) ? w.between(1, 8) : 0;
  w.add(std::move(node));
}

// While a number that grows is below another, and sometimes only as long as data says.
void while_loop(Writer &w, const Plan &plan) {
  Given given = random_results(w, plan);
  const Type number{Kind::I32, {}};
  given.types.insert(given.types.begin(), number);
  given.bounds.insert(given.bounds.begin(), 0);
  Node node{.form = Node::Form::while_loop, .text = "", .operands = {}, .results = {}, .regions = {}};
  int end = -1;
  {
    const Writer::Fixing fixing(w);
    node.operands = {w.i32(w.between(-3, 3))};
    end = w.emit("arith.addi $0, $1 : $t0", {node.operands[0], w.i32(w.between(0, 5))}, number);
  }
  for (std::size_t i = 1; i < given.types.size(); ++i)
    node.operands.push_back(w.any(given.types[i], given.bounds[i]));
  const auto carry = [&] {
    std::vector<int> arguments;
    for (std::size_t i = 0; i < given.types.size(); ++i) {
      arguments.push_back(w.fresh(given.types[i], given.bounds[i]));
      w.argument(arguments.back());
    }
    return arguments;
  };
  const auto yield = [&](int first) {
    w.yield(first);
    for (std::size_t i = 1; i < given.types.size(); ++i)
      w.yield(w.any(given.types[i], given.bounds[i]));
  };
  node.regions.push_back(w.region([&] {
    const int counter = carry()[0];
    for (int i = 0; i < w.between(0, 3); ++i)
      statement(w, plan);
    const int wish = w.one_in(3) ? w.any({Kind::I1, {}}) : -1;
    int goes_on = -1;
    {
      const Writer::Fixing fixing(w);
      goes_on = w.emit("arith.cmpi slt, $0, $1 : $t0", {counter, end}, {Kind::I1, {}});
      if (wish >= 0)
        goes_on = w.emit("arith.andi $0, $1 : $t0", {goes_on, wish}, {Kind::I1, {}});
    }
    w.yield(goes_on);
    yield(counter);
  }));
  node.regions.push_back(w.region([&] {
    const int counter = carry()[0];
    for (int i = 0; i < w.between(1, 5); ++i)
      statement(w, plan);
    const int next = [&] {
      const Writer::Fixing fixing(w);
      return w.emit("arith.addi $0, $1 : $t0", {counter, w.i32(1)}, number);
    }();
    yield(next);
  }));
  for (std::size_t i = 0; i < given.types.size(); ++i)
    node.results.push_back(w.fresh(given.types[i], given.bounds[i]));
  w.add(std::move(node));
}

// The programs of the grid share more work than there are programs: each takes every so many shares. What is
// stored for a share has a place of its own.
void persistent_loop(Writer &w, const Plan &plan) {
  const Type number{Kind::I32, {}};
  Node node{.form = Node::Form::loop, .text = "", .operands = {}, .results = {}, .regions = {}};
  Plan share = plan;
  const int shares = w.between(0, 7);
  share.programs =
      std::max<std::int64_t>(shares, plan.programs);   // one each, where the loop is reduced away
  {
    const Writer::Fixing fixing(w);
    const int x = w.emit("tile.num_programs x", {}, number), y = w.emit("tile.num_programs y", {}, number);
    node.operands = {plan.program_number, w.i32(shares), w.emit("arith.muli $0, $1 : $t0", {x, y}, number)};
  }
  node.regions.push_back(w.region([&] {
    share.program_number = w.fresh(number, 0);
    w.argument(share.program_number);
    for (int i = 0; i < w.between(0, 4); ++i)
      statement(w, share);
    if (w.one_in(2))
      product_loop(w, share);
    if (w.one_in(4))
      loop(w, share, 1);
    store_some(w, share, w.between(1, 3));
    if (w.one_in(6))
      atomic_exchange(w, share);
    if (w.one_in(6))
      descriptor_reduction(w, share);
  }));
  node.stages = w.one_in(3) ? w.between(1, 5) : 0;
  node.unroll = w.one_in(6) ? w.between(2, 3) : 0;
  w.add(std::move(node));
}

}   // namespace tile::fuzz
