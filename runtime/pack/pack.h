// SPDX-License-Identifier: MIT
// A pack: many lowered kernels and results of tuning in one file, which a program ships with. Its kernels are
// found by what a launch traces, as in the cache, but whatever compiler and assembler made them: who ships
// the pack answers for it.
#pragma once

#include "runtime/lowered_kernel.h"
#include "runtime/pack/packed_identity.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tile {

// "argument 1 is a multiple of 16, argument 3 is 1", or "any arguments": what code asks of a launch.
std::string text_of(const std::vector<ArgClass> &classes);

class Pack {
 public:
  struct Entry {
    PackedIdentity identity;
    std::string target;   // "sm_90a"
    LoweredKernel::Code kind = LoweredKernel::Code::ptx;
    std::uint64_t offset = 0, bytes = 0;   // of the lowered kernel, within the kernels' part
    // Whether both are code for the same launches on the same GPUs.
    bool replaces(const Entry &other) const {
      return identity == other.identity && target == other.target && kind == other.kind;
    }
  };

  // An empty one, to add to.
  Pack() = default;
  // Reads only the index. The bytes must stay where they are as long as the pack. Throws tile::Error with
  // ErrorCode::input_output where they are not those of a pack.
  static Pack of_bytes(std::span<const std::byte> bytes, std::string name);
  static Pack read(const std::string &path);
  // All of it or nothing. Throws tile::Error.
  void write(const std::string &path) const;
  std::vector<std::byte> serialise() const;

  const std::string &name() const { return name_; }     // its path, or what an embedded one is called
  const std::string &maker() const { return maker_; }   // the compiler and assembler, for people
  void set_maker(std::string maker) { maker_ = std::move(maker); }
  const std::vector<Entry> &entries() const { return entries_; }
  // Throws tile::Error with ErrorCode::input_output where it is damaged, or is not what its entry says.
  LoweredKernel kernel(const Entry &entry) const;
  // False where the pack has one for the same launches and GPUs, which stays.
  bool add(const PackedIdentity &identity, const LoweredKernel &kernel);

  // Lines of JSON, as kernels ship them (runtime/tuning/shipped.h).
  const std::string &tunings() const { return tunings_; }
  void add_tunings(const std::string &lines);   // those that are not there yet

 private:
  std::span<const std::byte> kernels() const { return own_.empty() ? borrowed_ : std::span(own_); }

  std::string name_, maker_, tunings_;
  std::vector<Entry> entries_;
  std::vector<std::byte> own_;   // the kernels' part, of a pack that is built
  std::span<const std::byte> borrowed_;
  std::vector<std::byte> file_;   // what read() has read
};

}   // namespace tile
