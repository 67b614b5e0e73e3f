// SPDX-License-Identifier: MIT
// What a lowered kernel promises at a launch, and that bytes never become a wrong one.
#include <tile/lowered_kernel.h>

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
  kernel.parameters.push_back(
      TensorParameter{.element = TensorElement::bf16,
                      .base = 0,
                      .sizes = {LaunchNumber::argument(1), LaunchNumber::constant(1000)},
                      .strides = {LaunchNumber::argument(2)},
                      .box = {64, 128},
                      .swizzle = TensorSwizzle::bytes128,
                      .fill = TensorFill::nan,
                      .is_written = true});
  for (const unsigned axis : {0u, 1u, 2u})
    kernel.parameters.push_back(GridExtent{axis});
  kernel.parameters.push_back(WorkspaceParameter{384});
  kernel.persistent = kernel.starts_early = true;
  kernel.unit = ProductUnit::wgmma;
  kernel.roles = 3;
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
  ASSERT_EQ(kernel.parameters.size(), 8u);
  EXPECT_EQ(kernel.workspace_bytes(), 384u);
  EXPECT_THAT(std::vector(kernel.parameters.begin(), kernel.parameters.begin() + 3),
              ElementsAre(PassedArgument{0}, PassedArgument{1}, PassedArgument{3}));
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
  // Where each CTA is one of a program's own, a launch counts CTAs; else it counts programs.
  LoweredKernel once = kernel;
  once.persistent = false;
  EXPECT_EQ(complaint([&] { once.check({3}, fitting()); }),
            "the grid has 3 programs along x, which is not a multiple of the cluster size 2");
  once.persistent = true;
  EXPECT_EQ(complaint([&] { once.check({3}, fitting()); }), "");
}

TEST(LoweredKernelBytes, ComeBack) {
  const LoweredKernel kernel = sample();
  EXPECT_EQ(LoweredKernel::parse(kernel.serialise()), kernel);
  EXPECT_EQ(LoweredKernel::parse(LoweredKernel().serialise()), LoweredKernel());
}

// Each field of what the code takes counts.
TEST(LoweredKernelBytes, TellParametersApart) {
  const LoweredKernel kernel = sample();
  const auto differs = [&](auto &&change) {
    LoweredKernel other = kernel;
    change(other, std::get<TensorParameter>(other.parameters[3]));
    EXPECT_FALSE(other == kernel);
    EXPECT_NE(other.serialise(), kernel.serialise());
    EXPECT_EQ(LoweredKernel::parse(other.serialise()), other);
  };
  differs([](LoweredKernel &k, TensorParameter &) { k.parameters[7] = WorkspaceParameter{128}; });
  differs([](LoweredKernel &k, TensorParameter &) {
    k.parameters.pop_back();
    k.persistent = false;
  });
  differs([](LoweredKernel &k, TensorParameter &) { k.parameters[4] = GridExtent{2}; });
  differs([](LoweredKernel &k, TensorParameter &) { k.parameters[4] = PassedArgument{0}; });
  differs([](auto &, TensorParameter &t) { t.element = TensorElement::f16; });
  differs([](auto &, TensorParameter &t) { t.sizes[0] = LaunchNumber::argument(2); });
  differs([](auto &, TensorParameter &t) { t.sizes[0] = LaunchNumber::constant(1); });
  differs([](auto &, TensorParameter &t) { t.sizes[1] = LaunchNumber::constant(-1000); });
  differs([](auto &, TensorParameter &t) { t.strides[0] = LaunchNumber::argument(1); });
  differs([](auto &, TensorParameter &t) { t.box[1] = 127; });
  differs([](auto &, TensorParameter &t) { t.is_anchored = true; });
  differs([](auto &, TensorParameter &t) { t.swizzle = TensorSwizzle::bytes64; });
  differs([](auto &, TensorParameter &t) { t.fill = TensorFill::zeros; });
  differs([](auto &, TensorParameter &t) { t.is_written = false; });
}

TEST(LoweredKernelBytes, AreRefusedWhereTheLauncherCouldNotFollowThem) {
  const auto refusal = [](auto &&change) {
    LoweredKernel kernel = sample();
    change(kernel, std::get<TensorParameter>(kernel.parameters[3]));
    return complaint([&] { LoweredKernel::parse(kernel.serialise()); });
  };
  EXPECT_EQ(refusal([](auto &, auto &) {}), "");
  EXPECT_THAT(refusal([](LoweredKernel &k, auto &) { k.parameters[0] = PassedArgument{4}; }),
              HasSubstr("there is no argument 4"));
  EXPECT_THAT(refusal([](LoweredKernel &k, auto &) { k.parameters[4] = GridExtent{3}; }),
              HasSubstr("a grid has no axis 3"));
  for (const std::uint32_t bytes : {0u, 100u, (1u << 20) + 128})
    EXPECT_THAT(
        refusal([&](LoweredKernel &k, auto &) { k.parameters[7] = WorkspaceParameter{bytes}; }),
        HasSubstr("a workspace has " + std::to_string(bytes) + " bytes, which is not a multiple of 128"));
  EXPECT_THAT(refusal([](LoweredKernel &k, auto &) { k.parameters.push_back(WorkspaceParameter{}); }),
              HasSubstr("there are two workspaces"));
  EXPECT_THAT(refusal([](LoweredKernel &k, auto &) { k.persistent = false; }),
              HasSubstr("only a persistent kernel has a workspace"));
  EXPECT_THAT(refusal([](LoweredKernel &k, auto &) { k.cluster = {1, 2, 1}; }), HasSubstr("along x only"));
  EXPECT_THAT(refusal([](LoweredKernel &k, auto &t) {
                const TensorParameter tensor = t;
                k.parameters.insert(k.parameters.end(), 16, tensor);
              }),
              HasSubstr("there are more than 16 tensor maps"));
  EXPECT_THAT(refusal([](auto &, TensorParameter &t) { t.base = 1; }),
              HasSubstr("begins at an argument that is not an address"));
  EXPECT_THAT(refusal([](auto &, TensorParameter &t) { t.base = 4; }),
              HasSubstr("begins at an argument that is not an address"));
  for (const unsigned argument : {0u, 3u, 4u}) {   // an address, a float, none
    EXPECT_THAT(refusal([&](auto &, TensorParameter &t) { t.sizes[1] = LaunchNumber::argument(argument); }),
                HasSubstr("a stride that integer arguments do not give"));
    EXPECT_THAT(refusal([&](auto &, TensorParameter &t) { t.strides[0] = LaunchNumber::argument(argument); }),
                HasSubstr("a stride that integer arguments do not give"));
  }
  EXPECT_THAT(refusal([](auto &, TensorParameter &t) { t.sizes.clear(); }), HasSubstr("has 0 dimensions"));
  EXPECT_THAT(refusal([](auto &, TensorParameter &t) { t.sizes.resize(6); }), HasSubstr("has 6 dimensions"));
  EXPECT_THAT(refusal([](auto &, TensorParameter &t) { t.strides.clear(); }),
              HasSubstr("has 0 strides, not 1"));
  EXPECT_THAT(refusal([](auto &, TensorParameter &t) { t.box.pop_back(); }), HasSubstr("has a box of 1"));
  EXPECT_THAT(refusal([](auto &, TensorParameter &t) { t.box[0] = 0; }), HasSubstr("not in 1 to 256"));
}

// What a launch says of a tensor is read by the types of its arguments.
TEST(LaunchedTensors, AreReadByType) {
  KernelSignature kernel{.name = "k",
                         .arguments = {{"x", element_type<f16 *>},
                                       {"rows", element_type<u32>},
                                       {"pitch", element_type<i64>},
                                       {"columns", element_type<i8>}}};
  TensorParameter tensor{
      .base = 0,
      .sizes = {LaunchNumber::argument(3), LaunchNumber::argument(1), LaunchNumber::constant(2)},
      .strides = {LaunchNumber::argument(2), LaunchNumber::constant(1 << 20)},
      .box = {64, 1, 1}};
  const auto numbers = [&](std::uint64_t rows, std::uint64_t pitch, std::uint64_t columns) {
    return kernel.numbers(
        tensor, std::vector{argument(element_type<f16 *>, 4096), argument(element_type<u32>, rows),
                            argument(element_type<i64>, pitch), argument(element_type<i8>, columns)});
  };
  const TensorNumbers read = numbers(0xFFFFFFFF, static_cast<std::uint64_t>(-64), 0xFE);
  EXPECT_EQ(read.address, 4096u);
  EXPECT_THAT(read.sizes, ElementsAre(-2, 0xFFFFFFFF, 2, 0, 0));
  EXPECT_THAT(read.strides, ElementsAre(-64, 1 << 20, 0, 0));

  const LaunchedTensor whole = kernel.launched(tensor, numbers(40, 64, 50), 512);
  EXPECT_EQ(whole.address, 4096u);
  EXPECT_THAT(whole.description().sizes, ElementsAre(50, 40, 2));
  EXPECT_THAT(whole.description().strides, ElementsAre(128, 2 << 20));
  const LaunchedTensor empty = kernel.launched(tensor, numbers(0, 64, 50), 512);
  EXPECT_EQ(empty.address, 512u);
  EXPECT_THAT(empty.description().sizes, ElementsAre(1, 1, 1));
  // Packed rows without elements are no elements apart.
  const LaunchedTensor packed = kernel.launched(tensor, numbers(40, 0, 0), 512);
  EXPECT_EQ(packed.address, 512u);
  EXPECT_THAT(packed.description().sizes, ElementsAre(1, 1, 1));
  EXPECT_THAT(packed.description().strides, ElementsAre(16, 2 << 20));
  EXPECT_THAT(complaint([&] { kernel.launched(tensor, numbers(40, 0, 50), 512); }),
              HasSubstr("stride 1 must not be zero"));
  EXPECT_THAT(complaint([&] { kernel.launched(tensor, read, 512); }),
              HasSubstr("extent 2 cannot be negative; argument `columns` of kernel k is -2"));
  EXPECT_THAT(
      complaint([&] { kernel.launched(tensor, numbers(40, std::uint64_t{1} << 39, 50), 512); }),
      HasSubstr("stride 1 must be less than 2^40 bytes; argument `pitch` of kernel k is 549755813888"));
  tensor.strides[1] = LaunchNumber::constant(4);
  EXPECT_EQ(
      complaint([&] { kernel.launched(tensor, numbers(40, 64, 50), 512); }),
      "descriptor: stride 0 must be a multiple of 16 bytes, and not negative; in the code of kernel k it is "
      "4, counted in elements of 2 bytes");
}

// The anchor of a map is rounded down, and errors count the axes that the kernel's source has.
TEST(LaunchedTensors, MayHaveAnAnchor) {
  KernelSignature kernel{.name = "k",
                         .arguments = {{"x", element_type<i32 *>}, {"pitch", element_type<i64>}}};
  TensorParameter tensor{.base = 0,
                         .sizes = {LaunchNumber::constant(100), LaunchNumber::constant(64),
                                   LaunchNumber::constant(1 << 30), LaunchNumber::constant(0x7FFFFFFF)},
                         .strides = {LaunchNumber::argument(1), LaunchNumber::constant(8),
                                     LaunchNumber::constant(std::int64_t{1} << 33)},
                         .box = {64, 64, 1, 1},
                         .is_anchored = true};
  const auto numbers = [&](std::uint64_t address, std::uint64_t pitch) {
    return kernel.numbers(
        tensor, std::vector{argument(element_type<i32 *>, address), argument(element_type<i64>, pitch)});
  };
  const LaunchedTensor launched = kernel.launched(tensor, numbers(4108, 104), 512);
  EXPECT_EQ(launched.address, 4096u);
  EXPECT_TRUE(launched.description().is_anchored);
  EXPECT_THAT(launched.description().strides, ElementsAre(208, 16, std::uint64_t{1} << 34));
  EXPECT_THAT(complaint([&] { kernel.launched(tensor, numbers(4096, 100), 512); }),
              HasSubstr("stride 0 must be a multiple of 16 bytes"));
  tensor.is_anchored = false;
  EXPECT_THAT(complaint([&] { kernel.launched(tensor, numbers(4108, 104), 512); }),
              HasSubstr("its base must be aligned to 16 bytes"));
}

// As the kernel computes them.
TEST(LaunchedTensors, HaveNumbersComputedFromArguments) {
  using enum LaunchNumber::Operation;
  KernelSignature kernel{
      .name = "k",
      .arguments = {{"x", element_type<f16 *>}, {"rows", element_type<i32>}, {"columns", element_type<i32>}}};
  TensorParameter tensor{
      .base = 0,
      .sizes = {LaunchNumber::constant(64), LaunchNumber::argument(1), LaunchNumber::constant(2)},
      .strides = {LaunchNumber::constant(64),
                  {{{argument, 1}, {argument, 2}, {constant, 2}, {divide}, {multiply, 0, true}}}},
      .box = {64, 1, 1}};
  const auto numbers = [&](std::int32_t rows, std::int32_t columns) {
    return kernel.numbers(
        tensor, std::vector{tile::argument(element_type<f16 *>, 4096),
                            tile::argument(element_type<i32>, static_cast<std::uint32_t>(rows)),
                            tile::argument(element_type<i32>, static_cast<std::uint32_t>(columns))});
  };
  EXPECT_EQ(numbers(100, 129).strides[1], 6400);
  EXPECT_EQ(numbers(1 << 25, 128).strides[1], -(std::int64_t{1} << 31)) << "in 32 bits";
  EXPECT_THAT(
      complaint([&] { kernel.launched(tensor, numbers(1 << 25, 128), 512); }),
      HasSubstr("stride 0 must be a multiple of 16 bytes, and not negative; `rows * (columns / 2)` of kernel "
                "k is -2147483648"));
  tensor.strides[1].steps.back().is_narrow = false;
  EXPECT_EQ(numbers(1 << 25, 128).strides[1], std::int64_t{1} << 31) << "in 64 bits";
}

TEST(LaunchNumbers, AreComputedAndRead) {
  using enum LaunchNumber::Operation;
  const auto of = [](std::vector<LaunchNumber::Step> steps, std::int64_t value, const char *text) {
    const LaunchNumber number{std::move(steps)};
    const std::int64_t given[] = {7, -7};
    EXPECT_EQ(number.value([&](unsigned at) { return given[at]; }), value) << text;
    const LaunchArgument arguments[] = {{"m", element_type<i32>}, {"n", element_type<i64>}};
    EXPECT_EQ(number.text(arguments), text);
    EXPECT_TRUE(number.is_sound(arguments)) << text;
  };
  of({{argument, 1}}, -7, "n");
  of({{argument, 0}, {argument, 1}, {add}, {constant, 3}, {multiply}}, 0, "(m + n) * 3");
  of({{argument, 0}, {argument, 1}, {constant, 3}, {subtract}, {subtract}}, 17, "m - (n - 3)");
  of({{constant, 2}, {argument, 0}, {multiply}, {argument, 1}, {add}}, 7, "2 * m + n");
  of({{argument, 1}, {constant, 2}, {divide}}, -3, "n / 2");
  of({{argument, 1}, {constant, 2}, {ceil_divide}}, -3, "cdiv(n, 2)");
  of({{argument, 0}, {constant, 2}, {divide}}, 3, "m / 2");
  of({{argument, 0}, {constant, 2}, {ceil_divide}}, 4, "cdiv(m, 2)");
  of({{argument, 0}, {argument, 1}, {minimum}}, -7, "minimum(m, n)");
  of({{argument, 0}, {argument, 1}, {maximum}}, 7, "maximum(m, n)");
  const std::int64_t end = std::numeric_limits<std::int64_t>::max();
  of({{constant, end}, {constant, 1}, {add}}, std::numeric_limits<std::int64_t>::min(),
     "9223372036854775807 + 1");
}

// Launch code from elsewhere may say anything.
TEST(LaunchNumbers, WithoutAMeaningAreNotSound) {
  using enum LaunchNumber::Operation;
  const auto is_sound = [](std::vector<LaunchNumber::Step> steps) {
    const LaunchArgument arguments[] = {{"m", element_type<i32>}, {"x", element_type<f32>}};
    return LaunchNumber{std::move(steps)}.is_sound(arguments);
  };
  EXPECT_TRUE(is_sound({{argument, 0}}));
  EXPECT_FALSE(is_sound({}));
  EXPECT_FALSE(is_sound({{argument, 1}})) << "a float";
  EXPECT_FALSE(is_sound({{argument, 2}})) << "none";
  EXPECT_FALSE(is_sound({{argument, 0}, {argument, 0}}));
  EXPECT_FALSE(is_sound({{argument, 0}, {add}}));
  EXPECT_FALSE(is_sound({{add}}));
  EXPECT_FALSE(is_sound({{argument, 0}, {argument, 0}, {divide}}));
  EXPECT_FALSE(is_sound({{argument, 0}, {constant, 0}, {ceil_divide}}));
  std::vector<LaunchNumber::Step> many{{argument, 0}};
  while (many.size() + 2 <= LaunchNumber::most_steps)
    many.insert(many.end(), {{argument, 0}, {add}});
  EXPECT_TRUE(is_sound(many));
  many.insert(many.end(), {{argument, 0}, {add}});
  EXPECT_FALSE(is_sound(many));
}

TEST(PersistentKernels, StartAtMostWhatRunsAtOnce) {
  KernelSignature kernel{.persistent = true};
  const auto started = [&](const Grid &grid) {
    const Grid s = kernel.started(grid, 132);
    return std::vector{s.x, s.y, s.z};
  };
  EXPECT_THAT(started({7, 3, 2}), ElementsAre(42, 1, 1));
  EXPECT_THAT(started({64, 64, 2}), ElementsAre(132, 1, 1));
  EXPECT_THAT(started({(std::int64_t{1} << 31) - 1, 65535, 65535}), ElementsAre(132, 1, 1));
  kernel.persistent = false;
  EXPECT_THAT(started({7, 3, 2}), ElementsAre(7, 3, 2));
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
        (void)complaint([&] {
          kernel.check({2}, fitting());
          for (const CodeParameter &parameter : kernel.parameters)
            if (const auto *tensor = std::get_if<TensorParameter>(&parameter))
              (void)kernel.launched(*tensor, kernel.numbers(*tensor, fitting()), 512).description();
        });
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
  bytes[8] = std::byte{9};
  EXPECT_THAT(parsed(bytes), HasSubstr("their format has version 9, this program reads version 8"));
  bytes = sound;
  bytes[0] = std::byte{'T'};
  EXPECT_THAT(parsed(bytes), HasSubstr("they do not begin with the mark `tilekrnl`"));
  bytes = sound;
  bytes.back() ^= std::byte{1};
  EXPECT_THAT(parsed(bytes), HasSubstr("the checksum does not match"));
  bytes = sound;
  bytes.push_back({});
  EXPECT_THAT(parsed(bytes), HasSubstr("bytes should follow the header"));
  EXPECT_THAT(parsed({}), HasSubstr("they do not begin with the mark `tilekrnl`"));
  bytes.resize(12);
  EXPECT_THAT(parsed(bytes), HasSubstr("they end within the header"));
}

}   // namespace
}   // namespace tile
