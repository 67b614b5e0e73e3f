// SPDX-License-Identifier: MIT
// Host memory as arguments of a device that does not reach it: copied there before the launch, and back after
// it where the kernel may have written.
#pragma once

#include "runtime/launch/launch.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tile::launching {

// Spans that overlap share their copy, as they share their memory. A copy lies as its original does, to 256
// bytes, so that what is known of the original's alignment holds for it.
class CopiedArguments {
 public:
  // `arguments` stay as they are; throws where the device is recording, which would not copy when it replays.
  CopiedArguments(const LaunchRequest &request);

  static bool are_needed(const LaunchRequest &request);
  // The same launch, with addresses of the device.
  LaunchRequest request() const;
  // Waits for the launch.
  void copy_back();

 private:
  struct Release {
    Device *device;
    void operator()(void *allocation) const { device->release(allocation); }
  };
  struct Range {
    std::uint64_t begin, end;   // of the host, begin at a multiple of `lattice`
    std::unique_ptr<void, Release> allocation{nullptr, {}};
    std::byte *copy = nullptr;   // where `begin` is
  };
  static constexpr std::uint64_t lattice = 256;
  std::byte *copy_of(std::uint64_t address) const;

  const LaunchRequest &given_;
  std::vector<PackedArgument> arguments_;
  std::vector<Range> ranges_;   // in order, none touches another
};

}   // namespace tile::launching
