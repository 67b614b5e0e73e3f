// SPDX-License-Identifier: MIT
// Queues of work beside the device's own, so that kernels overlap with each other and with copies, and so
// that kernels take their place in a queue that another library made.
//
//   tile::Stream stream(*device);
//   kernel(OnStream(stream), x, y, n);      // this launch
//   {
//     OnStream all(stream);                 // what this thread launches, copies and waits for on the device
//     kernel(*device, x, y, n);
//   }
//   stream.synchronize();
//
// A launch on a CUDA GPU returns when it is queued. The interpreter and the simulator have no queues: there,
// a launch is over when it returns, whatever stream it is on.
#pragma once

#include "tile/device.h"

#include <source_location>
#include <utility>

namespace tile {

class Stream {
 public:
  explicit Stream(Device &device);
  // A stream of the application: the CUstream, or the cudaStream_t, of the same GPU. It stays the
  // application's. nullptr is CUDA's default stream; on devices without queues the handle means nothing.
  static Stream wrap(Device &device, void *handle) { return {device, handle, false}; }
  // The one that launches without a stream are on.
  static Stream own(Device &device);

  Stream(Stream &&other) noexcept
      : device_(other.device_), handle_(other.handle_), is_owner_(std::exchange(other.is_owner_, false)) {}
  Stream &operator=(Stream &&other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    std::swap(is_owner_, other.is_owner_);
    return *this;
  }
  ~Stream();

  Device &device() const { return *device_; }
  void *handle() const { return handle_; }   // a CUstream; null where there are no queues
  // Waits for what was queued here. Failed asserts and printed lines show now.
  void synchronize() const;
  // What is queued here from now on begins after what is queued there now.
  void wait_for(const Stream &other) const;

 private:
  Stream(Device &device, void *handle, bool is_owner)
      : device_(&device), handle_(handle), is_owner_(is_owner) {}
  Device *device_;
  void *handle_;
  bool is_owner_;
};

// While it lives, the work of this thread on the stream's device goes to the stream; what is inside counts
// before what is outside. As the first argument of a launch it lives as long as the launch.
class OnStream {
 public:
  explicit OnStream(const Stream &stream, std::source_location where = std::source_location::current());
  ~OnStream();
  OnStream(const OnStream &) = delete;
  OnStream &operator=(const OnStream &) = delete;
  operator OnDevice() const { return {device_, where_}; }

 private:
  friend struct StreamOfThread;
  Device &device_;
  void *handle_;
  std::source_location where_;
  const OnStream *outer_;
};

}   // namespace tile
