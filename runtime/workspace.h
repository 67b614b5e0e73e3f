// SPDX-License-Identifier: MIT
// Device memory for the duration of one or several launches. Programs of a kernel keep data there between
// them, or a kernel leaves data there for the next one.
//
//   .around = [](auto &cfg, OnDevice on, auto &launch, auto x, auto, int n) {
//     const Workspace<f32> sums(on.device, cdiv(n, cfg.block));
//     launch(x, sums.data(), n);
//     add_up(on, sums, ...);
//   }
#pragma once

#include <tile/device.h>
#include <tile/plan_scope.h>

#include <cstddef>
#include <limits>
#include <string>

namespace tile {

// The memory belongs to the work that this thread queues while the object lives. It is not initialised.
template <class T> class Workspace {
 public:
  Workspace(Device &device, std::size_t size)
      : device_(device), size_(size), memory_(device, bytes_of(size)) {}

  T *data() const { return static_cast<T *>(memory_.address()); }   // an address of the device
  std::size_t size() const { return size_; }
  std::size_t size_bytes() const { return size_ * sizeof(T); }
  Device &device() const { return device_.get("a workspace"); }

 private:
  static std::size_t bytes_of(std::size_t size) {
    if (size > std::numeric_limits<std::size_t>::max() / sizeof(T))
      throw Error("a workspace of " + std::to_string(size) + " elements is larger than any memory", {});
    return size * sizeof(T);
  }
  DeviceLink device_;
  std::size_t size_;
  detail::TakenWorkspace memory_;
};

}   // namespace tile
