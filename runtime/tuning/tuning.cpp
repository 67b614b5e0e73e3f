// SPDX-License-Identifier: MIT
// Who observes which thread, and who asks it for what.
#include "runtime/tuning/tuning.h"

namespace tile::tuning {

static thread_local Observer *observer_of_thread = nullptr;

Observing::Observing(Observer &observer) : outer_(observer_of_thread) { observer_of_thread = &observer; }
Observing::~Observing() { observer_of_thread = outer_; }
Observer *Observing::current() { return observer_of_thread; }

static thread_local const Options *asked_of_thread = nullptr;

Asking::Asking(const Options &options) : options_(options), outer_(asked_of_thread) {
  asked_of_thread = &options_;
}
Asking::~Asking() { asked_of_thread = outer_; }
const Options *Asking::current() { return asked_of_thread; }

}   // namespace tile::tuning
