// SPDX-License-Identifier: MIT
// Runs the conformance suite on a device of this machine.
#include "suite.h"

#include "tile/devices.h"
#include "tile/interpreter.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <string_view>

using namespace tile::conformance;

namespace {

constexpr const char *usage = R"(usage: tile_conformance [options]

  --device NAME    interpreter (default), or another device of this machine
  --filter GLOB    only cases whose id fits, e.g. 'EL1/*/f16/*'
  --nightly        the full cross product, not only the fast cases
  --jobs N         so many cases at a time, each on a device of its own (default 1)
  --list           print the ids of the chosen cases and run none
  --markdown       print the page docs/conformance.md
  --verbose        a line for each case, with its time
)";

[[noreturn]] void refuse(const std::string &problem) {
  std::fprintf(stderr, "tile_conformance: %s\n%s", problem.c_str(), usage);
  std::exit(2);
}

struct Arguments {
  RunOptions run;
  std::string device = "interpreter";
  bool list = false, markdown = false;
};

Arguments parse(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    auto value = [&]() -> std::string {
      if (++i == argc)
        refuse(std::string(option) + " takes a value");
      return argv[i];
    };
    if (option == "--device") {
      arguments.device = value();
    } else if (option == "--filter") {
      arguments.run.filter = value();
    } else if (option == "--nightly") {
      arguments.run.nightly = true;
    } else if (option == "--jobs") {
      const std::string text = value();
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), arguments.run.jobs);
      if (error != std::errc() || end != text.data() + text.size() || arguments.run.jobs < 1)
        refuse("--jobs takes a positive number, not " + text);
    } else if (option == "--list") {
      arguments.list = true;
    } else if (option == "--markdown") {
      arguments.markdown = true;
    } else if (option == "--verbose") {
      arguments.run.verbose = true;
    } else if (option == "--help") {
      std::fputs(usage, stdout);
      std::exit(0);
    } else {
      refuse("unknown option " + std::string(option));
    }
  }
  return arguments;
}

// The interpreter is opened with all its checks. Two threads, so that programs do meet.
Target open_interpreter_under_test() {
  Target target;
  target.printed = std::make_shared<std::vector<std::string>>();
  auto printing = std::make_shared<std::mutex>();
  tile::InterpreterOptions options;
  options.threads = 2;
  options.print = [lines = target.printed, printing](std::string_view line) {
    std::lock_guard lock(*printing);
    lines->emplace_back(line);
  };
  target.device = tile::open_interpreter(std::move(options));
  target.offers = Needs::host_memory | Needs::asserts | Needs::printing;
  return target;
}

Target open_target(const std::string &name) {
  if (name == "interpreter")
    return open_interpreter_under_test();
  Target target;
  target.device = tile::open_device(name);
  if (target.device->kind() == "cuda")
    target.offers = target.offers | Needs::asserts;
  if (target.device->reaches_host_memory())
    target.offers = target.offers | Needs::host_memory;
  return target;
}

}   // namespace

int main(int argc, char **argv) {
  setenv("TILE_TUNE", "never", 0);   // each run does the same; who sets it otherwise tests the tuner, too
  const Arguments arguments = parse(argc, argv);
  const Suite &suite = whole_suite();
  if (arguments.markdown) {
    std::fputs(describe(suite).c_str(), stdout);
    return 0;
  }
  std::size_t chosen = 0;
  for (const Case &c : suite.cases())
    if (matches(arguments.run.filter, c.id) && (arguments.run.nightly || c.tier == Tier::fast)) {
      ++chosen;
      if (arguments.list)
        std::puts(c.id.c_str());
    }
  if (chosen == 0)
    refuse("no case fits " + arguments.run.filter + (arguments.run.nightly ? "" : " among the fast ones"));
  if (arguments.list)
    return 0;
  try {
    const Totals totals = run_suite(suite, [&] { return open_target(arguments.device); }, arguments.run);
    return totals.failed ? 1 : 0;
  } catch (const tile::Error &error) {   // the device does not open
    std::fprintf(stderr, "tile_conformance: %s\n", error.what());
    return 2;
  }
}
