// SPDX-License-Identifier: MIT
#include "compiler/layout/linear_layout.h"

#include "compiler/layout/bit_matrix.h"

#include <algorithm>
#include <cassert>

namespace tile::layout {
namespace {

constexpr std::uint64_t lowBits(unsigned n) {
  return n >= 64 ? ~std::uint64_t(0) : (std::uint64_t(1) << n) - 1;
}

const Space *find(const std::vector<Space> &spaces, Dim d) {
  auto it = std::find_if(spaces.begin(), spaces.end(), [&](const Space &s) { return s.dim == d; });
  return it == spaces.end() ? nullptr : &*it;
}

// The position of a space's lowest bit in a flat point.
unsigned start(const std::vector<Space> &spaces, Dim d) {
  unsigned at = 0;
  for (const Space &s : spaces) {
    if (s.dim == d)
      break;
    at += s.bits;
  }
  return at;
}

unsigned total(const std::vector<Space> &spaces) {
  unsigned bits = 0;
  for (const Space &s : spaces)
    bits += s.bits;
  return bits;
}

// The same point with its spaces in another order, each at least as large as before.
std::uint64_t rearrange(std::uint64_t flat, const std::vector<Space> &from, const std::vector<Space> &to) {
  std::uint64_t result = 0;
  for (const Space &s : from) {
    result |= (flat & lowBits(s.bits)) << start(to, s.dim);
    flat >>= s.bits;
  }
  return result;
}

// The union of both lists with the bits added, in the order of first appearance.
std::vector<Space> sum(const std::vector<Space> &a, const std::vector<Space> &b) {
  std::vector<Space> result = a;
  for (const Space &s : b) {
    auto it = std::find_if(result.begin(), result.end(), [&](const Space &r) { return r.dim == s.dim; });
    if (it == result.end())
      result.push_back(s);
    else
      it->bits += s.bits;
  }
  return result;
}

}   // namespace

std::string name(Dim dim) {
  static const char *const names[] = {"register", "lane", "warp", "block", "offset"};
  unsigned i = static_cast<unsigned>(dim);
  return i < 5 ? names[i] : "axis" + std::to_string(i - 5);
}

LinearLayout::LinearLayout(std::vector<Space> ins, std::vector<Space> outs,
                           std::vector<std::uint64_t> columns)
    : ins_(std::move(ins)), outs_(std::move(outs)), columns_(std::move(columns)) {
  assert(total(ins_) == columns_.size() && columns_.size() <= 64 && total(outs_) <= 64);
}

LinearLayout LinearLayout::identity(Dim in, Dim out, unsigned bits) {
  std::vector<std::uint64_t> columns(bits);
  for (unsigned i = 0; i < bits; ++i)
    columns[i] = std::uint64_t(1) << i;
  return {{{in, bits}}, {{out, bits}}, std::move(columns)};
}

LinearLayout LinearLayout::zeros(Dim in, Dim out, unsigned bits) {
  return {{{in, bits}}, {{out, 0}}, std::vector<std::uint64_t>(bits, 0)};
}

bool LinearLayout::hasIn(Dim d) const { return find(ins_, d); }
bool LinearLayout::hasOut(Dim d) const { return find(outs_, d); }
unsigned LinearLayout::inBits(Dim d) const {
  const Space *s = find(ins_, d);
  return s ? s->bits : 0;
}
unsigned LinearLayout::outBits(Dim d) const {
  const Space *s = find(outs_, d);
  return s ? s->bits : 0;
}
unsigned LinearLayout::outBits() const { return total(outs_); }

std::uint64_t LinearLayout::applyFlat(std::uint64_t flat) const {
  std::uint64_t result = 0;
  for (unsigned i = 0; i < columns_.size(); ++i)
    if (flat >> i & 1)
      result ^= columns_[i];
  return result;
}

std::vector<Index> LinearLayout::apply(const std::vector<Index> &point) const {
  std::uint64_t flat = 0;
  for (const Index &i : point)
    if (const Space *s = find(ins_, i.dim))
      flat |= (i.value & lowBits(s->bits)) << start(ins_, i.dim);
  std::uint64_t image = applyFlat(flat);
  std::vector<Index> result;
  for (const Space &s : outs_) {
    result.push_back({s.dim, image & lowBits(s.bits)});
    image >>= s.bits;
  }
  return result;
}

std::uint64_t LinearLayout::basis(Dim in, unsigned bit, Dim out) const {
  return columns_[start(ins_, in) + bit] >> start(outs_, out) & lowBits(outBits(out));
}

LinearLayout LinearLayout::operator*(const LinearLayout &higher) const {
  std::vector<Space> ins = sum(ins_, higher.ins_), outs = sum(outs_, higher.outs_);
  std::vector<std::uint64_t> columns;
  for (const Space &in : ins) {
    for (unsigned i = 0; i < inBits(in.dim); ++i)
      columns.push_back(rearrange(columns_[start(ins_, in.dim) + i], outs_, outs));
    for (unsigned i = 0; i < higher.inBits(in.dim); ++i) {
      std::uint64_t column = higher.columns_[start(higher.ins_, in.dim) + i], moved = 0;
      for (const Space &out : higher.outs_) {
        moved |= (column & lowBits(out.bits)) << (start(outs, out.dim) + outBits(out.dim));
        column >>= out.bits;
      }
      columns.push_back(moved);
    }
  }
  return {std::move(ins), std::move(outs), std::move(columns)};
}

LinearLayout LinearLayout::after(const LinearLayout &inner) const {
  std::vector<std::uint64_t> columns;
  for ([[maybe_unused]] const Space &s : inner.outs_)
    assert(inBits(s.dim) >= s.bits && "the inner map leaves the outer one's domain");
  for (std::uint64_t column : inner.columns_)
    columns.push_back(applyFlat(rearrange(column, inner.outs_, ins_)));
  return {inner.ins_, outs_, std::move(columns)};
}

LinearLayout LinearLayout::restrictedTo(const std::vector<Dim> &ins, const std::vector<Dim> &outs) const {
  std::vector<Space> newIns, newOuts;
  for (Dim d : ins)
    newIns.push_back({d, inBits(d)});
  for (Dim d : outs)
    newOuts.push_back({d, outBits(d)});
  std::vector<std::uint64_t> columns;
  for (const Space &in : newIns)
    for (unsigned i = 0; i < in.bits; ++i) {
      std::uint64_t column = 0;
      for (const Space &out : newOuts)
        column |= basis(in.dim, i, out.dim) << start(newOuts, out.dim);
      columns.push_back(column);
    }
  return {std::move(newIns), std::move(newOuts), std::move(columns)};
}

LinearLayout LinearLayout::ordered(const std::vector<Dim> &ins, const std::vector<Dim> &outs) const {
  LinearLayout result = restrictedTo(ins, outs);
  assert(result.inBits() == inBits() && result.outBits() == outBits() && "a space is missing from the order");
  return result;
}

LinearLayout LinearLayout::withoutZeroBases(Dim in) const {
  LinearLayout result = *this;
  auto first = result.columns_.begin() + start(ins_, in), last = first + inBits(in);
  auto end = std::remove(first, last, std::uint64_t(0));
  for (Space &s : result.ins_)
    if (s.dim == in)
      s.bits = static_cast<unsigned>(end - first);
  result.columns_.erase(end, last);
  return result;
}

unsigned LinearLayout::rank() const { return Echelon(columns_).rank(); }

LinearLayout LinearLayout::rightInverse() const {
  Echelon echelon(columns_);
  assert(echelon.rank() == outBits() && "only a surjective map has a right inverse");
  std::vector<std::uint64_t> columns;
  for (unsigned i = 0; i < outBits(); ++i) {
    std::uint64_t solution = 0;
    echelon.solve(std::uint64_t(1) << i, solution);
    columns.push_back(solution);
  }
  return {outs_, ins_, std::move(columns)};
}

std::vector<Index> LinearLayout::redundantBits() const {
  Echelon echelon(columns_);
  std::vector<Index> result;
  unsigned column = 0;
  for (const Space &s : ins_) {
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < s.bits; ++i)
      mask |= std::uint64_t(echelon.isRedundant(column++)) << i;
    result.push_back({s.dim, mask});
  }
  return result;
}

std::string LinearLayout::text() const {
  std::string s;
  for (const Space &in : ins_)
    for (unsigned i = 0; i < in.bits; ++i) {
      s += name(in.dim) + " " + std::to_string(std::uint64_t(1) << i) + " -> (";
      for (const Space &out : outs_)
        s += (&out == outs_.data() ? "" : ", ") + std::to_string(basis(in.dim, i, out.dim));
      s += ")\n";
    }
  return s;
}

LinearLayout conversion(const LinearLayout &src, const LinearLayout &dst) {
  std::vector<Dim> outs;
  for (const Space &s : dst.outs())
    outs.push_back(s.dim);
  std::vector<Dim> ins;
  for (const Space &s : src.ins())
    ins.push_back(s.dim);
  return dst.rightInverse().after(src.ordered(ins, outs));
}

}   // namespace tile::layout
