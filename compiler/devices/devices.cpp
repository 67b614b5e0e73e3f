// SPDX-License-Identifier: MIT
#include "compiler/devices/devices.h"

#include "compiler/devices/cuda_device.h"
#include "compiler/devices/interpreter.h"
#include "compiler/devices/simulator.h"
#include "runtime/environment.h"
#include "runtime/terminal.h"

#include <algorithm>
#include <charconv>

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

// "cuda:0 to cuda:3": what a number may be.
static std::string numbered_gpus() {
  const int count = cuda_devices();
  if (count == 0)
    return "this process sees no GPU: " + why_no_cuda();
  return "this process sees " +
         (count == 1 ? std::string("one GPU, cuda:0")
                     : std::to_string(count) + " GPUs, cuda:0 to cuda:" + std::to_string(count - 1));
}

static NamedDevice checked_name(const std::string &name) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  const std::vector<std::string> known = device_names();
  if (std::find(known.begin(), known.end(), kind) == known.end()) {
    std::string accepted;
    for (const std::string &one : known)
      accepted += (accepted.empty() ? "" : ", ") + one;
    throw Error("there is no device `" + name + "`; there are: " + accepted +
                    "; and cuda:1, the second GPU, and so on",
                {});
  }
  if (colon == std::string::npos) {
    if (kind != "auto")
      return {kind};
    return {why_no_cuda().empty() ? "cuda" : "simulator"};   // compiled code in any case
  }
  if (kind != "cuda")
    throw Error("there is no device `" + name + "`: only GPUs have numbers", {})
        .add_help("write `" + kind + "`; or `cuda:0`, `cuda:1` and so on for a certain GPU");
  int ordinal = 0;
  const char *const first = name.data() + colon + 1, *const last = name.data() + name.size();
  const auto [end, error] = std::from_chars(first, last, ordinal);
  if (error != std::errc() || end != last || first == last || ordinal < 0)
    throw Error("there is no device `" + name +
                    "`: after `cuda:` write the number of a GPU, counted from 0; " + numbered_gpus(),
                {});
  if (ordinal >= cuda_devices())
    throw Error("there is no device `" + name + "`: " + numbered_gpus(), {});
  return {kind, ordinal};
}

NamedDevice named_device(std::string_view name) {
  if (name != "auto")
    return checked_name(std::string(name));
  const std::string chosen = environment::device();
  try {
    return checked_name(chosen);
  } catch (Error &error) {
    error.add_context("TILE_DEVICE=" + chosen + " names it");
    throw;
  }
}

std::unique_ptr<Device> open_device(std::string_view name) { return open_device(name, DeviceOptions()); }

std::unique_ptr<Device> open_device(std::string_view name, const DeviceOptions &options) {
  const bool is_open = name == "auto" && environment::device() == "auto";
  const NamedDevice wanted = named_device(is_open && options.ring_floats ? "simulator" : name);
  if (wanted.kind == "cuda" && options.ring_floats)
    throw Error("ring_floats is for the interpreter and the simulator; a GPU computes with numbers only", {});
  if (wanted.kind == "cuda")
    return open_cuda({.ordinal = wanted.ordinal});
  if (wanted.kind == "simulator")
    return simulator_as_the_environment_says(options);
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

}   // namespace tile
