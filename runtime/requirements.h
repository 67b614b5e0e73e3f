// SPDX-License-Identifier: MIT
// What a kernel may ask of its compiled code. A launch whose code is different is refused, with the reason:
//
//   .require = {.unit = ProductUnit::wgmma, .roles = true, .no_spills = true, .registers = 168}
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tile {

struct KernelResources;   // <tile/device.h>

// What multiplies the tiles of a kernel, the fastest first. Where its products differ, the slowest counts.
enum class ProductUnit : std::uint8_t {
  none,       // the kernel has no products
  wgmma,      // the matrix unit, out of shared memory: groups of four warps
  mma_sync,   // the matrix unit, out of registers: single warps
  threads,    // no matrix unit
};
std::string_view name_of(ProductUnit unit);   // "mma.sync"
std::optional<ProductUnit> product_unit_named(std::string_view name);

// The interpreter knows none of it, and the simulator no registers: they do not check what they do not know.
struct Requirements {
  ProductUnit unit = ProductUnit::none;   // all products are made by this unit or a faster one
  bool roles = false;                     // groups of warps run programs of their own: copies, products
  bool no_spills = false;                 // nothing is kept in memory for want of registers
  int registers = 0;                      // of a thread, at most; 0: as many as it takes

  bool operator==(const Requirements &) const = default;
  // Equal for equal requirements alone; 0 if nothing is asked.
  std::uint64_t word() const;
  // What the code does not meet, as a sentence; empty if it meets everything that the device knows.
  std::string broken_by(const KernelResources &code) const;
};

}   // namespace tile
