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

// The channels of "two products" have memory of their own, and no loop is around the products'.
constexpr std::string_view firstSlot =
    "one barrier too many: the other channel's copies are under way, but nobody has used this one's slots";
constexpr std::string_view metSince =
    "threads have met at the other channel's barrier since the slot that the copy overwrites was read";

constexpr std::string_view agreed = "all lanes of a warp have its number already: the shuffle is for the "
                                    "assembler, which then knows that they agree";

constexpr std::string_view waitedForSlots =
    "the turn is the right to wait for slots, and the group has waited "
    "for all of its own: its products may go on";
constexpr std::string_view hasIterated =
    "behind the loop, which is there for one iteration or more, there is "
    "a lease; the guard is for the first iteration";
constexpr std::string_view awaitedForTheMap = "all stores were awaited when the map was made anew; a store "
                                              "whose map the launcher made has only this wait";

constexpr std::string_view ownCopy = "the load is of what the thread has copied itself";
constexpr std::string_view metAgain =
    "all threads show what they have written, and meet, once more before the first product";
constexpr std::string_view readBefore =
    "what the first store overwrites the last product does not read, and threads met since the one before";

constexpr std::string_view waitedForBehind =
    "before anything is read, the keys that are copied behind are waited for, and all that was copied before";
constexpr std::string_view oneIsEnough =
    "of the barriers in front of the first slots of two rings one is enough: nothing is read between them";
constexpr std::string_view awaitedTwice =
    "both products are awaited where the iteration ends, and each wait is for all of them";
constexpr std::string_view committedBehind =
    "the product behind it is committed with it, and awaited as late";
constexpr std::string_view fencedBefore =
    "its sums begin anew, in registers that were last read in front of the other product's fence";

inline constexpr HarmlessMistake harmlessMistakes[] = {
    {"two products", "no barrier", "corpus.h:67, 1", firstSlot},
    {"two products", "barrier one access too early", "corpus.h:67, 1", firstSlot},
    {"two products", "barrier one access too late", "corpus.h:67, 1", firstSlot},
    {"two products", "barrier one access too late", "corpus.h:65, 1", metSince},
    {"two products", "barrier one access too late", "corpus.h:67, 2", metSince},
    {"scan and sort", "barrier one access too early", "corpus.h:54, 3", leftAlone},
    {"scan and sort", "barrier one access too early", "corpus.h:54, 51", leftAlone},
    {"scan and sort", "barrier one access too early", "corpus.h:54, 101", leftAlone},
    {"scan and sort", "barrier one access too early", "corpus.h:54, 127", leftAlone},
    {"scan and sort", "barrier one access too early", "corpus.h:54, 153", leftAlone},
    {"shared, products in flight", "no shuffle", "corpus.h:176, 1", agreed},
    {"shared, two stages", "no shuffle", "corpus.h:176, 1", agreed},
    {"shared, computed", "no shuffle", "corpus.h:176, 1", agreed},
    {"shared, computed", "no barrier", "corpus.h:254, 1", firstSlot},
    {"shared, computed", "barrier one access too early", "corpus.h:254, 1", firstSlot},
    {"shared, computed", "barrier one access too late", "corpus.h:254, 1", firstSlot},
    {"shared, computed", "barrier one access too early", "corpus.h:254, 2", ownCopy},
    {"shared, one operand twice", "no shuffle", "corpus.h:176, 1", agreed},
    {"shared, one operand twice", "no barrier", "corpus.h:267, 1", firstSlot},
    {"shared, one operand twice", "barrier one access too early", "corpus.h:267, 1", firstSlot},
    {"shared, one operand twice", "barrier one access too late", "corpus.h:267, 1", firstSlot},
    {"shared, chain", "no shuffle", "corpus.h:176, 1", agreed},
    {"shared, chain", "no barrier", "corpus.h:277, 1", metAgain},
    {"shared, chain", "barrier one access too early", "corpus.h:277, 1", metAgain},
    {"shared, chain", "waits behind the barrier", "corpus.h:277, 1", metAgain},
    {"shared, chain", "no proxy fence", "corpus.h:277, 1", metAgain},
    {"shared, chain", "barrier one access too late", "corpus.h:285, 1", readBefore},
    {"shared, chain ahead", "commits too early", "corpus.h:293, 1", waitedForBehind},
    {"shared, chain ahead", "waits for one group less", "corpus.h:293, 1", waitedForBehind},
    {"shared, chain ahead", "no wait", "corpus.h:293, 1", waitedForBehind},
    {"shared, chain ahead", "no commit", "corpus.h:293, 1", waitedForBehind},
    {"shared, chain ahead", "no barrier", "corpus.h:293, 1", metAgain},
    {"shared, chain ahead", "barrier one access too early", "corpus.h:293, 1", metAgain},
    {"shared, chain ahead", "barrier one access too late", "corpus.h:293, 1", metAgain},
    {"shared, chain ahead", "waits behind the barrier", "corpus.h:293, 1", metAgain},
    {"shared, chain ahead", "no proxy fence", "corpus.h:293, 1", metAgain},
    {"shared, chain ahead", "no barrier", "corpus.h:296, 2", oneIsEnough},
    {"shared, chain ahead", "barrier one access too early", "corpus.h:296, 2", oneIsEnough},
    {"shared, chain ahead", "barrier one access too late", "corpus.h:296, 2", oneIsEnough},
    {"shared, chain ahead", "no barrier", "corpus.h:296, 3", oneIsEnough},
    {"shared, chain ahead", "barrier one access too early", "corpus.h:296, 3", oneIsEnough},
    {"shared, chain ahead", "barrier one access too late", "corpus.h:296, 3", oneIsEnough},
    {"shared, chain ahead", "barrier one access too late", "corpus.h:306, 1", readBefore},
    {"shared, chain ahead", "no commit", "corpus.h:303, 1", committedBehind},
    {"shared, chain ahead", "no wgmma fence", "corpus.h:301, 1", fencedBefore},
    {"shared, chain ahead", "waits for one product less", "corpus.h:300, 1", awaitedTwice},
    {"shared, chain ahead", "waits for one product less", "corpus.h:300, 2", awaitedTwice},
    {"shared, chain ahead", "no shuffle", "corpus.h:176, 1", agreed},
    {"roles", "no shuffle", "corpus.h:176, 1", agreed},
    {"roles, two groups", "no shuffle", "corpus.h:176, 1", agreed},
    {"roles, two groups", "no shuffle", "corpus.h:176, 2", agreed},
    {"roles, two rings", "no shuffle", "corpus.h:176, 1", agreed},
    {"roles, anchored", "no shuffle", "corpus.h:176, 1", agreed},
    {"roles, own maps", "no shuffle", "corpus.h:176, 1", agreed},
    {"roles, own maps", "no wait for stores", "corpus.h:146, 2", awaitedForTheMap},
    {"roles, own maps", "waits for one store less", "corpus.h:146, 2", awaitedForTheMap},
    {"in turn", "no shuffle", "corpus.h:176, 1", agreed},
    {"in turn", "releases what is not leased", "corpus.h:91, 2", hasIterated},
    {"in turn", "releases what is not leased", "corpus.h:91, 4", hasIterated},
    {"in turn, one slot", "no shuffle", "corpus.h:176, 1", agreed},
    {"in turn, some without products", "no shuffle", "corpus.h:176, 1", agreed},
    {"in turn, some without products", "releases what is not leased", "corpus.h:125, 2", hasIterated},
    {"in turn, some without products", "releases what is not leased", "corpus.h:125, 4", hasIterated},
    {"in turn, two rings", "arrives before products are over", "corpus.h:103, 1", waitedForSlots},
    {"in turn, two rings", "arrives before products are over", "corpus.h:103, 2", waitedForSlots},
    {"in turn, two rings", "no shuffle", "corpus.h:176, 1", agreed},
    {"in turn, two rings", "releases what is not leased", "corpus.h:106, 2", hasIterated},
    {"in turn, two rings", "releases what is not leased", "corpus.h:106, 4", hasIterated},
    {"in turn, two rings", "releases what is not leased", "corpus.h:110, 2", hasIterated},
    {"in turn, two rings", "releases what is not leased", "corpus.h:110, 4", hasIterated},
    {"in turn", "arrives before products are over", "corpus.h:91, 2", waitedForSlots},
    {"in turn", "arrives before products are over", "corpus.h:91, 5", waitedForSlots},
    {"in turn", "arrives once it has waited", "corpus.h:91, 2", waitedForSlots},
    {"in turn", "arrives once it has waited", "corpus.h:91, 4", waitedForSlots},
    {"in turn, some without products", "arrives before products are over", "corpus.h:125, 2", waitedForSlots},
    {"in turn, some without products", "arrives before products are over", "corpus.h:125, 5", waitedForSlots},
    {"in turn, some without products", "arrives once it has waited", "corpus.h:125, 2", waitedForSlots},
    {"in turn, some without products", "arrives once it has waited", "corpus.h:125, 4", waitedForSlots},
    {"in turn, two rings", "arrives once it has waited", "corpus.h:103, 1", waitedForSlots},
    {"in turn, two rings", "arrives once it has waited", "corpus.h:103, 2", waitedForSlots},
    {"roles, two groups", "releases what is not leased", "corpus.h:91, 2", hasIterated},
    {"roles", "releases what is not leased", "corpus.h:91, 2", hasIterated},
    {"roles, anchored", "releases what is not leased", "corpus.h:143, 2", hasIterated},
    {"roles, own maps", "releases what is not leased", "corpus.h:143, 2", hasIterated},
    {"roles, two rings", "releases what is not leased", "corpus.h:106, 2", hasIterated},
    {"roles, two rings", "releases what is not leased", "corpus.h:110, 2", hasIterated},
};

inline const HarmlessMistake *harmlessMistake(std::string_view kernel, const Mistake &mistake) {
  for (const HarmlessMistake &listed : harmlessMistakes)
    if (listed.kernel == kernel && listed.kind == mistake.kind && listed.place == mistake.place)
      return &listed;
  return nullptr;
}

}   // namespace tile::simulator
