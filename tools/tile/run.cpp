// SPDX-License-Identifier: MIT
// `tile run KERNEL`: random inputs, poisoned outputs, one launch, the result compared with float64.
#include "compiler/devices/devices.h"
#include "compiler/devices/simulator.h"
#include "runtime/progress.h"
#include "tools/registry/registry.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/run_options.h"

#include <fmt/format.h>

namespace tile::tool {

static std::vector<Option> common_options() {
  return {{"device", "NAME", registry::joined(device_names()) + "; auto"},
          {"config", "F=V,...", "fields of the kernel's config; `tile dump` shows where they go"},
          {"seed", "N", "of the random inputs; 1"}};
}

std::string run_help() {
  return "usage: tile run KERNEL [--option value ...]\n\n"
         "Runs a kernel once on random inputs and compares every element with a float64 reference; of a "
         "large\n"
         "result, only some rows. Your own kernel is compared with the interpreter.\n"
         "Exit code 0: all agree; 1: they do not, or the kernel failed; 2: the command is wrong.\n\n"
         "options of every kernel:\n" +
         describe(common_options()) + from_help() + options_of_kernels(run_options);
}

static std::string rate(const registry::Outcome &outcome) {
  if (outcome.seconds <= 0 || outcome.operations <= 0)
    return "";
  double value = outcome.operations / outcome.seconds;
  const char *prefix = "";
  for (const char *larger : {"k", "M", "G", "T"})
    if (value >= 1000) {
      value /= 1000;
      prefix = larger;
    }
  return fmt::format(", {:.1f} {}{}/s", value, prefix, outcome.unit);
}

static void print(const registry::Entry &kernel, const Device &device, const registry::Settings &settings,
                  const registry::Outcome &outcome) {
  const reference::Verdict &verdict = outcome.verdict;
  fmt::print("{}  {}\n", kernel.name, settings.text());
  fmt::print("seed    {}\n", settings.seed);
  fmt::print("device  {}\n", device.description());
  fmt::print("config  {}\n", outcome.config);
  fmt::print("time    {:.3f} s{}\n", outcome.seconds, rate(outcome));
  for (const std::string &line : simulator_counts(device))
    fmt::print("counted {}\n", line);
  fmt::print("error   {:.3g} at most, allowed {}; {}\n", verdict.largest_error, outcome.tolerance,
             verdict.compared());
  if (verdict.passed())
    fmt::print("PASS\n");
  else
    fmt::print("FAIL    {} wrong: {}\n", verdict.wrong, verdict.first_wrong);
}

int run(Arguments arguments) {
  const auto [kernel, rest, command] = chosen_kernel(arguments, "run");
  const std::vector<Option> options = run_options(kernel, common_options());
  const CommandLine line = parse_options(rest, options, command);

  registry::Settings settings(kernel.parameters);
  std::string device_name = "auto";
  for (const Given &given : line.options) {
    if (given.name == "device")
      device_name = given.value;
    else if (given.name == "config")
      settings.config += (settings.config.empty() ? "" : ",") + given.value;
    else if (given.name == "seed")
      settings.seed = whole_number(given);
    else
      settings.set(given.name, given.value);
  }
  require_device(device_name);
  const std::unique_ptr<Device> device = open_device(device_name);
  simulator_count_accesses(*device);
  registry::Outcome outcome;
  {
    Progress progress(fmt::format("{} on {}", kernel.name, device->kind()));
    outcome = kernel.run(*device, settings);
  }
  print(kernel, *device, settings, outcome);
  return outcome.verdict.passed() ? 0 : 1;
}

}   // namespace tile::tool
