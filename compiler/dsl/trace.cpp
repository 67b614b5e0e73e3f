// SPDX-License-Identifier: MIT
#include "compiler/dsl/trace.h"

#include "compiler/dsl/shapes.h"

#include <pthread.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string_view>

namespace tile::detail {

namespace {
thread_local Trace *current = nullptr;

// Inside a container of the standard library the "user's line" is a line of that library:
// fall back to where the value came from.
Loc user_line(Loc l, Loc origin) { return std::strstr(l.file_name(), "/include/c++/") ? origin : l; }

// A kernel's parameters are made at the line of the trace or launch, which explains nothing.
bool is_trace_line(const Trace &t, Loc l) {
  return l.line() == t.loc.line() && l.file_name() == std::string_view(t.loc.file_name());
}

[[noreturn]] void not_visible(const Trace &t, int scope, Loc use, Loc made) {
  if (t.active[static_cast<std::size_t>(scope)]) {
    std::vector<Error::Note> notes;
    if (!is_trace_line(t, made))
      notes.push_back({"the value was made here", made});
    throw Error("a combine function uses a device value from outside; it works on its own parameters and on "
                "literals",
                use, std::move(notes));
  }
  throw Error(
      "a value made inside a device loop or branch is used outside it; declare the variable before the "
      "loop and assign it inside",
      use, {{"it was made here", made}});
}
}   // namespace

Trace *current_trace_or_null() { return current; }
void set_current_trace(Trace *t) { current = t; }

Trace &current_trace(Loc l) {
  if (!current)
    throw Error("a device value is used outside a kernel that is being traced", l);
  return *current;
}

int Trace::value(ElementType t, Shape s, bool is_descriptor) {
  values.push_back({t, std::move(s), is_descriptor, open.back()->scope, nullptr});
  return static_cast<int>(values.size()) - 1;
}

void Trace::push(Region &r) {
  r.scope = static_cast<int>(active.size());
  active.push_back(true);
  open.push_back(&r);
}

void Trace::pop() {
  active[static_cast<std::size_t>(open.back()->scope)] = false;
  open.pop_back();
}

namespace {
// The part of this thread's stack that tracing leaves alone: an error needs some to be thrown and shown.
class Stack {
 public:
  Stack() {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
      return;
    void *low = nullptr;
    std::size_t bytes = 0;
    if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
      low_ = reinterpret_cast<std::uintptr_t>(low);
      reserve_ = std::min<std::size_t>(bytes / 4, std::size_t(512) << 10);
      high_ = low_ + bytes;
    }
    pthread_attr_destroy(&attributes);
  }
  // On another stack, of a coroutine, nothing is known.
  bool is_nearly_used() const {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return here >= low_ && here < high_ && here - low_ < reserve_;
  }

 private:
  std::uintptr_t low_ = 0, high_ = 0;
  std::size_t reserve_ = 0;
};

void need_stack(Loc l) {
  thread_local const Stack stack;
  if (stack.is_nearly_used())
    throw Error("the functions of this kernel call each other too deep for the stack", l)
        .add_help("a function that calls itself under a condition of the device never ends while it is "
                  "traced: use while_, or a host condition");
}
}   // namespace

Op *record_any(Code code, std::vector<Use> operands, Loc l, attributes::Any attributes) {
  Trace &t = current_trace(l);
  need_stack(l);
  auto op = std::make_unique<Op>();
  op->code = code;
  op->loc = l;
  op->attributes = std::move(attributes);
  op->operands.reserve(operands.size());
  for (const Use &u : operands) {
    const ValueInfo &v = t.values[static_cast<std::size_t>(u.value.id)];
    if (!t.visible(v.scope))
      not_visible(t, v.scope, l, v.maker ? v.maker->loc : t.loc);
    op->operands.push_back(u.value.id);
  }
  Region &r = *t.open.back();
  r.ops.push_back(std::move(op));
  return r.ops.back().get();
}

Use result(Op *op, ElementType t, Shape s, Loc l, bool is_descriptor) {
  Trace &trace = current_trace(l);
  if (trace.isolated_from && !s.empty())
    throw Error("a combine function works on scalars, this makes a tile", l);
  int id = trace.value(t, s, is_descriptor);
  trace.values.back().maker = op;
  op->results.push_back(id);
  return {{id, t, std::move(s), is_descriptor}, l};
}

Op *record(Code code, std::vector<Use> operands, Loc l) {
  assert(!has_attributes(code) && "an operation is recorded without its attributes");
  return record_any(code, std::move(operands), l, {});
}

Use record(Code code, std::vector<Use> operands, ElementType t, Shape s, Loc l) {
  return result(record(code, std::move(operands), l), t, std::move(s), l);
}

Op *record_any_effect(Code code, std::vector<Use> operands, Loc l, attributes::Any attributes) {
  if (current_trace(l).isolated_from)
    throw Error("a combine function only computes: it does not touch memory, print or assert", l);
  Op *op = record_any(code, std::move(operands), l, std::move(attributes));
  op->pinned = op->writes = true;
  return op;
}

Op *record_effect(Code code, std::vector<Use> operands, Loc l) {
  assert(!has_attributes(code) && "an operation is recorded without its attributes");
  return record_any_effect(code, std::move(operands), l, {});
}

const attributes::Constant *constant_of(const Use &u) {
  const Op *maker = current_trace(u.loc).values[static_cast<std::size_t>(u.value.id)].maker;
  return maker && maker->code == Code::constant ? &maker->get<Code::constant>() : nullptr;
}

// -------------------------------------------------------------------------------- cells

Cell::Cell(const Use &initial)
    : type_(initial.value.type), is_descriptor_(initial.value.is_descriptor), shape_(initial.value.shape),
      made_(initial.loc) {
  Trace &t = current_trace(initial.loc);
  trace_ = t.id;
  id_ = static_cast<int>(t.cells.size());
  scope_ = t.open.back()->scope;
  Op *op = record(Code::cell_new, {initial}, initial.loc);
  op->cell = id_;
  t.cells.push_back({type_, shape_, is_descriptor_});
}

Cell::Cell(const Cell &other, Loc l) : Cell(other.read(user_line(l, other.made_))) {}

void Cell::check(Loc l) const {
  Trace &t = current_trace(l);
  if (t.id != trace_)
    throw Error("this device value belongs to another trace", l, {{"it was made here", made_}});
  if (!t.visible(scope_))
    not_visible(t, scope_, l, made_);
}

Use Cell::read(Loc place) const {
  Loc l = user_line(place, made_);
  check(l);
  Op *op = record(Code::cell_get, {}, l);
  op->cell = id_;
  Trace &t = current_trace(l);
  int id = t.value(type_, shape_, is_descriptor_);
  t.values.back().maker = op;
  op->results.push_back(id);
  return {{id, type_, shape_, is_descriptor_}, l};
}

void Cell::write(const Use &u) const {
  check(u.loc);
  if (u.value.shape != shape_) {
    std::string message =
        "assignment changes the shape of a variable from " + text(shape_) + " to " + text(u.value.shape);
    const std::string help = "give the result a name of its own, auto y = ...; a variable that a loop or a "
                             "branch assigns must have its final shape from the beginning";
    if (is_trace_line(current_trace(u.loc), u.loc))   // x = y has the line of y
      throw Error(message, made_).add_help(help);
    throw Error(message, u.loc, {{"the variable was made here", made_}}).add_help(help);
  }
  record(Code::cell_set, {u}, u.loc)->cell = id_;
}

}   // namespace tile::detail
