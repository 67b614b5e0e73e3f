// SPDX-License-Identifier: MIT
#include "compiler/devices/devices.h"

#include "compiler/devices/cuda_device.h"
#include "compiler/devices/interpreter.h"
#include "compiler/devices/simulator.h"
#include "runtime/environment.h"
#include "runtime/terminal.h"

namespace tile {

std::vector<std::string> device_names() { return {"auto", "cuda", "interpreter", "simulator"}; }

static SimulatedOrder order_of_the_environment() {
  const environment::Copies copies = environment::simulated_copies();
  return {.copies = copies.when, .seed = copies.seed, .schedule_seed = environment::schedule()};
}

static std::unique_ptr<Device> simulator_as_the_environment_says(const DeviceOptions &options) {
  const environment::Checks checks = environment::check();
  const SimulatedOrder order = options.order ? *options.order : order_of_the_environment();
  return open_simulator({.target = environment::simulated_gpu(),
                         .threads = environment::jobs(),
                         .completion = order.copies,
                         .matrix_completion = order.matrix,
                         .seed = order.seed,
                         .schedule_seed = order.schedule_seed,
                         .check_bounds = checks.bounds,
                         .check_overflow = checks.overflow,
                         .check_asserts = checks.asserts,
                         .check_uninitialized = checks.uninitialized,
                         .check_races = checks.races,
                         .limit_seconds = options.is_limited ? environment::limit() : 0,
                         .shows_progress = is_terminal(stderr),
                         .ring_floats = options.ring_floats});
}

std::unique_ptr<Device> open_device(std::string_view name) { return open_device(name, DeviceOptions()); }

std::unique_ptr<Device> open_device(std::string_view name, const DeviceOptions &options) {
  std::string wanted = name == "auto" ? environment::device() : std::string(name);
  if (wanted == "cuda" && options.ring_floats)
    throw Error("a GPU computes with numbers: floats that are elements of a ring are for the interpreter and "
                "the simulator",
                {});
  if (wanted == "auto" && options.ring_floats)
    wanted = "simulator";
  if (wanted == "auto")   // compiled code in any case
    wanted = why_no_cuda().empty() ? "cuda" : "simulator";
  if (wanted == "cuda")
    return open_cuda();
  if (wanted == "simulator")
    return simulator_as_the_environment_says(options);
  if (wanted == "interpreter") {
    const environment::Checks checks = environment::check();
    return open_interpreter({.threads = environment::jobs(),
                             .check_bounds = checks.bounds,
                             .check_overflow = checks.overflow,
                             .check_asserts = checks.asserts,
                             .check_uninitialized = checks.uninitialized,
                             .limit_seconds = options.is_limited ? environment::limit() : 0,
                             .shows_progress = is_terminal(stderr),
                             .ring_floats = options.ring_floats});
  }
  std::string accepted;
  for (const std::string &known : device_names())
    accepted += (accepted.empty() ? "" : ", ") + known;
  throw Error("there is no device `" + wanted + "`; there are: " + accepted, {});
}

}   // namespace tile
