// SPDX-License-Identifier: MIT
#include "runtime/timeline/page.h"

#include "runtime/report_text.h"
#include "runtime/timeline/picture.h"

#include <fmt/format.h>

#include <algorithm>

namespace tile::timeline {
namespace {

constexpr std::string_view style = R"(.scroll { overflow-x: auto; margin: 0.5rem 0 1.5rem; }
.scroll svg { width: 100%; min-width: 720px; height: auto; display: block; }
body { background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; margin: 0 auto;
  max-width: 76rem; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; } td, th { text-align: left; padding: 0.2rem 1rem 0.2rem 0; vertical-align: top; }
td, th { border-bottom: 1px solid var(--line); } th { font-weight: 600; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; } .facts td:first-child { color: var(--soft); }
.legend span { display: inline-block; margin-right: 1.2rem; white-space: nowrap; }
.legend i { display: inline-block; width: 0.8rem; height: 0.8rem; margin-right: 0.4rem; border-radius: 2px; }
rect { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.legend i { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
)";

std::string legend() {
  std::string text = "<p class=\"legend\">";
  for (const auto &[colour, meaning] : legend_entries())
    text += fmt::format("<span><i style=\"background: var(--{})\"></i>{}</span> ", colour, meaning);
  return text + "</p>\n";
}

std::string shown(const Traced &t, const std::vector<Role> &roles, double begin, double end) {
  return fmt::format("<div class=\"scroll\">{}</div>\n", picture(t, roles, begin, end));
}

std::string role_table(const Traced &t, const std::vector<Role> &roles) {
  std::string text =
      "<div class=\"wide\"><table><tr><th>role</th><th>computes</th><th>waits most for</th><th>share</th>"
      "<th>at</th></tr>\n";
  constexpr std::size_t most = 4;
  for (const Role &role : roles) {
    if (role.cta != 0)
      continue;
    constexpr double least = 0.01;
    const auto counts = [&](const Role::Wait &wait) { return wait.cycles >= least * t.timeline.cycles; };
    const auto counted =
        static_cast<std::size_t>(std::ranges::count_if(role.waits, counts));   // the first ones
    const std::size_t rows = std::clamp<std::size_t>(counted, 1, most);
    for (std::size_t i = 0; i < rows; ++i) {
      text += "<tr>";
      if (i == 0)
        text += fmt::format("<td rowspan=\"{0}\">{1}</td><td rowspan=\"{0}\" class=\"number\">{2:.0f}%</td>",
                            rows, escaped(role.title()), 100 * role.computing / t.timeline.cycles);
      if (i < counted)
        text += fmt::format("<td>{}</td><td class=\"number\">{:.0f}%</td><td>{}</td>",
                            waited_for(role.waits[i].state), 100 * role.waits[i].cycles / t.timeline.cycles,
                            escaped(short_place(role.waits[i].where)));
      else
        text += "<td>nothing</td><td></td><td></td>";
      text += "</tr>\n";
    }
  }
  return text + "</table></div>\n";
}

}   // namespace

std::string html(const Page &page, const Traced &t, const std::vector<Role> &roles,
                 const Predicted *predicted) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
      "<title>{0}: timeline</title>\n<style>{1}{2}</style></head><body>\n<h1>{0}: timeline</h1>\n",
      escaped(page.title), style, picture_style());
  text += "<div class=\"wide\"><table class=\"facts\">\n";
  for (const auto &[name, value] : page.facts)
    text += fmt::format("<tr><td>{}</td><td>{}</td></tr>\n", escaped(name), escaped(value));
  text += "</table></div>\n<h2>What it says</h2>\n<ol>\n";
  for (const std::string &sentence : page.sentences)
    text += fmt::format("<li>{}</li>\n", escaped(sentence));
  text += "</ol>\n<h2>The whole CTA</h2>\n" + legend();
  const double cycles = t.timeline.cycles;
  // Both pictures have the same scale of time.
  const double seconds =
      std::max(cycles / t.hertz, predicted ? predicted->traced.timeline.cycles / predicted->traced.hertz : 0);
  const auto beside = [&](const std::string &title, double begin, double end) {   // seconds
    if (predicted)
      text += fmt::format("<h3>{}</h3>\n", title) + shown(predicted->traced, predicted->roles,
                                                          begin * predicted->traced.hertz,
                                                          end * predicted->traced.hertz);
  };
  text += shown(t, roles, 0, seconds * t.hertz);
  beside("As the simulator predicts it", 0, seconds);
  constexpr double part = 12000;   // cycles that show single steps of a loop
  if (cycles > 2 * part) {
    text += "<h2>The first part</h2>\n" + shown(t, roles, 0, part);
    beside("As the simulator predicts it", 0, part / t.hertz);
    text += "<h2>A part in the middle</h2>\n" + shown(t, roles, cycles / 2 - part / 2, cycles / 2 + part / 2);
    text += "<h2>The last part</h2>\n" + shown(t, roles, cycles - part, cycles);
  }
  text += "<h2>Roles</h2>\n" + role_table(t, roles);
  text +=
      t.is_measured
          ? "<p>Times are measured: one lane of each warp read the clock around each wait. That takes time "
            "itself, about ten instructions for each stamp. Products are under way until a wait has seen "
            "that they are done. When copies land, stamps do not show.</p>\n"
          : "<p>Times are predicted by a model of the multiprocessor. It does not know power, which lowers "
            "the clock of large products, and what other CTAs leave in the L2 cache.</p>\n";
  return text + "</body></html>\n";
}

}   // namespace tile::timeline
