// SPDX-License-Identifier: MIT
#include "runtime/json.h"
#include "tools/bench/text.h"

#include <fmt/format.h>

namespace tile::bench {
namespace {

using json::Object;
using json::Value;

constexpr int format_version = 1;

const char *name_of(Row::Outcome outcome) {
  switch (outcome) {
  case Row::Outcome::timed:
    return "timed";
  case Row::Outcome::failed:
    return "failed";
  case Row::Outcome::wrong:
    return "wrong";
  case Row::Outcome::left_out:
    break;
  }
  return "left out";
}
const char *name_of(Cache cache) {
  return cache == Cache::warm ? "warm" : cache == Cache::cold ? "cold" : "rotating";
}

// Six digits: more than any clock has.
Value rounded(double value) { return std::stod(fmt::format("{:.6g}", value)); }
Value count(std::uint64_t value) { return static_cast<double>(value); }
Value known(double value) { return value >= 0 ? rounded(value) : Value(); }

json::Array texts(const std::vector<std::string> &list) {
  json::Array array;
  for (const std::string &text : list)
    array.emplace_back(text);
  return array;
}

// Sizes are numbers, but for rows that are dealt: "8192u".
Object settings_of(const Case &at) {
  Object settings;
  for (const auto &[name, value] : at.sizes)
    if (value.ends_with('u'))
      settings.emplace_back(name, value);
    else
      settings.emplace_back(name, std::stod(value));
  for (const auto &[name, value] : at.choices)
    settings.emplace_back(name, value);
  return settings;
}

Value run_line(const Report &report) {
  const Machine &m = report.machine;
  Object line{{"type", "run"},
              {"version", format_version},
              {"date", report.date},
              {"command", report.command},
              {"device", report.device},
              {"driver", report.driver},
              {"toolchain", report.toolchain},
              {"seconds", rounded(report.seconds)},
              {"interrupted", report.interrupted},
              {"libraries", texts(report.versions)},
              {"notes", texts(report.notes)}};
  if (report.has_clock)
    line.insert(line.end(), {{"multiprocessors", m.multiprocessors},
                             {"clock_mhz", rounded(m.clock_hertz * 1e-6)},
                             {"memory_tbps", rounded(m.memory_bytes_per_second * 1e-12)},
                             {"cache_mib", rounded(static_cast<double>(m.cache_bytes) / (1 << 20))},
                             {"cache", name_of(report.how.cache)},
                             {"rounds", report.how.rounds},
                             {"inputs", "normal distribution; integers evenly"}});
  return line;
}

Value row_line(const Case &at, const Row &row) {
  Object line{{"type", "row"},
              {"kernel", at.kernel},
              {"settings", settings_of(at)},
              {"provider", row.provider},
              {"config", row.config},
              {"outcome", row.outcome == Row::Outcome::timed && row.timing.median <= 0
                              ? "counted"
                              : name_of(row.outcome)}};
  if (!row.reason.empty())
    line.emplace_back("reason", row.reason);
  if (row.outcome == Row::Outcome::timed && row.timing.median > 0) {
    const Rate speed = rate(at, row.timing.median);
    json::Array samples;
    for (const double sample : row.timing.samples)
      samples.push_back(rounded(sample));
    line.insert(line.end(),
                {{"median", rounded(row.timing.median)},
                 {"spread", rounded(row.timing.spread)},
                 {"rate", rounded(speed.value)},
                 {"unit", speed.unit},
                 {"of_roof", at.roof_seconds > 0 ? rounded(at.roof_seconds / row.timing.median) : Value()},
                 {"calls", row.timing.calls},
                 {"recorded", row.timing.is_recorded},
                 {"samples", samples}});
    if (row.provider != "tile")
      if (const std::optional<double> faster = ratio(at, row.provider))
        line.emplace_back("tile_is", rounded(*faster));
  }
  if (row.resources)
    line.insert(line.end(), {{"registers", known(row.resources->registers)},
                             {"spill_bytes", known(row.resources->spill_bytes)},
                             {"shared_bytes", known(row.resources->shared_bytes)}});
  line.emplace_back("error", known(row.error));
  line.emplace_back("measured_here", row.is_measured_here);
  return line;
}

Value case_line(const Case &at) {
  Object line{{"type", "case"},
              {"kernel", at.kernel},
              {"settings", settings_of(at)},
              {"flop", at.work.flop},
              {"bytes", at.work.bytes},
              {"sets", at.sets},
              {"input_mib", rounded(at.input_bytes / (1 << 20))}};
  if (!at.skipped.empty())
    line.emplace_back("skipped", at.skipped);
  if (!at.checked.empty())
    line.emplace_back("checked", at.checked);
  if (at.roof_seconds > 0) {
    line.emplace_back("roof", rounded(at.roof_seconds));
    line.emplace_back("bound_by", at.is_memory_bound ? "memory" : "matrix units");
  }
  if (at.state.is_known())
    line.insert(line.end(), {{"clock_mhz", known(at.state.clock_hertz * 1e-6)},
                             {"memory_clock_mhz", known(at.state.memory_clock_hertz * 1e-6)},
                             {"watts", known(at.state.watts)},
                             {"watts_limit", known(at.state.watts_limit)},
                             {"celsius", known(at.state.celsius)},
                             {"throttled", at.state.throttled}});
  if (const auto &c = at.counts)
    line.emplace_back("counts", Object{{"matrix_instructions", count(c->matrix_instructions)},
                                       {"global_instructions", count(c->global_instructions)},
                                       {"sectors", count(c->sectors)},
                                       {"least_sectors", count(c->least_sectors)},
                                       {"shared_instructions", count(c->shared_instructions)},
                                       {"wavefronts", count(c->wavefronts)},
                                       {"least_wavefronts", count(c->least_wavefronts)}});
  return line;
}

std::string quoted(const std::string &text) {
  if (text.find_first_of(",\"\n") == std::string::npos)
    return text;
  std::string all = "\"";
  for (const char c : text)
    all += c == '"' ? std::string("\"\"") : std::string(1, c);
  return all + "\"";
}

}   // namespace

std::string json_lines(const Report &report) {
  std::string text = run_line(report).text() + "\n";
  for (const Case &at : report.cases) {
    text += case_line(at).text() + "\n";
    for (const Row &row : at.rows)
      text += row_line(at, row).text() + "\n";
  }
  for (const Comparison &c : comparisons(report))
    text += Value(Object{{"type", "comparison"},
                         {"peer", c.peer},
                         {"mean", rounded(c.mean)},
                         {"worst", rounded(c.worst)},
                         {"worst_shape", c.worst_shape},
                         {"shapes", c.shapes}})
                .text() +
            "\n";
  return text;
}

std::string csv(const Report &report) {
  std::string text =
      "kernel,shape,choices,provider,config,outcome,median_s,spread,rate,unit,of_roof,tile_is,error,"
      "reason\n";
  for (const Case &at : report.cases) {
    std::string choices;
    for (const auto &[name, value] : at.choices)
      choices += fmt::format("{}{}={}", choices.empty() ? "" : " ", name, value);
    const std::string front = fmt::format("{},{},{},", at.kernel, at.shape(), choices);
    if (!at.skipped.empty())
      text += fmt::format("{},,skipped,,,,,,,,{}\n", front, quoted(at.skipped));
    for (const Row &row : at.rows) {
      text +=
          fmt::format("{}{},{},{},", front, quoted(row.provider), quoted(row.config), name_of(row.outcome));
      if (row.outcome == Row::Outcome::timed && row.timing.median > 0) {
        const Rate speed = rate(at, row.timing.median);
        const std::optional<double> faster = row.provider == "tile" ? std::nullopt : ratio(at, row.provider);
        text += fmt::format(
            "{:.6g},{:.5f},{:.6g},{},{},{},", row.timing.median, row.timing.spread, speed.value, speed.unit,
            at.roof_seconds > 0 ? fmt::format("{:.4f}", at.roof_seconds / row.timing.median) : "",
            faster ? fmt::format("{:.4f}", *faster) : "");
      } else {
        text += ",,,,,,";
      }
      text +=
          fmt::format("{},{}\n", row.error >= 0 ? fmt::format("{:.3g}", row.error) : "", quoted(row.reason));
    }
  }
  return text;
}

}   // namespace tile::bench
