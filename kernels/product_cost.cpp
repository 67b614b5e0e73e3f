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
#include <initializer_list>
#include <limits>
#include <numeric>
#include <utility>

namespace tile::kernels::detail {
namespace {

constexpr int registers = 65536, most_registers = 255;

// How the blocks come to the matrix units, and what that costs.
struct Way {
  double flop;         // of 16 bits, by a multiprocessor in a clock
  double copied;       // bytes in a clock, by a multiprocessor while all of them copy: what the cache gives
  double latency;      // seconds until a copy begins to arrive
  double arrival;      // bytes of a copy that arrive in a clock; 0: all at once
  double sharpness;    // of the norm that joins the parts of a step
  double lost;         // clocks between two steps
  bool fetches_rows;   // more requests where rows of operands do not begin at 128 bytes
  double narrow;       // how many more bytes are fetched where rows of blocks are narrower
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
          .fetches_rows = true,
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
          .fetches_rows = false,
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

// How much longer the copy engine takes for boxes of rows that begin at multiples of 64, 32 and 16 bytes
// (docs/hopper.md).
double more_of_unaligned(double row) {
  const double alignment = alignment_of(row) * 128;
  return alignment >= 128 ? 0 : alignment >= 64 ? 0.63 : alignment >= 32 ? 0.7 : 1.5;
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

double bandwidth_of(const Machine &machine) {
  return machine.memory_bytes_per_second > 0 ? machine.memory_bytes_per_second : 4.8e12;
}

// Of a kernel behind the first one, which adds up what the programs that share a tile leave in the cache.
double seconds_to_add(const Machine &machine, const Product &product, int split_k) {
  constexpr double launch_behind_seconds = 2.05e-6;
  const double sums = static_cast<double>(product.m) * static_cast<double>(product.n);
  return launch_behind_seconds + sums * (4.0 * split_k + product.out_bytes) / bandwidth_of(machine);
}

// How many bytes are fetched for one byte of a block. The block has `across` rows or columns beside K, of all
// that the matrix has.
double fetched_part(const Way &way, bool along_k, std::int64_t k, std::int64_t all_across, int block_k,
                    int across, int bytes) {
  const double row = static_cast<double>(along_k ? k : all_across) * bytes,
               row_of_block = static_cast<double>(along_k ? block_k : across) * bytes;
  return 1 + (way.fetches_rows ? more_of_unaligned(row) : 0) +
         way.narrow * (1 / alignment_of(row_of_block) - 1);
}

// The product as its tiles see it: of swapped operands, the transpose.
Product as_computed(Product product, bool swap_ab) {
  if (swap_ab) {
    std::swap(product.m, product.n);
    std::swap(product.a_along_k, product.b_along_k);
  }
  return product;
}

// One launch of a product, without the addition of parts of K.
class Multiplication {
 public:
  Multiplication(const Machine &machine, const Product &given, const ProductTile &tile);
  double seconds() const;

 private:
  bool holds(int most_sums) const {
    return multiplies_in_groups(machine_, product_, launch_, rows_, cols_, most_sums);
  }
  double shared_bytes() const { return machine_.shared_bytes > 0 ? machine_.shared_bytes : 227 * 1024; }
  double slot_bytes() const { return static_cast<double>(rows_ + cols_) * block_k_ * product_.in_bytes; }
  double sums_of_thread() const { return static_cast<double>(rows_) * cols_ / threads_; }
  double ctas_together() const;
  double multiprocessors_of_clusters() const;
  double rows_of_tiles() const;
  double multiplying() const;         // clocks of a step of one CTA
  double reading_of_shared() const;   // the same
  struct Step {
    double using_blocks;       // clocks
    double copying, waiting;   // seconds; copying: where all multiprocessors have one CTA
    double slowness = 1;
  };
  Step step_of_one() const;
  double step(double clock, double busy) const;
  double storing(double clock, double busy) const;
  double computing(double clock) const;
  double moving() const;
  double all(double clock) const {
    return launch_seconds + join(memory_sharpness, {computing(clock), moving()});
  }

  Machine machine_;
  Product product_;
  Launch launch_;
  std::int64_t result_row_;   // elements
  int ctas_, rows_, cols_, block_k_, slots_, threads_;
  double highest_clock_;
  bool is_swapped_, is_described_, stores_described_;
  bool has_roles_, in_groups_;
  double tiles_, steps_, together_ = 1;
  Way way_;
  Step step_;
};

Multiplication::Multiplication(const Machine &machine, const Product &given, const ProductTile &tile)
    : machine_(machine), product_(as_computed(given, tile.swap_ab)), launch_(tile.launch),
      result_row_(given.n), ctas_(std::max(1, tile.launch.num_ctas)),
      rows_((tile.swap_ab ? tile.block_n : tile.block_m) / ctas_),
      cols_(tile.swap_ab ? tile.block_m : tile.block_n), block_k_(tile.block_k),
      slots_(std::max(1, tile.launch.num_stages)), threads_(tile.launch.num_warps * 32),
      highest_clock_(machine.clock_hertz > 0 ? machine.clock_hertz : 1.98e9), is_swapped_(tile.swap_ab),
      is_described_(tile.is_described), stores_described_(tile.stores_described),
      has_roles_(tile.is_described && holds(most_sums_of_roles(launch_))),
      in_groups_(has_roles_ || holds(most_sums_of_all(launch_))),
      tiles_(static_cast<double>(product_.count) * rows_of_tiles() * ceil_of(product_.n, cols_) * ctas_ *
             tile.split_k),
      steps_(ceil_of(ceil_of(product_.k, block_k_), tile.split_k)) {
  if (!has_roles_)
    together_ = ctas_together();
  way_ = has_roles_ ? by_boxes(launch_) : by_threads(in_groups_, together_, machine_.capability);
  step_ = step_of_one();
}

// A cluster of more than two CTAs needs that many multiprocessors of one group of them. Groups have different
// numbers, so some are left over: on an H200, 30 clusters of four run at the same time, and 32 do not.
double Multiplication::multiprocessors_of_clusters() const {
  constexpr double used = 0.92;
  return ctas_ <= 2 ? machine_.multiprocessors : std::floor(machine_.multiprocessors * used / ctas_) * ctas_;
}

// Of one product. If numbers of rows differ, each number of rows in the last tile is as likely as any other.
double Multiplication::rows_of_tiles() const {
  const double rows = rows_ * ctas_;
  if (!product_.is_uneven || product_.m == 0)
    return ceil_of(product_.m, rows);
  return std::max(1.0, static_cast<double>(product_.m) / rows + 0.5);
}

// Of one multiprocessor. CTAs with roles of warps have it to themselves.
double Multiplication::ctas_together() const {
  const double of_registers =
      registers / (threads_ * std::min<double>(most_registers, sums_of_thread() + 90));
  const double of_shared = shared_bytes() / (slot_bytes() * slots_ + 1024);
  return std::min(std::max(1.0, std::floor(std::min(of_shared, of_registers))),
                  ceil_of(tiles_, machine_.multiprocessors));
}

double Multiplication::multiplying() const {
  const double flop = product_.is_exact ? exact_flop : way_.flop * 2 / product_.in_bytes;
  return 2.0 * rows_ * cols_ * block_k_ / flop;
}

double Multiplication::reading_of_shared() const {
  const double a = static_cast<double>(rows_) * block_k_ * product_.in_bytes,
               b = static_cast<double>(cols_) * block_k_ * product_.in_bytes;
  if (!in_groups_) {
    const int along_m = std::max(1, std::min(launch_.num_warps == 8 ? 4 : 2, rows_ / 16));
    const int along_n = std::max(1, launch_.num_warps / along_m);
    return launch_.num_warps * (a / along_m + b / along_n) / read_bytes;
  }
  const double written = has_roles_ ? 0 : a + b;   // by the threads
  return (b * rows_ / 64 + a + written) / read_bytes;
}

// What of a step depends neither on the clock nor on how many CTAs are busy.
Multiplication::Step Multiplication::step_of_one() const {
  const auto fetched = [&](bool along_k, std::int64_t all_across, int across) {
    return static_cast<double>(across) * block_k_ * product_.in_bytes *
           fetched_part(way_, along_k, product_.k, all_across, block_k_, across, product_.in_bytes);
  };
  const double a = fetched(product_.a_along_k, product_.m, rows_),
               b = fetched(product_.b_along_k, product_.n, cols_);
  // Of products that go on while the threads copy, a slot more is being read.
  const int ahead = in_groups_ && !has_roles_ && slots_ > 2 ? slots_ - 2 : slots_ - 1;
  const double arriving = way_.arrival > 0 ? (a + b) / (way_.arrival * highest_clock_) : 0;
  Step step{.using_blocks = together_ * join(read_sharpness, {multiplying(), reading_of_shared()}),
            // Of a cluster, each CTA fetches its part of b and gets the other parts from the others.
            .copying = (a + b / ctas_) / (way_.copied * highest_clock_),
            .waiting = (way_.latency + arriving) / std::max(1, ahead)};
  if (!in_groups_) {
    const double sums = sums_of_thread();
    const bool spills = sums + 90 > most_registers || threads_ * (sums + 60) > registers;
    step.slowness = (launch_.num_warps >= 8 ? eight_warps : 1) * (spills ? spilling : 1);
  }
  return step;
}

double Multiplication::step(double clock, double busy) const {
  const double copying = step_.copying * busy / machine_.multiprocessors;
  return step_.slowness *
         (join(way_.sharpness, {step_.using_blocks / clock, copying, step_.waiting}) + way_.lost / clock);
}

double Multiplication::storing(double clock, double busy) const {
  const double part_of_line = alignment_of(static_cast<double>(result_row_) * product_.out_bytes);
  double factor = 1 + unaligned_store * (1 - part_of_line);
  if (is_swapped_)
    factor += transposed_store * (1 / part_of_line - 1);
  if (is_described_ && !stores_described_)
    factor *= pointer_store;
  return static_cast<double>(rows_) * cols_ * product_.out_bytes * factor / (stored_bytes * clock) * busy /
         machine_.multiprocessors;
}

double Multiplication::computing(double clock) const {
  const double in_full_wave = multiprocessors_of_clusters() * together_,
               full_waves = std::floor(tiles_ / in_full_wave),
               in_last_wave = tiles_ - full_waves * in_full_wave;
  double seconds = fill_seconds + (ctas_ > 1 ? cluster_seconds : 0) +
                   (launch_.ping_pong && full_waves == 0 ? idle_group_seconds : 0);
  const auto wave = [&](double busy) {
    return steps_ * step(clock, busy) + (launch_.ping_pong ? 0 : storing(clock, busy));
  };
  if (full_waves > 0)
    seconds += full_waves * wave(in_full_wave);
  if (in_last_wave > 0)
    seconds += wave(in_last_wave);
  if (launch_.ping_pong)   // while one group stores, the other one multiplies: only the last is seen
    seconds += storing(clock, in_last_wave > 0 ? in_last_wave : in_full_wave);
  return seconds;
}

double Multiplication::moving() const {
  const double m = static_cast<double>(product_.m), n = static_cast<double>(product_.n),
               k = static_cast<double>(product_.k);
  return static_cast<double>(product_.count) *
         (product_.in_bytes * k * (m + n) + product_.out_bytes * m * n) /
         (bandwidth_of(machine_) * memory_share);
}

double Multiplication::seconds() const {
  if (slot_bytes() * slots_ > shared_bytes())
    return std::numeric_limits<double>::infinity();
  if (tiles_ == 0)
    return launch_seconds;
  const double clocks = steps_ * tiles_ * multiplying() / machine_.multiprocessors;
  const double use = std::min(1.0, clocks / highest_clock_ / all(highest_clock_));
  return all(highest_clock_ * (1 - clock_loss * use));
}

}   // namespace

double product_seconds(const Machine &machine, const Product &product, const ProductTile &tile) {
  if (tile.split_k <= 1)
    return Multiplication(machine, product, tile).seconds();
  Product of_parts = product;
  of_parts.out_bytes = 4;
  return Multiplication(machine, of_parts, tile).seconds() + seconds_to_add(machine, product, tile.split_k);
}

}   // namespace tile::kernels::detail
