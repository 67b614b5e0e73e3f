// SPDX-License-Identifier: MIT
// The part of attention that does not depend on element types: what fits together, and the configs worth
// trying.
#include "kernels/attention.h"

#include "kernels/size_bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tile::kernels::detail {

AttentionShape attention_shape(const Operands &operands, const Stack &q, const Stack &k, const Stack &v,
                               const Stack &o, const AttentionOptions &options) {
  if (options.config) {
    operands.positive("block_m", options.config->block_m);
    operands.positive("block_n", options.config->block_n);
  }
  // The greatest score is found before it is scaled.
  if (options.scale && !(*options.scale > 0 && std::isfinite(*options.scale)))
    operands.refuse(fmt::format("the scale is {}; it must be positive", *options.scale),
                    "for a negative scale, negate the queries");
  const std::int64_t length = q.extents[2];
  if (length != 16 && length != 32 && length != 64 && length != 128 && length != 256)
    operands.refuse(
        fmt::format("the rows of q have {} elements; 16, 32, 64, 128 and 256 are supported", length),
        "pad rows with zeros to the next of these lengths, and pass the scale of the true length");
  if (o.extents != q.extents)
    operands.refuse(fmt::format("o has the shape {}, q {}", text(o), text(q)));
  if (v.extents != k.extents)
    operands.refuse(fmt::format("v has the shape {}, k {}", text(v), text(k)));
  if (k.extents[2] != length)
    operands.refuse(fmt::format("the rows of k have {} elements, those of q {}", k.extents[2], length));
  if (k.extents[0] == 0 ? q.extents[0] != 0 : q.extents[0] % k.extents[0] != 0)
    operands.refuse(
        fmt::format("q has {} heads, which is not a multiple of k's {}", q.extents[0], k.extents[0]));
  AttentionShape shape{};
  constexpr std::array names{'q', 'k', 'v', 'o'};
  const std::array stacks{&q, &k, &v, &o};
  for (std::size_t n = 0; n < names.size(); ++n) {
    const auto &strides = stacks[n]->strides;
    if (strides[2] != 1)
      operands.refuse(fmt::format("the elements of a row of {} are {} apart; they must be contiguous",
                                  names[n], strides[2]));
    constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max() / 1024;   // times a block of rows
    if (strides[1] < -limit || strides[1] > limit)
      operands.refuse(fmt::format("the rows of {} are {} elements apart; up to {} are supported", names[n],
                                  strides[1], limit));
    shape.rows[n] = static_cast<int>(strides[1]);
  }
  if (options.config && !keep_attention_config(*options.config, {q.data, k.data, v.data, o.data},
                                               {q.strides[0], q.strides[1], k.strides[0], k.strides[1],
                                                v.strides[0], v.strides[1], o.strides[0], o.strides[1]}))
    operands.refuse(
        "the config loads rows by descriptors, and an address or a stride of q, k, v or o is not a "
        "multiple of 16 bytes, or negative",
        "use rows = RowsBy::pointers");
  operands.output("o", o);
  operands.apart("o", o, "q", q, /*in_place=*/true);   // a program reads its queries before it writes there
  operands.apart("o", o, "k", k);
  operands.apart("o", o, "v", v);
  shape.heads = operands.extent("the number of heads", q.extents[0]);
  shape.queries = operands.extent("the number of queries", q.extents[1]);
  shape.keys = operands.extent("the number of keys", k.extents[1]);
  shape.length = static_cast<int>(length);
  constexpr std::int64_t cached_bytes = 32 << 20;   // most GPUs of data centers have a cache of 40 MB or more
  const std::int64_t of_head = std::max<std::int64_t>(2 * k.extents[1] * length * k.element_bytes, 1);
  shape.section = static_cast<int>(std::clamp<std::int64_t>(cached_bytes / of_head * shape.sharing, 1,
                                                            std::max<std::int64_t>(q.extents[0], 1)));
  shape.key_heads = operands.extent("the number of heads of keys", k.extents[0]);
  shape.sharing = k.extents[0] == 0 ? 1 : static_cast<int>(q.extents[0] / k.extents[0]);
  return shape;
}

bool keep_attention_config(const AttentionConfig &cfg, const std::array<const void *, 4> &data,
                           const std::array<std::int64_t, 8> &strides) {
  constexpr std::int64_t unit = 16, element_bytes = 2;
  auto is_aligned = [&](const void *p) { return reinterpret_cast<std::uintptr_t>(p) % unit == 0; };
  auto is_describable = [&](std::int64_t stride) {
    return stride >= 0 && stride * element_bytes % unit == 0;
  };
  return cfg.rows == RowsBy::pointers ||
         (std::ranges::all_of(data, is_aligned) && std::ranges::all_of(strides, is_describable));
}

std::vector<AttentionConfig> attention_configs(int head_dim) {
  std::vector<AttentionConfig> configs{
      {.block_m = 64, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 2}},
      {.block_m = 64, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 3}},
      {.block_m = 128, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 2}},
      {.block_m = 128, .block_n = 64, .launch = {.num_warps = 8, .num_stages = 2}},
      {.block_m = 128, .block_n = 32, .launch = {.num_warps = 4, .num_stages = 3}},
      {.block_m = 128, .block_n = 128, .launch = {.num_warps = 8, .num_stages = 2}},
      {.block_m = 64, .block_n = 32, .launch = {.num_warps = 4, .num_stages = 3}},
      {.block_m = 64, .block_n = 96, .launch = {.num_warps = 4, .num_stages = 2}}};
  // Warps have roles where registers hold the scores of a step beside the weights of the step before.
  if (head_dim <= 128)
    configs.push_back({.block_m = 128,
                       .block_n = 128,
                       .rows = RowsBy::descriptors,
                       .launch = {.num_warps = 8, .num_stages = 2}});
  // The accumulator of 128 rows of 256 elements leaves four warps no registers.
  if (head_dim > 128)
    std::erase_if(configs, [](const AttentionConfig &c) { return c.block_m / c.launch.num_warps > 16; });
  return configs;
}

double attention_seconds(const Machine &machine, const AttentionConfig &cfg, int heads, int queries, int keys,
                         int head_dim, bool causal) {
  // Of a multiprocessor in a clock.
  constexpr double products = 2120, group_products = 4096, exponentials = 16, copied_bytes = 44;
  constexpr double lost_clocks = 300, launch_seconds = 2e-6;
  constexpr int registers = 65536, most_registers = 255, other_registers = 60;
  const double clock = machine.clock_hertz > 0 ? machine.clock_hertz * 0.85 : 1.7e9;
  const int threads = cfg.launch.num_warps * 32;
  const double scores = double(cfg.block_m) * cfg.block_n;
  const double kept = scores + double(cfg.block_m) * head_dim;
  const double sums = kept / threads + other_registers;
  const double together =
      std::max(1.0, std::floor(registers / (threads * std::min<double>(sums, most_registers))));
  // CTAs of one multiprocessor multiply while others take exponentials, and share what copies keys and
  // values.
  const bool in_groups = machine.capability == 90 && cfg.launch.num_warps % 4 == 0 && cfg.block_m % 64 == 0 &&
                         cfg.block_m / 64 >= cfg.launch.num_warps / 4;
  const double multiplying = 4 * scores * head_dim / (in_groups ? group_products : products),
               exponents = scores / exponentials;
  const double copying = 2.0 * cfg.block_n * head_dim * 2 / copied_bytes;
  double step =
      std::max(together * (multiplying + exponents / 2 + copying), multiplying + exponents + lost_clocks);
  if (in_groups) {
    // Groups of warps that wait for the same keys multiply at the same time, and take exponentials at
    // another. What few columns and many rows of a group lose, as fitted to an H200.
    constexpr double others = 1.08, copies = 0.1, few_columns = 1.2, two_rows = 1.08;
    const double alone = 0.25;   // without another CTA to take exponentials meanwhile
    const double both = (multiplying + exponents) * (cfg.block_n < 64 ? few_columns : 1) *
                        (cfg.block_m / 64 > cfg.launch.num_warps / 4 ? two_rows : 1);
    step = together * (others * both + copies * copying) + (together < 2 ? alone * both : 0);
  }
  if (in_groups && cfg.rows == RowsBy::descriptors && cfg.launch.num_warps > 4) {
    // Two groups in turn: one computes while the other multiplies, and both wait for their own results.
    // Fitted to an H100.
    constexpr double waits = 1050, of_products = 0.45, of_exponentials = 1.05;
    step = waits + of_products * multiplying + of_exponentials * exponents;
  }
  if (sums > most_registers - 10)
    step *= sums > most_registers ? 1.5 : 1.05;   // it spills, or is about to
  const double tiles = double(heads) * std::ceil(double(size_bucket(queries)) / cfg.block_m);
  const double steps = std::ceil(double(size_bucket(keys)) / cfg.block_n) * (causal ? 0.5 : 1);
  return launch_seconds +
         std::ceil(tiles / (machine.multiprocessors * together)) * (steps + 1) * step / clock;
}

}   // namespace tile::kernels::detail
