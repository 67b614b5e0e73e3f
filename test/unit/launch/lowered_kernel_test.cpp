// SPDX-License-Identifier: MIT
// What a lowered kernel promises at a launch, and that bytes never become a wrong one.
#include "tile/lowered_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace tile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Every field differs from what it is by default.
LoweredKernel sample() {
  LoweredKernel kernel;
  kernel.name = "scale";
  kernel.config = "block=128";
  kernel.symbol = "scale_0";
  kernel.target = "sm_90a";
  kernel.kind = LoweredKernel::Code::cubin;
  kernel.set_text(std::string_view("\x7f"
                                   "ELF\0code",
                                   9));
  kernel.take(std::vector<LaunchArgument>{{"x", element_type<f16 *>},
                                          {"n", element_type<i32>},
                                          {"stride", element_type<i64>},
                                          {"factor", element_type<f32>}},
              std::vector{ArgClass::divisible_by_16, ArgClass::divisible_by_16, ArgClass::one});
  kernel.threads = 384;
  kernel.shared_bytes = 200000;
  kernel.cluster = {2, 1, 1};
  kernel.checks = {{"n is even", {"scale.h", 12, 3}, {64, 32}}, {"", {}, {}}};
  kernel.formats = {"%d\n", ""};
  kernel.registers = 168;
  kernel.spill_bytes = 8;
  kernel.assembler_log = "ptxas info: 8 bytes spill stores";
  return kernel;
}

std::string complaint(auto &&f) {
  try {
    f();
  } catch (const Error &e) {
    return e.message();
  }
  return "";
}

Argument argument(ElementType type, std::uint64_t bits) { return {.type = type, .bits = bits}; }

std::vector<Argument> fitting() {
  return {argument(element_type<f16 *>, 4096), argument(element_type<i32>, 48),
          argument(element_type<i64>, 1), argument(element_type<f32>, 0)};
}

TEST(LoweredKernel, TakesWhatIsNoConstantAndGuardsWhatItWasPromised) {
  const LoweredKernel kernel = sample();
  EXPECT_THAT(kernel.parameters, ElementsAre(CodeParameter{0}, CodeParameter{1}, CodeParameter{3}));
  EXPECT_THAT(kernel.guards,
              ElementsAre(Guard{0, Guard::Kind::positive_multiple, 16},
                          Guard{1, Guard::Kind::positive_multiple, 16}, Guard{2, Guard::Kind::equal, 1}));
  EXPECT_EQ(kernel.title(), "kernel scale, config block=128");
}

TEST(LoweredKernel, RefusesLaunchesThatItIsNotMadeFor) {
  const LoweredKernel kernel = sample();
  const auto with = [&](std::size_t i, Argument other) {
    std::vector<Argument> arguments = fitting();
    arguments[i] = other;
    return complaint([&] { kernel.check({2}, arguments); });
  };
  EXPECT_EQ(complaint([&] { kernel.check({2}, fitting()); }), "");
  EXPECT_EQ(
      with(0, argument(element_type<f16 *>, 4100)),
      "argument `x` of kernel scale is 4100; this code was made for launches where it is an address that 16 "
      "divides");
  EXPECT_THAT(with(1, argument(element_type<i32>, 40)), HasSubstr("`n` of kernel scale is 40; "));
  EXPECT_THAT(with(1, argument(element_type<i32>, static_cast<std::uint32_t>(-8))),
              HasSubstr("is -8; this code was made for launches where it is a positive multiple of 16"));
  EXPECT_EQ(with(1, argument(element_type<i32>, static_cast<std::uint32_t>(-16))),
            "argument `n` of kernel scale is -16; this code was made for launches where it is a positive "
            "multiple of 16");
  EXPECT_THAT(with(2, argument(element_type<i64>, 2)),
              HasSubstr("is 2; this code was made for launches where it is 1"));
  EXPECT_EQ(with(0, argument(element_type<i64>, 4096)),
            "argument `x` of kernel scale is an address, not i64");
  EXPECT_EQ(with(3, argument(element_type<f32 *>, 0)),
            "argument `factor` of kernel scale is a number, not f32*");
  EXPECT_EQ(with(2, argument(element_type<i32>, 1)),
            "argument `stride` of kernel scale is a number of type i64, not i32");
  EXPECT_EQ(complaint([&] { kernel.check({2}, std::vector<Argument>(3)); }),
            "kernel scale takes 4 arguments, not 3");
  EXPECT_EQ(complaint([&] { kernel.check({3}, fitting()); }),
            "the grid has 3 programs along x, which clusters of 2 do not divide");
}

TEST(LoweredKernelBytes, ComeBack) {
  const LoweredKernel kernel = sample();
  EXPECT_EQ(LoweredKernel::parse(kernel.serialise()), kernel);
  EXPECT_EQ(LoweredKernel::parse(LoweredKernel().serialise()), LoweredKernel());
}

TEST(LoweredKernelBytes, AreRefusedWhenTheyAreCutOff) {
  const std::vector<std::byte> bytes = sample().serialise();
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(LoweredKernel::parse(std::span(bytes).first(length)), Error) << length;
}

TEST(LoweredKernelBytes, AreRefusedWhenAByteChanged) {
  std::vector<std::byte> bytes = sample().serialise();
  for (std::byte &byte : bytes)
    for (const int flipped : {0x01, 0x80, 0xFF}) {
      const std::byte before = byte;
      byte ^= static_cast<std::byte>(flipped);
      EXPECT_THROW(LoweredKernel::parse(bytes), Error) << &byte - bytes.data();
      byte = before;
    }
}

// What a checksum cannot stop: bytes that somebody made.
TEST(LoweredKernelBytes, NeverCrashTheReaderWhateverTheySay) {
  const std::vector<std::byte> sound = sample().serialise();
  constexpr std::size_t header = 28;
  unsigned read = 0, refused = 0;
  for (std::size_t at = header; at < sound.size(); ++at)
    for (const int flipped : {0x01, 0x80, 0xFF}) {
      std::vector<std::byte> bytes = sound;
      bytes[at] ^= static_cast<std::byte>(flipped);
      std::uint64_t sum = 0xCBF29CE484222325u;
      for (std::size_t i = header; i < bytes.size(); ++i)
        sum = (sum ^ static_cast<std::uint64_t>(bytes[i])) * 0x100000001B3u;
      std::memcpy(bytes.data() + 20, &sum, sizeof sum);
      try {
        const LoweredKernel kernel = LoweredKernel::parse(bytes);
        EXPECT_EQ(kernel.serialise(), bytes) << at;
        (void)complaint([&] { kernel.check({2}, fitting()); });
        ++read;
      } catch (const Error &) {
        ++refused;
      }
    }
  EXPECT_GT(read, 100u);
  EXPECT_GT(refused, 100u);
}

TEST(LoweredKernelBytes, SayWhatIsWrong) {
  const auto parsed = [](std::vector<std::byte> bytes) {
    return complaint([&] { LoweredKernel::parse(bytes); });
  };
  const std::vector<std::byte> sound = sample().serialise();
  std::vector<std::byte> bytes = sound;
  bytes[8] = std::byte{7};
  EXPECT_THAT(parsed(bytes), HasSubstr("their format has version 7, this program reads version 1"));
  bytes = sound;
  bytes[0] = std::byte{'T'};
  EXPECT_THAT(parsed(bytes), HasSubstr("they do not begin like one"));
  bytes = sound;
  bytes.back() ^= std::byte{1};
  EXPECT_THAT(parsed(bytes), HasSubstr("their checksum is another one"));
  bytes = sound;
  bytes.push_back({});
  EXPECT_THAT(parsed(bytes), HasSubstr("bytes should follow the header"));
  EXPECT_THAT(parsed({}), HasSubstr("they do not begin like one"));
  bytes.resize(12);
  EXPECT_THAT(parsed(bytes), HasSubstr("they end within the header"));
}

}   // namespace
}   // namespace tile
