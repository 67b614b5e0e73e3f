// SPDX-License-Identifier: MIT
// A program without the compiler, which needs libc, libm and g++'s libraries alone: it has no pack, and says
// so.
#include <tile/devices.h>
#include <tile/dsl.h>
#include <tile/error.h>

#include <cstdio>
#include <cstring>

int main() {
  try {
    (void)tile::open_device("simulator");
  } catch (const tile::Error &error) {
    std::puts(error.what());
    return std::strstr(error.what(), "tile::launch") ? 0 : 1;
  }
  return 1;
}
