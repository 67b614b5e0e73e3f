// SPDX-License-Identifier: MIT
// Two channels in one loop, of the same and of different depths: no wait is for more copies than it needs.
// One that counted on a group more would be found.
#include "completions.h"
#include "corpus.h"
#include "mutation.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tile::simulator {
namespace {

const Target sm_90 = *Target::parse("sm_90");

bool isRight(const Case &c, const Program &program, const std::vector<std::byte> &expected) {
  return std::ranges::all_of(completions, [&](Completion completion) {
    try {
      return run(c, program, {.completion = completion}) == expected;
    } catch (const Error &) {
      return false;
    }
  });
}

// Both products are the same, of whole numbers small enough for f32.
std::vector<std::byte> twice(const std::vector<std::byte> &bytes) {
  std::vector<float> numbers(bytes.size() / sizeof(float));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  for (float &number : numbers)
    number *= 2;
  std::vector<std::byte> result(bytes.size());
  std::memcpy(result.data(), numbers.data(), bytes.size());
  return result;
}

TEST(ChannelWaits, AreForWhatIsNeeded) {
  const Case one = product_case<f16, f32>("one product", {}, 160);
  const std::vector<std::byte> expected = twice(run(one, *compileForHost(one.kernel, sm_90), {}));
  for (const Case &c : {product_case<f16, f32, &products<f16, f32, true>>("two products", {}, 160),
                        product_case<f16, f32, &products<f16, f32, false>>("two depths", {}, 160)}) {
    const auto program = compileForHost(c.kernel, sm_90);
    EXPECT_TRUE(isRight(c, *program, expected)) << c.name;
    for (unsigned wait = 0; wait < 2; ++wait) {   // those of the loop
      Mistake made;
      const auto wrong = compileForHost(c.kernel, sm_90, mistake(wait, made, "waits for one group less"));
      ASSERT_FALSE(made.kind.empty()) << c.name;
      EXPECT_FALSE(isRight(c, *wrong, expected)) << c.name << ", wait " << wait;
    }
  }
}

}   // namespace
}   // namespace tile::simulator
