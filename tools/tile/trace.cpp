// SPDX-License-Identifier: MIT
// `tile trace KERNEL`: when the warps of a CTA do what, by a model of a GPU or measured on one.
#include "compiler/devices/devices.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/measured_trace.h"
#include "tools/tile/predicted_trace.h"
#include "tools/tile/run_options.h"
#include "tools/tile/shown_trace.h"

#include <fmt/format.h>

namespace tile::tool {
namespace {

std::vector<Option> own_options() {
  return {{"config", "F=V,...", "fields of the kernel's config; what a launch takes"},
          {"device", "NAME",
           "simulator, which predicts for an H200; or cuda, cuda:1, where it is measured; simulator"},
          {"seed", "N", "of the random inputs; 1"},
          {"cta", "N", "which CTA, counted from 0; of a cluster, all are traced; 0"},
          {"ctas", "N,...", "on a GPU: which CTAs are stamped, the first of them is shown; one of sixteen"},
          {"samples", "N", "on the simulator: other CTAs that run, for the time of the launch; 6"},
          {"page", "FILE", "writes a page with pictures, as HTML"},
          {"svg", "FILE", "writes the picture of the whole CTA"},
          {"events", "FILE", "writes the events, as JSON that Perfetto opens"}};
}

struct Asked {
  registry::Settings settings;
  std::int64_t cta = 0, samples = usual_samples;
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
    else if (given.name == "svg")
      asked.files.svg = given.value;
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
    trace_on_simulator(kernel, asked.settings, {asked.cta, asked.samples}, asked.files);
  } else {
    std::vector<std::int64_t> ctas = asked.ctas;
    if (line.has("cta"))
      ctas = {asked.cta};
    trace_on_gpu(kernel, asked.settings, {named_device(asked.device).ordinal, std::move(ctas)}, asked.files);
  }
  return 0;
}

}   // namespace tile::tool
