// SPDX-License-Identifier: MIT
// The part of attention that does not depend on element types: what fits together, and the configs worth
// trying.
#include "kernels/attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace tile::kernels::detail {

namespace {

bool is_empty(const Stack &stack) { return std::ranges::find(stack.extents, 0) != stack.extents.end(); }

// Heads of one tensor often lie between those of another: only where the ranges meet are they compared.
void check_apart(const Operands &operands, const Stack &o, std::string_view name, const Stack &in,
                 bool in_place) {
  if (is_empty(o) || is_empty(in))
    return;
  const auto memory = [](const Stack &stack) {
    return tile::detail::memory_of(stack.data, stack.extents, stack.strides,
                                   static_cast<std::size_t>(stack.element_bytes));
  };
  if (!memory(o).overlaps(memory(in)))
    return;
  if (in_place && o.data == in.data && o.strides == in.strides)
    return;
  for (std::int64_t i = 0; i < o.extents[0]; ++i)
    for (std::int64_t j = 0; j < in.extents[0]; ++j)
      operands.apart("o", o.member(i), name, in.member(j));
}

}   // namespace

AttentionShape attention_shape(const Operands &operands, const Stack &q, const Stack &k, const Stack &v,
                               const Stack &o, const AttentionOptions &options) {
  if (options.config) {
    operands.positive("block_m", options.config->block_m);
    operands.positive("block_n", options.config->block_n);
  }
  // The greatest score is found before it is scaled.
  if (options.scale && !(*options.scale > 0 && std::isfinite(*options.scale)))
    operands.refuse(fmt::format("the scale is {}; it is a positive number", *options.scale),
                    "a negative scale is that of the negated queries");
  auto text = [](const Stack &s) {
    return fmt::format("[{}, {}, {}]", s.extents[0], s.extents[1], s.extents[2]);
  };
  const std::int64_t length = q.extents[2];
  if (length != 16 && length != 32 && length != 64 && length != 128 && length != 256)
    operands.refuse(
        fmt::format("the rows of q have {} elements; 16, 32, 64, 128 and 256 are supported", length),
        "pad rows with zeros to the next of these lengths, and give the scale of the true one");
  if (o.extents != q.extents)
    operands.refuse(fmt::format("o has the shape {}, q {}", text(o), text(q)));
  if (v.extents != k.extents)
    operands.refuse(fmt::format("v has the shape {}, k {}", text(v), text(k)));
  if (k.extents[2] != length)
    operands.refuse(fmt::format("the rows of k have {} elements, those of q {}", k.extents[2], length));
  if (k.extents[0] == 0 ? q.extents[0] != 0 : q.extents[0] % k.extents[0] != 0)
    operands.refuse(
        fmt::format("q has {} heads, which is no multiple of k's {}", q.extents[0], k.extents[0]));
  AttentionShape shape{};
  constexpr std::array names{'q', 'k', 'v', 'o'};
  const std::array stacks{&q, &k, &v, &o};
  for (std::size_t n = 0; n < names.size(); ++n) {
    const auto &strides = stacks[n]->strides;
    if (strides[2] != 1)
      operands.refuse(
          fmt::format("the elements of a row of {} are {} apart; they are neighbours", names[n], strides[2]));
    constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max() / 1024;   // times a block of rows
    if (strides[1] < -limit || strides[1] > limit)
      operands.refuse(fmt::format("the rows of {} are {} elements apart; up to {} are supported", names[n],
                                  strides[1], limit));
    shape.rows[n] = static_cast<int>(strides[1]);
  }
  operands.output("o", o.member(0));
  if (!is_empty(o) && o.extents[0] > 1 && o.strides[0] == 0)
    operands.refuse("the heads of o lie on one another: their stride is 0");
  check_apart(operands, o, "q", q, /*in_place=*/true);   // a program reads its queries before it writes there
  check_apart(operands, o, "k", k, /*in_place=*/false);
  check_apart(operands, o, "v", v, /*in_place=*/false);
  shape.heads = operands.extent("the number of heads", q.extents[0]);
  shape.queries = operands.extent("the number of queries", q.extents[1]);
  shape.keys = operands.extent("the number of keys", k.extents[1]);
  shape.length = static_cast<int>(length);
  shape.sharing = k.extents[0] == 0 ? 1 : static_cast<int>(q.extents[0] / k.extents[0]);
  return shape;
}

std::vector<AttentionConfig> attention_configs(int head_dim) {
  std::vector<AttentionConfig> configs{
      {.block_m = 64, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 2}},
      {.block_m = 64, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 3}},
      {.block_m = 128, .block_n = 64, .launch = {.num_warps = 4, .num_stages = 2}},
      {.block_m = 128, .block_n = 64, .launch = {.num_warps = 8, .num_stages = 2}},
      {.block_m = 128, .block_n = 32, .launch = {.num_warps = 4, .num_stages = 3}},
      {.block_m = 128, .block_n = 128, .launch = {.num_warps = 8, .num_stages = 2}},
      {.block_m = 64, .block_n = 32, .launch = {.num_warps = 4, .num_stages = 3}}};
  // The accumulator of 128 rows of 256 elements leaves four warps no registers.
  if (head_dim > 128)
    std::erase_if(configs, [](const AttentionConfig &c) { return c.block_m / c.launch.num_warps > 16; });
  return configs;
}

}   // namespace tile::kernels::detail
