// SPDX-License-Identifier: MIT
// Which event of a cluster comes before which, where more than the barrier of a whole CTA orders threads: a
// vector clock for each thread. Asynchronous operations have clocks of their own: an mbarrier counts its
// phases, for what was copied under it, and a warpgroup its matrix operations, for what they have read.
#pragma once

#include <cstdint>
#include <vector>

namespace tile::simulator {

using Actor = std::uint16_t;   // the threads of the cluster, then mbarriers and warpgroups
using Clock = std::uint32_t;

// What somebody has seen, by actor; what is missing is zero.
class Moment {
 public:
  void join(const Clock *other, std::size_t count);
  void join(const Moment &other) { join(other.clocks_.data(), other.clocks_.size()); }
  void see(Actor actor, Clock clock);
  void clear() { clocks_.clear(); }
  const std::vector<Clock> &clocks() const { return clocks_; }

 private:
  std::vector<Clock> clocks_;
};

class Order {
 public:
  // All threads at the start, none of which knows of another.
  void begin(unsigned threads);
  Actor addActor();

  Clock now(unsigned thread) const { return row(thread)[thread]; }
  bool isBefore(Actor actor, Clock clock, unsigned thread) const { return row(thread)[actor] >= clock; }
  Clock seen(unsigned thread, Actor actor) const { return row(thread)[actor]; }

  // What the thread has done so far, others may come to know through `moment`.
  void release(unsigned thread, Moment &moment);
  // What `moment` knows, the thread knows from here on.
  void acquire(unsigned thread, const Moment &moment);
  void see(unsigned thread, Actor actor, Clock clock);

  // A fence between the proxies, for shared memory, global memory or both: what the thread has written in the
  // ordinary way, asynchronous operations of those who come to know of the fence may read.
  enum Fenced : unsigned { ofShared = 1, ofGlobal = 2 };
  void fence(unsigned thread, unsigned fenced);
  bool isFencedBefore(Actor writer, Clock clock, unsigned thread) const {
    return isFencedBefore(fences_, writer, clock, thread);
  }
  // For global memory, where the thread's own fence will do if it knew of the writing.
  bool isGlobalFencedBefore(Actor writer, Clock clock, unsigned thread) const;

 private:
  const Clock *row(unsigned thread) const { return clocks_.data() + std::size_t{thread} * stride_; }
  Clock *row(unsigned thread) { return clocks_.data() + std::size_t{thread} * stride_; }

  unsigned threads_ = 0, actors_ = 0;
  std::size_t stride_ = 0;
  std::vector<Clock> clocks_;
  using Fences = std::vector<std::vector<Clock>>;   // of each thread, ascending
  bool isFencedBefore(const Fences &fences, Actor writer, Clock clock, unsigned thread) const;
  Fences fences_, globalFences_;
  Fences knownAtFence_;   // what each thread knew at its last one for global memory
};

// Sets of those who have read a place, without those whose reading is known to whoever read later. Sets are
// numbered; 0 is the empty one.
class ReaderSets {
 public:
  struct Reader {
    Actor actor;
    Clock clock;
    bool operator==(const Reader &) const = default;
  };
  using Set = std::uint32_t;

  void begin();
  // `thread` read: it stands for itself. Or an asynchronous operation did, of which `thread` knows that
  // earlier ones are done.
  Set add(Set set, Reader reader, unsigned thread, const Order &order);
  // One of the readers that `thread` does not know to be done, or null.
  const Reader *unknownTo(Set set, unsigned thread, const Order &order);

 private:
  std::vector<std::vector<Reader>> sets_;
  struct Step {
    Set from = 0, to = 0;
    Reader reader{};
    unsigned thread = 0;
    bool isValid = false;
  };
  std::vector<Step> steps_;   // a cache by hash
  Set checked_ = 0;
  unsigned checkedThread_ = 0;
  Clock checkedAt_ = 0;
};

}   // namespace tile::simulator
