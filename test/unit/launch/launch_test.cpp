// SPDX-License-Identifier: MIT
// Launching without a compiler: the executables come from elsewhere.
#include "test/unit/runtime/timed_device.h"

#include <tile/launch.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <mutex>

namespace tile::launching {
namespace {

using ::testing::ElementsAre;
using testing::TimedDevice;
using ::testing::UnorderedElementsAre;

// Two configs, the second twice as fast, that count how often somebody asks for an executable.
class Space final : public ConfigSpace {
 public:
  std::size_t size() const override { return values.size(); }
  const void *list() const override { return values.data(); }
  void push_values(std::size_t i, WordKey &key) const override { key.push(values[i]); }
  std::string text(std::size_t i) const override { return "block=" + std::to_string(values[i]); }
  bool keeps(std::size_t) const override { return true; }
  Grid grid(std::size_t) const override { return {programs}; }
  Key key() const override { return {}; }
  Work work() const override { return {}; }
  std::unique_ptr<Executable> executable(Device &device, std::size_t i,
                                         std::span<const ArgClass> given) const override {
    {
      const std::lock_guard lock(mutex_);
      classes.assign(given.begin(), given.end());
      made.push_back(text(i));
    }
    return std::make_unique<TimedDevice::Program>(
        static_cast<TimedDevice &>(device), 1e-3 / static_cast<double>(values[i]),
        [this, i](const Grid &, std::span<const Argument>) { launched.push_back(text(i)); });
  }
  std::vector<std::uint64_t> values{64, 128};
  std::int64_t programs = 1;
  mutable std::vector<ArgClass> classes;
  mutable std::vector<std::string> made, launched;

 private:
  mutable std::mutex mutex_;   // a sweep makes its executables in several threads, in any order
};

class Launching : public ::testing::Test {
 protected:
  void launch(int number) {
    const PackedArgument arguments[] = {
        pack_number(element_type<i32>, static_cast<std::uint32_t>(number), false)};
    launching::launch({OnDevice(device), "kernel", arguments, cache}, space);
  }
  TimedDevice device;
  LaunchCache &cache = make_launch_cache();
  Space space;
};

TEST_F(Launching, TakesTheFastestConfigAndKeepsIt) {
  launch(3);
  EXPECT_THAT(space.made, UnorderedElementsAre("block=64", "block=128"));
  EXPECT_EQ(space.launched.back(), "block=128");
  space.launched.clear();
  launch(5);
  EXPECT_THAT(space.launched, ElementsAre("block=128"));
  EXPECT_EQ(space.made.size(), 2u) << "the class of 5 is that of 3";
}

TEST_F(Launching, MakesAnExecutableForEachArgumentClass) {
  space.values = {64};
  for (const int number : {3, 1, 32, 0, -16})
    launch(number);
  EXPECT_EQ(space.made.size(), 3u) << "zero and negative numbers are generic";
  launch(16);
  EXPECT_EQ(space.made.size(), 3u);
  EXPECT_EQ(space.launched.size(), 6u);
}

TEST_F(Launching, ReplacesNothingThatIsKnownByAnotherListAtTheSameAddress) {
  launch(3);
  space.values[1] = 32;   // what was chosen is another config now, and the slower one
  launch(3);
  EXPECT_EQ(space.launched.back(), "block=64");
}

TEST_F(Launching, RefusesAGridThatNoDeviceRuns) {
  space.values = {64};
  space.programs = -1;
  try {
    launch(3);
    FAIL();
  } catch (const Error &e) {
    EXPECT_EQ(e.message(), "the grid [-1, 1, 1] has a negative extent");
    EXPECT_THAT(e.context(), ElementsAre("kernel kernel, config block=64"));
  }
}

TEST(ArgumentClasses, AreWhatAValueHas) {
  const auto negative = static_cast<std::uint32_t>(-16);
  EXPECT_EQ(class_of(element_type<i32>, 1), ArgClass::one);
  EXPECT_EQ(class_of(element_type<i32>, 48), ArgClass::divisible_by_16);
  EXPECT_EQ(class_of(element_type<i32>, 0), ArgClass::generic);
  EXPECT_EQ(class_of(element_type<i32>, negative), ArgClass::generic);
  EXPECT_EQ(class_of(element_type<u32>, negative), ArgClass::divisible_by_16);
  EXPECT_EQ(class_of(element_type<f32>, std::bit_cast<std::uint32_t>(16.0f)), ArgClass::generic);
  EXPECT_EQ(class_of(element_type<f32 *>, 0), ArgClass::divisible_by_16);
  EXPECT_EQ(class_of(element_type<f32 *>, 8), ArgClass::generic);
  EXPECT_EQ(class_of(element_type<f32 *>, 1), ArgClass::generic);
  EXPECT_EQ(class_of(element_type<bool>, 1), ArgClass::generic);
}

}   // namespace
}   // namespace tile::launching
