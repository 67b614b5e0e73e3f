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

Scratch::Scratch(Device &device, std::span<const Argument> arguments, std::span<const Access> access,
                 std::span<const MemoryExtent> memory)
    : device_(device), arguments_(arguments.begin(), arguments.end()), memory_(memory.begin(), memory.end()),
      snapshots_(device) {
  memory_.resize(arguments.size());
  std::vector<Pointers> pointers;
  const auto add = [&](const MemoryExtent &extent, std::uint64_t address, ElementType type, std::size_t i) {
    copies_.push_back({.original = extent, .parts = {{address - extent.first(), 0, type, i}}});
  };
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::uint64_t address = arguments[i].bits;
    if (!address)
      continue;
    if (access[i] == Access::writes) {
      const MemoryExtent extent = memory_[i].begin ? memory_[i] : allocation_of(address, i);
      add(extent, memory_[i].begin ? extent.first() : address, arguments[i].type.pointee(), i);
      redirected_.push_back(i);
    } else if (access[i] == Access::reaches) {
      pointers.push_back(pointers_in(i));
      for (const std::uint64_t word : pointers.back().words)
        if (const MemoryExtent extent = word ? device_.extent_of(pointer(word)) : MemoryExtent();
            extent.bytes)
          add(extent, word, arguments[i].type.pointee().pointee(), i);
    }
  }
  add_read_memory(access);
  join_overlapping();
  try {
    for (Copy &copy : copies_)
      make(copy);
    for (std::size_t i : redirected_)
      arguments_[i].bits = translated(arguments_[i].bits);
    for (Pointers &of_argument : pointers)
      copy_pointers(std::move(of_argument));
  } catch (...) {
    release();
    throw;
  }
}

Scratch::~Scratch() { release(); }

void Scratch::release() noexcept {
  for (const Copy &copy : copies_)
    if (copy.allocation)
      device_.release(copy.allocation);
  for (void *array : pointer_arrays_)
    device_.release(array);
}

MemoryExtent Scratch::allocation_of(std::uint64_t address, std::size_t argument) const {
  const MemoryExtent extent = device_.extent_of(pointer(address));
  if (extent.bytes == 0)
    throw Error("argument " + std::to_string(argument) + " points to memory whose size is not known", {});
  return extent;
}

// What is only read, but is in part also written, moves with it. What is read beside that stays.
void Scratch::add_read_memory(std::span<const Access> access) {
  const std::size_t written = copies_.size();
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (access[i] != Access::reads || !arguments_[i].type.is_pointer() || !arguments_[i].bits)
      continue;
    const MemoryExtent extent =
        memory_[i].begin ? memory_[i] : device_.extent_of(pointer(arguments_[i].bits));
    const auto is_in = [&](const Copy &copy) { return copy.original.overlaps(extent); };
    if (std::none_of(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(written), is_in))
      continue;
    copies_.push_back({.original = extent});
    redirected_.push_back(i);
  }
}

void Scratch::join_overlapping() {
  std::ranges::sort(copies_, {}, [](const Copy &copy) { return copy.original.first(); });
  std::vector<Copy> joined;
  for (Copy &next : copies_) {
    if (joined.empty() ||
        next.original.first() >= std::max(joined.back().original.end(), joined.back().original.first() + 1)) {
      joined.push_back(std::move(next));
      continue;
    }
    Copy &last = joined.back();
    const std::size_t shift = next.original.first() - last.original.first();
    last.original.bytes = std::max(last.original.bytes, shift + next.original.bytes);
    for (Part &part : next.parts)
      last.parts.push_back({part.offset + shift, 0, part.type, part.argument});
  }
  copies_ = std::move(joined);
  for (Copy &copy : copies_) {
    std::ranges::sort(copy.parts, {}, [](const Part &p) { return std::pair(p.offset, p.argument); });
    for (std::size_t i = 0; i < copy.parts.size(); ++i) {
      Part &part = copy.parts[i];
      std::size_t end = i + 1 < copy.parts.size() ? copy.parts[i + 1].offset : copy.original.bytes;
      if (const MemoryExtent &known = memory_[part.argument]; known.begin && known.overlaps(copy.original))
        end = std::min<std::size_t>(end, known.end() - copy.original.first());
      part.bytes = std::max(end, part.offset) - part.offset;
    }
  }
}

void Scratch::make(Copy &copy) {
  copy.allocation = device_.allocate(copy.original.bytes + 2 * red_zone + 2 * lattice, "a tuner's copy");
  const std::uint64_t from = (number(copy.allocation) + red_zone + lattice - 1) / lattice * lattice;
  copy.begin = static_cast<std::byte *>(pointer(from + copy.original.first() % lattice));
}

std::uint64_t Scratch::translated(std::uint64_t address) const {
  const auto behind =
      std::ranges::upper_bound(copies_, address, {}, [](const Copy &copy) { return copy.original.first(); });
  const Copy &copy = *std::prev(behind);
  return number(copy.begin) + (address - copy.original.first());
}

std::vector<MemoryExtent> Scratch::memory() const {
  std::vector<MemoryExtent> all = memory_;
  for (const std::size_t i : redirected_)
    if (all[i].begin)
      all[i].begin = pointer(translated(all[i].first()));
  return all;
}

Scratch::Pointers Scratch::pointers_in(std::size_t argument) {
  const std::uint64_t address = arguments_[argument].bits;
  const std::uint64_t end =
      (memory_[argument].begin ? memory_[argument] : allocation_of(address, argument)).end();
  Pointers found{argument, std::vector<std::uint64_t>((end - address) / sizeof(std::uint64_t))};
  device_.copy_out(found.words.data(), pointer(address), found.words.size() * sizeof(std::uint64_t));
  return found;
}

// Words behind those that the kernel uses may be anything: what is no address of an allocation stays.
void Scratch::copy_pointers(Pointers pointers) {
  for (std::uint64_t &word : pointers.words)
    if (word && device_.extent_of(pointer(word)).bytes)
      word = translated(word);
  const std::size_t bytes = pointers.words.size() * sizeof(std::uint64_t);
  const std::uint64_t given = arguments_[pointers.argument].bits;
  void *const array = device_.allocate(bytes + 2 * lattice, "a tuner's copy of pointers");
  pointer_arrays_.push_back(array);
  const std::uint64_t to = (number(array) + lattice - 1) / lattice * lattice + given % lattice;
  device_.copy_in(pointer(to), pointers.words.data(), bytes);
  arguments_[pointers.argument].bits = to;
}

void Scratch::restore() {
  for (const Copy &copy : copies_) {
    device_.fill(copy.begin - red_zone, red_byte, red_zone);
    device_.fill(copy.end(), red_byte, red_zone);
    if (copy.original.bytes)
      device_.copy(copy.begin, copy.original.begin, copy.original.bytes);
  }
}

// Only floats: an integer may be a lock, a counter or an index, whose values a kernel trusts.
void Scratch::poison() {
  restore();
  for (const Copy &copy : copies_)
    for (const Part &part : copy.parts)
      if (part.type.is_float() && part.bytes)
        device_.fill(copy.begin + part.offset, poison_byte, part.bytes);
}

// An output that is not read gets the same elements whatever was in it, or keeps what was in it. NaN alone
// does not tell: what is added to it may leave it as it was.
std::vector<bool> Scratch::unread(const Result &result) {
  std::vector<bool> all;
  for (std::size_t c = 0; c < copies_.size(); ++c) {
    const MemoryExtent &original = copies_[c].original;   // nobody writes there
    const Snapshot was = snapshots_.of_constant(original.begin, original.bytes);
    for (const Part &part : copies_[c].parts)
      all.push_back(part.type.is_float() && snapshots_.are_unread(result.of_originals[c], result.of_poison[c],
                                                                  was, poison_byte, part.offset, part.bytes));
  }
  return all;
}

Scratch::Contents Scratch::contents() {
  device_.synchronize();
  Contents all;
  for (const Copy &copy : copies_)
    all.push_back(snapshots_.take(copy.begin, copy.original.bytes));
  return all;
}

// What NaN becomes in an output that is read is nobody's business: one config may multiply it by the zeros
// of its padding, and another not.
std::string Scratch::difference(const Result &got, const Result &expected) {
  std::size_t number = 0;
  for (std::size_t c = 0; c < copies_.size(); ++c)
    for (const Part &part : copies_[c].parts) {
      const auto between = [&](const Contents &ours, const Contents &theirs) {
        return snapshots_.difference(part.type, ours[c], theirs[c], part.offset, part.bytes);
      };
      std::string text = between(got.of_originals, expected.of_originals);
      if (text.empty() && got.unread[number] && expected.unread[number])
        text = between(got.of_poison, expected.of_poison);
      if (!text.empty())
        return "argument " + std::to_string(part.argument) + ": " + text;
      ++number;
    }
  return {};
}

std::string Scratch::overrun() const {
  std::array<unsigned char, red_zone> zone;
  for (const Copy &copy : copies_)
    for (const std::byte *at : {copy.begin - red_zone, copy.end()}) {
      device_.copy_out(zone.data(), at, zone.size());
      if (std::ranges::any_of(zone, [](unsigned char byte) { return byte != red_byte; }))
        return "it writes " + std::string(at < copy.begin ? "before" : "behind") +
               " the memory of argument " + std::to_string(copy.parts.front().argument);
    }
  return {};
}

}   // namespace tile::tuning
