// SPDX-License-Identifier: MIT
// What the handles of the C interface stand for. A handle is a number that is never used again, so a handle
// that was closed, or that never was one, is found out without touching memory.
#pragma once

#include "compiler/c_api/tile.h"
#include "compiler/devices/devices.h"
#include "runtime/cuda/launch_stream.h"

#include <memory>

namespace tile::c_api {

struct OpenDevice {
  std::unique_ptr<Device> device;
  NamedDevice named;
};
struct OpenStream {
  std::shared_ptr<OpenDevice> owner;
  Stream stream;
};

// Each throws tile::Error if the handle is not one, or was closed.
std::shared_ptr<OpenDevice> device_of(tile_device handle);
std::shared_ptr<OpenStream> stream_of(tile_stream handle);

tile_device keep(std::shared_ptr<OpenDevice> device);
tile_stream keep(std::shared_ptr<OpenStream> stream);
// With its streams.
void close(tile_device handle);
void close(tile_stream handle);

}   // namespace tile::c_api
