// SPDX-License-Identifier: MIT
// A kernel of one operation, written in the dialects that the simulator and PTX have in common, with all that
// a run of it needs and what has to come out: computed here from the manuals, not by the simulator.
#pragma once

#include "test/unit/simulator/hopper/kernel_text.h"
#include "test/unit/simulator/hopper/tensor_box.h"

#include <tile/device.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tile::calibration {

using simulator::at;
using simulator::Box;
using simulator::element;
using simulator::KernelText;
using simulator::loaded;
using simulator::moduleText;

template <class T> std::vector<std::byte> bytesOf(const std::vector<T> &values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// A buffer that the kernel takes a pointer to, or the tensor behind a map.
struct Memory {
  std::string name;
  std::vector<std::byte> before;
  std::vector<std::byte> after;   // what has to be there; empty: nobody looks
  unsigned wordBytes = 4;         // what a difference is reported in
  double tolerance = 0;           // of words that are f32, relative; 0: the same bits
  std::vector<bool> open = {};    // words of which nobody knows what they become
  unsigned alignment = 16;
};

// A tensor map, which the kernel takes a pointer to.
struct Map {
  std::size_t memory = 0;
  Box box;
};

struct MicroKernel {
  std::string operation, variant;   // "nvvm.shfl.sync", "bfly, segments of 8"
  std::string module;
  Grid grid{};
  // The arguments in this order: maps, buffers that are behind no map, numbers.
  std::vector<Map> maps;
  std::vector<Memory> memories;
  std::vector<std::int32_t> numbers = {};
  std::string needs = {};   // what an H200, or the PTX that is written for it, does not have
  // Part of what the simulator reports, where a GPU ends with an illegal instruction instead of a result.
  std::string refusal = {};
};

using Suite = std::vector<MicroKernel>;

// Numbers that look random and are the same everywhere.
class Random {
 public:
  explicit Random(const std::string &name);
  std::uint32_t next();
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>((std::uint64_t{next()} * n) >> 32);
  }
  std::vector<std::uint32_t> words(std::size_t count);

 private:
  std::uint64_t state_;
};

// Columns of words, one word of each for a thread of the grid.
using Words = std::vector<std::vector<std::uint32_t>>;

// Threads that take the words %a, %b, %c, ... of `in` and store %x.
struct PerThread {
  std::string operation, variant, body;
  unsigned threads = 32, ctas = 1, inputs = 1;
  std::string type = "i32";      // of %x
  std::string attributes = "";   // of the kernel
  std::string globals = "";      // of the module
  double tolerance = 0;
  std::function<std::uint32_t(Random &, unsigned column)> draw = {};   // an input; all bits if none
  unsigned outputs = 1;                                                // more: %x0, %x1, ...
  Grid grid = {};                                                      // where it is not `ctas` along x
};
// `place`: thread * outputs + output.
MicroKernel perThread(const PerThread &kernel,
                      const std::function<std::uint64_t(const Words &in, unsigned place)> &expected);

// By which a recorded result is known to be of this very kernel: eight hexadecimal digits.
std::string digest(const MicroKernel &kernel);

// ---- families, one to a file

void addRegisters(Suite &suite);
void addWarps(Suite &suite);
void addMatrices(Suite &suite);
void addBarriers(Suite &suite);
void addMbarriers(Suite &suite);
void addMemory(Suite &suite);
void addAtomics(Suite &suite);
void addCopies(Suite &suite);
void addTensors(Suite &suite);
void addClusters(Suite &suite);
void addProducts(Suite &suite);
void addMath(Suite &suite);

const Suite &suite();

}   // namespace tile::calibration
