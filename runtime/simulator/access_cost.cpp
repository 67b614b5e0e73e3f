// SPDX-License-Identifier: MIT
#include "runtime/simulator/access_cost.h"

#include <algorithm>

namespace tile::simulator {
namespace {

constexpr unsigned wordBytes = 4, banks = 32, sectorBytes = 32;

// The words that lanes want of each bank, in one pass over the lanes.
class Banks {
 public:
  void want(std::uint64_t word, bool isUpdate) {
    const unsigned bank = word % banks;
    auto *const begin = words_[bank], *const end = begin + count_[bank];
    if (!isUpdate && std::find(begin, end, word) != end)
      return;
    *end = word;
    most_ = std::max(most_, ++count_[bank]);
  }
  unsigned wavefronts() const { return most_; }

 private:
  unsigned count_[banks] = {}, most_ = 0;
  std::uint64_t words_[banks][banks];   // a pass asks for no more than 32
};

}   // namespace

AccessCost sharedCost(const WarpAccess &access, bool isUpdate) {
  AccessCost cost;
  // More than 16 bytes a lane are several instructions.
  for (unsigned done = 0; done < access.bytes; done += 16) {
    const unsigned bytes = std::min(access.bytes - done, 16u);
    const unsigned lanes = bytes <= 4 ? 32 : bytes <= 8 ? 16 : 8;
    for (unsigned first = 0; first < 32; first += lanes) {
      Banks asked;
      for (unsigned lane = first; lane < first + lanes; ++lane)
        if (access.active >> lane & 1)
          for (unsigned byte = 0; byte < bytes; byte += wordBytes)
            asked.want((access.at[lane] + done + byte) / wordBytes, isUpdate);
      cost.parts += asked.wavefronts();
      cost.least += asked.wavefronts() > 0;
    }
  }
  return cost;
}

AccessCost globalCost(const WarpAccess &access) {
  std::uint64_t places[32];
  unsigned count = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (access.active >> lane & 1)
      places[count++] = access.at[lane];
  if (!std::is_sorted(places, places + count))
    std::sort(places, places + count);
  AccessCost cost;
  std::uint64_t distinct = 0, covered = 0, nextSector = 0;   // up to where bytes and sectors are counted
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t begin = places[i], end = begin + access.bytes;
    distinct += end - std::min(std::max(begin, covered), end);
    covered = std::max(covered, end);
    const std::uint64_t first = std::max(begin / sectorBytes, nextSector), last = (end - 1) / sectorBytes + 1;
    if (last > first) {
      cost.parts += static_cast<std::uint32_t>(last - first);
      nextSector = last;
    }
  }
  cost.least = static_cast<std::uint32_t>((distinct + sectorBytes - 1) / sectorBytes);
  return cost;
}

}   // namespace tile::simulator
