// SPDX-License-Identifier: MIT
#include "compiler/layout/conversion.h"

#include <algorithm>
#include <cassert>

namespace tile::layout {
namespace {

// Whether, for every element, the source's replica with the same lane (warp, block) as the destination's
// place exists: dst's element at a place must lie at that place of src, whatever the register. A destination
// place asks for the element dst(reg, rest); src holds it at `rest` if src restricted to registers can make
// up the difference src(0, rest) xor dst(reg, rest), for each basis element separately.
bool registersSuffice(const LinearLayout &src, const LinearLayout &dst, const std::vector<Dim> &fixed,
                      const std::vector<Dim> &free) {
  std::vector<Dim> outs;
  for (const Space &s : dst.outs())
    outs.push_back(s.dim);
  LinearLayout reach = src.restrictedTo(free, outs);
  unsigned span = reach.rank();
  auto within = [&](std::uint64_t element) {
    std::vector<std::uint64_t> columns = reach.columns();
    columns.push_back(element);
    return LinearLayout({{Dim::Offset, static_cast<unsigned>(columns.size())}}, reach.outs(), columns)
               .rank() == span;
  };
  // Nor may the destination's own places within ask for more: its registers may hold replicas of what
  // the source has in lanes.
  LinearLayout own = dst.restrictedTo(free, outs);
  if (!std::all_of(own.columns().begin(), own.columns().end(), within))
    return false;
  LinearLayout wanted = dst.restrictedTo(fixed, outs), had = src.restrictedTo(fixed, outs);
  if (wanted.inBits() != had.inBits())
    return false;
  for (unsigned i = 0; i < wanted.inBits(); ++i)
    if (!within(wanted.columns()[i] ^ had.columns()[i]))
      return false;
  return true;
}

// Whether both give a place without registers the same element.
bool agree(const LinearLayout &src, const LinearLayout &dst, Dim dim, const std::vector<Dim> &outs) {
  return src.restrictedTo({dim}, outs).columns() == dst.restrictedTo({dim}, outs).columns();
}

}   // namespace

Conversion planConversion(const TileLayout &src, const TileLayout &dst) {
  assert(src.shape() == dst.shape());
  const LinearLayout &s = src.linear(), &d = dst.linear();
  Conversion plan;
  // Places that may change freely grow from the thread's registers outwards; the first set within
  // which every element is found decides.
  if (!registersSuffice(s, d, {Dim::Block}, {Dim::Register, Dim::Lane, Dim::Warp}))
    plan.exchange = Exchange::Blocks;
  else if (!registersSuffice(s, d, {Dim::Warp, Dim::Block}, {Dim::Register, Dim::Lane}))
    plan.exchange = Exchange::Shared;
  else if (!registersSuffice(s, d, {Dim::Lane, Dim::Warp, Dim::Block}, {Dim::Register}))
    plan.exchange = Exchange::Lanes;
  else
    plan.exchange = Exchange::Registers;
  if (plan.exchange != Exchange::Registers)
    return plan;

  // Where a lane means the same element in both, the register to read is the same for all lanes.
  std::vector<Dim> outs;
  for (const Space &space : d.outs())
    outs.push_back(space.dim);
  for (Dim dim : {Dim::Lane, Dim::Warp, Dim::Block})
    if (!agree(s, d, dim, outs))
      plan.exchange = Exchange::Selects;
  if (plan.exchange == Exchange::Selects)
    return plan;
  LinearLayout reach = s.restrictedTo({Dim::Register}, outs), wanted = d.restrictedTo({Dim::Register}, outs);
  std::int64_t inner = std::int64_t(1) << s.inBits(Dim::Register), wide = std::int64_t(1)
                                                                          << d.inBits(Dim::Register);
  bool same = inner == wide;
  for (std::int64_t r = 0; r < dst.places(); ++r) {
    std::uint64_t element = wanted.applyFlat(static_cast<std::uint64_t>(r % wide));
    std::int64_t found = -1;
    for (std::int64_t candidate = 0; candidate < inner && found < 0; ++candidate)
      if (reach.applyFlat(static_cast<std::uint64_t>(candidate)) == element)
        found = candidate;
    assert(found >= 0);
    plan.source.push_back(r / wide * inner + found);
    same &= plan.source.back() == r;
  }
  if (same)
    plan.exchange = Exchange::None;
  return plan;
}

}   // namespace tile::layout
