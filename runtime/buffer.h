// SPDX-License-Identifier: MIT
// A typed array in device memory, which the buffer owns.
#pragma once

#include <tile/device.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tile {

template <class T> class Buffer {
 public:
  Buffer(Device &device, std::size_t size, std::string_view name = "buffer")
      : device_(device.id()), size_(size),
        data_(static_cast<T *>(device.allocate(bytes_of(size, name), name))) {}
  Buffer(Device &device, std::span<const T> values, std::string_view name = "buffer")
      : Buffer(device, values.size(), name) {
    copy_from(values);
  }
  Buffer(Device &device, const std::vector<T> &values, std::string_view name = "buffer")
      : Buffer(device, values.size(), name) {
    copy_from(values);
  }
  Buffer(Buffer &&other) noexcept
      : device_(other.device_), size_(std::exchange(other.size_, 0)),
        data_(std::exchange(other.data_, nullptr)) {}
  Buffer &operator=(Buffer &&other) noexcept {
    std::swap(device_, other.device_);
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
    return *this;
  }
  // If the device is gone, it has released its memory.
  ~Buffer() {
    if (Device *device = data_ ? Device::find(device_) : nullptr)
      device->release(data_);
  }

  T *data() const { return data_; }   // an address of the device
  std::size_t size() const { return size_; }
  // Throws tile::Error if the device is gone.
  Device &device() const {
    if (Device *device = Device::find(device_))
      return *device;
    throw Error("a buffer of " + std::to_string(size_) + " elements is used after its device is gone", {})
        .add_help("let the device live longer: declare it before its buffers");
  }

  void copy_from(std::span<const T> values) {
    if (values.size() > size_)
      throw Error("a buffer of " + std::to_string(size_) + " elements cannot take " +
                      std::to_string(values.size()),
                  {});
    if (!values.empty())
      device().copy_in(data_, values.data(), values.size_bytes());
  }
  void copy_from(const std::vector<T> &values) {
    if constexpr (std::is_same_v<T, bool>) {
      // std::vector<bool> holds bits; device memory holds one byte for each element.
      const auto bytes = std::make_unique<bool[]>(values.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        bytes[i] = values[i];
      copy_from(std::span<const bool>(bytes.get(), values.size()));
    } else {
      copy_from(std::span<const T>(values));
    }
  }
  std::vector<T> to_host() const {
    std::vector<T> values(size_);
    if constexpr (std::is_same_v<T, bool>) {
      std::vector<unsigned char> bytes(size_);   // any non-zero byte is true
      if (size_)
        device().copy_out(bytes.data(), data_, size_);
      for (std::size_t i = 0; i < size_; ++i)
        values[i] = bytes[i] != 0;
    } else if (size_) {
      device().copy_out(values.data(), data_, size_ * sizeof(T));
    }
    return values;
  }
  void fill_bytes(unsigned char byte) {
    if (size_)
      device().fill(data_, byte, size_ * sizeof(T));
  }

 private:
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "a buffer holds numbers or pointers");
  static std::size_t bytes_of(std::size_t size, std::string_view name) {
    // A negative size that was converted to size_t is refused here, too.
    if (size > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T))
      throw Error("buffer `" + std::string(name) + "` cannot have " + std::to_string(size) + " elements", {});
    return size * sizeof(T);
  }

  std::uint64_t device_;   // Device::id()
  std::size_t size_;
  T *data_;
};

}   // namespace tile
