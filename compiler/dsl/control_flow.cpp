// SPDX-License-Identifier: MIT
// Opening and closing the regions of loops and branches while their bodies are traced.
#include "tile/control_flow.h"

#include "compiler/dsl/shapes.h"

#include <exception>

namespace tile::detail {

namespace {

void need_structure(Loc l) {
  if (current_trace(l).isolated_from)
    throw Error("a combine function only computes: it has no loops and branches; use where(c, a, b)", l);
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
    throw Error("the step of a range is not 0", l);
}
void need_stages(int n, Loc l) {
  if (n < 1 || n > 32)
    throw Error("range: stages(" + std::to_string(n) + "); a loop has 1 to 32 stages", l);
}
void need_unroll(int n, Loc l) {
  if (n < 1 || n > 1024)
    throw Error("range: unroll(" + std::to_string(n) + "); the factor is 1 to 1024", l);
}
void not_built(const char *option, Loc l) {
  throw Error("range: " + std::string(option) +
                  "() is not built yet for any device; leave it out: the results are the same",
              l);
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

void abandon(OpenRegion &r, const char *what) noexcept {
  Trace *t = current_trace_or_null();
  r.op = nullptr;
  if (!t || t->open.size() < 2)
    return;
  t->pop();
  // Recorded, because a destructor must not throw; the trace raises it when it ends.
  if (std::uncaught_exceptions() == r.exceptions && !t->pending) {
    std::string remedy = std::string(what) == "loop" ? "; mask the work, or use tile::while_ with a flag"
                                                     : "; use a flag, or mask the work";
    t->pending.emplace(
        "`break` or `return` leaves a " + std::string(what) + " that runs on the device" + remedy, r.loc);
  }
}

void open_if(OpenRegion &r, const Use &condition) {
  need_scalar("the condition of if_ and TILE_IF", condition, "; use tile::where(c, a, b)");
  need_structure(condition.loc);
  begin(r, record(Code::scf_if, {condition}, condition.loc), 2, condition.loc);
}

void open_arm(OpenRegion &r, int arm) { open_region(r, static_cast<std::size_t>(arm)); }
void close_arm(OpenRegion &r) { current_trace(r.loc).pop(); }

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

void close_while(OpenRegion &r) {
  current_trace(r.loc).pop();
  r.op = nullptr;
}

}   // namespace tile::detail
