// SPDX-License-Identifier: MIT
// The devices of this machine by name.
#pragma once

#include "tile/completion.h"
#include "tile/device.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tile {

// "cuda", a GPU; "cuda:1", the second of those that the process sees; "simulator", which runs on the CPU what
// is compiled for a GPU; "interpreter", which runs on the CPU what a kernel means; "auto", what TILE_DEVICE
// says, else a GPU where there is one, and else the simulator. Throws tile::Error naming the accepted ones.
std::unique_ptr<Device> open_device(std::string_view name = "auto");

// In which order a simulator's threads go on, and when what it does asynchronously is done.
struct SimulatedOrder {
  Completion copies = Completion::latest, matrix = Completion::latest;
  unsigned seed = 1;                       // of random times
  std::optional<unsigned> schedule_seed;   // none: the fixed order
};

struct DeviceOptions {
  // Floats are integers modulo 2^width, for `tile fuzz` (docs/design.md, random programs): the interpreter
  // and the simulator compute so, "auto" is the simulator, and "cuda" throws tile::Error.
  bool ring_floats = false;
  std::optional<SimulatedOrder> order;   // of a simulator; none: as the environment says
  bool is_limited = true;                // by TILE_LIMIT; not where each program has a time of its own
};
std::unique_ptr<Device> open_device(std::string_view name, const DeviceOptions &options);
std::vector<std::string> device_names();   // without numbers

struct NamedDevice {
  std::string kind;   // "cuda", "simulator", "interpreter"
  int ordinal = 0;    // of a GPU
};
// What open_device() opens by this name. Throws as it does, without opening anything.
NamedDevice named_device(std::string_view name);

}   // namespace tile
