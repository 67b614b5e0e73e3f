// SPDX-License-Identifier: MIT
// Stamps of a GPU's clock: what code that was compiled for a trace writes while it runs. The compiler says
// which sites have stamps, the device brings the lists, and runtime/timeline makes a timeline of both.
#pragma once

#include "runtime/device.h"
#include "runtime/error.h"
#include "runtime/lowered_kernel.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tile {

// Those that end with `wait`, `barrier` and `results` have a stamp on both sides; the others one before.
enum class StampKind : std::uint8_t {
  mbarrier_wait,   // amount: the number of the site of the products that begin where it ends, from 1; 0: none
                   // do
  load,            // bulk copy
  store,           // bulk copy
  store_wait,      // amount: groups that may be on their way
  copy,            // the first cp.async of several
  copy_arrive,
  copy_wait,      // amount: the same
  product,        // the first wgmma of a group
  product_wait,   // amount: the same
  multiply,       // the first mma.sync of several
  barrier,
  cluster_wait,
  global_load,    // the first of several
  global_store,   // the same
  results,        // of global loads
};
inline constexpr std::array<std::string_view, 15> stamp_kinds{
    "mbarrier_wait", "load",         "store",       "store_wait",   "copy",
    "copy_arrive",   "copy_wait",    "product",     "product_wait", "multiply",
    "barrier",       "cluster_wait", "global_load", "global_store", "results"};
std::optional<StampKind> stamp_kind_named(std::string_view name);

struct StampSite {
  StampKind kind{};
  Location where;
  unsigned amount = 0;
};

struct StampedKernel {
  LoweredKernel kernel;
  std::uint32_t list_bytes = 0, most_ctas = 0;
  std::vector<StampSite> sites;
};

// One launch, and what it wrote: a list for each warp of each traced CTA, in this order.
struct StampedLaunch {
  StampedKernel code;
  Grid started;
  std::vector<std::int64_t> ctas;
  std::vector<std::byte> lists;
};

// The CTAs of a launch that are traced: those that were asked for, as far as there are such, or one of
// sixteen, spread over the grid, and at most `most`. Of a cluster, all are. Throws tile::Error where too many
// were asked for.
std::vector<std::int64_t> traced_ctas(const LoweredKernel &kernel, const Grid &started,
                                      std::span<const std::int64_t> asked, std::size_t most);

}   // namespace tile
