// SPDX-License-Identifier: MIT
// Copies of what a launch writes, for candidates to work on: the caller's memory is read, never written. A
// copy is of a whole allocation, so that arguments that share memory go on sharing it, and has red zones:
//
//   caller    [ x . . . . | y . . . ]      x and y: arguments of a launch that writes y
//   copy      red [ x' . . . . | y' . . . ] red
#pragma once

#include "tile/device.h"
#include "tile/tuning.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tile::tuning {

class Scratch {
 public:
  // Throws tile::Error where memory is not known to the device or there is not enough for copies.
  Scratch(Device &device, std::span<const Argument> arguments, std::span<const Access> access);
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  // The arguments with the addresses of the copies.
  std::span<const Argument> arguments() const { return arguments_; }

  // What the copies and their surroundings held before a launch comes back.
  void restore();

  using Contents = std::vector<std::vector<std::byte>>;   // of every copy
  // What a kernel makes of the copies, and of NaN in place of their floats: one that writes nothing must not
  // find the right result there.
  struct Result {
    Contents of_originals, of_poison;
    std::vector<bool> unread;   // by parts of copies: outputs that come out alike, whatever was in them
    std::string overrun;        // which argument's surroundings it overwrote, or empty
  };
  // `run` runs it once; what it throws goes through.
  template <class Run> Result result_of(Run &&run) {
    Result result;
    restore();
    if (originals_.empty())
      originals_ = contents();
    run();
    result.of_originals = contents();
    result.overrun = overrun();
    poison();
    run();
    result.of_poison = contents();
    if (result.overrun.empty())
      result.overrun = overrun();
    result.unread = unread(result);
    return result;
  }
  // "argument 2: element 5 is ..." or empty.
  std::string difference(const Result &got, const Result &expected) const;

 private:
  struct Part {   // of a copy: from where an argument points to where the next one does
    std::size_t offset, bytes;
    ElementType type;
    std::size_t argument;
  };
  struct Copy {
    MemoryExtent original;
    std::byte *allocation = nullptr;
    std::vector<Part> parts;   // by offset
    std::byte *begin() const { return allocation + red_zone; }
  };
  static constexpr std::size_t red_zone = 4096;   // keeps the alignment that allocations have
  static constexpr unsigned char red_byte = 0xC5, poison_byte = 0xFF;

  // The copy's address for an address of the caller, which is copied first if need be.
  std::uint64_t copied(std::uint64_t address, ElementType type, std::size_t argument);
  std::uint64_t translated(std::uint64_t address) const;   // where it is copied, else the same
  void copy_pointers(std::size_t argument);
  void release() noexcept;
  void poison();
  Contents contents() const;
  std::vector<bool> unread(const Result &result) const;
  std::string overrun() const;

  Device &device_;
  std::vector<Argument> arguments_;
  std::map<std::uint64_t, Copy> copies_;   // by the end of the original
  // Arrays of pointers, with the addresses of copies in them.
  std::vector<void *> pointer_arrays_;
  Contents originals_;   // once they were asked for
};

}   // namespace tile::tuning
