// SPDX-License-Identifier: MIT
// A random program as the generator builds it and the reducer takes it apart: a tree of operations whose
// tiles name their axes, so that one axis can shrink everywhere at once.
#pragma once

#include "runtime/device.h"
#include "runtime/element.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tile::fuzz {

// An axis that several shapes share. With factors its extent is their product, and it has none of its own.
struct Axis {
  int extent = 1;
  int least = 1;   // what the operations on it need: K of a product has a least extent
  std::vector<int> factors;
};

struct Type {
  Kind kind{};
  std::vector<int> axes;   // numbers of axes; none: a scalar
  bool is_pointer = false;
  bool is_descriptor = false;   // of a tensor whose blocks have these axes
  auto operator<=>(const Type &) const = default;
  bool is_tile() const { return !axes.empty() && !is_descriptor; }
  // Arithmetic takes it.
  bool is_number() const { return !is_pointer && !is_descriptor; }
};

// What the floats of a program are. `small`: numbers, whole ones whose sums are exact in any order, and some
// of arbitrary bits where there is no order to choose. `ring`: elements of a ring, which no order changes
// (compiler/analysis/float_ring.h); no GPU computes with those.
enum class Floats : std::uint8_t { small, ring };

// Floats hold integers whose magnitude stays under `bound`, so that sums are exact in any order. An infinite
// bound marks floats with arbitrary bits: small ones take part only where there is no order to choose, those
// of a ring everywhere. There a finite bound says that the compiler may know the value and compute with it as
// with a number.
// What is fixed keeps threads out of each other's way: with another value in its place the program could have
// several results.
struct Value {
  Type type;
  double bound = 0;
  bool is_fixed = false;
};

struct Region;

// `text` is the operation with places to fill, see print.h. Loops and branches have regions instead: of a
// loop operands are first bound, last bound, step, then what is carried; the region's first argument counts.
// A `while` has two: the first yields whether to go on and what is carried, the second what is carried next;
// the first of what is carried counts.
struct Node {
  enum class Form { plain, loop, unsigned_loop, while_loop, branch };
  Form form = Form::plain;
  std::string text;
  std::vector<int> operands, results;
  std::vector<Region> regions;
  int stages = 0;                            // of a loop; 0: the kernel's
  int unroll = 0;                            // of a loop; 0: not said
  bool has_independent_iterations = false;   // of a loop: no iteration waits for another
  bool has_no_laws = false;                  // in a ring some function of the bits
};

struct Region {
  std::vector<int> arguments;
  std::vector<Node> nodes;
  std::vector<int> yields;
};

// How an argument's memory begins: `in` has values under the bound of the kind, `wild` any bits, `special`
// small numbers with infinities and NaNs of both signs among them, `ring` any elements of one, `out` a
// pattern that no program writes by chance, `sums` zeros. A number behind it tells apart what would be alike:
// `in2`.
struct Buffer {
  std::string role;
  Kind kind{};
  std::int64_t elements = 0;
};

struct Program {
  std::uint64_t seed = 0;
  Floats floats = Floats::small;
  std::vector<Axis> axes;
  std::vector<Value> values;
  std::vector<Buffer> buffers;         // the first arguments
  std::vector<std::int32_t> scalars;   // the others
  // Of the simulator's threads and copies; 0: as the environment says.
  unsigned order = 0;
  Region body;
  Grid grid;
  Launch launch;
};

inline constexpr int input_elements = 1 << 15;   // of an `in` or `wild` buffer
inline constexpr int sum_elements = 64;          // of a `sums` buffer
inline constexpr int most_elements = 1 << 14;    // of a tile that is loaded or stored
inline constexpr int out_pattern = 0xa7;         // each byte of an `out` buffer

std::string_view name(Floats floats);
int extent(const Program &program, int axis);
std::int64_t elements(const Program &program, const Type &type);

// Up to this magnitude every integer is a number of the kind.
double exact_limit(Kind kind);

}   // namespace tile::fuzz
