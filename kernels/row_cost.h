// SPDX-License-Identifier: MIT
// The expected time of a kernel that processes rows and is bound by memory: the bytes that it moves, and a
// loss if a thread has fewer or more elements in flight than it needs to keep memory busy.
#pragma once

#include <tile/device.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tile::kernels::detail {

struct Rows {
  std::int64_t rows, cols;
  int bytes;          // per element
  double reads = 1;   // how often each element is read if a row does not fit a block
  double moved = 2;   // matrices that are read or written if a row fits a block
};

inline double row_seconds(const Machine &machine, const Rows &what, int block, bool whole_row,
                          const Launch &launch) {
  constexpr double share = 0.86, launch_seconds = 1.25e-6, per_thread = 16, from_cache = 0.3;
  const double memory =
      machine.memory_bytes_per_second > 0 ? machine.memory_bytes_per_second * share : 4.1e12;
  const double passes = what.moved + (whole_row ? 0 : from_cache * (what.reads - 1) * (what.moved - 1));
  const double moved = passes * static_cast<double>(what.rows) * static_cast<double>(what.cols) * what.bytes;
  const double each = static_cast<double>(block) / (32.0 * launch.num_warps);
  const double cols = static_cast<double>(std::max<std::int64_t>(what.cols, 1));
  const double masked = std::ceil(cols / block) * block / cols - 1;   // relative to cols
  return launch_seconds + moved / memory * (1 + 0.03 * std::abs(std::log2(each / per_thread)) + 0.1 * masked);
}

}   // namespace tile::kernels::detail
