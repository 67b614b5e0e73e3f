// SPDX-License-Identifier: MIT
#include "compiler/interpreter/machine.h"

#include "runtime/report_text.h"

#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tile::interpreter {

const char *nameOf(Lane lane) {
  constexpr const char *names[] = {"i1",  "i8",  "i16",  "i32",  "i64",     "f16",       "bf16",
                                   "f32", "f64", "e4m3", "e5m2", "pointer", "descriptor"};
  return names[static_cast<int>(lane)];
}

Machine::Machine(const Program &program, const Checks &checks)
    : wrappedOperands(program.wrappers.size() + 1), program_(program), checks_(checks),
      // Not cleared: pages of values that never come to be, such as those of wrapped lanes, cost nothing.
      frame_(static_cast<std::byte *>(
          ::operator new[](std::max<std::size_t>(program.frameBytes, 64), std::align_val_t(64)))),
      wrapped_(program.wrappedFlags, 0) {
  for (const FrameConstant &constant : program.constants) {
    std::byte *to = frame_.get() + constant.place;
    for (std::size_t copy = 0; copy < constant.copies; ++copy, to += constant.bytes.size())
      std::memcpy(to, constant.bytes.data(), constant.bytes.size());
  }
}

void Machine::run(host::Launched &launch, std::int64_t index) {
  launch_ = &launch;
  memory.begin(launch.engine.allocations, checks_.bounds);
  index_ = index;
  const Grid &grid = launch.grid;
  programs_ = {static_cast<std::int32_t>(grid.x), static_cast<std::int32_t>(grid.y),
               static_cast<std::int32_t>(grid.z)};
  id_ = {static_cast<std::int32_t>(index % grid.x), static_cast<std::int32_t>(index / grid.x % grid.y),
         static_cast<std::int32_t>(index / grid.x / grid.y)};
  // Every program finds its arguments fresh: their places serve other values once they are dead.
  for (std::size_t p = 0; p < program_.slots.size(); ++p)
    std::memcpy(frame_.get() + program_.slots[p].place, &launch.arguments[p],
                bytesOf(program_.slots[p].lane));
  std::fill(wrapped_.begin(), wrapped_.end(), 0);
  unfenced.clear();
  try {
    run(0);
  } catch (const TimeIsUp &up) {
    failInLoop(up);
  }
}

void Machine::lookAtTime() {
  patience_ = patience;
  if (launch_->limit.is_up())
    throw TimeIsUp();
}

void Machine::failInLoop(const TimeIsUp &up) const {
  const auto went = [](const TimeIsUp::Loop &loop) {
    return fmt::format("{} {}", grouped(loop.count), loop.count == 1 ? "iteration" : "iterations");
  };
  const TimeIsUp::Loop &outermost = up.loops.back();
  std::vector<Error::Note> notes;
  for (auto loop = up.loops.rbegin() + 1; loop != up.loops.rend(); ++loop)
    notes.push_back(
        {fmt::format("this inner loop has run {} recently", went(*loop)), program_.locations[loop->where]});
  throw launch_->limit
      .error(
          fmt::format("this loop still runs after {}; it has run {}", launch_->limit.text(), went(outermost)),
          program_.locations[outermost.where], std::move(notes))
      .add_context(fmt::format("program ({})", fmt::join(id_, ", ")))
      .add_context(program_.title());
}

}   // namespace tile::interpreter
