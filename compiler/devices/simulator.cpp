// SPDX-License-Identifier: MIT
#include "compiler/devices/simulator.h"

#include "compiler/api/compiler.h"
#include "runtime/progress.h"
#include "runtime/simulator/simulation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

namespace tile {

static Target target_of(const std::string &name) {
  if (std::optional<Target> target = Target::parse(name))
    return *target;
  throw Error(
      fmt::format("there is no target `{}`; there are: {}", name, fmt::join(Target::knownTargets(), ", ")),
      {});
}

std::unique_ptr<Device> open_simulator(SimulatorOptions options) {
  using namespace simulator;
  const SimulatorCode code{.ring_floats = options.ring_floats,
                           .checks_facts = options.check_asserts,
                           .checks_offsets = options.check_overflow && options.check_bounds,
                           .limits_size = options.limit_seconds != 0,
                           .marks_places = !options.recorded_ctas.empty()};
  return openSimulator(options, [target = target_of(options.target), code, shows = options.shows_progress,
                                 tell = options.compiles](const KernelIR &kernel) {
    if (tell)
      tell(kernel);
    std::optional<Progress> progress;
    if (shows && !Progress::is_shown())   // large tiles of a sort or a product take a while
      progress.emplace("compiling " + kernel.name() + " for the simulator");
    return compiler().simulate(kernel, target, code);
  });
}

}   // namespace tile
