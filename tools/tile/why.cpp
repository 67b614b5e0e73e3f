// SPDX-License-Identifier: MIT
// `tile why KERNEL`: what the compiler has chosen for a kernel and why, at the lines of its source, and what
// its machine code takes of a GPU.
#include "runtime/assembler.h"
#include "runtime/assembler_log.h"
#include "runtime/json.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/occupancy.h"
#include "tools/tile/traced_kernel.h"

#include <fmt/format.h>

#include <optional>

namespace tile::tool {
namespace {

// What the command tells, as text or as JSON.
struct Report {
  LoweredKernel kernel;
  Target target;
  bool has_assembler = false;
  std::optional<int> registers, spill_bytes;   // of a thread
  std::vector<std::string> lost_speed;         // in the assembler's words
  Occupancy occupancy;
  std::vector<Remark> choices;
};

Report report_on(const KernelIR &ir, const Target &target) {
  Report report{.kernel = compile(ir, target), .target = target, .choices = choices(ir, target)};
  if (const std::optional<Assembler> assembler = find_assembler()) {
    const std::string log = assemble(*assembler, report.kernel.text(), target.name(), report.kernel.name).log;
    report.has_assembler = true;
    report.registers = registers_used(log);
    report.spill_bytes = spill_bytes(log).value_or(0);
    report.lost_speed = lost_speed(log);
  }
  report.occupancy = occupancy(target, report.kernel.threads, report.kernel.shared_bytes, report.registers);
  return report;
}

std::string kib(double bytes) { return fmt::format("{:.1f} KiB", bytes / 1024); }

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
  for (const std::string &line : report.lost_speed)
    row("made slower by ptxas", line);
  fmt::print("\n{}", report.choices.empty() ? "The compiler has no remark on a line of it.\n"
                                            : text_of(report.choices));
}

// null: not known, because there is no ptxas.
void print_json(const Report &report) {
  const LoweredKernel &kernel = report.kernel;
  const auto known = [](std::optional<int> number) { return number ? json::Value(*number) : json::Value(); };
  json::Array lost, choices;
  for (const std::string &line : report.lost_speed)
    lost.emplace_back(line);
  for (const Remark &remark : report.choices)
    choices.emplace_back(json::Object{{"file", std::string(remark.where.file)},
                                      {"line", static_cast<int>(remark.where.line)},
                                      {"column", static_cast<int>(remark.where.column)},
                                      {"text", remark.text}});
  const json::Object object{{"kernel", kernel.name},
                            {"config", kernel.config},
                            {"target", report.target.name()},
                            {"threads", static_cast<int>(kernel.threads)},
                            {"roles", static_cast<int>(kernel.roles)},
                            {"shared_bytes", static_cast<int>(kernel.shared_bytes)},
                            {"registers", known(report.registers)},
                            {"spill_bytes", known(report.spill_bytes)},
                            {"unit", std::string(name_of(kernel.unit))},
                            {"ctas_per_multiprocessor", report.occupancy.ctas},
                            {"limited_by", report.occupancy.limit},
                            {"lost_speed", std::move(lost)},
                            {"choices", std::move(choices)}};
  fmt::print("{}\n", json::Value(object).text());
}

std::vector<Option> why_options() {
  std::vector<Option> options = specialization_options();
  options.push_back({"json", "", "one object of JSON instead of text"});
  return options;
}

}   // namespace

std::string why_help() {
  return "usage: tile why KERNEL [--option value ...]\n\n"
         "Says what the compiler has chosen for a kernel and why, at the lines of its source, and what its\n"
         "machine code takes of a GPU. No GPU is needed.\n\n"
         "options of every kernel:\n" +
         describe(why_options()) + from_help() + options_of_kernels(trace_options);
}

int why(Arguments arguments) {
  const auto [kernel, rest, command] = chosen_kernel(arguments, "why");
  const CommandLine line = parse_options(rest, trace_options(kernel, why_options()), command);
  const Specialization chosen(kernel, line);
  const Report report = report_on(kernel.trace(chosen.settings, chosen.is_specialized), chosen.target);
  line.has("json") ? print_json(report) : print_text(report);
  return 0;
}

}   // namespace tile::tool
