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
                    form.bias << 4 | form.log_sum_exp << 5 | form.query_sums << 6;
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

// Sections are of equal size, and an even number of them: blocks go up in one and down in the next. Heads
// that share keys stay together.
static int heads_of_section(const AttentionShape &shape, std::int64_t bytes_of_keys) {
  constexpr std::int64_t cached_bytes = 32 << 20;   // most GPUs of data centers have a cache of 40 MB or more
  const int together = shape.key_heads > 1 ? std::max(shape.sharing, 1) : 1;
  const std::int64_t all = std::max(shape.size.heads / together, 1);
  const std::int64_t cached =
      std::max<std::int64_t>(cached_bytes / std::max<std::int64_t>(bytes_of_keys, 1), 1);
  std::int64_t sections = cdiv(all, cached);
  sections += sections % 2;
  return static_cast<int>(cdiv(all, sections)) * together;
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
  shape.section = heads_of_section(shape, k.extents[1] * (size.length + size.value_length) * k.element_bytes);
  return shape;
}

// Whether registers hold the scores of a step beside the weights of the step before, and shared memory the
// queries and the blocks of keys and values.
static bool fits_in_roles(const AttentionConfig &cfg, int length, int value_length) {
  constexpr int most_words = 206;         // of a thread; the compiler needs the others (role_registers.h)
  constexpr int most_bytes = 227 << 10;   // of a CTA on sm_90
  const int columns = tile_columns(length), value_columns = tile_columns(value_length);
  const int words =
      cfg.block_m * (cfg.block_n + value_columns + cfg.block_n / 2) / (cfg.launch.num_warps * 32);
  const int bytes =
      2 * (cfg.block_m * columns + cfg.launch.num_stages * cfg.block_n * (columns + value_columns));
  return words <= most_words && bytes < most_bytes;
}

bool keep_attention_config(const AttentionConfig &cfg, int length, int value_length,
                           std::initializer_list<const void *> data,
                           std::initializer_list<std::int64_t> strides) {
  if (cfg.rows == RowsBy::descriptors) {
    AttentionConfig of_more_keys = cfg;
    of_more_keys.block_n *= 2;
    const bool takes_most_keys = cfg.block_n >= 128 || !fits_in_roles(of_more_keys, length, value_length);
    return takes_most_keys && fits_in_roles(cfg, length, value_length) && are_describable(data, strides);
  }
  if (std::max(length, value_length) <= 128)
    return true;
  // The accumulator of 128 rows of 256 elements leaves four warps no registers. Three blocks of 64 keys and
  // values leave no memory to others, and 96 keys take an instruction for every 32.
  return cfg.block_m / cfg.launch.num_warps <= 16 && cfg.block_n != 96 &&
         (cfg.launch.num_stages < 3 || cfg.block_n < 64);
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
           .launch = {.num_warps = 8, .num_stages = 2}},
          {.block_m = 128,
           .block_n = 64,
           .rows = RowsBy::descriptors,
           .launch = {.num_warps = 8, .num_stages = 2}}};
}

namespace {

// What a step of one block of keys is made of, in clocks of a multiprocessor that does nothing else.
struct StepWork {
  double multiplying, exponentials, copying;
};

StepWork work_of_step(const AttentionConfig &cfg, double lengths, bool in_groups) {
  constexpr double products = 2120, group_products = 4096, exponentials = 16, copied_bytes = 44;
  const double scores = double(cfg.block_m) * cfg.block_n;
  return {2 * scores * lengths / (in_groups ? group_products : products), scores / exponentials,
          2 * cfg.block_n * lengths / copied_bytes};
}

// CTAs of one multiprocessor, as registers and shared memory allow.
double ctas_together(const Machine &machine, const AttentionConfig &cfg, double lengths, double registers) {
  constexpr int all_registers = 65536, most_registers = 255;
  const int threads = cfg.launch.num_warps * 32;
  const double by_registers = all_registers / (threads * std::min<double>(registers, most_registers));
  const double bytes = 2.0 * (cfg.block_m * lengths / 2 + cfg.launch.num_stages * cfg.block_n * lengths);
  const double by_memory = machine.shared_bytes > 0 ? machine.shared_bytes / bytes : by_registers;
  return std::max(1.0, std::floor(std::min(by_registers, by_memory)));
}

// Clocks of a step where each group of four warps multiplies. Groups that wait for the same keys multiply at
// the same time, and take exponentials at another. Fitted to an H200.
double clocks_of_groups(const AttentionConfig &cfg, const StepWork &work, double together) {
  constexpr double others = 1.12, copies = 0.1, few_columns = 1.2, two_rows = 1.08;
  const double both = (work.multiplying + work.exponentials) * (cfg.block_n < 64 ? few_columns : 1) *
                      (cfg.block_m / 64 > cfg.launch.num_warps / 4 ? two_rows : 1);
  const double clocks = together * (others * both + copies * work.copying);
  // Without another CTA to compute meanwhile, and where few copies are under way.
  constexpr double alone = 0.25, two_slots = 450;
  return together < 2 ? clocks + alone * both + (cfg.launch.num_stages < 3 ? two_slots : 0) : clocks;
}

// Two groups: one computes while the other multiplies. Fitted to an H200.
double clocks_of_roles(const StepWork &work) {
  constexpr double waits = 870, of_products = 0.612, of_exponentials = 0.53;
  return waits + of_products * work.multiplying + of_exponentials * work.exponentials;
}

}   // namespace

double attention_seconds(const Machine &machine, const AttentionConfig &cfg, const AttentionSize &size) {
  constexpr double lost_clocks = 300, launch_seconds = 2e-6, other_registers = 60, most_registers = 255;
  const double clock = machine.clock_hertz > 0 ? machine.clock_hertz * 0.85 : 1.7e9;
  const double lengths = tile_columns(size.length) + tile_columns(size.value_length);
  const bool in_groups = machine.capability == 90 && cfg.launch.num_warps % 4 == 0 && cfg.block_m % 64 == 0 &&
                         cfg.block_m / 64 >= cfg.launch.num_warps / 4;
  const bool in_roles = in_groups && cfg.rows == RowsBy::descriptors && cfg.launch.num_warps > 4;
  const double registers =
      double(cfg.block_m) * (cfg.block_n + tile_columns(size.value_length)) / (cfg.launch.num_warps * 32) +
      other_registers;

  const double queries = size_bucket(size.queries), all_keys = size_bucket(size.keys);
  const double tiles = double(size.heads) * std::ceil(queries / cfg.block_m);
  double together = in_roles ? 1 : ctas_together(machine, cfg, lengths, registers);
  together = std::min(together, std::max(1.0, std::ceil(tiles / machine.multiprocessors)));
  const StepWork work = work_of_step(cfg, lengths, in_groups);
  double step = in_roles    ? clocks_of_roles(work)
                : in_groups ? clocks_of_groups(cfg, work, together)
                            : std::max(together * (work.multiplying + work.exponentials / 2 + work.copying),
                                       work.multiplying + work.exponentials + lost_clocks);
  if (!in_roles && registers > most_registers - 10)
    step *= registers > most_registers ? 1.5 : 1.05;   // it spills, or is about to

  // Keys that a query sees, on average and at most.
  const bool is_causal = size.after != no_bound;
  double keys = is_causal ? all_keys - std::min(queries, all_keys) / 2 : all_keys, most_keys = all_keys;
  if (size.before != no_bound) {
    most_keys = std::min(all_keys, double(size_bucket(size.before)) * (is_causal ? 1 : 2) + cfg.block_m);
    keys = std::min(keys, most_keys);
  }
  // What a tile takes before its first step and after its last one, and for its masks, in steps.
  const double others = in_roles ? (is_causal ? 2.5 : 1.7) : (is_causal ? 3.2 : 1);
  const double steps = std::ceil(keys / cfg.block_n) + others,
               most_steps = std::ceil(most_keys / cfg.block_n) + others;
  const double waves = tiles / (machine.multiprocessors * together);
  // Long and short tiles of CTAs in roles add up to the same.
  const double all_steps = in_roles && is_causal ? waves * steps : std::ceil(waves) * steps;
  return launch_seconds + std::max(all_steps, is_causal ? most_steps : steps) * step / clock;
}

}   // namespace tile::kernels::detail
