// SPDX-License-Identifier: MIT
// Runs the micro-kernels on a device, each in a process of a worker: one that hangs or takes the GPU's
// context with it ends itself only.
#include "test/calibration/results.h"
#include "test/calibration/run.h"

#include "tools/fuzz/workers.h"

#include <tile/devices.h>
#include <tile/error.h>

#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <string_view>

namespace tile::calibration {
namespace {

constexpr std::string_view usage =
    R"(usage: tile_calibration [--device simulator|cuda] [--filter TEXT] [--jobs N] [--seconds N] [--results FILE]
       tile_calibration --list [--filter TEXT]
       tile_calibration --markdown [--results FILE]

  --device NAME    what runs the kernels (default: simulator)
  --filter TEXT    only kernels with TEXT in their operation or variant
  --jobs N         so many processes at a time (default 1)
  --seconds N      how long a kernel may take (default 30)
  --results FILE   what came out is added to FILE; with --markdown, read from there
  --list           the names of the kernels, one to a line
  --markdown       the table of docs/calibration.md
  --text           the modules of the kernels, instead of running them
)";

struct Options {
  std::string device = "simulator", filter, results;
  fuzz::Limits limits{.jobs = 1, .seconds = 30};
  bool lists = false, markdown = false, text = false;
};

[[noreturn]] void refuse(const std::string &why) {
  throw Error(why, {}).add_help("tile_calibration --help tells what it takes");
}

Options parse(int count, char **values) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string option = values[i];
    const auto value = [&]() -> std::string {
      if (i + 1 >= count)
        refuse(option + " takes a value");
      return values[++i];
    };
    const auto number = [&] {
      const std::string text = value();
      int n = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
      if (error != std::errc() || end != text.data() + text.size() || n < 1)
        refuse(option + " takes a positive number, not " + text);
      return n;
    };
    if (option == "--device")
      options.device = value();
    else if (option == "--filter")
      options.filter = value();
    else if (option == "--results")
      options.results = value();
    else if (option == "--jobs")
      options.limits.jobs = number();
    else if (option == "--seconds")
      options.limits.seconds = number();
    else if (option == "--list")
      options.lists = true;
    else if (option == "--markdown")
      options.markdown = true;
    else if (option == "--text")
      options.text = true;
    else
      refuse("unknown option " + option);
  }
  if (options.device != "simulator" && options.device != "cuda")
    refuse("kernels written by hand run on simulator and cuda, not on " + options.device);
  return options;
}

std::string nameOf(const MicroKernel &kernel) {
  return kernel.operation + (kernel.variant.empty() ? "" : ": " + kernel.variant);
}

Device &openOnce(const std::string &name) {
  static const std::unique_ptr<Device> device = open_device(name);
  return *device;
}

// In a process of its own, since nothing of a GPU may be touched before processes are made.
std::string descriptionOf(const std::string &device) {
  const fuzz::Outcome said = fuzz::isolated(
      [&] { return fuzz::Outcome{fuzz::Verdict::failed, openOnce(device).description()}; }, 60);
  return said.detail;
}

int run(const Options &options, const std::vector<const MicroKernel *> &chosen) {
  Results results{.machine = descriptionOf(options.device), .byDigest = {}};
  std::printf("%s\n", results.machine.c_str());
  std::size_t agree = 0, differ = 0, fault = 0;
  fuzz::check_seeds(
      0, chosen.size(), options.limits,
      [&](std::uint64_t index) -> fuzz::Outcome {
        try {
          const std::string how = difference(openOnce(options.device), *chosen[index]);
          return {how.empty() ? fuzz::Verdict::agree : fuzz::Verdict::differ, how};
        } catch (const Error &error) {   // a GPU does nothing more in this process
          return {fuzz::Verdict::failed, isRefused(*chosen[index], error.what()) ? refused : error.what()};
        }
      },
      [&](std::uint64_t index, const fuzz::Outcome &outcome) {
        const MicroKernel &kernel = *chosen[index];
        std::string how;
        if (outcome.verdict == fuzz::Verdict::agree || outcome.detail == refused)
          ++agree, how = outcome.detail;
        else if (outcome.verdict == fuzz::Verdict::differ)
          ++differ, how = "differs: " + outcome.detail;
        else
          ++fault, how = "faults: " + outcome.detail;
        for (char &c : how)
          c = c == '\n' ? ' ' : c;
        if (!isAgreement(kernel, how))
          std::printf("%s\n    %s\n", nameOf(kernel).c_str(), how.c_str());
        std::fflush(stdout);
        results.byDigest[digest(kernel)] = how;
        return true;
      });
  std::printf("%zu agree, %zu differ, %zu fault\n", agree, differ, fault);
  if (!options.results.empty())
    writeResults(options.results, results);
  return differ || fault ? 1 : 0;
}

}   // namespace
}   // namespace tile::calibration

int main(int count, char **values) {
  using namespace tile;
  using namespace tile::calibration;
  try {
    for (int i = 1; i < count; ++i)
      if (std::string_view(values[i]) == "--help") {
        std::fputs(usage.data(), stdout);
        return 0;
      }
    const Options options = parse(count, values);
    std::vector<const MicroKernel *> chosen;
    for (const MicroKernel &kernel : suite())
      if (nameOf(kernel).find(options.filter) != std::string::npos &&
          (options.lists || options.device == "simulator" || kernel.needs.empty()))
        chosen.push_back(&kernel);
    if (options.markdown) {
      const Results results = options.results.empty() ? Results() : readResults(options.results);
      std::fputs(markdown(suite(), results).c_str(), stdout);
      return 0;
    }
    if (options.lists || options.text) {
      for (const MicroKernel *kernel : chosen)
        std::printf("%s%s%s\n", options.text ? "// " : "", nameOf(*kernel).c_str(),
                    options.text ? ("\n" + kernel->module).c_str() : "");
      return 0;
    }
    return run(options, chosen);
  } catch (const Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
