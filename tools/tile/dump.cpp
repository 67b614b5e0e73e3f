// SPDX-License-Identifier: MIT
// `tile dump KERNEL`: the IR of one specialisation of a kernel after a stage of its compilation.
#include "compiler/api/compile.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/traced_kernel.h"

#include <fmt/format.h>
#include <utility>

namespace tile::tool {

static std::vector<Option> common_options() {
  std::vector<std::string> names;
  for (const StageDescription &stage : stages())
    names.emplace_back(stage.name);
  std::vector<Option> options{
      {"stage", "NAME", "after which stage: " + registry::joined(names) + "; " + names.front()},
      {"lowered", "FILE",
       "writes the lowered kernel to this file instead; programs without the compiler launch it"},
      {"simplified", "", "the same as --stage tile-simplified"}};
  for (Option &option : specialization_options(", from stage tile_gpu on"))
    options.push_back(std::move(option));
  options.push_back({"locations", "", "with the source line of each operation"});
  options.push_back({"generic", "", "in MLIR's generic form"});
  options.push_back(
      {"every_config", "", "one module for each config of the kernel's list, divided by `// -----`"});
  return options;
}

std::string dump_help() {
  return "usage: tile dump KERNEL [--option value ...]\n\n"
         "Prints the IR of a kernel: what tile-opt reads.\n\n"
         "options of every kernel:\n" +
         describe(common_options()) + from_help() + options_of_kernels(trace_options);
}

static void write(const LoweredKernel &kernel, const std::string &path) {
  const std::vector<std::byte> bytes = kernel.serialise();
  write_file(path, {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  fmt::print("{}: {} for {}, {} bytes of PTX\n", path, kernel.title(), kernel.target, kernel.code.size());
}

static void print(const registry::Entry &kernel, const Specialization &chosen,
                  const registry::Settings &settings, Stage stage, const TextOptions &format) {
  const KernelIR ir = kernel.trace(settings, chosen.is_specialized);
  std::vector<Remark> remarks;   // as it was traced, nothing needs to compile
  fmt::print("{}",
             stage == Stage::Tile ? ir.text(format) : text_after(stage, ir, chosen.target, format, &remarks));
  for (const Remark &remark : remarks)
    fmt::print(stderr, "remark: {}:{}: {}\n", remark.where.file, remark.where.line, remark.text);
}

int dump(Arguments arguments) {
  const auto [kernel, rest, command] = chosen_kernel(arguments, "dump");
  const CommandLine line = parse_options(rest, trace_options(kernel, common_options()), command);

  const Specialization chosen(kernel, line);
  Stage stage = Stage::Tile;
  std::string lowered;
  TextOptions text{.locations = line.has("locations"), .generic = line.has("generic")};
  for (const Given &given : line.options) {
    if (given.name == "stage")
      stage = stage_named(given.value).stage;
    else if (given.name == "lowered")
      lowered = given.value;
    else if (given.name == "simplified")
      stage = Stage::TileSimplified;
  }
  const std::string where = fmt::format("at stage {}", stages()[static_cast<std::size_t>(stage)].name);
  if (!lowered.empty())
    refuse_idle(line, {"stage", "simplified", "locations", "generic", "every_config"}, "with --lowered");
  else if (stage < Stage::TileGpu)
    refuse_idle(line, {"arch"}, where);
  if (stage >= Stage::Llvm)
    refuse_idle(line, {"generic"}, where);
  if (!lowered.empty()) {
    write(compile(kernel.trace(chosen.settings, chosen.is_specialized), chosen.target), lowered);
    return 0;
  }
  if (!line.has("every_config")) {
    print(kernel, chosen, chosen.settings, stage, text);
    return 0;
  }
  refuse_idle(line, {"config"}, "with --every_config");
  const char *divider = "";
  for (const std::string &config : kernel.configs(chosen.settings)) {
    registry::Settings settings = chosen.settings;
    settings.config = config;
    fmt::print("{}// {}\n", std::exchange(divider, "// -----\n"), config);
    try {
      print(kernel, chosen, settings, stage, text);
    } catch (const Error &error) {   // a list is for all GPUs
      fmt::print("// refused: {}\n", error.message());
    }
  }
  return 0;
}

}   // namespace tile::tool
