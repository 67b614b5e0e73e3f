// SPDX-License-Identifier: MIT
// A product of a warpgroup: operands laid out in shared memory by formulas of the tests' own, the kernel, and
// what has to come out.
#pragma once

#include "kernel_text.h"

#include <tile/error.h>
#include <tile/numeric_float.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tile::simulator {

struct MatrixElement {
  const char *name;
  int bytes;
};
inline constexpr MatrixElement matrixElements[] = {{"f16", 2},    {"bf16", 2}, {"tf32", 4}, {"f8E4M3FN", 1},
                                                   {"f8E5M2", 1}, {"si8", 1},  {"ui8", 1}};
inline const MatrixElement &kindNamed(const std::string &name) {
  for (const MatrixElement &kind : matrixElements)
    if (name == kind.name)
      return kind;
  throw Error(name, {});
}

inline void putElement(const MatrixElement &kind, int value, std::byte *to) {
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
  int chained = 1;    // products in a row
  bool adds = true;   // to what the accumulators were
  int shift = 0;      // lines of 128 bytes that the swizzle's pattern begins behind a multiple of its size

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
  int first = 0;              // where it begins in shared memory
  std::uint64_t fields = 0;   // the rest of its descriptor

  Operand(const WgmmaCase &c, const std::string &type, int rows, bool isTransposed, std::uint64_t start) {
    const MatrixElement &kind = kindNamed(type);
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
        putElement(kind, c.value(type, row, k), bytes.data() + 128 * c.shift + place);
      }
    const std::uint64_t mode = w == 16 ? 0 : w == 128 ? 1 : w == 64 ? 2 : 3;
    first = static_cast<int>(start) + 128 * c.shift;
    fields = static_cast<std::uint64_t>(c.shift & 7) << 49 | static_cast<std::uint64_t>(leading >> 4) << 16 |
             static_cast<std::uint64_t>(stride >> 4) << 32 | mode << 62;
  }
};

// %name: the descriptor of the operand.
inline std::string descriptor(const std::string &name, const Operand &operand) {
  return fmt::format("%{0}0 = llvm.mlir.constant({1} : i32) : i32\n%{0}1 = llvm.add %base, %{0}0 : i32\n"
                     "%{0}2 = llvm.mlir.constant(262143 : i32) : i32\n%{0}3 = llvm.and %{0}1, %{0}2 : i32\n"
                     "%{0}4 = llvm.lshr %{0}3, %c4 : i32\n%{0}5 = llvm.zext %{0}4 : i32 to i64\n"
                     "%{0}6 = llvm.mlir.constant({2} : i64) : i64\n%{0} = llvm.or %{0}5, %{0}6 : i64\n",
                     name, operand.first, static_cast<std::int64_t>(operand.fields));
}

inline std::string wgmmaText(const WgmmaCase &c, const Operand &a, const Operand &b) {
  const int words = c.half ? c.n / 4 : c.n / 2;
  const std::string element = c.half || c.isInteger() ? "i32" : "f32";
  std::string fields = element;
  for (int i = 1; i < words; ++i)
    fields += ", " + element;
  std::string body =
      "%base = llvm.ptrtoint %smem : !llvm.ptr<3> to i32\n%bytes = llvm.mlir.constant(40960 : i32) : i32\n" +
      at("toB", 40960);
  std::string copies;
  if (!c.registers)
    copies +=
        "%toA7 = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>\n"
        "nvvm.cp.async.bulk.shared.cluster.global %toA7, %a, %bar, %bytes : !llvm.ptr<7>, !llvm.ptr<1>\n";
  copies += "%toB7 = llvm.addrspacecast %toB : !llvm.ptr<3> to !llvm.ptr<7>\n"
            "nvvm.cp.async.bulk.shared.cluster.global %toB7, %b, %bar, %bytes : !llvm.ptr<7>, !llvm.ptr<1>\n";
  body += loaded(81920, c.registers ? 40960 : 81920, copies);
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
    body += descriptor("da", a);
  }
  body += descriptor("db", b);
  body += "%d0 = llvm.mlir.zero : !acc\n%false = llvm.mlir.constant(false) : "
          "i1\nnvvm.barrier0\nnvvm.wgmma.fence.aligned\n";
  for (int i = 0; i < c.chained; ++i)
    body += fmt::format(
        "%d{} = tile_gpu.ptx_wgmma {} * %db onto %d{} {} {{n = {} : i32, type_a = {}, type_b = {}{}{}{}{}}} "
        ": !acc, {}\n",
        i + 1, left, i, (i == 0 && c.negateA) || !c.adds ? "if %false" : "", c.n, c.a, c.b,
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

// A as the kernel takes it: in shared memory, or in the order of the threads' registers.
inline std::vector<std::byte> leftOperand(const WgmmaCase &c, const Operand &a) {
  std::vector<std::byte> left = a.bytes;
  const int size = kindNamed(c.a).bytes;
  if (c.registers)   // PTX ISA: rows g and g + 8, words t and t + 4 of a row
    for (int thread = 0; thread < 128; ++thread)
      for (int r = 0; r < 4; ++r)
        for (int i = 0; i < 4 / size; ++i)
          putElement(kindNamed(c.a),
                     c.value(c.a, thread / 32 * 16 + thread % 32 / 4 + r % 2 * 8,
                             (thread % 4 + r / 2 * 4) * (4 / size) + i),
                     left.data() + thread * 16 + r * 4 + i * size);
  return left;
}

// What register r of f32 of a thread is: PTX ISA, "Register Fragments for wgmma".
inline int productAt(const WgmmaCase &c, int thread, int r) {
  const int row = thread / 32 * 16 + thread % 32 / 4 + 8 * (r / 2 % 2),
            column = r / 4 * 8 + thread % 4 * 2 + r % 2;
  int sum = 0;
  for (int k = 0; k < c.k(); ++k)
    sum += c.value(c.a, row, k) * c.value(c.b, column, k);
  return sum * (c.adds ? c.chained : 1) * (c.negateA ? -1 : 1) * (c.negateB ? -1 : 1);
}
// The words that each thread stores, one after the other.
inline std::vector<std::uint32_t> products(const WgmmaCase &c) {
  std::vector<std::uint32_t> words;
  const auto half = [](int x) { return std::uint32_t{numeric::encode<f16>(static_cast<float>(x))}; };
  for (int thread = 0; thread < 128; ++thread)
    for (int r = 0; r < c.n / 2; r += c.half ? 2 : 1) {
      const int sum = productAt(c, thread, r);
      words.push_back(c.half          ? half(sum) | half(productAt(c, thread, r + 1)) << 16
                      : c.isInteger() ? static_cast<std::uint32_t>(sum)
                                      : std::bit_cast<std::uint32_t>(static_cast<float>(sum)));
    }
  return words;
}

}   // namespace tile::simulator
