// SPDX-License-Identifier: MIT
//   gemm f16 nn
//   m x n x k               provider        config      median    +-   TFLOPS  % roof   tile is
//   4096 x 4096 x 4096      tile            ...       310.2 us  0.4%    443.1    41.4
//                           cublas          nn        205.7 us  0.3%    668.2    62.4    0.663 x
#include "runtime/report_text.h"
#include "runtime/tuning/report.h"
#include "tools/bench/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace tile::bench {
namespace {

struct Column {
  std::string title;
  bool is_number = true;
  std::vector<std::string> cells;
};

std::string lines_of(const std::vector<Column> &columns) {
  std::vector<std::size_t> widths;
  for (const Column &column : columns) {
    std::size_t width = column.title.size();
    for (const std::string &cell : column.cells)
      width = std::max(width, cell.size());
    widths.push_back(width);
  }
  std::string text;
  const auto line = [&](const auto &cell_of) {
    std::string one;
    for (std::size_t i = 0; i < columns.size(); ++i)
      one += columns[i].is_number ? fmt::format("{:>{}}   ", cell_of(columns[i]), widths[i])
                                  : fmt::format("{:<{}}   ", cell_of(columns[i]), widths[i]);
    one.resize(one.find_last_not_of(' ') + 1);
    text += one + "\n";
  };
  line([](const Column &c) { return c.title; });
  const std::size_t rows = columns.empty() ? 0 : columns[0].cells.size();
  for (std::size_t r = 0; r < rows; ++r)
    line([r](const Column &c) { return c.cells[r]; });
  return text;
}

std::string heading(const Case &at) {
  const std::string variant = at.variant();
  return at.kernel + (variant.empty() ? "" : " " + variant);
}
std::string size_title(const Case &at) {
  std::string title;
  for (const auto &[name, value] : at.sizes)
    title += (title.empty() ? "" : " x ") + name;
  return title;
}

std::string shortened(const std::string &config) {
  constexpr std::size_t most = 44;
  return config.size() <= most ? config : config.substr(0, most - 3) + "...";
}

const char *outcome_text(Row::Outcome outcome) {
  switch (outcome) {
  case Row::Outcome::failed:
    return "failed: ";
  case Row::Outcome::wrong:
    return "wrong: ";
  case Row::Outcome::left_out:
    return "left out: ";
  case Row::Outcome::timed:
    break;
  }
  return "";
}

// Cases of one kernel and variant, which follow each other.
std::string timed_table(std::span<const Case> cases) {
  const bool flop = cases[0].work.flop > 0;
  std::vector<Column> columns{
      {size_title(cases[0]), false}, {"provider", false}, {"config", false}, {"median"}, {"+-"},
      {flop ? "TFLOPS" : "TB/s"},    {"% roof"},          {"tile is"},       {"regs"}};
  std::string below;
  for (const Case &at : cases) {
    bool first = true;
    const auto add = [&](std::vector<std::string> cells) {
      cells.insert(cells.begin(), first ? at.shape() : "");
      first = false;
      for (std::size_t i = 0; i < columns.size(); ++i)
        columns[i].cells.push_back(cells[i]);
    };
    for (const Row &row : at.rows) {
      if (is_left_out_everywhere(cases, row))
        continue;
      if (row.outcome != Row::Outcome::timed) {
        below += fmt::format("{}: {}{}: {}{}\n", at.shape(), row.provider,
                             row.config.empty() ? "" : " (" + row.config + ")", outcome_text(row.outcome),
                             row.reason);
        continue;
      }
      const double seconds = row.timing.median;
      const std::optional<double> faster = row.provider == "tile" ? std::nullopt : ratio(at, row.provider);
      add({row.provider + (row.is_measured_here ? "" : " *"), shortened(row.config),
           tuning::time_text(seconds), fmt::format("{:.1f}%", 100 * row.timing.spread),
           at.work.flop > 0 || at.work.bytes > 0 ? rate_text(rate(at, seconds).value) : "",
           at.roof_seconds > 0 ? fmt::format("{:.1f}", 100 * at.roof_seconds / seconds) : "",
           faster ? fmt::format("{:.3f} x", *faster) : "",
           !row.resources                 ? ""
           : row.resources->registers < 0 ? "?"
                                          : std::to_string(row.resources->registers)});
    }
    if (!at.checked.empty())
      below += fmt::format("{}: {}\n", at.shape(), at.checked);
    if (!at.skipped.empty())
      below += fmt::format("{}: skipped: {}\n", at.shape(), at.skipped);
  }
  for (const std::string &line : left_out_everywhere(cases))
    below += line + "\n";
  // Registers are told of a user's kernels, rates where they say what they do.
  const auto is_blank = [](const Column &column) {
    return (column.title == "regs" || column.title == "TB/s") &&
           std::ranges::all_of(column.cells, &std::string::empty);
  };
  std::erase_if(columns, is_blank);
  return (columns[0].cells.empty() ? "" : lines_of(columns)) + below;
}

std::string counted_table(std::span<const Case> cases) {
  std::vector<Column> columns{{size_title(cases[0]), false},
                              {"config", false},
                              {"mma"},
                              {"global instructions"},
                              {"sectors"},
                              {"least"},
                              {"shared instructions"},
                              {"wavefronts"},
                              {"least"},
                              {"error"}};
  std::string below;
  const auto n = [](std::uint64_t number) { return grouped(number); };
  for (const Case &at : cases) {
    for (const Row &row : at.rows) {
      if (row.outcome != Row::Outcome::timed) {
        below +=
            fmt::format("{}: {}: {}{}\n", at.shape(), row.provider, outcome_text(row.outcome), row.reason);
        continue;
      }
      std::vector<std::string> cells{at.shape(), shortened(row.config)};
      if (const auto &c = at.counts)
        for (const std::uint64_t number :
             {c->matrix_instructions, c->global_instructions, c->sectors, c->least_sectors,
              c->shared_instructions, c->wavefronts, c->least_wavefronts})
          cells.push_back(n(number));
      cells.resize(columns.size() - 1);
      cells.push_back(fmt::format("{:.2g}", row.error));
      for (std::size_t i = 0; i < columns.size(); ++i)
        columns[i].cells.push_back(cells[i]);
    }
    if (!at.skipped.empty())
      below += fmt::format("{}: skipped: {}\n", at.shape(), at.skipped);
  }
  return (columns[0].cells.empty() ? "" : lines_of(columns)) + below;
}

}   // namespace

std::string rate_text(double value) {
  return value >= 1000  ? fmt::format("{:.0f}", value)
         : value >= 10  ? fmt::format("{:.1f}", value)
         : value >= 0.1 ? fmt::format("{:.2f}", value)
                        : fmt::format("{:.2g}", value);
}

std::string table(const Report &report) {
  std::string text =
      fmt::format("device  {}{}\n", report.device, report.driver.empty() ? "" : ", driver " + report.driver);
  for (const std::string &version : report.versions)
    text += fmt::format("peer    {}\n", version);
  for (const std::string &note : report.notes)
    text += fmt::format("note    {}\n", note);
  const std::span<const Case> all(report.cases);
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin + 1;
    while (end < all.size() && heading(all[end]) == heading(all[begin]))
      ++end;
    const auto some = all.subspan(begin, end - begin);
    text += "\n" + heading(all[begin]) + "\n" + (report.has_clock ? timed_table(some) : counted_table(some));
    begin = end;
  }
  if (!report.cases.empty())
    text += "\n";
  for (const Case &at : report.cases)
    if (std::ranges::any_of(at.rows, [](const Row &row) { return !row.is_measured_here; })) {
      text += "* measured at another time, by another program or both\n";
      break;
    }
  for (const Comparison &c : comparisons(report))
    text += fmt::format("tile is {:.3f} x {} (geometric mean of {} {}), at worst {:.3f} x at {}\n", c.mean,
                        c.peer, c.shapes, c.shapes == 1 ? "shape" : "shapes", c.worst, c.worst_shape);
  if (report.interrupted)
    text += "interrupted: this is what was measured until then\n";
  return text;
}

}   // namespace tile::bench
