// SPDX-License-Identifier: MIT
// Atomics.
#include "compiler/dsl/shapes.h"

namespace tile::detail {

Use atomic(Update update, const Use &p, const Use &v, const Use *mask, Order order, Scope scope) {
  const Shape &s = p.value.shape;
  ElementType t = p.value.type.pointee();
  std::vector<Use> operands{p, fit("the value of the atomic", v, s, "the pointers")};
  if (mask)
    operands.push_back(fit("the mask of the atomic", *mask, s, "the pointers"));
  Op *op = record_effect<Code::atomic_rmw>(
      std::move(operands), p.loc,
      {.update = update, .element = t, .has_mask = mask != nullptr, .order = order, .scope = scope});
  return result(op, t, s, p.loc);
}

Use atomic_cas(const Use &p, const Use &expected, const Use &desired, Order order, Scope scope) {
  const Shape &s = p.value.shape;
  Op *op = record_effect<Code::atomic_cas>(
      {p, fit("the expected value of atomic_cas", expected, s, "the pointers"),
       fit("the desired value of atomic_cas", desired, s, "the pointers")},
      p.loc, {.order = order, .scope = scope});
  return result(op, p.value.type.pointee(), s, p.loc);
}

}   // namespace tile::detail
