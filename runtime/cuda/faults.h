// SPDX-License-Identifier: MIT
// Failed device asserts. A program that fails leaves word in its module and ends; the next
// synchronisation reads it and throws, with the user's line. The GPU stays usable.
#pragma once

#include "runtime/cuda/stream.h"
#include "runtime/device_check.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tile::cuda {

// A kernel that can fail: its checks by number, and what reports say of it.
struct FaultSource {
  std::vector<DeviceCheck> checks;
  std::string kernel;   // "kernel softmax, config block=1024"
};

// The modules of one device that can fail.
class FaultRecords {
 public:
  FaultRecords(std::shared_ptr<const PrimaryContext> context, std::shared_ptr<const OwnedStream> aside)
      : context_(std::move(context)), aside_(std::move(aside)) {}
  void add(Address record, const FaultSource &source);
  // The module is about to go, after its last launches: what they have left is thrown by check().
  void retire(Address record) noexcept;
  // Throws what a program has left since the last time. All work that may fail is over.
  void check();

 private:
  struct Entry {
    Address record;
    FaultSource source;
  };
  std::shared_ptr<const PrimaryContext> context_;
  std::shared_ptr<const OwnedStream> aside_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
  std::vector<Error> pending_;   // of modules that are gone
};

}   // namespace tile::cuda
