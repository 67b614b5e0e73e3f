// SPDX-License-Identifier: MIT
// Matrix operations of the 128 threads of a warpgroup. An operation is done at any time between the arrival
// of its last thread and the wait that covers it. Until then its accumulators are poison: all registers hold
// a word that names them, a NaN, and only further operations and waits know what to do with it.
#pragma once

#include "runtime/simulator/shared_memory.h"
#include "runtime/simulator/thread.h"
#include "runtime/simulator/warpgroup_unit.h"

#include <array>
#include <deque>
#include <memory>
#include <vector>

namespace tile::simulator {

// What all threads of a warpgroup say alike.
struct WarpgroupOperands {
  std::uint64_t a, b;
  std::uint32_t columns, flags;
  bool accumulates;
  bool operator==(const WarpgroupOperands &) const = default;

  MatrixKind kindA() const { return static_cast<MatrixKind>(flags & 15); }
  MatrixKind kindB() const { return static_cast<MatrixKind>(flags >> 4 & 15); }
  bool transposesA() const { return flags >> 8 & 1; }
  bool transposesB() const { return flags >> 9 & 1; }
  bool negatesA() const { return flags >> 10 & 1; }
  bool negatesB() const { return flags >> 11 & 1; }
  bool isHalf() const { return flags >> 12 & 1; }
  bool hasRegisters() const { return flags >> 13 & 1; }
  bool isRing() const { return flags >> 14 & 1; }
};

class Warpgroup {
 public:
  static constexpr unsigned threads = 128;
  void begin(Cta &cta, Actor actor);

  // `words`: the accumulators, or the word that names them; then, from the 128th, four of A. Gives the word
  // that names the results.
  std::uint32_t issue(Thread &t, const WarpgroupOperands &operands, const std::uint32_t *words,
                      unsigned site);
  // Until no more than `pending` groups of the thread are on their way.
  void wait(Thread &t, std::uint32_t pending, unsigned site);
  // What the thread's accumulators hold now.
  void take(Thread &t, std::uint32_t *words, unsigned count, unsigned site);
  // One operation, if there is one, is done before anybody waits for it.
  void completeOne();
  void checkEnd(Thread &t);

 private:
  struct Accumulators {
    std::uint32_t word = 0, last = 0;   // the operation that writes them last
    unsigned columns = 0, taken = 0;
    bool isHalf = false;
    std::vector<float> values;   // 64 rows
  };
  struct Operation {
    WarpgroupOperands operands;
    std::uint32_t group = 0;
    unsigned site = 0, arrived = 0;
    bool isFresh = false;   // the threads bring the accumulators' values
    bool isDone = false;
    Accumulators *accumulators = nullptr;
    std::vector<std::uint32_t> places;   // of A, unless in registers, then of B
    std::vector<SharedMemory::Stamp> stamps;
    std::vector<std::array<std::uint32_t, 4>> registers;
  };
  Operation &begin(Thread &t, const WarpgroupOperands &operands, std::uint32_t word, unsigned site);
  bool isName(std::uint32_t word) const;   // of the registers of an operation
  Accumulators *find(std::uint32_t word);
  void complete(Operation &operation);
  void release(Thread &t, std::uint32_t end);

  Cta *cta_ = nullptr;
  Actor actor_ = 0;
  std::deque<Operation> operations_;
  std::uint32_t first_ = 0;                 // the number of the first of them
  std::vector<std::uint32_t> endOfGroup_;   // the number behind the last operation of each group
  std::vector<std::unique_ptr<Accumulators>> accumulators_, spare_;
  std::uint32_t named_ = 0, mostNamed_ = 0;   // the last number that was given, and the largest one
  std::vector<Thread *> waiting_;
};

}   // namespace tile::simulator
