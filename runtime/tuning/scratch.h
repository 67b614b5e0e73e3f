// SPDX-License-Identifier: MIT
// Copies of what a launch writes, for candidates to work on: the caller's memory is read, never written. A
// copy is of the memory that the launch may reach through an argument, of the whole allocation where that is
// not known. Arguments that share some of it share a copy, and each copy has red zones:
//
//   caller    [ . . x . . . . | y . . . ) . . . ]      x and y: arguments of a launch that writes y, whose
//   copy          red [ x' . . . . | y' . . . ) red    memory overlaps
#pragma once

#include "runtime/device.h"
#include "runtime/tuning/snapshot.h"
#include "runtime/tuning/tuning.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tile::tuning {

class Scratch {
 public:
  // Throws tile::Error where memory is not known to the device or there is not enough for copies.
  // `memory`: what is known to be reached through each argument, as PackedArgument has it, or none.
  Scratch(Device &device, std::span<const Argument> arguments, std::span<const Access> access,
          std::span<const MemoryExtent> memory = {});
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  // The arguments with the addresses of the copies.
  std::span<const Argument> arguments() const { return arguments_; }

  Snapshots &snapshots() { return snapshots_; }

  // What is reached through each of them, the copies where they are; nowhere: it is not known.
  std::vector<MemoryExtent> memory() const;

  // What the copies and their surroundings held before a launch comes back.
  void restore();

  using Contents = std::vector<Snapshot>;   // of every copy
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
  std::string difference(const Result &got, const Result &expected);

 private:
  struct Part {   // of a copy: from where an argument's memory begins to where it ends, or the next one's
    std::size_t offset, bytes;   // begins
    ElementType type;
    std::size_t argument;
  };
  struct Copy {
    MemoryExtent original;
    std::vector<Part> parts;   // by offset
    void *allocation = nullptr;
    std::byte *begin = nullptr;
    std::byte *end() const { return begin + original.bytes; }
  };
  static constexpr std::size_t red_zone = 4096;
  static constexpr std::uint64_t lattice = 256;   // what is known of the original's alignment holds
  static constexpr unsigned char red_byte = 0xC5, poison_byte = 0xFF;

  MemoryExtent allocation_of(std::uint64_t address, std::size_t argument) const;   // throws if not known
  void add_read_memory(std::span<const Access> access);
  void join_overlapping();
  void make(Copy &copy);
  // Where it is copied.
  std::uint64_t translated(std::uint64_t address) const;
  struct Pointers {   // in memory that an argument points to
    std::size_t argument;
    std::vector<std::uint64_t> words;
  };
  Pointers pointers_in(std::size_t argument);
  void copy_pointers(Pointers pointers);
  void release() noexcept;
  void poison();
  Contents contents();
  std::vector<bool> unread(const Result &result);
  std::string overrun() const;

  Device &device_;
  std::vector<Argument> arguments_;
  std::vector<MemoryExtent> memory_;      // by arguments; nowhere: not known
  std::vector<Copy> copies_;              // by address, none overlaps another
  std::vector<std::size_t> redirected_;   // arguments that get the address of a copy
  // Arrays of pointers, with the addresses of copies in them.
  std::vector<void *> pointer_arrays_;
  Snapshots snapshots_;
};

}   // namespace tile::tuning
