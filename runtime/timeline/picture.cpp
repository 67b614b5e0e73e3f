// SPDX-License-Identifier: MIT
#include "runtime/timeline/picture.h"

#include "runtime/report_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tile::timeline {
namespace {

constexpr double labels = 190, width = 1000, row_height = 26, gap = 8;   // of the picture, in its own units
constexpr int columns = 1000;

struct Bar {
  double begin, end;   // cycles
  std::string style;   // its class
  std::string text;    // what it says when it is pointed at
};

std::string style_of(State state) { return fmt::format("s{}", static_cast<int>(state)); }

// Calls draw(column, count, value) for columns side by side that have the same value, unless it is null.
template <class T, class Draw> void for_each_run(const std::vector<T> &values, Draw draw) {
  for (std::size_t begin = 0, end = 0; begin < values.size(); begin = end) {
    while (end < values.size() && values[end] == values[begin])
      ++end;
    if (values[begin])
      draw(static_cast<int>(begin), static_cast<int>(end - begin), values[begin]);
  }
}

class Picture {
 public:
  Picture(const Traced &traced, double begin, double end) : t_(traced), begin_(begin), end_(end) {}

  void row(const std::string &label, const std::vector<Bar> &bars) {
    label_row(label);
    // Where many bars share a column, the longest of them is drawn.
    std::vector<const Bar *> longest(columns, nullptr);
    std::vector<double> covered(columns, 0);
    for (const Bar &bar : bars) {
      if (bar.end <= begin_ || bar.begin >= end_)
        continue;
      const double from = column(std::max(bar.begin, begin_)), to = column(std::min(bar.end, end_));
      for (int i = static_cast<int>(from); i <= std::min<int>(static_cast<int>(to), columns - 1); ++i) {
        const double part = std::min<double>(to, i + 1) - std::max<double>(from, i);
        if (part > covered[static_cast<std::size_t>(i)]) {
          covered[static_cast<std::size_t>(i)] = part;
          longest[static_cast<std::size_t>(i)] = &bar;
        }
      }
    }
    for_each_run(longest,
                 [&](int begin, int count, const Bar *bar) { rectangle(begin, count, 0, row_height, *bar); });
    y_ += row_height + gap;
  }
  // How many of them are under way, as a height.
  void heap(const std::string &label, const std::string &style,
            const std::vector<const Transfer *> &transfers) {
    label_row(label);
    std::vector<int> count(columns, 0);
    for (const Transfer *transfer : transfers)
      if (transfer->end > begin_ && transfer->begin < end_)
        for (int i = static_cast<int>(column(std::max(transfer->begin, begin_)));
             i <= std::min<int>(static_cast<int>(column(std::min(transfer->end, end_))), columns - 1); ++i)
          ++count[static_cast<std::size_t>(i)];
    const int most = std::max(1, *std::ranges::max_element(count));
    for_each_run(count, [&](int begin, int length, int here) {
      const double height = row_height * here / most;
      rectangle(begin, length, row_height - height, height, {0, 0, style, fmt::format("{} under way", here)});
    });
    y_ += row_height + gap;
  }
  void axis() {
    const double seconds = (end_ - begin_) / t_.hertz;
    const double raw = seconds / 6, power = std::pow(10, std::floor(std::log10(raw)));
    const double step = raw / power < 2 ? 2 * power : raw / power < 5 ? 5 * power : 10 * power;
    const double first = begin_ / t_.hertz;
    const double least = std::ceil(first / step);
    for (int i = 0; (least + i) * step <= end_ / t_.hertz; ++i) {
      const double at = (least + i) * step;
      const double x = labels + (at - first) / seconds * width;
      svg_ += fmt::format("<line class=\"tick\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1:.1f}\"/>"
                          "<text class=\"time\" x=\"{0:.1f}\" y=\"{2:.1f}\">{3:.6g} µs</text>\n",
                          x, y_, y_ + 16, at * 1e6);
    }
  }
  // Below the axis, in lines of three.
  void legend() {
    constexpr std::size_t of_line = 3;
    const std::span<const LegendEntry> entries = legend_entries();
    y_ += 24;   // the axis
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const double x = labels + static_cast<double>(i % of_line) * width / of_line;
      svg_ +=
          fmt::format("<rect x=\"{:.0f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" style=\"fill: var(--{})\"/>"
                      "<text class=\"meaning\" x=\"{:.0f}\" y=\"{:.1f}\">{}</text>\n",
                      x, y_ + 6, entries[i].colour, x + 20, y_ + 17, entries[i].meaning);
      if (i % of_line == of_line - 1 || i + 1 == entries.size())
        y_ += 22;
    }
  }
  // `style`: for a file of its own; empty: the page around has it.
  std::string text(std::string_view style = {}) const {
    const std::string begin =
        style.empty() ? "<svg" : "<svg xmlns=\"http://www.w3.org/2000/svg\"";   // a page does without
    const std::string rules = style.empty() ? "" : fmt::format("<style>{}</style>\n", style);
    return fmt::format("{} viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\">{}{}</svg>\n", begin,
                       labels + width + 20, y_ + 24, rules, svg_);
  }

 private:
  double column(double cycles) const { return (cycles - begin_) / (end_ - begin_) * columns; }
  void label_row(const std::string &label) {
    svg_ += fmt::format("<text class=\"label\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", labels - 10,
                        y_ + row_height * 0.68, escaped(label));
  }
  void rectangle(int column, int count, double above, double height, const Bar &bar) {
    svg_ += fmt::format(
        "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"><title>{}</title>"
        "</rect>\n",
        bar.style, labels + column * width / columns, y_ + above, count * width / columns, height,
        escaped(bar.text));
  }
  const Traced &t_;
  double begin_, end_, y_ = 4;
  std::string svg_;
};

std::vector<Bar> bars_of(const Traced &t, const Role &role) {
  std::vector<Bar> bars;
  for (const WarpTimeline &warp : t.timeline.warps)
    if (warp.cta == role.cta && warp.warp == role.first_warp)
      for (const Span &span : warp.spans)
        bars.push_back(
            {span.begin, span.end, style_of(span.state),
             fmt::format("{}: {}, {:.0f} cycles", short_place(t.program.places[span.place].where),
                         span.state == State::computing ? "computes"
                                                        : fmt::format("waits for {}", waited_for(span.state)),
                         span.end - span.begin)});
  return bars;
}

Picture drawn(const Traced &t, const std::vector<Role> &roles, double begin, double end) {
  Picture picture(t, begin, end);
  constexpr unsigned cta = 0;
  for (const Role &role : roles)
    if (role.cta == cta)
      if (const std::vector<Bar> bars = bars_of(t, role); !bars.empty() && bars.back().end > begin)
        picture.row(role.title(), bars);
  std::vector<Bar> products;
  for (const Product &product : t.timeline.products)
    if (product.cta == cta)
      products.push_back(
          {product.begin, product.end, fmt::format("group{}", product.group % 2),
           fmt::format("{}: {} of warps {} to {}", short_place(t.program.places[product.place].where),
                       t.is_measured ? "products until a wait saw them" : "a product", 4 * product.group,
                       4 * product.group + 3)});
  if (!products.empty())
    picture.row(row_of_products(t), products);
  for (const bool stores : {false, true}) {
    std::vector<const Transfer *> transfers;
    for (const Transfer &transfer : t.timeline.transfers)
      if (transfer.cta == cta && transfer.is_store == stores && transfer.begin < end && transfer.end > begin)
        transfers.push_back(&transfer);
    if (!transfers.empty())
      picture.heap(stores ? "stores under way" : "copies under way", stores ? "store" : "copy", transfers);
  }
  picture.axis();
  return picture;
}

}   // namespace

std::string picture(const Traced &t, const std::vector<Role> &roles, double begin, double end) {
  return drawn(t, roles, begin, end).text();
}

std::string picture_file(const Traced &t, const std::vector<Role> &roles, double begin, double end) {
  Picture picture = drawn(t, roles, begin, end);
  picture.legend();
  return picture.text(fmt::format(
      "{}svg {{ background: var(--paper); font-family: system-ui, sans-serif; }}\n", picture_style()));
}

std::span<const LegendEntry> legend_entries() {
  static constexpr LegendEntry entries[] = {{"compute", "computes"},
                                            {"units", "other warps have the arithmetic units"},
                                            {"data", "waits for copied data"},
                                            {"slot", "waits for an empty slot"},
                                            {"products", "waits for products"},
                                            {"results", "waits for loads"},
                                            {"shared", "waits for shared memory"},
                                            {"barrier", "waits at a barrier, or for its turn"},
                                            {"stores", "waits for stores"}};
  return entries;
}

std::string_view picture_style() {
  return R"(:root { color-scheme: light dark;
  --paper: #fff; --ink: #1c2330; --soft: #5b6575; --line: #e3e7ee;
  --compute: #2f6fde; --units: #9dbdf2; --data: #e8862d; --slot: #d5d9e0; --products: #8c6bd0; --results: #c94f4f;
  --shared: #c9a227; --barrier: #7a8394; --stores: #3f9c6a; --matrix0: #3b2e7e; --matrix1: #7d6fd6; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14171d; --ink: #e6e9ef; --soft: #9aa4b5; --line: #2b313c;
  --compute: #5b93f5; --units: #35517f; --data: #f0a050; --slot: #3a414d; --products: #a98af0; --results: #e57373;
  --shared: #d9b84a; --barrier: #8a94a6; --stores: #5cc08c; --matrix0: #b3a6ff; --matrix1: #6f5fd0; } }
@media print { :root { --paper: #fff; --ink: #000; --soft: #444; --line: #ccc; } }
.label { font-size: 13px; text-anchor: end; fill: var(--ink); }
.meaning { font-size: 12px; fill: var(--soft); }
.time { font-size: 12px; text-anchor: middle; fill: var(--soft); }
.tick { stroke: var(--line); stroke-width: 1; }
.s0 { fill: var(--compute); } .s1 { fill: var(--units); } .s2 { fill: var(--data); } .s3 { fill: var(--slot); }
.s4 { fill: var(--data); } .s5 { fill: var(--products); } .s6 { fill: var(--results); } .s7 { fill: var(--shared); }
.s8 { fill: var(--barrier); } .s9 { fill: var(--stores); } .s10, .s11 { fill: var(--barrier); }
.copy { fill: var(--data); } .store { fill: var(--stores); } .group0 { fill: var(--matrix0); } .group1 { fill: var(--matrix1); }
)";
}

}   // namespace tile::timeline
