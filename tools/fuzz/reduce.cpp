// SPDX-License-Identifier: MIT
#include "tools/fuzz/reduce.h"

#include "tools/fuzz/writer.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace tile::fuzz {
namespace {

void replace(Region &region, int value, int by) {
  for (Node &node : region.nodes) {
    std::ranges::replace(node.operands, value, by);
    for (Region &inner : node.regions)
      replace(inner, value, by);
  }
  std::ranges::replace(region.yields, value, by);
}

void collect_uses(const Region &region, std::set<int> &uses) {
  for (const Node &node : region.nodes) {
    uses.insert(node.operands.begin(), node.operands.end());
    for (const Region &inner : node.regions)
      collect_uses(inner, uses);
  }
  uses.insert(region.yields.begin(), region.yields.end());
}

// Whether something in the regions changes memory.
bool has_effect(const Node &node) {
  if (node.regions.empty())
    return node.results.empty() || node.text.find("tile.atomic_") != std::string::npos;
  for (const Region &region : node.regions)
    for (const Node &inner : region.nodes)
      if (has_effect(inner))
        return true;
  return false;
}

bool remove_unused(Region &region, const std::set<int> &uses) {
  const std::size_t before = region.nodes.size();
  std::erase_if(region.nodes, [&](const Node &node) {
    return !has_effect(node) && std::ranges::none_of(node.results, [&](int r) { return uses.contains(r); });
  });
  bool changed = region.nodes.size() != before;
  for (Node &node : region.nodes)
    for (Region &inner : node.regions)
      changed |= remove_unused(inner, uses);
  return changed;
}

Program without_unused(Program program) {
  bool changed = true;
  while (changed) {
    std::set<int> uses;
    collect_uses(program.body, uses);
    changed = remove_unused(program.body, uses);
  }
  return program;
}

int count_nodes(const Region &region) {
  int count = 0;
  for (const Node &node : region.nodes) {
    ++count;
    for (const Region &inner : node.regions)
      count += count_nodes(inner);
  }
  return count;
}

bool uses_function_without_laws(const Region &region) {
  return std::ranges::any_of(region.nodes, [](const Node &node) {
    return node.has_no_laws || std::ranges::any_of(node.regions, uses_function_without_laws);
  });
}

// The node of a number in the order of the text, with the region that it is in.
struct Place {
  Region *region = nullptr;
  std::size_t index = 0;
  Node &node() const { return region->nodes[index]; }
  std::vector<Node>::iterator iterator() const {
    return region->nodes.begin() + static_cast<std::ptrdiff_t>(index);
  }
};
std::optional<Place> find(Region &region, int &number) {
  for (std::size_t i = 0; i < region.nodes.size(); ++i) {
    if (number-- == 0)
      return Place{&region, i};
    for (Region &inner : region.nodes[i].regions)
      if (auto found = find(inner, number))
        return found;
  }
  return std::nullopt;
}

class Reducer {
 public:
  Reducer(Program program, const std::function<bool(const Program &)> &shows, int tries)
      : best_(std::move(program)), shows_(shows), tries_(tries) {}

  Program run() {
    // Where the fault is in what nobody uses, that has to stay.
    drops_unused_ = accept(best_);
    bool changed = true;
    while (changed && tries_ > 0) {
      changed = launch();
      for (int number = count_nodes(best_.body) - 1; number >= 0; --number)
        changed |= node(number);
      changed |= axes();
    }
    return std::move(best_);
  }

 private:
  bool accept(const Program &changed) {
    if (tries_-- <= 0)
      return false;
    Program candidate = drops_unused_ ? without_unused(changed) : changed;
    if (!shows_(candidate))
      return false;
    best_ = std::move(candidate);
    return true;
  }

  // A copy of the best program that `change` worked on; it says whether there was something to change.
  template <class Change> bool attempt(Change change) {
    Program candidate = best_;
    return change(candidate) && accept(candidate);
  }
  template <class Change> bool attempt_at(int number, Change change) {
    return attempt([&](Program &p) {
      int left = number;
      const std::optional<Place> place = find(p.body, left);
      return place && change(p, *place);
    });
  }

  bool node(int number) {
    if (attempt_at(number, [](Program &p, const Place &at) {
          if (at.node().text.starts_with("tile.barrier") ||   // others may wait for what is before it
              std::ranges::any_of(at.node().results, [&](int result) { return is_used(p, result); }))
            return false;
          at.region->nodes.erase(at.iterator());
          return true;
        }))
      return true;
    bool changed = false;
    for (int Node::*option : {&Node::stages, &Node::unroll})
      changed |= attempt_at(
          number, [option](Program &, const Place &at) { return std::exchange(at.node().*option, 0) != 0; });
    changed |= attempt_at(number, [](Program &, const Place &at) {
      return std::exchange(at.node().has_independent_iterations, false);
    });
    for (std::size_t side = 0; side < 2; ++side)
      changed |= attempt_at(number, [&](Program &p, const Place &at) { return opened(p, at, side); });
    if (changed)
      return true;
    for (std::size_t result = 0; result < 4; ++result) {
      bool replaced = false;
      for (std::size_t operand = 0; operand < 8 && !replaced; ++operand)
        replaced = attempt_at(
            number, [&](Program &p, const Place &at) { return by_operand(p, at, result, operand); });
      if (!replaced)
        replaced =
            attempt_at(number, [&](Program &p, const Place &at) { return by_constant(p, at, result); });
      changed |= replaced;
      changed |=
          attempt_at(number, [&](Program &p, const Place &at) { return without_carried(p, at, result); });
    }
    return changed;
  }

  // The region's nodes in place of the loop or branch.
  static bool opened(Program &p, const Place &at, std::size_t side) {
    Node old = at.node();
    if (side >= old.regions.size())
      return false;
    if (old.form == Node::Form::while_loop)
      return side == 0 && unlooped(p, at);
    Region inner = std::move(old.regions[side]);
    auto next = at.region->nodes.erase(at.iterator());
    at.region->nodes.insert(next, inner.nodes.begin(), inner.nodes.end());
    for (std::size_t i = 0; i < inner.arguments.size(); ++i)
      replace(p.body, inner.arguments[i], old.operands[i ? i + 2 : 0]);
    for (std::size_t i = 0; i < old.results.size(); ++i) {
      int given = inner.yields[i];
      for (std::size_t k = 0; k < inner.arguments.size(); ++k)
        if (given == inner.arguments[k])
          given = old.operands[k ? k + 2 : 0];
      replace(p.body, old.results[i], given);
    }
    return true;
  }

  // A `while` that does not go on: what it asks, and gives then.
  static bool unlooped(Program &p, const Place &at) {
    Node old = at.node();
    Region asking = std::move(old.regions[0]);
    auto next = at.region->nodes.erase(at.iterator());
    at.region->nodes.insert(next, asking.nodes.begin(), asking.nodes.end());
    for (std::size_t i = 0; i < old.results.size(); ++i) {
      replace(p.body, asking.arguments[i], old.operands[i]);
      const auto argument = std::ranges::find(asking.arguments, asking.yields[i + 1]);
      const int given = argument == asking.arguments.end()
                            ? asking.yields[i + 1]
                            : old.operands[static_cast<std::size_t>(argument - asking.arguments.begin())];
      replace(p.body, old.results[i], given);
    }
    return true;
  }

  // Of constants the compiler would compute such a function as one of numbers, which it is not in a ring.
  static bool has_function_without_laws(const Program &p) {
    return p.floats == Floats::ring && uses_function_without_laws(p.body);
  }

  static bool by_operand(Program &p, const Place &at, std::size_t result, std::size_t operand) {
    const Node &node = at.node();
    if (result >= node.results.size() || operand >= node.operands.size())
      return false;
    const int old = node.results[result], by = node.operands[operand];
    const Value &a = p.values[static_cast<std::size_t>(old)], &b = p.values[static_cast<std::size_t>(by)];
    if (a.is_fixed || a.type != b.type || b.bound > a.bound || !is_used(p, old))
      return false;
    if (b.bound < a.bound && has_function_without_laws(p))
      return false;
    replace(p.body, old, by);
    return true;
  }

  static bool by_constant(Program &p, const Place &at, std::size_t result) {
    const Node &node = at.node();
    if (result >= node.results.size() || node.text.starts_with("arith.constant"))
      return false;
    const int old = node.results[result];
    const Type type = p.values[static_cast<std::size_t>(old)].type;
    if (p.values[static_cast<std::size_t>(old)].is_fixed || !type.is_number() || !is_used(p, old))
      return false;
    if (is_float(type.kind) && has_function_without_laws(p))
      return false;
    const std::string zero = type.kind == Kind::I1               ? "false"
                             : ElementType{type.kind}.is_float() ? "0.0"
                                                                 : "0";
    const int by = static_cast<int>(p.values.size());
    p.values.push_back({type});
    replace(p.body, old, by);
    Node constant;
    constant.text = type.is_tile() ? "arith.constant dense<" + zero + "> : $T0"
                                   : "arith.constant " + zero + (type.kind == Kind::I1 ? "" : " : $T0");
    constant.results = {by};
    at.region->nodes.insert(at.iterator(), std::move(constant));
    return true;
  }

  static bool without_carried(Program &p, const Place &at, std::size_t result) {
    Node &node = at.node();
    if (node.regions.empty() || result >= node.results.size() || is_used(p, node.results[result]))
      return false;
    const auto i = static_cast<std::ptrdiff_t>(result);
    if (node.form == Node::Form::while_loop) {
      if (i == 0)   // it counts
        return false;
      for (Region &region : node.regions) {
        replace(region, region.arguments[result], node.operands[result]);
        region.arguments.erase(region.arguments.begin() + i);
      }
      node.operands.erase(node.operands.begin() + i);
      node.regions[0].yields.erase(node.regions[0].yields.begin() + i + 1);
      node.regions[1].yields.erase(node.regions[1].yields.begin() + i);
      node.results.erase(node.results.begin() + i);
      return true;
    }
    if (node.form != Node::Form::branch) {
      replace(node.regions[0], node.regions[0].arguments[result + 1], node.operands[result + 3]);
      node.regions[0].arguments.erase(node.regions[0].arguments.begin() + i + 1);
      node.operands.erase(node.operands.begin() + i + 3);
    }
    for (Region &region : node.regions)
      region.yields.erase(region.yields.begin() + i);
    node.results.erase(node.results.begin() + i);
    return true;
  }

  static bool is_used(const Program &p, int value) {
    std::set<int> uses;
    collect_uses(p.body, uses);
    return uses.contains(value);
  }

  bool launch() {
    bool changed = false;
    auto set = [&](auto access, auto value) {
      changed |= attempt([&](Program &p) {
        auto &field = access(p);
        if (!(value < field))
          return false;
        field = value;
        return true;
      });
    };
    set([](Program &p) -> std::int64_t & { return p.grid.x; }, std::int64_t{1});
    set([](Program &p) -> std::int64_t & { return p.grid.y; }, std::int64_t{1});
    for (int warps : {1, 2, 4, 8})
      set([](Program &p) -> int & { return p.launch.num_warps; }, warps);
    set([](Program &p) -> int & { return p.launch.num_stages; }, 1);
    set([](Program &p) -> int & { return p.launch.num_ctas; }, 1);
    set([](Program &p) -> bool & { return p.launch.ping_pong; }, false);
    set([](Program &p) -> unsigned & { return p.order; }, 0U);
    for (std::size_t i = 0; i < best_.scalars.size(); ++i)
      for (std::int32_t value : {0, 1, best_.scalars[i] / 2})
        set([i](Program &p) -> std::int32_t & { return p.scalars[i]; }, value);
    return changed;
  }

  bool axes() {
    bool changed = false;
    for (std::size_t i = 0; i < best_.axes.size(); ++i) {
      if (!best_.axes[i].factors.empty())
        continue;
      for (int extent : {best_.axes[i].least, 2, 4, 8, 16, 32, 64})
        changed |= attempt([&](Program &p) {
          if (extent < p.axes[i].least || extent >= p.axes[i].extent)
            return false;
          p.axes[i].extent = extent;
          return true;
        });
    }
    return changed;
  }

  Program best_;
  const std::function<bool(const Program &)> &shows_;
  int tries_;
  bool drops_unused_ = true;
};

}   // namespace

Program reduced(Program program, const std::function<bool(const Program &)> &shows, int tries) {
  return Reducer(std::move(program), shows, tries).run();
}

}   // namespace tile::fuzz
