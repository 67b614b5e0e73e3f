// SPDX-License-Identifier: MIT
// `tile why KERNEL`: what the compiler has chosen for a kernel and why, at the lines of its source, and what
// its machine code takes of a GPU.
#include "runtime/assembler.h"
#include "runtime/assembler_log.h"
#include "runtime/source_excerpt.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/occupancy.h"
#include "tools/tile/traced_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tile::tool {
namespace {

std::string kib(double bytes) { return fmt::format("{:.1f} KiB", bytes / 1024); }

void print_machine_code(const LoweredKernel &kernel, const Target &target) {
  fmt::print("{} for {}\n", kernel.title(), target.name());
  const auto row = [](std::string_view name, const std::string &value) {
    fmt::print("  {:<26}{}\n", name, value);
  };
  row("threads of a CTA", std::to_string(kernel.threads));
  row("shared memory of a CTA", fmt::format("{} of {}", kib(kernel.shared_bytes),
                                            kib(static_cast<double>(target.sharedBytesPerBlock()))));
  std::optional<int> registers;
  std::vector<std::string> lost;
  if (const std::optional<Assembler> assembler = find_assembler()) {
    const std::string log = assemble(*assembler, kernel.text(), target.name(), kernel.name).log;
    registers = registers_used(log);
    lost = lost_speed(log);
    row("registers of a thread",
        registers ? fmt::format("{} of 255", *registers) : "the assembler does not say");
    const int spilled = spill_bytes(log).value_or(0);
    row("kept in memory instead", spilled == 0
                                      ? "nothing"
                                      : fmt::format("{} bytes of each thread, for want of registers: "
                                                    "smaller blocks or more warps need fewer",
                                                    spilled));
  } else {
    row("registers of a thread", "not known: there is no ptxas; TILE_PTXAS names one");
  }
  const std::string_view ptx = kernel.text();
  row("matrix unit", ptx.contains("wgmma.mma_async") ? "wgmma"
                     : ptx.contains("mma.sync")      ? "mma.sync"
                                                     : "none");
  const Occupancy runs = occupancy(target, kernel.threads, kernel.shared_bytes, registers);
  row("CTAs of a multiprocessor", fmt::format("{} at the same time, limited by {}", runs.ctas, runs.limit));
  for (const std::string &line : lost)
    row("made slower by ptxas", line);
}

bool is_before(const Location &a, const Location &b) {
  return std::pair(std::string_view(a.file), a.line) < std::pair(std::string_view(b.file), b.line);
}

// In the order of the source: what is said of one line stands together.
void print_choices(std::vector<Remark> remarks) {
  std::ranges::stable_sort(remarks,
                           [](const Remark &a, const Remark &b) { return is_before(a.where, b.where); });
  const Location *last = nullptr;
  for (const Remark &remark : remarks) {
    if (!last || is_before(*last, remark.where))
      fmt::print("\n{}:{}\n{}", remark.where.file, remark.where.line, source_excerpt(remark.where));
    last = &remark.where;
    fmt::print("  = {}\n", remark.text);
  }
  if (remarks.empty())
    fmt::print("\nThe compiler has no remark on a line of it.\n");
}

}   // namespace

std::string why_help() {
  return "usage: tile why KERNEL [--option value ...]\n\n"
         "Says what the compiler has chosen for a kernel and why, at the lines of its source, and what its\n"
         "machine code takes of a GPU. No GPU is needed.\n\n"
         "options of every kernel:\n" +
         describe(specialization_options()) + from_help() + options_of_kernels(trace_options);
}

int why(Arguments arguments) {
  const auto [kernel, rest, command] = chosen_kernel(arguments, "why");
  const CommandLine line = parse_options(rest, trace_options(kernel, specialization_options()), command);
  const Specialization chosen(kernel, line);
  const KernelIR ir = kernel.trace(chosen.settings, chosen.is_specialized);
  std::vector<Remark> remarks;
  static_cast<void>(text_after(Stage::TileGpu, ir, chosen.target, {}, &remarks));
  print_machine_code(compile(ir, chosen.target), chosen.target);
  print_choices(std::move(remarks));
  return 0;
}

}   // namespace tile::tool
