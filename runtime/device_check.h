// SPDX-License-Identifier: MIT
// The checks that a kernel makes while it runs. The compiler lists them; a device reports the check that
// failed.
#pragma once

#include <tile/error.h>

#include <cstdint>
#include <string>
#include <vector>

namespace tile {

// A program writes this record when a check fails: the compiler's `tile_gpu.fault_record`.
struct FaultRecord {
  std::uint32_t failed, number, x, y, z, element;
};

struct DeviceCheck {
  std::string message;
  Location where;
  std::vector<std::int64_t> shape;   // shape of the checked tile; empty: a scalar
  bool operator==(const DeviceCheck &) const = default;
};

}   // namespace tile
