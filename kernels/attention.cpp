// SPDX-License-Identifier: MIT
// The part of attention that does not depend on element types: what fits together, and the configs worth
// trying.
#include "kernels/attention.h"

#include "kernels/size_bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace tile::kernels::detail {

bool are_describable(std::initializer_list<const void *> data, std::initializer_list<std::int64_t> strides) {
  constexpr std::int64_t unit = 16, element_bytes = 2;
  return std::ranges::all_of(data,
                             [](const void *p) { return reinterpret_cast<std::uintptr_t>(p) % unit == 0; }) &&
         std::ranges::all_of(
             strides, [](std::int64_t stride) { return stride >= 0 && stride * element_bytes % unit == 0; });
}

AttentionForm attention_form(int length, int value_length, int before, int after, float soft_cap,
                             const void *slopes, const void *bias, const void *log_sum_exp) {
  const int columns = tile_columns(length), value_columns = tile_columns(value_length);
  return {.length = columns,
          .value_length = value_columns,
          .full_rows = columns == length && value_columns == value_length,
          .bounded_before = before != no_bound,
          .bounded_after = after != no_bound,
          .soft_cap = soft_cap != 0,
          .slopes = slopes != nullptr,
          .bias = bias != nullptr,
          .log_sum_exp = log_sum_exp != nullptr};
}

Key attention_key(const AttentionSize &size, const AttentionForm &form) {
  const int flags = form.bounded_before | form.bounded_after << 1 | form.soft_cap << 2 | form.slopes << 3 |
                    form.bias << 4 | form.log_sum_exp << 5;
  return {size_bucket(size.heads),
          size_bucket(size.queries),
          size_bucket(size.keys),
          size.length,
          size.value_length,
          flags,
          form.bounded_before ? size_bucket(size.before) : 0};
}

double AttentionSize::pairs() const {
  if (before == no_bound)
    return double(queries) * keys * (after == no_bound ? 1 : after == 0 ? 0.5 : 1);
  double pairs = 0;
  for (std::int64_t query = 0; query < queries; ++query) {
    const std::int64_t own = query + keys - queries;
    const std::int64_t first = std::max<std::int64_t>(own - before, 0),
                       last = after == no_bound ? keys - 1 : std::min<std::int64_t>(own + after, keys - 1);
    pairs += double(std::max<std::int64_t>(last + 1 - first, 0));
  }
  return pairs;
}

void check_attention_options(const Operands &operands, const AttentionOptions &options) {
  if (options.config) {
    operands.positive("block_m", options.config->block_m);
    operands.positive("block_n", options.config->block_n);
  }
  // The greatest score is found before it is scaled.
  if (options.scale && (*options.scale <= 0 || !std::isfinite(*options.scale)))
    operands.refuse(fmt::format("the scale is {}; it must be positive", *options.scale),
                    "for a negative scale, negate the queries");
  if (options.soft_cap < 0 || !std::isfinite(options.soft_cap))
    operands.refuse(
        fmt::format("soft_cap is {}; it must be positive, or 0 for scores as they are", options.soft_cap));
  for (const auto &[name, bound] :
       {std::pair{"before", options.window.before}, std::pair{"after", options.window.after}})
    if (bound && *bound < 0)
      operands.refuse(fmt::format("window.{} is {}; it must not be negative", name, *bound),
                      "0 lets a query see its own key, and no key beyond");
  if (options.causal && options.window.after)
    operands.refuse("causal and window.after are given; a causal query sees no key after its own",
                    "leave one of them out");
}

// A bound that hides nothing is as good as none, but for `causal`: its code is the same for all sizes.
std::pair<int, int> attention_bounds(const AttentionOptions &options, int queries, int keys) {
  const bool has_before = options.window.before && *options.window.before < keys,
             has_after = options.window.after && *options.window.after < queries;
  return {has_before ? *options.window.before : no_bound, options.causal ? 0
                                                          : has_after    ? *options.window.after
                                                                         : no_bound};
}

void check_attention_rows(const Operands &operands, std::string_view name, std::int64_t length) {
  constexpr std::int64_t longest = 256;
  if (length < 1 || length > longest)
    operands.refuse(
        fmt::format("the rows of {} have {} elements; 1 to {} are supported", name, length, longest));
}

static void check_shapes(const Operands &operands, const AttentionOperands &of,
                         const AttentionOptions &options) {
  const auto &[q, k, v, o, bias, log_sum_exp] = of;
  check_attention_rows(operands, "q", q.extents[2]);
  check_attention_rows(operands, "v", v.extents[2]);
  if (k.extents[2] != q.extents[2])
    operands.refuse(fmt::format("the rows of k have {} elements, those of q {}", k.extents[2], q.extents[2]));
  if (v.extents[0] != k.extents[0] || v.extents[1] != k.extents[1])
    operands.refuse(
        fmt::format("v has the shape {}, k {}; their heads and keys must be as many", text(v), text(k)));
  if (o.extents != std::array{q.extents[0], q.extents[1], v.extents[2]})
    operands.refuse(fmt::format("o has the shape {}; with q of {} and v of {}, it must be [{}, {}, {}]",
                                text(o), text(q), text(v), q.extents[0], q.extents[1], v.extents[2]));
  if (k.extents[0] == 0 ? q.extents[0] != 0 : q.extents[0] % k.extents[0] != 0)
    operands.refuse(
        fmt::format("q has {} heads, which is not a multiple of k's {}", q.extents[0], k.extents[0]));
  if (options.slopes && options.slopes->size != q.extents[0])
    operands.refuse(fmt::format("there are {} slopes for {} heads of q", options.slopes->size, q.extents[0]));
  if (bias && ((bias->extents[0] != 1 && bias->extents[0] != q.extents[0]) ||
               bias->extents[1] != q.extents[1] || bias->extents[2] != k.extents[1]))
    operands.refuse(fmt::format("the bias has the shape {}; it must be [{} or 1, {}, {}]", text(*bias),
                                q.extents[0], q.extents[1], k.extents[1]));
  if (log_sum_exp)
    operands.same_shape("log_sum_exp", log_sum_exp->shape, "the rows of q", {q.extents[0], q.extents[1]});
}

// The distance of the rows of an operand whose elements are contiguous.
int attention_row_stride(const Operands &operands, std::string_view name, const Stack &stack) {
  if (stack.strides[2] != 1)
    operands.refuse(fmt::format("the elements of a row of {} are {} apart; they must be contiguous", name,
                                stack.strides[2]));
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max() / 1024;   // times a block of rows
  if (stack.strides[1] < -limit || stack.strides[1] > limit)
    operands.refuse(fmt::format("the rows of {} are {} elements apart; up to {} are supported", name,
                                stack.strides[1], limit));
  return static_cast<int>(stack.strides[1]);
}

Stack as_stack(const Placed &matrix) {
  return {matrix.data,
          {1, matrix.shape.rows, matrix.shape.cols},
          {0, matrix.row_stride, matrix.col_stride},
          matrix.element_bytes};
}

// Nothing that is written may overlap anything else.
void check_attention_memory(const Operands &operands, const AttentionOperands &of,
                            const AttentionOptions &options) {
  const auto &[q, k, v, o, bias, log_sum_exp] = of;
  if (options.config && options.config->rows == RowsBy::descriptors &&
      !are_describable({q.data, k.data, v.data, o.data},
                       {q.strides[0], q.strides[1], k.strides[0], k.strides[1], v.strides[0], v.strides[1],
                        o.strides[0], o.strides[1]}))
    operands.refuse(
        "the config loads rows by descriptors, and an address or a stride of q, k, v or o is not a "
        "multiple of 16 bytes, or negative",
        "use rows = RowsBy::pointers");
  operands.output("o", o);
  operands.apart("o", o, "q", q, /*in_place=*/true);   // a program reads its queries before it writes there
  operands.apart("o", o, "k", k);
  operands.apart("o", o, "v", v);
  if (bias)
    operands.apart("o", o, "the bias", *bias);
  if (options.slopes)
    operands.apart("o", o, "the slopes", as_stack(placed(*options.slopes)));
  if (!log_sum_exp)
    return;
  operands.output("log_sum_exp", *log_sum_exp);
  for (const auto &[name, other] :
       {std::pair{"q", &q}, std::pair{"k", &k}, std::pair{"v", &v}, std::pair{"o", &o}})
    operands.apart("log_sum_exp", as_stack(*log_sum_exp), name, *other);
  if (bias)
    operands.apart("log_sum_exp", as_stack(*log_sum_exp), "the bias", *bias);
  if (options.slopes)
    operands.apart("log_sum_exp", *log_sum_exp, "the slopes", placed(*options.slopes));
}

AttentionShape attention_shape(const Operands &operands, const AttentionOperands &of,
                               const AttentionOptions &options) {
  const auto &[q, k, v, o, bias, log_sum_exp] = of;
  check_attention_options(operands, options);
  check_shapes(operands, of, options);
  AttentionShape shape{};
  shape.q_row = attention_row_stride(operands, "q", q);
  shape.k_row = attention_row_stride(operands, "k", k);
  shape.v_row = attention_row_stride(operands, "v", v);
  shape.o_row = attention_row_stride(operands, "o", o);
  AttentionSize &size = shape.size;
  size.length = static_cast<int>(q.extents[2]);
  size.value_length = static_cast<int>(v.extents[2]);
  if (bias) {
    shape.bias_row = attention_row_stride(operands, "the bias", *bias);
    shape.bias_head = bias->extents[0] == 1 ? 0 : bias->strides[0];
  }
  if (log_sum_exp) {
    if (log_sum_exp->col_stride != 1 && log_sum_exp->shape.cols > 1)
      operands.refuse(
          fmt::format("the elements of a row of log_sum_exp are {} apart; they must be contiguous",
                      log_sum_exp->col_stride));
    shape.log_head = log_sum_exp->row_stride;
  }
  size.heads = operands.extent("the number of heads", q.extents[0]);
  size.queries = operands.extent("the number of queries", q.extents[1]);
  size.keys = operands.extent("the number of keys", k.extents[1]);
  operands.extent("the number of queries and keys", q.extents[1] + k.extents[1]);
  std::tie(size.before, size.after) = attention_bounds(options, size.queries, size.keys);
  shape.key_heads = operands.extent("the number of heads of keys", k.extents[0]);
  shape.sharing = k.extents[0] == 0 ? 1 : static_cast<int>(q.extents[0] / k.extents[0]);
  shape.scale = options.scale.value_or(1 / std::sqrt(static_cast<float>(size.length)));
  constexpr std::int64_t cached_bytes = 32 << 20;   // most GPUs of data centers have a cache of 40 MB or more
  const std::int64_t of_head =
      std::max<std::int64_t>(k.extents[1] * (size.length + size.value_length) * k.element_bytes, 1);
  shape.section = static_cast<int>(std::clamp<std::int64_t>(cached_bytes / of_head * shape.sharing, 1,
                                                            std::max<std::int64_t>(q.extents[0], 1)));
  return shape;
}

bool keep_attention_config(const AttentionConfig &cfg, int length, int value_length,
                           std::initializer_list<const void *> data,
                           std::initializer_list<std::int64_t> strides) {
  const int longest = std::max(length, value_length);
  if (cfg.rows ==
      RowsBy::descriptors)   // registers hold the scores of a step beside the weights of the step before
    return longest <= 128 && are_describable(data, strides);
  // The accumulator of 128 rows of 256 elements leaves four warps no registers.
  return longest <= 128 || cfg.block_m / cfg.launch.num_warps <= 16;
}

std::vector<AttentionConfig> attention_configs() {
  return {{.block_m = 64, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 2}},
          {.block_m = 64, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 3}},
          {.block_m = 128, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 2}},
          {.block_m = 128, .block_n = 64, .launch = {.num_warps = 8, .num_stages = 2}},
          {.block_m = 128, .block_n = 32, .launch = {.num_warps = 4, .num_stages = 3}},
          {.block_m = 128, .block_n = 128, .launch = {.num_warps = 8, .num_stages = 2}},
          {.block_m = 64, .block_n = 32, .launch = {.num_warps = 4, .num_stages = 3}},
          {.block_m = 64, .block_n = 96, .launch = {.num_warps = 4, .num_stages = 2}},
          // Warps have roles.
          {.block_m = 128,
           .block_n = 128,
           .rows = RowsBy::descriptors,
           .launch = {.num_warps = 8, .num_stages = 2}}};
}

double attention_seconds(const Machine &machine, const AttentionConfig &cfg, const AttentionSize &size) {
  // Of a multiprocessor in a clock.
  constexpr double products = 2120, group_products = 4096, exponentials = 16, copied_bytes = 44;
  constexpr double lost_clocks = 300, launch_seconds = 2e-6;
  constexpr int registers = 65536, most_registers = 255, other_registers = 60;
  const double clock = machine.clock_hertz > 0 ? machine.clock_hertz * 0.85 : 1.7e9;
  const int threads = cfg.launch.num_warps * 32;
  const double scores = double(cfg.block_m) * cfg.block_n;
  const double lengths = tile_columns(size.length) + tile_columns(size.value_length);
  const double kept = scores + double(cfg.block_m) * tile_columns(size.value_length);
  const double sums = kept / threads + other_registers;
  const double together =
      std::max(1.0, std::floor(registers / (threads * std::min<double>(sums, most_registers))));
  // CTAs of one multiprocessor multiply while others take exponentials, and share what copies keys and
  // values.
  const bool in_groups = machine.capability == 90 && cfg.launch.num_warps % 4 == 0 && cfg.block_m % 64 == 0 &&
                         cfg.block_m / 64 >= cfg.launch.num_warps / 4;
  const double multiplying = 2 * scores * lengths / (in_groups ? group_products : products),
               exponents = scores / exponentials;
  const double copying = 2 * cfg.block_n * lengths / copied_bytes;
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
  const double tiles = double(size.heads) * std::ceil(double(size_bucket(size.queries)) / cfg.block_m);
  double keys = double(size_bucket(size.keys)) * (size.after == no_bound ? 1 : 0.5);
  if (size.before != no_bound)
    keys = std::min(keys, double(size_bucket(size.before)) * (size.after == no_bound ? 2 : 1) + cfg.block_m);
  const double steps = std::ceil(keys / cfg.block_n);
  return launch_seconds +
         std::ceil(tiles / (machine.multiprocessors * together)) * (steps + 1) * step / clock;
}

}   // namespace tile::kernels::detail
