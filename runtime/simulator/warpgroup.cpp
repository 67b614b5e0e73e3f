// SPDX-License-Identifier: MIT
#include "runtime/simulator/warpgroup.h"

#include "runtime/numeric_float.h"
#include "runtime/simulator/cluster.h"
#include "runtime/simulator/matrix_descriptor.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace tile::simulator {
namespace {

// A name is NaN as f32 with a number in the lower bits. No computation with floats makes it.
constexpr std::uint32_t poison = 0x7FE00000, number = 0x001FFFFF;

// PTX ISA, "Register Fragments for wgmma": where in 64 x columns register `r` of a thread is.
unsigned placeOf(unsigned thread, unsigned r, unsigned columns) {
  const unsigned lane = thread % 32, row = thread / 32 * 16 + lane / 4 + 8 * (r >> 1 & 1);
  return row * columns + 8 * (r >> 2) + 2 * (lane % 4) + (r & 1);
}
// Pairs in two rows, eight columns further each time.
template <class Move> void forEachRegister(unsigned thread, unsigned columns, Move move) {
  const unsigned upper = placeOf(thread, 0, columns), lower = upper + 8 * columns;
  for (unsigned r = 0, column = 0; column < columns; r += 4, column += 8) {
    move(r, upper + column);
    move(r + 1, upper + column + 1);
    move(r + 2, lower + column);
    move(r + 3, lower + column + 1);
  }
}
// Two f16 to a register: those of the registers 2 r and 2 r + 1 of f32.
template <class Move> void forEachPair(unsigned thread, unsigned columns, Move move) {
  for (unsigned r = 0; r < columns / 4; ++r)
    move(r, placeOf(thread, 2 * r, columns));
}

}   // namespace

void Warpgroup::begin(Cta &cta, Actor actor) {
  cta_ = &cta;
  actor_ = actor;
  operations_.clear();
  first_ = named_ = mostNamed_ = 0;
  endOfGroup_.clear();
  for (auto &a : accumulators_)
    spare_.push_back(std::move(a));
  accumulators_.clear();
  waiting_.clear();
}

Warpgroup::Accumulators *Warpgroup::find(std::uint32_t word) {
  for (const auto &a : accumulators_)
    if (a->word == word)
      return a.get();
  return nullptr;
}

// Numbers may look like names, above all whole ones; the names that were given are few.
bool Warpgroup::isName(std::uint32_t word) const {
  return (word & ~number) == poison && (word & number) != 0 && (word & number) <= mostNamed_;
}

// The first thread of the warpgroup has come: it looks at shared memory for all, the others at its stamps.
Warpgroup::Operation &Warpgroup::begin(Thread &t, const WarpgroupOperands &o, std::uint32_t word,
                                       unsigned site) {
  const auto refuse = [&](const auto &why) { t.cta->fail(t, [&] { return t.cta->at(site, why()); }); };
  if (cta_->program().threads % threads != 0)
    refuse([&] {
      return fmt::format("is for warpgroups of 128 threads; the program has {}", cta_->program().threads);
    });
  operations_.emplace_back();
  Operation &op = operations_.back();
  const auto sequence = first_ + static_cast<std::uint32_t>(operations_.size()) - 1;
  op.operands = o;
  op.site = site;
  op.group = t.matrixCommits;
  while (endOfGroup_.size() <= op.group)
    endOfGroup_.push_back(sequence);
  endOfGroup_[op.group] = sequence + 1;

  for (const std::uint64_t bits : {o.hasRegisters() ? o.b : o.a, o.b})
    if (MatrixDescriptor::unknownBits(bits))
      refuse([&] {
        return fmt::format("takes descriptor {:#018x}, with bits set that have no meaning ({:#x})", bits,
                           MatrixDescriptor::unknownBits(bits));
      });
  if (!o.hasRegisters())
    MatrixDescriptor(o.a).places(64, o.transposesA(), op.places);
  else
    op.registers.resize(threads);
  MatrixDescriptor(o.b).places(o.columns, o.transposesB(), op.places);
  for (const std::uint32_t at : op.places)
    if (at + 16 > cta_->shared.size())
      refuse([&] {
        return fmt::format("reads byte {} of shared memory, of which there are {}", at, cta_->shared.size());
      });
  if (const auto conflict = cta_->shared.beginRead(t.actor, site, op.places, &op.stamps))
    t.cta->fail(t, [&] { return conflicting(*t.cta, site, conflict, false); });

  if (o.accumulates && isName(word)) {
    op.accumulators = find(word);
    if (!op.accumulators)
      refuse([&] {
        return std::string(
            "adds to registers that an earlier wait has returned; use the results of that wait");
      });
    if (op.accumulators->columns != o.columns || op.accumulators->isHalf != o.isHalf())
      refuse([&] { return std::string("adds to the registers of an operation of another shape"); });
  } else {
    if (spare_.empty())
      spare_.push_back(std::make_unique<Accumulators>());
    accumulators_.push_back(std::move(spare_.back()));
    spare_.pop_back();
    Accumulators &a = *accumulators_.back();
    named_ = (named_ + 1) & number;
    named_ += named_ == 0;
    mostNamed_ = std::max(mostNamed_, named_);
    a.word = poison | named_;
    a.columns = o.columns;
    a.isHalf = o.isHalf();
    a.taken = 0;
    a.values.assign(std::size_t{64} * o.columns, 0.0f);
    op.accumulators = &a;
    op.isFresh = o.accumulates;
  }
  op.accumulators->last = sequence;
  return op;
}

std::uint32_t Warpgroup::issue(Thread &t, const WarpgroupOperands &o, const std::uint32_t *words,
                               unsigned site) {
  const auto refuse = [&](const auto &why) { t.cta->fail(t, [&] { return t.cta->at(site, why()); }); };
  const std::uint32_t index = t.matrixOps++ - first_;
  const bool isFirst = index == operations_.size();
  Operation &op = isFirst ? begin(t, o, words[0], site) : operations_[index];
  if (!isFirst) {
    if (op.site != site || op.group != t.matrixCommits || !(op.operands == o))
      refuse([&] {
        return fmt::format(
            "differs among the threads of a warpgroup: descriptors {:#x} and {:#x}, but {:#x} and {:#x} "
            "for the first thread",
            o.a, o.b, op.operands.a, op.operands.b);
      });
    // Products in a row use operands of one phase: what is known stays known.
    const SharedMemory::Stamp &stamp = op.stamps.front();
    if (op.stamps.size() != 1 || stamp.isOrdinary || stamp.writer != t.knownWriter ||
        stamp.written > t.knownClock) {
      if (const auto conflict = cta_->shared.knows(t.actor, op.stamps))
        t.cta->fail(t, [&] { return conflicting(*t.cta, site, conflict, false); });
      t.knownWriter = stamp.isOrdinary ? 0 : stamp.writer;
      t.knownClock = stamp.isOrdinary ? 0 : stamp.written;
    }
    const bool isChained = o.accumulates && isName(words[0]);
    if (isChained == op.isFresh || (isChained && words[0] != op.accumulators->word))
      if (o.accumulates)
        refuse([&] { return std::string("adds to other registers in some threads of a warpgroup"); });
  }
  const bool looksAtRegisters = op.isFresh || !o.accumulates || o.hasRegisters();
  if (looksAtRegisters && !t.areRegistersFenced)
    refuse([&] { return std::string("begins without a wgmma fence after its registers were last used"); });
  const unsigned thread = t.number % threads;
  if (o.hasRegisters())
    std::memcpy(op.registers[thread].data(), words + 128, 16);
  if (op.isFresh) {
    float *values = op.accumulators->values.data();
    const unsigned columns = o.columns;
    if (o.isHalf())
      forEachPair(thread, columns, [&](unsigned r, unsigned at) {
        values[at] = numeric::decode<f16>(static_cast<std::uint16_t>(words[r]));
        values[at + 1] = numeric::decode<f16>(static_cast<std::uint16_t>(words[r] >> 16));
      });
    else
      forEachRegister(thread, columns,
                      [&](unsigned r, unsigned at) { values[at] = std::bit_cast<float>(words[r]); });
  }
  const std::uint32_t word = op.accumulators->word;
  if (++op.arrived == threads) {
    ++cta_->counters.warpgroupOps;
    if (cta_->options().matrix_completion == Completion::eager)
      complete(op);
    for (Thread *other : waiting_)
      cta_->wake(*other);
    waiting_.clear();
  }
  return word;
}

// Operations are done in the order in which they were begun.
void Warpgroup::complete(Operation &op) {
  if (op.isDone)
    return;
  op.isDone = true;
  const WarpgroupOperands &o = op.operands;
  const std::uint32_t *places = op.places.data();
  multiply({.a = o.kindA(),
            .b = o.kindB(),
            .transposeA = o.transposesA(),
            .transposeB = o.transposesB(),
            .negateA = o.negatesA(),
            .negateB = o.negatesB(),
            .roundsToHalf = o.isHalf(),
            .isRing = o.isRing(),
            .columns = o.columns,
            .shared = cta_->shared.data(),
            .placesA = o.hasRegisters() ? nullptr : places,
            .placesB = o.hasRegisters() ? places : places + 128,
            .registers = reinterpret_cast<const std::uint32_t (*)[4]>(op.registers.data()),
            .accumulators = op.accumulators->values.data()});
}

void Warpgroup::completeOne() {
  for (Operation &op : operations_)
    if (!op.isDone) {
      if (op.arrived == threads)
        complete(op);
      return;
    }
}

// What operations before `end` have read may be overwritten by those who know of this wait.
void Warpgroup::release(Thread &t, std::uint32_t end) {
  while (!operations_.empty() && first_ < end) {
    Operation &op = operations_.front();
    complete(op);
    cta_->shared.endRead(t.actor, op.places, {actor_, first_ + 1});
    operations_.pop_front();
    ++first_;
  }
}

void Warpgroup::wait(Thread &t, std::uint32_t pending, unsigned site) {
  const std::uint32_t limit = t.matrixCommits > pending ? t.matrixCommits - pending : 0;
  if (limit == 0)
    return;
  const auto end = [&] {
    return endOfGroup_.empty() ? 0u : endOfGroup_[std::min<std::size_t>(limit, endOfGroup_.size()) - 1];
  }();
  while (end > first_ && operations_[end - first_ - 1].arrived < threads) {
    waiting_.push_back(&t);
    cta_->block(t, Wait::matrix, site);
  }
  release(t, end);
  t.matrixDone = std::max(t.matrixDone, end);
  cta_->cluster().order.see(t.actor, actor_, t.matrixDone);
}

void Warpgroup::take(Thread &t, std::uint32_t *words, unsigned count, unsigned site) {
  const std::uint32_t word = words[0];
  if (!isName(word))
    return;
  Accumulators *a = find(word);
  if (!a)
    t.cta->fail(t, [&] {
      return t.cta->at(site,
                       "takes registers that an earlier wait has returned; use the results of that wait");
    });
  if (a->last >= t.matrixDone) {   // still on its way
    for (unsigned r = 0; r < count; ++r)
      words[r] = word;
    return;
  }
  t.areRegistersFenced = false;
  const unsigned thread = t.number % threads;
  const float *values = a->values.data();
  const unsigned columns = a->columns;
  if (a->isHalf)
    forEachPair(thread, columns, [&](unsigned r, unsigned at) {
      words[r] = numeric::encode<f16>(values[at]) | std::uint32_t{numeric::encode<f16>(values[at + 1])} << 16;
    });
  else
    forEachRegister(thread, columns,
                    [&](unsigned r, unsigned at) { words[r] = std::bit_cast<std::uint32_t>(values[at]); });
  if (++a->taken < threads)
    return;
  const auto it =
      std::find_if(accumulators_.begin(), accumulators_.end(), [&](const auto &x) { return x.get() == a; });
  spare_.push_back(std::move(*it));
  accumulators_.erase(it);
}

void Warpgroup::checkEnd(Thread &t) {
  if (t.matrixDone < t.matrixOps)
    t.cta->fail(t, [&] {
      return Error("a thread ends while a matrix operation of its warpgroup may be in flight; a wait for it "
                   "is missing",
                   {});
    });
}

}   // namespace tile::simulator
