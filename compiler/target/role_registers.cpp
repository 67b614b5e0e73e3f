// SPDX-License-Identifier: MIT
#include "compiler/target/role_registers.h"

#include <algorithm>

namespace tile {

constexpr std::int32_t step = 8;   // registers are given and taken in so many

std::int32_t RoleRegisters::atFirst(std::int32_t groups) {
  constexpr std::int32_t most = 248, ofCta = 64 << 10, groupThreads = 128;
  return std::min(most, ofCta / (groups * groupThreads) / step * step);
}

RoleRegisters::RoleRegisters(std::int32_t groups, bool makesMaps, bool givesMost)
    : atFirst_(atFirst(groups + 1)), copying_(atFirst_), multiplying_(atFirst_) {
  if (groups == 1)
    return;
  constexpr std::int32_t most = 240;
  copying_ = makesMaps ? 56 : givesMost ? 24 : 40;
  multiplying_ = std::min(most, (atFirst_ * (groups + 1) - copying_) / groups / step * step);
}

bool RoleRegisters::hold(std::int64_t sums, std::int64_t ofInstruction) const {
  return sums + Others <= multiplying_ && ofInstruction + Others <= atFirst_;
}

}   // namespace tile
