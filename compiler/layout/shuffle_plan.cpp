// SPDX-License-Identifier: MIT
#include "compiler/layout/shuffle_plan.h"

#include "compiler/layout/bit_matrix.h"
#include "compiler/layout/shared_trip.h"

#include <algorithm>
#include <map>

namespace tile::layout {
namespace {

using Step = ShufflePlan::Step;

// A linear map as a sum of directions, each taken where a bit of the thread is set: as few as its rank.
struct ConditionalXor {
  Bits direction;
  ThreadBit condition;
};
std::vector<ConditionalXor> xors(const Columns &lanes, const Columns &warps) {
  Columns all = lanes;
  all.insert(all.end(), warps.begin(), warps.end());
  Echelon echelon(all);
  std::vector<ConditionalXor> result;
  for (unsigned i = 0; i < all.size(); ++i) {
    if (echelon.isRedundant(i))
      continue;
    ConditionalXor x{all[i], {}};
    for (unsigned k = 0; k < all.size(); ++k) {
      Bits parts = 0;
      echelon.solve(all[k], parts);
      if (parts >> i & 1)
        (k < lanes.size() ? x.condition.lanes : x.condition.warps) |=
            bit(k < lanes.size() ? k : k - static_cast<unsigned>(lanes.size()));
    }
    result.push_back(x);
  }
  return result;
}

Columns directions(const std::vector<ConditionalXor> &xors) {
  Columns result;
  for (const ConditionalXor &x : xors)
    result.push_back(x.direction);
  return result;
}

// Numbers x of `bits` bits as sums of the vectors of a basis that begins with the given independent ones.
class Coordinates {
 public:
  Coordinates(const Columns &first, const Columns &then, unsigned bits) : first_(first) {
    Columns basis = first;
    basis.insert(basis.end(), then.begin(), then.end());
    for (unsigned i = 0; i < bits; ++i)
      basis.push_back(bit(i));
    echelon_.emplace(basis);
  }
  // How much of x is made of the first vectors, by their numbers.
  Bits along(Bits x) const {
    Bits parts = 0;
    echelon_->solve(x, parts);
    return parts & (bit(static_cast<unsigned>(first_.size())) - 1);
  }
  Bits rest(Bits x) const { return x ^ sumOf(first_, along(x)); }

 private:
  Columns first_;
  std::optional<Echelon> echelon_;
};

// Which place of the source, in its own warp, a thread reads for a register of its own: linear in register,
// lane and warp. A place is a register with the lane above its bits.
struct Reading {
  unsigned registerBits = 0, laneBits = 0;   // of the source
  Columns registers, lanes, warps;
  Columns free;   // differences of places that hold the same element

  Bits registerOf(Bits place) const { return place & (bit(registerBits) - 1); }
  Bits laneOf(Bits place) const { return place >> registerBits; }

  static std::optional<Reading> of(const LinearLayout &src, const LinearLayout &dst) {
    std::vector<Dim> outs;
    for (const Space &space : dst.outs())
      outs.push_back(space.dim);
    auto columnsOf = [&](const LinearLayout &layout, Dim dim) {
      return layout.restrictedTo({dim}, outs).columns();
    };
    Columns had = columnsOf(src, Dim::Register), lanes = columnsOf(src, Dim::Lane);
    Reading reading;
    reading.registerBits = static_cast<unsigned>(had.size());
    reading.laneBits = static_cast<unsigned>(lanes.size());
    had.insert(had.end(), lanes.begin(), lanes.end());
    Columns warps = columnsOf(src, Dim::Warp), wantedLanes = columnsOf(dst, Dim::Lane),
            wantedWarps = columnsOf(dst, Dim::Warp);
    if (warps.size() != wantedWarps.size() || lanes.size() != wantedLanes.size() ||
        columnsOf(src, Dim::Block) != columnsOf(dst, Dim::Block))
      return std::nullopt;

    Echelon places(had);
    for (unsigned i = 0; i < had.size(); ++i) {
      Bits same = 0;
      if (places.isRedundant(i) && places.solve(had[i], same))
        reading.free.push_back(same ^ bit(i));
    }
    Echelon ownRegisters(Columns(had.begin(), had.begin() + reading.registerBits));
    // From the own lane where it has the element, in any register, and else from wherever it is.
    auto find = [&](Bits wanted, Bits held, Bits here, Columns &into) {
      Bits place = 0;
      if (ownRegisters.solve(wanted ^ held, place))
        place ^= here;
      else if (!places.solve(wanted ^ (here ? 0 : held), place))
        return false;
      into.push_back(place);
      return true;
    };
    for (Bits wanted : columnsOf(dst, Dim::Register))
      if (!find(wanted, 0, 0, reading.registers))
        return std::nullopt;
    for (unsigned i = 0; i < lanes.size(); ++i)
      if (!find(wantedLanes[i], lanes[i], bit(reading.registerBits + i), reading.lanes))
        return std::nullopt;
    for (unsigned i = 0; i < warps.size(); ++i)
      if (!find(wantedWarps[i], warps[i], 0, reading.warps))
        return std::nullopt;
    return reading;
  }
};

// What the lanes read in a round: lane l the element for its register r xor `own` l, from the place `from` l,
// which for other registers and warps moves as the reading says.
struct Round {
  Columns own, from;

  // Lanes that read different registers of one lane differ by such a set of bits; which of them to change.
  struct Conflict {
    Bits lanes;
    unsigned changed;
  };
  std::optional<Conflict> conflict(const Reading &reading) const {
    Columns lanes = laneColumns(reading);
    Echelon echelon(lanes);
    for (unsigned i = 0; i < lanes.size(); ++i) {
      Bits same = 0;
      if (!echelon.isRedundant(i) || !echelon.solve(lanes[i], same))
        continue;
      same ^= bit(i);
      if (reading.registerOf(sumOf(from, same)) != 0)
        return Conflict{same, i};
    }
    return std::nullopt;
  }
  Columns laneColumns(const Reading &reading) const {
    Columns lanes;
    for (Bits place : from)
      lanes.push_back(reading.laneOf(place));
    return lanes;
  }

  // Resolves all conflicts, each by reading a replica, or the element for another register of the own.
  bool resolve(const Reading &reading) {
    while (std::optional<Conflict> found = conflict(reading)) {
      Columns lanes = laneColumns(reading);
      Bits clash = reading.registerOf(sumOf(from, found->lanes));
      std::size_t reached = Echelon(lanes).rank();
      struct Change {
        unsigned price = ~0u;
        Bits place = 0, own = 0;
      } best;
      auto consider = [&](Bits place, Bits ownRegister) {
        Columns more = lanes;
        more.push_back(reading.laneOf(place));
        bool isNew = Echelon(more).rank() > reached, stays = reading.laneOf(place) == found->lanes;
        bool isSame = reading.laneOf(place) == 0 && reading.registerOf(place) == clash;
        if (!isNew && !isSame)
          return;
        unsigned price = (ownRegister ? 3 : 0) + (isSame ? 0 : stays ? 1 : 2);
        if (price < best.price)
          best = {price, place, ownRegister};
      };
      for (Bits place : reading.free)
        consider(place, 0);
      for (unsigned i = 0; i < reading.registers.size(); ++i)
        consider(reading.registers[i], bit(i));
      if (best.price == ~0u)
        return false;
      from[found->changed] ^= best.place;
      own[found->changed] ^= best.own;
    }
    return true;
  }
};

class Planner {
 public:
  Planner(const Reading &reading, Round round, unsigned perWord)
      : reading_(reading), round_(std::move(round)) {
    plan_.fromLane = round_.laneColumns(reading_);
    for (Bits place : reading_.warps)
      plan_.fromWarp.push_back(reading_.laneOf(place));
    plan_.keepsLanes =
        std::all_of(plan_.fromWarp.begin(), plan_.fromWarp.end(), [](Bits lane) { return lane == 0; });
    for (unsigned i = 0; i < plan_.fromLane.size(); ++i)
      plan_.keepsLanes &= plan_.fromLane[i] == bit(i);
    findXors();
    pack(perWord);
  }

  ShufflePlan run() {
    Coordinates own(ownTogether_, directions(after_), static_cast<unsigned>(reading_.registers.size()));
    for (Bits reg = 0; reg < bit(static_cast<unsigned>(reading_.registers.size())); ++reg) {
      Bits first = own.rest(reg);
      // All rounds that a lane may take this register from have the element at the same place in the word.
      Bits element = given_->along(sumOf(gives_, first)) ^ own.along(reg);
      plan_.results.push_back({xored(first), element});
    }
    dropUnused();
    return std::move(plan_);
  }

 private:
  // A lane p gives, for round r, the register gives(r) XORed with a linear function of p and the warp.
  void findXors() {
    Columns lanes = plan_.fromLane, basis = lanes;
    for (unsigned i = 0; i < reading_.laneBits; ++i)
      basis.push_back(bit(i));
    Echelon echelon(basis);
    Columns ofLane, ofWarp;
    for (unsigned i = 0; i < reading_.laneBits; ++i) {
      Bits parts = 0;
      echelon.solve(bit(i), parts);
      // What nobody reads may be anything.
      ofLane.push_back(
          reading_.registerOf(sumOf(round_.from, parts & (bit(static_cast<unsigned>(lanes.size())) - 1))));
    }
    auto seenBy = [&](Bits place) {
      return reading_.registerOf(place) ^ sumOf(ofLane, reading_.laneOf(place));
    };
    for (Bits place : reading_.warps)
      ofWarp.push_back(seenBy(place));
    for (Bits place : reading_.registers)
      gives_.push_back(seenBy(place));
    before_ = xors(ofLane, ofWarp);
    after_ = xors(round_.own, {});
    // The same conditions meet where a round needs no shuffle, and cancel.
    std::reverse(after_.begin(), after_.end());
  }

  // Two registers whose elements come from one lane, wherever that is, may travel together if no XOR would
  // put one in the other's place.
  void pack(unsigned perWord) {
    Columns ownFixed = directions(after_), givenFixed = directions(before_);
    Columns moved;
    for (const ConditionalXor &x : after_)
      moved.push_back(sumOf(gives_, x.direction));
    givenFixed.insert(givenFixed.end(), moved.begin(), moved.end());
    Echelon reduced(givenFixed);
    Columns independent;
    for (unsigned i = 0; i < givenFixed.size(); ++i)
      if (!reduced.isRedundant(i))
        independent.push_back(givenFixed[i]);
    for (unsigned i = 0;
         i < reading_.registers.size() && bit(static_cast<unsigned>(ownTogether_.size())) < perWord; ++i) {
      if (reading_.laneOf(reading_.registers[i]) != 0)
        continue;
      ownTogether_.push_back(bit(i));
      givenTogether_.push_back(gives_[i]);
      if (!isIndependent(ownTogether_, ownFixed) || !isIndependent(givenTogether_, independent)) {
        ownTogether_.pop_back();
        givenTogether_.pop_back();
      }
    }
    given_.emplace(givenTogether_, independent, reading_.registerBits);
  }

  std::size_t add(const Step &step) {
    auto [it, fresh] = known_.try_emplace(step, plan_.steps.size());
    if (fresh)
      plan_.steps.push_back(step);
    return it->second;
  }
  std::size_t word(Bits reg) {
    auto [it, fresh] = words_.try_emplace(given_->rest(reg), plan_.words.size());
    if (fresh) {
      std::vector<std::int64_t> elements;
      for (Bits e = 0; e < bit(static_cast<unsigned>(givenTogether_.size())); ++e)
        elements.push_back(static_cast<std::int64_t>(it->first ^ sumOf(givenTogether_, e)));
      plan_.words.push_back(std::move(elements));
    }
    Step step;
    step.word = it->second;
    return add(step);
  }
  std::size_t select(ThreadBit condition, std::size_t first, std::size_t second) {
    auto isSame = [&](std::size_t at) {
      return plan_.steps[at].kind == Step::Kind::Select && plan_.steps[at].condition == condition;
    };
    if (isSame(first))
      first = plan_.steps[first].first;
    if (isSame(second))
      second = plan_.steps[second].second;
    if (first == second)
      return first;
    Step step{Step::Kind::Select, 0, first, second, condition, 0};
    return add(step);
  }
  using Known = std::map<std::pair<std::size_t, Bits>, std::size_t>;
  // What number `number` is after so many XORs; before all of them it is what `base` says.
  template <class Base>
  std::size_t afterXors(Known &known, const std::vector<ConditionalXor> &xors, std::size_t count, Bits number,
                        Base base) {
    if (count == 0)
      return base(number);
    if (auto it = known.find({count, number}); it != known.end())
      return it->second;
    const ConditionalXor &x = xors[count - 1];
    std::size_t there = afterXors(known, xors, count - 1, number ^ x.direction, base);
    std::size_t here = afterXors(known, xors, count - 1, number, base);
    return known[{count, number}] = select(x.condition, there, here);
  }
  // What a lane gives: its registers after the first XORs.
  std::size_t prepared(Bits reg) {
    return afterXors(prepared_, before_, before_.size(), reg, [&](Bits r) { return word(r); });
  }
  std::size_t received(Bits round) {
    std::size_t what = prepared(given_->rest(sumOf(gives_, round)));
    Bits lane = reading_.laneOf(sumOf(reading_.registers, round));
    if (plan_.keepsLanes && lane == 0)
      return what;
    Step step{Step::Kind::Shuffle, 0, what, 0, {}, lane};
    return add(step);
  }
  // What it has in the end, by the number of its own register.
  std::size_t xored(Bits round) {
    return afterXors(xored_, after_, after_.size(), round, [&](Bits r) { return received(r); });
  }

  void dropUnused() {
    std::vector<bool> used(plan_.steps.size());
    for (const ShufflePlan::Source &source : plan_.results)
      used[source.step] = true;
    for (std::size_t i = used.size(); i-- > 0;)
      if (const Step &step = plan_.steps[i]; used[i] && step.kind != Step::Kind::Word) {
        used[step.first] = true;
        if (step.kind == Step::Kind::Select)
          used[step.second] = true;
      }
    std::vector<std::size_t> place(used.size());
    std::vector<Step> kept;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (!used[i])
        continue;
      place[i] = kept.size();
      Step step = plan_.steps[i];
      step.first = place[step.first];
      step.second = place[step.second];
      kept.push_back(step);
    }
    plan_.steps = std::move(kept);
    for (ShufflePlan::Source &source : plan_.results)
      source.step = place[source.step];
  }

  const Reading &reading_;
  Round round_;
  ShufflePlan plan_;
  Columns gives_;   // the register that is given in a round, by the bits of its number
  std::vector<ConditionalXor> before_, after_;   // the shuffles
  Columns ownTogether_, givenTogether_;   // register directions within a word, of destination and source
  std::optional<Coordinates> given_;
  std::map<Step, std::size_t> known_;
  std::map<Bits, std::size_t> words_;
  Known prepared_, xored_;
};

}   // namespace

std::size_t ShufflePlan::count(Step::Kind kind) const {
  return static_cast<std::size_t>(
      std::count_if(steps.begin(), steps.end(), [&](const Step &step) { return step.kind == kind; }));
}

std::int64_t ShufflePlan::price(unsigned elementBytes, std::int64_t repetitions) const {
  std::int64_t words = std::max(1u, elementBytes / 4);   // of an element
  std::int64_t atOnce =
      std::max<std::int64_t>(1, 4 / elementBytes / static_cast<std::int64_t>(elementsPerWord()));
  return (static_cast<std::int64_t>(count(Step::Kind::Select)) * Price::Select +
          static_cast<std::int64_t>(count(Step::Kind::Shuffle)) * Price::Shuffle) *
         words * ((repetitions + atOnce - 1) / atOnce);
}

std::optional<ShufflePlan> planShuffles(const TileLayout &src, const TileLayout &dst, unsigned perWord) {
  std::optional<Reading> reading = Reading::of(src.linear(), dst.linear());
  if (!reading)
    return std::nullopt;
  Round round{Columns(reading->lanes.size()), reading->lanes};
  if (!round.resolve(*reading))
    return std::nullopt;
  return Planner(*reading, std::move(round), perWord).run();
}

}   // namespace tile::layout
