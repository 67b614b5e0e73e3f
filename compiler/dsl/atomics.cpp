// SPDX-License-Identifier: MIT
// Atomics.
#include "compiler/dsl/shapes.h"

namespace tile::detail {

std::int64_t update_number(Update update, ElementType t) {
  // The numbers of the dialect's `Update`: add fadd smax smin umax umin fmax fmin and or xor xchg.
  switch (update) {
  case Update::add:
    return t.is_float() ? 1 : 0;
  case Update::max:
    return t.is_float() ? 6 : t.is_unsigned() ? 4 : 2;
  case Update::min:
    return t.is_float() ? 7 : t.is_unsigned() ? 5 : 3;
  case Update::bit_and:
    return 8;
  case Update::bit_or:
    return 9;
  case Update::bit_xor:
    return 10;
  case Update::exchange:
    return 11;
  }
  return 0;
}

Use atomic(Update update, const Use &p, const Use &v, const Use *mask, Order order, Scope scope) {
  const Shape &s = p.value.shape;
  ElementType t = p.value.type.pointee();
  std::vector<Use> operands{p, fit("the value of the atomic", v, s, "the pointers")};
  if (mask)
    operands.push_back(fit("the mask of the atomic", *mask, s, "the pointers"));
  Op *op = record_effect(Code::atomic_rmw, std::move(operands), p.loc,
                         {update_number(update, t), mask != nullptr, static_cast<std::int64_t>(order),
                          static_cast<std::int64_t>(scope)});
  return result(op, t, s, p.loc);
}

Use atomic_cas(const Use &p, const Use &expected, const Use &desired, Order order, Scope scope) {
  const Shape &s = p.value.shape;
  Op *op = record_effect(Code::atomic_cas,
                         {p, fit("the expected value of atomic_cas", expected, s, "the pointers"),
                          fit("the desired value of atomic_cas", desired, s, "the pointers")},
                         p.loc, {static_cast<std::int64_t>(order), static_cast<std::int64_t>(scope)});
  return result(op, p.value.type.pointee(), s, p.loc);
}

}   // namespace tile::detail
