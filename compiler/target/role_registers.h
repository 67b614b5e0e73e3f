// SPDX-License-Identifier: MIT
// What registers a thread has where a CTA is divided into roles: one group of four warps copies, the others
// multiply. All begin with the same number; then the group that copies gives most of its own to the others.
//
//    groups that multiply    at first    copies    multiplies
//    1                       248         248       248           there are enough
//    2                       168         40        232         24 and 240 where sums need it
//    4                       96          40        104
#pragma once

#include <cstdint>

namespace tile {

class RoleRegisters {
 public:
  // Descriptors, addresses, counters: as many as ptxas asks for beside the sums of one instruction.
  static constexpr std::int64_t Others = 26;
  // Of a thread when a CTA of so many groups of four warps begins with all there are.
  static std::int32_t atFirst(std::int32_t groups);

  // `groups` multiply. The one that copies needs more registers where it makes the maps of its tensors.
  // `givesMost`: it keeps as few as it can do with, which is slower.
  RoleRegisters(std::int32_t groups, bool makesMaps, bool givesMost = false);

  // Whether the group that copies gives some away.
  bool change() const { return multiplying_ != atFirst_; }
  std::int32_t ofCopies() const { return copying_; }
  std::int32_t ofProducts() const { return multiplying_; }
  // Whether a thread can hold so many sums, and for those that one instruction adds to: the assembler
  // takes the instruction by the registers that the CTA begins with.
  bool hold(std::int64_t sums, std::int64_t ofInstruction) const;

 private:
  std::int32_t atFirst_, copying_, multiplying_;
};

}   // namespace tile
