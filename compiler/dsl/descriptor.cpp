// SPDX-License-Identifier: MIT
// Descriptors. What their literal extents and strides already break is told while tracing; the
// rest is checked when a descriptor is made.
#include "compiler/dsl/shapes.h"

#include <algorithm>

namespace tile::detail {

namespace {

std::string place(const char *what, std::size_t i) { return std::string(what) + " " + std::to_string(i); }

Use wide(const char *what, std::size_t i, const IndexUse &u) {
  need_scalar("descriptor: " + place(what, i), u);
  return convert(u, {Kind::I64});
}

void check_extents(const std::vector<IndexUse> &extents) {
  for (std::size_t i = 0; i < extents.size(); ++i)
    if (extents[i].is_literal && extents[i].literal < 0)
      throw Error("descriptor: extent " + std::to_string(i) +
                      " is negative: " + std::to_string(extents[i].literal),
                  extents[i].loc);
}

void check_strides(const std::vector<IndexUse> &strides, ElementType t) {
  const auto bytes = static_cast<std::int64_t>(t.bytes());
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const IndexUse &s = strides[i];
    if (!s.is_literal)
      continue;
    if (i + 1 == strides.size() && s.literal != 1)
      throw Error("descriptor: the last stride is " + std::to_string(s.literal) +
                      "; it must be 1, because the elements of a row are contiguous",
                  s.loc);
    if (i + 1 < strides.size() && (s.literal < 0 || s.literal * bytes % 16 != 0))
      throw Error("descriptor: stride " + std::to_string(i) + " spans " + std::to_string(s.literal * bytes) +
                      " bytes; all strides but the last must span a multiple of 16 bytes",
                  s.loc);
  }
}

std::vector<Use> with_coordinates(const char *what, const Use &d, const std::vector<IndexUse> &coordinates) {
  if (coordinates.size() != d.value.shape.size())
    throw Error(std::string(what) + ": " + std::to_string(coordinates.size()) +
                    " coordinates are given, the descriptor has blocks of shape " + text(d.value.shape),
                d.loc);
  std::vector<Use> operands{d};
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const IndexUse &c = coordinates[i];
    need_scalar(std::string(what) + ": " + place("coordinate", i), c);
    if (c.is_literal)
      operands.push_back(integer_constant({Kind::I32}, c.literal, c.loc));
    else if (c.value.type == ElementType{Kind::I32})
      operands.push_back(c);
    else
      throw Error(std::string(what) + ": coordinate " + std::to_string(i) + " is an i64; coordinates are i32",
                  c.loc);
  }
  return operands;
}

// The shape in which a tile goes into a block: leading extents of 1 may be missing.
Use as_block(const char *what, const Use &d, const Use &v) {
  const Shape &block = d.value.shape;
  Use tile = v;
  const std::size_t rank = v.value.shape.size();
  if (rank > 0 && rank < block.size() &&
      std::all_of(
          block.begin(), block.end() - static_cast<std::ptrdiff_t>(rank), [](auto e) { return e == 1; }))
    while (tile.value.shape.size() < block.size())
      tile = expand_dims(tile, 0);
  return fit(std::string("the value of ") + what, tile, block, "the descriptor's blocks");
}

}   // namespace

Use make_descriptor(const Use &base, const std::vector<IndexUse> &extents,
                    const std::vector<IndexUse> &strides, const std::vector<std::int64_t> &block,
                    Padding padding) {
  const std::size_t rank = block.size();
  ElementType t = base.value.type.pointee();
  need_scalar("descriptor: the base", base);
  if (rank < 1 || rank > 5)
    throw Error("descriptor: a descriptor has 1 to 5 dimensions, not " + std::to_string(rank), base.loc);
  if (extents.size() != rank || strides.size() != rank)
    throw Error("descriptor: " + std::to_string(extents.size()) + " extents, " +
                    std::to_string(strides.size()) + " strides and a block of " + std::to_string(rank) +
                    " dimensions; the three numbers must be equal",
                base.loc);
  check_shape("descriptor: the block", block, base.loc);
  const std::int64_t rowBytes = block.back() * static_cast<std::int64_t>(t.bytes());
  if (rowBytes < 16)
    throw Error("descriptor: the last row of a block spans at least 16 bytes, this one " +
                    std::to_string(rowBytes),
                base.loc);
  if (padding == Padding::nan && !t.is_float())
    throw Error("descriptor: " + t.name() + " has no NaN to pad with", base.loc);
  check_extents(extents);
  check_strides(strides, t);
  std::vector<Use> operands{base};
  for (std::size_t i = 0; i < rank; ++i)
    operands.push_back(wide("extent", i, extents[i]));
  for (std::size_t i = 0; i < rank; ++i)
    operands.push_back(wide("stride", i, strides[i]));
  Op *op = record<Code::make_descriptor>(std::move(operands), base.loc, {padding});
  return result(op, t, block, base.loc, true);
}

Use descriptor_load(const Use &d, const std::vector<IndexUse> &coordinates, bool drop_leading, Access access,
                    Loc l) {
  const char *what = drop_leading ? "descriptor load_reduced" : "descriptor load";
  Shape s = d.value.shape;
  while (drop_leading && s.size() > 1 && s.front() == 1)
    s.erase(s.begin());
  if (access.cache == Cache::wb || access.cache == Cache::cs || access.cache == Cache::wt)
    throw Error(std::string(what) + ": the cache operators of a load are ca, cg and cv", l);
  if (access.is_volatile)
    throw Error(std::string(what) + ": block copies are not volatile", l);
  if (current_trace(l).isolated_from)
    throw Error("a combine function only computes: it does not touch memory, print or assert", l);
  return record<Code::descriptor_load>(with_coordinates(what, d, coordinates), d.value.type, s, l,
                                       {.cache = access.cache, .evict = access.evict});
}

void descriptor_store(const Use &d, const std::vector<IndexUse> &coordinates, const Use &v) {
  std::vector<Use> operands = with_coordinates("descriptor store", d, coordinates);
  operands.push_back(as_block("descriptor store", d, v));
  record_effect(Code::descriptor_store, std::move(operands), d.loc);
}

void descriptor_reduce(Update update, const Use &d, const std::vector<IndexUse> &coordinates, const Use &v) {
  std::vector<Use> operands = with_coordinates("descriptor reduction", d, coordinates);
  operands.push_back(as_block("descriptor reduction", d, v));
  record_effect<Code::descriptor_reduce>(std::move(operands), d.loc,
                                         {.update = update, .element = d.value.type});
}

}   // namespace tile::detail
