// SPDX-License-Identifier: MIT
// The wgmma of groups of four warps: one begins when all four have come and the matrix unit is free.
#pragma once

#include "runtime/timeline/multiprocessor.h"
#include "runtime/timeline/warp_state.h"

#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tile::timeline {

class Products {
 public:
  using Wake = std::function<void(std::size_t warp, double time, State state)>;
  Products(const GpuModel &model, Timeline &result, Wake wake)
      : model_(model), result_(result), wake_(std::move(wake)) {}

  void begin(WarpState &warp, Multiprocessor &multiprocessor, const simulator::Step &step, double now);
  // When no more than `pending` groups of the warp are under way: the time, or none if another warp has not
  // come yet; then the warp is woken.
  std::optional<double> done(const WarpState &warp, std::size_t number, std::uint32_t pending);

 private:
  struct Product {
    unsigned arrived = 0;
    std::optional<double> done;
    std::vector<std::size_t> waiting;
  };
  static std::uint64_t key_of(const WarpState &warp, std::uint32_t product);

  const GpuModel &model_;
  Timeline &result_;
  const Wake wake_;
  std::unordered_map<std::uint64_t, Product> products_;
};

}   // namespace tile::timeline
