// SPDX-License-Identifier: MIT
// Opening and closing the regions of loops and branches while their bodies are traced.
#include "compiler/dsl/control_flow.h"

#include "compiler/dsl/shapes.h"

#include <algorithm>
#include <exception>
#include <set>

namespace tile::detail {

namespace {

// More than anyone writes; deeper trees would take whoever walks them to the end of the stack.
constexpr std::size_t deepest = 100;

void need_structure(Loc l) {
  const Trace &t = current_trace(l);
  if (t.isolated_from)
    throw Error("a combine function only computes: it has no loops and branches; use where(c, a, b)", l);
  if (t.open.size() > deepest)
    throw Error("loops and branches are nested more than " + std::to_string(deepest) + " deep here", l)
        .add_help(
            "a function that calls itself under a condition of the device never ends while it is traced: use "
            "while_, or a host condition");
}

// Whether a region does anything that is seen outside of it.
void collect_made(const Region &r, std::set<int> &cells) {
  for (const std::unique_ptr<Op> &op : r.ops) {
    if (op->code == Code::cell_new)
      cells.insert(op->cell);
    for (const Region &inner : op->regions)
      collect_made(inner, cells);
  }
}
bool acts(const Region &r, const std::set<int> &its_own) {
  return std::ranges::any_of(r.ops, [&](const std::unique_ptr<Op> &op) {
    return op->writes || (op->code == Code::cell_set && !its_own.contains(op->cell)) ||
           std::ranges::any_of(op->regions, [&](const Region &inner) { return acts(inner, its_own); });
  });
}

// Opens `op`'s region number `k`.
void open_region(OpenRegion &r, std::size_t k) { current_trace(r.loc).push(r.op->regions[k]); }

void begin(OpenRegion &r, Op *op, std::size_t regions, Loc l) {
  op->pinned = true;
  op->regions.resize(regions);
  r.op = op;
  r.loc = l;
  r.exceptions = std::uncaught_exceptions();
}

// hi - lo counted in steps of -`size`, without overflow: (u(lo) - u(hi) - 1) / size + 1 where
// lo > hi, else 0.
Use trip_count_down(const Use &lo, const Use &hi, std::int64_t size, Loc l) {
  ElementType t = lo.value.type;
  ElementType u{t.bits() == 64 ? Kind::U64 : Kind::U32};
  Use distance = convert(binary(Binary::sub, lo, hi), u);
  Use steps = binary(Binary::div, binary(Binary::sub, distance, integer_constant(u, 1, l)),
                     unsigned_constant(u, static_cast<std::uint64_t>(size), l));
  return where(compare(Compare::gt, lo, hi), binary(Binary::add, steps, integer_constant(u, 1, l)),
               integer_constant(u, 0, l));
}

}   // namespace

void need_step(std::int64_t step, Loc l) {
  if (step == 0)
    throw Error("the step of a range must not be 0", l);
}
void need_stages(std::int64_t n, Loc l) {
  if (n < 1 || n > 32)
    throw Error("range: stages(" + std::to_string(n) + "); a loop has 1 to 32 stages", l);
}
void need_unroll(std::int64_t n, Loc l) {
  if (n < 1 || n > 1024)
    throw Error("range: unroll(" + std::to_string(n) + "); the factor is 1 to 1024", l);
}

Value open_for(OpenRegion &r, const Use &lo, const Use &hi, const Use &step, const std::int64_t *literal_step,
               LoopOptions options, Loc l) {
  for (const Use *u : {&lo, &hi, &step})
    need_scalar("a bound of range", *u);
  need_structure(l);
  ElementType t = lo.value.type;
  const bool down = literal_step && *literal_step < 0;
  const attributes::Loop attributes{.is_unsigned = down || t.is_unsigned(), .options = options};
  Trace &trace = current_trace(l);
  if (!down) {
    Op *op = record<Code::scf_for>({lo, hi, step}, l, attributes);
    begin(r, op, 1, l);
    open_region(r, 0);
    int i = trace.value(t, {});
    op->regions[0].arguments.push_back(i);
    return {i, t, {}};
  }
  // Counts iterations upwards and computes the variable of each: lo - i * size.
  const std::int64_t size = -*literal_step;
  Use trips = trip_count_down(lo, hi, size, l);
  ElementType u = trips.value.type;
  Op *op =
      record<Code::scf_for>({integer_constant(u, 0, l), trips, integer_constant(u, 1, l)}, l, attributes);
  begin(r, op, 1, l);
  open_region(r, 0);
  int i = trace.value(u, {});
  op->regions[0].arguments.push_back(i);
  Use below =
      binary(Binary::mul, Use{{i, u, {}}, l}, unsigned_constant(u, static_cast<std::uint64_t>(size), l));
  return binary(Binary::sub, lo, convert(below, t)).value;
}

void close_for(OpenRegion &r) {
  current_trace(r.loc).pop();
  r.op = nullptr;
}

void torn(Trace &t, const char *what, Loc l) noexcept {
  if (!t.torn)
    t.torn.emplace("an exception left this " + std::string(what) +
                       " and was caught in the kernel, so its recording is incomplete; catch the exception "
                       "inside, or outside of the kernel",
                   l);
}

void abandon(OpenRegion &r, const char *what) noexcept {
  Trace *t = current_trace_or_null();
  r.op = nullptr;
  if (!t || t->open.size() < 2)
    return;
  t->pop();
  // Recorded, because a destructor must not throw; the trace raises it when it ends.
  if (std::uncaught_exceptions() != r.exceptions) {
    torn(*t, what, r.loc);
  } else if (!t->left) {
    std::string remedy = std::string(what) == "loop" ? "; mask the work, or use tile::while_ with a flag"
                                                     : "; use a flag, or mask the work";
    t->left.emplace("`break` or `return` leaves a " + std::string(what) + " that runs on the device" + remedy,
                    r.loc);
  }
}

void open_if(OpenRegion &r, const Use &condition) {
  need_scalar("the condition of if_ and TILE_IF", condition, "; use tile::where(c, a, b)");
  need_structure(condition.loc);
  begin(r, record(Code::scf_if, {condition}, condition.loc), 2, condition.loc);
}

void open_arm(OpenRegion &r, int arm) { open_region(r, static_cast<std::size_t>(arm)); }
void close_arm(OpenRegion &r) { current_trace(r.loc).pop(); }

void close_if(OpenRegion &r, bool must_act) {
  std::set<int> its_own;
  for (const Region &arm : r.op->regions)
    collect_made(arm, its_own);
  if (must_act && std::ranges::none_of(r.op->regions, [&](const Region &arm) { return acts(arm, its_own); }))
    throw Error("neither arm of this TILE_IF stores or assigns anything; `continue` in an arm ends the arm "
                "and not the loop around it",
                r.loc)
        .add_help("put the code to skip into the other arm, or mask it with where(c, a, b); the arms of if_ "
                  "may be empty");
}

void not_a_range_for(Loc l) {
  throw Error("a range works only in for (auto i : range(...)): the body is recorded once, between the read "
              "and the step of the iterator",
              l);
}

void open_while(OpenRegion &r, Loc l) {
  need_structure(l);
  begin(r, record(Code::scf_while, {}, l), 2, l);
  open_region(r, 0);
}

void while_condition(OpenRegion &r, const Use &condition) {
  need_scalar("the condition of while_", condition);
  record(Code::scf_condition, {condition}, condition.loc)->pinned = true;
  current_trace(r.loc).pop();
  open_region(r, 1);
}

namespace {
template <class F> bool any_op(const Region &r, const F &holds) {
  return std::ranges::any_of(r.ops, [&](const std::unique_ptr<Op> &op) {
    return holds(*op) ||
           std::ranges::any_of(op->regions, [&](const Region &inner) { return any_op(inner, holds); });
  });
}

// A condition comes out differently when a variable in it is assigned, or memory that it reads is written: by
// the loop, or by others where the read is volatile or atomic and so counts as a write.
void need_change(const Op &loop) {
  const Region &condition = loop.regions[0];
  auto writes = [](const Op &op) { return op.writes; };
  auto reads_memory = [](const Op &op) { return op.code == Code::load || op.code == Code::descriptor_load; };
  auto is_assigned = [&](int cell) {
    return std::ranges::any_of(loop.regions, [&](const Region &r) {
      return any_op(r, [&](const Op &op) { return op.code == Code::cell_set && op.cell == cell; });
    });
  };
  const bool loads = any_op(condition, reads_memory);
  if (any_op(condition, [&](const Op &op) { return op.code == Code::cell_get && is_assigned(op.cell); }) ||
      any_op(condition, writes) || (loads && any_op(loop.regions[1], writes)))
    return;
  throw Error("nothing in this while_ changes its condition, so it would run forever or never", loop.loc)
      .add_help(loads ? "a plain load may be done once for all iterations; wait for others with "
                        "load(p, Access{.is_volatile = true}), or with an atomic"
                      : "assign a variable that the condition reads in the body; both lambdas capture it by "
                        "reference: [&]");
}
}   // namespace

void close_while(OpenRegion &r) {
  need_change(*r.op);
  current_trace(r.loc).pop();
  r.op = nullptr;
}

}   // namespace tile::detail
