// SPDX-License-Identifier: MIT
// `tile check KERNEL`: the compiled code of a kernel on the simulator, in many orders of threads, copies and
// products.
#include "compiler/api/compiler.h"
#include "compiler/devices/devices.h"
#include "compiler/devices/simulator.h"
#include "runtime/progress.h"
#include "tools/registry/registry.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/run_options.h"

#include <fmt/format.h>

#include <optional>

namespace tile::tool {
namespace {

constexpr int most_schedules = 1000;

std::vector<Option> common_options() {
  return {{"arch", "TARGET", "the GPU whose code is checked, as in sm_90; " + std::string(default_target)},
          {"config", "F=V,...", "fields of the kernel's config"},
          {"seed", "N", "of the random inputs; 1"},
          {"schedules", "N", "how many random orders of the threads are tried; 8"},
          {"run", "N", "only this one of the runs, to repeat it"}};
}

constexpr Completion completions[] = {Completion::latest, Completion::eager, Completion::random};

std::string_view name_of(Completion completion) {
  return completion == Completion::latest  ? "late"
         : completion == Completion::eager ? "at once"
                                           : "at random times";
}

std::string text_of(const SimulatedOrder &order) {
  return fmt::format(
      "copies complete {}, products {}, threads run in {}", name_of(order.copies), name_of(order.matrix),
      order.schedule_seed ? fmt::format("the random order {}", *order.schedule_seed) : "the fixed order");
}

// Each time of completion with each other in the fixed order of threads, then random orders.
std::vector<SimulatedOrder> orders(unsigned schedules) {
  std::vector<SimulatedOrder> all;
  for (Completion copies : completions)
    for (Completion matrix : completions)
      all.push_back({.copies = copies, .matrix = matrix});
  for (unsigned seed = 1; seed <= schedules; ++seed) {
    const Completion completion = seed % 3 == 0 ? Completion::eager : Completion::random;
    all.push_back({.copies = completion, .matrix = completion, .seed = seed, .schedule_seed = seed});
  }
  return all;
}

std::unique_ptr<Device> device_for(const SimulatedOrder &order, const std::string &target,
                                   const std::function<void(const KernelIR &)> &compiles) {
  return open_simulator({.target = target,
                         .threads = 1,   // a run can be repeated: programs run one after the other
                         .completion = order.copies,
                         .matrix_completion = order.matrix,
                         .seed = order.seed,
                         .schedule_seed = order.schedule_seed,
                         .check_uninitialized = true,
                         .check_races = true,
                         .limit_seconds = 300,
                         .compiles = compiles});
}

// "sm_90a: 2 roles of warps, wgmma, 384 threads": of the first kernel of the launch.
std::string code_of(const KernelIR &ir, const std::string &target) {
  const LoweredKernel kernel = compile(ir, *Target::parse(target));
  std::string unit;
  if (kernel.unit != ProductUnit::none)
    unit = fmt::format(", products by {}",
                       kernel.unit == ProductUnit::threads ? "threads" : tile::name_of(kernel.unit));
  return fmt::format("{}: {}{}, {} threads", target,
                     kernel.roles == 1 ? std::string("all warps run the same program")
                                       : fmt::format("{} roles of warps", kernel.roles),
                     unit, kernel.threads);
}

struct Explored {
  registry::Outcome outcome;   // of the first run, with what is worst of all
  std::string code;
  std::optional<std::size_t> wrong, other_bits;   // the first such runs
};

Explored explore(const registry::Entry &kernel, const registry::Settings &settings, const std::string &target,
                 const std::vector<SimulatedOrder> &all, std::optional<std::size_t> only) {
  Explored explored;
  Progress progress(fmt::format("{} for {}", kernel.name, target));
  std::optional<std::uint64_t> bits;
  for (std::size_t run = only.value_or(0); run < (only ? *only + 1 : all.size()); ++run) {
    progress.set(fmt::format("run {}/{}", run + 1, all.size()));
    std::optional<KernelIR> compiled;
    const std::unique_ptr<Device> device = device_for(all[run], target, [&](const KernelIR &ir) {
      if (explored.code.empty() && !compiled)
        compiled = ir;
    });
    try {
      const registry::Outcome outcome = kernel.run(*device, settings);
      if (!bits)
        explored.outcome = outcome;
      reference::Verdict &worst = explored.outcome.verdict;
      worst.largest_error = std::max(worst.largest_error, outcome.verdict.largest_error);
      if (!outcome.verdict.passed()) {
        worst = outcome.verdict;
        explored.wrong = run;
      }
      if (bits && *bits != outcome.verdict.bits && !explored.other_bits)
        explored.other_bits = run;
      bits = bits.value_or(outcome.verdict.bits);
      if (compiled)
        explored.code = code_of(*compiled, target);
      if (explored.wrong)
        break;
    } catch (Error &error) {
      error.add_context(fmt::format("in run {} of {}: {}; --run {} repeats it alone", run + 1, all.size(),
                                    text_of(all[run]), run + 1));
      throw;
    }
  }
  return explored;
}

void print(const registry::Entry &kernel, const registry::Settings &settings, const Explored &explored,
           const std::vector<SimulatedOrder> &all, std::optional<std::size_t> only) {
  const registry::Outcome &outcome = explored.outcome;
  const reference::Verdict &verdict = outcome.verdict;
  fmt::print("{}  {}\n", kernel.name, settings.text());
  fmt::print("code     {}\n",
             explored.code.empty() ? "nothing was compiled: there is no program to run" : explored.code);
  fmt::print("config   {}\n", outcome.config);
  fmt::print("seed     {}\n", settings.seed);
  if (only)
    fmt::print("explored run {} of {}: {}\n", *only + 1, all.size(), text_of(all[*only]));
  else if (explored.wrong)
    fmt::print("explored {} of {} runs, until one was wrong\n", *explored.wrong + 1, all.size());
  else
    fmt::print("explored {} runs: copies and products complete late, at once and at random times, each with "
               "each, and {} random orders of the threads of a program\n",
               all.size(), all.size() - std::size(completions) * std::size(completions));
  fmt::print(
      "checked  accesses outside of buffers, misaligned, by overflowed offsets, of unwritten memory; facts "
      "and asserts; races between programs and on shared memory; copies and products that nothing waited "
      "for; deadlocks\n");
  fmt::print("error    {:.3g} at most, allowed {}; {} in each run\n", verdict.largest_error,
             outcome.tolerance, verdict.compared());
  if (explored.wrong)
    fmt::print("FAIL     {} wrong in run {} ({}): {}\n", verdict.wrong, *explored.wrong + 1,
               text_of(all[*explored.wrong]), verdict.first_wrong);
  else if (explored.other_bits)
    fmt::print("PASS     run {} gave other bits than run 1: {}\n", *explored.other_bits + 1,
               text_of(all[*explored.other_bits]));
  else
    fmt::print("PASS{}\n", only ? "" : "     all runs gave the same bits");
}

}   // namespace

std::string check_help() {
  return "usage: tile check KERNEL [--option value ...]\n\n"
         "Runs the compiled code of a kernel on the simulator in many orders: asynchronous copies and\n"
         "products that complete late, at once and at random times, and random orders of the threads. All\n"
         "checks are on, and the results of each run are compared, as `tile run` does. Says what was\n"
         "explored. No GPU is needed.\n"
         "Exit code 0: all runs agree; 1: one does not, or the kernel failed; 2: the command is wrong.\n\n"
         "options of every kernel:\n" +
         describe(common_options()) + from_help() + options_of_kernels(run_options);
}

int check(Arguments arguments) {
  const auto [kernel, rest, command] = chosen_kernel(arguments, "check");
  const CommandLine line = parse_options(rest, run_options(kernel, common_options()), command);
  registry::Settings settings(kernel.parameters);
  std::string target(default_target);
  unsigned schedules = 8;
  std::optional<std::size_t> only;
  Given run;
  for (const Given &given : line.options) {
    if (given.name == "arch")
      target = given.value;
    else if (given.name == "config")
      settings.config += (settings.config.empty() ? "" : ",") + given.value;
    else if (given.name == "seed")
      settings.seed = whole_number(given);
    else if (given.name == "schedules")
      schedules = static_cast<unsigned>(whole_number(given, most_schedules));
    else if (given.name == "run")
      run = given;
    else
      settings.set(given.name, given.value);
  }
  const std::vector<SimulatedOrder> all = orders(schedules);
  if (!run.name.empty())
    only = static_cast<std::size_t>(
               count_up_to(static_cast<std::int64_t>(all.size()), run, "the number of a run")) -
           1;
  const Explored explored = explore(kernel, settings, target, all, only);
  print(kernel, settings, explored, all, only);
  return explored.wrong ? 1 : 0;
}

}   // namespace tile::tool
