// SPDX-License-Identifier: MIT
// What operations of a trace say beyond their operands and results: a struct for each kind, so that those who
// record an operation and those who read it name what they mean. Which operation has which: op_codes.h.
#pragma once

#include "compiler/dsl/op_codes.h"
#include "compiler/dsl/recording.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tile::detail {
namespace attributes {

struct None {};
struct Constant {
  std::int64_t bits = 0;   // of the element
  double real = 0;         // of a float
};
struct Interval {
  std::int64_t start, end;
};
struct Axis {
  std::int32_t axis;
};
struct Reshape {
  bool any_order;
};
struct Permute {
  std::vector<std::int32_t> order;
};
struct CompareIntegers {
  Compare how;
  bool is_unsigned;
};
struct CompareFloats {
  Compare how;
};
struct NanRule {
  Nan nan;
};
struct FloatCast {
  Rounding rounding = Rounding::nearest_even;
};
struct AddPointer {
  bool is_offset_unsigned;
};
struct Load {
  bool has_mask, has_other;
  Access access;
};
struct Store {
  bool has_mask;
  Access access;
};
struct MakeDescriptor {
  Padding padding;
};
struct DescriptorLoad {
  Cache cache;
  Evict evict;
};
struct DescriptorReduce {
  Update update;
  ElementType element;
};
struct AtomicUpdate {
  Update update;
  ElementType element;
  bool has_mask;
  Order order;
  Scope scope;
};
struct AtomicCas {
  Order order;
  Scope scope;
};
struct Dot {
  DotOptions options;
  bool is_a_unsigned, is_b_unsigned;
};
struct Scan {
  std::int32_t axis;
  Reverse reverse;
};
struct Assume {
  Fact fact;
  std::int64_t number;
};
struct AssumeRange {
  std::int64_t low, high;
};
struct Assert {
  std::string message;
  bool has_mask;
};
struct Print {
  std::string prefix;
  bool hex;
  std::vector<bool> are_unsigned;   // by operand
};
struct Loop {
  bool is_unsigned;
  LoopOptions options;
};

template <Code> struct OfCode {
  using Type = None;
};
#define TILE_ATTRIBUTES_OF(code, Struct)                                                                     \
  template <> struct OfCode<Code::code> {                                                                    \
    using Type = Struct;                                                                                     \
  };
TILE_OPS_WITH_ATTRIBUTES(TILE_ATTRIBUTES_OF)
#undef TILE_ATTRIBUTES_OF

using Any =
    std::variant<None, Constant, Interval, Axis, Reshape, Permute, CompareIntegers, CompareFloats, NanRule,
                 FloatCast, AddPointer, Load, Store, MakeDescriptor, DescriptorLoad, DescriptorReduce,
                 AtomicUpdate, AtomicCas, Dot, Scan, Assume, AssumeRange, Assert, Print, Loop>;

}   // namespace attributes

template <Code code> using AttributesOf = typename attributes::OfCode<code>::Type;

constexpr bool has_attributes(Code code) {
  switch (code) {
#define TILE_HAS_ATTRIBUTES(code, Struct) case Code::code:
    TILE_OPS_WITH_ATTRIBUTES(TILE_HAS_ATTRIBUTES)
#undef TILE_HAS_ATTRIBUTES
    return true;
  default:
    return false;
  }
}

}   // namespace tile::detail
