// SPDX-License-Identifier: MIT
// `tile tune KERNEL`: how the configs of a kernel rank for some sizes.
#include "runtime/tuning/report.h"
#include "tile/devices.h"
#include "tools/registry/registry.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/run_options.h"
#include "tools/tile/tune_apart.h"

#include <fmt/format.h>

namespace tile::tool {

static std::vector<Option> common_options() {
  return {{"device", "NAME", "one that can time its kernels: cuda"},
          {"seed", "N", "of the random inputs; 1"},
          {"isolate", "", "each config in a process of its own: what crashes or hangs costs only itself"},
          {"limit", "SECONDS", "that such a process may take; 60"}};
}

std::string tune_help() {
  std::string text = "usage: tile tune KERNEL [--option value ...]\n\n"
                     "Tries the configs of a kernel on random inputs and prints them, the fastest first. "
                     "What a program that\n"
                     "launches the kernel does by itself; TILE_TUNE_LOG=1 shows it there.\n\n"
                     "options of every kernel:\n" +
                     describe(common_options()) + from_help();
  for (const registry::Entry &kernel : registry::entries())
    text += fmt::format("\n{}: {}\n{}", kernel.name, kernel.summary, describe(run_options(kernel, {})));
  return text;
}

namespace {

// Shows the status line, and keeps the sweeps for the table.
class Collector : public tuning::Printer {
 public:
  void finished(const tuning::Sweep &sweep) override {
    end_line();
    sweeps.push_back(sweep);
  }
  std::vector<tuning::Sweep> sweeps;
};

}   // namespace

static void require_timing(Device &device) {
  if (device.can_time())
    return;
  throw BadUsage(
      fmt::format("tile tune needs a device that can time its kernels, which the {} cannot; accepted is "
                  "--device cuda",
                  device.kind()));
}

// The kernel object knows what it does, unless that lies on the device: then the registry does.
static void print(std::vector<tuning::Sweep> &sweeps, const registry::Outcome &outcome) {
  for (tuning::Sweep &sweep : sweeps) {
    if (sweep.work.flop <= 0 && sweep.work.bytes <= 0)
      (outcome.unit == "FLOP" ? sweep.work.flop : sweep.work.bytes) = outcome.operations;
    fmt::print("{}", tuning::table(sweep));
  }
}

static int parse_limit(const std::string &text) {
  const std::optional<std::int64_t> seconds = registry::parse_count(text);
  if (!seconds || *seconds < 1 || *seconds > 86400)
    throw BadUsage(fmt::format("--limit takes a number of seconds from 1 to 86400, not `{}`", text));
  return static_cast<int>(*seconds);
}

int tune(Arguments arguments) {
  const auto [kernel, rest, command] = chosen_kernel(arguments, "tune");
  const CommandLine line = parse(rest, run_options(kernel, common_options()), command);
  if (!line.operands.empty())
    throw BadUsage(fmt::format("{} takes one kernel and options, not `{}`", command, line.operands[0]));
  registry::Settings settings(kernel.parameters);
  settings.verify = false;   // the tuner compares the configs with each other
  std::string device_name = "auto";
  int limit_seconds = 60;
  for (const Given &given : line.options) {
    if (given.name == "device")
      device_name = given.value;
    else if (given.name == "limit")
      limit_seconds = parse_limit(given.value);
    else if (given.name == "isolate")
      continue;
    else if (given.name == "seed")
      settings.seed = parse_seed(given.value);
    else
      settings.set(given.name, given.value);
  }
  require_device(device_name);
  if (line.has("isolate"))   // before a device is opened, which no other process could use then
    return tune_apart(kernel, settings, device_name, limit_seconds);
  const std::unique_ptr<Device> device = open_device(device_name);
  require_timing(*device);

  fmt::print("{}  {}\ndevice  {}\n", kernel.name, settings.text(), device->description());
  std::fflush(stdout);
  Collector collector;
  const tuning::Observing observing(collector);
  registry::Outcome outcome;
  try {
    outcome = kernel.run(*device, settings);
  } catch (const Error &) {
    print(collector.sweeps, outcome);   // why each config failed
    throw;
  }
  if (collector.sweeps.empty())
    throw BadUsage("nothing to tune: with these sizes the kernel has nothing to do");
  print(collector.sweeps, outcome);
  return 0;
}

}   // namespace tile::tool
