// SPDX-License-Identifier: MIT
// A kernel decoded for execution. Shapes, element types and places of values are known before
// the first program starts, so what remains is a list of instructions per region: each a typed
// loop over lanes with the places of its operands in the frame. Nothing here knows MLIR.
//
//   %2 = arith.addf %0, %1 : tensor<128xf32>
//   becomes {run = addition of floats, result = 1536, a = 0, b = 512, lanes = 128}
#pragma once

#include "compiler/interpreter/lanes.h"
#include "runtime/error.h"
#include "runtime/kernel_signature.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tile::interpreter {

class Machine;
struct Instruction;
using Handler = void (*)(const Instruction &, Machine &);

// Places in the frame, in bytes.
using Place = std::size_t;
constexpr Place NoPlace = ~Place{0};

// What an instruction needs beyond three operands: owned by the program, of the type that the
// instruction's handler knows.
struct Detail {
  virtual ~Detail() = default;
};

struct Instruction {
  Handler run = nullptr;
  Place result = NoPlace, a = NoPlace, b = NoPlace, c = NoPlace;
  std::size_t lanes = 1;
  const Detail *detail = nullptr;
  std::uint32_t where = 0;   // index into Program::locations

  template <class D> const D &as() const { return static_cast<const D &>(*detail); }
};

using Code = std::vector<Instruction>;
using BlockId = std::uint32_t;

// A constant of the frame: these bytes, so many times one after the other.
struct FrameConstant {
  Place place;
  std::size_t copies;
  std::vector<std::byte> bytes;
};

// What is remembered about arithmetic that wrapped: per lane the number of the operation
// that did it, 0 for none. `flag` says whether any lane has one, so that values which never
// wrapped cost one test. See wrapped.h.
struct Wrapped {
  std::uint32_t flag;   // index into Machine's flags
  Place lanes;          // of std::uint16_t
};

// Of one of Program::parameters.
struct ParameterSlot {
  Lane lane;
  Place place;
};

struct Program : KernelSignature {
  std::vector<Code> blocks;   // 0 is the body of the kernel
  std::vector<Location> locations{Location()};
  std::vector<FrameConstant> constants;
  std::vector<ParameterSlot> slots;
  bool loadsAfterStores = false;   // somewhere, perhaps on the next trip of a loop
  std::size_t frameBytes = 0;
  std::uint32_t wrappedFlags = 0;
  struct Wrapper {
    std::uint32_t where;
    const char *symbol;
    int bits;   // of its operands
  };
  std::vector<Wrapper> wrappers;   // operations that may wrap; numbered from 1 on
  std::vector<std::unique_ptr<Detail>> details;

  template <class D> D &add(D detail) {
    auto owned = std::make_unique<D>(std::move(detail));
    D &reference = *owned;
    details.push_back(std::move(owned));
    return reference;
  }
};

// Extents of a tile; none for a scalar.
using Extents = std::vector<std::int64_t>;
inline std::size_t lanesOf(const Extents &extents) {
  std::size_t lanes = 1;
  for (std::int64_t extent : extents)
    lanes *= static_cast<std::size_t>(extent);
  return lanes;
}

}   // namespace tile::interpreter
