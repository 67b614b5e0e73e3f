// SPDX-License-Identifier: MIT
// Where floats are a ring, its laws hold to the bit for all elements, on the interpreter and in lowered
// kernels; narrowing commutes with sums and products, and no GPU is asked.
#include "tools/fuzz/check.h"
#include "tools/fuzz/kernel.h"

#include <tile/devices.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace tile::fuzz {
namespace {

constexpr std::size_t lanes = 256;
using Bits = std::vector<std::uint64_t>;

struct Format {
  std::string name;
  Kind kind;
};
const Format formats[] = {{"f16", Kind::F16}, {"bf16", Kind::BF16}, {"f32", Kind::F32}, {"f64", Kind::F64}};

std::uint64_t extended(std::uint64_t bits, unsigned width) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << (64 - width)) >> (64 - width));
}

// Runs `body` of three inputs %a, %b, %c of type $T on the device; it stores through %p0, %p1, ..
std::vector<Bits> run(const std::string &device_name, const std::vector<Format> &in,
                      const std::vector<Format> &out, const std::vector<Bits> &inputs,
                      const std::string &body, int count = lanes) {
  std::string text = "func.func @laws(", loads;
  const auto pointer = [](const Format &f) { return "!tile.ptr<" + f.name + ">"; };
  for (std::size_t i = 0; i < in.size(); ++i) {
    text += fmt::format("%i{}: {}, ", i, pointer(in[i]));
    loads += fmt::format("%s{0} = tile.splat %i{0} : {1} -> tensor<{2}x{1}>\n"
                         "%q{0} = tile.addptr %s{0}, %n : tensor<{2}x{1}>, tensor<{2}xi32>\n"
                         "%x{0} = tile.load %q{0} : tensor<{2}x{1}>\n",
                         i, pointer(in[i]), count);
  }
  std::string stores;
  for (std::size_t i = 0; i < out.size(); ++i) {
    text += fmt::format("{}%o{}: {}", i ? ", " : "", i, pointer(out[i]));
    stores += fmt::format("%t{0} = tile.splat %o{0} : {1} -> tensor<{2}x{1}>\n"
                          "%u{0} = tile.addptr %t{0}, %n : tensor<{2}x{1}>, tensor<{2}xi32>\n"
                          "tile.store %u{0}, %r{0} : tensor<{2}x{1}>\n",
                          i, pointer(out[i]), count);
  }
  text +=
      fmt::format(") attributes {{tile.kernel}} {{\n%n = tile.arange 0 to {0} : tensor<{0}xi32>\n", count) +
      loads + body + stores + "return\n}\n";
  const KernelIR kernel = read_kernel(text);
  const std::unique_ptr<Device> device = open_device(device_name, {.ring_floats = true});
  std::vector<void *> memory;
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < in.size() + out.size(); ++i) {
    const Parameter &parameter = kernel.parameters()[i];
    const std::size_t size = ElementType{parameter.type.kind}.bytes();
    std::vector<std::byte> bytes(size * static_cast<std::size_t>(count));
    if (i < in.size())
      for (std::size_t n = 0; n < static_cast<std::size_t>(count); ++n)
        std::memcpy(bytes.data() + n * size, &inputs[i][n], size);
    memory.push_back(device->allocate(bytes.size(), parameter.name));
    device->copy_in(memory.back(), bytes.data(), bytes.size());
    arguments.push_back({parameter.type, reinterpret_cast<std::uint64_t>(memory.back())});
  }
  device->load(kernel)->launch({1, 1, 1}, arguments);
  std::vector<Bits> results;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t size = ElementType{out[i].kind}.bytes();
    std::vector<std::byte> bytes(size * static_cast<std::size_t>(count));
    device->copy_out(bytes.data(), memory[in.size() + i], bytes.size());
    Bits bits(static_cast<std::size_t>(count));
    for (std::size_t n = 0; n < bits.size(); ++n)
      std::memcpy(&bits[n], bytes.data() + n * size, size);
    results.push_back(std::move(bits));
  }
  for (void *address : memory)
    device->release(address);
  return results;
}

Bits random_bits(std::uint64_t seed, unsigned width, std::size_t count = lanes) {
  std::mt19937_64 random(seed);
  Bits bits(count);
  for (std::uint64_t &element : bits)
    element = random() >> (64 - width);
  return bits;
}

class Ring : public testing::TestWithParam<const char *> {};

TEST_P(Ring, SumsAndProductsHaveTheirLaws) {
  for (const Format &f : formats) {
    const auto width = static_cast<unsigned>(ElementType{f.kind}.bits());
    const std::vector<Bits> in{random_bits(1, width), random_bits(2, width), random_bits(3, width)};
    const std::string type = fmt::format(" : tensor<{}x{}>\n", lanes, f.name);
    const auto results = run(GetParam(), {f, f, f}, {f, f, f, f, f, f}, in,
                             "%ab = arith.addf %x0, %x1" + type + "%r0 = arith.addf %ab, %x2" + type +
                                 "%bc = arith.addf %x1, %x2" + type + "%r1 = arith.addf %x0, %bc" + type +
                                 "%r2 = arith.mulf %x0, %bc" + type + "%p = arith.mulf %x0, %x1" + type +
                                 "%r3 = math.fma %x0, %x2, %p" + type + "%r4 = arith.mulf %p, %x2" + type +
                                 "%m = arith.mulf %x1, %x2" + type + "%r5 = arith.mulf %x0, %m" + type);
    EXPECT_EQ(results[0], results[1]) << f.name;
    EXPECT_EQ(results[2], results[3]) << f.name;
    EXPECT_EQ(results[4], results[5]) << f.name;
    for (std::size_t n = 0; n < lanes; ++n) {
      const std::uint64_t all = ~std::uint64_t{0} >> (64 - width);
      ASSERT_EQ(results[0][n], (in[0][n] + in[1][n] + in[2][n]) & all) << f.name;
      ASSERT_EQ(results[4][n], (in[0][n] * in[1][n] * in[2][n]) & all) << f.name;
    }
  }
}

TEST_P(Ring, NarrowingCommutesAndWideningKeepsTheOrder) {
  const Format wide{"f32", Kind::F32};
  for (const Format &narrow : {Format{"f16", Kind::F16}, Format{"bf16", Kind::BF16},
                               Format{"f8E4M3FN", Kind::E4M3}, Format{"f8E5M2", Kind::E5M2}}) {
    const auto width = static_cast<unsigned>(ElementType{narrow.kind}.bits());
    const std::vector<Bits> in{random_bits(1, 32), random_bits(2, 32), random_bits(3, width)};
    const std::string cast = fmt::format(" : tensor<{0}xf32> -> tensor<{0}x{1}>\n", lanes, narrow.name);
    const std::string back = fmt::format(" : tensor<{0}x{1}> -> tensor<{0}xf32>\n", lanes, narrow.name);
    const std::string type = fmt::format(" : tensor<{}xf32>\n", lanes);
    const auto results =
        run(GetParam(), {wide, wide, narrow}, {narrow, narrow, wide, narrow}, in,
            "%p = arith.mulf %x0, %x1" + type + "%r0 = tile.fp_cast %p" + cast + "%a = tile.fp_cast %x0" +
                cast + "%b = tile.fp_cast %x1" + cast + "%c = tile.fp_cast %a" + back +
                "%d = tile.fp_cast %b" + back + "%q = arith.mulf %c, %d" + type + "%r1 = tile.fp_cast %q" +
                cast + "%r2 = tile.fp_cast %x2" + back + "%r3 = tile.fp_cast %r2" + cast);
    EXPECT_EQ(results[0], results[1]) << narrow.name;
    EXPECT_EQ(results[3], in[2]) << narrow.name;
    for (std::size_t n = 0; n < lanes; ++n)
      ASSERT_EQ(results[2][n], extended(in[2][n], width) & 0xffffffff) << narrow.name;
  }
}

// A matrix unit and a loop over K are the same product, for every type of operands; a lower or narrower tile
// than the unit's step too.
TEST_P(Ring, ProductsAreThoseOfTheIntegers) {
  struct Case {
    Format operand;
    const char *options;
  };
  const Format f32{"f32", Kind::F32};
  for (const Case &c : {Case{{"f16", Kind::F16}, ""},
                        {{"bf16", Kind::BF16}, ""},
                        {{"f8E4M3FN", Kind::E4M3}, ""},
                        {{"f8E5M2", Kind::E5M2}, ""},
                        {f32, ""},
                        {f32, " precision = ieee"}})
    for (const auto &[m, n] : {std::pair{16, 8}, {32, 32}, {4, 2}, {24, 2}, {24, 24}, {12, 12}}) {
      const int k = 32, count = 1024;
      const auto width = static_cast<unsigned>(ElementType{c.operand.kind}.bits());
      const std::vector<Bits> in{random_bits(1, width, count), random_bits(2, width, count),
                                 random_bits(3, 32, count)};
      // Tiles of 1024 elements are cut to what the product takes.
      const auto cut = [&](int i, const std::string &element, int rows, int columns) {
        return fmt::format(
            "%a{0} = tile.arange 0 to {1} : tensor<{1}xi32>\n"
            "%g{0} = tile.gather %x{0}[%a{0}] {{axis = 0 : i32}} : tensor<1024x{2}>, tensor<{1}xi32> -> "
            "tensor<{1}x{2}>\n"
            "%m{0} = tile.reshape %g{0} : tensor<{1}x{2}> -> tensor<{3}x{4}x{2}>\n",
            i, rows * columns, element, rows, columns);
      };
      const std::string body =
          cut(0, c.operand.name, m, k) + cut(1, c.operand.name, k, n) + cut(2, "f32", m, n) +
          fmt::format(
              "%d = tile.dot %m0, %m1, %m2{4} : tensor<{0}x{1}x{3}>, tensor<{1}x{2}x{3}>, "
              "tensor<{0}x{2}xf32>\n"
              "%f = tile.reshape %d : tensor<{0}x{2}xf32> -> tensor<{5}xf32>\n"
              "%w = arith.constant dense<{5}> : tensor<1024xi32>\n%o = tile.remui %n, %w : tensor<1024xi32>\n"
              "%r0 = tile.gather %f[%o] {{axis = 0 : i32}} : tensor<{5}xf32>, tensor<1024xi32> -> "
              "tensor<1024xf32>\n",
              m, k, n, c.operand.name, c.options, m * n);
      const auto results = run(GetParam(), {c.operand, c.operand, f32}, {f32}, in, body, count);
      for (int row = 0; row < m; ++row)
        for (int column = 0; column < n; ++column) {
          std::uint64_t sum = in[2][static_cast<std::size_t>(row * n + column)];
          for (int i = 0; i < k; ++i)
            sum += extended(in[0][static_cast<std::size_t>(row * k + i)], width) *
                   extended(in[1][static_cast<std::size_t>(i * n + column)], width);
          ASSERT_EQ(results[0][static_cast<std::size_t>(row * n + column)], sum & 0xffffffff)
              << c.operand.name << c.options << " " << m << "x" << n << " at " << row << ", " << column;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, Ring, testing::Values("interpreter", "simulator"),
                         [](const auto &info) { return std::string(info.param); });

TEST(RingOnAGpu, IsRefused) {
  try {
    (void)open_device("cuda", {.ring_floats = true});
    FAIL();
  } catch (const Error &error) {
    EXPECT_THAT(error.message(), testing::HasSubstr("a GPU computes with numbers"));
  }
  EXPECT_EQ(open_device("auto", {.ring_floats = true})->kind(), "simulator");
}

}   // namespace
}   // namespace tile::fuzz
