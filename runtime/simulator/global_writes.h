// SPDX-License-Identifier: MIT
// What the threads of a program have written to global memory, for those who read it again: lanes are in
// order only behind a barrier, bulk copies read what was written in the ordinary way only behind a fence, and
// what bulk copies write is there only behind a wait. Kept for kernels in which that can matter.
#pragma once

#include "runtime/simulator/order.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tile::simulator {

class GlobalWrites {
 public:
  enum class Trouble { unordered, unfenced, inFlight, twice };
  struct Conflict {
    Trouble trouble;
    std::uintptr_t at;   // the first byte
    unsigned actor, site;
  };

  // For a new program. Without an order, threads of one CTA are ordered by its barrier, and there alone.
  void begin(const Order *order);
  // All threads of CTA `rank` have met; only without an order.
  void barrier();

  void write(unsigned thread, unsigned site, const void *at, std::size_t bytes);
  std::optional<Conflict> read(unsigned thread, const void *at, std::size_t bytes);

  // A bulk copy that the thread begins reads these bytes.
  std::optional<Conflict> readByCopy(unsigned thread, const void *at, std::size_t bytes);
  // A bulk copy that the thread begins writes them, until it is said to be done. `reduces`: it adds to what
  // is there, and others may do so at the same time.
  std::uint32_t newCopy();
  std::optional<Conflict> writeByCopy(std::uint32_t copy, unsigned thread, unsigned site, const void *at,
                                      std::size_t bytes, bool reduces);
  void copyIsDone(std::uint32_t copy, Clock clock);

 private:
  static constexpr unsigned granule = 16;
  struct Write {
    std::uintptr_t granule = 0;
    std::uint32_t next = 0;   // of the same hash; 0: none
    std::uint32_t site = 0;
    Clock clock = 0;   // of `actor`; of a bulk copy its number
    Actor actor = 0;
    std::uint16_t bytes = 0;   // of the granule, one bit each
    bool byCopy = false, reduces = false;
  };
  // Calls visit(granule number, mask of its bytes) for all that there are.
  template <class Visit> static void forEachGranule(const void *at, std::size_t bytes, Visit visit);
  template <class Visit> void forEachWrite(std::uintptr_t granule, Visit visit);
  void add(const Write &write);
  void clear();
  bool isKnown(const Write &write, unsigned thread) const;

  const Order *order_ = nullptr;
  std::vector<std::uint32_t> heads_;   // by hash, into writes_; 0: none
  std::vector<Write> writes_;          // the first one stands for none
  std::vector<Clock> copies_;          // when they were done, as a clock of their thread; 0: on their way
};

}   // namespace tile::simulator
