// SPDX-License-Identifier: MIT
// The rows of a box of a tensor, one after the other.
#pragma once

#include "runtime/simulator/tensor_map.h"

#include <algorithm>
#include <cstdint>

namespace tile::simulator {

// Calls row(byte of the box, address in global memory, first and number of elements that are inside of the
// tensor); none are where the row is outside altogether. The address is of the first element inside.
// `fillsRows`: rows of the tensor end at a multiple of 16 bytes.
template <class Row>
void forEachRow(const TensorMap &map, const std::int32_t *coordinates, bool fillsRows, Row &&row) {
  unsigned at[5] = {};
  const std::int64_t first = coordinates[0], extent = map.boxExtent(0);
  const std::int64_t begin = std::clamp<std::int64_t>(-first, 0, extent);
  const std::int64_t size = map.elementBytes();
  std::int64_t length = std::int64_t{map.last[0]} + 1;
  if (fillsRows)
    length = (length * size + 15) / 16 * 16 / size;
  const std::int64_t end = std::clamp<std::int64_t>(length - first, begin, extent);
  std::uint32_t byte = 0;
  for (;;) {
    std::uint64_t address = map.address + static_cast<std::uint64_t>((first + begin) * map.elementBytes());
    bool isInside = begin < end;
    for (unsigned d = 1; d < map.rank; ++d) {
      const std::int64_t index = coordinates[d] + std::int64_t{at[d]} * map.every[d];
      isInside = isInside && index >= 0 && index <= map.last[d];
      address += static_cast<std::uint64_t>(index) * map.strides[d - 1];
    }
    row(byte, address, static_cast<unsigned>(begin), isInside ? static_cast<unsigned>(end - begin) : 0u);
    byte += map.rowBytes();
    unsigned d = 1;
    while (d < map.rank && ++at[d] == map.boxExtent(d))
      at[d++] = 0;
    if (d >= map.rank)
      return;
  }
}

}   // namespace tile::simulator
