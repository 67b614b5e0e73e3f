// SPDX-License-Identifier: MIT
// A launch is a number of waves of tiles. A tile is a number of steps along K, and the storing of the result:
//
//   seconds   = launch + join(computing, moving) + adding the parts of K
//   computing = fill + for each wave: steps * step + storing
//   step      = join(multiplying, copying, a slot's share of the time that a copy takes)
//               + what is lost between two steps
//   moving    = the bytes of the operands and the result / bandwidth of the memory
//
// Work that overlaps is joined by a norm: join(a, b) is a little more than the longer of the two, and most
// where both take as long. The last wave has fewer CTAs, which have more of the cache's bandwidth each.
//
// The figures in clocks and bytes are fitted to 260 sweeps of an H200 (docs/results/sweeps). They count for
// each multiprocessor and clock, so other GPUs have the same ones.
#include "kernels/product_cost.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tile::kernels::detail {
namespace {

constexpr int registers = 65536, most_registers = 255;

// How the blocks come to the matrix units, and what that costs.
struct Way {
  double flop;        // of 16 bits, by a multiprocessor in a clock
  double copied;      // bytes in a clock, by a multiprocessor while all of them copy: what the cache gives
  double latency;     // seconds until a copy begins to arrive
  double arrival;     // bytes of a copy that arrive in a clock; 0: all at once
  double sharpness;   // of the norm that joins the parts of a step
  double lost;        // clocks between two steps
  // How many more bytes are fetched where rows of operands do not begin at 128 bytes, and where rows of
  // blocks are narrower.
  double unaligned, narrow;
};

double warp_flop(int capability) {
  if (capability >= 90)
    return 2120;
  return capability == 80 ? 1800 : 900;
}

// Another role has the blocks copied as boxes. In ping-pong, one group multiplies while the other one stores
// and waits.
Way by_boxes(const Launch &launch) {
  return {.flop = 4096,
          .copied = 70,
          .latency = 0.16e-6,
          .arrival = 48,
          .sharpness = 2.5,
          .lost = launch.ping_pong        ? 0.0
                  : launch.num_warps >= 8 ? 44.0
                                          : 24.0,
          .unaligned = 1.26,
          .narrow = 1.14};
}
// The threads that multiply copy as well.
Way by_threads(bool in_groups, double together, int capability) {
  return {.flop = in_groups ? 4096 : warp_flop(capability),
          .copied = 44,
          .latency = 1.1e-6,
          .arrival = 0,
          .sharpness = 6,
          .lost = in_groups ? together * 100 : 68,
          .unaligned = 0,
          .narrow = 0};
}

constexpr double exact_flop = 256;     // in f32 arithmetic, by a multiprocessor in a clock
constexpr double read_bytes = 128;     // of shared memory in a clock
constexpr double read_sharpness = 6;   // of the norm that joins multiplying and reading
// Warps that multiply one by one: where eight wait for each other, and where the registers do not suffice.
constexpr double eight_warps = 1.15, spilling = 1.3;

constexpr double stored_bytes = 67;   // by a multiprocessor in a clock
// How much longer that takes for rows that do not begin at 128 bytes, for those of a transposed tile, and by
// threads where the operands come by descriptors.
constexpr double unaligned_store = 0.59, transposed_store = 2.4, pointer_store = 1.5;

constexpr double launch_seconds = 2.5e-6, fill_seconds = 0.1e-6;
// Before the first step: of CTAs that wait for each other, and in ping-pong, where the only wave has work for
// one of the groups alone.
constexpr double cluster_seconds = 0.96e-6, idle_group_seconds = 0.87e-6;
constexpr double memory_share = 0.80;      // of the bandwidth, that a kernel reaches
constexpr double memory_sharpness = 2.2;   // of the norm that joins computing and moving
// The clock falls so much where the matrix units are always busy, for the power that they take.
constexpr double clock_loss = 0.31;

double ceil_of(double a, double b) { return std::ceil(a / b); }

double join(double sharpness, std::initializer_list<double> parts) {
  const double longest = std::max(parts);
  if (longest == 0)
    return 0;
  double sum = 0;
  for (const double part : parts)
    sum += std::pow(part / longest, sharpness);
  return longest * std::pow(sum, 1 / sharpness);
}

// The largest power of two up to 128 that divides the bytes, as a part of a line of the cache.
double alignment_of(double bytes) {
  return static_cast<double>(std::gcd(static_cast<std::int64_t>(bytes), std::int64_t{128})) / 128;
}

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
bool multiplies_in_groups(const Machine &machine, const Product &product, const Launch &launch, int rows,
                          int cols, int most_sums) {
  const int groups = launch.num_warps / 4, threads = launch.num_warps * 32;
  const int along_m = std::max(1, std::min(groups, rows / 64));
  return machine.capability == 90 && !product.is_exact &&
         (product.in_bytes == 2 || (product.a_along_k && product.b_along_k)) && launch.num_warps % 4 == 0 &&
         rows % 64 == 0 && cols % (8 * (groups / along_m)) == 0 && rows * cols <= most_sums * threads;
}

// Of a kernel behind the first one, which adds up what the programs that share a tile leave in the cache.
double seconds_to_add(const Product &product, int split_k, double memory) {
  constexpr double launch_behind_seconds = 2.05e-6, share = 1;
  const double sums = static_cast<double>(product.m) * static_cast<double>(product.n);
  return launch_behind_seconds + sums * (4.0 * split_k + product.out_bytes) / (memory * share);
}

// The rows of a matrix, and of the blocks that are copied of it.
struct Operand {
  double row_bytes, block_row_bytes;
  // How many bytes are fetched for one that is used.
  double fetched(const Way &way) const {
    return 1 + way.unaligned * (1 - alignment_of(row_bytes)) +
           way.narrow * (1 / alignment_of(block_row_bytes) - 1);
  }
};

Operand operand(const Product &product, bool along_k, std::int64_t across, int block_across, int block_k) {
  return {.row_bytes = static_cast<double>(along_k ? product.k : across) * product.in_bytes,
          .block_row_bytes = static_cast<double>(along_k ? block_k : block_across) * product.in_bytes};
}

double seconds_to_multiply(const Machine &machine, const Product &given, const ProductTile &tile) {
  Product product = given;
  int bm = tile.block_m, bn = tile.block_n;
  if (tile.swap_ab) {
    std::swap(product.m, product.n);
    std::swap(product.a_along_k, product.b_along_k);
    std::swap(bm, bn);
  }
  const Launch &launch = tile.launch;
  const int bk = tile.block_k, ctas = std::max(1, launch.num_ctas), rows = bm / ctas,
            threads = launch.num_warps * 32;
  const double highest_clock = machine.clock_hertz > 0 ? machine.clock_hertz : 1.98e9;
  const double memory =
      (machine.memory_bytes_per_second > 0 ? machine.memory_bytes_per_second : 4.8e12) * memory_share;
  const double shared_there = machine.shared_bytes > 0 ? machine.shared_bytes : 227 * 1024;
  const auto holds = [&](int most_sums) {
    return multiplies_in_groups(machine, product, launch, rows, bn, most_sums);
  };
  const bool has_roles = tile.is_described && holds(most_sums_of_roles(launch));
  const bool in_groups = has_roles || holds(most_sums_of_all(launch));

  const double slot = static_cast<double>(rows + bn) * bk * product.in_bytes;
  const int slots = std::max(1, launch.num_stages);
  if (slot * slots > shared_there)
    return std::numeric_limits<double>::infinity();

  const double m = static_cast<double>(product.m), n = static_cast<double>(product.n),
               k = static_cast<double>(product.k), count = static_cast<double>(product.count);
  const double tiles = count * ceil_of(m, bm) * ceil_of(n, bn) * ctas * tile.split_k;
  if (tiles == 0)
    return launch_seconds;
  const double steps = ceil_of(ceil_of(k, bk), tile.split_k);

  // CTAs of one multiprocessor: those with roles of warps have it to themselves.
  const double here = machine.multiprocessors, sums = static_cast<double>(rows) * bn / threads;
  double together = 1;
  if (!has_roles) {
    const double of_registers = registers / (threads * std::min<double>(most_registers, sums + 90));
    together = std::max(1.0, std::floor(std::min(shared_there / (slot * slots + 1024), of_registers)));
    together = std::min(together, ceil_of(tiles, here));
  }
  const Way way = has_roles ? by_boxes(launch) : by_threads(in_groups, together, machine.capability);

  const double flop = (product.is_exact ? exact_flop : way.flop * 2 / product.in_bytes);
  const double multiplying = 2.0 * rows * bn * bk / flop;   // clocks
  const double a = static_cast<double>(rows) * bk * product.in_bytes,
               b = static_cast<double>(bn) * bk * product.in_bytes;
  const double fetched_a = a * operand(product, product.a_along_k, product.m, rows, bk).fetched(way);
  const double fetched_b = b * operand(product, product.b_along_k, product.n, bn, bk).fetched(way);
  double read = b * rows / 64 + a;
  if (!in_groups) {
    const int along_m = std::max(1, std::min(launch.num_warps == 8 ? 4 : 2, rows / 16));
    const int along_n = std::max(1, launch.num_warps / along_m);
    read = launch.num_warps * (a / along_m + b / along_n);
  }
  if (in_groups && !has_roles)
    read += a + b;   // which the threads write there
  // Of products that go on while the threads copy, a slot more is being read.
  const int ahead = in_groups && !has_roles && slots > 2 ? slots - 2 : slots - 1;
  const double fetched = fetched_a + fetched_b;
  const double waiting =
      (way.latency + (way.arrival > 0 ? fetched / (way.arrival * highest_clock) : 0)) / std::max(1, ahead);
  double slowness = 1;
  if (!in_groups) {
    if (launch.num_warps >= 8)
      slowness = eight_warps;
    if (sums + 90 > most_registers || threads * (sums + 60) > registers)
      slowness *= spilling;
  }

  const double in_full_wave = here * together, full_waves = std::floor(tiles / in_full_wave),
               in_last_wave = tiles - full_waves * in_full_wave;
  // Of a cluster, each CTA fetches its part of b and gets the other parts from the others.
  const double from_cache = fetched_a + fetched_b / ctas;
  const double using_blocks = together * join(read_sharpness, {multiplying, read / read_bytes});   // clocks
  const auto step = [&](double clock, double busy) {
    const double copying = together * from_cache / (way.copied * highest_clock) * busy / in_full_wave;
    return slowness * (join(way.sharpness, {using_blocks / clock, copying, waiting}) + way.lost / clock);
  };
  const double part_of_line = alignment_of(static_cast<double>(given.n) * product.out_bytes);
  const double store_factor = (1 + unaligned_store * (1 - part_of_line) +
                               (tile.swap_ab ? transposed_store * (1 / part_of_line - 1) : 0)) *
                              (tile.is_described && !tile.stores_described ? pointer_store : 1);
  const auto storing = [&](double clock, double busy) {
    return together * rows * bn * product.out_bytes * store_factor / (stored_bytes * clock) * busy /
           in_full_wave;
  };
  const auto computing = [&](double clock) {
    double seconds = fill_seconds + (ctas > 1 ? cluster_seconds : 0) +
                     (launch.ping_pong && full_waves == 0 ? idle_group_seconds : 0);
    if (full_waves > 0)
      seconds += full_waves *
                 (steps * step(clock, in_full_wave) + (launch.ping_pong ? 0 : storing(clock, in_full_wave)));
    if (in_last_wave > 0)
      seconds += steps * step(clock, in_last_wave) + (launch.ping_pong ? 0 : storing(clock, in_last_wave));
    if (launch.ping_pong)   // while one group stores, the other one multiplies: only the last is seen
      seconds += storing(clock, in_last_wave > 0 ? in_last_wave : in_full_wave);
    return seconds;
  };
  const double moving = count * (product.in_bytes * k * (m + n) + product.out_bytes * m * n) / memory;
  const auto all = [&](double clock) {
    return launch_seconds + join(memory_sharpness, {computing(clock), moving});
  };
  const double at_highest = all(highest_clock);
  const double use = std::min(1.0, steps * tiles * multiplying / (highest_clock * here) / at_highest);
  return all(highest_clock * (1 - clock_loss * use));
}

}   // namespace

double product_seconds(const Machine &machine, const Product &product, const ProductTile &tile) {
  if (tile.split_k <= 1)
    return seconds_to_multiply(machine, product, tile);
  Product of_parts = product;
  of_parts.out_bytes = 4;
  const double memory = machine.memory_bytes_per_second > 0 ? machine.memory_bytes_per_second : 4.8e12;
  return seconds_to_multiply(machine, of_parts, tile) + seconds_to_add(product, tile.split_k, memory);
}

}   // namespace tile::kernels::detail
