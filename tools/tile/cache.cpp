// SPDX-License-Identifier: MIT
// `tile cache`: what is kept of compiled kernels, and why.
#include "compiler/api/compile.h"
#include "compiler/api/kernel_key.h"
#include "runtime/cache/kernel_cache.h"
#include "runtime/environment.h"
#include "runtime/tuning/stored.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/traced_kernel.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

namespace tile::tool {
namespace {

KernelCache open_cache(bool changes = false) {
  const bool writes = environment::cache() != environment::Cache::readonly;
  if (changes && !writes)
    throw BadUsage("TILE_CACHE=readonly: no command changes the folder");
  return KernelCache(KernelCache::folder_of_environment(), writes,
                     std::uint64_t(environment::cache_size()) * KernelCache::mib);
}

// Null if the folder of tunings does not exist.
std::unique_ptr<tuning::StoredTunings> open_tunings() {
  const std::string folder = KernelCache::folder_of_environment() + "/tuned";
  if (!std::filesystem::exists(folder))
    return nullptr;
  return std::make_unique<tuning::StoredTunings>(folder,
                                                 environment::cache() != environment::Cache::readonly);
}

double in_mib(std::uint64_t bytes) {
  return static_cast<double>(bytes) / static_cast<double>(KernelCache::mib);
}

std::string_view kind_of(const LoweredKernel &kernel) {
  return kernel.kind == LoweredKernel::Code::cubin ? "machine code" : "PTX";
}

std::string used(const CacheFolder::File &file) {
  return fmt::format("{:%F %T}", fmt::gmtime(static_cast<std::time_t>(file.used / 1'000'000'000)));
}

void take_no_operands(const CommandLine &line, const std::string &command) {
  if (!line.operands.empty())
    throw BadUsage(fmt::format("{} does not take `{}`", command, line.operands[0]));
}

int list_entries(Arguments arguments) {
  take_no_operands(parse(arguments, {}, "tile cache list"), "tile cache list");
  KernelCache cache = open_cache();
  for (const KernelCache::Entry &entry : cache.entries())
    if (!entry.damage.empty())
      fmt::print("{:.8}  damaged: {}\n", entry.file.name, entry.damage);
    else
      fmt::print("{:.8}  {}  {:<8} {:<12} {:>6} KiB  {}{}{}\n", entry.file.name, used(entry.file),
                 entry.kernel.target, kind_of(entry.kernel), (entry.file.bytes + 1023) / 1024,
                 entry.kernel.name, entry.kernel.config.empty() ? "" : "  ", entry.kernel.config);
  return 0;
}

int show_entry(Arguments arguments) {
  const CommandLine line = parse(arguments, {}, "tile cache show");
  if (line.operands.size() != 1)
    throw BadUsage("tile cache show takes the beginning of one name that `tile cache list` prints");
  KernelCache cache = open_cache();
  bool is_found = false;
  for (const KernelCache::Entry &entry : cache.entries()) {
    if (!entry.file.name.starts_with(line.operands[0]))
      continue;
    is_found = true;
    fmt::print("{}\n  used       {} UTC\n  size       {} bytes\n", entry.file.name, used(entry.file),
               entry.file.bytes);
    if (!entry.damage.empty()) {
      fmt::print("  damaged    {}\n", entry.damage);
      continue;
    }
    for (const CacheKey::Field &field : entry.key.fields())
      if (field.name == "trace")
        fmt::print("  {:<10} {} bytes\n", field.name, field.value.size());
      else if (field.name == "parameters")
        fmt::print("  {:<10} {}\n", field.name, std::ranges::count(field.value, '\n'));
      else
        fmt::print("  {:<10} {}\n", field.name, field.value);
    const LoweredKernel &kernel = entry.kernel;
    fmt::print("  code       {}, {} bytes\n  threads    {}\n  shared     {} bytes\n", kind_of(kernel),
               kernel.code.size(), kernel.threads, kernel.shared_bytes);
    if (kernel.registers >= 0)
      fmt::print("  registers  {}, {} bytes spilled\n", kernel.registers, kernel.spill_bytes);
  }
  if (!is_found)
    throw BadUsage(fmt::format("no entry begins with `{}`; `tile cache list` prints them", line.operands[0]));
  return 0;
}

int print_stats(Arguments arguments) {
  take_no_operands(parse(arguments, {}, "tile cache stats"), "tile cache stats");
  KernelCache cache = open_cache();
  const std::vector<KernelCache::Entry> entries = cache.entries();
  std::uint64_t bytes = 0;
  std::size_t damaged = 0, machine = 0;
  for (const KernelCache::Entry &entry : entries) {
    bytes += entry.file.bytes;
    damaged += !entry.damage.empty();
    machine += entry.damage.empty() && entry.kernel.kind == LoweredKernel::Code::cubin;
  }
  fmt::print("folder    {}\nentries   {}: {} of machine code, {} of PTX, {} damaged\nsize      {:.1f} MiB of "
             "{:.0f}\n",
             cache.folder(), entries.size(), machine, entries.size() - machine - damaged, damaged,
             in_mib(bytes), in_mib(cache.most_bytes()));
  if (const auto tunings = open_tunings())
    fmt::print("tunings   {}\n", tunings->count());
  if (!entries.empty())
    fmt::print("used      from {} to {} UTC\n", used(entries.back().file), used(entries.front().file));
  return 0;
}

int verify_entries(Arguments arguments) {
  take_no_operands(parse(arguments, {}, "tile cache verify"), "tile cache verify");
  KernelCache cache = open_cache();
  std::size_t damaged = 0, all = 0;
  for (const KernelCache::Entry &entry : cache.entries()) {
    ++all;
    if (entry.damage.empty())
      continue;
    ++damaged;
    fmt::print("{}/{}: {}\n", cache.folder(), entry.file.name, entry.damage);
  }
  if (const auto tunings = open_tunings())
    for (const tuning::StoredTunings::Entry &entry : tunings->entries()) {
      ++all;
      if (entry.damage.empty())
        continue;
      ++damaged;
      fmt::print("{}/tuned/{}: {}\n", cache.folder(), entry.name, entry.damage);
    }
  fmt::print("{} entries, {} damaged{}\n", all, damaged,
             damaged ? ": they are not used; `tile cache prune --damaged` removes them" : "");
  return damaged ? 1 : 0;
}

int prune_entries(Arguments arguments) {
  const std::vector<Option> options{{"all", "", "all of them"}, {"damaged", "", "the damaged ones"}};
  const CommandLine line = parse(arguments, options, "tile cache prune");
  take_no_operands(line, "tile cache prune");
  KernelCache cache = open_cache(/*changes=*/true);
  std::size_t removed = 0;
  if (line.has("damaged"))
    for (const KernelCache::Entry &entry : cache.entries())
      removed += !entry.damage.empty() && cache.remove(entry);
  if (line.has("damaged"))
    if (const auto tunings = open_tunings())
      removed += tunings->remove_damaged();
  std::string left;
  if (line.has("all") || !line.has("damaged")) {
    const KernelCache::Pruned pruned = cache.prune(line.has("all") ? 0 : cache.most_bytes());
    removed += pruned.removed;
    if (pruned.is_busy)
      left = fmt::format("; {} kernels left: another process holds {}/lock; prune again when it has ended",
                         pruned.left, cache.folder());
    else if (line.has("all") && pruned.left)
      left = fmt::format("; {} kernels left, which cannot be removed from {}", pruned.left, cache.folder());
  }
  if (line.has("all"))
    if (const auto tunings = open_tunings())
      removed += tunings->remove_all();
  fmt::print("{} removed{}\n", removed, left);
  return left.empty() ? 0 : 1;
}

// The tunings that lie beside the kernels of one folder, to those of another one.
std::size_t move_tunings(const std::string &from, const std::string &to) {
  if (!std::filesystem::exists(from + "/tuned"))
    return 0;
  tuning::StoredTunings source(from + "/tuned", false), target(to + "/tuned", true);
  return target.take_from(source);
}

int move_entries(Arguments arguments, bool in) {
  const std::string command = in ? "tile cache import" : "tile cache export";
  const CommandLine line = parse(arguments, {}, command);
  if (line.operands.size() != 1)
    throw BadUsage(command + " takes one folder with an absolute path");
  KernelCache own = open_cache(/*changes=*/in), other(line.operands[0], !in, own.most_bytes());
  const std::size_t count = in ? own.take_from(other) : other.take_from(own);
  const std::size_t tunings =
      in ? move_tunings(other.folder(), own.folder()) : move_tunings(own.folder(), other.folder());
  fmt::print("{} {}{}\n", count, in ? "imported" : "exported",
             tunings ? fmt::format(", and {} tunings", tunings) : "");
  return 0;
}

// ---- of one kernel

struct Wanted {
  KernelIR kernel;
  Target target;
  std::optional<Assembler> assembler;
  CacheKey key;
};

Wanted wanted(Arguments arguments, const std::string &what) {
  const auto [entry, rest, command] = chosen_kernel(arguments, what);
  const CommandLine line = parse_options(rest, trace_options(entry, specialization_options()), command);
  const Specialization chosen(entry, line);
  KernelIR kernel = entry.trace(chosen.settings, chosen.is_specialized);
  std::optional<Assembler> assembler = find_assembler();
  CacheKey key = key_of(kernel, chosen.target, chosen.target.name(), assembler);
  return {std::move(kernel), chosen.target, std::move(assembler), std::move(key)};
}

int warm(Arguments arguments) {
  const Wanted what = wanted(arguments, "cache warm");
  KernelCache cache = open_cache(/*changes=*/true);
  if (cache.find(what.key)) {
    fmt::print("{} was there\n", what.key.file_name());
    return 0;
  }
  LoweredKernel kernel = compile(what.kernel, what.target);
  if (what.assembler)
    kernel = assembled(*what.assembler, std::move(kernel), what.target.name());
  cache.insert(what.key, kernel);
  if (!cache.find(what.key))
    throw Error("the kernel could not be kept in " + cache.folder(), {});
  fmt::print("{}: {} of {}, for {}\n", what.key.file_name(), kind_of(kernel), kernel.title(), kernel.target);
  return 0;
}

// How the entries of a kernel differ from the kernel that is wanted.
int why(Arguments arguments) {
  const Wanted what = wanted(arguments, "cache why");
  KernelCache cache = open_cache();
  std::size_t others = 0;
  for (const KernelCache::Entry &entry : cache.entries()) {
    if (!entry.damage.empty() || entry.kernel.name != what.kernel.name())
      continue;
    if (entry.key == what.key) {
      fmt::print("{} is this kernel\n", entry.file.name);
      return 0;
    }
    ++others;
    std::string differences;
    for (const CacheKey::Field &field : what.key.fields()) {
      const std::string_view value = entry.key.value(field.name);
      if (value == field.value || field.name == "computation")   // which the trace says, too
        continue;
      const bool is_short = field.value.size() < 80 && value.size() < 80 && field.name != "trace";
      differences += differences.empty() ? "" : "; ";
      differences += is_short ? fmt::format("{} is `{}` and not `{}`", field.name, value, field.value)
                              : fmt::format("another {}", field.name);
    }
    fmt::print("{:.8}  {}\n", entry.file.name, differences);
  }
  if (others == 0)
    fmt::print("nothing of {} is kept in {}\n", what.kernel.name(), cache.folder());
  return 1;
}

struct Action {
  std::string_view name, summary;
  int (*run)(Arguments);
};
const std::vector<Action> &actions() {
  static const std::vector<Action> all{
      {"list", "the entries, the most recently used first", list_entries},
      {"show", "prints all of one entry: show BEGINNING-OF-ITS-NAME", show_entry},
      {"stats", "folder, number and size", print_stats},
      {"verify", "reads all entries; exit code 1 if one is damaged", verify_entries},
      {"prune", "removes entries beyond TILE_CACHE_SIZE; --damaged, --all", prune_entries},
      {"export", "copies entries and tunings to a folder: export FOLDER",
       [](Arguments arguments) { return move_entries(arguments, false); }},
      {"import", "copies entries and tunings from a folder: import FOLDER",
       [](Arguments arguments) { return move_entries(arguments, true); }},
      {"warm", "compiles a kernel and keeps it, without a GPU: warm KERNEL --arch sm_90a", warm},
      {"why", "how the entries of a kernel differ from it; exit code 1 if none is the same", why}};
  return all;
}

}   // namespace

std::string cache_help() {
  std::string text =
      "usage: tile cache ACTION ...\n\n"
      "Manages the kernels that were compiled for GPUs and are kept on disk (docs/cache.md).\n\n";
  for (const Action &action : actions())
    text += fmt::format("  {:<7} {}\n", action.name, action.summary);
  return text + "\noptions of warm and why, in addition to those of the kernel in `tile help dump`:\n" +
         describe(specialization_options()) + from_help();
}

int cache(Arguments arguments) {
  std::vector<std::string> names;
  for (const Action &action : actions()) {
    if (!arguments.empty() && arguments[0] == action.name)
      return action.run(arguments.subspan(1));
    names.emplace_back(action.name);
  }
  throw BadUsage(arguments.empty()
                     ? "tile cache needs an action: " + registry::joined(names)
                     : fmt::format("tile cache: no action `{}`{}; there are {}", arguments[0],
                                   registry::did_you_mean(arguments[0], names), registry::joined(names)));
}

}   // namespace tile::tool
