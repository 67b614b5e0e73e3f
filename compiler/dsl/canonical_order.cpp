// SPDX-License-Identifier: MIT
// C++ leaves the order open in which operands are evaluated, so two compilers record one
// program in different orders. Here each region gets the order that depends on the program
// alone: operations with effects, loops and branches keep their place among each other;
// everything else moves to just before its first user, users visiting their operands from left
// to right. What nobody uses is dropped.
//
// A load never crosses a write. Loads that come before a write and are first used after it
// cannot move to their user:
//
//   auto x = load(p), y = load(q);        %x = load %p
//   store(r, 0);                          %y = load %q
//   store(s, y - x);                      store %r, ...
//
// They are put before the write, in the order in which their users would have visited them: a
// first visit of the whole region numbers all operations for that.
#include "compiler/dsl/trace.h"

#include <algorithm>
#include <utility>

namespace tile::detail {
namespace {

class Order {
 public:
  explicit Order(std::size_t values) : maker(values, -1) {}

  // Returns whether anything in the region writes.
  bool region(Region &r) {
    bool writes = false;
    for (const std::unique_ptr<Op> &op : r.ops) {
      for (Region &inner : op->regions)
        if (region(inner))
          op->writes = true;
      writes |= op->writes;
    }
    for (std::size_t i = 0; i < r.ops.size(); ++i)
      for (int v : r.ops[i]->results)
        maker[static_cast<std::size_t>(v)] = static_cast<int>(i);

    const std::vector<int> ranks = rank(r);
    std::vector<bool> done(r.ops.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < r.ops.size(); ++i) {
      if (!r.ops[i]->pinned)
        continue;
      visit_operands(r, i, done, order);
      if (r.ops[i]->writes) {
        std::vector<std::pair<int, std::size_t>> waiting;
        for (std::size_t k = 0; k < i; ++k)
          if (!done[k] && ranks[k] >= 0 && reads(*r.ops[k]))
            waiting.push_back({ranks[k], k});
        std::sort(waiting.begin(), waiting.end());
        for (auto [rank, k] : waiting)
          visit(r, k, done, order);
      }
      visit(r, i, done, order);
    }

    for (const std::unique_ptr<Op> &op : r.ops)
      for (int v : op->results)
        maker[static_cast<std::size_t>(v)] = -1;
    std::vector<std::unique_ptr<Op>> ordered;
    ordered.reserve(order.size());
    for (std::size_t i : order)
      ordered.push_back(std::move(r.ops[i]));
    r.ops = std::move(ordered);
    return writes;
  }

 private:
  static bool reads(const Op &op) { return op.code == Code::load || op.code == Code::descriptor_load; }

  // The place of each operation when only data flow counts; -1: nobody uses it.
  std::vector<int> rank(const Region &r) {
    std::vector<bool> done(r.ops.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < r.ops.size(); ++i)
      if (r.ops[i]->pinned)
        visit(r, i, done, order);
    std::vector<int> ranks(r.ops.size(), -1);
    for (std::size_t i = 0; i < order.size(); ++i)
      ranks[order[i]] = static_cast<int>(i);
    return ranks;
  }

  // The operations of this region that an operation uses, those of nested regions included.
  void collect_makers(const Op &op, std::vector<std::size_t> &makers) const {
    for (int v : op.operands)
      if (int i = maker[static_cast<std::size_t>(v)]; i >= 0)
        makers.push_back(static_cast<std::size_t>(i));
    for (const Region &inner : op.regions)
      for (const std::unique_ptr<Op> &nested : inner.ops)
        collect_makers(*nested, makers);
  }

  void visit_operands(const Region &r, std::size_t i, std::vector<bool> &done,
                      std::vector<std::size_t> &order) {
    std::vector<std::size_t> makers;
    collect_makers(*r.ops[i], makers);
    for (std::size_t m : makers)
      visit(r, m, done, order);
  }

  // Depth first with a stack of its own: an unrolled sum may be many thousand operations deep.
  void visit(const Region &r, std::size_t root, std::vector<bool> &done, std::vector<std::size_t> &order) {
    struct Frame {
      std::size_t op;
      std::vector<std::size_t> makers;
      std::size_t next = 0;
    };
    if (done[root])
      return;
    std::vector<Frame> stack;
    auto enter = [&](std::size_t i) {
      done[i] = true;
      stack.push_back({i, {}});
      collect_makers(*r.ops[i], stack.back().makers);
    };
    enter(root);
    while (!stack.empty()) {
      Frame &top = stack.back();
      if (top.next == top.makers.size()) {
        order.push_back(top.op);
        stack.pop_back();
      } else if (std::size_t m = top.makers[top.next++]; !done[m])
        enter(m);
    }
  }

  std::vector<int> maker;   // value -> index in the region at hand, -1: made elsewhere
};

}   // namespace

void order_canonically(Trace &trace) { Order(trace.values.size()).region(trace.top); }

}   // namespace tile::detail
