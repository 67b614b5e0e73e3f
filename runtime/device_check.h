// SPDX-License-Identifier: MIT
// A check that a kernel makes while it runs, as reports need it: the compiler lists them, a device that
// finds one failed says so.
#pragma once

#include "tile/error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tile {

// What a program writes of a check that failed: the compiler's `tile_gpu.fault_record`.
struct FaultRecord {
  std::uint32_t failed, number, x, y, z, element;
};

struct DeviceCheck {
  std::string message;
  Location where;
  std::vector<std::int64_t> shape;   // of the tile that is checked; empty: a scalar
  bool operator==(const DeviceCheck &) const = default;
};

}   // namespace tile
