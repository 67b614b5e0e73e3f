// SPDX-License-Identifier: MIT
// `tile fuzz`: random programs on the interpreter and as compiled code; what differs is made small and kept.
#include "compiler/devices/devices.h"
#include "runtime/cores.h"
#include "runtime/default_target.h"
#include "runtime/environment.h"
#include "runtime/error.h"
#include "runtime/progress.h"
#include "tools/fuzz/assemble.h"
#include "tools/fuzz/generate.h"
#include "tools/fuzz/print.h"
#include "tools/fuzz/reduce.h"
#include "tools/fuzz/workers.h"
#include "tools/registry/registry.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/fuzz_kernels.h"
#include "tools/tile/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>

namespace tile::tool {
namespace {

std::vector<Option> accepted() {
  return {
      {"count", "N", "how many programs; 100"},
      {"seed", "N", "of the first program; 1"},
      {"device", "NAME",
       "what is compared with the interpreter: " + registry::joined(device_names()) +
           "; interpreter: runs the canonical form and only generates the code"},
      {"floats", "NAME",
       "small: numbers that are exact in any order, and any bits where there is no order; ring: integers "
       "modulo 2^width, which no GPU supports; mixed, the default: a ring in every second program, on the "
       "interpreter and the simulator"},
      {"programs", "NAME",
       "mixed: of all operations; products: loops of products over described tensors, which become roles "
       "of warps; kernels: calls of the shipped products on the simulator, compared with float64; mixed"},
      {"arch", "NAME",
       "the GPU that code is generated for if no device runs it; " + std::string(default_target)},
      {"assemble", "LIST",
       "GPUs, as in sm_80,sm_90a, or all: ptxas must accept the code of each program for them, too"},
      {"print", "", "print the program of the seed and do nothing else"},
      {"keep", "FOLDER", "where failing programs are written, after they are reduced; ."},
      {"no-reduce", "", "keep failing programs as generated, not reduced"},
      {"replay", "FILE", "check one program that was kept"},
      {"limit", "SECONDS", "processor time after which a program counts as hung; 60"}};
}

std::uint64_t number(const CommandLine &line, std::string_view name, std::uint64_t fallback) {
  const std::string *text = line.find(name);
  return text ? whole_number({std::string(name), *text}) : fallback;
}

// A name among those that an option takes, as their enum.
template <class Enum>
Enum choice(std::string_view what, const std::string &name, const std::vector<std::string> &names) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw BadUsage(fmt::format("no {} `{}`{}; accepted are {}", what, name,
                               registry::did_you_mean(name, names), registry::joined(names)));
  return static_cast<Enum>(found - names.begin());
}

enum class Programs { mixed, products, kernels };
enum class Choice { small, ring, mixed };

// A GPU computes with numbers alone, and "auto" may be one.
bool has_rings(std::string_view device) { return device == "interpreter" || device == "simulator"; }

struct Run {
  std::string device;
  Target target;
  Choice floats;
  Programs programs = Programs::mixed;
  int seconds = 60;
  std::string assembled_for = "";   // GPUs, as the command line names them
  std::vector<Target> assembler_targets = {};
  std::optional<Assembler> assembler = std::nullopt;   // there where code is assembled

  fuzz::Floats floats_of(std::uint64_t seed) const {
    const bool is_ring =
        floats == Choice::ring || (floats == Choice::mixed && has_rings(device) && seed % 2 == 0);
    return is_ring ? fuzz::Floats::ring : fuzz::Floats::small;
  }
  fuzz::Program program(std::uint64_t seed) const {
    return programs == Programs::products ? fuzz::generate_products(seed, floats_of(seed))
                                          : fuzz::generate(seed, floats_of(seed));
  }
  // As summaries name it.
  std::string_view floats_name() const {
    return floats == Choice::ring                          ? "ring floats"
           : floats == Choice::small || !has_rings(device) ? "small floats"
                                                           : "mixed floats";
  }

  fuzz::Outcome check(const std::string &text) const {
    const fuzz::Case given = fuzz::read_case(text);
    const fuzz::Outcome outcome = fuzz::check(given, device, target);
    if (!assembler || (outcome.verdict != fuzz::Verdict::agree && outcome.verdict != fuzz::Verdict::refused))
      return outcome;
    const fuzz::Outcome assembled = fuzz::assemble(given, assembler_targets, *assembler);
    return assembled.verdict == fuzz::Verdict::agree ? outcome : assembled;
  }
  fuzz::Outcome isolated(const fuzz::Program &program) const {
    return fuzz::isolated([&] { return check(fuzz::print(program)); }, seconds);
  }
};

// The first words of an error tell it from others.
std::string kind_of(const fuzz::Outcome &outcome) {
  std::string kind(name(outcome.verdict));
  return outcome.verdict == fuzz::Verdict::failed ? kind + outcome.detail.substr(0, 40) : kind;
}

// Where the program was written; its first lines are a test that lit can run.
std::filesystem::path keep(const Run &run, const std::string &folder, std::uint64_t seed,
                           const fuzz::Outcome &outcome, bool reduce) {
  fuzz::Program program = run.program(seed);
  if (reduce)
    program = fuzz::reduced(std::move(program), [&](const fuzz::Program &smaller) {
      return kind_of(run.isolated(smaller)) == kind_of(outcome);
    });
  std::filesystem::create_directories(folder);
  const std::filesystem::path path = std::filesystem::path(folder) / fmt::format("fuzz_{}.mlir", seed);
  std::string detail = (reduce ? run.isolated(program) : outcome).detail;
  std::ranges::replace(detail, '\n', ' ');
  std::ofstream out(path);
  out << "// SPDX-License-Identifier: MIT\n// RUN: tile fuzz --replay %s --device " << run.device
      << (run.assembler ? " --assemble " + run.assembled_for : "") << "\n// It " << name(outcome.verdict)
      << ": " << detail << "\n"
      << fuzz::print(program);
  if (!out.flush())
    throw Error("--keep: cannot write " + path.string(), {});
  return path;
}

Target target_of(const std::string &arch) {
  const std::optional<Target> target = Target::parse(arch);
  if (!target)
    throw BadUsage(fmt::format("no architecture `{}`{}; accepted are {}", arch,
                               registry::did_you_mean(arch, Target::knownTargets()),
                               registry::joined(Target::knownTargets())));
  return *target;
}

// Of a list with commas, or all that are known.
std::vector<Target> targets_of(const std::string &list) {
  std::vector<Target> targets;
  if (list == "all") {
    for (const std::string &arch : Target::knownTargets())
      targets.push_back(target_of(arch));
    return targets;
  }
  std::istringstream words(list);
  for (std::string arch; std::getline(words, arch, ',');)
    targets.push_back(target_of(arch));
  return targets;
}

void refuse_rings(bool is_ring, const std::string &device) {
  if (is_ring && !has_rings(device))
    throw BadUsage(
        fmt::format("floats of a ring are integers modulo 2^width, which {} does not support: take "
                    "--floats small, or --device simulator",
                    device == "auto" ? "a GPU, which `auto` may be," : "a GPU"));
}

int replay(const Run &run, const std::string &file) {
  std::ifstream in(file);
  if (!in || std::filesystem::is_directory(file))
    throw BadUsage(fmt::format("--replay: cannot read `{}`: pass a file that `tile fuzz` kept", file));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  refuse_rings(fuzz::read_case(text).floats == fuzz::Floats::ring, run.device);
  const fuzz::Outcome outcome = fuzz::isolated([&] { return run.check(text); }, run.seconds);
  fmt::print("{} {}{}{}\n", file, name(outcome.verdict), outcome.detail.empty() ? "" : ": ", outcome.detail);
  return outcome.verdict == fuzz::Verdict::agree ? 0 : 1;
}

// What is checked, and what is done about a seed that shows a fault.
struct Subject {
  std::string name;    // "programs"
  std::string where;   // "mixed floats, on simulator"
  std::function<fuzz::Outcome(std::uint64_t seed)> check;
  std::function<std::string(std::uint64_t seed, const fuzz::Outcome &outcome)> keep;   // what to look at
};

int search(const Subject &subject, const CommandLine &line, int seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  const std::uint64_t first = number(line, "seed", 1), count = number(line, "count", 100);
  const int wanted = environment::jobs();
  const fuzz::Limits limits{wanted > 0 ? wanted : usable_cores(), seconds};
  std::uint64_t done = 0, refused = 0;
  std::map<fuzz::Way, std::uint64_t> took;
  std::vector<std::pair<std::uint64_t, fuzz::Outcome>> faults;
  // Processes are started by fork, and the progress line has a thread: it only writes.
  std::optional<Progress> progress(std::in_place, fmt::format("fuzz {}, {}", subject.name, subject.where));
  fuzz::check_seeds(
      first, count, limits, subject.check, [&](std::uint64_t seed, const fuzz::Outcome &outcome) {
        ++done;
        refused += outcome.verdict == fuzz::Verdict::refused;
        for (fuzz::Way way : fuzz::all_ways)
          took[way] += (outcome.ways & way) != 0;
        if (outcome.verdict != fuzz::Verdict::agree && outcome.verdict != fuzz::Verdict::refused)
          faults.emplace_back(seed, outcome);
        // A run that is stopped has named what it found.
        progress->set(fmt::format("{}/{}, {} faults{}", done, count, faults.size(),
                                  faults.empty() ? "" : fmt::format(", seed {}", faults.back().first)));
        return faults.size() < 20;
      });
  progress.reset();
  std::ranges::sort(faults, {}, [](const auto &fault) { return fault.first; });
  for (const auto &[seed, outcome] : faults) {
    fmt::print("seed {} {}: {}\n", seed, name(outcome.verdict), outcome.detail);
    std::fflush(stdout);
    fmt::print("  {}\n", subject.keep(seed, outcome));
  }
  std::string ways;
  for (fuzz::Way way : fuzz::all_ways)
    if (took[way])
      ways += fmt::format(", {} {}", took[way], name(way));
  fmt::print("{} {}, seeds {} to {}, {}: {} agree, {} ask for more than there is, {} faults{}, {:.1f} s\n",
             done, subject.name, first, first + (count ? count - 1 : 0), subject.where,
             done - refused - faults.size(), refused, faults.size(), ways,
             std::chrono::duration<double>(Clock::now() - begin).count());
  return faults.empty() ? 0 : 1;
}

int search_programs(const Run &run, const CommandLine &line) {
  const std::string folder = line.find("keep") ? *line.find("keep") : ".";
  const bool reduces = !line.has("no-reduce");
  return search({.name = "programs",
                 .where = fmt::format("{}, on {}", run.floats_name(), run.device),
                 .check = [&](std::uint64_t seed) { return run.check(fuzz::print(run.program(seed))); },
                 .keep =
                     [&](std::uint64_t seed, const fuzz::Outcome &outcome) {
                       return keep(run, folder, seed, outcome, reduces).string();
                     }},
                line, run.seconds);
}

int search_calls(const CommandLine &line, int seconds) {
  const bool reduces = !line.has("no-reduce");
  const auto isolated = [&](const fuzz::KernelCall &call) {
    return fuzz::isolated([&] { return check_call(call); }, seconds);
  };
  return search({.name = "calls",
                 .where = "on simulator",
                 .check = [](std::uint64_t seed) { return check_call(fuzz::generate_call(seed)); },
                 .keep =
                     [&](std::uint64_t seed, const fuzz::Outcome &outcome) {
                       fuzz::KernelCall call = fuzz::generate_call(seed);
                       if (reduces)
                         call = reduced_call(std::move(call), [&](const fuzz::KernelCall &smaller) {
                           return kind_of(isolated(smaller)) == kind_of(outcome);
                         });
                       return fuzz::command(call);
                     }},
                line, seconds);
}

}   // namespace

std::string fuzz_help() {
  return "usage: tile fuzz [--option value ...]\n\n"
         "Generates random programs, runs each on the interpreter and on a device, and compares all memory.\n"
         "The same seed and kind of floats give the same program again.\n"
         "Exit code 0: all agree; 1: some do not; 2: the command is wrong.\n\n" +
         describe(accepted());
}

int fuzz(Arguments arguments) {
  const CommandLine line = parse(arguments, accepted(), "tile fuzz");
  if (!line.operands.empty())
    throw BadUsage(fmt::format("tile fuzz takes options, not `{}`", line.operands[0]));
  const std::string arch = line.find("arch") ? *line.find("arch") : std::string(default_target);
  const Target target = target_of(arch);
  const auto programs = choice<Programs>("programs", line.find("programs") ? *line.find("programs") : "mixed",
                                         {"mixed", "products", "kernels"});
  const int seconds = static_cast<int>(std::max<std::uint64_t>(1, number(line, "limit", 60)));
  if (programs == Programs::kernels) {
    refuse_idle(line, {"device", "floats", "arch", "assemble", "keep", "replay"}, "with --programs kernels");
    if (!line.has("print"))
      return search_calls(line, seconds);
    refuse_idle(line, {"count", "no-reduce", "limit"}, "with --print");
    fmt::print("{}\n", fuzz::command(fuzz::generate_call(number(line, "seed", 1))));
    return 0;
  }
  const std::string device = line.find("device") ? *line.find("device") : "interpreter";
  require_device(device);
  const auto floats = choice<Choice>("floats", line.find("floats") ? *line.find("floats") : "mixed",
                                     {"small", "ring", "mixed"});
  refuse_rings(floats == Choice::ring, device);
  if (device != "interpreter")
    refuse_idle(line, {"arch"}, "with --device " + device + ", which has an architecture of its own");
  const std::optional<Target> simulated = Target::parse(environment::simulated_gpu());
  Run run{device, device == "simulator" && simulated ? *simulated : target, floats, programs, seconds};
  if (line.has("print")) {
    refuse_idle(line, {"count", "keep", "no-reduce", "replay", "limit", "arch", "assemble"}, "with --print");
    fmt::print("{}", fuzz::print(run.program(number(line, "seed", 1))));
    return 0;
  }
  if (const std::string *list = line.find("assemble")) {
    run.assembled_for = *list;
    run.assembler_targets = targets_of(*list);
    run.assembler = find_assembler();
    if (!run.assembler)
      throw Error(
          "--assemble: there is no ptxas in PATH or in /usr/local/cuda/bin, or TILE_PTXAS says `driver`: "
          "set TILE_PTXAS to the path of one",
          {});
  }
  if (const std::string *file = line.find("replay")) {
    refuse_idle(line, {"count", "seed", "floats", "programs", "keep", "no-reduce"}, "with --replay");
    return replay(run, *file);
  }
  return search_programs(run, line);
}

}   // namespace tile::tool
