// SPDX-License-Identifier: MIT
// `tile bench KERNEL`: how fast kernels are, beside libraries, in one run.
#include "compiler/devices/devices.h"
#include "runtime/progress.h"
#include "tile/version.h"
#include "tools/bench/page.h"
#include "tools/bench/run.h"
#include "tools/bench/shapes.h"
#include "tools/bench/text.h"
#include "tools/registry/library.h"
#include "tools/tile/bench_traces.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace tile::tool {
namespace {

constexpr int most_rounds = 1000;
constexpr int exit_by_signal = 128;   // and the number of the signal

std::vector<Option> bench_options() {
  return {{"shapes", "LIST",
           "4096,1024x4096x4096; sweep:512..8192; sweep:512..4096+512; or a file with one shape per line"},
          {"compare", "LIST", registry::joined(bench::peer_names()) + ", or files as --peer takes them"},
          {"peer", "FILE", "figures that another program measured, in lines as --json writes them"},
          {"config", "CONFIG", "tuned, untuned, all, or F=V,... as for `tile run`; tuned"},
          {"rounds", "N", "samples for each figure; 21"},
          {"cache", "NAME", "where inputs lie: rotating (larger than the cache), warm or cold; rotating"},
          {"json", "FILE", "write all measurements, one line of JSON each"},
          {"csv", "FILE", "write the table for spreadsheets"},
          {"html", "FILE", "write a page with charts, which contains the JSON"},
          {"svg", "FILE", "write the chart of speeds"},
          {"trace", "FOLDER",
           "also a timeline of each case, as `tile trace` makes it, with a page in the folder"},
          {"device", "NAME", registry::joined(device_names()) + "; auto"},
          {"seed", "N", "of the random inputs; 1"}};
}

// The choices of the kernels, each of which may be a list.
std::vector<Option> choice_options(const std::vector<const registry::Entry *> &kernels) {
  std::vector<Option> options;
  for (const registry::Entry *kernel : kernels)
    for (const registry::Parameter &p : kernel->parameters) {
      const bool is_new = std::ranges::none_of(options, [&](const Option &o) { return o.name == p.name; });
      if (!p.choices.empty() && is_new)
        options.push_back({p.name, "LIST", p.help + ": " + registry::joined(p.choices) + "; " + p.fallback});
      else if (kernel->is_of_library() && is_new)
        options.push_back({p.name, "N", p.help});
    }
  return options;
}

std::vector<const registry::Entry *> kernels_named(Arguments names, const std::string &library) {
  std::vector<const registry::Entry *> kernels;
  for (const std::string &name : names) {
    if (!library.empty())
      kernels.push_back(&registry::library_entry(library, name));
    else if (name == "all")
      for (const registry::Entry &entry : registry::entries())
        kernels.push_back(&entry);
    else
      kernels.push_back(&registry::entry(name));
  }
  return kernels;
}

int parse_rounds(const std::string &text) {
  int rounds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rounds);
  if (error != std::errc() || end != text.data() + text.size() || rounds < 1 || rounds > most_rounds)
    throw BadUsage(fmt::format("--rounds takes a number from 1 to {}, not `{}`", most_rounds, text));
  return rounds;
}

bench::Cache parse_cache(const std::string &name) {
  const std::vector<std::string> names{"warm", "cold", "rotating"};
  const auto found = std::ranges::find(names, name);
  if (found == names.end())
    throw BadUsage(fmt::format("--cache does not take `{}`{}; accepted are {}", name,
                               registry::did_you_mean(name, names), registry::joined(names)));
  return static_cast<bench::Cache>(found - names.begin());
}

void add_peers(const std::string &list, bench::Request &request) {
  for (const std::string &name : items_of(list)) {
    const std::vector<std::string> known = bench::peer_names();
    if (std::ranges::find(known, name) != known.end())
      request.peers.push_back(name);
    else if (name.find_first_of("./") != std::string::npos)
      request.files.push_back(bench::read_peer_file(name));
    else
      throw BadUsage(fmt::format("no peer `{}`{}; accepted are {}, and files of figures", name,
                                 registry::did_you_mean(name, known), registry::joined(known)));
  }
}

// What a user's kernel takes, as it is given: a size a shape says is not.
registry::Settings with_given(const registry::Entry &kernel, registry::Settings settings,
                              const CommandLine &line) {
  for (const Given &given : line.options)
    if (kernel.is_of_library() && settings.has(given.name) && kernel.parameter(given.name)->choices.empty())
      settings.set(given.name, given.value);
  return settings;
}

// Every combination of what was given for the choices of a kernel, at every shape.
void add_wanted(const registry::Entry &kernel, const std::vector<bench::Shape> &shapes,
                const CommandLine &line, std::uint64_t seed, bench::Request &request) {
  registry::Settings base = with_given(kernel, registry::Settings(kernel.parameters), line);
  base.seed = seed;
  std::vector<registry::Settings> variants{base};
  for (const registry::Parameter &p : kernel.parameters) {
    const std::string *given = p.choices.empty() ? nullptr : line.find(p.name);
    if (!given)
      continue;
    std::vector<registry::Settings> more;
    for (const registry::Settings &variant : variants)
      for (const std::string &value : items_of(*given)) {
        more.push_back(variant);
        more.back().set(p.name, value);
      }
    variants = std::move(more);
  }
  const std::vector<std::string> names = bench::size_names(kernel);
  if (kernel.is_of_library() && shapes.empty())   // it is what was given
    for (const registry::Settings &variant : variants)
      request.wanted.push_back({&kernel, variant});
  for (const registry::Settings &variant : variants)
    for (const bench::Shape &shape : shapes) {
      request.wanted.push_back({&kernel, variant});
      for (std::size_t i = 0; i < names.size(); ++i)
        request.wanted.back().settings.set(names[i], shape[i]);
    }
}

struct Output {
  std::string option, file;
  std::string (*text)(const bench::Report &);
};

// That a file cannot be written is to be known before minutes of measuring.
std::vector<Output> outputs(const CommandLine &line) {
  std::vector<Output> all;
  for (const Output &format : {Output{"json", "", bench::json_lines}, Output{"csv", "", bench::csv},
                               Output{"html", "", bench::page}, Output{"svg", "", bench::speed_chart}})
    if (const std::string *name = line.find(format.option)) {
      if (!std::ofstream(*name, std::ios::app))
        throw BadUsage(fmt::format("--{}: `{}` cannot be written", format.option, *name));
      all.push_back({format.option, *name, format.text});
    }
  return all;
}

// The folder for timelines, made where it is not there; empty: none are wanted.
std::string trace_folder(const CommandLine &line) {
  const std::string *folder = line.find("trace");
  std::error_code failed;
  if (folder)
    std::filesystem::create_directories(*folder, failed);
  if (folder && !std::filesystem::is_directory(*folder, failed))
    throw BadUsage(fmt::format("--trace: there is no folder `{}`, and it cannot be made", *folder));
  return folder ? *folder : "";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
  return text.data();
}

volatile std::sig_atomic_t interrupted_by = 0;

// The first Ctrl-C ends the measuring, the second the program. The signal of `timeout` and of batch systems
// does the same.
void interrupt(int signal) {
  interrupted_by = signal;
  std::signal(signal, SIG_DFL);
}

}   // namespace

std::string bench_help() {
  std::string text =
      "usage: tile bench KERNEL ... [--option value ...]      (KERNEL: a name, several, or all)\n\n"
      "Measures kernels and libraries in one run. Graphs of launches run in turn, on random inputs that\n"
      "rotate through more memory than the cache has. Every result is compared with float64. An interrupted\n"
      "run prints what it has measured. Without a GPU, it counts the work on the simulator. Your own kernel\n"
      "is timed on any device and compared with the interpreter.\n"
      "Exit code 0: all was measured; 1: something failed or was wrong; 2: the command is wrong.\n"
      "How it measures, and what the numbers mean: docs/benchmarking.md.\n\n" +
      describe(bench_options());
  std::vector<const registry::Entry *> all;
  std::size_t longest = 0;
  for (const registry::Entry &kernel : registry::entries())
    longest = std::max(longest, kernel.name.size());
  for (const registry::Entry &kernel : registry::entries()) {
    all.push_back(&kernel);
    std::string sizes;
    for (const std::string &name : bench::size_names(kernel))
      sizes += (sizes.empty() ? "" : "x") + name;
    text +=
        fmt::format("{}{:<{}}  a shape is {}\n", all.size() == 1 ? "\n" : "", kernel.name, longest, sizes);
  }
  return text + "\nchoices of some kernels; separate several values by commas:\n" +
         describe(choice_options(all)) + from_help() + describe(std::array{reference_option()});
}

int bench(Arguments arguments) {
  std::vector<std::string> rest(arguments.begin(), arguments.end());
  const std::string library = take_library(rest);
  const auto names = static_cast<std::size_t>(
      std::ranges::find_if(rest, [](const std::string &word) { return word.starts_with("-"); }) -
      rest.begin());
  if (names == 0)
    throw BadUsage("tile bench needs the name of a kernel first" +
                   (library.empty() ? ", or all; `tile list` shows them"
                                    : "; `tile list --from " + library + "` shows them"));
  const std::vector<const registry::Entry *> kernels = kernels_named(std::span(rest).first(names), library);
  std::vector<Option> options = bench_options();
  for (Option &option : choice_options(kernels))
    options.push_back(std::move(option));
  if (!library.empty())
    options.push_back(reference_option());
  const std::string command = "tile bench " + rest[0];
  const CommandLine line = parse(std::span(rest).subspan(names), options, command);
  if (!library.empty())
    refuse_idle(line, {"compare"}, "with --from: no library computes your own kernel");
  if (!line.operands.empty())
    throw BadUsage(fmt::format("{} takes kernels, then options, not `{}`", command, line.operands[0]));

  bench::Request request;
  std::string device_name = "auto", shapes;
  std::uint64_t seed = 1;
  for (const Given &given : line.options) {
    if (given.name == "device")
      device_name = given.value;
    else if (given.name == "shapes")
      shapes = given.value;
    else if (given.name == "compare")
      add_peers(given.value, request);
    else if (given.name == "peer")
      request.files.push_back(bench::read_peer_file(given.value));
    else if (given.name == "rounds")
      request.rounds = parse_rounds(given.value);
    else if (given.name == "cache")
      request.cache = parse_cache(given.value);
    else if (given.name == "seed")
      seed = whole_number(given);
    else if (given.name == "reference")
      request.reference = given.value;
    else if (given.name == "config" && given.value == "all")
      request.config.kind = bench::ConfigChoice::Kind::all;
    else if (given.name == "config" && given.value == "untuned")
      request.config.kind = bench::ConfigChoice::Kind::untuned;
    else if (given.name == "config" && given.value != "tuned")
      request.config = {bench::ConfigChoice::Kind::given, given.value};
  }
  if (request.config.kind == bench::ConfigChoice::Kind::untuned)
    setenv("TILE_TUNE", "never", /*overwrite=*/1);
  require_device(device_name);
  std::vector<std::vector<bench::Shape>> given_shapes;
  for (const registry::Entry *kernel : kernels)
    given_shapes.push_back(shapes.empty() ? std::vector<bench::Shape>()
                                          : bench::parse_shapes(shapes, *kernel));
  const std::vector<Output> files = outputs(line);
  const std::string traces = trace_folder(line);
  const std::unique_ptr<Device> device = open_device(device_name);
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    std::vector<bench::Shape> of_kernel = given_shapes[i];
    if (of_kernel.empty() && library.empty())
      of_kernel = device->can_time() ? bench::usual_shapes(*kernels[i]) : bench::small_shapes(*kernels[i]);
    add_wanted(*kernels[i], of_kernel, line, seed, request);
  }

  request.stop = [] { return interrupted_by != 0; };
  const auto before = std::signal(SIGINT, interrupt), before_end = std::signal(SIGTERM, interrupt);
  bench::Report report;
  {
    Progress progress("bench");
    request.told = [&](const std::string &what) { progress.set(what); };
    report = bench::measure(*device, request);
  }
  std::signal(SIGINT, before);
  std::signal(SIGTERM, before_end);
  report.date = today();
  report.command = "tile bench";
  for (const std::string &argument : arguments)
    report.command += " " + argument;
  report.toolchain = std::string("tile ") + headers_version;
  fmt::print("{}", bench::table(report));
  for (const Output &output : files)
    if (!(std::ofstream(output.file, std::ios::trunc) << output.text(report)).flush()) {
      fmt::print(stderr, "tile: `{}` could not be written\n", output.file);
      return 1;
    }
  if (!traces.empty() && !report.interrupted)
    trace_cases(report, request.wanted, device_name, traces);
  return report.interrupted ? exit_by_signal + interrupted_by : bench::has_failures(report) ? 1 : 0;
}

}   // namespace tile::tool
