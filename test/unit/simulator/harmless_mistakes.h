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

constexpr std::string_view leftAlone = "the load that the barrier has passed reads the second KB of the "
                                       "scratch memory, which the next exchange, of "
                                       "one KB, leaves alone";

constexpr std::string_view metSince =
    "threads have met at the other channel's barrier since the slot that the copy overwrites was read";
constexpr std::string_view otherGroup =
    "the copies join the other channel's group, which the wait before their use is for, too";

inline constexpr HarmlessMistake harmlessMistakes[] = {
    {"two products", "barrier one access too late", "corpus.h:65, 2", metSince},
    {"two products", "no commit", "corpus.h:67, 1", otherGroup},
    {"two products", "commits too early", "corpus.h:67, 1", otherGroup},
    {"two products", "commits too early", "corpus.h:67, 2", otherGroup},
    {"two products", "commits too early", "corpus.h:65, 3", otherGroup},
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
