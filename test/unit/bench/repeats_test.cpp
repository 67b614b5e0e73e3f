// SPDX-License-Identifier: MIT
// Picks held against the best of all configs, on a clock that knows how fast each is.
#include "tools/bench/repeats.h"

#include "test/unit/bench/clocked_device.h"
#include "test/unit/runtime/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace tile::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class RepeatedTuning : public ::testing::Test {
 protected:
  RepeatedTuning() : settings(kernel.parameters) {
    environment.set("TILE_CACHE", "off");
    environment.set("TILE_TUNE", nullptr);
    environment.set("TILE_JOBS", "1");
    settings.set("n", "5000");
    device.is.cache_bytes = 1 << 12;
    device.seconds_of = [this](const std::string &config) {
      return seconds.try_emplace(config, 1e-4 + 1e-6 * static_cast<double>(seconds.size())).first->second *
             (pace ? pace(config) : 1);
    };
  }

  tile::testing::EnvironmentGuard environment;
  tile::testing::ClockedDevice device;
  const registry::Entry &kernel = registry::entry("vector_add");
  registry::Settings settings;
  std::map<std::string, double> seconds;   // of each config, the first to be launched is the fastest
  std::function<double(const std::string &)> pace;
};

TEST_F(RepeatedTuning, EachPickIsTheBest) {
  std::vector<std::string> said;
  const Repeats result =
      repeat_tuning(device, kernel, settings, {}, 4, [&](const std::string &what) { said.push_back(what); });
  ASSERT_THAT(result.picks, SizeIs(4));
  EXPECT_EQ(result.within(0.01), 4);
  EXPECT_NEAR(result.best.seconds, 1e-4, 1e-9);
  EXPECT_EQ(result.picks[0].config, result.best.config);
  EXPECT_EQ(said.front(), "sweep 1 of 4");
  EXPECT_GT(seconds.size(), 2u);
}

// A clock that misleads one sweep, and not what is timed afresh.
TEST_F(RepeatedTuning, APickThatIsNotIsSeen) {
  int sweep = 0;
  std::string misled;
  pace = [&](const std::string &config) {
    if (misled.empty() && seconds.size() > 1 && seconds[config] > 1.005e-4)
      misled = config;
    return sweep == 2 && config == misled ? 0.5 : 1;
  };
  const Repeats result = repeat_tuning(device, kernel, settings, {}, 3, [&](const std::string &what) {
    sweep = what.starts_with("sweep") ? what[6] - '0' : 0;
  });
  EXPECT_EQ(result.within(0.005), 2);
  EXPECT_GT(result.picks[1].seconds, 1.005e-4);
  EXPECT_NEAR(result.best.seconds, 1e-4, 1e-9);
  EXPECT_EQ(result.picks[0].config, result.best.config);
  EXPECT_NE(result.picks[1].config, result.best.config);
}

TEST_F(RepeatedTuning, NothingTimedIsAnError) {
  environment.set("TILE_TUNE", "never");
  try {
    repeat_tuning(device, kernel, settings, {}, 2);
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.message(), HasSubstr("nothing was timed"));
  }
}

// One config would have to stand for all.
TEST_F(RepeatedTuning, SeveralKernelsAreRefused) {
  const registry::Entry &gradients = registry::entry("attention_backward");
  registry::Settings sizes(gradients.parameters);
  try {
    repeat_tuning(device, gradients, sizes, {}, 2);
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.message(), HasSubstr("attention_backward launches 2 kernels with configs"));
  }
}

}   // namespace
}   // namespace tile::bench
