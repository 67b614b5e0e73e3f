// SPDX-License-Identifier: MIT
// The language's words in those of the dialects.
#pragma once

#include "compiler/dsl/op_attributes.h"
#include "dialects/tile/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tile::detail {

// The same words under the same numbers.
#define TILE_WORDS(Mine, Theirs)                                                                             \
  inline Theirs inDialect(Mine word) { return static_cast<Theirs>(word); }
TILE_WORDS(Nan, ir::NanRule)
TILE_WORDS(Rounding, ir::Rounding)
TILE_WORDS(Cache, ir::Cache)
TILE_WORDS(Evict, ir::Evict)
TILE_WORDS(Order, ir::Ordering)
TILE_WORDS(Scope, ir::Scope)
TILE_WORDS(Padding, ir::Padding)
TILE_WORDS(Precision, ir::Precision)
#undef TILE_WORDS

template <class Mine, class Theirs> constexpr bool areSame(Mine mine, Theirs theirs) {
  return static_cast<int>(mine) == static_cast<int>(theirs);
}
static_assert(areSame(Nan::ignore, ir::NanRule::ignore) && areSame(Nan::propagate, ir::NanRule::propagate));
static_assert(areSame(Rounding::nearest_even, ir::Rounding::nearest_even) &&
              areSame(Rounding::toward_zero, ir::Rounding::toward_zero));
static_assert(areSame(Cache::none, ir::Cache::none) && areSame(Cache::ca, ir::Cache::ca) &&
              areSame(Cache::cg, ir::Cache::cg) && areSame(Cache::cv, ir::Cache::cv) &&
              areSame(Cache::wb, ir::Cache::wb) && areSame(Cache::cs, ir::Cache::cs) &&
              areSame(Cache::wt, ir::Cache::wt));
static_assert(areSame(Evict::normal, ir::Evict::normal) && areSame(Evict::first, ir::Evict::first) &&
              areSame(Evict::last, ir::Evict::last));
static_assert(areSame(Order::relaxed, ir::Ordering::relaxed) &&
              areSame(Order::acquire, ir::Ordering::acquire) &&
              areSame(Order::release, ir::Ordering::release) &&
              areSame(Order::acq_rel, ir::Ordering::acq_rel));
static_assert(areSame(Scope::cta, ir::Scope::cta) && areSame(Scope::gpu, ir::Scope::gpu) &&
              areSame(Scope::sys, ir::Scope::sys));
static_assert(areSame(Padding::zero, ir::Padding::zero) && areSame(Padding::nan, ir::Padding::nan));
static_assert(areSame(Precision::tf32, ir::Precision::tf32) &&
              areSame(Precision::tf32x3, ir::Precision::tf32x3) &&
              areSame(Precision::bf16x3, ir::Precision::bf16x3) &&
              areSame(Precision::bf16x6, ir::Precision::bf16x6) &&
              areSame(Precision::ieee, ir::Precision::ieee));

inline ir::Update updateOf(Update update, ElementType t) {
  switch (update) {
  case Update::add:
    return t.is_float() ? ir::Update::fadd : ir::Update::add;
  case Update::max:
    return t.is_float() ? ir::Update::fmax : t.is_unsigned() ? ir::Update::umax : ir::Update::smax;
  case Update::min:
    return t.is_float() ? ir::Update::fmin : t.is_unsigned() ? ir::Update::umin : ir::Update::smin;
  case Update::bit_and:
    return ir::Update::bit_and;
  case Update::bit_or:
    return ir::Update::bit_or;
  case Update::bit_xor:
    return ir::Update::bit_xor;
  case Update::exchange:
    return ir::Update::exchange;
  }
  llvm_unreachable("every update has a word");
}

inline mlir::arith::CmpIPredicate predicateOf(const attributes::CompareIntegers &a) {
  using enum mlir::arith::CmpIPredicate;
  switch (a.how) {
  case Compare::eq:
    return eq;
  case Compare::ne:
    return ne;
  case Compare::lt:
    return a.is_unsigned ? ult : slt;
  case Compare::le:
    return a.is_unsigned ? ule : sle;
  case Compare::gt:
    return a.is_unsigned ? ugt : sgt;
  case Compare::ge:
    return a.is_unsigned ? uge : sge;
  }
  llvm_unreachable("every comparison has a predicate");
}

// A NaN is unequal to everything, and nothing else.
inline mlir::arith::CmpFPredicate predicateOf(const attributes::CompareFloats &a) {
  using enum mlir::arith::CmpFPredicate;
  switch (a.how) {
  case Compare::eq:
    return OEQ;
  case Compare::ne:
    return UNE;
  case Compare::lt:
    return OLT;
  case Compare::le:
    return OLE;
  case Compare::gt:
    return OGT;
  case Compare::ge:
    return OGE;
  }
  llvm_unreachable("every comparison has a predicate");
}

}   // namespace tile::detail
