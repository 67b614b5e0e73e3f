// SPDX-License-Identifier: MIT
// The expected time of a kernel that processes rows and is bound by memory: the bytes that it moves, and a
// loss if a thread has fewer or more elements in flight than it needs to keep memory busy.
#pragma once

#include <tile/device.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace tile::kernels::detail {

struct Rows {
  std::int64_t rows, cols;
  int bytes;          // per element
  double reads = 1;   // how often each element is read if a row does not fit a block
  double moved = 2;   // matrices that are read or written if a row fits a block
};

// What moves so many bytes takes. `each`: elements of a thread, of which `per_thread` are best; `masked`:
// elements that are masked off, relative to the others.
inline double seconds_of_moving(const Machine &machine, double bytes, double each, double masked,
                                double per_thread = 16) {
  constexpr double share = 0.86, launch_seconds = 1.25e-6;
  const double memory =
      machine.memory_bytes_per_second > 0 ? machine.memory_bytes_per_second * share : 4.1e12;
  return launch_seconds + bytes / memory * (1 + 0.03 * std::abs(std::log2(each / per_thread)) + 0.1 * masked);
}

inline double multiprocessors_of(const Machine &machine) {
  return machine.multiprocessors > 0 ? machine.multiprocessors : 132;
}
// The part of the multiprocessors that have something to do: few programs leave some of them idle.
inline double busy_part(const Machine &machine, double programs) {
  return std::min(1.0, programs / multiprocessors_of(machine));
}
// A multiprocessor begins one program after the other, however short they are: on an H200, a launch of many
// begins one each 1.21 ns.
inline double seconds_of_beginning(const Machine &machine, double programs) {
  constexpr double seconds_to_begin = 160e-9;
  return programs / multiprocessors_of(machine) * seconds_to_begin;
}

// Relative to memory: what a program reads again comes from the cache, if the rows of all that run fit a
// quarter of it.
inline double cost_of_reading_again(const Machine &machine, const Rows &what, const Launch &launch) {
  constexpr double from_cache = 0.3, threads_at_once = 1024, cache_of_h200 = 60e6;
  const double cache = machine.cache_bytes > 0 ? static_cast<double>(machine.cache_bytes) : cache_of_h200;
  const double programs =
      multiprocessors_of(machine) * std::max(1.0, threads_at_once / (32.0 * launch.num_warps));
  const double rows = std::min(programs, static_cast<double>(what.rows));
  const double bytes = rows * static_cast<double>(what.cols) * what.bytes * (what.moved - 1);
  return bytes <= cache / 4 ? from_cache : 1;
}

// Whether one CTA takes most registers of a multiprocessor, so that nobody loads while it computes. A thread
// has what it has read as f32, and some more registers.
inline bool is_alone(const Rows &what, double each, const Launch &launch) {
  constexpr double others = 30, all = 65536;
  return 2 * 32.0 * launch.num_warps * (each * (what.moved - 1) + others) > all;
}

// Of a kernel that works row by row. `together`: the rows that a program of the launch takes. 0: the number
// of programs does not follow from that of the rows, and they are no limit.
inline double row_seconds(const Machine &machine, const Rows &what, int block, bool whole_row,
                          const Launch &launch, int together = 0) {
  // The CTAs of a cluster wait for each other, and load the next row meanwhile. That takes a longer part of a
  // row in each thread.
  const bool is_cluster = launch.num_ctas > 1;
  constexpr double in_cluster = 1.07;
  // A kernel that writes no row is fastest with few threads for a row that it keeps.
  const bool only_reads = what.moved <= 1;
  const double per_thread = is_cluster || (only_reads && whole_row) ? 32 : 16;
  if (is_cluster && machine.capability > 0 && machine.capability < 90)
    return std::numeric_limits<double>::infinity();   // no clusters
  const double cols = static_cast<double>(std::max<std::int64_t>(what.cols, 1));
  const double again = whole_row ? 0 : cost_of_reading_again(machine, what, launch) * (what.reads - 1);
  const double threads = 32.0 * launch.num_warps * launch.num_ctas;
  const double each = std::max(together, 1) * static_cast<double>(block) / threads;
  const double slower = is_cluster                                  ? in_cluster
                        : whole_row && is_alone(what, each, launch) ? 1.25
                        : only_reads && !whole_row                  ? 1.1
                                                                    : 1;
  const double passes = (what.moved + again * (what.moved - 1)) * slower;
  const double moved = passes * static_cast<double>(what.rows) * static_cast<double>(what.cols) * what.bytes;
  // Relative to cols. Without stores there is little else to wait for.
  const double masked = (std::ceil(cols / block) * block / cols - 1) * (only_reads ? 5 : 1);
  if (together == 0)
    return seconds_of_moving(machine, moved, each, masked);
  const double programs = std::ceil(static_cast<double>(std::max<std::int64_t>(what.rows, 1)) / together);
  return std::max(seconds_of_moving(machine, moved / busy_part(machine, programs * launch.num_ctas), each,
                                    masked, per_thread),
                  seconds_of_beginning(machine, programs));
}

// What goes along an axis of a tensor, and along the same axis of the tiles that cover it. Tiles of an axis
// that is not in the grid are taken by one program.
struct Covered {
  std::int64_t extent;
  int block;
  bool is_in_grid = true;
};

// Of a kernel that reads and writes each tile once.
inline double tile_seconds(const Machine &machine, std::initializer_list<Covered> axes, double bytes,
                           const Launch &launch) {
  double tiles = 1, programs = 1, of_tile = 1, elements = 1;
  for (const auto &[extent, block, is_in_grid] : axes) {
    const double count = static_cast<double>(std::max<std::int64_t>(extent, 1));
    tiles *= std::ceil(count / block);
    programs *= is_in_grid ? std::ceil(count / block) : 1;
    of_tile *= block;
    elements *= count;
  }
  const double moving =
      seconds_of_moving(machine, bytes / busy_part(machine, programs), of_tile / (32.0 * launch.num_warps),
                        tiles * of_tile / elements - 1);
  return std::max(moving, seconds_of_beginning(machine, programs));
}

}   // namespace tile::kernels::detail
