// SPDX-License-Identifier: MIT
// Names and values of config fields, to text and back.
#include <tile/dsl.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace tile;
using testing::HasSubstr;

namespace {

enum class Activation { none, relu, leaky_relu = 7 };
struct Blocks {
  int m = 128;
  std::uint8_t group = 8;
};
struct Config {
  Blocks block;
  Activation activation = Activation::leaky_relu;
  bool transposed = false;
  float slope = 0.1f;
  double scale = 1e-300;
  Launch launch{.num_warps = 8};
};

TEST(Fields, DescribeNamesEveryField) {
  EXPECT_EQ(describe_config(Config{}),
            "block.m=128 block.group=8 activation=leaky_relu transposed=false "
            "slope=0.1 scale=1e-300 "
            "launch.num_warps=8 launch.num_stages=3 launch.num_ctas=1 launch.ping_pong=false "
            "launch.max_registers=0 launch.fp_fusion=true");
}

TEST(Fields, ParseChangesWhatIsNamed) {
  Config c =
      parse_config<Config>("block.m=-64, activation=relu,transposed=true slope=0.25 launch.num_warps=4");
  EXPECT_EQ(c.block.m, -64);
  EXPECT_EQ(c.block.group, 8);
  EXPECT_EQ(c.activation, Activation::relu);
  EXPECT_TRUE(c.transposed);
  EXPECT_EQ(c.slope, 0.25f);
  EXPECT_EQ(c.launch.num_warps, 4);
  EXPECT_EQ(c.launch.num_stages, 3);
}

struct Plain {
  int a = 1;
  unsigned long long b = 2;
  Activation c = Activation::none;
};

TEST(Fields, WhatIsDescribedReadsBack) {
  Plain p{.a = -5, .b = ~0ull, .c = Activation::leaky_relu};
  Plain q = parse_config<Plain>(describe_config(p));
  EXPECT_EQ(describe_config(q), "a=-5 b=18446744073709551615 c=leaky_relu");
}

enum class Letter : char { a = 'a', z = 'z' };
enum class Far : std::uint8_t { near = 3, far = 200 };
enum class Below : std::int16_t { minus = -2, plus = 2 };
struct Numbered {
  Letter letter = Letter::z;
  Far far = Far::far;
  Below below = Below::minus;
};

// Only of the values 0 to 31 the names are known.
TEST(Fields, EnumeratorsWithoutANameAreNumbers) {
  EXPECT_EQ(describe_config(Numbered{}), "letter=122 far=200 below=-2");
  const Numbered back =
      parse_config<Numbered>("letter=97 far=200 below=-2", {Letter::z, Far::near, Below::plus});
  EXPECT_EQ(back.letter, Letter::a);
  EXPECT_EQ(back.far, Far::far);
  EXPECT_EQ(back.below, Below::minus);
  EXPECT_EQ(describe_config(parse_config<Numbered>("far=near below=2")), "letter=122 far=near below=plus");
  const auto refused = [](std::string_view text) { return [text] { parse_config<Numbered>(text); }; };
  EXPECT_THAT(refused("letter=b"), testing::ThrowsMessage<Error>(HasSubstr(
                                       "config: letter = \"b\"; it takes the number of an enumerator")));
  EXPECT_THAT(refused("far=256"), testing::ThrowsMessage<Error>(HasSubstr(
                                      "config: far = \"256\"; it takes one of near, or the number of an")));
  EXPECT_THAT(refused("far=-1"), testing::ThrowsMessage<Error>(HasSubstr("config: far = \"-1\"")));
  EXPECT_THAT(refused("below=40000"), testing::ThrowsMessage<Error>(HasSubstr("config: below = \"40000\"")));
}

TEST(Fields, NumbersAreNotLost) {
  for (const char *same :
       {"slope=3e+38", "slope=-3e+38", "slope=1e-45", "slope=inf", "slope=-inf", "slope=0"})
    EXPECT_THAT(describe_config(parse_config<Config>(same)), HasSubstr(same));
}

std::string refusal(std::string_view text) {
  try {
    parse_config<Config>(text);
  } catch (const Error &e) {
    return e.message();
  }
  return "accepted";
}

TEST(Fields, MistakesAreNamed) {
  EXPECT_THAT(refusal("block_m=3"),
              HasSubstr("no field is called \"block_m\"; the fields are block.m, block.group, activation"));
  EXPECT_THAT(refusal("block.m"), HasSubstr("\"block.m\" has no value; write block.m=..."));
  EXPECT_EQ(refusal("block.m=3.5"), "config: block.m = \"3.5\"; it takes an integer");
  EXPECT_EQ(refusal("block.group=256"),
            "config: block.group = \"256\"; it takes an integer that is not negative");
  EXPECT_EQ(refusal("activation=gelu"), "config: activation = \"gelu\"; it takes one of none, relu, "
                                        "leaky_relu, or the number of an enumerator");
  EXPECT_EQ(refusal("transposed=maybe"), "config: transposed = \"maybe\"; it takes true or false");
  const std::string_view number = "; it takes a number that fits 32 bits, from 1.4e-45 to 3.4e+38 in size";
  for (const std::string text : {"steep", "1e99", "-1e99", "1e-99", "1e999"})
    EXPECT_EQ(refusal("slope=" + text), "config: slope = \"" + text + "\"" + std::string(number));
  EXPECT_EQ(refusal("scale=1e999"), "config: scale = \"1e999\"; it takes a number");
  EXPECT_EQ(refusal("block.m=5000000000"), "config: block.m = \"5000000000\"; it takes an integer");
}

}   // namespace
