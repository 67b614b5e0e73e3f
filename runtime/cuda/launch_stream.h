// SPDX-License-Identifier: MIT
// Streams beside the device's own one. With them, kernels overlap with each other and with copies, and
// kernels can be queued on a stream that another library made.
//
//   tile::Stream stream(*device);
//   kernel(OnStream(stream), x, y, n);      // this launch
//   {
//     OnStream all(stream);                 // all launches, copies and waits of this thread on the device
//     kernel(*device, x, y, n);
//   }
//   stream.synchronize();
//
// A launch on a CUDA GPU returns when it is queued. The interpreter and the simulator have no queues: there,
// a launch on any stream is complete when it returns.
#pragma once

#include <tile/device.h>

#include <cstdint>
#include <memory>
#include <source_location>

namespace tile {

// A stream may live longer than its device. Then its use throws tile::Error.
class Stream {
 public:
  explicit Stream(Device &device);
  // Wraps a stream of the application: a CUstream or cudaStream_t of the same GPU. The application still owns
  // it. nullptr is CUDA's default stream. Devices without queues ignore the handle.
  static Stream wrap(Device &device, void *handle) { return {device, handle, nullptr}; }
  // The device's own stream, which launches without a stream use.
  static Stream own(Device &device);

  Stream(Stream &&other) = default;
  Stream &operator=(Stream &&other) = default;
  ~Stream() = default;   // queued work still runs

  Device &device() const { return device_.get("a stream"); }
  void *handle() const { return handle_; }   // a CUstream; null if the device has no queues
  // Waits for the work that is queued on this stream. Failed asserts and printed lines appear now.
  void synchronize() const;
  // Work that is queued on this stream from now on starts after the work that is queued on `other` now.
  void wait_for(const Stream &other) const;

 private:
  friend class OnStream;
  Stream(Device &device, void *handle, std::shared_ptr<const void> owner)
      : device_(device), handle_(handle), owner_(std::move(owner)) {}
  DeviceLink device_;
  void *handle_;
  std::shared_ptr<const void> owner_;   // owner of the handle; null: the application
};

// While this object lives, the work of this thread on the stream's device goes to the stream. An inner object
// overrides an outer one. As the first argument of a launch, it lives as long as the launch.
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
  std::uint64_t id_;   // Device::id()
  void *handle_;
  std::shared_ptr<const void> owner_;
  std::source_location where_;
  const OnStream *outer_;
};

}   // namespace tile
