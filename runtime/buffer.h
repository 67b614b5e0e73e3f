// SPDX-License-Identifier: MIT
// Memory of a device, typed and owned.
#pragma once

#include "tile/device.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tile {

template <class T> class Buffer {
 public:
  Buffer(Device &device, std::size_t size, std::string_view name = "buffer")
      : device_(&device), size_(size), data_(static_cast<T *>(device.allocate(size * sizeof(T), name))) {}
  Buffer(Device &device, std::span<const T> values, std::string_view name = "buffer")
      : Buffer(device, values.size(), name) {
    copy_from(values);
  }
  Buffer(Device &device, const std::vector<T> &values, std::string_view name = "buffer")
      : Buffer(device, std::span<const T>(values), name) {}
  Buffer(Buffer &&other) noexcept
      : device_(other.device_), size_(std::exchange(other.size_, 0)),
        data_(std::exchange(other.data_, nullptr)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(device_, other.device_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }
  ~Buffer() {
    if (data_)
      device_->release(data_);
  }

  T *data() const { return data_; }   // an address of the device
  std::size_t size() const { return size_; }
  Device &device() const { return *device_; }

  void copy_from(std::span<const T> values) {
    if (values.size() > size_)
      throw Error("a buffer of " + std::to_string(size_) + " elements cannot take " +
                      std::to_string(values.size()),
                  {});
    if (!values.empty())
      device_->copy_in(data_, values.data(), values.size_bytes());
  }
  std::vector<T> to_host() const {
    std::vector<T> values(size_);
    if (size_)
      device_->copy_out(values.data(), data_, size_ * sizeof(T));
    return values;
  }
  void fill_bytes(unsigned char byte) {
    if (size_)
      device_->fill(data_, byte, size_ * sizeof(T));
  }

 private:
  Device *device_;
  std::size_t size_;
  T *data_;
};

}   // namespace tile
