// SPDX-License-Identifier: MIT
// The part of attention of sequences that does not depend on element types: what fits together, how many
// programs share the keys of a row, and the configs worth trying.
#include "kernels/sequence_attention.h"

#include "kernels/size_bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

namespace tile::kernels::detail {

static AttentionOptions attention_options(const SequenceAttentionOptions &options) {
  AttentionOptions result;
  result.scale = options.scale;
  result.causal = options.causal;
  result.window = options.window;
  result.soft_cap = options.soft_cap;
  result.slopes = options.slopes;
  return result;
}

// As few axes as describe the same memory, to compare it with other operands.
static Stack as_stack(const PagedRows &rows) {
  const auto &[data, extents, strides, bytes] = rows;
  const auto [pages, of_page, heads, length] = extents;
  const auto [page_stride, row_stride, head_stride, one] = strides;
  if (pages == 1)
    return {data, {of_page, heads, length}, {row_stride, head_stride, one}, bytes};
  if (head_stride == length)
    return {data, {pages, of_page, heads * length}, {page_stride, row_stride, one}, bytes};
  if (page_stride == heads * head_stride)
    return {data, {pages * heads, of_page, length}, {head_stride, row_stride, one}, bytes};
  const std::int64_t last = (of_page - 1) * row_stride + (heads - 1) * head_stride + length;
  return {data, {pages, 1, of_page * heads == 0 ? 0 : last}, {page_stride, last, one}, bytes};
}

static std::string text(const PagedRows &rows) { return fmt::format("[{}]", fmt::join(rows.extents, ", ")); }

static int row_stride_of(const Operands &operands, std::string_view name, const PagedRows &rows) {
  const int stride = attention_row_stride(operands, name,
                                          {rows.data,
                                           {rows.extents[0], rows.extents[1], rows.extents[3]},
                                           {rows.strides[0], rows.strides[1], rows.strides[3]},
                                           rows.element_bytes});
  if (rows.extents[0] > 1 && std::abs(rows.strides[1]) * rows.extents[1] > std::numeric_limits<int>::max())
    operands.refuse(fmt::format("a page of {} has {} rows, which are {} elements apart; they must lie within "
                                "2^31 elements",
                                name, rows.extents[1], rows.strides[1]));
  return stride;
}

static void check_shapes(const Operands &operands, const SequenceOperands &of,
                         const SequenceAttentionOptions &options) {
  const auto &[q, o, k, v, queries, keys, pages] = of;
  check_attention_rows(operands, "q", q.extents[2]);
  check_attention_rows(operands, "v", v.extents[3]);
  if (k.extents[3] != q.extents[2])
    operands.refuse(fmt::format("the rows of k have {} elements, those of q {}", k.extents[3], q.extents[2]));
  if (!std::equal(k.extents.begin(), k.extents.begin() + 3, v.extents.begin()))
    operands.refuse(
        fmt::format("v has the shape {}, k {}; their keys and heads must be as many", text(v), text(k)));
  if (o.extents != std::array{q.extents[0], q.extents[1], v.extents[3]})
    operands.refuse(fmt::format("o has the shape {}; with q of {} and rows of v of {} elements, it must be "
                                "[{}, {}, {}]",
                                text(o), text(q), v.extents[3], q.extents[0], q.extents[1], v.extents[3]));
  if (k.extents[2] == 0 ? q.extents[1] != 0 : q.extents[1] % k.extents[2] != 0)
    operands.refuse(
        fmt::format("q has {} heads, which is not a multiple of k's {}", q.extents[1], k.extents[2]));
  if (options.slopes && options.slopes->size != q.extents[1])
    operands.refuse(fmt::format("there are {} slopes for {} heads of q", options.slopes->size, q.extents[1]));
  if (const auto &sums = options.log_sum_exp) {
    operands.same_shape("log_sum_exp", extents(*sums), "q's heads and rows", {q.extents[1], q.extents[0]});
    if (sums->col_stride != 1 && sums->cols > 1)
      operands.refuse(fmt::format(
          "the elements of a row of log_sum_exp are {} apart; they must be contiguous", sums->col_stride));
  }
}

// Checks how many sequences there are and how long they may be. Their lengths are known on the device alone.
static void check_sequences(const Operands &operands, const SequenceOperands &of) {
  const auto &[q, o, k, v, queries, keys, pages] = of;
  const std::int64_t sequences = queries.starts.size - 1;
  auto check_longest = [&](std::string_view name, std::int64_t longest, bool has_rows) {
    if (longest < 0 || (longest == 0 && has_rows))
      operands.refuse(fmt::format("{}.longest is {}", name, longest),
                      "give the most rows that a sequence may have; more than it has is allowed");
  };
  if (sequences < 0)
    operands.refuse("queries.starts is empty",
                    "give the first row of each sequence, and the number of rows at the end");
  check_longest("queries", queries.longest, sequences > 0 && q.extents[0] > 0);
  if (keys) {
    operands.same_size("keys.starts", keys->starts.size, "queries.starts", queries.starts.size);
    check_longest("keys", keys->longest, sequences > 0 && k.extents[1] > 0);
    return;
  }
  operands.same_size("pages.lengths", pages->lengths.size, "the sequences", sequences);
  operands.same_size("the rows of pages.table", pages->table.rows, "the sequences", sequences);
  check_longest("pages", pages->longest, sequences > 0 && k.extents[0] > 0);
  if (k.extents[1] < 1)
    operands.refuse("a page of k has no keys");
  if (pages->longest > pages->table.cols * k.extents[1])
    operands.refuse(
        fmt::format("pages.longest is {}, but {} pages of {} keys, which are the columns of the table, "
                    "hold {}",
                    pages->longest, pages->table.cols, k.extents[1], pages->table.cols * k.extents[1]));
  if (pages->table.col_stride != 1 && pages->table.cols > 1)
    operands.refuse("the elements of a row of pages.table must be contiguous");
}

static void check_memory(const Operands &operands, const SequenceOperands &of,
                         const SequenceAttentionOptions &options) {
  const auto &[q, o, k, v, queries, keys, pages] = of;
  const auto vector = [](const auto &view) { return kernels::detail::as_stack(placed(view)); };
  std::vector<std::pair<std::string_view, Stack>> inputs{
      {"k", as_stack(k)}, {"v", as_stack(v)}, {"queries.starts", vector(queries.starts)}};
  if (keys)
    inputs.emplace_back("keys.starts", vector(keys->starts));
  if (pages) {
    inputs.emplace_back("pages.lengths", vector(pages->lengths));
    inputs.emplace_back("pages.table", vector(pages->table));
  }
  if (options.slopes)
    inputs.emplace_back("the slopes", vector(*options.slopes));
  operands.output("o", o);
  operands.apart("o", o, "q", q, /*in_place=*/true);   // a program reads its queries before it writes there
  for (const auto &[name, stack] : inputs)
    operands.apart("o", o, name, stack);
  if (!options.log_sum_exp)
    return;
  const Stack sums = vector(*options.log_sum_exp);
  operands.output("log_sum_exp", placed(*options.log_sum_exp));
  operands.apart("log_sum_exp", sums, "o", o);
  operands.apart("log_sum_exp", sums, "q", q);
  for (const auto &[name, stack] : inputs)
    operands.apart("log_sum_exp", sums, name, stack);
}

// How many keys a program takes, so that all multiprocessors have work. In units of the time for a key.
static int keys_of_part(const SequenceShape &shape, std::int64_t seen, const Machine &machine) {
  constexpr std::int64_t few_rows = 16, many_rows = 64, step = 128;
  constexpr std::int64_t begin = 256, adding_up = 1024, most_parts = 128;
  // Of short rows, a program has fewer bytes on the way.
  const std::int64_t together = shape.length + shape.value_length <= 128 ? 4 : 2;
  const std::int64_t rows = std::int64_t{shape.most_queries} * shape.sharing;
  const std::int64_t programs =
      cdiv(rows, rows <= few_rows ? few_rows : many_rows) * shape.key_heads * shape.sequences;
  const std::int64_t at_once = std::max(machine.multiprocessors, 1) * together;
  std::int64_t best = seen, best_time = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t parts = 1; parts <= std::clamp<std::int64_t>(seen / (2 * step), 1, most_parts); ++parts) {
    const std::int64_t keys = cdiv(cdiv(seen, parts), step) * step;
    const std::int64_t time =
        cdiv(programs * cdiv(seen, keys), at_once) * (keys + begin) + (parts > 1 ? adding_up : 0);
    if (time < best_time) {
      best_time = time;
      best = keys;
    }
  }
  return static_cast<int>(best);
}

SequenceShape sequence_shape(const Operands &operands, const SequenceOperands &of,
                             const SequenceAttentionOptions &options, const Machine &machine) {
  const auto &[q, o, k, v, queries, keys, pages] = of;
  const AttentionOptions attention = attention_options(options);
  check_attention_options(operands, attention);
  if (options.config) {
    operands.positive("block_m", options.config->block_m);
    operands.positive("block_n", options.config->block_n);
  }
  if (options.keys_per_program)
    operands.positive("keys_per_program", *options.keys_per_program);
  check_shapes(operands, of, options);
  check_sequences(operands, of);
  SequenceShape shape{};
  attention_row_stride(operands, "q", {q.data, q.extents, {q.strides[0], 0, q.strides[2]}, q.element_bytes});
  attention_row_stride(operands, "o", {o.data, o.extents, {o.strides[0], 0, o.strides[2]}, o.element_bytes});
  shape.k_row = row_stride_of(operands, "k", k);
  shape.v_row = row_stride_of(operands, "v", v);
  check_memory(operands, of, options);
  operands.extent("the number of rows", q.extents[0]);
  shape.sequences = operands.extent("the number of sequences", queries.starts.size - 1);
  shape.most_queries =
      operands.extent("queries.longest", std::min<std::int64_t>(queries.longest, q.extents[0]));
  const std::int64_t all_keys = k.extents[0] * k.extents[1];
  shape.most_keys = operands.extent("the longest sequence of keys",
                                    std::min(keys ? keys->longest : pages->longest, all_keys));
  operands.extent("the number of queries and keys", std::int64_t{shape.most_queries} + shape.most_keys);
  shape.key_heads = operands.extent("the number of heads of keys", k.extents[2]);
  shape.sharing = k.extents[2] == 0 ? 1 : static_cast<int>(q.extents[1] / k.extents[2]);
  operands.extent("the rows of a sequence", std::int64_t{shape.most_queries} * shape.sharing);
  shape.page = pages ? operands.extent("the keys of a page", k.extents[1]) : 0;
  shape.pages = pages ? operands.extent("the number of pages", k.extents[0]) : 0;
  shape.length = static_cast<int>(q.extents[2]);
  shape.value_length = static_cast<int>(v.extents[3]);
  // Each sequence has bounds of its own, so the longest decides whether one hides anything.
  std::tie(shape.before, shape.after) = attention_bounds(attention, shape.most_queries, shape.most_keys);
  shape.scale = options.scale.value_or(1 / std::sqrt(static_cast<float>(shape.length)));
  shape.log_head = options.log_sum_exp ? options.log_sum_exp->row_stride : 0;

  // The most keys that a block of rows goes through: its window, and what blocks of keys add to it.
  constexpr std::int64_t more = 256, fixed_part = 2048;
  std::int64_t seen = std::max(shape.most_keys, 1);
  if (shape.before != no_bound && shape.after != no_bound)
    seen = std::min(seen, std::int64_t{shape.before} + shape.after +
                              std::min<std::int64_t>(shape.most_queries, more) + more);
  // With fixed parts, a row has the same bits whatever else is in the batch.
  const std::int64_t of_part = options.keys_per_program            ? *options.keys_per_program
                               : options.numerics != Numerics::any ? fixed_part
                                                                   : keys_of_part(shape, seen, machine);
  shape.part_keys = static_cast<int>(std::min(of_part, seen));
  shape.part_count = static_cast<int>(cdiv(seen, std::int64_t{shape.part_keys}));
  const std::int64_t places = q.extents[0] * q.extents[1] * shape.part_count;
  if (shape.part_count > 1 && places > std::numeric_limits<std::int32_t>::max())
    operands.refuse(fmt::format("{} parts of keys of {} rows are more than 2^31", shape.part_count,
                                q.extents[0] * q.extents[1]),
                    "give a greater keys_per_program");
  return shape;
}

Key sequence_attention_key(const SequenceAttentionSize &size, const AttentionForm &form) {
  const Key one = attention_key(size.one, form);
  const auto of = one.values();
  return {of[0], of[1], of[2], of[3], of[4], of[5], of[6], size.page, size_bucket(size.part_keys)};
}

std::vector<SequenceAttentionConfig> sequence_attention_configs() {
  return {{.block_m = 16, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 3}},
          {.block_m = 16, .block_n = 128, .launch = {.num_warps = 4, .num_stages = 2}},
          {.block_m = 32, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 2}},
          {.block_m = 64, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 2}},
          {.block_m = 128, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 2}},
          {.block_m = 128, .block_n = 64, .launch = {.num_warps = 8, .num_stages = 2}},
          {.block_m = 128, .block_n = 128, .launch = {.num_warps = 8, .num_stages = 2}}};
}

bool keep_sequence_attention_config(const SequenceAttentionConfig &cfg, const SequenceAttentionSize &size) {
  // Keys and values of all stages, and of the accumulator what a thread has of it.
  constexpr int most_shared_bytes = 220 << 10, most_columns = 128, most_rows_of_warp = 16;
  const int lengths = tile_columns(size.one.length) + tile_columns(size.one.value_length);
  return 2 * cfg.block_n * cfg.launch.num_stages * lengths <= most_shared_bytes &&
         (std::max(size.one.length, size.one.value_length) <= most_columns ||
          cfg.block_m / cfg.launch.num_warps <= most_rows_of_warp);
}

// A multiprocessor's CTAs copy, multiply and take exponentials at the same time; one alone waits for each of
// these. The figures are of an H200.
double sequence_attention_seconds(const Machine &machine, const SequenceAttentionConfig &cfg,
                                  const SequenceAttentionSize &size) {
  // Of a multiprocessor in a clock.
  constexpr double products = 2120, group_products = 4096, exponentials = 16;
  constexpr double lost_clocks = 1100, step_clocks = 20, launch_seconds = 2e-6, cached_part = 0.15;
  constexpr double registers = 65536, most_registers = 255, other_registers = 60, shared_bytes = 220 << 10;
  const double clock = machine.clock_hertz > 0 ? machine.clock_hertz * 0.85 : 1.7e9;
  const double multiprocessors = std::max(machine.multiprocessors, 1);
  const double bytes_per_second =
      machine.memory_bytes_per_second > 0 ? machine.memory_bytes_per_second : 3e12;
  const double lengths = tile_columns(size.one.length) + tile_columns(size.one.value_length);
  const double scores = double(cfg.block_m) * cfg.block_n;
  const int warps = cfg.launch.num_warps, groups = std::max(warps / 4, 1);
  const bool in_groups = machine.capability == 90 && warps % 4 == 0 && cfg.block_m >= 64 * groups;

  const double multiplying = 2 * scores * lengths / (in_groups ? group_products : products);
  const double exponents = scores / exponentials;
  double computing = step_clocks + multiplying + exponents / 2;
  if (in_groups)   // groups of warps that wait for the same keys do the same at the same time
    computing =
        (multiplying + exponents) * (groups > 1 ? 1.4 : 1.08) * (cfg.block_m > 64 * groups ? 1.08 : 1);
  const double kept =
      (scores + double(cfg.block_m) * tile_columns(size.one.value_length)) / (32 * warps) + other_registers;
  if (kept > most_registers - 10)
    computing *= kept > most_registers ? 1.5 : 1.05;   // it spills, or is about to

  // Blocks of rows read the same keys, all but the first from the cache.
  const double blocks = std::ceil(double(size_bucket(size.one.queries)) / cfg.block_m);
  const double copying = 2 * cfg.block_n * lengths * (1 + (blocks - 1) * cached_part) / blocks *
                         multiprocessors * clock / bytes_per_second;
  const double together =
      std::max(1.0, std::floor(std::min(registers / (32 * warps * std::min(kept, most_registers)),
                                        shared_bytes / (2 * lengths * cfg.block_n * cfg.launch.num_stages))));
  const double clocks_alone = multiplying + exponents + lost_clocks;
  const auto step = [&](double ctas) {
    return ctas == 0 ? 0 : std::max(std::hypot(ctas * computing, ctas * copying), clocks_alone);
  };
  const double ctas = std::ceil(size.one.heads * double(size.part_count) * blocks / multiprocessors);
  const double waves = std::floor(ctas / together);
  const double seen = double(size_bucket(size.part_keys)) * (size.one.after == no_bound ? 1 : 0.5);
  const double steps = seen / cfg.block_n + 1;
  return launch_seconds + (waves * step(together) + step(ctas - waves * together)) * steps / clock;
}

}   // namespace tile::kernels::detail
