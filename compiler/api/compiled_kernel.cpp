// SPDX-License-Identifier: MIT
#include "compiler/api/compiled_kernel.h"

#include "compiler/api/compile.h"
#include "compiler/target/sass.h"
#include "runtime/assembler_log.h"
#include "runtime/nearest_name.h"

#include <algorithm>
#include <map>

namespace tile {
namespace {

[[noreturn]] void refuse(const std::string &what, std::string_view name,
                         const std::vector<std::string> &known) {
  std::string accepted;
  for (const std::string &one : known)
    accepted += (accepted.empty() ? "" : ", ") + one;
  Error error("there is no " + what + " `" + std::string(name) + "`; there are: " + accepted, {});
  const std::vector<std::string_view> names(known.begin(), known.end());
  if (const auto meant = nearest_name(name, names))
    error.add_help("did you mean `" + std::string(*meant) + "`?");
  throw error;
}

Target target_named(std::string_view name) {
  if (const std::optional<Target> target = Target::parse(name))
    return *target;
  refuse("target", name, Target::knownTargets());
}

}   // namespace

CompiledKernel::CompiledKernel(KernelIR kernel, std::string_view target)
    : ir_(std::move(kernel)), lowered_(compile(ir_, target_named(target))) {}

std::vector<std::string> CompiledKernel::stages() {
  std::vector<std::string> names;
  for (const StageDescription &stage : tile::stages())
    names.emplace_back(stage.name);
  return names;
}

std::vector<std::string> CompiledKernel::targets() { return Target::knownTargets(); }

std::string CompiledKernel::text(std::string_view stage) const {
  for (const StageDescription &known : tile::stages()) {
    if (known.name != stage)
      continue;
    if (known.stage == Stage::Tile)
      return ir_.text({.locations = false});
    return text_after(known.stage, ir_, target_named(lowered_.target), {.locations = false});
  }
  refuse("stage", stage, stages());
}

// A line may hold several instructions, and an instruction may take several lines.
std::vector<std::pair<std::string, int>> CompiledKernel::instructions() const {
  std::map<std::string, int> counts;
  std::string_view left = ptx();
  const auto skip_to = [&](std::size_t at) { left.remove_prefix(std::min(left.size(), at)); };
  const auto skip_behind = [&](std::string_view ends) {
    const std::size_t at = left.find_first_of(ends);
    skip_to(at == std::string_view::npos ? at : at + 1);
  };
  for (;;) {
    skip_to(left.find_first_not_of(" \t\n{}"));
    if (left.empty())
      return {counts.begin(), counts.end()};
    if (left.front() == '@') {   // @%p1, or @!%p1
      skip_to(left.find_first_of(" \t"));
    } else if (left.front() >= 'a' && left.front() <= 'z') {
      ++counts[std::string(left.substr(0, left.find_first_of(" \t\n;")))];
      skip_behind(";");
    } else {   // a comment, a label, a directive
      skip_behind(left.starts_with("//") ? "\n" : "\n;");
    }
  }
}

std::vector<Remark> CompiledKernel::choices() const {
  return tile::choices(ir_, target_named(lowered_.target));
}

KernelResources CompiledKernel::resources() const {
  const std::string log = assemblerLog(std::string(ptx()), target_named(lowered_.target));
  return {.registers = registers_used(log).value_or(-1),
          .spill_bytes = spill_bytes(log).value_or(-1),
          .shared_bytes = static_cast<int>(lowered_.shared_bytes),
          .unit = lowered_.unit,
          .roles = static_cast<int>(lowered_.roles),
          .target = lowered_.target,
          .assembler_log = log};
}

}   // namespace tile
