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

}   // namespace tile::bench
