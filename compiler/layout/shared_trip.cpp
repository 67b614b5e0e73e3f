// SPDX-License-Identifier: MIT
#include "compiler/layout/shared_trip.h"

#include "compiler/layout/scratch.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

namespace tile::layout {
namespace {

using Access = SharedTrip::Access;
using Side = SharedTrip::Side;

unsigned log2Of(std::int64_t n) {
  unsigned bits = 0;
  while (std::int64_t(1) << bits < n)
    ++bits;
  return bits;
}

Columns joined(Columns a, const Columns &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
Columns firstOf(const Columns &columns, std::size_t count) {
  return {columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(std::min(count, columns.size()))};
}

// Elements of one repetition that the bits of registers, lanes and warps add; numbers as `outs` order them.
struct Holder {
  Columns registers, lanes, warps;

  Holder(const LinearLayout &layout, const std::vector<Dim> &outs)
      : registers(layout.restrictedTo({Dim::Register}, outs).columns()),
        lanes(layout.restrictedTo({Dim::Lane}, outs).columns()),
        warps(layout.restrictedTo({Dim::Warp}, outs).columns()) {}

  Bits count() const { return bit(registers.size()); }
  Bits element(Bits reg) const { return sumOf(registers, reg); }
  Columns threads() const { return joined(lanes, warps); }
};

// What all ways of one trip share.
struct Problem {
  Holder src, dst;
  unsigned bits, bytes;
  Columns rounds;                     // functions of the element that number the rounds
  std::int64_t repetitions, atOnce;   // how many there are, and go in one round
  std::int64_t roundCount() const { return (repetitions + atOnce - 1) / atOnce << rounds.size(); }
  std::int64_t roundOf(std::int64_t repetition, Bits element) const {
    std::int64_t round = repetition / atOnce;
    for (Bits function : rounds)
      round = 2 * round + parity(function, element);
    return round;
  }
  bool isOfFirstRound(Bits element) const { return roundOf(0, element) == 0; }

  unsigned vectorBits() const { return log2Of(std::max(1u, 16 / bytes)); }   // of 16 bytes
  unsigned wordBits() const { return bytes < 4 ? log2Of(4 / bytes) : 0; }    // of 4
  unsigned lineBits() const { return log2Of(128 / bytes); }                  // of all banks
};

// The registers that give an element a bit of a matrix' word, or of its number, of those that lie in one
// round.
Columns ownDirections(const Problem &problem, const Holder &holder, std::size_t most) {
  Columns elements;
  for (Bits element : holder.registers)
    if (elements.size() < most && problem.isOfFirstRound(element) && isIndependent(elements, {element}))
      elements.push_back(element);
  return elements;
}

// How one side moves its elements: the elements that it wants at the first offsets, and its wishes.
struct Plan {
  AccessForm form = AccessForm::Vector;
  Columns chain;
  Wish wish;
};

Plan vectors(const Problem &problem, const Holder &holder, const Columns &chain, std::size_t low) {
  // Wide accesses go in groups of lanes that together move 128 bytes.
  std::size_t wide = low > problem.wordBits() ? low - problem.wordBits() : 0;
  Plan plan{AccessForm::Vector, firstOf(chain, low), {}};
  if (problem.bytes == 8)
    ++wide;
  plan.wish = {low,
               holder.threads(),
               ~std::size_t(0),
               {},
               joined(firstOf(chain, std::max<std::size_t>(low, problem.wordBits())),
                      firstOf(holder.lanes, holder.lanes.size() > wide ? holder.lanes.size() - wide : 0))};
  return plan;
}

std::optional<Plan> matrices(const Problem &problem, const Holder &holder, bool transposed) {
  if (holder.lanes.size() != 5 || problem.bytes > 4 || (transposed && problem.bytes != 2))
    return std::nullopt;
  const Columns &l = holder.lanes;
  Plan plan;
  Columns within = ownDirections(problem, holder, problem.wordBits());
  if (within.size() != problem.wordBits())
    return std::nullopt;
  if (transposed) {
    plan.form = AccessForm::Transposed;
    plan.chain = {l[2], l[3], l[4]};
    plan.wish.apart = joined(joined({l[0], l[1]}, holder.warps), holder.registers);
    plan.wish.together = joined(plan.chain, {within[0], l[0], l[1]});
  } else {
    plan.form = AccessForm::Matrix;
    plan.chain = joined(within, {l[0], l[1]});
    plan.wish.apart = joined({l[2], l[3], l[4]}, holder.warps);
    plan.wish.firstOfMatrix = within.size();
    plan.wish.apartInMatrix = holder.registers;
    plan.wish.together = joined(plan.chain, {l[2], l[3], l[4]});
  }
  plan.wish.low = plan.chain.size();
  return isIndependent(plan.chain) ? std::optional(plan) : std::nullopt;
}

struct Buffer {
  Columns functions, directions;   // of the low bits of the offset in elements
  Columns ofElement;               // the offset in bytes, by the bits of an element
  std::int64_t ofRepetition = 0, bytes = 0;
};

bool fits(const Buffer &buffer, const Plan &plan) {
  const Wish &wish = plan.wish;
  if (buffer.directions.size() < wish.low || buffer.functions.size() < wish.low)
    return false;
  for (std::size_t i = 0; i < wish.low; ++i) {
    auto isZero = [&](const Columns &elements) {
      return std::none_of(elements.begin(), elements.end(),
                          [&](Bits e) { return parity(buffer.functions[i], e); });
    };
    if (buffer.directions[i] != plan.chain[i] || !isZero(wish.apart) ||
        (i >= wish.firstOfMatrix && !isZero(wish.apartInMatrix)))
      return false;
  }
  return true;
}

std::int64_t passes(const std::vector<std::int64_t> &addresses, std::int64_t width) {
  std::size_t group = width <= 4 ? 32 : static_cast<std::size_t>(128 / width);
  std::int64_t sum = 0;
  for (std::size_t first = 0; first < addresses.size(); first += group) {
    std::array<std::set<std::int64_t>, 32> words;
    for (std::size_t i = first; i < std::min(first + group, addresses.size()); ++i)
      for (std::int64_t at = addresses[i] / 4; at * 4 < addresses[i] + width; ++at)
        words[static_cast<std::size_t>(at % 32)].insert(at);
    std::size_t most = 0;
    for (const auto &bank : words)
      most = std::max(most, bank.size());
    sum += static_cast<std::int64_t>(most);
  }
  return sum;
}

// The instructions of one side.
class Accesses {
 public:
  Accesses(const Problem &problem, const Holder &holder, const Buffer &buffer, const Plan &plan)
      : problem_(problem), holder_(holder), buffer_(buffer), plan_(plan), registers_(holder.registers) {
    side_.form = plan.form;
    std::size_t within = plan.form == AccessForm::Vector ? plan.wish.low : problem.wordBits();
    Columns together = plan.form == AccessForm::Transposed ? ownDirections(problem, holder, within)
                                                           : firstOf(plan.chain, within);
    for (Bits element : together)
      together_.push_back(registerOf(element));
    findFirsts();
    side_.lanes = offsets(addressLanes());
    side_.warps = offsets(holder.warps);
    for (const Columns *columns : {&side_.lanes, &side_.warps})
      for (Bits column : *columns)
        reach_ |= column;
    for (std::int64_t repetition = 0; repetition < problem.repetitions; ++repetition)
      for (Bits reg : starts_)
        side_.accesses.push_back(access(repetition, reg));
    count();
  }
  Side take() { return std::move(side_); }

 private:
  Bits registerOf(Bits element) const {
    Bits reg = 0;
    [[maybe_unused]] bool found = registers_.solve(element, reg);
    assert(found && "what an access moves is in registers");
    return reg;
  }
  bool begins(Bits element) const {
    std::size_t low = plan_.form == AccessForm::Transposed ? 0 : together_.size();
    for (std::size_t i = 0; i < low; ++i)
      if (parity(buffer_.functions[i], element))
        return false;
    return true;
  }
  // The first registers of the accesses, without those that hold what another one does.
  void findFirsts() {
    Columns firsts;
    std::set<Bits> seen;
    for (Bits reg = 0; reg < holder_.count(); ++reg)
      if (begins(holder_.element(reg)) && !seen.contains(holder_.element(reg))) {
        for (Bits i = 0; i < bit(together_.size()); ++i)
          seen.insert(holder_.element(reg ^ sumOf(together_, i)));
        firsts.push_back(reg);
      }
    if (plan_.form != AccessForm::Vector) {
      Columns elements;
      for (Bits reg : together_)
        elements.push_back(holder_.element(reg));
      for (Bits reg : firsts)
        if (numbers_.size() < 2 && problem_.isOfFirstRound(holder_.element(reg)) &&
            isIndependent(elements, {holder_.element(reg)})) {
          elements.push_back(holder_.element(reg));
          numbers_.push_back(reg);
        }
    }
    seen.clear();
    for (Bits reg : firsts)
      if (!seen.contains(holder_.element(reg))) {
        forAll(reg, [&](Bits other) { seen.insert(holder_.element(other)); });
        starts_.push_back(reg);
      }
  }
  template <class Visit> void forAll(Bits first, Visit visit) const {
    for (Bits matrix = 0; matrix < bit(numbers_.size()); ++matrix)
      for (Bits i = 0; i < bit(together_.size()); ++i)
        visit(first ^ sumOf(numbers_, matrix) ^ sumOf(together_, i));
  }

  // The elements whose places the bits of a lane add when it gives an address.
  Columns addressLanes() const {
    const Columns &l = holder_.lanes;
    if (plan_.form == AccessForm::Vector)
      return l;
    Columns rows = plan_.form == AccessForm::Matrix ? Columns{l[2], l[3], l[4]}
                                                    : Columns{holder_.element(together_[0]), l[0], l[1]};
    for (Bits reg : numbers_)
      rows.push_back(holder_.element(reg));
    rows.resize(5, 0);   // fewer matrices: the addresses of the last lanes are not looked at
    return rows;
  }
  Columns offsets(const Columns &elements) const {
    Columns result;
    for (Bits element : elements)
      result.push_back(sumOf(buffer_.ofElement, element));
    return result;
  }

  Access access(std::int64_t repetition, Bits reg) const {
    Access result;
    result.round = problem_.roundOf(repetition, holder_.element(reg));
    std::int64_t first = repetition * static_cast<std::int64_t>(holder_.count());
    forAll(reg, [&](Bits other) { result.registers.push_back(first + static_cast<std::int64_t>(other)); });
    // Sums of constants fold into addresses, so XOR only where bits of registers and threads mix.
    Bits own = sumOf(buffer_.ofElement, holder_.element(reg));
    result.xored = own & reach_;
    result.constant =
        static_cast<std::int64_t>(own & ~reach_) + repetition % problem_.atOnce * buffer_.ofRepetition;
    return result;
  }

  void count() {
    std::map<Bits, std::int64_t> known;
    bool isMatrix = plan_.form != AccessForm::Vector;
    std::int64_t width = isMatrix ? 16 : static_cast<std::int64_t>(problem_.bytes << together_.size());
    std::size_t lanes = isMatrix ? std::size_t(8) << numbers_.size() : std::size_t(1) << holder_.lanes.size();
    for (const Access &access : side_.accesses) {
      auto [it, fresh] = known.try_emplace(access.xored);
      if (fresh) {
        std::vector<std::int64_t> addresses;
        for (std::size_t lane = 0; lane < lanes; ++lane)
          addresses.push_back(side_.address(access, lane, 0));
        it->second = passes(addresses, width);
      }
      side_.wavefronts += it->second;
      side_.ideal +=
          std::max<std::int64_t>(1, static_cast<std::int64_t>(lanes) * (width <= 4 ? 4 : width) / 128);
    }
  }

  const Problem &problem_;
  const Holder &holder_;
  const Buffer &buffer_;
  const Plan &plan_;
  Echelon registers_;
  Columns together_, numbers_,
      starts_;       // registers: of one vector or word, of the matrices, of the accesses
  Bits reach_ = 0;   // the bits of addresses that threads give
  Side side_;
};

std::optional<Buffer> chooseBuffer(const Problem &problem, const Columns &chain, const Plan &store,
                                   const Plan &load) {
  std::optional<Scratch> scratch =
      chooseScratch(problem.bits, problem.lineBits(), chain, store.wish, load.wish, problem.rounds);
  if (!scratch)
    return std::nullopt;
  Buffer buffer{firstOf(scratch->functions, chain.size()), chain, Columns(problem.bits)};
  for (unsigned p = 0; p < problem.bits; ++p)
    for (std::size_t i = 0; i < scratch->functions.size(); ++i)
      buffer.ofElement[p] |= (scratch->functions[i] >> p & 1) * (bit(i) * problem.bytes);
  buffer.ofRepetition = static_cast<std::int64_t>(bit(scratch->functions.size()) * problem.bytes);
  buffer.bytes = std::min(problem.atOnce, problem.repetitions) * buffer.ofRepetition;
  return buffer;
}

// ---- ways

class Ways {
 public:
  Ways(const Problem &problem, const TripLimits &limits) : problem_(problem), limits_(limits) {}

  SharedTrip best() {
    Columns common = sharedDirections();
    for (const Holder *holder : {&problem_.src, &problem_.dst})
      tryVectors(extended(common, *holder, problem_.vectorBits()));
    for (bool stores : {true, false})
      for (bool transposed : {false, true})
        if (limits_.hasMatrixStores || !stores)
          if (std::optional<Plan> plan = matrices(problem_, stores ? problem_.src : problem_.dst, transposed))
            tryMatrices(*plan, stores);
    assert(best_ && "single elements always go");
    return std::move(*best_);
  }

 private:
  // Directions that registers of both sides have, up to 16 bytes; single registers of the source first.
  Columns sharedDirections() const {
    Columns own = ownDirections(problem_, problem_.src, 64),
            theirs = ownDirections(problem_, problem_.dst, 64);
    Columns both = joined(theirs, own), result;
    Echelon destination(theirs), all(both);
    Bits parts = 0;
    auto add = [&](Bits element) {
      if (element && result.size() < problem_.vectorBits() && isIndependent(result, {element}))
        result.push_back(element);
    };
    for (Bits element : own)
      if (destination.solve(element, parts))
        add(element);
    for (std::size_t i = theirs.size(); i < both.size(); ++i)
      if (all.isRedundant(static_cast<unsigned>(i)) && all.solve(both[i], parts))
        add(both[i] ^ sumOf(own, parts >> theirs.size()));
    return result;
  }
  Columns extended(Columns chain, const Holder &holder, std::size_t most) const {
    for (Bits element : ownDirections(problem_, holder, 64))
      if (chain.size() < most && isIndependent(chain, {element}))
        chain.push_back(element);
    return chain;
  }
  // A chain has to reach a whole word of 4 bytes; who comes to lie together there, does not matter then.
  Columns completed(Columns chain) const {
    for (const Columns &more : {problem_.src.lanes, problem_.dst.lanes})
      for (Bits element : more)
        if (chain.size() < problem_.wordBits() && problem_.isOfFirstRound(element) &&
            isIndependent(chain, {element}))
          chain.push_back(element);
    for (unsigned i = 0; i < problem_.bits; ++i)
      if (chain.size() < problem_.wordBits() && problem_.isOfFirstRound(bit(i)) &&
          isIndependent(chain, {bit(i)}))
        chain.push_back(bit(i));
    return chain;
  }
  std::size_t inRegisters(const Columns &chain, const Holder &holder) const {
    Echelon registers(ownDirections(problem_, holder, 64));
    std::size_t length = 0;
    for (Bits parts = 0; length < chain.size() && registers.solve(chain[length], parts);)
      ++length;
    return std::min<std::size_t>(length, problem_.vectorBits());
  }

  // Vectors on both sides; shorter ones where threads would be in the way, or meet at the same banks.
  void tryVectors(Columns chain) {
    std::size_t most = std::max(inRegisters(chain, problem_.src), inRegisters(chain, problem_.dst));
    for (std::size_t length = most + 1; length-- > 0;)
      if (tryFollowing(completed(firstOf(chain, length)), std::nullopt, std::nullopt))
        return;
  }
  void tryMatrices(const Plan &plan, bool stores) {
    // The other side may have the same matrices, the other way round or not.
    for (bool transposed : {false, true})
      if (limits_.hasMatrixStores)
        if (std::optional<Plan> other = matrices(problem_, stores ? problem_.dst : problem_.src, transposed);
            other && other->chain == plan.chain)
          stores ? tryFollowing(plan.chain, plan, other) : tryFollowing(plan.chain, other, plan);
    stores ? tryFollowing(plan.chain, plan, std::nullopt) : tryFollowing(plan.chain, std::nullopt, plan);
  }
  // Sides without a plan take the longest vectors that the others leave them. Whether one is free of
  // conflicts.
  bool tryFollowing(const Columns &chain, const std::optional<Plan> &store, const std::optional<Plan> &load) {
    bool isFree = false;
    std::size_t mostStored = store ? 0 : inRegisters(chain, problem_.src),
                mostLoaded = load ? 0 : inRegisters(chain, problem_.dst);
    for (std::size_t low = std::max(mostStored, mostLoaded) + 1; low-- > 0 && !isFree;) {
      Plan stored = store ? *store : vectors(problem_, problem_.src, chain, std::min(mostStored, low));
      Plan loaded = load ? *load : vectors(problem_, problem_.dst, chain, std::min(mostLoaded, low));
      if (std::optional<Buffer> buffer = chooseBuffer(problem_, chain, stored, loaded))
        isFree = take(*buffer, stored, loaded);
    }
    return isFree;
  }
  // Whether the trip is free of conflicts.
  bool take(const Buffer &buffer, const Plan &store, const Plan &load) {
    if (!fits(buffer, store) || !fits(buffer, load))
      return false;
    SharedTrip trip;
    trip.store = Accesses(problem_, problem_.src, buffer, store).take();
    trip.load = Accesses(problem_, problem_.dst, buffer, load).take();
    trip.rounds = problem_.roundCount();
    trip.bytes = buffer.bytes;
    trip.price = 2 * trip.rounds * Price::Barrier;
    if (load.form != AccessForm::Vector)
      trip.price += static_cast<std::int64_t>(trip.load.accesses.size()) * Price::MatrixLoad;
    for (const Side *side : {&trip.store, &trip.load}) {
      std::set<Bits> addresses;
      for (const Access &access : side->accesses)
        addresses.insert(access.xored);
      trip.price += static_cast<std::int64_t>(side->accesses.size() + addresses.size()) * Price::Address +
                    side->wavefronts * Price::Wavefront + wordsApart(*side) * Price::Select;
    }
    bool isFree = trip.store.wavefronts <= trip.store.ideal && trip.load.wavefronts <= trip.load.ideal;
    if (!best_ || trip.price < best_->price)
      best_ = std::move(trip);
    return isFree;
  }

  // Words that are made of registers which are no neighbours: those of conversions and products are packed
  // so.
  std::int64_t wordsApart(const Side &side) const {
    std::int64_t perWord = 1 << problem_.wordBits(), elements = 0;
    for (const Access &access : side.accesses) {
      bool isWord = std::ssize(access.registers) >= perWord;
      for (std::int64_t i = 0; isWord && i < perWord; ++i)
        isWord = access.registers[static_cast<std::size_t>(i)] == access.registers[0] + i;
      elements += isWord ? 0 : std::ssize(access.registers);
    }
    return elements / perWord;
  }

  const Problem &problem_;
  const TripLimits &limits_;
  std::optional<SharedTrip> best_;
};

// Functions that registers alone decide on both sides divide the elements into rounds.
Columns roundFunctions(const Holder &src, const Holder &dst, unsigned bits, std::size_t count) {
  Columns threads = joined(src.threads(), dst.threads()), result;
  for (unsigned i = bits; i-- > 0 && result.size() < count;)
    if (std::none_of(threads.begin(), threads.end(), [&](Bits element) { return element >> i & 1; }))
      result.push_back(bit(i));
  return result;
}

}   // namespace

std::int64_t SharedTrip::Side::address(const Access &access, std::uint64_t lane, std::uint64_t warp) const {
  return static_cast<std::int64_t>(sumOf(lanes, lane) ^ sumOf(warps, warp) ^ access.xored) + access.constant;
}

SharedTrip planTrip(const TileLayout &src, const TileLayout &dst, const TripLimits &limits) {
  std::vector<Dim> outs;
  for (unsigned i = 0; i < dst.rank(); ++i)
    outs.push_back(axis(i));
  Problem problem{
      Holder(src.linear(), outs), Holder(dst.linear(), outs), dst.linear().outBits(), limits.elementBytes, {},
      src.repetitions(),          src.repetitions()};
  std::int64_t one = static_cast<std::int64_t>(limits.elementBytes) << problem.bits;
  if (one * problem.repetitions > limits.mostBytes) {
    problem.atOnce = std::max<std::int64_t>(1, limits.mostBytes / one);
    std::size_t halvings = 0;
    while (one >> halvings > limits.mostBytes)
      ++halvings;
    problem.rounds = roundFunctions(problem.src, problem.dst, problem.bits, halvings);
  }
  SharedTrip trip = Ways(problem, limits).best();

  std::map<Bits, std::int64_t> held;
  std::int64_t count = static_cast<std::int64_t>(problem.dst.count());
  for (const Access &access : trip.load.accesses)
    for (std::int64_t reg : access.registers)
      held.try_emplace(problem.dst.element(static_cast<Bits>(reg % count)), reg % count);
  for (std::int64_t reg = 0; reg < dst.places(); ++reg)
    trip.loaded.push_back(reg / count * count + held.at(problem.dst.element(static_cast<Bits>(reg % count))));
  return trip;
}

}   // namespace tile::layout
