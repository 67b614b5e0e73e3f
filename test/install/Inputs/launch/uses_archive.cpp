// SPDX-License-Identifier: MIT
#include "axpy.h"

#include <tile/buffer.h>
#include <tile/devices.h>

#include <cstdio>

int main() {
  try {
    const auto device = tile::open_device("cuda");
    tile::Buffer<float> x(*device, 256, "x"), y(*device, 256, "y");
    axpy_on(*device, x.data(), y.data(), 256);
    std::puts("launched");
    tile::open_device("simulator");
  } catch (const tile::Error &error) {
    std::printf("%s: %s\n", name_of(error.code()).data(), error.what());
  }
}
