// SPDX-License-Identifier: MIT
// `tile trace KERNEL`: when the warps of a CTA do what, by a model of a GPU or measured on one.
#include "compiler/devices/devices.h"
#include "runtime/progress.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/measured_trace.h"
#include "tools/tile/recorded_launch.h"
#include "tools/tile/run_options.h"
#include "tools/tile/shown_trace.h"

#include <fmt/format.h>

namespace tile::tool {
namespace {

using timeline::Role;

std::vector<Option> own_options() {
  return {{"config", "F=V,...", "fields of the kernel's config; what a launch takes"},
          {"device", "NAME",
           "simulator, which predicts for an H200; or cuda, cuda:1, where it is measured; simulator"},
          {"seed", "N", "of the random inputs; 1"},
          {"cta", "N", "which CTA, counted from 0; of a cluster, all are traced; 0"},
          {"ctas", "N,...", "on a GPU: which CTAs are stamped, the first of them is shown; one of sixteen"},
          {"samples", "N", "on the simulator: other CTAs that run, for the time of the launch; 6"},
          {"page", "FILE", "writes a page with pictures, as HTML"},
          {"events", "FILE", "writes the events, as JSON that Perfetto opens"}};
}

struct Asked {
  registry::Settings settings;
  std::int64_t cta = 0, samples = 6;
  std::vector<std::int64_t> ctas;
  std::string device = "simulator";
  TraceFiles files;
};

constexpr std::uint64_t most_ctas = std::uint64_t{1} << 40;

std::vector<std::int64_t> numbers(const Given &given) {
  std::vector<std::int64_t> all;
  for (const std::string &item : items_of(given.value))
    all.push_back(static_cast<std::int64_t>(whole_number({given.name, item}, most_ctas)));
  return all;
}

Asked parse_asked(const registry::Entry &kernel, const CommandLine &line) {
  Asked asked{registry::Settings(kernel.parameters)};
  for (const Given &given : line.options) {
    if (given.name == "config")
      asked.settings.config += (asked.settings.config.empty() ? "" : ",") + given.value;
    else if (given.name == "seed")
      asked.settings.seed = whole_number(given);
    else if (given.name == "page")
      asked.files.page = given.value;
    else if (given.name == "events")
      asked.files.events = given.value;
    else if (given.name == "device")
      asked.device = given.value;
    else if (given.name == "ctas")
      asked.ctas = numbers(given);
    else if (given.name == "cta" || given.name == "samples")
      (given.name == "cta" ? asked.cta : asked.samples) =
          static_cast<std::int64_t>(whole_number(given, most_ctas));
    else
      asked.settings.set(given.name, given.value);
  }
  const bool on_gpu = asked.device == "cuda" || asked.device.starts_with("cuda:");
  if (!on_gpu && asked.device != "simulator")
    throw BadUsage(fmt::format("--device of a trace is simulator, cuda or cuda:N, not `{}`", asked.device));
  if (!on_gpu && line.has("ctas"))
    throw BadUsage("--ctas is for --device cuda; the simulator traces one CTA: --cta N");
  if (on_gpu && line.has("samples"))
    throw BadUsage("--samples is for --device simulator; a GPU runs all CTAs");
  if (line.has("cta") && line.has("ctas"))
    throw BadUsage("--cta names one CTA and --ctas several: give one of the two");
  return asked;
}

Facts facts(const RecordedLaunch &launch, const timeline::Traced &traced, const timeline::LaunchTime &time) {
  const timeline::Timeline &t = traced.timeline;
  const auto percent = [&](double cycles) { return fmt::format("{:.0f}%", 100 * cycles / t.cycles); };
  const auto &id = launch.cluster().ctas.front();
  return {{"config", launch.program().config},
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
                               t.cycles, time.seconds * 1e6, time.waves, time.waves == 1 ? "wave" : "waves")},
          {"busy",
           fmt::format("matrix unit {}, shared memory {}, loads {}, instructions {}", percent(t.matrix_busy),
                       percent(t.shared_busy), percent(t.memory_busy), percent(t.issue_busy))}};
}

std::vector<std::string> sentences(const RecordedLaunch &launch, const timeline::Traced &traced,
                                   const std::vector<Role> &roles) {
  std::vector<std::string> all;
  if (launch.spilled_bytes.value_or(0) > 0) {
    const std::string where =
        launch.spilled.empty() ? ""
                               : ", most of them at " + timeline::short_place(launch.spilled.front().where);
    all.push_back(fmt::format(
        "Each thread keeps {} bytes in memory for want of registers{}, which this timeline does not show: "
        "smaller blocks or more warps need fewer.",
        *launch.spilled_bytes, where));
  }
  for (std::string &sentence : timeline::advice(traced, roles))
    all.push_back(std::move(sentence));
  return all;
}

void trace_on_simulator(const registry::Entry &kernel, const Asked &asked) {
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
    show({.settings = asked.settings.text(),
          .facts = facts(launch, traced, time),
          .sentences = sentences(launch, traced, roles),
          .traced = traced,
          .events = traced,
          .roles = roles},
         asked.files, i);
  }
  if (recorded.failure)   // what is shown ends there
    throw Error(*recorded.failure);
}

}   // namespace

std::string trace_help() {
  return "usage: tile trace KERNEL [--option value ...]\n\n"
         "Runs one CTA of a kernel on the simulator, and predicts when its warps do what on an H200. No GPU "
         "is\n"
         "needed. Results are not checked, because the other CTAs do not run.\n"
         "With --device cuda, the kernel runs on a GPU, and some CTAs write when they wait for what.\n"
         "How to read what it prints: docs/performance-guide.md.\n\n"
         "options of every kernel:\n" +
         describe(own_options()) + from_help() + options_of_kernels(run_options);
}

int trace(Arguments arguments) {
  const auto [kernel, rest, command] = chosen_kernel(arguments, "trace");
  const CommandLine line = parse_options(rest, run_options(kernel, own_options()), command);
  const Asked asked = parse_asked(kernel, line);
  if (asked.device == "simulator") {
    trace_on_simulator(kernel, asked);
  } else {
    std::vector<std::int64_t> ctas = asked.ctas;
    if (line.has("cta"))
      ctas = {asked.cta};
    trace_on_gpu(kernel, asked.settings, {named_device(asked.device).ordinal, std::move(ctas)}, asked.files);
  }
  return 0;
}

}   // namespace tile::tool
