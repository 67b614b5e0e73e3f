// SPDX-License-Identifier: MIT
#include "runtime/tuning/report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <tuple>

namespace tile::tuning {
namespace {

using Outcome = Record::Outcome;

template <class... Values> std::string text(const char *format, Values... values) {
  std::array<char, 64> buffer;
  std::snprintf(buffer.data(), buffer.size(), format, values...);
  return buffer.data();
}

struct Column {
  std::string title;
  std::vector<std::string> cells;   // by record
};

// The fields of "block_m=128 launch.num_warps=8".
std::vector<std::pair<std::string, std::string>> fields_of(std::string_view config) {
  std::vector<std::pair<std::string, std::string>> fields;
  while (!config.empty()) {
    const std::string_view field = config.substr(0, config.find(' '));
    const std::size_t equals = field.find('=');
    if (equals != std::string_view::npos)
      fields.emplace_back(field.substr(0, equals), field.substr(equals + 1));
    config.remove_prefix(std::min(config.size(), field.size() + 1));
  }
  return fields;
}

std::string short_name(std::string name) {
  for (const std::string_view prefix : {"launch.", "num_"})
    if (name.starts_with(prefix))
      name.erase(0, prefix.size());
  return name;
}

// One for each field that is not the same in all configs.
std::vector<Column> config_columns(const std::vector<Record> &records) {
  std::vector<Column> columns;
  for (const Record &record : records) {
    const auto fields = fields_of(record.config);
    columns.resize(std::max(columns.size(), fields.size()));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      columns[i].title = short_name(fields[i].first);
      columns[i].cells.resize(records.size());
      columns[i].cells[static_cast<std::size_t>(&record - records.data())] = fields[i].second;
    }
  }
  std::erase_if(columns, [&](const Column &column) {
    return std::ranges::all_of(column.cells,
                               [&](const std::string &cell) { return cell == column.cells[0]; });
  });
  return columns;
}

// What was timed comes first, by its time, then what failed, what was left out and what was pruned; all in
// config order.
std::vector<std::size_t> ranking(const Sweep &sweep) {
  std::vector<std::size_t> order(sweep.records.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  auto rank = [&](std::size_t i) {
    const Record &r = sweep.records[i];
    const int group = r.outcome == Outcome::timed && r.samples ? (i == sweep.winner ? 0 : 1)
                      : r.outcome == Outcome::failed           ? 2
                      : r.outcome == Outcome::pruned           ? 4
                                                               : 3;
    return std::tuple(group, group == 1 ? r.median : 0.0, i);
  };
  std::ranges::sort(order, {}, rank);
  return order;
}

std::string number_or_unknown(int value) { return value < 0 ? "?" : std::to_string(value); }

std::vector<Column> measured_columns(const Sweep &sweep) {
  std::vector<Column> columns{{sweep.is_predicted ? "predicted" : "median", {}}};
  if (!sweep.is_predicted)
    columns.push_back({"+-", {}});
  const auto was_expected = [](const Record &r) { return r.expected > 0; };
  const bool has_cost = std::ranges::any_of(sweep.records, was_expected);
  if (has_cost)
    columns.push_back({"expected", {}});
  if (sweep.work.flop > 0)
    columns.push_back({"TFLOPS", {}});
  if (sweep.work.bytes > 0)
    columns.push_back({"GB/s", {}});
  for (const char *title : {"regs", "smem KiB", "spill"})
    columns.push_back({title, {}});
  for (const Record &r : sweep.records) {
    std::size_t at = 0;
    auto add = [&](std::string cell) { columns[at++].cells.push_back(std::move(cell)); };
    add(time_text(r.median));
    if (!sweep.is_predicted)
      add(r.stopped_early ? "behind" : text("%.1f%%", 100 * r.spread));
    if (has_cost)
      add(was_expected(r) ? time_text(r.expected) : "");
    if (sweep.work.flop > 0)
      add(r.median > 0 ? text("%.1f", sweep.work.flop / r.median * 1e-12) : "");
    if (sweep.work.bytes > 0)
      add(r.median > 0 ? text("%.1f", sweep.work.bytes / r.median * 1e-9) : "");
    add(number_or_unknown(r.registers));
    add(r.shared_bytes < 0 ? "?" : text("%.1f", r.shared_bytes / 1024.0));
    add(number_or_unknown(r.spill_bytes));
  }
  return columns;
}

constexpr int most_pruned_lines =
    8;   // a kernel may have a list of configs for each case that `keep` tells apart

std::size_t width(const Column &column, const std::vector<Record> &records) {
  std::size_t widest = column.title.size();
  for (std::size_t i = 0; i < records.size(); ++i)
    widest = std::max(widest, column.cells[i].size());
  return widest;
}

void append_right(std::string &line, std::size_t width, const std::string &cell, std::size_t gap) {
  line += std::string(gap + width - std::min(width, cell.size()), ' ') + cell;
}

std::string label(const Sweep &sweep, const Record &record) {
  std::string values;
  const auto at = static_cast<std::size_t>(&record - sweep.records.data());
  for (const Column &column : config_columns(sweep.records))
    values += (values.empty() ? "" : "x") + column.cells[at];
  return values.empty() ? record.config : values;
}

std::string counts(const Sweep &sweep) {
  std::string list =
      std::to_string(sweep.records.size()) + (sweep.records.size() == 1 ? " config" : " configs");
  const char *separator = ": ";
  for (const auto &[outcome, name] : {std::pair{Outcome::timed, sweep.is_predicted ? "predicted" : "timed"},
                                      {Outcome::left_out, "left out"},
                                      {Outcome::pruned, "pruned"},
                                      {Outcome::failed, "failed"}}) {
    const auto of_outcome = [&](const Record &r) { return r.outcome == outcome; };
    if (const auto count = std::ranges::count_if(sweep.records, of_outcome)) {
      list += separator + std::to_string(count) + " " + name;
      separator = ", ";
    }
  }
  return list;
}

}   // namespace

std::string time_text(double seconds) {
  if (seconds >= 1)
    return text("%.2f s", seconds);
  return seconds >= 1e-2 ? text("%.2f ms", seconds * 1e3) : text("%.1f us", seconds * 1e6);
}

std::string status(const Sweep &sweep, const Progressed &progress) {
  auto part = [&](const char *what, std::size_t done) {
    return std::string(what) + " " + std::to_string(done) + "/" + std::to_string(progress.candidates);
  };
  std::string line = part("compile", progress.compiled);
  if (progress.timed)
    line += "   " + part("time", progress.timed);
  if (progress.best)
    line += "   best " + label(sweep, *progress.best) + ": " + time_text(progress.best->median);
  return line;
}

std::string table(const Sweep &sweep) {
  const std::vector<Record> &records = sweep.records;
  std::vector<Column> fields = config_columns(records), measured = measured_columns(sweep);
  std::string all = " #", line;
  for (const Column &column : fields)
    append_right(all, width(column, records), column.title, 2);
  for (const Column &column : measured)
    append_right(all, width(column, records), column.title, 3);
  all += "\n";
  const auto is_pruned = [](const Record &r) { return r.outcome == Outcome::pruned; };
  const auto pruned = std::ranges::count_if(records, is_pruned);
  int rank = 0;
  for (std::size_t i : ranking(sweep)) {
    const Record &r = records[i];
    if (is_pruned(r) && pruned > most_pruned_lines) {
      all += " -  " + std::to_string(pruned) + " configs pruned: " + r.reason + "\n";
      break;   // they come last
    }
    const bool timed = r.outcome == Outcome::timed && r.samples;
    line.clear();
    append_right(line, 2, timed ? std::to_string(++rank) : "-", 0);
    for (const Column &column : fields)
      append_right(line, width(column, records), column.cells[i], 2);
    if (timed)
      for (const Column &column : measured)
        append_right(line, width(column, records), column.cells[i], 3);
    else if (r.outcome == Outcome::open)
      line += i == sweep.winner ? "   taken" : "   not tried";
    else
      line += std::string(r.outcome == Outcome::pruned     ? "   pruned: "
                          : r.outcome == Outcome::left_out ? "   left out: "
                                                           : "   failed: ") +
              r.reason;
    all += line + "\n";
  }
  if (!sweep.not_timed.empty())
    return all + "not timed: " + sweep.not_timed + "\n";
  all += (sweep.is_predicted ? "predicted in " : "tuned in ") + text("%.1f s", sweep.seconds);
  if (sweep.compiled_after > 0)
    all += text(", compiled after %.1f s", sweep.compiled_after);
  if (sweep.finals_after > 0)
    all += text(", finals after %.1f s", sweep.finals_after);
  return all + " (" + counts(sweep) + ")\n";
}

void Printer::started(const Sweep &sweep) {
  line_ = std::make_unique<Progress>("tune " + sweep.kernel + (sweep.key.empty() ? "" : " key " + sweep.key),
                                     options_);
}

void Printer::progressed(const Sweep &sweep, const Progressed &progress) {
  line_->set(status(sweep, progress));
}

void Printer::finished(const Sweep &sweep) {
  end_line();
  std::fputs(
      ("tune " + sweep.kernel + (sweep.key.empty() ? "" : " key " + sweep.key) + "\n" + table(sweep)).c_str(),
      options_.stream);
}

}   // namespace tile::tuning
