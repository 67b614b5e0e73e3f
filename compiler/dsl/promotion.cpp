// SPDX-License-Identifier: MIT
// Turns variables into SSA values.
//
//   Int i = 0;                          cell_new 0, %c0
//   for (auto k : range(n))             scf_for %n {       scf_for %n iter_args(%i = %c0) {
//     i += k;                             %1 = cell_get 0    %2 = addi %i, %k
//                                         %2 = addi %1, %k   scf_yield %2
//                                         cell_set 0, %2   }
//                                       }
//
// One walk with two tables: what each cell holds now, and what each read stands for. An
// operation with control flow carries exactly the cells that are live outside and assigned
// inside, in the order of their first assignment (cell numbers would not do: by-value
// parameters are copied in an order that the C++ compiler chooses); its results are their
// values afterwards.
#include "compiler/dsl/trace.h"

#include "runtime/report_text.h"

#include <algorithm>

namespace tile::detail {
namespace {

class Promotion {
 public:
  explicit Promotion(Trace &t) : trace(t), holds(t.cells.size(), -1), stands(t.values.size()) {
    for (std::size_t i = 0; i < stands.size(); ++i)
      stands[i] = static_cast<int>(i);
  }

  void walk(Region &r) {
    std::vector<std::unique_ptr<Op>> kept;
    kept.reserve(r.ops.size());
    for (std::unique_ptr<Op> &op : r.ops) {
      for (int &v : op->operands)
        v = value(v);
      switch (op->code) {
      case Code::cell_new:
      case Code::cell_set:
        cell(op->cell) = op->operands[0];
        break;
      case Code::cell_get:
        stands[static_cast<std::size_t>(op->results[0])] = cell(op->cell);
        break;
      case Code::scf_for:
        need_positive_step(*op);
        [[fallthrough]];
      case Code::scf_while:
      case Code::scf_if:
        structured(*op);
        kept.push_back(std::move(op));
        break;
      default:
        for (Region &inner : op->regions)   // of a reduction: assigns nothing from outside
          walk(inner);
        kept.push_back(std::move(op));
      }
    }
    r.ops = std::move(kept);
  }

 private:
  int &cell(int id) { return holds[static_cast<std::size_t>(id)]; }
  // Values made by the promotion itself stand for themselves.
  int value(int id) const {
    return static_cast<std::size_t>(id) < stands.size() ? stands[static_cast<std::size_t>(id)] : id;
  }

  static void collect_assigned(const Region &r, std::vector<int> &cells) {
    for (const std::unique_ptr<Op> &op : r.ops) {
      if (op->code == Code::cell_set && std::find(cells.begin(), cells.end(), op->cell) == cells.end())
        cells.push_back(op->cell);
      for (const Region &inner : op->regions)
        collect_assigned(inner, cells);
    }
  }

  std::vector<int> carried(const Op &op) const {
    std::vector<int> assigned, live;
    for (const Region &r : op.regions)
      collect_assigned(r, assigned);
    for (int c : assigned)
      if (holds[static_cast<std::size_t>(c)] >= 0)
        live.push_back(c);
    return live;
  }

  // Only now it is known what a variable holds: Int step = 0. Of other steps the kernel's data decides.
  void need_positive_step(const Op &loop) const {
    const ValueInfo &step = trace.values[static_cast<std::size_t>(loop.operands[2])];
    if (!step.maker || step.maker->code != Code::constant)
      return;
    const std::int64_t value = step.maker->get<Code::constant>().bits;
    if (step.type.is_unsigned() ? value == 0 : value <= 0)
      throw Error(loop_step_text(value), loop.loc);
  }

  int fresh(int c) {
    const CellInfo &info = trace.cells[static_cast<std::size_t>(c)];
    return trace.value(info.type, info.shape, info.is_descriptor);
  }

  void structured(Op &op) {
    const std::vector<int> cells = carried(op);
    const bool loops = op.code != Code::scf_if;
    const std::vector<int> outside = holds;
    std::vector<int> after = holds;
    for (int c : cells) {
      if (loops)
        op.operands.push_back(cell(c));
      op.results.push_back(fresh(c));
      after[static_cast<std::size_t>(c)] = op.results.back();
    }
    for (std::size_t k = 0; k < op.regions.size(); ++k) {
      Region &r = op.regions[k];
      holds = outside;
      if (loops)
        for (int c : cells) {
          r.arguments.push_back(fresh(c));
          cell(c) = r.arguments.back();
        }
      walk(r);
      const bool isCondition = op.code == Code::scf_while && k == 0;   // its terminator was recorded
      if (!isCondition) {
        r.ops.push_back(std::make_unique<Op>());
        r.ops.back()->code = Code::scf_yield;
        r.ops.back()->loc = op.loc;
        r.ops.back()->pinned = true;
      }
      for (int c : cells)
        r.ops.back()->operands.push_back(cell(c));
    }
    holds = std::move(after);
  }

  Trace &trace;
  std::vector<int> holds;    // cell -> value, -1: not made yet
  std::vector<int> stands;   // value -> value
};

}   // namespace

void promote(Trace &trace) { Promotion(trace).walk(trace.top); }

}   // namespace tile::detail
