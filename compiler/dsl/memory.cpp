// SPDX-License-Identifier: MIT
// Loads, stores, barriers and products.
#include "compiler/dsl/shapes.h"

namespace tile::detail {

Use load(const Use &p, const Use *mask, const Use *other, Access access) {
  const Shape &s = p.value.shape;
  std::vector<Use> operands{p};
  if (mask)
    operands.push_back(fit("the mask of load", *mask, s, "the pointers"));
  if (other)
    operands.push_back(fit("the value `other` of load", *other, s, "the pointers"));
  if (access.cache == Cache::wb || access.cache == Cache::cs || access.cache == Cache::wt)
    throw Error("load: the cache operators of a load are ca, cg and cv", p.loc);
  if (current_trace(p.loc).isolated_from)
    throw Error("a combine function only computes: it does not touch memory, print or assert", p.loc);
  Use r = record<Code::load>(std::move(operands), p.value.type.pointee(), s, p.loc,
                             {.has_mask = mask != nullptr, .has_other = other != nullptr, .access = access});
  if (access.is_volatile || access.cache == Cache::cv) {   // of memory that others change meanwhile
    Op &op = *current_trace(p.loc).open.back()->ops.back();
    op.pinned = op.writes = true;
  }
  return r;
}

void store(const Use &p, const Use &v, const Use *mask, Access access) {
  const Shape &s = p.value.shape;
  std::vector<Use> operands{p, fit("the value of store", v, s, "the pointers")};
  if (mask)
    operands.push_back(fit("the mask of store", *mask, s, "the pointers"));
  if (access.cache == Cache::ca || access.cache == Cache::cv)
    throw Error("store: the cache operators of a store are wb, cg, cs and wt", p.loc);
  record_effect<Code::store>(std::move(operands), p.loc, {.has_mask = mask != nullptr, .access = access});
}

void barrier(Loc l) { record_effect(Code::barrier, {}, l); }

Use dot(const Use &a, const Use &b, const Use *acc, ElementType acc_type, DotOptions options) {
  const Shape &x = a.value.shape, &y = b.value.shape;
  const std::size_t rank = x.size();
  std::string shapes = "dot: A is " + text(x) + ", B is " + text(y);
  if (rank != y.size() || (rank != 2 && rank != 3))
    throw Error(shapes + "; both have rank 2, or rank 3 with a batch in front (reshape higher ranks)", a.loc);
  if (rank == 3 && x[0] != y[0])
    throw Error(shapes + "; the batches differ (" + std::to_string(x[0]) + " and " + std::to_string(y[0]) +
                    ")",
                a.loc);
  const std::int64_t k = x[rank - 1];
  if (k != y[rank - 2])
    throw Error(shapes + "; A must have as many columns as B has rows (" + std::to_string(k) + " and " +
                    std::to_string(y[rank - 2]) + ")",
                a.loc);
  ElementType t = a.value.type;
  const std::int64_t least = 256 / t.bits();   // K of one matrix instruction
  if (k < least)
    throw Error(shapes + "; with " + t.name() + " operands K must be at least " + std::to_string(least),
                a.loc);
  if (options.max_imprecise_acc < 0 || options.max_imprecise_acc > k)
    throw Error("dot: max_imprecise_acc is " + std::to_string(options.max_imprecise_acc) +
                    "; it must be 0 to K, here " + std::to_string(k),
                a.loc);
  Shape s = x;
  s.back() = y.back();
  check_shape("dot", s, a.loc);
  if (acc && acc->value.shape != s)
    throw Error(shapes + ", the accumulator is " + text(acc->value.shape) + " instead of " + text(s), a.loc);
  Use c = acc ? *acc : broadcast(integer_constant(acc_type, 0, a.loc), s);
  return record<Code::dot>(
      {a, b, c}, acc_type, s, a.loc,
      {.options = options, .is_a_unsigned = t.is_unsigned(), .is_b_unsigned = b.value.type.is_unsigned()});
}

}   // namespace tile::detail
