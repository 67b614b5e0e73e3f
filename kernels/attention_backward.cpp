// SPDX-License-Identifier: MIT
// The part of attention's gradients that does not depend on element types: what fits together, and the
// configs worth trying.
#include "kernels/attention_backward.h"

#include "kernels/size_bucket.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

namespace tile::kernels::detail {

// What is written may overlap nothing else.
static void check_memory(const Operands &operands, const AttentionBackwardOperands &of,
                         const AttentionBackwardOptions &options) {
  const auto optional = [](const auto &operand, auto make) {
    return operand ? std::optional(make(*operand)) : std::nullopt;
  };
  using Named = std::pair<std::string_view, std::optional<Stack>>;
  const std::array<Named, 8> inputs{
      Named{"q", of.forward.q},
      {"k", of.forward.k},
      {"v", of.forward.v},
      {"o", of.forward.o},
      {"grad_o", of.grad_o},
      {"log_sum_exp", optional(of.forward.log_sum_exp, as_stack)},
      {"the bias", of.forward.bias},
      {"the slopes", optional(options.slopes, [](const auto &view) { return as_stack(placed(view)); })}};
  for (const auto &[name, output] :
       {std::pair{"grad_q", &of.grad_q}, std::pair{"grad_k", &of.grad_k}, std::pair{"grad_v", &of.grad_v}}) {
    operands.output(name, *output);
    for (const auto &[other, input] : inputs)
      if (input)
        operands.apart(name, *output, other, *input);
  }
  operands.apart("grad_q", of.grad_q, "grad_k", of.grad_k);
  operands.apart("grad_q", of.grad_q, "grad_v", of.grad_v);
  operands.apart("grad_k", of.grad_k, "grad_v", of.grad_v);
}

static void check_config(const Operands &operands, const std::optional<AttentionGradientConfig> &config,
                         std::string_view name, bool is_describable) {
  if (!config)
    return;
  operands.positive("block_m", config->block_m);
  operands.positive("block_n", config->block_n);
  if (block_of_queries % config->block_m != 0)
    operands.refuse(fmt::format("{} has block_m = {}", name, config->block_m),
                    fmt::format("use one that divides {}", block_of_queries));
  if (config->rows == RowsBy::descriptors && !is_describable)
    operands.refuse(fmt::format("{} loads rows by descriptors, and an address or a stride of an operand or a "
                                "gradient is not a multiple of 16 bytes, or negative",
                                name),
                    "use rows = RowsBy::pointers");
}

AttentionBackwardShape attention_backward_shape(const Operands &operands, const AttentionBackwardOperands &of,
                                                const AttentionBackwardOptions &options) {
  const auto &[q, k, v, o, bias, log_sum_exp] = of.forward;
  AttentionOptions forward;
  forward.scale = options.scale;
  forward.causal = options.causal;
  forward.window = options.window;
  forward.soft_cap = options.soft_cap;
  forward.slopes = options.slopes;
  AttentionBackwardShape shape{.forward = attention_shape(operands, of.forward, forward)};
  const std::pair<std::string_view, std::pair<const Stack *, const Stack *>> alike[] = {
      {"grad_o", {&of.grad_o, &o}},
      {"grad_q", {&of.grad_q, &q}},
      {"grad_k", {&of.grad_k, &k}},
      {"grad_v", {&of.grad_v, &v}}};
  for (const auto &[name, stacks] : alike)
    if (stacks.first->extents != stacks.second->extents)
      operands.refuse(fmt::format("{} has the shape {}, {} {}", name, text(*stacks.first), name.substr(5),
                                  text(*stacks.second)));
  shape.g_row = attention_row_stride(operands, "grad_o", of.grad_o);
  shape.gq_row = attention_row_stride(operands, "grad_q", of.grad_q);
  shape.gk_row = attention_row_stride(operands, "grad_k", of.grad_k);
  shape.gv_row = attention_row_stride(operands, "grad_v", of.grad_v);
  if (options.one_pass.value_or(false) && options.numerics != Numerics::any)
    operands.refuse("one_pass adds up grad_q in another order in each run, and numerics forbid it",
                    "leave out one_pass, or use numerics = Numerics::any");
  if (options.one_pass.value_or(false) && options.query_config)
    operands.refuse("query_config is of the second pass, and there is only one_pass",
                    "leave out one of them; key_config is that of the only pass");
  shape.is_describable = std::ranges::all_of(
      std::initializer_list<const Stack *>{&q, &k, &v, &of.grad_o, &of.grad_q, &of.grad_k, &of.grad_v},
      [](const Stack *stack) {
        return are_describable({stack->data}, {stack->strides[0], stack->strides[1]});
      });
  check_config(operands, options.key_config, "key_config", shape.is_describable);
  check_config(operands, options.query_config, "query_config", shape.is_describable);
  check_memory(operands, of, options);
  return shape;
}

// Whether warps have roles in the kernel that computes all gradients: without, it adds element by element.
// Its rows are those of a matrix instruction, and registers hold the sums beside P, as it is and rounded, and
// dP.
static bool has_roles_in_one_pass(const AttentionGradientConfig &cfg, const AttentionSize &size) {
  constexpr double most_words = 214;
  const double sums = cfg.block_n * double(tile_columns(size.length) + tile_columns(size.value_length));
  return cfg.rows == RowsBy::descriptors && cfg.block_n >= 16 * cfg.launch.num_warps &&
         size.length % 64 == 0 &&
         (sums + 2.5 * cfg.block_m * cfg.block_n) / (32 * cfg.launch.num_warps) <= most_words;
}

bool takes_one_pass(const AttentionBackwardOptions &options, const AttentionBackwardShape &shape,
                    const Machine &machine) {
  if (options.one_pass || options.numerics != Numerics::any || options.query_config ||
      machine.capability != 90 || !shape.is_describable)
    return options.one_pass.value_or(false);
  const AttentionSize &size = shape.forward.size;
  auto least_seconds = [&](GradientPart part) {
    if (part != GradientPart::queries && options.key_config)
      return attention_gradient_seconds(machine, *options.key_config, size, part);
    static const std::vector<AttentionGradientConfig> configs = attention_gradient_configs();   // made once
    double least = std::numeric_limits<double>::infinity();
    for (const AttentionGradientConfig &config : configs)
      if (keep_attention_gradient_config(config, size, part, {}, {}))
        least = std::min(least, attention_gradient_seconds(machine, config, size, part));
    return least;
  };
  return least_seconds(GradientPart::all) <
         least_seconds(GradientPart::keys) + least_seconds(GradientPart::queries);
}

std::vector<AttentionGradientConfig> attention_gradient_configs() {
  constexpr auto by_descriptors = RowsBy::descriptors;
  return {
      {.block_m = 64, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 2}},
      {.block_m = 32, .block_n = 32, .launch = {.num_warps = 4, .num_stages = 2}},
      {.block_m = 64, .block_n = 128, .launch = {.num_warps = 8, .num_stages = 2}},
      {.block_m = 128, .block_n = 64, .launch = {.num_warps = 8, .num_stages = 2}},
      {.block_m = 32, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 2}},
      {.block_m = 64, .block_n = 32, .launch = {.num_warps = 4, .num_stages = 2}},
      {.block_m = 128, .block_n = 128, .launch = {.num_warps = 8, .num_stages = 2}},
      {.block_m = 64, .block_n = 128, .rows = by_descriptors, .launch = {.num_warps = 8, .num_stages = 2}},
      {.block_m = 128, .block_n = 64, .rows = by_descriptors, .launch = {.num_warps = 8, .num_stages = 2}},
      {.block_m = 128, .block_n = 128, .rows = by_descriptors, .launch = {.num_warps = 8, .num_stages = 2}}};
}

// What a thread keeps in registers: the sums, and tiles of P and of dP.
static double registers(const AttentionGradientConfig &cfg, const AttentionSize &size, GradientPart part) {
  const bool is_of_keys = part != GradientPart::queries;
  const double lengths = tile_columns(size.length) + (is_of_keys ? tile_columns(size.value_length) : 0);
  const double rows = is_of_keys ? cfg.block_n : cfg.block_m;
  return (rows * lengths + 2.0 * cfg.block_m * cfg.block_n) / (32 * cfg.launch.num_warps);
}

bool keep_attention_gradient_config(const AttentionGradientConfig &cfg, const AttentionSize &size,
                                    GradientPart part, std::initializer_list<const void *> data,
                                    std::initializer_list<std::int64_t> strides) {
  const bool is_of_keys = part != GradientPart::queries;
  constexpr double most_registers = 200, most_shared_bytes = 220 << 10;
  const double rows = is_of_keys ? cfg.block_n : cfg.block_m, step = is_of_keys ? cfg.block_m : cfg.block_n;
  const double lengths = tile_columns(size.length) + tile_columns(size.value_length);
  return registers(cfg, size, part) <= most_registers &&
         2 * lengths * (rows + cfg.launch.num_stages * step) <= most_shared_bytes &&
         (cfg.rows == RowsBy::pointers || are_describable(data, strides));
}

double attention_gradient_seconds(const Machine &machine, const AttentionGradientConfig &cfg,
                                  const AttentionSize &size, GradientPart part) {
  const bool is_of_keys = part != GradientPart::queries;
  // Of a multiprocessor in a clock.
  constexpr double products = 1600, group_products = 2600, exponentials = 16, copied_bytes = 44;
  constexpr double lost_clocks = 600, launch_seconds = 2e-6, added_alone = 1;
  constexpr double registers_of_multiprocessor = 65536, other_registers = 50;
  const double bytes_of_second =
      machine.memory_bytes_per_second > 0 ? 0.8 * machine.memory_bytes_per_second : 3e12;
  const double clock = machine.clock_hertz > 0 ? machine.clock_hertz * 0.85 : 1.7e9;
  const double length = tile_columns(size.length), value_length = tile_columns(size.value_length);
  const double scores = double(cfg.block_m) * cfg.block_n;
  const double rows = is_of_keys ? cfg.block_n : cfg.block_m,
               step_rows = is_of_keys ? cfg.block_m : cfg.block_n;
  const bool in_groups =
      machine.capability == 90 && cfg.launch.num_warps % 4 == 0 && rows >= 16 * cfg.launch.num_warps;
  // Of an H200: threads that compute addresses take longer, and gradients of queries multiply less from
  // registers than those of keys.
  const double slower = !in_groups || cfg.rows == RowsBy::descriptors ? 1 : 1.55;
  const double faster = !in_groups || is_of_keys ? 1 : 0.65;
  const bool is_all = part == GradientPart::all,
             has_roles = machine.capability == 90 && has_roles_in_one_pass(cfg, size);
  const double multiplying = 2 * scores * ((is_all ? 3 : 2) * length + (is_of_keys ? 2 : 1) * value_length) /
                             (in_groups ? group_products : products);
  const double copying = 2 * step_rows * (length + value_length) / copied_bytes;
  const double threads = 32 * cfg.launch.num_warps;
  const double together = std::clamp(
      std::floor(registers_of_multiprocessor / (threads * (registers(cfg, size, part) + other_registers))),
      1.0, 4.0);
  // Sums in memory: each element of a block of them is added, all at once or by itself.
  const double adding = !is_all ? 0 : has_roles ? -lost_clocks / 2 : step_rows * length / added_alone;
  const double step = std::max(together * (multiplying + copying),
                               multiplying + scores / exponentials + lost_clocks + adding);
  const double of_head = is_of_keys ? double(size_bucket(size.keys)) : double(size_bucket(size.queries));
  double steps =
      (is_of_keys ? double(size_bucket(size.queries)) : double(size_bucket(size.keys))) / step_rows;
  if (size.after != no_bound)
    steps /= 2;
  if (size.before != no_bound)
    steps = std::min(steps, (double(size_bucket(size.before)) + rows) / step_rows);
  const double tiles = std::ceil(of_head / rows) * size.heads;   // heads of queries: they share keys
  // Sums in memory become 0 before, and are rounded behind.
  const double sums_bytes = is_all ? 10.0 * size.heads * size.queries * length : 0;
  return launch_seconds * (is_all ? 2 : 1) + sums_bytes / bytes_of_second +
         slower * faster * std::ceil(tiles / (machine.multiprocessors * together)) * (steps + 1) * step /
             clock;
}

}   // namespace tile::kernels::detail
