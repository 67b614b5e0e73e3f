// SPDX-License-Identifier: MIT
// The mistakes that change nothing, each with the reason: what is not here has to be found, and what is here
// must not be.
#pragma once

#include "mutation.h"

#include <string_view>

namespace tile::simulator {

struct HarmlessMistake {
  std::string_view kernel, kind, place, reason;
};

constexpr std::string_view firstScratch =
    "one barrier too many: nobody has used the scratch memory before this, the first store to it";
constexpr std::string_view firstSlot =
    "one barrier too many: no loop is around the product's, so that nobody has used its slots before";

constexpr std::string_view leftAlone = "the load that the barrier has passed reads the second KB of the "
                                       "scratch memory, which the next exchange, of "
                                       "one KB, leaves alone";

// In "two products" the first group of line 67 is older than that of line 65 and the wait for line 65, which
// comes first in the loop, leaves two groups under way: the copies of both products have arrived when threads
// meet there.
constexpr std::string_view arrivedBefore =
    "one barrier too many: the wait for the other channel was for these copies, too, and threads met there";
constexpr std::string_view metSince =
    "threads have met at the other channel's barrier since the slot that the copy overwrites was read";
constexpr std::string_view otherGroup =
    "the copies join the other channel's group, which the wait before their use is for, too";

inline constexpr HarmlessMistake harmlessMistakes[] = {
    {"three stages", "no barrier", "corpus.h:30, 1", firstSlot},
    {"three stages", "barrier one access too late", "corpus.h:30, 1", firstSlot},
    {"four stages", "no barrier", "corpus.h:30, 1", firstSlot},
    {"four stages", "barrier one access too late", "corpus.h:30, 1", firstSlot},
    {"two stages", "no barrier", "corpus.h:30, 1", firstSlot},
    {"two stages", "barrier one access too late", "corpus.h:30, 1", firstSlot},
    {"integers", "no barrier", "corpus.h:30, 1", firstSlot},
    {"integers", "barrier one access too late", "corpus.h:30, 1", firstSlot},
    {"two products", "no barrier", "corpus.h:65, 1", firstSlot},
    {"two products", "no barrier", "corpus.h:67, 1", firstSlot},
    {"two products", "barrier one access too early", "corpus.h:65, 1", firstSlot},
    {"two products", "barrier one access too early", "corpus.h:67, 1", firstSlot},
    {"two products", "barrier one access too late", "corpus.h:65, 1", firstSlot},
    {"two products", "barrier one access too late", "corpus.h:67, 1", firstSlot},
    {"two products", "no barrier", "corpus.h:67, 2", arrivedBefore},
    {"two products", "barrier one access too late", "corpus.h:67, 2", arrivedBefore},
    {"two products", "barrier one access too late", "corpus.h:65, 2", metSince},
    {"two products", "no commit", "corpus.h:67, 1", otherGroup},
    {"two products", "commits too early", "corpus.h:67, 1", otherGroup},
    {"two products", "commits too early", "corpus.h:67, 2", otherGroup},
    {"two products", "commits too early", "corpus.h:65, 3", otherGroup},
    {"transpose", "no barrier", "corpus.h:39, 1", firstScratch},
    {"transpose", "barrier one access too late", "corpus.h:39, 1", firstScratch},
    {"sums", "no barrier", "corpus.h:45, 1", firstScratch},
    {"sums", "barrier one access too late", "corpus.h:45, 1", firstScratch},
    {"scan and sort", "no barrier", "corpus.h:53, 1", firstScratch},
    {"scan and sort", "barrier one access too late", "corpus.h:53, 1", firstScratch},
    {"scan and sort", "barrier one access too early", "corpus.h:54, 3", leftAlone},
    {"scan and sort", "barrier one access too early", "corpus.h:54, 51", leftAlone},
    {"scan and sort", "barrier one access too early", "corpus.h:54, 101", leftAlone},
    {"scan and sort", "barrier one access too early", "corpus.h:54, 127", leftAlone},
    {"scan and sort", "barrier one access too early", "corpus.h:54, 153", leftAlone},
};

inline const HarmlessMistake *harmlessMistake(std::string_view kernel, const Mistake &mistake) {
  for (const HarmlessMistake &listed : harmlessMistakes)
    if (listed.kernel == kernel && listed.kind == mistake.kind && listed.place == mistake.place)
      return &listed;
  return nullptr;
}

}   // namespace tile::simulator
