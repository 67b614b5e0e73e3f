// SPDX-License-Identifier: MIT
#include <tile/status.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

using namespace tile;
using ::testing::HasSubstr;

namespace {

TEST(Status, OfWhatEndsWell) {
  const Status status = attempt([] {});
  EXPECT_TRUE(status.is_ok());
  EXPECT_STREQ(status.text(), "");
  status.check();
  EXPECT_TRUE(Status().is_ok());
}

TEST(Status, KeepsTheError) {
  const Status status =
      attempt([] { throw Error("no memory", {}).with_code(ErrorCode::out_of_memory).add_help("buy some"); });
  EXPECT_FALSE(status.is_ok());
  EXPECT_EQ(status.code(), ErrorCode::out_of_memory);
  EXPECT_THAT(status.text(), HasSubstr("= help: buy some"));
  try {
    status.check();
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
    EXPECT_STREQ(error.what(), status.text());
  }
}

TEST(Status, OfOtherExceptions) {
  const Status memory = attempt([] { throw std::bad_alloc(); });
  EXPECT_EQ(memory.code(), ErrorCode::out_of_memory);
  EXPECT_THAT(memory.text(), HasSubstr("no memory left"));
  EXPECT_THROW(memory.check(), std::bad_alloc);
  const Status standard = attempt([] { throw std::logic_error("odd"); });
  EXPECT_EQ(standard.code(), ErrorCode::internal);
  EXPECT_THAT(standard.text(), HasSubstr("odd"));
  const Status number = attempt([] { throw 5; });
  EXPECT_EQ(number.code(), ErrorCode::internal);
  EXPECT_THAT(number.text(), HasSubstr("not a std::exception"));
}

}   // namespace
