// SPDX-License-Identifier: MIT
#include "tools/tile/pack_make.h"

#include "compiler/api/compile.h"
#include "compiler/api/kernel_key.h"
#include "kernels/shipped_tunings.h"
#include "runtime/assembler.h"
#include "runtime/cache/kernel_cache.h"
#include "runtime/cores.h"
#include "runtime/environment.h"
#include "runtime/json.h"
#include "runtime/progress.h"
#include "runtime/tuning/shipped.h"
#include "runtime/tuning/stored.h"
#include "tools/registry/library.h"
#include "tools/registry/library_kernel.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/traced_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

namespace tile::tool {
namespace {

// One specialisation of a kernel for one GPU.
struct Job {
  PackedIdentity identity;
  KernelIR kernel;
  Target target;
  bool keeps_ptx;   // also for GPUs that come later
};

std::vector<std::string> parts_of(const std::string &list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');)
    if (!part.empty())
      parts.push_back(part);
  return parts;
}

std::vector<Target> targets_of(const CommandLine &line) {
  std::vector<Target> targets;
  for (const Given &given : line.options)
    if (given.name == "arch")
      for (const std::string &name : parts_of(given.value))
        if (std::ranges::find(targets, name, &Target::name) == targets.end())
          targets.push_back(target_named(name));
  if (targets.empty())
    throw BadUsage("tile pack make needs --arch with one or more of " +
                   registry::joined(Target::knownTargets()));
  return targets;
}

// The newest target whose PTX newer GPUs run, too.
std::string forward_target(const std::vector<Target> &targets) {
  std::string newest;
  for (const Target &target : targets)
    if (!target.description().onlyThere &&
        (newest.empty() ||
         Target::parse(newest)->description().major * 10 + Target::parse(newest)->description().minor <
             target.description().major * 10 + target.description().minor))
      newest = target.name();
  return newest;
}

std::string read_lines(const CommandLine &line) {
  std::string lines;
  for (const Given &given : line.options) {
    if (given.name != "tunings")
      continue;
    std::ifstream file(given.value);
    if (!file)
      throw BadUsage("tile pack make: --tunings " + given.value + " cannot be read");
    lines.append(std::istreambuf_iterator<char>(file), {});
    if (!lines.empty() && lines.back() != '\n')
      lines += '\n';
  }
  return lines;
}

// The configs that tunings name for a kernel.
std::vector<std::string> tuned_configs(const std::string &lines, const std::string &kernel) {
  std::vector<std::string> configs;
  std::istringstream in(lines);
  for (std::string text; std::getline(in, text);) {
    if (text.empty())
      continue;
    const json::Value value = json::parse(text);
    const json::Value *name = value.find("kernel"), *config = value.find("config");
    if (!name || !name->string() || !config || !config->string())
      throw Error("a line of the tunings names no kernel and config: " + text, {})
          .add_help("`tile tune KERNEL ... --table FILE` writes such lines");
    if (*name->string() == kernel && std::ranges::find(configs, *config->string()) == configs.end())
      configs.push_back(*config->string());
  }
  return configs;
}

constexpr std::size_t most_configs_unasked = 32;

// Of a long list, the configs that were fastest somewhere: those of the tunings that ship with the kernel.
std::vector<std::string> tuned_of_list(const registry::Entry &kernel, registry::Settings settings,
                                       const std::vector<std::string> &list) {
  const auto full_text = [&](const std::string &config) {
    settings.config = config;
    return kernel.trace(settings, true).config();
  };
  std::set<std::string> listed, taken;
  for (const std::string &config : list)
    listed.insert(full_text(config));
  std::vector<std::string> configs;
  if (!kernel.is_of_library())
    for (const std::string &config :
         tuned_configs(std::string(kernels::detail::shipped_tunings()), kernel.name))
      if (const std::string text = full_text(config); listed.contains(text) && taken.insert(text).second)
        configs.push_back(config);
  if (configs.empty())
    throw BadUsage(
        fmt::format("kernel {} has {} configs: choose some with --config or --tunings, or take all "
                    "with --every_config",
                    kernel.name, list.size()));
  fmt::print("{}: {} of its {} configs, those that its tunings name; --every_config takes all\n", kernel.name,
             configs.size(), list.size());
  return configs;
}

std::vector<std::string> configs_of(const registry::Entry &kernel, const registry::Settings &settings,
                                    const CommandLine &line, const std::string &tunings) {
  std::vector<std::string> configs;
  for (const Given &given : line.options)
    if (given.name == "config")
      configs.push_back(given.value);
  if (configs.empty())
    configs = tuned_configs(tunings, kernel.name);
  if (!configs.empty())
    return configs;
  configs = kernel.configs(settings);
  if (configs.empty())
    configs.emplace_back();   // the default one
  if (configs.size() > most_configs_unasked && !line.has("every_config"))
    return tuned_of_list(kernel, settings, configs);
  return configs;
}

// Sets of promises about arguments: as given, else none; everything by 16, and the same but for rows; of a
// library's kernel, aligned pointers.
struct Classes {
  std::string promises;
  bool is_specialized = false, any_rows = false;
};
std::vector<Classes> classes_of(const registry::Entry &kernel, const CommandLine &line) {
  std::vector<Classes> sets;
  for (const Given &given : line.options)
    if (given.name == "classes") {
      if (!kernel.is_of_library())
        throw BadUsage("tile pack make: --classes is for kernels of a library, with --from");
      sets.push_back({given.value});
    }
  if (!sets.empty())
    return sets;
  sets = {{""}, {"", true}};
  if (kernel.is_of_library()) {
    std::string pointers;
    for (const registry::LibraryKernel::Parameter &p : kernel.library_kernel->parameters())
      if (p.type.pointers > 0 && !p.is_dynamic)
        pointers += (pointers.empty() ? "" : ",") + p.name + "=16";
    if (!pointers.empty())
      sets.push_back({pointers});
  } else {
    sets.push_back({"", true, true});
  }
  return sets;
}

// Each specialisation once: sets of classes may come to the same.
void add_jobs(std::vector<Job> &jobs, const registry::Entry &kernel, const CommandLine &line,
              const std::vector<Target> &targets, const std::string &tunings) {
  registry::Settings settings(kernel.parameters);
  for (const Given &given : line.options)
    if (given.name != "classes" && given.name != "config" && kernel.parameter(given.name))
      settings.set(given.name, given.value);
  const std::string forward = line.has("machine_code_only") ? "" : forward_target(targets);
  for (const std::string &config : configs_of(kernel, settings, line, tunings))
    for (const Classes &classes : classes_of(kernel, line)) {
      settings.config = config;
      settings.classes = classes.promises;
      settings.any_rows = classes.any_rows;
      std::vector<KernelIR> traced{kernel.trace(settings, classes.is_specialized)};
      if (kernel.beside)
        std::ranges::move(kernel.beside(settings, classes.is_specialized), std::back_inserter(traced));
      for (const KernelIR &each : traced) {
        const PackedIdentity identity = packed_identity(each);
        if (std::ranges::find(jobs, identity, &Job::identity) == jobs.end())
          for (const Target &target : targets)
            jobs.push_back({identity, each, target, target.name() == forward});
      }
    }
}

struct Made {
  std::vector<LoweredKernel> kernels;   // machine code, PTX or both
  std::string refusal;                  // why there are no kernels
};

LoweredKernel assembled_without_lines(const Assembler &assembler, const LoweredKernel &ptx,
                                      const std::string &target) {
  try {
    return assembled(assembler, without_lines(ptx), target);
  } catch (const Error &) {
    return assembled(assembler, ptx, target);   // its error names the line
  }
}

Made made_of(const Job &job, const std::optional<Assembler> &assembler, bool has_lines) {
  Made made;
  try {
    LoweredKernel ptx = compile(job.kernel, job.target);
    if (assembler)
      made.kernels.push_back(has_lines ? assembled(*assembler, ptx, job.target.name())
                                       : assembled_without_lines(*assembler, ptx, job.target.name()));
    if (!assembler || job.keeps_ptx)
      made.kernels.push_back(has_lines ? std::move(ptx) : without_lines(std::move(ptx)));
  } catch (const Error &error) {
    made.refusal = error.message();
  }
  return made;
}

std::vector<Made> compiled(const std::vector<Job> &jobs, const std::optional<Assembler> &assembler,
                           bool has_lines) {
  std::vector<Made> all(jobs.size());
  std::atomic<std::size_t> next = 0, ended = 0;
  Progress progress("tile pack");
  const auto work = [&] {
    for (std::size_t i = next++; i < jobs.size(); i = next++) {
      all[i] = made_of(jobs[i], assembler, has_lines);
      progress.set(fmt::format("compile {}/{}", ++ended, jobs.size()));
    }
  };
  const int threads = environment::jobs() ? environment::jobs() : usable_cores();
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i)
    others.emplace_back(work);
  work();
  return all;
}

double kib(std::uint64_t bytes) { return static_cast<double>(bytes) / 1024; }

void print_made(const Pack &pack, const std::string &path) {
  std::uint64_t machine = 0, ptx = 0;
  for (const Pack::Entry &entry : pack.entries())
    (entry.kind == LoweredKernel::Code::cubin ? machine : ptx) += entry.bytes;
  fmt::print("{}: {} entries, {:.0f} KiB of machine code, {:.0f} KiB of PTX, {} tunings\n", path,
             pack.entries().size(), kib(machine), kib(ptx), std::ranges::count(pack.tunings(), '\n'));
}

// The classes in a key's field: a line for each parameter, which ends in the number of its class.
std::optional<std::vector<ArgClass>> classes_in(std::string_view parameters) {
  std::vector<ArgClass> classes;
  while (!parameters.empty()) {
    const std::string_view line = parameters.substr(0, parameters.find('\n'));
    parameters.remove_prefix(std::min(parameters.size(), line.size() + 1));
    if (line.empty() || line.back() < '0' || line.back() > '2')
      return std::nullopt;
    classes.push_back(static_cast<ArgClass>(line.back() - '0'));
  }
  return classes;
}

// The newest result of each key of a kernel on a model of GPU, as lines.
std::string cached_tunings(const std::string &folder) {
  if (!std::filesystem::exists(folder))
    return {};
  std::vector<tuning::StoredTunings::Entry> entries = tuning::StoredTunings(folder, false).entries();
  std::ranges::sort(entries, [](const auto &a, const auto &b) { return a.stored.time > b.stored.time; });
  std::set<std::string> known;
  std::string lines;
  for (const tuning::StoredTunings::Entry &entry : entries) {
    if (!entry.damage.empty())
      continue;
    const std::string device(entry.key.value("device"));
    tuning::Shipped line{.device = device.substr(0, device.find(',')),
                         .kernel = std::string(entry.key.value("kernel")),
                         .arguments = {},
                         .key = std::string(entry.key.value("key")),
                         .config = entry.stored.fastest};
    std::istringstream arguments{std::string(entry.key.value("arguments"))};
    for (std::string argument; std::getline(arguments >> std::ws, argument, ';');)
      if (const std::string type = argument.substr(0, argument.find(' ')); type.ends_with('*'))
        line.arguments += (line.arguments.empty() ? "" : " ") + type;
    std::ranges::replace(line.config, ' ', ',');
    for (const tuning::Record &record : entry.stored.records)
      if (record.config == entry.stored.fastest)
        line.median = record.median;
    if (known.insert(line.device + "\n" + line.kernel + "\n" + line.arguments + "\n" + line.key).second)
      lines += tuning::line_of(line) + "\n";
  }
  return lines;
}

}   // namespace

const std::vector<Option> &make_pack_options() {
  static const std::vector<Option> options{
      {"arch", "NAME,...", "the GPUs: " + registry::joined(Target::knownTargets())},
      {"config", "F=V,...", "this config of the kernel; may be repeated; all of its list"},
      {"every_config", "",
       "also of kernels with more than 32 configs, of which else those are taken that their tunings name"},
      {"tunings", "FILE",
       "lines of `tile tune --table`: they go into the pack, with the configs that they name"},
      {"lines", "",
       "with lines of the source, for debuggers and profilers; it makes the pack three times as large"},
      {"machine_code_only", "", "no PTX for GPUs that come later"}};
  return options;
}

int make_pack(Arguments arguments) {
  std::vector<std::string> rest(arguments.begin(), arguments.end());
  const std::string library = take_library(rest);
  const std::vector<registry::Entry> &all =
      library.empty() ? registry::entries() : registry::library_entries(library);
  // What is not an option is the file and the kernels, whose own options the second pass knows.
  std::vector<const registry::Entry *> kernels;
  for (const std::string &word : rest)
    for (const registry::Entry &kernel : all)
      if (kernel.name == word)
        kernels.push_back(&kernel);
  std::vector<Option> options = make_pack_options();
  const std::vector<const registry::Entry *> chosen = kernels;
  for (const registry::Entry &kernel : all)
    if (chosen.empty() ? !library.empty() : std::ranges::find(chosen, &kernel) != chosen.end())
      for (const Option &option : trace_options(kernel, {}))
        if (std::ranges::find(options, option.name, &Option::name) == options.end())
          options.push_back(option);
  const CommandLine line = parse(rest, options, "tile pack make");
  if (line.operands.empty())
    throw BadUsage("tile pack make takes the file to write, then kernels");
  for (std::size_t i = 1; i < line.operands.size(); ++i)
    static_cast<void>(registry::entry_among(all, line.operands[i], library));   // throws for unknown ones
  if (kernels.empty() && library.empty())
    throw BadUsage("tile pack make takes the names of kernels, or --from LIBRARY for all of a library");
  if (kernels.empty())
    for (const registry::Entry &kernel : all)
      kernels.push_back(&kernel);

  const std::vector<Target> targets = targets_of(line);
  const std::string tunings = read_lines(line);
  std::vector<Job> jobs;
  for (const registry::Entry *kernel : kernels)
    add_jobs(jobs, *kernel, line, targets, tunings);
  const std::optional<Assembler> assembler = find_assembler();
  const std::vector<Made> made = compiled(jobs, assembler, line.has("lines"));
  Pack pack;
  pack.set_maker(compiler_identity() + "; " + (assembler ? assembler->identity() : "the driver's"));
  pack.add_tunings(tunings);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (const LoweredKernel &kernel : made[i].kernels)
      pack.add(jobs[i].identity, kernel);
    if (made[i].refusal.empty())
      continue;
    ++refused;
    fmt::print(stderr, "left out: {}, {} for {}: {}\n", jobs[i].identity.kernel, jobs[i].identity.config,
               jobs[i].target.name(), made[i].refusal);
  }
  if (pack.entries().empty())
    throw Error("no kernel could be compiled; " + line.operands[0] + " is not written", {});
  pack.write(line.operands[0]);
  print_made(pack, line.operands[0]);
  if (!assembler)
    fmt::print("without a ptxas: the driver assembles each kernel when it is loaded\n");
  if (refused)
    fmt::print("{} of {} specialisations are left out, see above\n", refused, jobs.size());
  const std::string forward = forward_target(targets);
  if (forward.empty() || line.has("machine_code_only"))
    fmt::print("no PTX for other GPUs: they refuse the pack\n");
  return 0;
}

int pack_cached(Arguments arguments) {
  const CommandLine line = parse(arguments, {}, "tile pack cached");
  if (line.operands.size() != 1)
    throw BadUsage("tile pack cached takes the file to write; TILE_CACHE_DIR names the cache");
  KernelCache cache(KernelCache::folder_of_environment(), /*writes=*/false,
                    std::uint64_t(environment::cache_size()) * KernelCache::mib);
  Pack pack;
  std::set<std::string> makers;
  std::size_t left_out = 0;
  for (const KernelCache::Entry &entry : cache.entries()) {
    const CacheKey &key = entry.key;
    const std::string computation(key.value("computation"));
    const std::optional<std::vector<ArgClass>> classes = classes_in(key.value("parameters"));
    if (!entry.damage.empty() || computation.empty() || !classes) {
      ++left_out;
      continue;
    }
    LoweredKernel kernel = entry.kernel;
    if (kernel.kind == LoweredKernel::Code::cubin)
      kernel.target = key.value("machine");   // of sm_80, as a newer GPU runs it
    const PackedIdentity identity{
        .kernel = kernel.name, .config = kernel.config, .computation = computation, .classes = *classes};
    if (pack.add(identity, kernel))
      makers.insert(std::string(key.value("compiler")) + "; " + std::string(key.value("assembler")));
    else
      ++left_out;   // the same from an older compiler or another assembler: the last one used counts
  }
  if (pack.entries().empty())
    throw Error("the cache " + cache.folder() + " has no entry that can be packed", {})
        .add_help("run the program once on the GPU: its launches fill the cache");
  std::string maker;
  for (const std::string &each : makers)
    maker += (maker.empty() ? "" : "\n") + each;
  pack.set_maker(maker);
  pack.add_tunings(cached_tunings(cache.folder() + "/tuned"));
  pack.write(line.operands[0]);
  print_made(pack, line.operands[0]);
  if (left_out)
    fmt::print("{} entries of the cache are left out: damaged, or the same kernel by another compiler\n",
               left_out);
  return 0;
}

}   // namespace tile::tool
