// SPDX-License-Identifier: MIT
// Runs one program twice, on the interpreter as it stands and on a device as compiled code, and compares
// every element of memory.
#pragma once

#include "compiler/devices/devices.h"
#include "compiler/target/target.h"
#include "runtime/device.h"
#include "runtime/error.h"
#include "tools/fuzz/program.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tile::fuzz {

// A kernel with all that a run of it needs: the text that `print` writes.
struct Case {
  std::string text;
  std::uint64_t seed = 0;
  Floats floats = Floats::small;
  Grid grid;
  unsigned order = 0;                   // of the simulator's threads and copies; 0: the environment's
  std::vector<std::int64_t> elements;   // of the buffers, which are the first arguments
  std::vector<std::int32_t> scalars;
};

// Throws tile::Error where the header line is missing.
Case read_case(std::string text);

enum class Verdict : std::uint8_t {
  agree,
  differ,
  refused,   // the compiler has a reason, with a place, not to make code of it
  failed,    // an error while it ran, or of the compiler about itself
  crashed,
  hung
};
std::string_view name(Verdict verdict);

// What the compiler made of a kernel with products of described tensors, as bits.
enum Way : std::uint8_t {
  in_roles = 1,   // copies of boxes by one role of warps, products out of shared memory by another
  in_turn = 2,    // by two groups in turn
  by_pairs = 4,   // of CTAs
  stores_boxes = 8,
  makes_maps = 16,   // of tensors that the launch does not know
  has_anchors = 32   // of tensors of which it knows rows alone
};
inline constexpr Way all_ways[] = {in_roles, in_turn, by_pairs, stores_boxes, makes_maps, has_anchors};
std::string_view name(Way way);

struct Outcome {
  Verdict verdict{};
  std::string detail;
  std::uint8_t ways = 0;   // of a device that code is made for
};

// Whether the compiler's reason is one that no compiler could do without: the kernel asks for more than the
// machine has, or for what such a kernel cannot have.
bool asks_too_much(const Error &error);

// The order that a number stands for; none for 0, which leaves it to the environment.
std::optional<SimulatedOrder> order_of(unsigned number);

// `device` "interpreter": the kernel's canonical form, and that code for `target` can be made of it; another
// name: the code that the device runs, which is `target`'s.
Outcome check(const Case &given, const std::string &device, const Target &target);

}   // namespace tile::fuzz
