// SPDX-License-Identifier: MIT
// A launch is a number of waves of tiles; a tile is a number of steps along K, and the storing of the result:
//
//   seconds = launch + fill + waves * (steps * step + what of storing is not hidden)
//   step    = the longest of multiplying, reading shared memory, copying, and a slot's share of the latency,
//             and what is lost between two of them
//
// The figures in clocks and bytes were fitted to what an H200 did with the winners of docs/results; for other
// GPUs they count for each of its multiprocessors and clocks.
#include "kernels/product_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tile::kernels::detail {
namespace {

// Under the load of a product the clock is this part of the highest one, for the power that it takes.
constexpr double loaded_clock = 0.737;
constexpr double memory_share = 0.79;   // of the bandwidth, that a kernel reaches
// What several programs want at a time is fetched again in part. Of many products at once nothing of it is
// seen.
constexpr double fetched_again = 0.05;

constexpr double launch_seconds = 1.25e-6, fill_seconds = 0.62e-6, store_seconds = 0.49e-6;
constexpr double bytes_stored = 14.3;   // by a multiprocessor in a clock

// Of products by groups of four warps, and of those by single warps.
constexpr double group_flop = 4096;   // of 16 bits, by a multiprocessor in a clock
constexpr double box_bytes = 83, thread_copy_bytes = 44;
constexpr double box_latency = 0.58e-6, thread_copy_latency = 1.1e-6;
constexpr double lost_by_a_group = 37, lost_by_several = 29, lost_in_turns = 55, lost_by_copying = 100,
                 lost_by_warps = 68;   // clocks
constexpr double shared_bytes = 128;
constexpr double eight_warps = 1.15;   // where they multiply one by one, and wait for each other
constexpr int registers = 65536, most_registers = 255;

double warp_flop(int capability) {
  if (capability >= 90)
    return 2120;
  return capability == 80 ? 1800 : 900;
}

double ceil_of(std::int64_t a, std::int64_t b) { return static_cast<double>((a + b - 1) / b); }

// Sums that a thread has registers for: of the roles that a kernel of described operands becomes
// (compiler/target/role_registers.h), and of threads that copy and multiply (shared_products.cpp).
int most_sums_of_roles(const Launch &launch) {
  const int groups = std::max(1, launch.num_warps / 4 * (launch.ping_pong ? 2 : 1));
  constexpr int others = 26, step = 8, of_copies = 40;
  const int at_first = std::min(248, registers / (128 * (groups + 1)) / step * step);
  return (groups == 1 ? at_first
                      : std::min(240, (at_first * (groups + 1) - of_copies) / groups / step * step)) -
         others;
}
int most_sums_of_all(const Launch &launch) {
  constexpr int others = 47;
  return std::min(most_registers, registers / (launch.num_warps * 32)) - others;
}

// As compiler/analysis/role_partition.h and shared_products.h decide it, as far as it is known before there
// is a kernel.
bool multiplies_in_groups(const Machine &machine, const Product &product, const ProductTile &tile, int rows,
                          int most_sums) {
  const int groups = tile.launch.num_warps / 4, threads = tile.launch.num_warps * 32;
  const int along_m = std::max(1, std::min(groups, rows / 64));
  return machine.capability == 90 && !product.is_exact && (product.in_bytes == 2 || product.along_k) &&
         tile.launch.num_warps % 4 == 0 && rows % 64 == 0 && tile.block_n % (8 * (groups / along_m)) == 0 &&
         rows * tile.block_n <= most_sums * threads;
}

}   // namespace

// Of a kernel behind the first one, which adds up what the programs that share a tile leave in the cache.
static double seconds_to_add(const Product &product, int split_k, double memory) {
  constexpr double launch_behind_seconds = 2e-6, share = 0.6;
  const double sums = static_cast<double>(product.m) * static_cast<double>(product.n);
  return launch_behind_seconds + sums * (4.0 * split_k + product.out_bytes) / (memory * share);
}

static double seconds_to_multiply(const Machine &machine, const Product &product, const ProductTile &tile) {
  const auto &[bm, bn, bk, launch, split_k, is_described, stores_described] = tile;
  const int ctas = std::max(1, launch.num_ctas), rows = bm / ctas, threads = launch.num_warps * 32;
  const double clock = machine.clock_hertz > 0 ? machine.clock_hertz * loaded_clock : 1.46e9;
  const double memory =
      machine.memory_bytes_per_second > 0 ? machine.memory_bytes_per_second * memory_share : 3.8e12;
  const double shared_there = machine.shared_bytes > 0 ? machine.shared_bytes : 227 * 1024;
  const auto holds = [&](int most_sums) {
    return multiplies_in_groups(machine, product, tile, rows, most_sums);
  };
  const bool by_boxes =
      is_described && holds(most_sums_of_roles(launch));   // a warp of its own has them copied
  const bool in_groups = by_boxes || holds(most_sums_of_all(launch));

  const double slot = static_cast<double>(rows + bn) * bk * product.in_bytes;
  const int slots = std::max(1, launch.num_stages);
  if (slot * slots > shared_there)
    return std::numeric_limits<double>::infinity();

  const double tiles =
      static_cast<double>(product.count) * ceil_of(product.m, bm) * ceil_of(product.n, bn) * ctas * split_k;
  if (tiles == 0)
    return launch_seconds;
  const double steps = std::ceil(ceil_of(product.k, bk) / split_k);
  const double here = machine.multiprocessors, busy = std::min(tiles, here);

  // CTAs of one multiprocessor: those with roles of warps have it to themselves.
  const double sums = static_cast<double>(rows) * bn / threads;
  double together = 1;
  if (!by_boxes) {
    const double of_registers = registers / (threads * std::min<double>(most_registers, sums + 90));
    together = std::max(1.0, std::floor(std::min(shared_there / (slot * slots + 1024), of_registers)));
    together = std::min(together, std::ceil(tiles / here));
  }
  const double waves = std::ceil(tiles / (here * together));

  const double per_clock = product.is_exact ? 256 : in_groups ? group_flop : warp_flop(machine.capability);
  const double multiplying =
      2.0 * rows * bn * bk / (product.is_exact ? per_clock : per_clock * 2 / product.in_bytes);
  double read = static_cast<double>(bn) * bk * rows / 64 + static_cast<double>(rows) * bk;   // elements
  if (!in_groups) {
    const int along_m = std::max(1, std::min(launch.num_warps == 8 ? 4 : 2, rows / 16));
    const int along_n = std::max(1, launch.num_warps / along_m);
    read = launch.num_warps * (static_cast<double>(rows) / along_m + static_cast<double>(bn) / along_n) * bk;
  }
  const double copied = (rows + static_cast<double>(bn) / ctas) * bk * product.in_bytes;
  const double reading = (read * product.in_bytes + (in_groups && !by_boxes ? copied : 0)) / shared_bytes;
  const double copying = copied / (by_boxes ? box_bytes : thread_copy_bytes) * busy / here;
  // Of products that go on while the threads copy a slot more is being read.
  const int ahead = in_groups && !by_boxes && slots > 2 ? slots - 2 : slots - 1;
  const double waiting = (by_boxes ? box_latency : thread_copy_latency) / std::max(1, ahead);
  const double lost = !in_groups              ? lost_by_warps
                      : !by_boxes             ? together * lost_by_copying
                      : launch.ping_pong      ? lost_in_turns
                      : launch.num_warps >= 8 ? lost_by_several
                                              : lost_by_a_group;
  double step =
      std::max(together * std::max({multiplying, reading, copying}) / clock, waiting) + lost / clock;
  if (!in_groups) {
    if (launch.num_warps >= 8)
      step *= eight_warps;
    if (sums + 90 > most_registers || threads * (sums + 60) > registers)   // it spills
      step *= 1.3;
  }

  double storing =
      together * rows * bn * product.out_bytes / (bytes_stored * clock) * busy / here + store_seconds;
  if (!stores_described && is_described)
    storing *= 1.5;
  const double multiplied = waves * steps * step;
  const double stored = launch.ping_pong ? storing : waves * storing;   // in turns all but the last is hidden
  const double m = static_cast<double>(product.m), n = static_cast<double>(product.n),
               k = static_cast<double>(product.k);
  const double again = product.count == 1 ? fetched_again : 0;
  const auto fetched = [&](double programs) { return 1 + again * (programs - 1); };
  const double size =
      product.in_bytes * k * (m * fetched(ceil_of(product.n, bn)) + n * fetched(ceil_of(product.m, bm))) +
      product.out_bytes * m * n;
  const double computing = multiplied + stored + fill_seconds;
  const double moving = static_cast<double>(product.count) * size / memory;
  // Both at a time, and a little of the shorter one is seen all the same.
  return launch_seconds + std::max(computing, moving) + 0.05 * std::min(computing, moving);
}

double product_seconds(const Machine &machine, const Product &product, const ProductTile &tile) {
  if (tile.split_k <= 1)
    return seconds_to_multiply(machine, product, tile);
  Product of_parts = product;
  of_parts.out_bytes = 4;
  const double memory = machine.memory_bytes_per_second > 0 ? machine.memory_bytes_per_second : 4.8e12;
  return seconds_to_multiply(machine, of_parts, tile) + seconds_to_add(product, tile.split_k, memory);
}

}   // namespace tile::kernels::detail
