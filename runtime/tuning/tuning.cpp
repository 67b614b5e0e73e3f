// SPDX-License-Identifier: MIT
// Who observes which thread.
#include "tile/tuning.h"

namespace tile::tuning {

static thread_local Observer *observer_of_thread = nullptr;

Observing::Observing(Observer &observer) : outer_(observer_of_thread) { observer_of_thread = &observer; }
Observing::~Observing() { observer_of_thread = outer_; }
Observer *Observing::current() { return observer_of_thread; }

}   // namespace tile::tuning
