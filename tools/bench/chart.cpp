// SPDX-License-Identifier: MIT
#include "tools/bench/chart.h"

#include "runtime/report_text.h"
#include "runtime/tuning/report.h"
#include "tools/bench/page.h"
#include "tools/bench/roofline.h"
#include "tools/bench/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tile::bench {

const std::string_view chart_style = R"(
.chart { --c0: #0072b2; --c1: #c04a00; --c2: #00795a; --c3: #a3487f; --c4: #8a6100; --c5: #4a4a9c; --ink: #1c1f24;
  --soft: #59616d; --grid: #dfe3e8; --back: #ffffff; font: 12px system-ui, sans-serif; display: block; }
.chart text { fill: var(--ink); } .chart .soft { fill: var(--soft); } .chart .end { text-anchor: end; }
.chart .mid { text-anchor: middle; } .chart .name { font-weight: 600; }
.chart .grid { stroke: var(--grid); } .chart .axis { stroke: var(--soft); } .chart .one { stroke: var(--ink); }
.chart .line { fill: none; stroke-width: 2; } .chart .band { opacity: 0.2; stroke: none; }
.chart .mark { stroke: var(--back); stroke-width: 1; } .chart .roof { stroke: var(--soft); fill: none; stroke-width: 1.5; }
.c0 { --c: var(--c0); } .c1 { --c: var(--c1); } .c2 { --c: var(--c2); } .c3 { --c: var(--c3); } .c4 { --c: var(--c4); }
.c5 { --c: var(--c5); } .chart .fill { fill: var(--c); } .chart .line { stroke: var(--c); } .chart text.name { fill: var(--c); }
.chart text { paint-order: stroke; stroke: var(--back); stroke-width: 3px; stroke-linejoin: round; }
@media (prefers-color-scheme: dark) { .chart { --c0: #6cb8ef; --c1: #ff9a5c; --c2: #4fd3a6; --c3: #eb9fcb; --c4: #e8c04a;
  --c5: #b3b3ff; --ink: #e8eaed; --soft: #a4acb8; --grid: #343a43; --back: #15181c; } }
@media print { .chart { --c0: #0072b2; --c1: #c04a00; --c2: #00795a; --c3: #a3487f; --c4: #8a6100; --c5: #4a4a9c;
  --ink: #000000; --soft: #444444; --grid: #cccccc; --back: #ffffff; } }
)";

std::string title_of(const Case &at) {
  const std::string variant = at.variant();
  return at.kernel + (variant.empty() ? "" : ", " + variant);
}

std::vector<Group> groups_of(const Report &report) {
  std::vector<Group> groups;
  const Group all(report.cases);
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin + 1;
    while (end < all.size() && title_of(all[end]) == title_of(all[begin]))
      ++end;
    groups.push_back(all.subspan(begin, end - begin));
    begin = end;
  }
  return groups;
}

namespace {

constexpr double text_width = 6.6;   // of a character, on average
constexpr int colours = 6;

struct Frame {   // where things are, in pixels
  double width, height, left, right, top, bottom;
  double inner_width() const { return width - left - right; }
  double inner_height() const { return height - top - bottom; }
  double below() const { return height - bottom; }
};

class Svg {
 public:
  Svg(double width, double height, const std::string &label)
      : text_(fmt::format(
            "<svg class=\"chart\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
            "role=\"img\" aria-label=\"{2}\">\n",
            width, height, escaped(label))) {}
  void line(const char *kind, double x1, double y1, double x2, double y2, const char *more = "") {
    text_ += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"{}/>\n",
                         kind, x1, y1, x2, y2, more);
  }
  void text(const std::string &kind, double x, double y, const std::string &words,
            const std::string &more = "") {
    text_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", kind, x, y, more,
                         escaped(words));
  }
  void add(const std::string &element) { text_ += element + "\n"; }
  std::string done() { return text_ + "</svg>\n"; }

 private:
  std::string text_;
};

int colour_of(const Report &report, const std::string &provider) {
  const auto at = std::ranges::find(report.providers, provider) - report.providers.begin();
  return static_cast<int>(at) % colours;
}

// A mark for each colour: circle, square, diamond, triangles, cross.
std::string mark(int colour, double x, double y, const std::string &tip) {
  const double r = 4.5;
  std::string shape;
  const auto path = [&](const std::string &way) {
    return fmt::format("<path class=\"mark fill\" d=\"M{:.1f} {:.1f}{}\"/>", x, y, way);
  };
  switch (colour % colours) {
  case 0:
    shape = fmt::format("<circle class=\"mark fill\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>", x, y, r);
    break;
  case 1:
    shape = path("m-4 -4h8v8h-8z");
    break;
  case 2:
    shape = path("m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z");
    break;
  case 3:
    shape = path("m0 -5.5l5.5 10h-11z");
    break;
  case 4:
    shape = path("m0 5.5l5.5 -10h-11z");
    break;
  default:
    shape = path("m-2 -5.5h4v3.5h3.5v4h-3.5v3.5h-4v-3.5h-3.5v-4h3.5z");
    break;
  }
  return fmt::format("<g class=\"c{}\"><title>{}</title>{}</g>", colour, escaped(tip), shape);
}

const char *dashes(int colour) {
  constexpr const char *all[] = {"",
                                 " stroke-dasharray=\"7 3\"",
                                 " stroke-dasharray=\"2 3\"",
                                 " stroke-dasharray=\"9 3 2 3\"",
                                 " stroke-dasharray=\"12 4\"",
                                 " stroke-dasharray=\"1 4\""};
  return all[colour % colours];
}

// "1024³", "64·4096·4096": what is the same needs not be said three times.
std::string short_shape(const Case &at) {
  bool same = true;
  for (const auto &[name, value] : at.sizes)
    same = same && value == at.sizes[0].second;
  if (same && at.sizes.size() > 1)
    return at.sizes[0].second + (at.sizes.size() == 2 ? "²" : at.sizes.size() == 3 ? "³" : "⁴");
  std::string text;
  for (const auto &[name, value] : at.sizes)
    text += (text.empty() ? "" : "×") + value;
  return text;
}

std::size_t letters(const std::string &text) {   // of UTF-8
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

// 1, 2 or 5 times a power of ten, so that about so many of them reach `most`.
double tick_of(double most, int count) {
  const double rough = most / count, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (power * factor >= rough)
      return power * factor;
  return power * 10;
}

std::string number(double value) { return fmt::format("{:g}", value); }

std::string tip_of(const Case &at, const Row &row) {
  const Rate speed = rate(at, row.timing.median);
  return fmt::format("{} at {}: {} {} ({} ± {:.1f}%){}{}", row.provider, short_shape(at),
                     rate_text(speed.value), speed.unit, tuning::time_text(row.timing.median),
                     100 * row.timing.spread, row.config.empty() ? "" : ", ", row.config);
}

struct Label {   // beside the end of a line
  double y;
  int colour;
  std::string text;
};
// Moves labels apart that would lie on each other.
void spread_out(std::vector<Label> &labels, double least, double top, double bottom) {
  std::ranges::sort(labels, {}, &Label::y);
  for (std::size_t i = 1; i < labels.size(); ++i)
    labels[i].y = std::max(labels[i].y, labels[i - 1].y + least);
  for (std::size_t i = labels.size(); i-- > 0;)
    labels[i].y = std::min(labels[i].y, i + 1 < labels.size() ? labels[i + 1].y - least : bottom);
  for (Label &label : labels)
    label.y = std::max(label.y, top);
}

}   // namespace

std::string speed_svg(const Report &report, Group all, Width width) {
  double most = 0;
  std::size_t longest = 1, widest = 4;
  std::vector<Case> group;   // the shapes that have a figure
  for (const Case &at : all) {
    bool has_figure = false;
    for (const std::string &provider : report.providers)
      if (const Row *row = best_row(at, provider)) {
        most = std::max(most, rate(at, row->timing.median).value * (1 + row->timing.spread));
        widest = std::max(widest, provider.size());
        has_figure = true;
      }
    if (!has_figure)
      continue;
    longest = std::max(longest, letters(short_shape(at)));
    group.push_back(at);
  }
  if (group.empty())
    return {};
  const double whole = width == Width::wide ? 760 : 350;
  Frame f{whole, width == Width::wide ? 350.0 : 330.0, 44, 14 + text_width * static_cast<double>(widest), 26,
          46};
  const double step = f.inner_width() / static_cast<double>(group.size());
  const bool upright = static_cast<double>(longest) * text_width > step - 6;
  if (upright) {
    const double more = static_cast<double>(longest) * text_width + 2;
    f.bottom += more;
    f.height += more;
  }
  const double tick = tick_of(most, width == Width::wide ? 6 : 5), top = std::ceil(most / tick) * tick;
  const auto x_of = [&](std::size_t i) { return f.left + step * (static_cast<double>(i) + 0.5); };
  const auto y_of = [&](double value) { return f.below() - value / top * f.inner_height(); };
  const char *unit = rate(group[0], 1).unit;

  Svg svg(f.width, f.height, fmt::format("Speed of {} over size, {}", title_of(group[0]), unit));
  svg.text("soft", 4, 14, std::string(unit) + ", median; more is better");
  for (int i = 0; i <= std::lround(top / tick); ++i) {
    const double value = i * tick;
    svg.line("grid", f.left, y_of(value), f.width - f.right, y_of(value));
    svg.text("soft end", f.left - 6, y_of(value) + 4, number(value));
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    const std::string words = short_shape(group[i]);
    svg.line("axis", x_of(i), f.below(), x_of(i), f.below() + 4);
    if (upright)
      svg.text("soft end", x_of(i) + 4, f.below() + 10, words,
               fmt::format(" transform=\"rotate(-90 {:.1f} {:.1f})\"", x_of(i) + 4, f.below() + 10));
    else
      svg.text("soft mid", x_of(i), f.below() + 18, words);
  }
  std::string sizes;
  for (const auto &[name, value] : group[0].sizes)
    sizes += (sizes.empty() ? "" : " × ") + name;
  svg.text("soft mid", f.left + f.inner_width() / 2, f.height - 6, "shape: " + sizes);

  std::vector<Label> labels;
  std::string marks;
  for (const std::string &provider : report.providers) {
    const int colour = colour_of(report, provider);
    std::string path, upper, lower;
    double last = -1;
    // A shape that is missing breaks the line.
    const auto end_part = [&] {
      if (!upper.empty())
        svg.add(fmt::format("<path class=\"band fill c{}\" d=\"M{}L{}z\"/>", colour, upper, lower));
      upper.clear();
      lower.clear();
    };
    for (std::size_t i = 0; i < group.size(); ++i) {
      const Row *row = best_row(group[i], provider);
      if (!row) {
        end_part();
        continue;
      }
      const double value = rate(group[i], row->timing.median).value;
      const bool begins = upper.empty();
      path += fmt::format("{}{:.1f} {:.1f}", begins ? "M" : "L", x_of(i), y_of(value));
      upper +=
          fmt::format("{}{:.1f} {:.1f}", begins ? "" : "L", x_of(i), y_of(value * (1 + row->timing.spread)));
      lower = fmt::format("{:.1f} {:.1f}{}{}", x_of(i), y_of(value * (1 - row->timing.spread)),
                          begins ? "" : "L", lower);
      marks += mark(colour, x_of(i), y_of(value), tip_of(group[i], *row)) + "\n";
      last = value;
    }
    end_part();
    if (last < 0)
      continue;
    svg.add(fmt::format("<path class=\"line c{}\" d=\"{}\"{}/>", colour, path, dashes(colour)));
    labels.push_back({y_of(last) + 4, colour, provider});
  }
  svg.add(marks);
  constexpr double line_height = 15;
  spread_out(labels, line_height, f.top + 4, f.below());
  for (const Label &label : labels)
    svg.text(fmt::format("name c{}", label.colour), f.width - f.right + 6, label.y, label.text);
  return svg.done();
}

// Bars begin at 1 and go to the left where tile is slower, to the right where it is faster; twice as fast is
// as long as half as fast.
std::string ratio_svg(const Report &report, Group group, Width width) {
  struct Bar {
    const Case *at;
    std::string peer;
    double value;
  };
  std::vector<Bar> bars;
  std::size_t shapes = 0, widest = 1;
  double least = 0.5, most = 2;   // powers of two, which all bars lie between
  for (const Case &at : group) {
    const std::size_t before = bars.size();
    for (const std::string &peer : report.providers)
      if (const std::optional<double> r = peer == "tile" ? std::nullopt : ratio(at, peer)) {
        bars.push_back({&at, peer, *r});
        widest = std::max(widest, peer.size());
        while (*r < least)
          least /= 2;
        while (*r > most)
          most *= 2;
      }
    shapes += bars.size() > before;
  }
  if (bars.empty())
    return {};
  constexpr double head = 20, each = 17, gap = 6, margin = 40;
  Frame f{width == Width::wide ? 760.0 : 350.0, 0, margin, margin, 26, 26};
  f.right =
      std::max(margin, text_width * static_cast<double>(widest) + 8);   // names may stand right of the line
  f.height =
      f.top + f.bottom + static_cast<double>(shapes) * (head + gap) + static_cast<double>(bars.size()) * each;
  const auto x_of = [&](double value) {
    return f.left + std::log2(value / least) / std::log2(most / least) * f.inner_width();
  };

  Svg svg(f.width, f.height, fmt::format("Speed of tile relative to its peers, {}", title_of(group[0])));
  svg.text("soft", 4, 14,
           width == Width::wide ? "speed of tile / speed of the peer; right of the line, tile is faster"
                                : "tile / peer; right of the line, tile is faster");
  for (int power = std::ilogb(least); power <= std::ilogb(most); ++power) {
    const double value = std::ldexp(1.0, power);
    svg.line(value == 1 ? "one" : "grid", x_of(value), f.top, x_of(value), f.below());
    svg.text("soft mid", x_of(value), f.height - 8,
             value < 1 ? fmt::format("1/{:g}", 1 / value) : number(value));
  }
  double y = f.top;
  const Case *before = nullptr;
  for (const Bar &bar : bars) {
    if (bar.at != before) {
      y += before ? gap : 0;
      svg.text("", 4, y + 14, short_shape(*bar.at));
      y += head;
      before = bar.at;
    }
    const int colour = colour_of(report, bar.peer);
    const bool is_faster = bar.value >= 1;
    const double from = std::min(x_of(bar.value), x_of(1)), length = std::abs(x_of(bar.value) - x_of(1));
    svg.add(fmt::format(
        "<g class=\"c{}\"><title>{}</title><rect class=\"fill\" x=\"{:.1f}\" y=\"{:.1f}\" "
        "width=\"{:.1f}\" height=\"{}\" rx=\"2\"/></g>",
        colour, escaped(fmt::format("tile is {:.3f} x {} at {}", bar.value, bar.peer, short_shape(*bar.at))),
        from, y, std::max(length, 1.0), each - 3));
    // The number behind the bar's end, the name on the other side of the line.
    svg.text(fmt::format("name{} c{}", is_faster ? "" : " end", colour),
             x_of(bar.value) + (is_faster ? 5 : -5), y + 11.5, fmt::format("{:.2f}", bar.value));
    svg.text(fmt::format("name{} c{}", is_faster ? " end" : "", colour), x_of(1) + (is_faster ? -6 : 6),
             y + 11.5, bar.peer);
    y += each;
  }
  return svg.done();
}

std::string roofline_svg(const Report &report, Group group, Width width) {
  struct Point {
    const Case *at;
    const Row *row;
    double intensity, speed;
  };
  std::vector<Point> points;
  const double bandwidth = report.machine.memory_bytes_per_second * 1e-12;
  double peak = 0;
  for (const Case &at : group) {
    if (at.work.flop <= 0 || at.roof_seconds <= 0)
      continue;
    // Of a case that memory bounds, the roof says nothing about the matrix units; the others are alike.
    if (!at.is_memory_bound)
      peak = std::max(peak, at.work.flop / at.roof_seconds * 1e-12);
    for (const std::string &provider : report.providers)
      if (const Row *row = best_row(at, provider))
        points.push_back({&at, row, at.work.flop / at.work.bytes, rate(at, row->timing.median).value});
  }
  if (points.empty() || bandwidth <= 0)
    return {};
  double x_least = 1e300, x_most = 0, y_least = 1e300, y_most = peak;
  for (const Point &p : points) {
    x_least = std::min(x_least, p.intensity);
    x_most = std::max(x_most, p.intensity);
    y_least = std::min(y_least, p.speed);
    y_most = std::max(y_most, std::max(p.speed, p.intensity * bandwidth * (peak > 0 ? 0 : 1)));
  }
  const auto below = [](double value) { return std::pow(10, std::floor(std::log10(value))); };
  x_least = below(x_least), x_most = below(x_most) * 10, y_least = below(y_least),
  y_most = below(y_most) * 10;

  Frame f{width == Width::wide ? 760.0 : 350.0, width == Width::wide ? 340.0 : 300.0, 48, 26, 26, 46};
  const auto x_of = [&](double value) {
    return f.left + std::log(value / x_least) / std::log(x_most / x_least) * f.inner_width();
  };
  const auto y_of = [&](double value) {
    return f.below() - std::log(value / y_least) / std::log(y_most / y_least) * f.inner_height();
  };
  Svg svg(f.width, f.height, "Roofline of " + title_of(group[0]));
  svg.text("soft", 4, 14, "TFLOPS; no kernel is above the roof");
  for (long power = std::lround(std::log10(x_least)); power <= std::lround(std::log10(x_most)); ++power) {
    const double value = std::pow(10, power);
    svg.line("grid", x_of(value), f.top, x_of(value), f.below());
    svg.text("soft mid", x_of(value), f.below() + 18, number(value));
  }
  for (long power = std::lround(std::log10(y_least)); power <= std::lround(std::log10(y_most)); ++power) {
    const double value = std::pow(10, power);
    svg.line("grid", f.left, y_of(value), f.width - f.right, y_of(value));
    svg.text("soft end", f.left - 6, y_of(value) + 4, number(value));
  }
  svg.text("soft mid", f.left + f.inner_width() / 2, f.height - 6, "FLOP per byte that must be moved");
  // The slope of memory, from where it enters the picture to where it meets the roof or leaves it.
  const double knee = peak > 0 ? std::min(peak / bandwidth, x_most) : std::min(x_most, y_most / bandwidth);
  const double enter = std::max(x_least, y_least / bandwidth);
  if (enter < knee) {
    svg.line("roof", x_of(enter), y_of(enter * bandwidth), x_of(knee), y_of(knee * bandwidth));
    const double angle =
        std::atan2(y_of(knee * bandwidth) - y_of(enter * bandwidth), x_of(knee) - x_of(enter));
    const double x = (x_of(enter) + x_of(knee)) / 2, y = y_of(std::sqrt(enter * knee) * bandwidth) - 6;
    svg.text("soft mid", x, y, fmt::format("memory {:.2f} TB/s", bandwidth),
             fmt::format(" transform=\"rotate({:.1f} {:.1f} {:.1f})\"", angle * 180 / M_PI, x, y));
  }
  if (peak > 0 && knee < x_most) {
    svg.line("roof", x_of(knee), y_of(peak), x_of(x_most), y_of(peak));
    svg.text("soft end", x_of(x_most), y_of(peak) - 6, fmt::format("{:.0f} TFLOPS", peak));
  }
  for (const Point &p : points)
    svg.add(
        mark(colour_of(report, p.row->provider), x_of(p.intensity), y_of(p.speed), tip_of(*p.at, *p.row)));
  return svg.done();
}

std::string speed_chart(const Report &report) {
  for (const Group &group : groups_of(report)) {
    std::string svg = speed_svg(report, group, Width::wide);
    if (!svg.empty()) {
      svg.insert(svg.find('\n') + 1, fmt::format("<style>{}</style>\n", chart_style));
      return svg.insert(svg.find(' '), " xmlns=\"http://www.w3.org/2000/svg\"");   // what a page need not say
    }
  }
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"300\" height=\"20\"><text x=\"4\" "
         "y=\"14\">nothing was "
         "timed</text></svg>\n";
}

}   // namespace tile::bench
