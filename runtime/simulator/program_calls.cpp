// SPDX-License-Identifier: MIT
// Where a thread is, where threads meet, and what they say.
#include "runtime/host/stray.h"
#include "runtime/printf_text.h"
#include "runtime/report_text.h"
#include "runtime/simulator/calls.h"
#include "runtime/simulator/cluster.h"
#include "runtime/simulator/recorder.h"

#include <fmt/format.h>
#include <memory>
#include <vector>

namespace tile::simulator {
namespace {

std::uint32_t threadId(Thread *t) { return t->number; }
std::int32_t programId(Thread *t, std::uint32_t axis) { return t->cta->id()[axis]; }
std::int32_t numPrograms(Thread *t, std::uint32_t axis) {
  const Grid &grid = t->cta->launch().grid;
  return static_cast<std::int32_t>(axis == 0 ? grid.x : axis == 1 ? grid.y : grid.z);
}
// Others may come first.
unsigned meetAll(Thread *t, std::uint32_t site, bool condition) {
  t->cta->cluster().interrupt(*t);
  record(*t, Act::barrier, 0, t->cta->program().threads, true);
  return t->cta->barrier(*t, site, condition);
}
void barrier(Thread *t, std::uint32_t site) { meetAll(t, site, false); }
std::uint32_t barrierOr(Thread *t, std::uint32_t value, std::uint32_t site) {
  return meetAll(t, site, value != 0) > 0;
}
std::uint32_t barrierAnd(Thread *t, std::uint32_t value, std::uint32_t site) {
  return meetAll(t, site, value != 0) == t->cta->program().threads;
}
std::uint32_t barrierCount(Thread *t, std::uint32_t value, std::uint32_t site) {
  return meetAll(t, site, value != 0);
}
void exitThread(Thread *t) { t->cta->exit(*t); }
void *faultRecord(Thread *t) { return t->cta->faultRecord(); }
// Before an access that may be waiting for another program.
void pause(Thread *t) {
  t->cta->pause(*t);
  t->asksAnew = true;
}
void trap(Thread *t, std::uint32_t site) {
  t->cta->fail(*t, [&] { return t->cta->at(site, "was reached"); });
}
template <class Why> void claim(Thread *t, std::uint32_t holds, std::uint32_t site, const Why &why) {
  if (!holds && t->cta->options().check_asserts)
    t->cta->fail(*t, [&] { return Error(why(), t->cta->program().sites[site].where); });
}
void assume(Thread *t, std::uint32_t holds, std::uint32_t site) {
  claim(t, holds, site, [] { return std::string("a promised fact does not hold"); });
}

void assumeAligned(Thread *t, std::uint32_t holds, std::int64_t address, std::int64_t by,
                   std::uint32_t site) {
  claim(t, holds, site, [&] { return no_multiple_text(fmt::format("address {:#x}", address), by); });
}
void assumeDivisible(Thread *t, std::uint32_t holds, std::int64_t x, std::int64_t by, std::uint32_t site) {
  claim(t, holds, site, [&] { return no_multiple_text(grouped(x), by); });
}
void assumeRange(Thread *t, std::uint32_t holds, std::int64_t x, std::int64_t low, std::int64_t high,
                 std::uint32_t site) {
  claim(t, holds, site, [&] { return outside_range_text(x, low, high); });
}
void assumeApart(Thread *t, std::uint32_t, Pointer p, Pointer q, std::uint32_t site) {
  const host::Range *common = host::common_buffer(t->cta->global.allocations(), p, q);
  claim(t, !common, site, [&] { return same_buffer_text(common->name); });
}
// No promise, but a rule of the language: it is checked whatever the options say.
void assumeStep(Thread *t, std::uint32_t holds, std::int64_t step, std::uint32_t site) {
  if (!holds)
    t->cta->fail(*t, [&] { return Error(loop_step_text(step), t->cta->program().sites[site].where); });
}

// Of a kernel that was compiled for recordings.
void place(Thread *t, std::uint32_t number) {
  if (Recorder *recorder = t->cta->recorder)
    recorder->arrive(*t, number);
}

// On the way back of every loop.
void loop(Thread *t, std::uint32_t site) {
  if (--t->patience == 0) [[unlikely]]
    t->cta->cluster().watch.lookAtTime(*t, site);
}

// The error that the callback which takes the lines has thrown, or null. Nothing may pass through the frames
// of compiled code, and nothing with a destructor may live where a thread is stopped for good.
const Error *printed(const Thread &t, const char *format, const void *values, std::uint32_t site) {
  const Cta &cta = *t.cta;
  try {
    cta.launch().engine.printer.print(printf_text(format, values), cta.program().sites[site].where);
    return nullptr;
  } catch (const Error &error) {
    return new Error(error);
  }
}
void print(Thread *t, const char *format, const void *values, std::uint32_t site) {
  if (const Error *thrown = printed(*t, format, values, site))
    t->cta->fail(*t, [&] { return *std::unique_ptr<const Error>(thrown); });
}

}   // namespace

std::span<const Symbol> programCalls() {
  static const std::vector<Symbol> table{
      {"tile_sim_thread_id", addressOf(threadId)},
      {"tile_sim_program_id", addressOf(programId)},
      {"tile_sim_num_programs", addressOf(numPrograms)},
      {"tile_sim_barrier", addressOf(barrier)},
      {"tile_sim_barrier_or", addressOf(barrierOr)},
      {"tile_sim_barrier_and", addressOf(barrierAnd)},
      {"tile_sim_barrier_count", addressOf(barrierCount)},
      {"tile_sim_exit", addressOf(exitThread)},
      {"tile_sim_fault_record", addressOf(faultRecord)},
      {"tile_sim_pause", addressOf(pause)},
      {"tile_sim_trap", addressOf(trap)},
      {"tile_sim_assume", addressOf(assume)},
      {"tile_sim_assume_aligned", addressOf(assumeAligned)},
      {"tile_sim_assume_divisible", addressOf(assumeDivisible)},
      {"tile_sim_assume_range", addressOf(assumeRange)},
      {"tile_sim_assume_step", addressOf(assumeStep)},
      {"tile_sim_assume_apart", addressOf(assumeApart)},
      {"tile_sim_loop", addressOf(loop)},
      {"tile_sim_place", addressOf(place)},
      {"tile_sim_print", addressOf(print)},
  };
  return table;
}

}   // namespace tile::simulator
