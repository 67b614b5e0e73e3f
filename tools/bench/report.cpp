// SPDX-License-Identifier: MIT
#include "tools/bench/report.h"

#include "runtime/bench/samples.h"

#include <algorithm>
#include <cmath>

namespace tile::bench {

std::string Case::shape() const {
  std::string text;
  for (const auto &[name, value] : sizes)
    text += (text.empty() ? "" : " x ") + value;
  return text;
}

std::string Case::variant() const {
  std::string text;
  for (const auto &[name, value] : choices)
    if (name == "dtype" || name == "trans" ||
        std::ranges::find(unusual, name, [](const auto &u) { return u.first; }) != unusual.end())
      text += (text.empty() ? "" : " ") + value;
  return text;
}

// Of several configs of ours, the fastest.
const Row *best_row(const Case &at, const std::string &provider) {
  const Row *best = nullptr;
  for (const Row &row : at.rows)
    if (row.provider == provider && row.outcome == Row::Outcome::timed && row.timing.median > 0 &&
        (!best || row.timing.median < best->timing.median))
      best = &row;
  return best;
}

std::optional<double> ratio(const Case &at, const std::string &peer) {
  const Row *ours = best_row(at, "tile"), *theirs = best_row(at, peer);
  if (!ours || !theirs)
    return {};
  if (!theirs->is_measured_here)
    return theirs->timing.median / ours->timing.median;
  return times_as_long(theirs->timing.samples, ours->timing.samples);
}

std::vector<Comparison> comparisons(const Report &report) {
  std::vector<Comparison> all;
  for (const std::string &peer : report.providers) {
    if (peer == "tile")
      continue;
    Comparison comparison{.peer = peer};
    double logs = 0;
    for (const Case &at : report.cases)
      if (const std::optional<double> r = ratio(at, peer)) {
        logs += std::log(*r);
        if (comparison.shapes++ == 0 || *r < comparison.worst) {
          comparison.worst = *r;
          comparison.worst_shape = at.shape();
        }
      }
    if (comparison.shapes == 0)
      continue;
    comparison.mean = std::exp(logs / comparison.shapes);
    all.push_back(comparison);
  }
  return all;
}

bool is_left_out_everywhere(std::span<const Case> cases, const Row &row) {
  return row.outcome == Row::Outcome::left_out && std::ranges::all_of(cases, [&](const Case &at) {
           return !at.skipped.empty() || std::ranges::any_of(at.rows, [&](const Row &other) {
             return other.provider == row.provider && other.outcome == row.outcome &&
                    other.reason == row.reason;
           });
         });
}

std::vector<std::string> left_out_everywhere(std::span<const Case> cases) {
  std::vector<std::string> lines;
  for (const Case &at : cases)
    for (const Row &row : at.rows) {
      const std::string line = row.provider + ": left out: " + row.reason;
      if (is_left_out_everywhere(cases, row) && std::ranges::find(lines, line) == lines.end())
        lines.push_back(line);
    }
  return lines;
}

bool has_failures(const Report &report) {
  for (const Case &at : report.cases)
    for (const Row &row : at.rows)
      if (row.outcome == Row::Outcome::failed || row.outcome == Row::Outcome::wrong)
        return true;
  return false;
}

Rate rate(const Case &at, double seconds) {
  constexpr double tera = 1e12;
  if (at.work.flop > 0)
    return {at.work.flop / seconds / tera, "TFLOPS"};
  return {at.work.bytes / seconds / tera, "TB/s"};
}

}   // namespace tile::bench
