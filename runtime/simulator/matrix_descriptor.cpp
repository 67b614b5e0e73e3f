// SPDX-License-Identifier: MIT
#include "runtime/simulator/matrix_descriptor.h"

namespace tile::simulator {

MatrixDescriptor::MatrixDescriptor(std::uint64_t bits)
    : start((bits & 0x3FFF) << 4), leading((bits >> 16 & 0x3FFF) << 4), stride((bits >> 32 & 0x3FFF) << 4),
      base(bits >> 49 & 7), mode(static_cast<unsigned>(bits >> 62)) {}

void MatrixDescriptor::places(unsigned rows, bool isTransposed, std::vector<std::uint32_t> &places) const {
  const std::uint32_t width = mode == 0 ? 16 : 256u >> mode;   // of a row of the pattern
  const std::uint32_t mask = mode == 0 ? 0 : (8u >> (mode - 1)) - 1;
  const auto add = [&](std::uint32_t at) { places.push_back(at ^ ((((at >> 7) - base) & mask) << 4)); };
  if (!isTransposed) {   // groups of eight rows, `stride` apart
    for (unsigned row = 0; row < rows; ++row) {
      const std::uint32_t at = start + row / 8 * stride + row % 8 * width;
      add(at);
      add(at + (mode == 0 ? leading : 16));
    }
    return;
  }
  const std::uint32_t perBlock = width / 16;
  for (unsigned k = 0; k < 16; ++k)
    for (unsigned unit = 0; unit < rows / 8; ++unit)
      add(mode == 0
              ? start + unit * stride + k / 8 * leading + k % 8 * 16
              : start + unit / perBlock * leading + k / 8 * stride + k % 8 * width + unit % perBlock * 16);
}

}   // namespace tile::simulator
