// SPDX-License-Identifier: MIT
#include "tools/tile/occupancy.h"

#include <algorithm>
#include <vector>

namespace tile::tool {
namespace {

// What a multiprocessor has for all of its CTAs.
struct Multiprocessor {
  int threads, ctas, shared_bytes;
  explicit Multiprocessor(const Target &target)
      : threads(has_few_threads(target) ? 1536 : 2048), ctas(32),
        shared_bytes(target.sharedBytesPerBlock() + reserved_bytes) {
    if (threads == 1536)
      ctas = is(target, 8, 6) ? 16 : 24;
  }

  static constexpr int registers = 65536, reserved_bytes = 1024;   // of shared memory, for each CTA

 private:
  static bool is(const Target &target, int major, int minor) {
    return target.description().major == major && target.description().minor == minor;
  }
  static bool has_few_threads(const Target &target) {
    return is(target, 8, 6) || is(target, 8, 9) || target.description().major == 12;
  }
};

}   // namespace

Occupancy occupancy(const Target &target, unsigned threads_of_cta, unsigned shared_bytes,
                    std::optional<int> registers) {
  const Multiprocessor has(target);
  const int threads = static_cast<int>(threads_of_cta), warps = (threads + 31) / 32;
  std::vector<Occupancy> by{
      {has.threads / std::max(threads, 1), "threads"},
      {has.ctas, "the number of CTAs"},
      {has.shared_bytes / (static_cast<int>(shared_bytes) + Multiprocessor::reserved_bytes),
       "shared memory"}};
  if (registers) {
    constexpr int of_warp = 256;   // a warp gets multiples of so many
    const int taken = (*registers * 32 + of_warp - 1) / of_warp * of_warp * warps;
    by.push_back({Multiprocessor::registers / std::max(taken, 1), "registers"});
  }
  return *std::ranges::min_element(by, {}, &Occupancy::ctas);
}

}   // namespace tile::tool
