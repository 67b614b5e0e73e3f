// SPDX-License-Identifier: MIT
// Many measurements of one thing as three numbers.
#pragma once

#include <vector>

namespace tile::bench {

struct Summary {
  double median = 0;
  double spread = 0;   // half the distance of the 20 % and 80 % quantiles, as a part of the median
  int samples = 0;
};

Summary summarise(std::vector<double> samples);
double quantile(const std::vector<double> &sorted, double q);   // of at least one number

}   // namespace tile::bench
