// SPDX-License-Identifier: MIT
#include "runtime/tuning/snapshot.h"

#include "runtime/error.h"
#include "runtime/tuning/compare.h"

#include <algorithm>
#include <span>

namespace tile::tuning {

Snapshot::~Snapshot() {
  if (is_owned_ && !*is_abandoned_)
    device_->release(at_);
}

void Snapshot::put_back(void *to) const {
  if (at_)
    device_->copy(to, at_, bytes_);
  else
    device_->copy_in(to, host_.data(), bytes_);
}

const std::byte *Snapshot::on_host() const {
  if (at_ && host_.size() < bytes_) {
    host_.resize(bytes_);
    device_->copy_out(host_.data(), at_, bytes_);
  }
  return host_.data();
}

Snapshot Snapshots::take(const void *from, std::size_t bytes) const {
  Snapshot made;
  made.device_ = &device_;
  made.bytes_ = bytes;
  if (comparer_ && bytes)
    try {
      made.at_ = device_.allocate(bytes, "what a tuner compares");
      made.is_owned_ = true;
      made.is_abandoned_ = is_abandoned_;
      device_.copy(made.at_, from, bytes);
      return made;
    } catch (const Error &) {   // there is no space
      if (made.is_owned_)
        throw;
    }
  made.host_.resize(bytes);
  if (bytes)
    device_.copy_out(made.host_.data(), from, bytes);
  return made;
}

Snapshot Snapshots::of_constant(void *memory, std::size_t bytes) const {
  Snapshot made;
  made.device_ = &device_;
  made.bytes_ = bytes;
  made.at_ = memory;
  return made;
}

template <class Look>
bool Snapshots::is_seen_there(std::initializer_list<const Snapshot *> snapshots, const Look &look) {
  if (!comparer_ || !std::ranges::all_of(snapshots, [](const Snapshot *s) { return s->at_ != nullptr; }))
    return false;
  try {
    look();
    return true;
  } catch (const Error &) {
    comparer_.reset();
    return false;
  }
}

void prepare_comparer(Device &device, std::span<const ElementType> types) {
  try {
    const std::unique_ptr<Comparer> comparer = device.comparer();
    if (!comparer)
      return;
    const std::shared_ptr<void> beside = device.beside_recordings();
    constexpr std::size_t bytes = 16;   // an element of any type
    const auto release = [&](void *at) { device.release(at); };
    const std::unique_ptr<void, decltype(release)> memory(device.allocate(bytes, "what a tuner compares"),
                                                          release);
    device.fill(memory.get(), 0, bytes);
    for (const ElementType &type : types)
      comparer->first_difference(type, memory.get(), memory.get(), 1, tolerance(type));
    comparer->are_unread(memory.get(), memory.get(), memory.get(), 0, 1);
  } catch (const Error &) {   // it will be needed
  }
}

static const std::byte *part(const void *at, std::size_t offset) {
  return static_cast<const std::byte *>(at) + offset;
}

std::string Snapshots::difference(ElementType type, const Snapshot &got, const Snapshot &expected,
                                  std::size_t offset, std::size_t bytes) {
  const std::size_t element = type.bytes(), count = bytes / element;
  if (count == 0)
    return {};
  std::string text;
  const auto look = [&] {
    const std::byte *ours = part(got.at_, offset), *theirs = part(expected.at_, offset);
    const std::size_t at = comparer_->first_difference(type, ours, theirs, count, tolerance(type));
    if (at >= count)
      return;
    std::vector<std::byte> one(element), other(element);
    device_.copy_out(one.data(), ours + at * element, element);
    device_.copy_out(other.data(), theirs + at * element, element);
    text = difference_text(type, at, one, other);
  };
  if (is_seen_there({&got, &expected}, look))
    return text;
  return tuning::difference(type, std::span(got.on_host() + offset, count * element),
                            std::span(expected.on_host() + offset, count * element));
}

bool Snapshots::are_unread(const Snapshot &a, const Snapshot &b, const Snapshot &was, unsigned char poison,
                           std::size_t offset, std::size_t bytes) {
  if (bytes == 0)
    return true;
  bool are = true;
  if (is_seen_there({&a, &b, &was}, [&] {
        are = comparer_->are_unread(part(a.at_, offset), part(b.at_, offset), part(was.at_, offset), poison,
                                    bytes);
      }))
    return are;
  const std::byte *first = part(a.on_host(), offset), *second = part(b.on_host(), offset),
                  *before = part(was.on_host(), offset);
  for (std::size_t i = 0; i < bytes && are; ++i)
    are = first[i] == second[i] || (second[i] == std::byte{poison} && first[i] == before[i]);
  return are;
}

}   // namespace tile::tuning
