// SPDX-License-Identifier: MIT
#include "tools/tile/bench_traces.h"

#include "compiler/devices/devices.h"
#include "tools/tile/measured_trace.h"
#include "tools/tile/predicted_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tile::tool {
namespace {

// "gemm-4096-x-4096-x-4096-f16-auto-none-nn": every choice, so that no two cases share a file.
std::string file_name(const bench::Case &one) {
  std::string name = one.kernel + " " + one.shape();
  for (const auto &[choice, value] : one.choices)
    name += " " + value;
  std::ranges::replace_if(
      name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)) && c != '_'; }, '-');
  return name;
}

// Ours: the fastest, or the only one where nothing was timed. Null: it failed.
const bench::Row *our_row(const bench::Case &one, bool has_clock) {
  if (has_clock)
    return bench::best_row(one, "tile");
  return one.rows.empty() ? nullptr : &one.rows.front();
}

// The config of the row, where it is one that --config takes; else the launch chooses it, as it did then.
std::string config_of(const bench::Row &row) {
  const bool is_one = row.config.find('=') != std::string::npos && row.config.find(' ') == std::string::npos;
  return is_one ? row.config : "";
}

}   // namespace

void trace_cases(const bench::Report &report, std::span<const bench::Wanted> wanted,
                 const std::string &device, const std::string &folder) {
  const NamedDevice named = named_device(device);
  for (std::size_t i = 0; i < report.cases.size(); ++i) {
    const bench::Case &one = report.cases[i];
    const bench::Row *row = our_row(one, report.has_clock);
    if (!one.skipped.empty() || !row)
      continue;
    registry::Settings settings = wanted[i].settings;
    settings.config = config_of(*row);
    TraceFiles files;
    files.page = folder + "/" + file_name(one) + ".html";
    fmt::print("\n");
    if (named.kind == "cuda")
      trace_on_gpu(*wanted[i].kernel, settings, {named.ordinal, {}}, files);
    else
      trace_on_simulator(*wanted[i].kernel, settings, {}, files);
  }
}

}   // namespace tile::tool
