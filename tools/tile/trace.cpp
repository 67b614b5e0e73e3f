// SPDX-License-Identifier: MIT
// `tile trace KERNEL`: when the warps of a CTA do what, by a model of a GPU.
#include "runtime/progress.h"
#include "runtime/timeline/events.h"
#include "runtime/timeline/page.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/recorded_launch.h"
#include "tools/tile/run_options.h"

#include <fmt/format.h>

namespace tile::tool {
namespace {

using timeline::Role;

std::vector<Option> own_options() {
  return {{"config", "F=V,...", "fields of the kernel's config; what an untuned launch on an H200 takes"},
          {"seed", "N", "of the random inputs; 1"},
          {"cta", "N", "which CTA, counted from 0; of a cluster, all are traced; 0"},
          {"samples", "N", "other CTAs that run, for the time of the launch; 6"},
          {"page", "FILE", "writes a page with pictures, as HTML"},
          {"events", "FILE", "writes the events, as JSON that Perfetto opens"}};
}

struct Asked {
  registry::Settings settings;
  std::int64_t cta = 0, samples = 6;
  std::string page, events;   // files
};

Asked parse_asked(const registry::Entry &kernel, const CommandLine &line) {
  Asked asked{registry::Settings(kernel.parameters)};
  for (const Given &given : line.options) {
    if (given.name == "config")
      asked.settings.config += (asked.settings.config.empty() ? "" : ",") + given.value;
    else if (given.name == "seed")
      asked.settings.seed = whole_number(given);
    else if (given.name == "page")
      asked.page = given.value;
    else if (given.name == "events")
      asked.events = given.value;
    else if (given.name == "cta" || given.name == "samples")
      (given.name == "cta" ? asked.cta : asked.samples) =
          static_cast<std::int64_t>(whole_number(given, std::uint64_t{1} << 40));
    else
      asked.settings.set(given.name, given.value);
  }
  return asked;
}

using Facts = std::vector<std::pair<std::string, std::string>>;

Facts facts(const RecordedLaunch &launch, const timeline::Traced &traced, const timeline::LaunchTime &time) {
  const timeline::Timeline &t = traced.timeline;
  const auto percent = [&](double cycles) { return fmt::format("{:.0f}%", 100 * cycles / t.cycles); };
  const auto &id = launch.cluster().ctas.front();
  return {
      {"config", launch.program().config},
      {"CTA", fmt::format("({}, {}, {}), of {}; {} warps", id[0], id[1], id[2], launch.launch.ctas,
                          launch.program().threads / 32)},
      {"model",
       fmt::format(
           "{}, {:.2f} GHz; {} {} on a multiprocessor at the same time, limited by {}; {:.0f}% of the "
           "loaded bytes come from memory, the others from the L2 cache",
           traced.model.machine.name, time.hertz / 1e9, launch.resident.ctas,
           launch.resident.ctas == 1 ? "CTA" : "CTAs", launch.resident.limit,
           100 * launch.launch.miss_share)},
      {"time", fmt::format("{:.0f} cycles for the CTA; {:.1f} µs for the launch, in {:.3g} {} of CTAs",
                           t.cycles, time.seconds * 1e6, time.rounds, time.rounds == 1 ? "round" : "rounds")},
      {"busy",
       fmt::format("matrix unit {}, shared memory {}, loads {}, instructions {}", percent(t.matrix_busy),
                   percent(t.shared_busy), percent(t.memory_busy), percent(t.issue_busy))}};
}

std::vector<std::string> sentences(const RecordedLaunch &launch, const timeline::Traced &traced,
                                   const std::vector<Role> &roles) {
  std::vector<std::string> all;
  if (launch.spilled_bytes.value_or(0) > 0)
    all.push_back(fmt::format(
        "Each thread keeps {} bytes in memory for want of registers, which this timeline does not "
        "show: smaller blocks or more warps need fewer.",
        *launch.spilled_bytes));
  for (std::string &sentence : timeline::advice(traced, roles))
    all.push_back(std::move(sentence));
  return all;
}

void print_roles(const timeline::Traced &traced, const std::vector<Role> &roles) {
  constexpr std::size_t most = 3;
  for (const Role &role : roles) {
    if (role.cta != 0)
      continue;
    fmt::print("{:<26}computes {:.0f}%", role.title(), 100 * role.computing / traced.timeline.cycles);
    constexpr double least = 0.01;
    for (std::size_t i = 0;
         i < std::min(role.waits.size(), most) && role.waits[i].cycles > least * traced.timeline.cycles; ++i)
      fmt::print("; waits {:.0f}% for {} ({})", 100 * role.waits[i].cycles / traced.timeline.cycles,
                 timeline::waited_for(role.waits[i].state), timeline::short_place(role.waits[i].where));
    fmt::print("\n");
  }
}

// The second of several kernels goes to page-2.html.
std::string numbered(const std::string &path, std::size_t number) {
  if (number == 0)
    return path;
  const std::size_t dot = path.rfind('.'),
                    end = dot == std::string::npos || path.find('/', dot) != std::string::npos ? path.size()
                                                                                               : dot;
  return fmt::format("{}-{}{}", path.substr(0, end), number + 1, path.substr(end));
}

}   // namespace

std::string trace_help() {
  return "usage: tile trace KERNEL [--option value ...]\n\n"
         "Runs one CTA of a kernel on the simulator, and predicts when its warps do what on an H200. No GPU "
         "is\n"
         "needed. Results are not checked, because the other CTAs do not run.\n"
         "How to read what it prints: docs/performance-guide.md.\n\n"
         "options of every kernel:\n" +
         describe(own_options()) + from_help() + options_of_kernels(run_options);
}

int trace(Arguments arguments) {
  const auto [kernel, rest, command] = chosen_kernel(arguments, "trace");
  const CommandLine line = parse_options(rest, run_options(kernel, own_options()), command);
  const Asked asked = parse_asked(kernel, line);
  const timeline::GpuModel model;
  const RecordedLaunches recorded = [&] {
    Progress progress(fmt::format("{} on the simulator", kernel.name));
    return record_launch(kernel, asked.settings, asked.cta, asked.samples, model);
  }();
  for (std::size_t i = 0; i < recorded.kernels.size(); ++i) {
    const RecordedLaunch &launch = recorded.kernels[i];
    const auto [t, time] = replay_launch(launch.program(), launch.recording.clusters, model, launch.launch);
    const timeline::Traced traced{launch.program(), launch.cluster(), t, model, time.hertz};
    const std::vector<Role> roles = timeline::roles(launch.program(), launch.cluster(), t);
    const Facts known = facts(launch, traced, time);
    const std::vector<std::string> said = sentences(launch, traced, roles);
    fmt::print("{}{}  {}\n", i ? "\n" : "", launch.program().name, asked.settings.text());
    for (const auto &[name, value] : known)
      fmt::print("{:<8}{}\n", name, value);
    fmt::print("\n");
    print_roles(traced, roles);
    fmt::print("\n");
    for (const std::string &sentence : said)
      fmt::print("{}\n", sentence);
    const auto write = [&](const std::string &path, const std::string &text) {
      write_file(numbered(path, i), text);
      fmt::print("wrote {}\n", numbered(path, i));
    };
    if (!asked.page.empty())
      write(asked.page, html({launch.program().name, known, said}, traced, roles));
    if (!asked.events.empty())
      write(asked.events, trace_events(traced));
  }
  if (recorded.failure)   // what is shown ends there
    throw Error(*recorded.failure);
  return 0;
}

}   // namespace tile::tool
