// SPDX-License-Identifier: MIT
// The known answers that the authors of the generator publish with it.
#include <tile/philox.h>

#include <gtest/gtest.h>

namespace tile::numeric {
namespace {

TEST(Philox, KnownAnswers) {
  EXPECT_EQ(philox({0, 0}, {0, 0, 0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  // Digits of pi.
  EXPECT_EQ(philox({0xa4093822, 0x299f31d0}, {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, SeedIsTheKeyLowWordFirst) {
  EXPECT_EQ(philox_key(0x299f31d0a4093822), (PhiloxKey{0xa4093822, 0x299f31d0}));
}

}   // namespace
}   // namespace tile::numeric
