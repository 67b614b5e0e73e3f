// SPDX-License-Identifier: MIT
// `tile test`: the conformance suite on a device of this machine. The suite is inside the tool, so that it
// runs where there is a GPU and nothing else.
#include "compiler/devices/devices.h"
#include "runtime/cores.h"
#include "runtime/environment.h"
#include "runtime/progress.h"
#include "test/conformance/suite.h"
#include "test/conformance/targets.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace tile::tool {
namespace {

std::vector<Option> accepted() {
  return {{"device", "NAME", "what is tested: " + registry::joined(device_names()) + "; auto"},
          {"filter", "GLOB", "only cases with a matching id, as in 'EL1/*/f16/*'"},
          {"jobs", "N", "how many cases run at a time, each on its own device; the number of cores"},
          {"nightly", "", "the full cross product, not only the fast cases"},
          {"verbose", "", "a line for each case, with its time"},
          {"list", "", "print the ids of the chosen cases and run none"},
          {"markdown", "", "print the page docs/conformance.md, which lists the checks"}};
}

int default_jobs() {
  const int wanted = environment::jobs();
  return wanted > 0 ? wanted : usable_cores();
}

int parse_jobs(const std::string &text) {
  int jobs = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), jobs);
  if (error != std::errc() || end != text.data() + text.size() || jobs < 1)
    throw BadUsage(fmt::format("--jobs takes a whole number, 1 or more, not `{}`", text));
  return jobs;
}

}   // namespace

std::string test_help() {
  return "usage: tile test [--option value ...]\n\n"
         "Runs the conformance suite: what kernels must compute on every device, each case compared with a\n"
         "reference on the host. The last line is `N passed, N failed, N skipped`; a case is skipped if "
         "the\n"
         "device lacks what it needs.\n"
         "Exit code 0: none failed; 1: some did, or the device does not open; 2: the command is wrong.\n\n" +
         describe(accepted());
}

int test(Arguments arguments) {
  const CommandLine line = parse(arguments, accepted(), "tile test");
  if (!line.operands.empty())
    throw BadUsage(fmt::format("tile test takes options, not `{}`", line.operands[0]));
  const conformance::Suite &suite = conformance::whole_suite();
  if (line.has("markdown")) {
    refuse_idle(line, {"device", "filter", "jobs", "nightly", "verbose", "list"}, "with --markdown");
    fmt::print("{}", conformance::describe(suite));
    return 0;
  }
  conformance::RunOptions options{.nightly = line.has("nightly"), .verbose = line.has("verbose")};
  if (const std::string *filter = line.find("filter"))
    options.filter = *filter;
  const std::string *jobs = line.find("jobs");
  options.jobs = jobs ? parse_jobs(*jobs) : default_jobs();
  const std::string device = line.find("device") ? *line.find("device") : "auto";
  require_device(device);

  const std::vector<const conformance::Case *> cases = conformance::chosen(suite, options);
  if (cases.empty())
    throw BadUsage(fmt::format("no case matches --filter '{}'{}; --list prints all ids", options.filter,
                               options.nightly ? "" : " among those that run without --nightly"));
  if (line.has("list")) {
    refuse_idle(line, {"device", "jobs", "verbose"}, "with --list");
    for (const conformance::Case *one : cases)
      fmt::print("{}\n", one->id);
    return 0;
  }
  // Each run does the same; who sets it otherwise tests the tuner, too.
  setenv("TILE_TUNE", "never", /*overwrite=*/0);
  Progress progress("test " + device);
  options.progress = &progress;
  const conformance::Totals totals =
      run_cases(cases, [&] { return conformance::open_target(device); }, options);
  return totals.failed ? 1 : 0;
}

}   // namespace tile::tool
