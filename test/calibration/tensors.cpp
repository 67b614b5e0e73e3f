// SPDX-License-Identifier: MIT
// Bulk copies of boxes of tensors: one to five dimensions, all elements, swizzles, what lies outside,
// reductions. Expected contents are computed element by element from the description of the box.
#include "test/calibration/micro_kernel.h"
#include "test/unit/simulator/hopper/device_map.h"

#include <tile/numeric_float.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace tile::calibration {
namespace {

using simulator::kindOfReduction;
using simulator::loadText;
using simulator::storeText;
using simulator::tensorReduction;
using simulator::tensorStore;

constexpr const char *names[] = {"u8",  "u16",  "i32", "u32", "i64", "u64",
                                 "f16", "bf16", "f32", "f64", "tf32"};
const char *nameOf(TensorElement element) { return names[static_cast<std::size_t>(element)]; }

std::vector<std::byte> contents(const Box &box, const std::string &name) {
  return bytesOf(Random(name).words(box.words()));
}

std::string extents(const auto &values) {
  std::string text;
  for (const auto value : values)
    text += (text.empty() ? "" : "x") + std::to_string(value);
  return text;
}
std::string places(const Box &box) {
  std::string text;
  for (const int at : box.coordinates)
    text += (text.empty() ? "" : ", ") + std::to_string(at);
  return text;
}
std::string described(const Box &box) {
  std::string text = fmt::format("{} {} of {} at {}", nameOf(box.element), extents(box.extents),
                                 extents(box.sizes), places(box));
  if (box.swizzle != TensorSwizzle::none)
    text += fmt::format(", swizzle {}", 16 << static_cast<int>(box.swizzle));
  if (!box.every.empty())
    text += ", every " + extents(box.every);
  if (box.fill == TensorFill::nan)
    text += ", NaN outside";
  return text;
}

std::uint64_t fillOf(const Box &box) { return box.fill == TensorFill::zeros ? 0 : 0x7FF77FF77FF77FF7; }

std::uint32_t roundedToTf32(std::uint32_t bits) {
  const std::uint32_t below = bits & 0x1FFF, even = bits >> 13 & 1;
  return (bits & ~0x1FFFu) + (below > 0x1000 || (below == 0x1000 && even) ? 0x2000 : 0);
}

MicroKernel load(const Box &box) {
  MicroKernel kernel{.operation = "nvvm.cp.async.bulk.tensor.shared.cluster.global",
                     .variant = described(box),
                     .module = loadText(box, box.boxBytes()),
                     .maps = {{0, box}},
                     .memories = {}};
  const std::vector<std::byte> in = contents(box, kernel.variant);
  std::vector<std::byte> after(box.boxBytes());
  // What is outside of a tensor of tf32, and how ties round, is not known.
  std::vector<bool> open;
  box.forEach([&](unsigned shared, long at) {
    const std::uint64_t fill = fillOf(box);
    std::memcpy(after.data() + shared, at < 0 ? reinterpret_cast<const std::byte *>(&fill) : in.data() + at,
                box.size());
    if (box.element != TensorElement::tf32)
      return;
    std::uint32_t bits;
    std::memcpy(&bits, after.data() + shared, 4);
    open.resize(box.boxElements());
    open[shared / 4] = at < 0 || (bits & 0x1FFF) == 0x1000 || (bits & 0x7F800000) == 0x7F800000;
    bits = roundedToTf32(bits);
    std::memcpy(after.data() + shared, &bits, 4);
  });
  kernel.memories = {{"tensor", in, {}},
                     {.name = "out",
                      .before = std::vector<std::byte>(after.size(), std::byte{0xA5}),
                      .after = after,
                      .wordBytes = std::min(box.size(), 4u),
                      .open = open}};
  return kernel;
}

MicroKernel store(const Box &box, const std::string &kind = "",
                  const std::function<std::uint64_t(std::uint64_t, std::uint64_t)> &combine = {},
                  const std::function<std::uint64_t(Random &)> &draw = {}) {
  MicroKernel kernel{
      .operation = kind.empty() ? tensorStore : tensorReduction,
      .variant = kind.empty() ? described(box)
                              : fmt::format("{} {} {}", kind, nameOf(box.element), extents(box.extents)),
      .module = storeText(box, kind.empty() ? tensorStore : tensorReduction,
                          kind.empty() ? "" : kindOfReduction(kind)),
      .maps = {{0, box}},
      .memories = {}};
  Random random(kernel.variant);
  const auto filled = [&](std::size_t bytes) {
    if (!draw)
      return bytesOf(random.words(bytes / 4));
    std::vector<std::byte> all(bytes);
    for (std::size_t i = 0; i < bytes; i += box.size()) {
      const std::uint64_t word = draw(random);
      std::memcpy(all.data() + i, &word, box.size());
    }
    return all;
  };
  const std::vector<std::byte> before = filled(box.bytes()), from = filled(box.boxBytes());
  std::vector<std::byte> after = before;
  box.forEach(
      [&](unsigned shared, long at) {
        if (at < 0)
          return;
        std::uint64_t value = 0, old = 0;
        std::memcpy(&value, from.data() + shared, box.size());
        std::memcpy(&old, before.data() + at, box.size());
        if (combine)
          value = combine(old, value);
        std::memcpy(after.data() + at, &value, box.size());
      },
      /*fillsRows=*/kind.empty());
  kernel.memories = {{"tensor", before, after, std::min(box.size(), 8u)}, {"from", from, {}}};
  return kernel;
}

const std::vector<Box> &boxes() {
  using enum TensorSwizzle;
  static const std::vector<Box> all = [] {
    std::vector<Box> some{
        {{100}, {32}, {64}},
        {{100}, {32}, {80}},
        {{48, 20}, {16, 8}, {4, 5}},
        {{48, 20}, {16, 8}, {40, 15}},
        {{48, 20}, {16, 8}, {0, 20}},
        {{64, 40}, {32, 16}, {32, 30}, bytes128},
        {{64, 40}, {16, 16}, {16, 3}, bytes64},
        {{64, 40}, {8, 16}, {56, 3}, bytes32},
        {{20, 6, 7}, {8, 3, 2}, {4, 2, 6}},
        {{20, 6, 7}, {8, 6, 3}, {4, 1, 1}, none, TensorFill::zeros, {1, 2, 1}},
        {{20, 6, 7}, {8, 6, 6}, {4, 1, 0}, none, TensorFill::zeros, {1, 3, 2}},
        {{20, 6, 7, 3}, {8, 3, 2, 2}, {4, 2, 1, 2}},
        {{20, 3, 4, 3, 4}, {4, 3, 2, 2, 2}, {4, 1, 1, 2, 3}},
        {{256, 256}, {32, 256}, {96, 0}, bytes128},
    };
    for (const auto &[element, swizzle] : {std::pair{TensorElement::u8, bytes128},
                                           {TensorElement::u16, bytes64},
                                           {TensorElement::i32, bytes32},
                                           {TensorElement::u32, none},
                                           {TensorElement::i64, bytes128},
                                           {TensorElement::u64, bytes64},
                                           {TensorElement::f16, bytes128},
                                           {TensorElement::bf16, bytes128},
                                           {TensorElement::f64, bytes128}}) {
      Box box{{256, 32}, {64, 16}, {64, 20}, swizzle, TensorFill::zeros, {}, element};
      box.extents[0] = (swizzle == none ? 64u : 16u << static_cast<unsigned>(swizzle)) / box.size();
      box.coordinates[0] = static_cast<int>(box.extents[0]);
      some.push_back(box);
    }
    return some;
  }();
  return all;
}

// Coordinates before the tensor, and rows whose last 16 bytes it does not fill.
std::vector<Box> sides() {
  return {{{48, 20}, {16, 8}, {-4, -3}},
          {{48, 20}, {16, 8}, {0, -3}},
          {{48, 20}, {16, 8}, {-16, 3}},
          {{50, 20}, {16, 8}, {40, 15}},
          {{49, 20}, {16, 8}, {48, 2}},
          {{20, 3, 4, 3, 4}, {4, 3, 2, 2, 2}, {4, 1, 1, 2, -1}},
          {{101, 20}, {32, 8}, {96, 3}, TensorSwizzle::none, TensorFill::zeros, {}, TensorElement::f16},
          {{101, 20}, {32, 8}, {96, 3}, TensorSwizzle::none, TensorFill::zeros, {}, TensorElement::u8}};
}
// Boxes that begin within 16 bytes.
std::vector<Box> offsets() {
  return {{{100}, {32}, {3}},
          {{48, 20}, {16, 8}, {3, 5}},
          {{48, 20}, {16, 8}, {42, 5}},
          {{64, 40}, {32, 16}, {2, 3}, TensorSwizzle::bytes128},
          {{64, 40}, {64, 16}, {9, 3}, TensorSwizzle::bytes128, TensorFill::zeros, {}, TensorElement::f16}};
}

void addReductions(Suite &suite) {
  struct Kind {
    const char *name;
    std::uint64_t (*of)(std::uint64_t old, std::uint64_t value, unsigned bytes, bool isSigned);
  };
  static constexpr auto smaller = [](std::uint64_t a, std::uint64_t b, unsigned bytes, bool isSigned) {
    if (!isSigned)
      return a < b;
    return bytes == 8 ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b)
                      : static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b);
  };
  static constexpr Kind kinds[] = {
      {"add", [](std::uint64_t a, std::uint64_t b, unsigned, bool) { return a + b; }},
      {"min",
       [](std::uint64_t a, std::uint64_t b, unsigned n, bool s) { return smaller(a, b, n, s) ? a : b; }},
      {"max",
       [](std::uint64_t a, std::uint64_t b, unsigned n, bool s) { return smaller(a, b, n, s) ? b : a; }},
      {"inc", [](std::uint64_t a, std::uint64_t b, unsigned, bool) { return a >= b ? 0 : a + 1; }},
      {"dec", [](std::uint64_t a, std::uint64_t b, unsigned, bool) { return a == 0 || a > b ? b : a - 1; }},
      {"and", [](std::uint64_t a, std::uint64_t b, unsigned, bool) { return a & b; }},
      {"or", [](std::uint64_t a, std::uint64_t b, unsigned, bool) { return a | b; }},
      {"xor", [](std::uint64_t a, std::uint64_t b, unsigned, bool) { return a ^ b; }}};
  const auto box = [](TensorElement element) {
    Box b{{64, 20}, {16, 8}, {16, 15}, TensorSwizzle::none, TensorFill::zeros, {}, element};
    return b;
  };
  for (const TensorElement element :
       {TensorElement::u32, TensorElement::i32, TensorElement::u64, TensorElement::i64})
    for (const Kind &kind : kinds) {
      const bool isStep = std::string(kind.name) == "inc" || std::string(kind.name) == "dec";
      if (isStep && element != TensorElement::u32)
        continue;
      const bool isSigned = element == TensorElement::i32 || element == TensorElement::i64;
      const unsigned bytes = box(element).size();
      suite.push_back(store(
          box(element), kind.name,
          [=, &kind](std::uint64_t a, std::uint64_t b) { return kind.of(a, b, bytes, isSigned); },
          // Steps show when old and new are near each other.
          [=](Random &r) -> std::uint64_t {
            return isStep ? r.below(4) : bytes == 8 ? r.next() | std::uint64_t{r.next()} << 32 : r.next();
          }));
      if (element == TensorElement::i64 && kind.name[0] != 'm')
        suite.back().refusal = "a reduction that the tensor's element type does not support";
    }
  for (const TensorElement element :
       {TensorElement::f16, TensorElement::bf16, TensorElement::f32, TensorElement::f64})
    for (const char *kind : {"add", "min", "max"}) {
      if (box(element).size() > 2 && std::string(kind) != "add")
        continue;
      const auto decode = [=](std::uint64_t x) -> double {
        return element == TensorElement::f16    ? numeric::decode<f16>(static_cast<std::uint16_t>(x))
               : element == TensorElement::bf16 ? numeric::decode<bf16>(static_cast<std::uint16_t>(x))
               : element == TensorElement::f32  ? std::bit_cast<float>(static_cast<std::uint32_t>(x))
                                                : std::bit_cast<double>(x);
      };
      const auto encode = [=](double x) -> std::uint64_t {
        const auto narrow = static_cast<float>(x);
        return element == TensorElement::f16    ? numeric::encode<f16>(narrow)
               : element == TensorElement::bf16 ? numeric::encode<bf16>(narrow)
               : element == TensorElement::f32  ? std::bit_cast<std::uint32_t>(narrow)
                                                : std::bit_cast<std::uint64_t>(x);
      };
      suite.push_back(store(
          box(element), kind,
          [=](std::uint64_t a, std::uint64_t b) {
            const double x = decode(a), y = decode(b);
            return encode(*kind == 'a'                 ? x + y
                          : std::string(kind) == "min" ? std::fmin(x, y)
                                                       : std::fmax(x, y));
          },
          [=](Random &r) { return encode(static_cast<double>(r.below(101)) - 50); }));
    }
}

// A map that the kernel makes another one of, field by field, and copies with.
void addDeviceMaps(Suite &suite) {
  const Box made{{8}, {4}, {0}, TensorSwizzle::none, TensorFill::zeros, {}, TensorElement::u32};
  Box wanted{{16, 8}, {8, 8}, {8, 1}, TensorSwizzle::bytes32, TensorFill::nan};
  struct Way {
    const char *operation, *variant;
    simulator::MapSteps steps;
  };
  for (const auto &[operation, variant, steps] :
       {Way{"tile_gpu.ptx_map_replace", "every field, in shared memory", {}},
        Way{"tile_gpu.ptx_map_replace", "every field, in global memory",
            simulator::MapSteps::inGlobalMemory()},
        Way{"tile_gpu.ptx_map_copy", "by one thread, then every field", simulator::MapSteps::copiedByOne()},
        Way{"tile_gpu.ptx_map_publish", "after every field", {}}}) {
    const std::vector<std::byte> data = contents(wanted, operation);
    std::vector<std::byte> after(wanted.boxBytes());
    wanted.forEach([&](unsigned shared, long at) {
      const std::uint64_t fill = fillOf(wanted);
      std::memcpy(after.data() + shared,
                  at < 0 ? reinterpret_cast<const std::byte *>(&fill) : data.data() + at, 4);
    });
    suite.push_back(
        {.operation = operation,
         .variant = variant,
         .module = steps.text(),
         .maps = {{0, made}},
         .memories = {{"other", contents(made, "other"), {}},
                      {.name = "place", .before = std::vector<std::byte>(128), .after = {}, .alignment = 128},
                      {"data", data, {}},
                      {"out", std::vector<std::byte>(after.size(), std::byte{0xA5}), after}}});
  }
}

}   // namespace

void addTensors(Suite &suite) {
  const auto refused = [&](MicroKernel kernel, const char *refusal) {
    kernel.refusal = refusal;
    suite.push_back(std::move(kernel));
  };
  for (const Box &box : boxes()) {
    suite.push_back(load(box));
    suite.push_back(store(box));
  }
  for (const Box &box : sides()) {
    const bool isBefore =
        std::any_of(box.coordinates.begin(), box.coordinates.end(), [](int x) { return x < 0; });
    suite.push_back(load(box));
    refused(store(box), isBefore ? "begins its box before the tensor" : "");
  }
  for (const Box &box : offsets()) {
    refused(load(box), "it must be a multiple of 16");
    refused(store(box), "it must be a multiple of 16");
  }
  for (const TensorElement element : {TensorElement::f16, TensorElement::bf16, TensorElement::f32,
                                      TensorElement::tf32, TensorElement::f64}) {
    Box box{{64, 20}, {16, 8}, {56, 15}, TensorSwizzle::none, TensorFill::nan, {}, element};
    suite.push_back(load(box));
  }
  addReductions(suite);
  addDeviceMaps(suite);
  // They change nothing that a program sees.
  const Box box = boxes()[2];
  const auto before = [&](const std::string &operation, const std::string &variant, const std::string &text) {
    MicroKernel kernel = load(box);
    kernel.operation = operation;
    kernel.variant = variant;
    const std::string entry = "%c1024 = llvm.mlir.constant(1024 : i32) : i32\n";
    kernel.module.insert(kernel.module.find(entry) + entry.size(), text);
    suite.push_back(std::move(kernel));
  };
  before("nvvm.cp.async.bulk.tensor.prefetch", "2 dimensions",
         "nvvm.cp.async.bulk.tensor.prefetch %map, box[%c16, %c8] : !llvm.ptr\n");
  before("nvvm.prefetch", "of a tensor map", "nvvm.prefetch tensormap, %map : !llvm.ptr\n");
}

}   // namespace tile::calibration
