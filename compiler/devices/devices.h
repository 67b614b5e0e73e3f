// SPDX-License-Identifier: MIT
// Opens the devices of this machine by name.
#pragma once

#include <tile/completion.h>
#include <tile/device.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

// Opens a device. "cuda" is a GPU, "cuda:1" the second GPU that the process sees. On the CPU, "simulator"
// runs code for a GPU, "interpreter" runs the meaning of a kernel. "auto" is the device in TILE_DEVICE, else
// a GPU if there is one, else the simulator. For other names, throws tile::Error with the accepted names.
std::unique_ptr<Device> open_device(std::string_view name = "auto");

// The order of a simulator's threads, and when its asynchronous operations complete.
struct SimulatedOrder {
  Completion copies = Completion::latest, matrix = Completion::latest;
  unsigned seed = 1;                       // for random completion times
  std::optional<unsigned> schedule_seed;   // no value: the fixed order
};

struct DeviceOptions {
  // Floats are integers modulo 2^width, for `tile fuzz` (docs/design.md, random programs). The interpreter
  // and the simulator support it, "auto" is then the simulator, and "cuda" throws tile::Error.
  bool ring_floats = false;
  std::optional<SimulatedOrder> order;   // of a simulator; no value: from the environment
  bool is_limited = true;                // TILE_LIMIT applies; false if each program has its own limit
};
std::unique_ptr<Device> open_device(std::string_view name, const DeviceOptions &options);
std::vector<std::string> device_names();   // without numbers of GPUs

struct NamedDevice {
  std::string kind;   // "cuda", "simulator", "interpreter"
  int ordinal = 0;    // of a GPU
};
// The device that open_device() opens for this name. Throws the same errors, and opens nothing.
NamedDevice named_device(std::string_view name);

}   // namespace tile
