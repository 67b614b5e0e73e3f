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

#include <cstdint>
#include <memory>
#include <source_location>

namespace tile {

// It may live longer than its device: then what it is used for throws tile::Error.
class Stream {
 public:
  explicit Stream(Device &device);
  // A stream of the application: the CUstream, or the cudaStream_t, of the same GPU. It stays the
  // application's. nullptr is CUDA's default stream; on devices without queues the handle means nothing.
  static Stream wrap(Device &device, void *handle) { return {device, handle, nullptr}; }
  // The one that launches without a stream are on.
  static Stream own(Device &device);

  Stream(Stream &&other) = default;
  Stream &operator=(Stream &&other) = default;
  ~Stream() = default;   // what is queued still runs

  Device &device() const { return device_.get("a stream"); }
  void *handle() const { return handle_; }   // a CUstream; null where there are no queues
  // Waits for what was queued here. Failed asserts and printed lines show now.
  void synchronize() const;
  // What is queued here from now on begins after what is queued there now.
  void wait_for(const Stream &other) const;

 private:
  friend class OnStream;
  Stream(Device &device, void *handle, std::shared_ptr<const void> owner)
      : device_(device), handle_(handle), owner_(std::move(owner)) {}
  DeviceLink device_;
  void *handle_;
  std::shared_ptr<const void> owner_;   // of the handle; null: the application
};

// While it lives, the work of this thread on the stream's device goes to the stream; what is inside counts
// before what is outside. As the first argument of a launch it lives as long as the launch.
class OnStream {
 public:
  explicit OnStream(const Stream &stream, std::source_location where = std::source_location::current());
  ~OnStream();
  OnStream(const OnStream &) = delete;
  OnStream &operator=(const OnStream &) = delete;
  operator OnDevice() const { return {device_.get("a stream"), where_}; }

 private:
  friend struct StreamOfThread;
  DeviceLink device_;
  std::uint64_t id_;   // of the device
  void *handle_;
  std::shared_ptr<const void> owner_;
  std::source_location where_;
  const OnStream *outer_;
};

}   // namespace tile
