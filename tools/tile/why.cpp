// SPDX-License-Identifier: MIT
// `tile why KERNEL`: what the compiler has chosen for a kernel and why, at the lines of its source, and what
// its machine code takes of a GPU.
#include "runtime/assembler.h"
#include "runtime/assembler_log.h"
#include "runtime/json.h"
#include "runtime/spilled_lines.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/occupancy.h"
#include "tools/tile/recorded_launch.h"
#include "tools/tile/traced_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tile::tool {
namespace {

// How the programs of a launch share the GPU.
struct Waves {
  std::int64_t programs = 0, at_once = 0;   // that the whole GPU runs at the same time
  double count() const { return static_cast<double>(programs) / static_cast<double>(at_once); }
  // Of the GPU, in the last wave.
  double last_share() const {
    const std::int64_t rest = programs % at_once;
    return rest == 0 ? 1 : static_cast<double>(rest) / static_cast<double>(at_once);
  }
  // The share of the time that the idle part of the last wave costs, if all programs take as long.
  double lost_share() const { return 1 - count() / std::ceil(count()); }
};

// What the command tells, as text or as JSON.
struct Report {
  LoweredKernel kernel;
  Target target;
  bool has_assembler = false;
  std::optional<int> registers, spill_bytes;   // of a thread
  std::vector<SpilledLine> spilled;            // the lines with the most of them first
  std::optional<Waves> waves;                  // of a launch, where sizes are given
  std::vector<std::string> lost_speed;         // in the assembler's words
  Occupancy occupancy;
  std::vector<Remark> choices;
};

Report report_on(const KernelIR &ir, const Target &target) {
  Report report{.kernel = compile(ir, target), .target = target, .choices = choices(ir, target)};
  if (const std::optional<Assembler> assembler = find_assembler()) {
    const MachineCode code = assemble(*assembler, report.kernel.text(), target.name(), report.kernel.name);
    const std::string &log = code.log;
    report.has_assembler = true;
    report.registers = registers_used(log);
    report.spill_bytes = spill_bytes(log).value_or(0);
    report.lost_speed = lost_speed(log);
    report.spilled = spilled_lines(code.cubin, log);
  }
  report.occupancy = occupancy(target, report.kernel.threads, report.kernel.shared_bytes, report.registers);
  return report;
}

// The GPU of the model; the kernel has to be compiled for it.
Waves waves_on(const timeline::GpuModel &gpu, const StartedPrograms &started, int resident_ctas) {
  return {.programs = started.programs,
          .at_once = std::max<std::int64_t>(
              std::int64_t{gpu.machine.multiprocessors} * resident_ctas / started.ctas, 1)};
}

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }
std::string kib(double bytes) { return fmt::format("{:.1f} KiB", bytes / 1024); }

// The compiler's, and the lines where most is spilled.
std::vector<Remark> remarks_of(const Report &report) {
  constexpr std::size_t most = 4;
  std::vector<Remark> remarks = report.choices;
  for (std::size_t i = 0; i < std::min(report.spilled.size(), most); ++i) {
    const SpilledLine &line = report.spilled[i];
    remarks.push_back({fmt::format("for want of registers, each thread puts {} bytes into memory here, and "
                                   "reads {} bytes of what it has put there",
                                   line.stored, line.loaded),
                       line.where});
  }
  sort_by_place(remarks);
  return remarks;
}

void print_text(const Report &report) {
  const LoweredKernel &kernel = report.kernel;
  fmt::print("{} for {}\n", kernel.title(), report.target.name());
  const auto row = [](std::string_view name, std::string_view value) {
    fmt::print("  {:<26}{}\n", name, value);
  };
  row("threads of a CTA", std::to_string(kernel.threads));
  row("roles of warps",
      kernel.roles == 1 ? "none: all warps run the same program" : std::to_string(kernel.roles));
  row("shared memory of a CTA", fmt::format("{} of {}", kib(kernel.shared_bytes),
                                            kib(static_cast<double>(report.target.sharedBytesPerBlock()))));
  if (report.has_assembler) {
    row("registers of a thread",
        report.registers ? fmt::format("{} of 255", *report.registers) : "the assembler does not say");
    row("kept in memory instead", report.spill_bytes == 0
                                      ? "nothing"
                                      : fmt::format("{} bytes of each thread, for want of registers: "
                                                    "smaller blocks or more warps need fewer",
                                                    *report.spill_bytes));
  } else {
    row("registers of a thread", "not known: there is no ptxas; TILE_PTXAS names one");
  }
  row("products are made by", kernel.unit == ProductUnit::none ? "nothing: it has no products"
                              : kernel.unit == ProductUnit::threads
                                  ? "threads: the matrix unit does not take them"
                                  : name_of(kernel.unit));
  row("CTAs of a multiprocessor",
      fmt::format("{} at the same time, limited by {}", report.occupancy.ctas, report.occupancy.limit));
  if (const auto &waves = report.waves) {
    row("programs of the launch",
        fmt::format("{}; an H200 runs {} at the same time", waves->programs, waves->at_once));
    row("waves", fmt::format("{:.2f}: {} of the GPU works in the last one, which costs {} of the time",
                             waves->count(), percent(waves->last_share()), percent(waves->lost_share())));
  }
  for (const std::string &line : report.lost_speed)
    row("made slower by ptxas", line);
  const std::vector<Remark> remarks = remarks_of(report);
  fmt::print("\n{}", remarks.empty() ? "The compiler has no remark on a line of it.\n" : text_of(remarks));
}

// null: not known, because there is no ptxas; `launch`: because no size is given.
void print_json(const Report &report) {
  const LoweredKernel &kernel = report.kernel;
  const auto known = [](std::optional<int> number) { return number ? json::Value(*number) : json::Value(); };
  json::Array lost, choices, spilled;
  for (const std::string &line : report.lost_speed)
    lost.emplace_back(line);
  for (const Remark &remark : report.choices)
    choices.emplace_back(json::Object{{"file", std::string(remark.where.file)},
                                      {"line", static_cast<int>(remark.where.line)},
                                      {"column", static_cast<int>(remark.where.column)},
                                      {"text", remark.text}});
  for (const SpilledLine &line : report.spilled)
    spilled.emplace_back(json::Object{{"file", line.where.file},
                                      {"line", static_cast<int>(line.where.line)},
                                      {"stored", line.stored},
                                      {"loaded", line.loaded}});
  json::Value launch;
  if (report.waves)
    launch = json::Object{{"programs", static_cast<double>(report.waves->programs)},
                          {"at_once", static_cast<double>(report.waves->at_once)},
                          {"waves", report.waves->count()},
                          {"last_wave_share", report.waves->last_share()},
                          {"lost_share", report.waves->lost_share()}};
  const json::Object object{{"kernel", kernel.name},
                            {"config", kernel.config},
                            {"target", report.target.name()},
                            {"threads", static_cast<int>(kernel.threads)},
                            {"roles", static_cast<int>(kernel.roles)},
                            {"shared_bytes", static_cast<int>(kernel.shared_bytes)},
                            {"registers", known(report.registers)},
                            {"spill_bytes", known(report.spill_bytes)},
                            {"spilled", std::move(spilled)},
                            {"unit", std::string(name_of(kernel.unit))},
                            {"ctas_per_multiprocessor", report.occupancy.ctas},
                            {"limited_by", report.occupancy.limit},
                            {"launch", std::move(launch)},
                            {"lost_speed", std::move(lost)},
                            {"choices", std::move(choices)}};
  fmt::print("{}\n", json::Value(object).text());
}

// Sizes, and what else the operands of a launch are made of.
std::vector<const registry::Parameter *> launch_parameters(const registry::Entry &kernel) {
  std::vector<const registry::Parameter *> all;
  for (const registry::Parameter &p : kernel.parameters)
    if (p.choices.empty() || kernel.is_of_library())
      all.push_back(&p);
  return all;
}

std::vector<Option> common_options() {
  std::vector<Option> options = specialization_options();
  options.push_back({"json", "", "one object of JSON instead of text"});
  return options;
}
std::vector<Option> why_options(const registry::Entry &kernel, std::vector<Option> others) {
  for (const registry::Parameter *p : launch_parameters(kernel))
    others.push_back({p->name, "N", p->help + "; none"});
  return trace_options(kernel, std::move(others));
}

// As a launch with these sizes takes it.
Report report_on_launch(const registry::Entry &kernel, const CommandLine &line,
                        const Specialization &chosen) {
  for (const char *option : {"arch", "specialized"})
    if (line.has(option))
      throw BadUsage(
          fmt::format("with sizes, the kernel is shown that an H200 launches, as its operands are: "
                      "leave out --{}, or the sizes",
                      option));
  const timeline::GpuModel gpu;
  const StartedPrograms started = started_programs(kernel, chosen.settings, gpu);
  Report report = report_on(started.kernel, chosen.target);
  report.waves = waves_on(gpu, started, report.occupancy.ctas);
  return report;
}

}   // namespace

std::string why_help() {
  return "usage: tile why KERNEL [--option value ...]\n\n"
         "Says what the compiler has chosen for a kernel and why, at the lines of its source, and what its\n"
         "machine code takes of a GPU. With sizes, it says so of the config that a launch with them takes on "
         "an\n"
         "H200, and how its programs share the GPU. No GPU is needed.\n\n"
         "options of every kernel:\n" +
         describe(common_options()) + from_help() + options_of_kernels(why_options);
}

int why(Arguments arguments) {
  const auto [kernel, rest, command] = chosen_kernel(arguments, "why");
  const CommandLine line = parse_options(rest, why_options(kernel, common_options()), command);
  const Specialization chosen(kernel, line);
  const bool has_sizes = std::ranges::any_of(launch_parameters(kernel),
                                             [&](const registry::Parameter *p) { return line.has(p->name); });
  const Report report = has_sizes
                            ? report_on_launch(kernel, line, chosen)
                            : report_on(kernel.trace(chosen.settings, chosen.is_specialized), chosen.target);
  line.has("json") ? print_json(report) : print_text(report);
  return 0;
}

}   // namespace tile::tool
