// SPDX-License-Identifier: MIT
// JSON there and back, and the errors about texts that are not JSON.
#include "runtime/json.h"

#include <tile/error.h>

#include <gtest/gtest.h>

#include <limits>

namespace tile::json {
namespace {

std::string there_and_back(const std::string &text) { return parse(text).text(); }

std::string refusal(const std::string &text) {
  try {
    return "accepted: " + parse(text).text();
  } catch (const Error &error) {
    return error.message();
  }
}

TEST(Json, ThereAndBack) {
  for (const char *text : {"null", "true", "false", "0", "-1.5", "100000", "1e+300", "\"\"", "[]", "{}",
                           "[1, [2, {}]]", "{\"a\": 1, \"b\": [true, null], \"a\": 2}", "\"\\\"\\\\ x\""})
    EXPECT_EQ(there_and_back(text), text);
  EXPECT_EQ(there_and_back(" [ 1 ,\n2 ] "), "[1, 2]");
  EXPECT_EQ(parse("\"\\u00e4\\ud83d\\ude00\\n\\/\"").string()[0], "ä😀\n/");
}

TEST(Json, NumbersKeepEveryBit) {
  for (const double number : {1.0 / 3, 2.0517e-4, 1e-300, 123456789012345680.0})
    EXPECT_EQ(*parse(Value(number).text()).number(), number);
  EXPECT_EQ(Value(std::numeric_limits<double>::infinity()).text(), "null");
}

TEST(Json, CanStandInAPage) { EXPECT_EQ(Value("</script>\x01").text(), "\"\\u003c/script>\\u0001\""); }

TEST(Json, MembersByName) {
  const Value value = parse("{\"a\": {\"b\": 2}}");
  EXPECT_EQ(*value.find("a")->find("b")->number(), 2);
  EXPECT_EQ(value.find("b"), nullptr);
  EXPECT_EQ(parse("[1]").find("a"), nullptr);
}

TEST(Json, SaysWhereItIsNone) {
  EXPECT_EQ(refusal(""), "line 1, column 1: expected a value");
  EXPECT_EQ(refusal("{\"a\": 1\n \"b\": 2}"), "line 2, column 2: expected `,` or `}`");
  EXPECT_EQ(refusal("[1 2]"), "line 1, column 4: expected `,` or `]`");
  EXPECT_EQ(refusal("{a: 1}"), "line 1, column 2: expected the name of a member");
  EXPECT_EQ(refusal("{\"a\" 1}"), "line 1, column 6: expected `:`");
  EXPECT_EQ(refusal("\"abc"), "line 1, column 5: the string does not end");
  EXPECT_EQ(refusal("\"a\nb\""), "line 2, column 1: a control character in a string");
  EXPECT_EQ(refusal("\"\\x\""), "line 1, column 4: no such escape");
  EXPECT_EQ(refusal("\"\\u12"), "line 1, column 4: expected four hexadecimal digits");
  EXPECT_EQ(refusal("1 2"), "line 1, column 3: expected nothing more");
  EXPECT_EQ(refusal("nan"), "line 1, column 1: expected a value");
  EXPECT_EQ(refusal("1e999"), "line 1, column 1: this number is out of range");
  EXPECT_EQ(refusal("\"\\"), "line 1, column 3: the string does not end");
  EXPECT_EQ(refusal(std::string(200, '[')), "line 1, column 102: nested more than 100 deep");
}

}   // namespace
}   // namespace tile::json
