// SPDX-License-Identifier: MIT
#include "compiler/layout/scratch.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace tile::layout {
namespace {

// Of the span of the vectors, a basis of the part where the function is 0.
Columns kernelWithin(const Columns &vectors, Bits function) {
  Columns result;
  Bits first = 0;
  for (Bits v : vectors) {
    if (!parity(function, v))
      result.push_back(v);
    else if (first == 0)
      first = v;
    else
      result.push_back(v ^ first);
  }
  std::erase(result, Bits(0));
  return result;
}

bool isNonzero(Bits function, const Columns &vectors) {
  return std::any_of(vectors.begin(), vectors.end(), [&](Bits v) { return parity(function, v); });
}

// What a function has to be for some elements.
class Conditions {
 public:
  void add(Bits element, bool value) { wanted_.push_back({element, value}); }
  void addZeros(const Columns &elements) {
    for (Bits element : elements)
      add(element, false);
  }
  bool holdFor(Bits function) const {
    return std::all_of(wanted_.begin(), wanted_.end(),
                       [&](const auto &w) { return parity(function, w.first) == w.second; });
  }
  std::optional<Bits> solve(unsigned bits) const {
    // Bit m of column p: whether bit p of the function counts in condition m. Sums of conditions say nothing
    // new.
    Columns elements, columns(bits);
    Bits target = 0;
    for (auto [element, value] : wanted_) {
      if (elements.size() == 64 || !isIndependent(elements, {element}))
        continue;
      for (unsigned p = 0; p < bits; ++p)
        columns[p] |= (element >> p & 1) << elements.size();
      target |= Bits(value) << elements.size();
      elements.push_back(element);
    }
    Bits function = 0;
    if (!Echelon(columns).solve(target, function) || !holdFor(function))
      return std::nullopt;
    return function;
  }

 private:
  std::vector<std::pair<Bits, bool>> wanted_;
};

// The functions of one bit, then those of two: where one of these will do, addresses are cheap.
template <class Visit> void forSimpleFunctions(unsigned bits, Visit visit) {
  for (unsigned i = 0; i < bits; ++i)
    if (visit(bit(i)))
      return;
  for (unsigned i = 0; i < bits; ++i)
    for (unsigned j = 0; j < i; ++j)
      if (visit(bit(i) | bit(j)))
        return;
}

}   // namespace

bool parity(Bits function, Bits element) { return std::popcount(function & element) % 2 != 0; }

std::optional<Scratch> chooseScratch(unsigned bits, unsigned lineBits, const Columns &directions,
                                     const Wish &stored, const Wish &loaded, const Columns &rounds) {
  Scratch scratch;
  scratch.directions = directions;
  // What the bits chosen so far do not tell apart.
  Columns store = kernelWithin(stored.together, 0), load = kernelWithin(loaded.together, 0);
  auto gain = [&](Bits function) { return isNonzero(function, store) + isNonzero(function, load); };
  auto take = [&](Bits function) {
    for (std::size_t i = 0; i < directions.size() && scratch.functions.size() >= directions.size(); ++i)
      if (parity(function, directions[i]))
        function ^= scratch.functions[i];
    scratch.functions.push_back(function);
    store = kernelWithin(store, function);
    load = kernelWithin(load, function);
  };

  for (std::size_t i = 0; i < directions.size(); ++i) {
    Conditions conditions;
    for (std::size_t j = 0; j < directions.size(); ++j)
      conditions.add(directions[j], i == j);
    for (const Wish *wish : {&stored, &loaded}) {
      if (i < wish->low)
        conditions.addZeros(wish->apart);
      if (i < wish->low && i >= wish->firstOfMatrix)
        conditions.addZeros(wish->apartInMatrix);
    }
    std::optional<Bits> best;
    int most = -1;
    forSimpleFunctions(bits, [&](Bits function) {
      if (conditions.holdFor(function) && gain(function) > most) {
        best = function;
        most = gain(function);
      }
      return most == 2;
    });
    if (!best)
      best = conditions.solve(bits);
    if (!best)
      return std::nullopt;
    take(*best);
  }

  while (scratch.functions.size() + rounds.size() < bits) {
    Columns known = scratch.functions;
    known.insert(known.end(), rounds.begin(), rounds.end());
    int wanted = scratch.functions.size() < lineBits ? !store.empty() + !load.empty() : 0;
    std::optional<Bits> found;
    forSimpleFunctions(bits, [&](Bits function) {
      if (gain(function) >= wanted && isIndependent(known, {function}))
        found = function;
      return found.has_value();
    });
    assert(found && "an element of each side, and one or two bits tell both from 0");
    take(*found);
  }
  return scratch;
}

}   // namespace tile::layout
