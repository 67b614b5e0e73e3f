// SPDX-License-Identifier: MIT
// Where a thread is, where threads meet, and what they say.
#include "compiler/interpreter/faults.h"
#include "runtime/simulator/calls.h"
#include "runtime/simulator/cta.h"
#include "runtime/simulator/printf_text.h"

#include <vector>

namespace tile::simulator {
namespace {

std::uint32_t threadId(Thread *t) { return t->number; }
std::int32_t programId(Thread *t, std::uint32_t axis) { return t->cta->id()[axis]; }
std::int32_t numPrograms(Thread *t, std::uint32_t axis) {
  const Grid &grid = t->cta->launch().grid;
  return static_cast<std::int32_t>(axis == 0 ? grid.x : axis == 1 ? grid.y : grid.z);
}
void barrier(Thread *t, std::uint32_t site) { t->cta->barrier(*t, site); }
void pause(Thread *t) { t->cta->pause(*t); }
void trap(Thread *t, std::uint32_t site) {
  t->cta->fail(*t, [&] { return t->cta->at(site, "was reached"); });
}
void assume(Thread *t, std::uint32_t holds, std::uint32_t site) {
  if (!holds && t->cta->launch().options.checkAsserts)
    t->cta->fail(*t,
                 [&] { return Error("a promised fact does not hold", t->cta->program().sites[site].where); });
}

void print(Thread *t, const char *format, const void *values) {
  const std::string text = printfText(format, values);
  Launched &launch = t->cta->launch();
  const std::lock_guard lock(launch.printing);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    launch.print(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
}

// The text is "file:1:2: assert failed: message (pid 0, 0, 0) [63]\n".
Error assertion(const std::string &text, const Location &where) {
  constexpr std::string_view start = "assert failed: ", end = " (pid ";
  const std::size_t found = text.find(start), from = found == std::string::npos ? 0 : found + start.size();
  const std::size_t to = std::min(text.rfind(end), text.size());
  Error error(text.substr(from, to - from), where);
  if (const std::size_t index = text.find('[', to); index != std::string::npos)
    error.add_context("tile element " + text.substr(index, text.find(']', index) - index + 1));
  return error;
}
void failAssert(Thread *t, const char *format, const void *values, std::uint32_t site) {
  if (t->cta->launch().options.checkAsserts)
    t->cta->fail(*t,
                 [&] { return assertion(printfText(format, values), t->cta->program().sites[site].where); });
}

}   // namespace

std::span<const Symbol> programCalls() {
  static const std::vector<Symbol> table{
      {"tile_sim_thread_id", addressOf(threadId)},
      {"tile_sim_program_id", addressOf(programId)},
      {"tile_sim_num_programs", addressOf(numPrograms)},
      {"tile_sim_barrier", addressOf(barrier)},
      {"tile_sim_pause", addressOf(pause)},
      {"tile_sim_trap", addressOf(trap)},
      {"tile_sim_assume", addressOf(assume)},
      {"tile_sim_print", addressOf(print)},
      {"tile_sim_assert", addressOf(failAssert)},
  };
  return table;
}

}   // namespace tile::simulator
