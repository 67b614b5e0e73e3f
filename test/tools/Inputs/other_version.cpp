// SPDX-License-Identifier: MIT
// A library as another version of the headers makes it: FORMAT and VERSION say which.
#include <tile/library_abi.h>

extern "C" const tile::library::LibraryAbi *tile_kernel_library() {
  static const tile::library::LibraryAbi abi{FORMAT, VERSION, __VERSION__, 0, nullptr};
  return &abi;
}
