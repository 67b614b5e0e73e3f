// SPDX-License-Identifier: MIT
// A library as another version of the headers makes it: FORMAT and VERSION say which.
#include <tile/library_face.h>

extern "C" const tile::library::LibraryFace *tile_kernel_library() {
  static const tile::library::LibraryFace face{FORMAT, VERSION, __VERSION__, 0, nullptr};
  return &face;
}
