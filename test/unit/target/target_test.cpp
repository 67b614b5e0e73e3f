// SPDX-License-Identifier: MIT
// Targets by name and by what a GPU can run; and the copy engines' rules against the simulator's.
#include "compiler/target/target.h"
#include "runtime/simulator/tensor_map.h"

#include <tile/error.h>

#include <gtest/gtest.h>

#include <set>

namespace tile {
namespace {

std::string bestFor(int major, int minor) {
  const std::optional<Target> best = Target::bestFor(major, minor);
  return best ? best->name() : "none";
}

TEST(Target, IsFoundByItsName) {
  std::set<std::string> names;
  for (const std::string &name : Target::knownTargets()) {
    ASSERT_TRUE(Target::parse(name)) << name;
    EXPECT_EQ(Target::parse(name)->name(), name);
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_FALSE(Target::parse("sm_91"));
  EXPECT_FALSE(Target::parse(""));
  EXPECT_EQ(Target::oldest().name(), "sm_80");
}

TEST(Target, IsTheNewestThatAGpuRuns) {
  EXPECT_EQ(bestFor(7, 5), "none");
  EXPECT_EQ(bestFor(8, 0), "sm_80");
  EXPECT_EQ(bestFor(8, 7), "sm_86");
  EXPECT_EQ(bestFor(8, 9), "sm_89");
  EXPECT_EQ(bestFor(9, 0), "sm_90a");
  EXPECT_EQ(bestFor(9, 1), "sm_90");     // sm_90a is of 9.0 alone
  EXPECT_EQ(bestFor(10, 0), "sm_100");   // what sm_100a has more is not used
  EXPECT_EQ(bestFor(10, 3), "sm_100");
  EXPECT_EQ(bestFor(12, 0), "sm_120");
  EXPECT_EQ(bestFor(12, 1), "sm_120");
}

TEST(Target, OfATestIsKnownByItsNameAlone) {
  TargetDescription description = Target::oldest().description();
  description.name = "sm_80 with little memory";
  description.sharedKiB = 1;
  Target::add(description);
  ASSERT_TRUE(Target::parse(description.name));
  EXPECT_EQ(Target::parse(description.name)->sharedBytesPerBlock(), 1024);
  EXPECT_EQ(Target::parse("sm_80")->sharedBytesPerBlock(), 163 * 1024);
  for (const std::string &name : Target::knownTargets())
    EXPECT_NE(name, description.name);
}

struct Box {
  unsigned rank = 2;
  std::uint32_t row = 64, rows = 8;   // of bytes
  std::uint64_t address = 1024, stride = 4096;
  TensorSwizzle swizzle = TensorSwizzle::none;
};
bool isTaken(const Box &box) {
  const std::vector<std::uint64_t> sizes(box.rank, 4096), strides(box.rank - 1, box.stride);
  std::vector<std::uint32_t> extents(box.rank, 1);
  extents[0] = box.row;
  if (box.rank > 1)
    extents[1] = box.rows;
  try {
    simulator::encodeTensorMap({.element = TensorElement::u8,
                                .address = box.address,
                                .sizes = sizes,
                                .strides = strides,
                                .box = extents,
                                .elementStrides = {},
                                .swizzle = box.swizzle});
    return true;
  } catch (const Error &) {
    return false;
  }
}

TEST(CopyEngines, HaveTheSimulatorsRules) {
  const BoxCopies &copies = *Target::parse("sm_90")->boxCopies();
  const auto alignment = static_cast<std::uint32_t>(copies.alignment);
  EXPECT_TRUE(isTaken({.rank = copies.mostRank}));
  EXPECT_FALSE(isTaken({.rank = copies.mostRank + 1}));
  EXPECT_TRUE(isTaken({.rows = copies.mostExtent}));
  EXPECT_FALSE(isTaken({.rows = copies.mostExtent + 1}));
  for (const std::uint32_t wrong : {alignment / 2, alignment + alignment / 2}) {
    EXPECT_TRUE(isTaken({.row = alignment, .address = alignment, .stride = 2 * alignment}));
    EXPECT_FALSE(isTaken({.row = wrong}));
    EXPECT_FALSE(isTaken({.address = wrong}));
    EXPECT_FALSE(isTaken({.stride = wrong}));
  }
  const TensorSwizzle modes[] = {TensorSwizzle::bytes32, TensorSwizzle::bytes64, TensorSwizzle::bytes128};
  ASSERT_EQ(copies.swizzles.size(), std::size(modes));
  for (std::size_t i = 0; i < std::size(modes); ++i) {
    EXPECT_TRUE(isTaken({.row = copies.swizzles[i], .swizzle = modes[i]}));
    EXPECT_FALSE(isTaken({.row = 2 * copies.swizzles[i], .swizzle = modes[i]}));
  }
}

TEST(CopyEngines, AreThoseOfTheGeneration) {
  EXPECT_FALSE(Target::parse("sm_89")->boxCopies());
  for (const std::string &name : Target::knownTargets())
    EXPECT_TRUE(Target::parse(name)->threadCopies()) << name;
}

}   // namespace
}   // namespace tile
