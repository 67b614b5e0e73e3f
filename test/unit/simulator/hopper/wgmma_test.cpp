// SPDX-License-Identifier: MIT
// Matrix operations of a warpgroup: operands are laid out by formulas of the tests' own, and results are
// compared with a loop.
#include "bench.h"
#include "kernel_text.h"

#include "tile/numeric_float.h"

#include <gmock/gmock.h>

namespace tile::simulator {
namespace {

struct Kind {
  const char *name;
  int bytes;
};
constexpr Kind kinds[] = {{"f16", 2},    {"bf16", 2}, {"tf32", 4}, {"f8E4M3FN", 1},
                          {"f8E5M2", 1}, {"si8", 1},  {"ui8", 1}};
const Kind &kindNamed(const std::string &name) {
  for (const Kind &kind : kinds)
    if (name == kind.name)
      return kind;
  throw Error(name, {});
}

void put(const Kind &kind, int value, std::byte *to) {
  const std::string name = kind.name;
  const auto x = static_cast<float>(value);
  const auto store = [&](auto bits) { std::memcpy(to, &bits, sizeof bits); };
  name == "f16"        ? store(numeric::encode<f16>(x))
  : name == "bf16"     ? store(numeric::encode<bf16>(x))
  : name == "tf32"     ? store(x)
  : name == "f8E4M3FN" ? store(numeric::encode<e4m3>(x))
  : name == "f8E5M2"   ? store(numeric::encode<e5m2>(x))
                       : store(static_cast<std::int8_t>(value));
}

struct WgmmaCase {
  std::string a = "f16", b = "f16";
  int n = 64;
  int width = 128;   // of the swizzle; 16: none
  bool transposeA = false, transposeB = false, negateA = false, negateB = false;
  bool half = false, registers = false;
  int chained = 1;   // products in a row

  int k() const { return 32 / kindNamed(a).bytes; }
  bool isInteger() const { return a == "si8" || a == "ui8"; }
  int value(const std::string &type, int i, int j) const {
    const int x = (i * 7 + j * 5 + i * j) % 7;
    return type == "ui8" ? x : x - 3;
  }
};

// A place for operands: rows along M or N, 32 bytes of k.
struct Operand {
  std::vector<std::byte> bytes = std::vector<std::byte>(40960, std::byte{0xFF});
  std::uint64_t descriptor = 0;

  Operand(const WgmmaCase &c, const std::string &type, int rows, bool isTransposed, std::uint64_t start) {
    const Kind &kind = kindNamed(type);
    const int elements = 32 / kind.bytes, w = c.width;
    // Rows of the pattern are XORed by what bits 7 and up of their address are.
    const auto turn = [&](int line) { return w == 16 ? 0 : line * w / 128 % (w / 16); };
    int leading, stride;
    if (!isTransposed) {
      leading = w == 16 ? 128 : 16;
      stride = w == 16 ? 256 : 8 * w;
    } else if (w == 16) {
      leading = 128 * (rows / 8);
      stride = 128;
    } else {
      stride = 8 * w;
      leading = 2 * stride;
    }
    for (int row = 0; row < rows; ++row)
      for (int k = 0; k < elements; ++k) {
        int place;
        if (!isTransposed) {
          const int byte = k * kind.bytes, chunk = byte / 16;
          place = row / 8 * stride + byte % 16 +
                  (w == 16 ? chunk * leading + row % 8 * 16 : row % 8 * w + (chunk ^ turn(row % 8)) * 16);
        } else {
          const int perBlock = w / 2, inBlock = row % perBlock;
          place = w == 16 ? row / 8 * stride + k / 8 * leading + k % 8 * 16 + row % 8 * 2
                          : row / perBlock * leading + k / 8 * stride + k % 8 * w +
                                ((inBlock / 8) ^ turn(k % 8)) * 16 + inBlock % 8 * 2;
        }
        put(kind, c.value(type, row, k), bytes.data() + place);
      }
    const std::uint64_t mode = w == 16 ? 0 : w == 128 ? 1 : w == 64 ? 2 : 3;
    descriptor = start >> 4 | static_cast<std::uint64_t>(leading >> 4) << 16 |
                 static_cast<std::uint64_t>(stride >> 4) << 32 | mode << 62;
  }
};

std::string text(const WgmmaCase &c, const Operand &a, const Operand &b) {
  const int words = c.half ? c.n / 4 : c.n / 2;
  const std::string element = c.half || c.isInteger() ? "i32" : "f32";
  std::string fields = element;
  for (int i = 1; i < words; ++i)
    fields += ", " + element;
  std::string body = "%bytes = llvm.mlir.constant(40960 : i32) : i32\n" + at("toB", 40960);
  std::string copies;
  if (!c.registers)
    copies +=
        "%toA7 = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>\n"
        "nvvm.cp.async.bulk.shared.cluster.global %toA7, %a, %bar, %bytes : !llvm.ptr<7>, !llvm.ptr<1>\n";
  copies += "%toB7 = llvm.addrspacecast %toB : !llvm.ptr<3> to !llvm.ptr<7>\n"
            "nvvm.cp.async.bulk.shared.cluster.global %toB7, %b, %bar, %bytes : !llvm.ptr<7>, !llvm.ptr<1>\n";
  body += loaded(81920, c.registers ? 40960 : 81920, copies);
  body += "nvvm.wgmma.fence.aligned\n";
  std::string left = "[%da]", leftType = "i64";
  if (c.registers) {
    left = "[";
    leftType = "i32, i32, i32, i32";
    for (int i = 0; i < 4; ++i) {
      body +=
          fmt::format("%ai{0} = llvm.mlir.constant({0} : i32) : i32\n%as{0} = llvm.mul %tid, %c4 : i32\n"
                      "%an{0} = llvm.add %as{0}, %ai{0} : i32\n"
                      "%ap{0} = llvm.getelementptr %a[%an{0}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n"
                      "%ar{0} = llvm.load %ap{0} : !llvm.ptr<1> -> i32\n",
                      i);
      left += fmt::format("{}%ar{}", i ? ", " : "", i);
    }
    left += "]";
  } else {
    body +=
        fmt::format("%da = llvm.mlir.constant({} : i64) : i64\n", static_cast<std::int64_t>(a.descriptor));
  }
  body += fmt::format("%db = llvm.mlir.constant({} : i64) : i64\n", static_cast<std::int64_t>(b.descriptor));
  body += "%d0 = llvm.mlir.zero : !acc\n%false = llvm.mlir.constant(false) : i1\n";
  for (int i = 0; i < c.chained; ++i)
    body += fmt::format(
        "%d{} = tile_gpu.ptx_wgmma {} * %db onto %d{} {} {{n = {} : i32, type_a = {}, type_b = {}{}{}{}{}}} "
        ": !acc, {}\n",
        i + 1, left, i, i == 0 && c.negateA ? "if %false" : "", c.n, c.a, c.b,
        c.transposeA ? ", transpose_a" : "", c.transposeB ? ", transpose_b" : "",
        c.negateA ? ", negate_a" : "", c.negateB ? ", negate_b" : "", leftType);
  body += fmt::format(
      "nvvm.wgmma.commit.group.sync.aligned\n%d = tile_gpu.ptx_wgmma_wait 0 for %d{} : !acc\n", c.chained);
  body += fmt::format("%count = llvm.mlir.constant({} : i32) : i32\n%first = llvm.mul %tid, %count : i32\n",
                      words);
  for (int i = 0; i < words; ++i)
    body +=
        fmt::format("%i{0} = llvm.mlir.constant({0} : i32) : i32\n%n{0} = llvm.add %first, %i{0} : i32\n"
                    "%p{0} = llvm.getelementptr %out[%n{0}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n"
                    "%x{0} = llvm.extractvalue %d[{0}] : !acc\nllvm.store %x{0}, %p{0} : {1}, !llvm.ptr<1>\n",
                    i, element);
  body += "llvm.return";
  return fmt::format("!acc = !llvm.struct<({})>\n", fields) +
         moduleText({"%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %out: !llvm.ptr<1>", body, 128, 82048});
}

void check(const WgmmaCase &c) {
  SCOPED_TRACE(fmt::format("{} x {}, n {}, width {}, transposes {} {}, half {}, registers {}", c.a, c.b, c.n,
                           c.width, c.transposeA, c.transposeB, c.half, c.registers));
  const Operand a(c, c.a, 64, c.transposeA, 0), b(c, c.b, c.n, c.transposeB, 40960);
  std::vector<std::byte> left = a.bytes;
  const int size = kindNamed(c.a).bytes;
  if (c.registers)   // PTX ISA: rows g and g + 8, words t and t + 4 of a row
    for (int thread = 0; thread < 128; ++thread)
      for (int r = 0; r < 4; ++r)
        for (int i = 0; i < 4 / size; ++i)
          put(kindNamed(c.a),
              c.value(c.a, thread / 32 * 16 + thread % 32 / 4 + r % 2 * 8,
                      (thread % 4 + r / 2 * 4) * (4 / size) + i),
              left.data() + thread * 16 + r * 4 + i * size);
  const auto program = compileModuleForHost(text(c, a, b));
  for (const Completion when : {Completion::latest, Completion::eager, Completion::random}) {
    Bench bench({.completion = when, .matrices = when});
    const int words = c.half ? c.n / 4 : c.n / 2;
    auto *out = bench.buffer<std::uint32_t>(128 * words, "out");
    bench.run(*program, {bench.buffer(left, "a"), bench.buffer(b.bytes, "b"), out});
    for (int thread = 0; thread < 128; ++thread)
      for (int r = 0; r < c.n / 2; ++r) {
        const int row = thread / 32 * 16 + thread % 32 / 4 + 8 * (r / 2 % 2),
                  column = r / 4 * 8 + thread % 4 * 2 + r % 2;
        int sum = 0;
        for (int k = 0; k < c.k(); ++k)
          sum += c.value(c.a, row, k) * c.value(c.b, column, k);
        sum *= c.chained * (c.negateA ? -1 : 1) * (c.negateB ? -1 : 1);
        const std::uint32_t word = out[thread * words + (c.half ? r / 2 : r)];
        const float value = c.half ? numeric::decode<f16>(static_cast<std::uint16_t>(word >> 16 * (r % 2)))
                            : c.isInteger() ? static_cast<float>(static_cast<std::int32_t>(word))
                                            : std::bit_cast<float>(word);
        ASSERT_EQ(value, static_cast<float>(sum)) << "row " << row << ", column " << column;
      }
  }
}

TEST(Wgmma, MultipliesAllTypes) {
  for (const Kind &kind : kinds)
    for (const int width : {16, 32, 64, 128})
      check({.a = kind.name, .b = kind.name, .n = width == 64 ? 16 : 64, .width = width});
}
TEST(Wgmma, MixesTypesOf8Bits) {
  check({.a = "f8E4M3FN", .b = "f8E5M2"});
  check({.a = "f8E5M2", .b = "f8E4M3FN"});
  check({.a = "si8", .b = "ui8"});
  check({.a = "ui8", .b = "si8"});
}
TEST(Wgmma, HasAllWidths) {
  for (const int n : {8, 24, 40, 200, 256})
    check({.n = n});
}
TEST(Wgmma, Transposes) {
  for (const int width : {16, 32, 64, 128}) {
    check({.a = "bf16", .b = "bf16", .width = width, .transposeB = true});
    check({.n = 128, .width = width, .transposeA = true, .transposeB = true});
    check({.width = width, .transposeA = true});
  }
}
TEST(Wgmma, TakesAFromRegisters) {
  for (const char *kind : {"f16", "tf32", "f8E5M2", "si8"})
    check({.a = kind, .b = kind, .registers = true});
}
TEST(Wgmma, AccumulatesInHalves) {
  check({.half = true, .chained = 2});
  check({.a = "f8E4M3FN", .b = "f8E4M3FN", .half = true});
}
TEST(Wgmma, NegatesAndChains) {
  check({.negateA = true, .chained = 3});
  check({.negateB = true, .chained = 2});
  check({.negateA = true, .negateB = true});
}

}   // namespace
}   // namespace tile::simulator
