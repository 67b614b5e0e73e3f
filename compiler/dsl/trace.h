// SPDX-License-Identifier: MIT
// What is recorded while a kernel function runs: a tree of operations over numbered values.
// It is independent of MLIR, so that no MLIR frame is ever below the user's code, and a trace
// can be put in order and promoted with simple walks.
#pragma once

#include "compiler/dsl/op_attributes.h"

#include <optional>

namespace tile::detail {

struct Region {
  std::vector<int> arguments;
  std::vector<std::unique_ptr<Op>> ops;
  int scope = 0;
};

struct Op {
  Code code;
  Loc loc;
  std::vector<int> operands, results;
  attributes::Any attributes;
  std::vector<Region> regions;
  int cell = -1;         // of cell_new, cell_get, cell_set
  bool pinned = false;   // has an effect, holds control flow or ends a region: keeps its place
  bool writes = false;   // nothing that reads memory crosses it

  // Of an operation with this code.
  template <Code its> const AttributesOf<its> &get() const { return std::get<AttributesOf<its>>(attributes); }
};

struct ValueInfo {
  ElementType type;   // i32 and u32 are one IR type: the C++ side knows the sign
  Shape shape;
  bool is_descriptor = false;
  int scope = 0;
  const Op *maker = nullptr;   // null: an argument of a region or of the kernel
};

struct TracedParameter {
  std::string name;
  ElementType type;
  int argument_class;   // ArgClass
  Use use;
};

struct CellInfo {
  ElementType type;
  Shape shape;
  bool is_descriptor;
};

struct Trace {
  std::uint64_t id = 0;
  Loc loc;
  Region top;
  std::vector<Region *> open{&top};   // innermost last
  std::vector<bool> active{true};     // by scope: is its region open
  int isolated_from = 0;              // in a combine function: the scope of its region
  std::vector<ValueInfo> values;
  std::vector<CellInfo> cells;
  std::vector<TracedParameter> parameters;
  // Found in destructors, raised when the trace ends: `break` or `return` out of a region; a region that an
  // exception left, which the kernel may have caught.
  std::optional<Error> left, torn;

  int value(ElementType t, Shape s, bool is_descriptor = false);
  void push(Region &r);
  void pop();
  bool visible(int scope) const { return active[static_cast<std::size_t>(scope)] && scope >= isolated_from; }
};

// The open trace of this thread, or an error at the user's line.
Trace &current_trace(Loc l);
Trace *current_trace_or_null();
void set_current_trace(Trace *t);

// Appends an operation without attributes to the innermost open region. Checks that its operands are visible
// there.
Op *record(Code code, std::vector<Use> operands, Loc l);
// The same with one result.
Use record(Code code, std::vector<Use> operands, ElementType t, Shape s, Loc l);
// A result added to an operation that was just recorded.
Use result(Op *op, ElementType t, Shape s, Loc l, bool is_descriptor = false);
Op *record_effect(Code code, std::vector<Use> operands, Loc l);

Op *record_any(Code code, std::vector<Use> operands, Loc l, attributes::Any attributes);
Op *record_any_effect(Code code, std::vector<Use> operands, Loc l, attributes::Any attributes);
// Operations with attributes.
template <Code code> Op *record(std::vector<Use> operands, Loc l, AttributesOf<code> attributes) {
  return record_any(code, std::move(operands), l, std::move(attributes));
}
template <Code code>
Use record(std::vector<Use> operands, ElementType t, Shape s, Loc l, AttributesOf<code> attributes) {
  return result(record<code>(std::move(operands), l, std::move(attributes)), t, std::move(s), l);
}
template <Code code> Op *record_effect(std::vector<Use> operands, Loc l, AttributesOf<code> attributes) {
  return record_any_effect(code, std::move(operands), l, std::move(attributes));
}

// The constant that a value is, or null.
const attributes::Constant *constant_of(const Use &u);

// Notes that an exception left a region: what the trace holds is not what the kernel says.
void torn(Trace &trace, const char *what, Loc l) noexcept;

// Turns cells into SSA values: promotion.cpp.
void promote(Trace &trace);
// One order of operations whatever the C++ compiler did: canonical_order.cpp.
void order_canonically(Trace &trace);

}   // namespace tile::detail
