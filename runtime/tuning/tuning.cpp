// SPDX-License-Identifier: MIT
// Who observes which thread, and what is too much.
#include "tile/tuning.h"

#include "tile/error.h"

void tile::Key::refuse() const {
  throw Error(
      "a tuning key has " + std::to_string(size_) + " numbers; it takes at most " + std::to_string(most), {});
}

namespace tile::tuning {

static thread_local Observer *observer_of_thread = nullptr;

Observing::Observing(Observer &observer) : outer_(observer_of_thread) { observer_of_thread = &observer; }
Observing::~Observing() { observer_of_thread = outer_; }
Observer *Observing::current() { return observer_of_thread; }

}   // namespace tile::tuning
