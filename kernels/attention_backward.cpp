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
  const bool is_describable = std::ranges::all_of(
      std::initializer_list<const Stack *>{&q, &k, &v, &of.grad_o, &of.grad_q, &of.grad_k, &of.grad_v},
      [](const Stack *stack) {
        return are_describable({stack->data}, {stack->strides[0], stack->strides[1]});
      });
  check_config(operands, options.key_config, "key_config", is_describable);
  check_config(operands, options.query_config, "query_config", is_describable);
  check_memory(operands, of, options);
  return shape;
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
static double registers(const AttentionGradientConfig &cfg, const AttentionSize &size, bool is_of_keys) {
  const double lengths = tile_columns(size.length) + (is_of_keys ? tile_columns(size.value_length) : 0);
  const double rows = is_of_keys ? cfg.block_n : cfg.block_m;
  return (rows * lengths + 2.0 * cfg.block_m * cfg.block_n) / (32 * cfg.launch.num_warps);
}

bool keep_attention_gradient_config(const AttentionGradientConfig &cfg, const AttentionSize &size,
                                    bool is_of_keys, std::initializer_list<const void *> data,
                                    std::initializer_list<std::int64_t> strides) {
  constexpr double most_registers = 200, most_shared_bytes = 220 << 10;
  const double rows = is_of_keys ? cfg.block_n : cfg.block_m, step = is_of_keys ? cfg.block_m : cfg.block_n;
  const double lengths = tile_columns(size.length) + tile_columns(size.value_length);
  return registers(cfg, size, is_of_keys) <= most_registers &&
         2 * lengths * (rows + cfg.launch.num_stages * step) <= most_shared_bytes &&
         (cfg.rows == RowsBy::pointers || are_describable(data, strides));
}

double attention_gradient_seconds(const Machine &machine, const AttentionGradientConfig &cfg,
                                  const AttentionSize &size, bool is_of_keys) {
  // Of a multiprocessor in a clock.
  constexpr double products = 1600, group_products = 2600, exponentials = 16, copied_bytes = 44;
  constexpr double lost_clocks = 600, launch_seconds = 2e-6;
  constexpr double registers_of_multiprocessor = 65536, other_registers = 50;
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
  const double multiplying = 2 * scores * (2 * length + (is_of_keys ? 2 : 1) * value_length) /
                             (in_groups ? group_products : products);
  const double copying = 2 * step_rows * (length + value_length) / copied_bytes;
  const double threads = 32 * cfg.launch.num_warps;
  const double together =
      std::clamp(std::floor(registers_of_multiprocessor /
                            (threads * (registers(cfg, size, is_of_keys) + other_registers))),
                 1.0, 4.0);
  const double step =
      std::max(together * (multiplying + copying), multiplying + scores / exponentials + lost_clocks);
  const double of_head = is_of_keys ? double(size_bucket(size.keys)) : double(size_bucket(size.queries));
  double steps =
      (is_of_keys ? double(size_bucket(size.queries)) : double(size_bucket(size.keys))) / step_rows;
  if (size.after != no_bound)
    steps /= 2;
  if (size.before != no_bound)
    steps = std::min(steps, (double(size_bucket(size.before)) + rows) / step_rows);
  const double tiles = std::ceil(of_head / rows) * size.heads;   // heads of queries: they share keys
  return launch_seconds + slower * faster * std::ceil(tiles / (machine.multiprocessors * together)) *
                              (steps + 1) * step / clock;
}

}   // namespace tile::kernels::detail
