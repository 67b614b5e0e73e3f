// SPDX-License-Identifier: MIT
#include "runtime/tuning/scratch.h"

#include "runtime/tuning/compare.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace tile::tuning {
namespace {

std::uint64_t number(const void *p) { return reinterpret_cast<std::uintptr_t>(p); }
void *pointer(std::uint64_t address) {
  return reinterpret_cast<void *>(static_cast<std::uintptr_t>(address));
}

}   // namespace

Scratch::Scratch(Device &device, std::span<const Argument> arguments, std::span<const Access> access)
    : device_(device), arguments_(arguments.begin(), arguments.end()) {
  try {
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (access[i] == Access::writes && arguments[i].bits)
        arguments_[i].bits = copied(arguments[i].bits, arguments[i].type.pointee(), i);
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (access[i] == Access::reaches && arguments[i].bits)
        copy_pointers(i);
    // What is only read, but lies in memory that is also written.
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (access[i] == Access::reads && arguments[i].type.is_pointer())
        arguments_[i].bits = translated(arguments[i].bits);
  } catch (...) {
    release();
    throw;
  }
  for (auto &[end, copy] : copies_) {
    std::ranges::sort(copy.parts, {}, [](const Part &p) { return std::pair(p.offset, p.argument); });
    for (std::size_t i = 0; i < copy.parts.size(); ++i)
      copy.parts[i].bytes =
          (i + 1 < copy.parts.size() ? copy.parts[i + 1].offset : copy.original.bytes) - copy.parts[i].offset;
  }
}

Scratch::~Scratch() { release(); }

void Scratch::release() noexcept {
  for (auto &[end, copy] : copies_)
    if (copy.allocation)
      device_.release(copy.allocation);
  for (void *array : pointer_arrays_)
    device_.release(array);
}

std::uint64_t Scratch::copied(std::uint64_t address, ElementType type, std::size_t argument) {
  auto found = copies_.upper_bound(address);
  if (found == copies_.end() || number(found->second.original.begin) > address) {
    const MemoryExtent extent = device_.extent_of(pointer(address));
    if (extent.bytes == 0)
      throw Error("argument " + std::to_string(argument) + " points to memory whose size is not known", {});
    found = copies_.try_emplace(number(extent.begin) + extent.bytes).first;
    Copy &copy = found->second;
    copy.original = extent;
    copy.allocation =
        static_cast<std::byte *>(device_.allocate(extent.bytes + 2 * red_zone, "a tuner's copy"));
  }
  Copy &copy = found->second;
  copy.parts.push_back({static_cast<std::size_t>(address - number(copy.original.begin)), 0, type, argument});
  return translated(address);
}

std::uint64_t Scratch::translated(std::uint64_t address) const {
  const auto found = copies_.upper_bound(address);
  if (found == copies_.end() || number(found->second.original.begin) > address)
    return address;
  return number(found->second.begin()) + (address - number(found->second.original.begin));
}

// Words behind those that the kernel uses may be anything: what is no address of an allocation stays.
void Scratch::copy_pointers(std::size_t argument) {
  const Argument given = arguments_[argument];
  const MemoryExtent extent = device_.extent_of(pointer(given.bits));
  if (extent.bytes == 0)
    throw Error("argument " + std::to_string(argument) + " points to memory whose size is not known", {});
  const std::size_t before = given.bits - number(extent.begin);
  std::vector<std::uint64_t> words((extent.bytes - before) / sizeof(std::uint64_t));
  device_.copy_out(words.data(), pointer(given.bits), words.size() * sizeof(std::uint64_t));
  for (std::uint64_t &word : words)
    if (word && device_.extent_of(pointer(word)).bytes)
      word = copied(word, given.type.pointee().pointee(), argument);
  // The same alignment as the caller's.
  auto *array = static_cast<std::byte *>(device_.allocate(extent.bytes, "a tuner's copy of pointers"));
  pointer_arrays_.push_back(array);
  device_.copy_in(array + before, words.data(), words.size() * sizeof(std::uint64_t));
  arguments_[argument].bits = number(array + before);
}

void Scratch::restore() {
  for (auto &[end, copy] : copies_) {
    device_.fill(copy.allocation, red_byte, red_zone);
    device_.fill(copy.begin() + copy.original.bytes, red_byte, red_zone);
    device_.copy(copy.begin(), copy.original.begin, copy.original.bytes);
  }
}

// Only floats: an integer may be a lock, a counter or an index, whose values a kernel trusts.
void Scratch::poison() {
  restore();
  for (auto &[end, copy] : copies_)
    for (const Part &part : copy.parts)
      if (part.type.is_float())
        device_.fill(copy.begin() + part.offset, poison_byte, part.bytes);
}

// An output that is not read gets the same elements whatever was in it, or keeps what was in it. NaN alone
// does not tell: what is added to it may leave it as it was.
std::vector<bool> Scratch::unread(const Result &result) const {
  std::vector<bool> all;
  std::size_t c = 0;
  for (const auto &[end, copy] : copies_) {
    for (const Part &part : copy.parts) {
      const std::byte *was = originals_[c].data() + part.offset,
                      *a = result.of_originals[c].data() + part.offset,
                      *b = result.of_poison[c].data() + part.offset;
      bool is_unread = part.type.is_float();
      for (std::size_t i = 0; i < part.bytes && is_unread; ++i)
        is_unread = a[i] == b[i] || (b[i] == std::byte{poison_byte} && a[i] == was[i]);
      all.push_back(is_unread);
    }
    ++c;
  }
  return all;
}

Scratch::Contents Scratch::contents() const {
  device_.synchronize();
  Contents all;
  for (const auto &[end, copy] : copies_) {
    all.emplace_back(copy.original.bytes);
    device_.copy_out(all.back().data(), copy.begin(), copy.original.bytes);
  }
  return all;
}

// What NaN becomes in an output that is read is nobody's business: one config may multiply it by the zeros
// of its padding, and another not.
std::string Scratch::difference(const Result &got, const Result &expected) const {
  std::size_t c = 0, number = 0;
  for (const auto &[end, copy] : copies_) {
    for (const Part &part : copy.parts) {
      const auto between = [&](const Contents &ours, const Contents &theirs) {
        const auto of = [&](const Contents &contents) {
          return std::span(contents[c])
              .subspan(part.offset, part.bytes / part.type.bytes() * part.type.bytes());
        };
        return tuning::difference(part.type, of(ours), of(theirs));
      };
      std::string text = between(got.of_originals, expected.of_originals);
      if (text.empty() && got.unread[number] && expected.unread[number])
        text = between(got.of_poison, expected.of_poison);
      if (!text.empty())
        return "argument " + std::to_string(part.argument) + ": " + text;
      ++number;
    }
    ++c;
  }
  return {};
}

std::string Scratch::overrun() const {
  std::array<unsigned char, red_zone> zone;
  for (const auto &[end, copy] : copies_)
    for (const std::byte *at : {copy.begin() - red_zone, copy.begin() + copy.original.bytes}) {
      device_.copy_out(zone.data(), at, zone.size());
      if (std::ranges::any_of(zone, [](unsigned char byte) { return byte != red_byte; }))
        return "it writes " + std::string(at < copy.begin() ? "before" : "behind") +
               " the memory of argument " + std::to_string(copy.parts.front().argument);
    }
  return {};
}

}   // namespace tile::tuning
