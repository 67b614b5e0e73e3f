// SPDX-License-Identifier: MIT
// What holds a kernel back, in sentences, the most important one first.
#pragma once

#include "runtime/timeline/summary.h"

#include <string>
#include <vector>

namespace tile::timeline {

// Of which CTA, on what.
struct Traced {
  const simulator::Program &program;
  const simulator::ClusterRecord &record;
  const Timeline &timeline;
  const GpuModel &model;
  double hertz;               // of the clock
  bool is_measured = false;   // by stamps; otherwise it is predicted
};

std::vector<std::string> advice(const Traced &traced, const std::vector<Role> &roles);

// What its products are a row of. Stamps do not show when the matrix unit has begun one.
inline const char *row_of_products(const Traced &traced) {
  return traced.is_measured ? "products under way" : "matrix unit";
}

// "gemm.h:120": the name of the file without its folders.
std::string short_place(const Location &where);

}   // namespace tile::timeline
