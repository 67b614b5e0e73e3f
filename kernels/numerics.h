// SPDX-License-Identifier: MIT
// How much the bits of a result may depend on what else is computed. A config decides in which order numbers
// are summed, and which config is fastest depends on the sizes and on what was measured.
#pragma once

#include <tile/device.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace tile::kernels {

enum class Numerics : std::uint8_t {
  any,              // any config
  deterministic,    // the same bits in each run and process on GPUs of a model, tuned or not
  batch_invariant   // and each row has the same bits whatever the number of rows, products or heads
};

namespace detail {

// Whether configs of products with this answer sum alike: K in its order, by one program, and on Hopper by
// wgmma, which takes 64 rows of the left factor.
template <class Config> bool sums_in_order(const Config &cfg) {
  int rows = cfg.block_m;
  if constexpr (requires { cfg.swap_ab; })
    rows = cfg.swap_ab ? cfg.block_n : cfg.block_m;
  if constexpr (requires { cfg.split_k; })
    if (cfg.split_k > 1)
      return false;
  return rows % 64 == 0 && cfg.launch.num_warps % 4 == 0;
}

struct InOrder {
  bool operator()(const auto &cfg) const { return sums_in_order(cfg); }
};

// The kernel, or one whose configs all sum alike, which `SumsAlike` says of each. That one is made once, so
// that launches find what they know.
template <const auto &Kernel, class SumsAlike = InOrder> const auto &with_numerics(Numerics numerics) {
  if (numerics == Numerics::any)
    return Kernel;
  static const auto in_order = [] {
    auto kernel = Kernel;
    std::erase_if(kernel.configs, [](const auto &cfg) { return !SumsAlike()(cfg); });
    return kernel;
  }();
  return in_order;
}

// The one config of rows of so many columns, where all sums are to be alike.
template <class Config> Config row_config(std::int64_t cols) {
  constexpr std::int64_t most_of_block = 8192, of_thread = 16;
  const std::int64_t block =
      cols > most_of_block ? 4096
                           : static_cast<std::int64_t>(
                                 std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(cols, 64))));
  const std::int64_t warps = std::clamp<std::int64_t>(block / (32 * of_thread), 1, 16);
  return {.block = static_cast<int>(block),
          .whole_row = cols <= most_of_block,
          .launch = {.num_warps = static_cast<int>(warps)}};
}

// What the caller chose, or this one if it is asked for.
template <class Options> auto row_config_of(const Options &options, std::int64_t cols) {
  auto config = options.config;
  if (!config && options.numerics != Numerics::any)
    config = row_config<typename decltype(config)::value_type>(cols);
  return config;
}

}   // namespace detail
}   // namespace tile::kernels
