// SPDX-License-Identifier: MIT
#include "compiler/layout/svg.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>

namespace tile::layout {
namespace {

constexpr unsigned Banks = 32;
constexpr int Margin = 64, CellHeight = 20, LegendHeight = 16, LegendWidth = 220;

template <class... Values> std::string text(const char *format, Values... values) {
  std::array<char, 256> buffer;
  std::snprintf(buffer.data(), buffer.size(), format, values...);
  return buffer.data();
}

std::string escaped(const std::string &plain) {
  std::string result;
  for (char c : plain)
    result += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return result;
}

// Neighbouring numbers get hues that are far apart: a golden section of the circle.
std::string color(std::uint64_t hueNumber, double lightness) {
  const double hue = static_cast<double>((hueNumber * 137 + 210) % 360);
  return text("hsl(%.0f,65%%,%.0f%%)", hue, lightness);
}
std::string threadColor(std::uint64_t warp, std::uint64_t lane) {
  return color(warp, 88 - 26.0 * static_cast<double>(lane) / 31);
}
// Along the circle in order: neighbouring banks look alike, a conflict repeats one colour in a column.
std::string bankColor(unsigned bank) { return text("hsl(%.0f,60%%,78%%)", bank * 360.0 / Banks); }

struct Cell {
  std::string label, fill;
};

class Picture {
 public:
  Picture(const TileLayout &layout, const SvgOptions &options) : layout_(layout), options_(options) {
    const std::vector<std::int64_t> shape = layout.shape();
    rows_ = shape.size() == 1 ? 1 : shape[0];
    cols_ = shape.back();
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t j = 0; j < cols_; ++j) {
        cells_.push_back(cell(layout.place(shape.size() == 1 ? Coordinates{j} : Coordinates{i, j})));
        longest_ = std::max(longest_, cells_.back().label.size());
      }
  }

  std::string draw() {
    const int cellWidth = std::max(24, static_cast<int>(longest_) * 7 + 6);
    const int gridWidth = static_cast<int>(cols_) * cellWidth,
              gridHeight = static_cast<int>(rows_) * CellHeight;
    const int legendLeft = Margin + gridWidth + 24;
    const int width = legendLeft + LegendWidth;
    const auto legendEnd = Margin + static_cast<int>(legend().size() + 3) * LegendHeight;
    const int height = std::max(Margin + gridHeight, legendEnd) + 20;
    svg_ = text("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                "font-family=\"monospace\" font-size=\"11\">\n",
                width, height, width, height) +
           "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
           text("<text x=\"%d\" y=\"18\" font-size=\"13\">", 4) + escaped(options_.title) + "</text>\n";
    drawAxes(cellWidth);
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      const auto row = static_cast<int>(i) / static_cast<int>(cols_),
                 col = static_cast<int>(i) % static_cast<int>(cols_);
      const int x = Margin + col * cellWidth, y = Margin + row * CellHeight;
      box(x, y, cellWidth, CellHeight, cells_[i].fill);
      label(x + cellWidth / 2, y + 14, "middle", cells_[i].label);
    }
    drawLegend(legendLeft);
    return std::move(svg_) + "</svg>\n";
  }

 private:
  Cell cell(const Place &place) const {
    if (layout_.isShared())
      return {std::to_string(place.reg), bankColor(bankOf(place.reg, options_.elementBits))};
    return {std::to_string(place.lane) + ":" + std::to_string(place.reg),
            threadColor(place.warp, place.lane)};
  }

  std::vector<Cell> legend() const {
    std::vector<Cell> entries;
    if (layout_.isShared())
      for (unsigned bank = 0; bank < Banks; ++bank)
        entries.push_back({"bank " + std::to_string(bank), bankColor(bank)});
    else
      for (unsigned warp = 0; warp < layout_.warps(); ++warp)
        entries.push_back({"warp " + std::to_string(warp), threadColor(warp, 16)});
    return entries;
  }

  // Numbers as sparse as they can be read.
  void drawAxes(int cellWidth) {
    const bool flat = layout_.rank() == 1;
    label(Margin, Margin - 22, "start", flat ? "axis 0 \xE2\x86\x92" : "axis 1 \xE2\x86\x92");
    if (!flat)
      label(4, Margin - 22, "start", "axis 0 \xE2\x86\x93");
    for (std::int64_t j = 0; j < cols_; ++j)
      label(Margin + static_cast<int>(j) * cellWidth + cellWidth / 2, Margin - 6, "middle",
            std::to_string(j));
    for (std::int64_t i = 0; i < rows_ && !flat; ++i)
      label(Margin - 6, Margin + static_cast<int>(i) * CellHeight + 14, "end", std::to_string(i));
  }

  void drawLegend(int left) {
    int y = Margin;
    const bool shared = layout_.isShared();
    label(left, y + 10, "start", shared ? "cell: offset in elements" : "cell: lane:register");
    y += LegendHeight;
    label(left, y + 10, "start", shared ? "colour: bank of 4 bytes" : "light to dark: lane 0 to 31");
    y += LegendHeight + 6;
    for (const Cell &entry : legend()) {
      box(left, y, 24, LegendHeight, entry.fill);
      label(left + 32, y + 12, "start", entry.label);
      y += LegendHeight;
    }
  }

  void box(int x, int y, int width, int height, const std::string &fill) {
    svg_ += text("<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"#999\" "
                 "stroke-width=\".5\"/>\n",
                 x, y, width, height, fill.c_str());
  }
  void label(int x, int y, const char *anchor, const std::string &what) {
    svg_ += text("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">", x, y, anchor) + what + "</text>\n";
  }

  const TileLayout &layout_;
  const SvgOptions &options_;
  std::int64_t rows_, cols_;
  std::vector<Cell> cells_;
  std::size_t longest_ = 0;
  std::string svg_;
};

}   // namespace

unsigned bankOf(std::int64_t offset, unsigned elementBits) {
  return static_cast<unsigned>(static_cast<std::uint64_t>(offset) * elementBits / 32 % Banks);
}

std::string svg(const TileLayout &layout, const SvgOptions &options) {
  assert(layout.rank() == 1 || layout.rank() == 2);
  return Picture(layout, options).draw();
}

}   // namespace tile::layout
