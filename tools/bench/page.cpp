// SPDX-License-Identifier: MIT
// Reads without a script and without a network; what a script could want lies in it as lines of JSON. Charts
// are there twice, for a phone and for what is wider: text in a picture that is made smaller cannot be read.
#include "tools/bench/page.h"

#include "runtime/report_text.h"
#include "runtime/tuning/report.h"
#include "tools/bench/chart.h"
#include "tools/bench/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace tile::bench {
namespace {

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --ink: #1c1f24; --soft: #59616d; --grid: #dfe3e8; --back: #ffffff; --raised: #f5f7f9;
  --bad: #b00020; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaed; --soft: #a4acb8; --grid: #343a43; --back: #15181c;
  --raised: #1e2227; --bad: #ff8a94; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 820px; padding: 20px 30px 60px; background: var(--back); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.4em 0; } h2 { font-size: 1.25rem; margin: 2em 0 0.4em; }
h3 { font-size: 1rem; margin: 1.4em 0 0.3em; } p { margin: 0.5em 0; } .soft { color: var(--soft); }
.bad { color: var(--bad); } code { font-size: 0.85em; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(170px, 1fr)); gap: 12px; margin: 1em 0; padding: 0;
  list-style: none; }
.facts li { background: var(--raised); border-radius: 8px; padding: 10px 14px; }
.facts li { font-size: 0.85rem; } .facts b { display: block; font-size: 1.15rem; line-height: 1.3; }
.narrow { display: none !important; } .chart { max-width: 100%; height: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--soft); } th, td { padding: 4px 10px 4px 0; vertical-align: top; }
tbody tr { border-top: 1px solid var(--grid); } tr.more { border-top: 0; } .n { text-align: right; white-space: nowrap; }
td.config { font-size: 0.8rem; color: var(--soft); overflow-wrap: anywhere; } dd { overflow-wrap: anywhere; }
.whole { white-space: nowrap; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; font-size: 0.9rem; }
dt { color: var(--soft); } dd { margin: 0; }
.key { color: var(--c); margin-right: 0.3em; }
.keys { --c0: #0072b2; --c1: #c04a00; --c2: #00795a; --c3: #a3487f; --c4: #8a6100; --c5: #4a4a9c; }
@media (prefers-color-scheme: dark) { .keys { --c0: #6cb8ef; --c1: #ff9a5c; --c2: #4fd3a6; --c3: #eb9fcb; --c4: #e8c04a;
  --c5: #b3b3ff; } }
@media screen and (max-width: 800px) {
  .wide { display: none !important; } .narrow { display: block !important; } body { padding: 12px 20px 40px; }
  table, tbody, tr, td { display: block; } thead { display: none; } tr, tr.more { border-top: 1px solid var(--grid);
    padding: 8px 0; }
  td { display: flex; justify-content: space-between; gap: 16px; padding: 1px 0; text-align: right; white-space: normal; }
  td::before { content: attr(data-is); color: var(--soft); text-align: left; flex: none; } td:empty { display: none; }
  dl { grid-template-columns: 1fr; } dd { margin-bottom: 6px; }
}
@media print { :root { color-scheme: light; --ink: #000; --soft: #444; --grid: #ccc; --back: #fff; --raised: #f3f3f3; }
  body { padding: 0; font-size: 11pt; } .wide { display: block !important; } .narrow { display: none !important; }
  tr, figure, .chart { break-inside: avoid; } h2, h3 { break-after: avoid; }
  .keys { --c0: #0072b2; --c1: #c04a00; --c2: #00795a; --c3: #a3487f; --c4: #8a6100; --c5: #4a4a9c; } }
)";

std::string both(std::string (*chart)(const Report &, Group, Width), const Report &report, Group group) {
  const std::string wide = chart(report, group, Width::wide);
  if (wide.empty())
    return {};
  return "<div class=\"wide\">" + wide + "</div>\n<div class=\"narrow\">" +
         chart(report, group, Width::narrow) + "</div>\n";
}

std::string cell(const char *what, const std::string &text, const char *kind = "") {
  return fmt::format("<td{}{} data-is=\"{}\">{}</td>", *kind ? " class=" : "",
                     *kind ? fmt::format("\"{}\"", kind) : "", what, text);
}

std::string key(const Report &report, const std::string &provider) {
  const auto at = std::ranges::find(report.providers, provider) - report.providers.begin();
  return fmt::format("<span class=\"key c{}\">■</span>{}", at % 6, escaped(provider));
}

// May go on in the next line behind a comma.
std::string breakable(const std::string &config) {
  std::string text;
  for (const char c : escaped(config))
    (text += c) += c == ',' ? "<wbr>" : "";
  return text;
}

std::string timed_row(const Report &report, const Case &at, const Row &row, bool first) {
  std::string text = fmt::format("<tr{}>", first ? "" : " class=\"more\"");
  text += cell("shape", first ? escaped(at.shape()) : "", "whole");
  text +=
      cell("provider", "<span>" + key(report, row.provider) + (row.is_measured_here ? "" : " *") + "</span>",
           "whole");
  if (row.outcome != Row::Outcome::timed) {
    const char *what = row.outcome == Row::Outcome::left_out ? "left out"
                       : row.outcome == Row::Outcome::wrong  ? "wrong"
                                                             : "failed";
    return text + fmt::format("<td colspan=\"6\" data-is=\"{}\"><span{}>{}: {}</span></td></tr>\n", what,
                              row.outcome == Row::Outcome::left_out ? "" : " class=\"bad\"", what,
                              escaped(row.reason));
  }
  const double seconds = row.timing.median;
  const std::optional<double> faster = row.provider == "tile" ? std::nullopt : ratio(at, row.provider);
  text += cell("config", breakable(row.config), "config") + cell("median", tuning::time_text(seconds), "n") +
          cell("spread", fmt::format("{:.1f}%", 100 * row.timing.spread), "n") +
          cell(rate(at, seconds).unit, rate_text(rate(at, seconds).value), "n") +
          cell("of the roof",
               at.roof_seconds > 0 ? fmt::format("{:.1f}%", 100 * at.roof_seconds / seconds) : "", "n") +
          cell("tile is", faster ? fmt::format("{:.3f} ×", *faster) : "", "n");
  return text + "</tr>\n";
}

std::string timed_table(const Report &report, Group group) {
  std::string text =
      fmt::format("<table class=\"keys\"><thead><tr><th>shape</th><th>provider</th><th>config</th><th "
                  "class=\"n\">median</th>"
                  "<th class=\"n\">spread</th><th class=\"n\">{}</th><th class=\"n\">of the roof</th><th "
                  "class=\"n\">tile is</th>"
                  "</tr></thead><tbody>\n",
                  rate(group[0], 1).unit);
  for (const Case &at : group) {
    bool first = true;
    for (const Row &row : at.rows) {
      if (is_left_out_everywhere(group, row))
        continue;
      text += timed_row(report, at, row, first);
      first = false;
    }
    if (!at.skipped.empty())
      text +=
          "<tr>" + cell("shape", escaped(at.shape())) +
          fmt::format("<td colspan=\"7\" data-is=\"skipped\">skipped: {}</td></tr>\n", escaped(at.skipped));
  }
  text += "</tbody></table>\n";
  for (const std::string &line : left_out_everywhere(group))
    text += fmt::format("<p class=\"soft\">{}</p>\n", escaped(line));
  return text;
}

std::string counted_table(Group group) {
  std::string text =
      "<table><thead><tr><th>shape</th><th class=\"n\">mma</th><th class=\"n\">global instructions</th>"
      "<th class=\"n\">sectors (least)</th><th class=\"n\">shared instructions</th>"
      "<th class=\"n\">wavefronts (least)</th></tr></thead><tbody>\n";
  for (const Case &at : group) {
    text += "<tr>" + cell("shape", escaped(at.shape()));
    if (at.counts) {
      const Case::Counts &c = *at.counts;
      text += cell("mma", fmt::format("{}", c.matrix_instructions), "n") +
              cell("global instructions", fmt::format("{}", c.global_instructions), "n") +
              cell("sectors (least)", fmt::format("{} ({})", c.sectors, c.least_sectors), "n") +
              cell("shared instructions", fmt::format("{}", c.shared_instructions), "n") +
              cell("wavefronts (least)", fmt::format("{} ({})", c.wavefronts, c.least_wavefronts), "n");
    } else {
      std::string why = at.skipped;
      for (const Row &row : at.rows)
        why += row.reason;
      text += fmt::format("<td colspan=\"5\" data-is=\"nothing\">{}</td>",
                          escaped(why.empty() ? "not counted" : why));
    }
    text += "</tr>\n";
  }
  return text + "</tbody></table>\n";
}

std::string section(const Report &report, Group group) {
  std::string text = fmt::format("<section>\n<h2>{}</h2>\n", escaped(title_of(group[0])));
  if (!report.has_clock)
    return text + counted_table(group) + "</section>\n";
  const auto figure = [&](const char *title, const std::string &charts) {
    if (!charts.empty())
      text += fmt::format("<figure style=\"margin: 0\"><h3>{}</h3>\n{}</figure>\n", title, charts);
  };
  figure("Speed over size", both(speed_svg, report, group));
  figure("Beside its peers", both(ratio_svg, report, group));
  figure("Roofline", both(roofline_svg, report, group));
  return text + "<h3>All figures</h3>\n" + timed_table(report, group) + "</section>\n";
}

std::string facts(const Report &report) {
  std::string items;
  for (const Comparison &c : comparisons(report))
    items += fmt::format(
        "<li>tile is <b>{:.2f} × {}</b>geometric mean of {} {}; at worst {:.2f} × at {}</li>\n", c.mean,
        escaped(c.peer), c.shapes, c.shapes == 1 ? "shape" : "shapes", c.worst, escaped(c.worst_shape));
  return items.empty() ? "" : "<ul class=\"facts\">\n" + items + "</ul>\n";
}

std::string machine(const Report &report) {
  const Machine &m = report.machine;
  std::string list;
  const auto add = [&](const char *what, const std::string &text) {
    if (!text.empty())
      list += fmt::format("<dt>{}</dt><dd>{}</dd>\n", what, escaped(text));
  };
  add("device", report.device);
  add("driver", report.driver);
  for (const std::string &version : report.versions)
    add("library", version);
  if (m.clock_hertz > 0)
    add("highest clock",
        fmt::format("{:.0f} MHz, {} multiprocessors", m.clock_hertz * 1e-6, m.multiprocessors));
  if (m.memory_bytes_per_second > 0)
    add("memory", fmt::format("{:.2f} TB/s by clock and width, last cache {} MiB",
                              m.memory_bytes_per_second * 1e-12, m.cache_bytes >> 20));
  add("tool", report.toolchain);
  add("command", report.command);
  std::string text = "<section>\n<h2>The machine</h2>\n<dl>\n" + list + "</dl>\n";
  std::string states;
  for (const Case &at : report.cases)
    if (at.state.is_known()) {
      const auto known = [](double value, const char *unit) {
        return value >= 0 ? fmt::format("{:.0f} {}", value, unit) : std::string();
      };
      states += "<tr>" + cell("case", escaped(title_of(at) + ", " + at.shape())) +
                cell("clock", known(at.state.clock_hertz * 1e-6, "MHz"), "n") +
                cell("power",
                     known(at.state.watts, "W") +
                         (at.state.watts_limit > 0 ? fmt::format(" of {:.0f}", at.state.watts_limit) : ""),
                     "n") +
                cell("temperature", known(at.state.celsius, "°C"), "n") +
                cell("throttled by", escaped(at.state.throttled.empty() ? "nothing" : at.state.throttled)) +
                "</tr>\n";
    }
  if (!states.empty())
    text += "<h3>While it ran</h3>\n<table><thead><tr><th>case</th><th class=\"n\">clock</th><th "
            "class=\"n\">power</th>"
            "<th class=\"n\">temperature</th><th>throttled by</th></tr></thead><tbody>\n" +
            states + "</tbody></table>\n";
  return text + "</section>\n";
}

std::string method(const Report &report) {
  if (!report.has_clock)
    return {};
  const char *cache = report.how.cache == Cache::rotating
                          ? "Calls walk over sets of inputs that together are larger than the last cache."
                      : report.how.cache == Cache::warm
                          ? "All calls work on one set of inputs, which may lie in a cache."
                          : "The caches were cleared before each call, which was timed alone.";
  return fmt::format("<section>\n<h2>How it was measured</h2>\n<p>Providers took turns in one process, in "
                     "every second round in reverse "
                     "order; a figure is the median of {} samples, a sample the mean of many calls "
                     "replayed as a graph, the spread "
                     "half the distance of the 20% and 80% quantiles. {} Inputs are random numbers of a "
                     "normal distribution. Every "
                     "provider's result was compared with {} before it was timed. Where a provider had "
                     "several configs or "
                     "algorithms, the fastest were found first, and timed again on fresh samples. The roof "
                     "is what the highest clock "
                     "and the width of the memory allow.</p>\n</section>\n",
                     report.how.rounds, cache,
                     report.is_of_library ? "what the interpreter computes" : "float64");
}

}   // namespace

std::string page(const Report &report) {
  std::string names;
  for (const Case &at : report.cases)
    if (!names.contains(at.kernel))
      names += (names.empty() ? "" : ", ") + at.kernel;
  const std::string name = report.machine.name.empty() ? report.device : report.machine.name;
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n<title>tile "
      "bench: {0} on "
      "{1}</title>\n<style>{2}{3}</style>\n</head>\n<body>\n<main>\n<h1>{0} on {1}</h1>\n<p "
      "class=\"soft\">{4}{5}</p>\n",
      escaped(names), escaped(name), style, chart_style, escaped(report.date),
      report.interrupted ? ", interrupted: this is what was measured until then" : "");
  for (const std::string &note : report.notes)
    text += fmt::format("<p>{}</p>\n", escaped(note));
  text += facts(report);
  bool from_elsewhere = false;
  for (const Group &group : groups_of(report)) {
    text += section(report, group);
    for (const Case &at : group)
      from_elsewhere |= std::ranges::any_of(at.rows, [](const Row &row) { return !row.is_measured_here; });
  }
  if (from_elsewhere)
    text += "<p class=\"soft\">* measured at another time, by another program or both</p>\n";
  return text + machine(report) + method(report) +
         "</main>\n<script type=\"application/jsonl\" id=\"records\">\n" + json_lines(report) +
         "</script>\n</body>\n</html>\n";
}

}   // namespace tile::bench
