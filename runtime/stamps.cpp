// SPDX-License-Identifier: MIT
#include "runtime/stamps.h"

#include <algorithm>
#include <string>

namespace tile {
namespace {

constexpr std::int64_t one_of = 16;

std::int64_t rounded_up(std::int64_t count, std::int64_t parts) { return (count + parts - 1) / parts; }

using Place = std::array<std::int64_t, 3>;

// The CTAs of the cluster that this one is in, in the order of their numbers.
std::vector<std::int64_t> cluster_of(std::int64_t cta, const LoweredKernel &kernel, const Grid &grid) {
  const Place id{cta % grid.x, cta / grid.x % grid.y, cta / (grid.x * grid.y)};
  Place first = id;
  for (std::size_t axis = 0; axis < first.size(); ++axis)
    first[axis] -= id[axis] % kernel.cluster[axis];
  std::vector<std::int64_t> ctas;
  for (std::int64_t z = 0; z < kernel.cluster[2]; ++z)
    for (std::int64_t y = 0; y < kernel.cluster[1]; ++y)
      for (std::int64_t x = 0; x < kernel.cluster[0]; ++x)
        ctas.push_back(((first[2] + z) * grid.y + first[1] + y) * grid.x + first[0] + x);
  return ctas;
}

void add(std::vector<std::int64_t> &ctas, const std::vector<std::int64_t> &more) {
  for (const std::int64_t cta : more)
    if (std::ranges::find(ctas, cta) == ctas.end())
      ctas.push_back(cta);
}

}   // namespace

std::optional<StampKind> stamp_kind_named(std::string_view name) {
  const auto *const found = std::ranges::find(stamp_kinds, name);
  if (found == stamp_kinds.end())
    return std::nullopt;
  return static_cast<StampKind>(found - stamp_kinds.begin());
}

std::vector<std::int64_t> traced_ctas(const LoweredKernel &kernel, const Grid &started,
                                      std::span<const std::int64_t> asked, std::size_t most) {
  const std::int64_t all = started.x * started.y * started.z;
  std::vector<std::int64_t> ctas;
  for (const std::int64_t cta : asked)
    if (cta < all)
      add(ctas, cluster_of(cta, kernel, started));
  if (ctas.size() > most)
    throw Error("a trace stamps at most " + std::to_string(most) + " CTAs of a launch, and " +
                    std::to_string(ctas.size()) + " were asked for",
                {})
        .add_context(kernel.title())
        .add_help(kernel.ctas() > 1 ? "of a cluster all CTAs are traced: name fewer clusters"
                                    : "name fewer of them");
  if (!asked.empty())
    return ctas;
  const auto size = static_cast<std::int64_t>(kernel.ctas());
  const std::int64_t clusters = all / size;
  const std::int64_t wanted =
      std::clamp<std::int64_t>(rounded_up(clusters, one_of), 1, static_cast<std::int64_t>(most) / size);
  for (std::int64_t i = 0; i < clusters; i += rounded_up(clusters, wanted))
    add(ctas, cluster_of(i * size, kernel, started));
  return ctas;
}

}   // namespace tile
