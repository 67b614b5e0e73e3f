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

// How many times as long as `b` does `a` take, both sampled in the same rounds: the median of what the rounds
// say. A clock that changes from round to round changes both. Of other samples, the quotient of the medians.
double times_as_long(const std::vector<double> &a, const std::vector<double> &b);

}   // namespace tile::bench
