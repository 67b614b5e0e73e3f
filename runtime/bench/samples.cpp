// SPDX-License-Identifier: MIT
#include "runtime/bench/samples.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace tile::bench {

double quantile(const std::vector<double> &sorted, double q) {
  return sorted[static_cast<std::size_t>(std::lround(q * static_cast<double>(sorted.size() - 1)))];
}

Summary summarise(std::vector<double> samples) {
  if (samples.empty())
    return {};
  std::ranges::sort(samples);
  Summary summary{.median = quantile(samples, 0.5), .samples = static_cast<int>(samples.size())};
  if (summary.median > 0)
    summary.spread = (quantile(samples, 0.8) - quantile(samples, 0.2)) / 2 / summary.median;
  return summary;
}

double times_as_long(const std::vector<double> &a, const std::vector<double> &b) {
  if (a.size() != b.size() || std::ranges::count(b, 0.0) > 0)
    return summarise(a).median / summarise(b).median;
  std::vector<double> quotients;
  for (std::size_t round = 0; round < a.size(); ++round)
    quotients.push_back(a[round] / b[round]);
  return summarise(quotients).median;
}

}   // namespace tile::bench
