// SPDX-License-Identifier: MIT
// tile-mutants: wrong IR is refused with a message; it brings no pass down. Damaged modules go through the
// passes in processes that may end; what ends one is kept with the command that shows it.
#include "tools/mutants/mutant.h"

#include "runtime/error.h"
#include "tools/fuzz/workers.h"
#include "tools/tile-opt/registration.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string_view>
#include <thread>

#include <sys/resource.h>

namespace tile::mutants {
namespace {

constexpr std::string_view usage =
    "usage: tile-mutants PROJECT [--count N] [--seed S] [--keep FOLDER] [--jobs J] [--limit SECONDS]\n"
    "       tile-mutants --replay FILE\n\n"
    "Damages the modules of PROJECT's text tests and gives them to the passes. A pass may refuse a mutant\n"
    "with an error. A signal, an error without a message and a mutant beyond the time limit are faults.\n"
    "The last line is a summary.\n";

struct Options {
  std::string project, keep = "mutants", replay;
  std::uint64_t count = 2000, seed = 1, jobs = std::max(1U, std::thread::hardware_concurrency()), limit = 30;
};

std::uint64_t number(const std::string &option, const std::string &text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value == 0)
    throw Error(option + " takes a whole number, 1 or more, not `" + text + "`", {});
  return value;
}

Options parse(int argc, char **argv) {
  Options options;
  const std::map<std::string, std::uint64_t *> numbers{{"--count", &options.count},
                                                       {"--seed", &options.seed},
                                                       {"--jobs", &options.jobs},
                                                       {"--limit", &options.limit}};
  const std::map<std::string, std::string *> texts{{"--keep", &options.keep}, {"--replay", &options.replay}};
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const bool has_value = i + 1 < argc;
    if (const auto found = numbers.find(name); found != numbers.end() && has_value)
      *found->second = number(name, argv[++i]);
    else if (const auto text = texts.find(name); text != texts.end() && has_value)
      *text->second = argv[++i];
    else if (name.starts_with("-") || !options.project.empty())
      throw Error("no argument `" + name + "`, or it lacks a value", {});
    else
      options.project = name;
  }
  if (options.project.empty() == options.replay.empty())
    throw Error("give the project's folder, or --replay and a file", {});
  return options;
}

void limit_memory() {
#ifndef __SANITIZE_ADDRESS__
  const rlimit four_gib{rlim_t{4} << 30, rlim_t{4} << 30};
  ::setrlimit(RLIMIT_AS, &four_gib);
#endif
  // The standard library's regular expressions recurse for each character of a table.
  rlimit stack{};
  ::getrlimit(RLIMIT_STACK, &stack);
  stack.rlim_cur = std::min(stack.rlim_max, rlim_t{100} << 20);
  ::setrlimit(RLIMIT_STACK, &stack);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  std::fflush(stdout);
  if (!std::freopen("/dev/null", "w", stderr))   // what LLVM says before it ends a process
    std::fclose(stderr);
}

// In a worker: the file is there while a way is under way, and stays where the process ends.
fuzz::Outcome check(const Corpus &corpus, const std::string &kept, std::uint64_t seed) {
  limit_memory();
  auto keep = [&](const Passes &way, const std::string &text) {
    std::string options;
    for (const std::string &option : way)
      options += " " + option;
    std::ofstream(kept) << "// tile-opt" << options << "\n" << text;
  };
  const Mutant mutant = make_mutant(corpus, seed, [&](const std::string &text) { keep({}, text); });
  if (mutant.text.empty()) {
    std::filesystem::remove(kept);
    return {fuzz::Verdict::refused, "0"};
  }
  std::size_t taken = 0;
  for (const Passes &way : mutant.ways) {
    keep(way, mutant.text);
    bool took_it = false;
    if (const std::string wrong = complaint(mutant.text, way, &took_it); !wrong.empty())
      return {fuzz::Verdict::failed, wrong};
    taken += took_it;
  }
  std::filesystem::remove(kept);
  return {fuzz::Verdict::agree, std::to_string(taken)};
}

// What is not ours to mend: MLIR's reader and its verifiers of its own operations, by what the text has.
std::string known_reason(const std::string &kept) {
  std::ifstream in(kept);
  std::string first;
  std::getline(in, first);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (first != "// tile-opt")
    return "";   // it was read
  static const std::regex odd_array("array<(?!i[0-9]|f[0-9]|bf16)");
  if (std::regex_search(text, odd_array))
    return "MLIR 22 falls over an array of what is no number";
  static const std::regex late_result("%[A-Za-z0-9_]+#[0-9]{7,}");
  if (std::regex_search(text, late_result))
    return "MLIR 22 takes memory for as many results as a number names";
  if (text.find("nvvm.mma.sync") != std::string::npos)
    return "MLIR 22 falls over nvvm.mma.sync of types that do not belong together";
  return "";
}

std::string kept_as(const Options &options, std::uint64_t seed) {
  return (std::filesystem::path(options.keep) / ("mutant_" + std::to_string(seed) + ".mlir")).string();
}

int search(const Options &options) {
  const Corpus corpus = read_corpus(options.project);
  std::filesystem::create_directories(options.keep);
  std::uint64_t read = 0, taken = 0, faults = 0;
  fuzz::check_seeds(
      options.seed, options.count,
      {static_cast<int>(std::min<std::uint64_t>(options.jobs, 256)),
       static_cast<int>(std::min<std::uint64_t>(options.limit, 3600))},
      [&](std::uint64_t seed) { return check(corpus, kept_as(options, seed), seed); },
      [&](std::uint64_t seed, const fuzz::Outcome &outcome) {
        if (outcome.verdict == fuzz::Verdict::agree) {
          ++read;
          taken += std::stoull(outcome.detail);
        } else if (outcome.verdict != fuzz::Verdict::refused) {
          ++read;
          const std::string kept = kept_as(options, seed), known = known_reason(kept);
          faults += known.empty();
          std::printf("mutant %llu: %s; %s%s\n", static_cast<unsigned long long>(seed),
                      outcome.detail.c_str(),
                      known.empty() ? "it is in " : "as is known: ", (known.empty() ? kept : known).c_str());
          std::fflush(stdout);
        }
        return true;
      });
  std::printf(
      "%llu mutants of %zu modules, %llu of them read, %llu runs of passes accepted one, %llu faults\n",
      static_cast<unsigned long long>(options.count), corpus.sources.size(),
      static_cast<unsigned long long>(read), static_cast<unsigned long long>(taken),
      static_cast<unsigned long long>(faults));
  return faults != 0;
}

int replay(const Options &options) {
  std::ifstream in(options.replay);
  std::string first, option;
  if (!std::getline(in, first) || !first.starts_with("// tile-opt"))
    throw Error(options.replay + " does not begin with `// tile-opt` and options", {});
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Passes passes;
  std::istringstream words(first.substr(std::strlen("// tile-opt")));
  while (words >> option)
    passes.push_back(option);
  const fuzz::Outcome outcome = fuzz::isolated(
      [&]() -> fuzz::Outcome {
        const std::string wrong = complaint(text, passes);
        return {wrong.empty() ? fuzz::Verdict::agree : fuzz::Verdict::failed, wrong};
      },
      static_cast<int>(options.limit));
  const bool is_right = outcome.verdict == fuzz::Verdict::agree;
  std::printf("%s\n", is_right ? "the passes handle it without a fault" : outcome.detail.c_str());
  return !is_right;
}

}   // namespace
}   // namespace tile::mutants

int main(int argc, char **argv) {
  using namespace tile;
  try {
    const mutants::Options options = mutants::parse(argc, argv);
    register_passes();
    return options.replay.empty() ? mutants::search(options) : mutants::replay(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n\n%s", error.what(), std::string(mutants::usage).c_str());
    return 2;
  }
}
