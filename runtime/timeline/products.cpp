// SPDX-License-Identifier: MIT
#include "runtime/timeline/products.h"

#include <utility>

namespace tile::timeline {

constexpr unsigned warps_of_group = 4;

std::uint64_t Products::key_of(const WarpState &warp, std::uint32_t product) {
  const std::uint64_t group = std::uint64_t{warp.record->cta} << 8 | warp.record->warp / warps_of_group;
  return std::uint64_t{warp.copy} << 48 | group << 32 | product;
}

void Products::begin(WarpState &warp, Multiprocessor &multiprocessor, const simulator::Step &step,
                     double now) {
  Product &product = products_[key_of(warp, warp.products++)];
  if (++product.arrived < warps_of_group)
    return;
  const bool is_in_registers = step.more != 0;
  const double cycles = GpuModel::product(step.amount, is_in_registers);
  const double begin = multiprocessor.matrix.take(now, cycles);
  multiprocessor.shared.count(GpuModel::product_wavefronts(step.amount, is_in_registers));
  product.done = begin + cycles;
  if (warp.timeline)
    result_.products.push_back(
        {begin, *product.done, step.place, warp.record->cta, warp.record->warp / warps_of_group});
  for (const std::size_t other : std::exchange(product.waiting, {}))
    wake_(other, *product.done + model_.product_latency, State::products);
}

std::optional<double> Products::done(const WarpState &warp, std::size_t number, std::uint32_t pending) {
  if (warp.product_groups.size() <= pending)
    return 0;
  const std::uint32_t end = warp.product_groups[warp.product_groups.size() - pending - 1];
  if (end == 0)
    return 0;
  Product &last = products_[key_of(warp, end - 1)];
  if (last.done)
    return *last.done + model_.product_latency;
  last.waiting.push_back(number);
  return std::nullopt;
}

}   // namespace tile::timeline
