// SPDX-License-Identifier: MIT
// Matrices of a warp: reading and writing them in shared memory, and multiplying them.
#include "test/calibration/micro_kernel.h"

#include <tile/numeric_float.h>

#include <array>
#include <bit>
#include <fmt/format.h>

namespace tile::calibration {
namespace {

std::string shapeText(const char *layout) {
  return fmt::format(
      "layout = #nvvm.mma_layout<{}>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = "
      "#nvvm.ld_st_matrix_elt_type<b16>",
      layout);
}
std::string structText(unsigned words, const char *type = "i32") {
  std::string fields = type;
  for (unsigned i = 1; i < words; ++i)
    fields += std::string(", ") + type;
  return "!llvm.struct<(" + fields + ")>";
}
// %name: the address of the 16 bytes of this lane's row. Lanes give rows in an order of their own.
constexpr unsigned rowOf(unsigned lane) { return (lane * 5 + 3) % 32; }
const std::string rowAddress =
    "%r0 = llvm.mlir.constant(5 : i32) : i32\n%r1 = llvm.mul %tid, %r0 : i32\n"
    "%r2 = llvm.add %r1, %c3 : i32\n%r3 = llvm.and %r2, %c31 : i32\n"
    "%r4 = llvm.mul %r3, %c16 : i32\n"
    "%row = llvm.getelementptr %smem[%r4] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8\n";
// Four words of this lane at its place in order: %q0 to %q3.
std::string placesInOrder() {
  std::string text = "%q = llvm.mul %tid, %c4 : i32\n";
  for (int i = 0; i < 4; ++i)
    text +=
        fmt::format("%qi{0} = llvm.mlir.constant({0} : i32) : i32\n%qn{0} = llvm.add %q, %qi{0} : i32\n"
                    "%q{0} = llvm.getelementptr %smem[%qn{0}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n",
                    i);
  return text;
}

// Element `column` of 16 bits of the row that lane `lane` points to; row r of 16 bytes is the words of lane
// r.
std::uint16_t elementAt(const Words &in, unsigned row, unsigned column) {
  return static_cast<std::uint16_t>(in[column / 2][row] >> 16 * (column % 2));
}

void addLoads(Suite &suite) {
  for (const unsigned count : {1u, 2u, 4u})
    for (const char *layout : {"row", "col"}) {
      const bool isTransposed = std::string(layout) == "col";
      std::string body = placesInOrder();
      for (unsigned i = 0; i < 4; ++i)
        body += fmt::format("llvm.store %{}, %q{} : i32, !llvm.ptr<3>\n", static_cast<char>('a' + i), i);
      body += "nvvm.bar.warp.sync %cm1 : i32\n" + rowAddress;
      body += fmt::format("%m = nvvm.ldmatrix %row {{num = {} : i32, {}}} : (!llvm.ptr<3>) -> {}\n", count,
                          shapeText(layout), count == 1 ? "i32" : structText(count));
      for (unsigned i = 0; i < count; ++i)
        body += count == 1 ? "%x = llvm.add %m, %c0 : i32\n"
                           : fmt::format("%x{0} = llvm.extractvalue %m[{0}] : {1}\n", i, structText(count));
      suite.push_back(perThread({.operation = "nvvm.ldmatrix",
                                 .variant = fmt::format("x{}{}", count, isTransposed ? ", transposed" : ""),
                                 .body = body,
                                 .inputs = 4,
                                 .outputs = count},
                                [=](const Words &in, unsigned place) {
                                  const unsigned lane = place / count, matrix = place % count;
                                  const auto at = [&](unsigned row, unsigned column) {
                                    return std::uint32_t{elementAt(in, rowOf(8 * matrix + row), column)};
                                  };
                                  const unsigned r = lane / 4, c = 2 * (lane % 4);
                                  return isTransposed ? at(c, r) | at(c + 1, r) << 16
                                                      : at(r, c) | at(r, c + 1) << 16;
                                }));
    }
}

void addStores(Suite &suite) {
  for (const unsigned count : {1u, 2u, 4u})
    for (const char *layout : {"row", "col"}) {
      const bool isTransposed = std::string(layout) == "col";
      // What the matrices do not cover stays zero.
      std::string body = placesInOrder(), words = "%a", types = "i32";
      for (unsigned i = 0; i < 4; ++i)
        body += fmt::format("llvm.store %c0, %q{} : i32, !llvm.ptr<3>\n", i);
      for (unsigned i = 1; i < count; ++i) {
        words += fmt::format(", %{}", static_cast<char>('a' + i));
        types += ", i32";
      }
      body += "nvvm.bar.warp.sync %cm1 : i32\n" + rowAddress;
      body += fmt::format("nvvm.stmatrix %row, {} {{{}}} : !llvm.ptr<3>, {}\nnvvm.bar.warp.sync %cm1 : i32\n",
                          words, shapeText(layout), types);
      for (unsigned i = 0; i < 4; ++i)
        body += fmt::format("%x{0} = llvm.load %q{0} : !llvm.ptr<3> -> i32\n", i);
      suite.push_back(perThread({.operation = "nvvm.stmatrix",
                                 .variant = fmt::format("x{}{}", count, isTransposed ? ", transposed" : ""),
                                 .body = body,
                                 .inputs = 4,
                                 .outputs = 4},
                                [=](const Words &in, unsigned place) -> std::uint32_t {
                                  const unsigned row = place / 4;
                                  for (unsigned lane = 0; lane < 8 * count; ++lane)
                                    if (rowOf(lane) == row) {
                                      const auto at = [&](unsigned column) {
                                        const unsigned r = isTransposed ? column : lane % 8;
                                        const unsigned c = isTransposed ? lane % 8 : column;
                                        const std::uint32_t word = in[lane / 8][r * 4 + c / 2];
                                        return word >> 16 * (c % 2) & 0xFFFF;
                                      };
                                      return at(2 * (place % 4)) | at(2 * (place % 4) + 1) << 16;
                                    }
                                  return 0;
                                }));
    }
}

// ---- mma.sync of 16 x 8 x K

struct Unit {
  const char *name;
  unsigned k, bytes;
  const char *operand;   // type of a register of A and B
};
constexpr Unit units[] = {{"f16", 16, 2, "vector<2xf16>"},
                          {"bf16", 16, 2, "i32"},
                          {"tf32", 8, 4, "i32"},
                          {"s8", 32, 1, "i32"},
                          {"u8", 32, 1, "i32"}};

std::uint32_t packed(const Unit &unit, Random &r) {
  const auto small = [&] { return static_cast<float>(static_cast<int>(r.below(17)) - 8); };
  const std::string name = unit.name;
  if (name == "f16")
    return numeric::encode<f16>(small()) | std::uint32_t{numeric::encode<f16>(small())} << 16;
  if (name == "bf16")
    return numeric::encode<bf16>(small()) | std::uint32_t{numeric::encode<bf16>(small())} << 16;
  // The lower 13 bits are of no concern to the unit.
  return name == "tf32" ? std::bit_cast<std::uint32_t>(small()) | r.below(1 << 13) : r.next();
}
double elementOf(const Unit &unit, std::uint32_t word, unsigned i) {
  const std::string name = unit.name;
  const std::uint32_t part = word >> 8 * unit.bytes * i;
  return name == "f16"    ? numeric::decode<f16>(static_cast<std::uint16_t>(part))
         : name == "bf16" ? numeric::decode<bf16>(static_cast<std::uint16_t>(part))
         : name == "tf32" ? std::bit_cast<float>(part & 0xFFFFE000u)
         : name == "s8"   ? static_cast<double>(static_cast<std::int8_t>(part))
                          : static_cast<double>(static_cast<std::uint8_t>(part));
}

void addProduct(Suite &suite, const Unit &unit) {
  const bool isInteger = unit.bytes == 1;
  const char *sum = isInteger ? "i32" : "f32";
  std::string body, a, b, c;
  for (unsigned i = 0; i < 10; ++i) {
    const char *type = i < 6 ? unit.operand : sum;
    const std::string name =
        std::string(type) == "i32" ? fmt::format("%{}", static_cast<char>('a' + i)) : fmt::format("%w{}", i);
    if (name[1] == 'w')
      body += fmt::format("%w{} = llvm.bitcast %{} : i32 to {}\n", i, static_cast<char>('a' + i), type);
    std::string &list = i < 4 ? a : i < 6 ? b : c;
    list += (list.empty() ? "" : ", ") + name;
  }
  // f16 is known by the registers' type.
  const std::string types =
      std::string(unit.operand) == "i32"
          ? fmt::format(
                ", multiplicandAPtxType = #nvvm.mma_type<{0}>, multiplicandBPtxType = #nvvm.mma_type<{0}>",
                unit.name)
          : "";
  body += fmt::format("%m = nvvm.mma.sync A[{}] B[{}] C[{}] {{{}layoutA = #nvvm.mma_layout<row>, layoutB = "
                      "#nvvm.mma_layout<col>{}, "
                      "shape = #nvvm.shape<m = 16, n = 8, k = {}>}} : ({}, {}, {}) -> {}\n",
                      a, b, c, isInteger ? "intOverflowBehavior = #nvvm.mma_int_overflow<wrapped>, " : "",
                      types, unit.k, unit.operand, unit.operand, sum, structText(4, sum));
  for (unsigned i = 0; i < 4; ++i)
    body += fmt::format("%y{0} = llvm.extractvalue %m[{0}] : {1}\n%x{0} = llvm.bitcast %y{0} : {2} to i32\n",
                        i, structText(4, sum), sum);
  suite.push_back(perThread(
      {.operation = "nvvm.mma.sync",
       .variant = fmt::format("m16n8k{} {}", unit.k, unit.name),
       .body = body,
       .inputs = 10,
       .draw =
           [&](Random &r, unsigned column) {
             if (column < 6)
               return packed(unit, r);
             return isInteger ? r.next()
                              : std::bit_cast<std::uint32_t>(static_cast<float>(r.below(1000)) - 500);
           },
       .outputs = 4},
      // PTX ISA, "Matrix Fragments for mma.m16n8kK": the registers of A, B and C that hold an element.
      [&unit, isInteger](const Words &in, unsigned place) -> std::uint32_t {
        const unsigned perWord = 4 / unit.bytes, half = unit.k / 2, lane = place / 4, r = place % 4;
        const unsigned row = lane / 4 + 8 * (r / 2), column = 2 * (lane % 4) + r % 2;
        double all = 0;
        std::uint32_t wrapped = in[6 + r][lane];
        for (unsigned k = 0; k < unit.k; ++k) {
          const unsigned t = k % half / perWord, i = k % perWord, upper = k / half;
          const double x = elementOf(unit, in[row / 8 + 2 * upper][row % 8 * 4 + t], i);
          const double y = elementOf(unit, in[4 + upper][column * 4 + t], i);
          all += x * y;
          wrapped += static_cast<std::uint32_t>(static_cast<std::int32_t>(x * y));
        }
        if (isInteger)
          return wrapped;
        return std::bit_cast<std::uint32_t>(static_cast<float>(all + std::bit_cast<float>(in[6 + r][lane])));
      }));
}

// 8-bit floats, for which NVVM's op has no form.
template <class A, class B> void addNarrowProduct(Suite &suite, const char *a, const char *b) {
  std::string body;
  for (unsigned i = 6; i < 10; ++i)
    body += fmt::format("%w{} = llvm.bitcast %{} : i32 to f32\n", i, static_cast<char>('a' + i));
  body += fmt::format(
      "%m = tile_gpu.ptx_mma [%a, %b, %c, %d] * [%e, %f] onto [%w6, %w7, %w8, %w9] {{type_a = {}, "
      "type_b = {}}} : {}\n",
      a, b, structText(4, "f32"));
  for (unsigned i = 0; i < 4; ++i)
    body += fmt::format("%y{0} = llvm.extractvalue %m[{0}] : {1}\n%x{0} = llvm.bitcast %y{0} : f32 to i32\n",
                        i, structText(4, "f32"));
  const auto four = [](Random &r, auto encode) {
    std::uint32_t word = 0;
    for (unsigned i = 0; i < 4; ++i)
      word |= std::uint32_t{encode(static_cast<float>(r.below(9)) - 4)} << 8 * i;
    return word;
  };
  suite.push_back(perThread(
      {.operation = "tile_gpu.ptx_mma",
       .variant = fmt::format("m16n8k32 {} x {}", a, b),
       .body = body,
       .inputs = 10,
       .draw =
           [=](Random &r, unsigned column) {
             return column < 4   ? four(
                                       r, [](float x) { return numeric::encode<A>(x); })
                    : column < 6 ? four(
                                       r, [](float x) { return numeric::encode<B>(x); })
                                 : std::bit_cast<std::uint32_t>(static_cast<float>(r.below(1000)) - 500);
           },
       .outputs = 4},
      // As for integers: four elements to a word.
      [](const Words &in, unsigned place) {
        const unsigned lane = place / 4, r = place % 4, row = lane / 4 + 8 * (r / 2),
                       column = 2 * (lane % 4) + r % 2;
        float all = std::bit_cast<float>(in[6 + r][lane]);
        for (unsigned k = 0; k < 32; ++k) {
          const unsigned t = k % 16 / 4, shift = k % 4 * 8, upper = k / 16;
          const auto x = static_cast<std::uint8_t>(in[row / 8 + 2 * upper][row % 8 * 4 + t] >> shift);
          const auto y = static_cast<std::uint8_t>(in[4 + upper][column * 4 + t] >> shift);
          all += numeric::decode<A>(x) * numeric::decode<B>(y);
        }
        return std::bit_cast<std::uint32_t>(all);
      }));
}

}   // namespace

void addMatrices(Suite &suite) {
  addLoads(suite);
  addStores(suite);
  for (const Unit &unit : units)
    addProduct(suite, unit);
  addNarrowProduct<e4m3, e4m3>(suite, "f8E4M3FN", "f8E4M3FN");
  addNarrowProduct<e4m3, e5m2>(suite, "f8E4M3FN", "f8E5M2");
  addNarrowProduct<e5m2, e4m3>(suite, "f8E5M2", "f8E4M3FN");
  addNarrowProduct<e5m2, e5m2>(suite, "f8E5M2", "f8E5M2");
}

}   // namespace tile::calibration
