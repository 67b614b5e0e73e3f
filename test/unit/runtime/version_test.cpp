// SPDX-License-Identifier: MIT
#include <tile/version.h>

#include <gtest/gtest.h>

#include <string>

#if TILE_VERSION < 100
#error "0.1.0 and newer have it"
#endif

namespace tile {
namespace {

TEST(Version, OneForTextAndPreprocessor) {
  EXPECT_EQ(std::to_string(TILE_VERSION_MAJOR) + "." + std::to_string(TILE_VERSION_MINOR) + "." +
                std::to_string(TILE_VERSION_PATCH),
            headers_version);
  EXPECT_EQ(TILE_VERSION / 10000, TILE_VERSION_MAJOR);
  EXPECT_EQ(TILE_VERSION / 100 % 100, TILE_VERSION_MINOR);
  EXPECT_EQ(TILE_VERSION % 100, TILE_VERSION_PATCH);
}

}   // namespace
}   // namespace tile
