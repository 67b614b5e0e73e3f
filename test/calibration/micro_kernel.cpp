// SPDX-License-Identifier: MIT
#include "test/calibration/micro_kernel.h"

#include <fmt/format.h>

namespace tile::calibration {
namespace {

constexpr std::uint64_t offset = 0xcbf29ce484222325, prime = 0x100000001b3;   // FNV-1a
std::uint64_t hashed(const void *data, std::size_t bytes, std::uint64_t hash = offset) {
  for (std::size_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<const unsigned char *>(data)[i]) * prime;
  return hash;
}

}   // namespace

Random::Random(const std::string &name) : state_(hashed(name.data(), name.size()) | 1) {}
std::uint32_t Random::next() {
  state_ ^= state_ << 13;
  state_ ^= state_ >> 7;
  state_ ^= state_ << 17;
  return static_cast<std::uint32_t>(state_ >> 16);
}
std::vector<std::uint32_t> Random::words(std::size_t count) {
  std::vector<std::uint32_t> all(count);
  for (std::uint32_t &word : all)
    word = next();
  return all;
}

MicroKernel perThread(const PerThread &k,
                      const std::function<std::uint64_t(const Words &in, unsigned thread)> &expected) {
  const Grid grid = k.grid.x * k.grid.y * k.grid.z > 1 ? k.grid : Grid{k.ctas};
  const auto all = static_cast<unsigned>(grid.x * grid.y * grid.z) * k.threads;
  const bool isWide = k.type == "i64" || k.type == "f64";
  std::string body = "%ctaX = nvvm.read.ptx.sreg.ctaid.x : i32\n%ctaY = nvvm.read.ptx.sreg.ctaid.y : i32\n"
                     "%ctaZ = nvvm.read.ptx.sreg.ctaid.z : i32\n%ctasX = nvvm.read.ptx.sreg.nctaid.x : i32\n"
                     "%ctasY = nvvm.read.ptx.sreg.nctaid.y : i32\n%ctaYZ = llvm.mul %ctaZ, %ctasY : i32\n"
                     "%ctaYs = llvm.add %ctaYZ, %ctaY : i32\n%ctaYX = llvm.mul %ctaYs, %ctasX : i32\n"
                     "%cta = llvm.add %ctaYX, %ctaX : i32\n";
  body +=
      fmt::format("%threads = llvm.mlir.constant({} : i32) : i32\n%start = llvm.mul %cta, %threads : i32\n"
                  "%index = llvm.add %start, %tid : i32\n",
                  k.threads);
  for (unsigned i = 0; i < k.inputs; ++i)
    body +=
        fmt::format("%column{0} = llvm.mlir.constant({1} : i32) : i32\n%at{0} = llvm.add %index, %column{0} "
                    ": i32\n{2}%{3} = llvm.load %in{0} : !llvm.ptr<1> -> i32\n",
                    i, i * all, element(fmt::format("in{}", i), "%in", fmt::format("%at{}", i)),
                    static_cast<char>('a' + i));
  body += k.body;
  body += fmt::format(
      "%outputs = llvm.mlir.constant({} : i32) : i32\n%place = llvm.mul %index, %outputs : i32\n", k.outputs);
  for (unsigned i = 0; i < k.outputs; ++i)
    body +=
        fmt::format("%xi{0} = llvm.mlir.constant({0} : i32) : i32\n%xp{0} = llvm.add %place, %xi{0} : i32\n"
                    "%to{0} = llvm.getelementptr %out[%xp{0}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {1}\n"
                    "llvm.store %x{2}, %to{0} : {1}, !llvm.ptr<1>\n",
                    i, k.type, k.outputs > 1 ? std::to_string(i) : "");
  body += "llvm.return";

  Random random(k.operation + k.variant);
  Words in(k.inputs, std::vector<std::uint32_t>(all));
  std::vector<std::uint32_t> flat;
  for (unsigned i = 0; i < k.inputs; ++i)
    for (std::uint32_t &word : in[i]) {
      word = k.draw ? k.draw(random, i) : random.next();
      flat.push_back(word);
    }
  if (flat.empty())
    flat.push_back(0);
  std::vector<std::byte> after;
  for (unsigned i = 0; i < all * k.outputs; ++i) {
    const std::uint64_t value = expected(in, i);
    const auto *bytes = reinterpret_cast<const std::byte *>(&value);
    after.insert(after.end(), bytes, bytes + (isWide ? 8 : 4));
  }
  return {.operation = k.operation,
          .variant = k.variant,
          .module = moduleText({"%in: !llvm.ptr<1>, %out: !llvm.ptr<1>", body, static_cast<int>(k.threads),
                                16384, k.attributes, k.globals}),
          .grid = grid,
          .maps = {},
          .memories = {{"in", bytesOf(flat), {}},
                       {"out", std::vector<std::byte>(after.size(), std::byte{0xA5}), after, isWide ? 8u : 4u,
                        k.tolerance}}};
}

std::string digest(const MicroKernel &k) {
  std::uint64_t hash = hashed(k.module.data(), k.module.size());
  const std::int64_t extents[] = {k.grid.x, k.grid.y, k.grid.z};
  hash = hashed(extents, sizeof extents, hash);
  for (const Memory &memory : k.memories)
    for (const auto *bytes : {&memory.before, &memory.after})
      hash = hashed(bytes->data(), bytes->size(), hash);
  for (const Map &map : k.maps)
    map.box.describe(map.memory, [&](const TensorDescription &d) {
      const int kinds[] = {static_cast<int>(d.element), static_cast<int>(d.swizzle),
                           static_cast<int>(d.fill)};
      hash = hashed(kinds, sizeof kinds, hash);
      hash = hashed(d.sizes.data(), d.sizes.size_bytes(), hash);
      hash = hashed(d.box.data(), d.box.size_bytes(), hash);
      hash = hashed(d.elementStrides.data(), d.elementStrides.size_bytes(), hash);
    });
  hash = hashed(k.numbers.data(), k.numbers.size() * sizeof(std::int32_t), hash);
  for (const std::string *text : {&k.operation, &k.variant})
    hash = hashed(text->data(), text->size() + 1, hash);
  return fmt::format("{:08x}", (hash ^ hash >> 32) & 0xFFFFFFFF);
}

const Suite &suite() {
  static const Suite all = [] {
    Suite made;
    for (auto add : {addRegisters, addWarps, addMatrices, addBarriers, addMbarriers, addMemory, addAtomics,
                     addCopies, addTensors, addClusters, addProducts, addMath})
      add(made);
    return made;
  }();
  return all;
}

}   // namespace tile::calibration
