// SPDX-License-Identifier: MIT
// Tensor maps that threads change while the kernel runs. The engine that copies
// tensors reads maps by a way of its own to memory, with a cache of its own, so
// that a change reaches it through three steps:
//
//   thread A changes the map       (ptx_map_replace, an ordinary store, or
//   ptx_map_publish, which releases as well) thread A releases
//   (fence.proxy.tensormap, release) a barrier, if B is another thread thread B
//   acquires that map     (fence.proxy.tensormap, acquire of its address)
//   thread B copies with it
//
// Which of them is missing is known from clocks, as races are, whatever the
// engine would have read. It may read a map as long as a copy by it is under
// way: nobody changes it until then.
#pragma once

#include "runtime/simulator/order.h"
#include "runtime/simulator/tensor_map.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tile::simulator {

class DeviceMaps {
 public:
  explicit DeviceMaps(const Order &order) : order_(order) {}
  void begin() {
    places_.clear();
    uses_.clear();
  }

  // The actor has written these bytes of global memory in the ordinary way.
  void changed(Actor actor, Clock clock, unsigned site, std::uintptr_t address, std::size_t bytes);
  // ... and whoever comes to know of `clock` of `actor` may acquire them.
  void published(Actor actor, Clock clock, unsigned site, std::uintptr_t address);
  void release(unsigned thread);
  void acquire(unsigned thread, std::uintptr_t address);

  enum class Missing { nothing, order, release, acquire };
  struct Trouble {
    Missing missing = Missing::nothing;
    unsigned actor = 0, site = 0;   // who changed it, and where
  };
  // What keeps the thread from using the map there.
  Trouble check(unsigned thread, std::uintptr_t address) const;

  // A load by the map there is over at `clock` of its mbarrier.
  void used(std::uintptr_t address, Actor barrier, Clock clock, unsigned site);
  // The place of a load by the map there of which the thread does not know that it is over.
  std::optional<unsigned> underWay(unsigned thread, std::uintptr_t address) const;

 private:
  static constexpr std::size_t placeBytes = 64;
  struct Event {
    Actor actor = 0;
    Clock clock = 0;   // 0: has not happened
  };
  struct Change {
    Event written;
    unsigned site = 0;
    Event released;
    std::vector<Event> acquired;
  };
  bool knows(unsigned thread, const Event &event) const {
    return event.clock && order_.isBefore(event.actor, event.clock, thread);
  }
  Change &changeOf(std::uintptr_t place, Actor actor);

  const Order &order_;
  struct Use {
    Event over;
    unsigned site = 0;
  };
  std::unordered_map<std::uintptr_t, std::vector<Change>> places_;   // a change for each who wrote
  std::unordered_map<std::uintptr_t, std::vector<Use>> uses_;        // the last for each mbarrier
};

}   // namespace tile::simulator
