// SPDX-License-Identifier: MIT
// What memory of a device held at a moment, and how it is compared with what it held at another: on the
// device where that can compare and has enough memory, else on the host.
#pragma once

#include "runtime/comparer.h"
#include "runtime/device.h"

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tile::tuning {

class Snapshot {
 public:
  Snapshot(Snapshot &&other) noexcept { *this = std::move(other); }
  Snapshot &operator=(Snapshot &&other) noexcept {
    std::swap(device_, other.device_);
    std::swap(at_, other.at_);
    std::swap(is_owned_, other.is_owned_);
    std::swap(is_abandoned_, other.is_abandoned_);
    std::swap(bytes_, other.bytes_);
    std::swap(host_, other.host_);
    return *this;
  }
  ~Snapshot();

  std::size_t size() const { return bytes_; }
  void put_back(void *to) const;

 private:
  friend class Snapshots;
  Snapshot() = default;
  const std::byte *on_host() const;   // brought there, if it is not yet

  Device *device_ = nullptr;
  void *at_ = nullptr;   // on the device; null: on the host alone
  bool is_owned_ = false;
  std::shared_ptr<const bool> is_abandoned_;
  std::size_t bytes_ = 0;
  mutable std::vector<std::byte> host_;
};

class Snapshots {
 public:
  explicit Snapshots(Device &device) : device_(device), comparer_(device.comparer()) {}

  // The device hangs: to free memory would be to wait for it. Snapshots leave theirs to the end of the
  // process.
  void abandon() { *is_abandoned_ = true; }

  Snapshot take(const void *from, std::size_t bytes) const;
  // Memory that does not change.
  Snapshot of_constant(void *memory, std::size_t bytes) const;

  // As tuning::difference() says it, of a part of both.
  std::string difference(ElementType type, const Snapshot &got, const Snapshot &expected, std::size_t offset,
                         std::size_t bytes);
  // Whether each byte of b is as in a, or `poison` where a has what was there.
  bool are_unread(const Snapshot &a, const Snapshot &b, const Snapshot &was, unsigned char poison,
                  std::size_t offset, std::size_t bytes);

 private:
  // look() with the device's comparer, if it has one and all of these are there. One that fails is not asked
  // again: what is wrong with the device, who looks from the host finds out, too.
  template <class Look> bool is_seen_there(std::initializer_list<const Snapshot *> snapshots,
                                           const Look &look);

  Device &device_;
  std::unique_ptr<Comparer> comparer_;
  std::shared_ptr<bool> is_abandoned_ = std::make_shared<bool>(false);
};

// Has a device's comparer make ready what it needs for these types, which may take as long as compiling does.
// What fails, fails again when it is needed.
void prepare_comparer(Device &device, std::span<const ElementType> types);

}   // namespace tile::tuning
