// SPDX-License-Identifier: MIT
// The operands of a problem in a device's memory, as many times as it takes to be larger than the cache.
//
//   inputs    | set 0: a b | set 1: a b | ...      one run of random numbers, repeated, so that every element
//   outputs   | set 0: c   | set 1: c   | ...      is known without being read back
#pragma once

#include "runtime/buffer.h"
#include "tools/registry/problem.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace tile::bench {

class Data {
 public:
  // Inputs of at least so many bytes; 0: one set. Throws tile::Error with what is needed and what there is
  // where the device (or, where it does not say how much it has, this machine) is too small.
  Data(Device &device, const registry::Problem &problem, double least_bytes, std::size_t memory_bytes,
       std::uint64_t seed);

  int sets() const { return sets_; }
  double input_bytes() const { return input_bytes_ * sets_; }   // of all sets
  // The addresses of a set, in the order of the operands.
  std::span<void *const> operands(int set) const;

  // A row of an input of set 0. The operand may be another layout of the same size.
  void read_input(const registry::Operand &operand, std::size_t index, std::int64_t row,
                  std::span<double> to) const;
  void read_output(const registry::Operand &operand, std::size_t index, std::int64_t row,
                   std::span<double> to) const;
  // Makes the outputs of set 0 bytes of ones, which no kernel computes.
  void poison();

 private:
  void place(const registry::Problem &problem);
  void fill(ElementType type, std::uint64_t seed);
  // Those of the inputs of a type other than the first one's, such as scales of f32 beside factors of 8 bits.
  void fill_others(const registry::Problem &problem, std::uint64_t seed);
  const std::vector<double> &numbers_of(ElementType type) const;

  Device &device_;
  int sets_ = 1;
  double input_bytes_ = 0;   // of a set
  std::size_t input_stride_ = 0, output_stride_ = 0;
  std::vector<std::size_t> offsets_;   // of each operand in its set
  std::vector<bool> is_output_;
  // What the inputs repeat, for each type; an input begins where its offset says.
  std::vector<std::pair<ElementType, std::vector<double>>> numbers_;
  Buffer<std::byte> inputs_, outputs_;
  std::vector<std::vector<void *>> addresses_;
};

}   // namespace tile::bench
