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
  double hertz;   // of the clock
};

std::vector<std::string> advice(const Traced &traced, const std::vector<Role> &roles);

// "gemm.h:120": the name of the file without its folders.
std::string short_place(const Location &where);

}   // namespace tile::timeline
