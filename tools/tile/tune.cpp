// SPDX-License-Identifier: MIT
// `tile tune KERNEL`: how the configs of a kernel rank for some sizes.
#include "compiler/devices/devices.h"
#include "runtime/environment.h"
#include "runtime/progress.h"
#include "runtime/tuning/report.h"
#include "runtime/tuning/shipped.h"
#include "tools/bench/own_kernels.h"
#include "tools/bench/repeats.h"
#include "tools/registry/registry.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/run_options.h"
#include "tools/tile/tune_apart.h"
#include "tools/tile/tune_on_simulator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <optional>

namespace tile::tool {

static std::vector<Option> common_options(bool is_of_library) {
  std::vector<Option> options{
      {"device", "NAME",
       "cuda, where configs are timed; or simulator, where a model of an H200 predicts their times"},
      {"seed", "N", "of the random inputs; 1"},
      {"seconds", "S", "time limit; the fastest config measured until then is chosen"},
      {"at_most", "N", "try only N configs, those with the shortest expected time; all"},
      {"table", "FILE", "append a line with the best config, in the form that kernels ship (docs/tuning.md)"},
      {"repeats", "N", "N sweeps, then all configs timed again: how near each pick is to the best"},
      {"isolate", "", "each config in its own process: a crash or a hang costs only that config"},
      {"limit", "SECONDS", "processor time of such a process, and ten times as much by the clock; 60"}};
  if (is_of_library)
    options.push_back(reference_option());
  return options;
}

std::string tune_help() {
  return "usage: tile tune KERNEL [--option value ...]\n\n"
         "Tries the configs of a kernel on random inputs and prints them, the fastest first. Later launches\n"
         "with such sizes use the result. TILE_TUNE_LOG=1 shows the same in programs that tune.\n\n"
         "options of every kernel:\n" +
         describe(common_options(false)) + from_help() + describe(std::array{reference_option()}) +
         options_of_kernels(run_options);
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
      fmt::format("tile tune needs a device that can time its kernels, which the {} cannot; accepted are "
                  "--device cuda, and --device simulator, which predicts times",
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

static double parse_seconds(const std::string &text) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || !(seconds > 0 && seconds <= 86400))
    throw BadUsage(fmt::format("--seconds takes a number of seconds above 0, not `{}`", text));
  return seconds;
}
static int parse_at_most(const std::string &text) {
  const std::optional<std::int64_t> count = registry::parse_count(text);
  if (!count || *count < 1 || *count > std::numeric_limits<int>::max())
    throw BadUsage(fmt::format("--at_most takes a number of configs, 1 or more, not `{}`", text));
  return static_cast<int>(*count);
}

// `gpu`: what the descriptions of such devices begin with.
static void add_line(const std::string &file, const std::string &gpu, const tuning::Sweep &sweep) {
  if (!sweep.not_timed.empty())
    throw Error("nothing was timed, so " + file + " gets no line: " + sweep.not_timed, {});
  const tuning::Record &best = sweep.records[sweep.winner];
  std::string config = best.config;
  std::ranges::replace(config, ' ', ',');
  std::ofstream out(file, std::ios::app);
  out << tuning::line_of({.device = gpu,
                          .kernel = sweep.kernel,
                          .arguments = sweep.arguments,
                          .key = sweep.key,
                          .config = config,
                          .median = best.median,
                          .is_predicted = sweep.is_predicted})
      << "\n";
  if (!out.flush())
    throw Error("cannot write to " + file, {});
}
static void add_line(const std::string &file, const Device &device, const tuning::Sweep &sweep) {
  const std::string description = device.description();
  add_line(file, description.substr(0, description.find(',')), sweep);
}

static int predict(const registry::Entry &kernel, const registry::Settings &settings,
                   const tuning::Options &options, const std::string &table) {
  fmt::print("{}  {}\ndevice  the simulator, with a model of an H200: nothing is measured\n", kernel.name,
             settings.text());
  std::fflush(stdout);
  const tuning::Sweep sweep = tune_on_simulator(kernel, settings, options);
  fmt::print("{}", tuning::table(sweep));
  if (!table.empty())
    add_line(table, "NVIDIA H200", sweep);
  return 0;
}

static int tune_repeatedly(const registry::Entry &kernel, const registry::Settings &settings, Device &device,
                           const tuning::Options &options, int repeats) {
  if (!kernel.problem)
    throw BadUsage("--repeats is for kernels whose operands `tile bench` knows");
  bench::Repeats result;
  {
    Progress progress("tune " + kernel.name);
    result = bench::repeat_tuning(device, kernel, settings, options, repeats,
                                  [&](const std::string &what) { progress.set(what); });
  }
  for (const bench::Repeats::Timed &pick : result.picks)
    fmt::print("{:>11.2f} us  {:+.2f} %  {}\n", pick.seconds * 1e6,
               100 * (pick.seconds / result.best.seconds - 1),
               pick.config.empty() ? "the default config" : pick.config);
  fmt::print("{} of {} picks are within 1 % of the best, which takes {:.2f} us: {}; a sweep took {:.2f} s\n",
             result.within(0.01), repeats, result.best.seconds * 1e6,
             result.best.config.empty() ? "the default config" : result.best.config, result.sweep_seconds);
  return 0;
}

[[noreturn]] static void nothing_to_tune() {
  throw BadUsage(environment::tune() == environment::Tune::never ||
                         environment::tune() == environment::Tune::stored
                     ? "TILE_TUNE forbids measuring: unset it, or set it to auto or always"
                     : "nothing to tune: with these sizes the kernel has nothing to do");
}

// One config is timed, too: nobody else does it for a kernel of one's own. The winner is compared with what
// the interpreter computes.
static int tune_own(const registry::Entry &kernel, const registry::Settings &settings, Device &device,
                    const tuning::Options &options, const std::string &table, const std::string &reference) {
  registry::LibraryLaunch launch(*kernel.library_kernel, device, settings);
  if (launch.is_empty())
    nothing_to_tune();
  Collector collector;
  const tuning::Observing observing(collector);
  tuning::Sweep sweep;
  try {
    sweep = launch.tune(options);
  } catch (const Error &) {
    print(collector.sweeps, {});   // why each config failed
    throw;
  }
  if (collector.sweeps.empty())
    nothing_to_tune();
  print(collector.sweeps, {});
  if (!table.empty())
    add_line(table, device, sweep);
  if (reference == "none")
    return 0;
  const auto of_winner = [&](const registry::LibraryLaunch::Config &config) {
    return config.text == sweep.records[sweep.winner].config;
  };
  const std::vector<registry::LibraryLaunch::Config> configs = launch.configs();
  const bench::Checked checked =
      bench::checked_own(device, kernel, settings, std::ranges::find_if(configs, of_winner)->how, reference);
  const reference::Verdict &verdict = checked.verdict;
  fmt::print("compared with what the interpreter computes: {}\n", checked.what);
  if (!verdict.passed())
    fmt::print("FAIL    {} wrong: {}\n", verdict.wrong, verdict.first_wrong);
  return verdict.passed() ? 0 : 1;
}

int tune(Arguments arguments) {
  const auto [kernel, rest, command] = chosen_kernel(arguments, "tune");
  const CommandLine line =
      parse_options(rest, run_options(kernel, common_options(kernel.is_of_library())), command);
  registry::Settings settings(kernel.parameters);
  settings.verify = false;   // the tuner compares the configs with each other
  std::string device_name = "auto", table, reference;
  tuning::Options options{.force = true};
  int limit_seconds = 60, repeats = 0;
  for (const Given &given : line.options) {
    if (given.name == "device")
      device_name = given.value;
    else if (given.name == "seconds")
      options.seconds = parse_seconds(given.value);
    else if (given.name == "at_most")
      options.at_most = parse_at_most(given.value);
    else if (given.name == "table")
      table = given.value;
    else if (given.name == "reference")
      reference = given.value;
    else if (given.name == "limit")
      limit_seconds = static_cast<int>(count_up_to(86400, given, "a number of seconds"));
    else if (given.name == "repeats")
      repeats = static_cast<int>(count_up_to(1000, given));
    else if (given.name == "isolate")
      continue;
    else if (given.name == "seed")
      settings.seed = whole_number(given);
    else
      settings.set(given.name, given.value);
  }
  require_device(device_name);
  const bool isolates = line.has("isolate");
  for (const char *name : {"seconds", "at_most", "table", "repeats", "reference"})
    if (isolates && line.has(name))
      throw BadUsage(
          fmt::format("--isolate tries each config on its own and cannot be combined with --{}", name));
  if (!isolates && line.has("limit"))
    throw BadUsage("--limit is for the processes of --isolate; --seconds limits the whole command");
  if (repeats > 0 && !table.empty())
    throw BadUsage("--table takes the result of one sweep and cannot be combined with --repeats");
  if (isolates)   // before a device is opened, which no other process could use then
    return tune_apart(kernel, settings, device_name, limit_seconds);
  if (device_name == "simulator") {
    for (const char *name : {"repeats", "reference"})
      if (line.has(name))
        throw BadUsage(
            fmt::format("--{} is for a device that times its kernels; the simulator predicts", name));
    return predict(kernel, settings, options, table);
  }
  const std::unique_ptr<Device> device = open_device(device_name);
  require_timing(*device);

  fmt::print("{}  {}\ndevice  {}\n", kernel.name, settings.text(), device->description());
  std::fflush(stdout);
  if (repeats > 0)
    return tune_repeatedly(kernel, settings, *device, options, repeats);
  if (kernel.is_of_library())
    return tune_own(kernel, settings, *device, options, table, reference);
  Collector collector;
  const tuning::Observing observing(collector);
  const tuning::Asking asking(options);
  registry::Outcome outcome;
  try {
    outcome = kernel.run(*device, settings);
  } catch (const Error &) {
    print(collector.sweeps, outcome);   // why each config failed
    throw;
  }
  if (collector.sweeps.empty())
    nothing_to_tune();
  print(collector.sweeps, outcome);
  if (!table.empty())
    add_line(table, *device, collector.sweeps.back());
  return 0;
}

}   // namespace tile::tool
