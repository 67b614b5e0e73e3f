// SPDX-License-Identifier: MIT
// Matrix operations of a warpgroup, one at a time and in a whole kernel.
#include "test/calibration/micro_kernel.h"
#include "test/unit/simulator/hopper/gemm.h"
#include "test/unit/simulator/hopper/gemm_problem.h"
#include "test/unit/simulator/hopper/wgmma_case.h"

#include <fmt/format.h>

namespace tile::calibration {
namespace {

using simulator::GemmProblem;
using simulator::WgmmaCase;

std::string described(const WgmmaCase &c) {
  std::string text = fmt::format("m64n{}k{} {}", c.n, c.k(), c.a);
  if (c.a != c.b)
    text += " x " + c.b;
  text += c.width == 16 ? ", not swizzled" : fmt::format(", swizzle {}", c.width);
  const auto also = [&](bool is, const char *what) { text += is ? std::string(", ") + what : ""; };
  also(c.registers, "A in registers");
  also(c.transposeA, "A transposed");
  also(c.transposeB, "B transposed");
  also(c.negateA, "A negated");
  also(c.negateB, "B negated");
  also(c.half, "sums in f16");
  also(!c.adds, "adds nothing");
  also(c.chained > 1, "in a row");
  also(c.shift > 0, "base offset");
  return text;
}

void add(Suite &suite, const WgmmaCase &c, const std::string &operation = "tile_gpu.ptx_wgmma") {
  const simulator::Operand a(c, c.a, 64, c.transposeA, 0), b(c, c.b, c.n, c.transposeB, 40960);
  const std::vector<std::byte> after = bytesOf(simulator::products(c));
  suite.push_back({.operation = operation,
                   .variant = described(c) + (c.shift ? fmt::format(" {}", c.shift) : ""),
                   .module = simulator::wgmmaText(c, a, b),
                   .maps = {},
                   .memories = {{"a", simulator::leftOperand(c, a), {}},
                                {"b", b.bytes, {}},
                                {"d", std::vector<std::byte>(after.size(), std::byte{0xA5}), after}}});
}

void addGemm(Suite &suite, const simulator::GemmText &text, const GemmProblem &problem) {
  Box a{.sizes = {}, .extents = {64, 128}, .coordinates = {}, .swizzle = TensorSwizzle::bytes128};
  a.element = TensorElement::f16;
  Box b = a, c = a;
  const auto size = [](int x) { return static_cast<std::uint64_t>(x); };
  a.sizes = {size(problem.k), size(problem.m)};
  b.sizes = {size(problem.k), size(problem.n)};
  b.extents[1] = text.inPairs ? 64 : 128;
  c.sizes = {size(problem.n), size(problem.m)};
  c.extents = {128, 64};
  c.swizzle = TensorSwizzle::none;
  c.element = TensorElement::f32;
  suite.push_back(
      {.operation = "GEMM",
       .variant = fmt::format("{}x{}x{}, {} slots, {} in flight, {} CTAs{}", problem.m, problem.n, problem.k,
                              text.slots, text.inFlight, problem.ctas, text.inPairs ? " in pairs" : ""),
       .module = simulator::gemmText(text),
       .grid = {problem.ctas},
       .maps = {{0, a}, {1, b}, {2, c}},
       .memories = {{"a", bytesOf(problem.a()), {}},
                    {"b", bytesOf(problem.b()), {}},
                    {"c", std::vector<std::byte>(static_cast<std::size_t>(4 * problem.m * problem.n)),
                     bytesOf(problem.expected())}},
       .numbers = {(problem.m + 127) / 128, (problem.n + 127) / 128, (problem.k + 63) / 64}});
}

}   // namespace

void addProducts(Suite &suite) {
  for (const auto &element : simulator::matrixElements)
    for (const int width : {16, 32, 64, 128})
      add(suite, {.a = element.name, .b = element.name, .n = 64, .width = width});
  for (const auto &[a, b] :
       {std::pair{"f8E4M3FN", "f8E5M2"}, {"f8E5M2", "f8E4M3FN"}, {"si8", "ui8"}, {"ui8", "si8"}})
    add(suite, {.a = a, .b = b});
  for (const int n : {8, 16, 24, 40, 72, 96, 128, 136, 192, 208, 248, 256})
    add(suite, {.n = n});
  for (const int n : {8, 24, 32, 96, 256})
    add(suite, {.a = "si8", .b = "si8", .n = n});
  for (const char *element : {"f16", "bf16"})
    for (const int width : {16, 32, 64, 128}) {
      add(suite, {.a = element, .b = element, .width = width, .transposeB = true});
      add(suite, {.a = element, .b = element, .width = width, .transposeA = true});
      add(suite,
          {.a = element, .b = element, .n = 128, .width = width, .transposeA = true, .transposeB = true});
    }
  for (const auto &element : simulator::matrixElements)
    add(suite, {.a = element.name, .b = element.name, .registers = true});
  add(suite, {.a = "f16", .b = "f16", .n = 256, .transposeB = true, .registers = true});
  for (const char *element : {"f16", "f8E4M3FN", "f8E5M2"})
    for (const int n : {8, 64, 256})
      add(suite, {.a = element, .b = element, .n = n, .half = true, .chained = 2});
  for (const bool a : {false, true})
    for (const bool b : {false, true})
      if (a || b)
        add(suite, {.negateA = a, .negateB = b, .chained = 3});
  for (const char *element : {"f16", "tf32", "si8", "f8E5M2"}) {
    add(suite, {.a = element, .b = element, .chained = 3});
    add(suite, {.a = element, .b = element, .chained = 3, .adds = false});
  }
  for (const int width : {32, 64, 128})
    for (const int shift : {1, 2, 3, 5, 7})
      if (shift < width / 16)
        add(suite, {.width = width, .shift = shift});
  for (const char *operation :
       {"nvvm.wgmma.fence.aligned", "nvvm.wgmma.commit.group.sync.aligned", "tile_gpu.ptx_wgmma_wait"})
    add(suite, {.chained = 4}, operation);
  // The wait of the dialect's own, in front of the one that gives the values.
  add(suite, {.chained = 2}, "nvvm.wgmma.wait.group.sync.aligned");
  const std::string wait = "%d = tile_gpu.ptx_wgmma_wait";
  suite.back().module.insert(suite.back().module.find(wait), "nvvm.wgmma.wait.group.sync.aligned 0\n");
  add(suite, {.chained = 2}, "tile_gpu.ptx_compute_first");   // of a number that is there
  suite.back().module.insert(suite.back().module.find(wait), "%five = llvm.mlir.constant(5 : i32) : i32\n"
                                                             "tile_gpu.ptx_compute_first %five, %five\n");
  for (const int inFlight : {0, 1}) {
    addGemm(suite, {.slots = 3, .inFlight = inFlight}, {256, 256, 320, 2});
    addGemm(suite, {.slots = 4, .inFlight = inFlight}, {192, 136, 72, 1});
    addGemm(suite, {.slots = 3, .inPairs = true, .inFlight = inFlight}, {512, 256, 448, 4, true});
  }
}

}   // namespace tile::calibration
