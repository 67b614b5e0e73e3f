// SPDX-License-Identifier: MIT
// One thread for what launches do not wait for: code that is compiled while they take other code.
//
// What compilers make when they work for the first time is destroyed when the process ends, in an order that
// nobody who does not know them can come before. What does come before is the end of the thread that ends the
// process. So a thread takes with it what it has given away: what has not begun is dropped, what is under way
// is waited for.
#pragma once

#include <cstdint>
#include <functional>

namespace tile::background {

struct Job {
  std::uint64_t device = 0;    // the number of the one that it works with
  std::function<void()> run;   // throws nothing
  std::function<void()>
      dropped;   // called in its place, where the device or the thread that gave it ends first
};

// One after the other, in the order in which they were given. False where the process ends or is a fork of
// the one that has the thread: then nothing is called.
bool add(Job job);
// Drops what has not begun of a device's, and waits for what has.
void forget(std::uint64_t device);

}   // namespace tile::background
