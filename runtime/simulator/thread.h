// SPDX-License-Identifier: MIT
// One thread of a program, and what may keep it waiting.
#pragma once

#include "runtime/simulator/fiber.h"
#include "runtime/simulator/tensor_map.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tile::simulator {

class Cta;

enum class Wait : std::uint8_t { nothing, barrier, warp, namedBarrier, mbarrier, poll, matrix, cluster };

// An asynchronous copy that a thread has begun.
struct Copy {
  std::byte *to;
  const std::byte *from;
  std::uint32_t bytes, copied;   // the rest are zeros
  std::uint32_t offset;          // of `to` in shared memory
  std::uint32_t group;           // of the thread: how many were committed before
  bool landed;                   // the bytes are there already, though nobody may know
};

// A bulk copy from shared memory, which its thread waits for.
struct BulkStore {
  TensorMap map;   // or, without a mark, bytes to `to`
  const TensorMap *mapPlace = nullptr;
  std::int32_t coordinates[5] = {};
  int reduction = -1;   // as NVVM numbers them; -1: a copy
  std::byte *to = nullptr;
  std::uint32_t byteMask = 0xFFFF;
  std::uint32_t offset = 0, bytes = 0, group = 0, site = 0;
  std::uint32_t number = 0;   // among what is written to global memory
  bool hasRead = false, mayOverwrite = false, hasWritten = false;
  std::vector<std::byte> contents;   // what was read
};

struct Thread {
  Cta *cta = nullptr;
  unsigned number = 0;
  unsigned actor = 0;   // in the cluster
  Fiber fiber;
  bool ended = false;
  Wait wait = Wait::nothing;
  unsigned site = 0;              // where it waits
  const void *object = nullptr;   // what it waits for
  std::uint32_t detail = 0;       // an mbarrier's parity, a barrier's number, the mask of a part of a warp
  std::vector<Copy> copies;       // on their way, in the order they were begun
  std::uint32_t commits = 0;      // groups of copies that are closed

  std::vector<BulkStore> stores;
  std::uint32_t bulkCommits = 0;

  std::uint32_t matrixOps = 0, matrixCommits = 0;   // begun, and groups of them that are closed
  bool awaitsKernels = false;                       // before this one, which it has not waited for
  bool areRegistersFenced = false;                  // since the accumulators were last looked at
  std::uint32_t matrixDone = 0;                     // those before this one are known to be done
  std::uint32_t knownClock = 0;                     // of the actor `knownWriter`, whose operands it may use
  std::uint16_t knownWriter = 0;
  bool arrivedAtCluster = false;
  std::uint32_t clusterPhase = 0;
  std::uint32_t initFence = 0;   // the clock of its last fence of mbarrier inits
  std::uint32_t begunCtas = 0;   // by rank: CTAs of the cluster of which it knows that they have begun
  bool asksAnew = false;         // its next access is of one who waits for another program
  std::uint32_t patience = 0;    // ways back of loops until somebody looks at the time

  static constexpr std::uint32_t patienceAtFirst = 256;
  unsigned lane() const { return number % 32; }
  unsigned warp() const { return number / 32; }
  void begin() {
    ended = false;
    wait = Wait::nothing;
    copies.clear();
    stores.clear();
    commits = bulkCommits = matrixOps = matrixCommits = matrixDone = knownClock = 0;
    areRegistersFenced = arrivedAtCluster = asksAnew = false;
    initFence = begunCtas = 0;
    patience = patienceAtFirst;
  }
};

}   // namespace tile::simulator
