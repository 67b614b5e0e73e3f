// SPDX-License-Identifier: MIT
// Tensor maps that a kernel changes before it copies with them, and what it may forget.
#include "../mutation.h"
#include "bench.h"
#include "device_map.h"
#include "runtime/simulator/tensor_map.h"

#include <gmock/gmock.h>

#include <numeric>

namespace tile::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The 64 words of the box, 8 rows of 8 from row 1 on.
std::vector<std::uint32_t> box(const MapSteps &steps, Completion when = Completion::latest,
                               const Alteration &alter = {}) {
  const auto program = compileForHost(HandWritten{steps.text()}, alter);
  Bench bench({.completion = when});
  std::vector<std::uint32_t> words(128);
  std::iota(words.begin(), words.end(), 1u);
  const auto *data = bench.buffer(words, "data");
  const auto *other = bench.buffer<std::uint32_t>(64, "other");
  const std::uint64_t size = 8;
  const std::uint32_t extent = 4;
  const void *map = bench.map({.element = TensorElement::u32,
                               .address = reinterpret_cast<std::uint64_t>(other),
                               .sizes = {&size, 1},
                               .strides = {},
                               .box = {&extent, 1}});
  auto *place = bench.buffer<TensorMap>(2, "place");
  place =
      reinterpret_cast<TensorMap *>((reinterpret_cast<std::uintptr_t>(place) + 127) & ~std::uintptr_t{127});
  auto *out = bench.buffer<std::uint32_t>(64, "out");
  bench.run(*program, {map, place, data, out});
  return {out, out + 64};
}
std::string report(const MapSteps &steps) {
  return complaint([&] { box(steps); });
}

TEST(DeviceMaps, EveryFieldIsReplaced) {
  for (const Completion when : completions) {
    const std::vector<std::uint32_t> words = box({}, when);
    for (std::uint32_t i = 0; i < 64; ++i) {
      // Rows of 32 bytes, swizzled: 16 bytes change places where bit 7 of their place is set. Row 8 is
      // outside.
      const std::uint32_t byte = (i * 4) ^ ((i * 4 >> 7 & 1) << 4), row = byte / 32 + 1,
                          column = 8 + byte / 4 % 8;
      EXPECT_EQ(words[i], row < 8 ? row * 16 + column + 1 : 0x7FF77FF7u) << i;
    }
  }
}

TEST(DeviceMaps, InGlobalMemory) {
  const std::string release = "nvvm.fence.proxy.release #nvvm.mem_scope<gpu>\n";
  MapSteps steps = MapSteps::inGlobalMemory(), unfenced = steps;
  unfenced.written = MapSteps().written;
  unfenced.changed = MapSteps().changed;
  EXPECT_EQ(box(steps), box({}));
  steps.changed = "nvvm.bar.warp.sync %cm1 : i32\n";
  EXPECT_THAT(report(steps),
              AllOf(HasSubstr("tensor load takes a map that was changed through the generic proxy, without a "
                              "fence.proxy of tensormap that releases the change"),
                    HasSubstr("changed it here")));
  steps.changed = "nvvm.bar.warp.sync %cm1 : i32\n" + release;   // all lanes release what they know of
  EXPECT_EQ(report(steps), "");
  EXPECT_THAT(report(unfenced), HasSubstr("finds no tensor map there"));
}

TEST(DeviceMaps, CopiedByOneThread) {
  MapSteps steps = MapSteps::copiedByOne();
  for (const Completion when : completions)
    EXPECT_EQ(box(steps, when), box({}));
  steps.changes = "";
  steps.changed = "nvvm.bar.warp.sync %cm1 : i32\n";
  EXPECT_THAT(report(steps), HasSubstr("tensor load takes a map that was changed through the generic proxy, "
                                       "without a fence.proxy of tensormap that releases"));
}

TEST(DeviceMaps, WhatMayBeForgotten) {
  MapSteps steps;
  steps.acquired = "";
  EXPECT_THAT(report(steps), AllOf(HasSubstr("tensor load takes a map that was changed"),
                                   HasSubstr("without a fence.proxy of tensormap that acquires")));
  steps = {};
  steps.acquired = std::exchange(steps.published, "") + "";   // the fence comes first
  steps.published = MapSteps().acquired;
  EXPECT_THAT(report(steps), HasSubstr("that acquires the change"));
  steps = {};
  steps.written = "";
  EXPECT_THAT(report(steps),
              HasSubstr("of a tensor map reads byte 4 of shared memory, which nobody has written yet"));
  steps = {};
  steps.changed = "";
  EXPECT_THAT(report(steps),
              AllOf(HasSubstr("tensor map copy reads byte"), HasSubstr("which another thread has written")));
  steps = {};
  steps.published = "";
  EXPECT_THAT(report(steps), HasSubstr("expects an encoded tensor map there"));
}

// While a copy by it may be under way nobody changes a map, whenever the copy lands.
TEST(DeviceMaps, AreLeftAloneWhileTheyAreUsed) {
  const std::string again =
      "tile_gpu.ptx_map_replace \"global_dim\" 0 of %place with %c16 : !llvm.ptr<1>, i32\n";
  for (const Completion when : completions) {
    MapSteps steps;
    steps.afterCopy = again;
    EXPECT_THAT(
        complaint([&] { box(steps, when); }),
        AllOf(HasSubstr("changes a map that a copy may still use"), HasSubstr("the copy began here")));
    steps.afterCopy = "";
    steps.afterWait = again;
    EXPECT_EQ(complaint([&] { box(steps, when); }), "");
  }
}

// Everything that a code generator could leave out or confuse.
TEST(DeviceMaps, MistakesAreFound) {
  MapSteps steps;
  const std::string harmless =
      "tile_gpu.ptx_map_replace \"interleave_layout\" of %smem to 0 : !llvm.ptr<3>\n";
  steps.changes.erase(steps.changes.find(harmless), harmless.size());
  const std::vector<std::uint32_t> expected = box(steps);
  unsigned made = 0;
  for (const char *kind : {"replaces another dimension", "a field is not replaced", "a map is not published",
                           "no fence of maps"})
    for (unsigned number = 0;; ++number) {
      Mistake mistaken;
      std::vector<std::uint32_t> words;
      const std::string report =
          complaint([&] { words = box(steps, Completion::latest, mistake(number, mistaken, kind)); });
      if (mistaken.kind.empty())
        break;
      ++made;
      EXPECT_TRUE(!report.empty() || words != expected) << mistaken.kind << ", number " << number;
    }
  EXPECT_EQ(made, 6u + 11u + 1u + 1u);
}

// Another thread uses the map than the one that acquired it.
TEST(DeviceMaps, AnAcquisitionOfAnotherThread) {
  MapSteps steps;
  const std::string acquires =
      "%last = llvm.icmp \"eq\" %tid, %c31 : i32\nllvm.cond_br %last, ^fence, ^fenced\n"
      "^fence:\n" +
      MapSteps().acquired + "llvm.br ^fenced\n^fenced:\n";
  steps.acquired = acquires + "nvvm.bar.warp.sync %cm1 : i32\n";
  EXPECT_EQ(report(steps), "");
}

TEST(DeviceMaps, FieldsThatAreNotRight) {
  const auto with = [](const std::string &change) {
    MapSteps steps;
    steps.changes += change;
    return report(steps);
  };
  EXPECT_THAT(with("tile_gpu.ptx_map_replace \"box_dim\" 0 of %smem with %c512 : !llvm.ptr<3>, i32\n"),
              HasSubstr("replacement of box_dim of a tensor map takes 512, which is not in 1 to 256"));
  EXPECT_THAT(with("tile_gpu.ptx_map_replace \"rank\" of %smem with %c7 : !llvm.ptr<3>, i32\n"),
              HasSubstr("takes 7, which is not in 0 to 4"));
  EXPECT_THAT(with("%odd = llvm.mlir.constant(40 : i64) : i64\n"
                   "tile_gpu.ptx_map_replace \"global_stride\" 0 of %smem with %odd : !llvm.ptr<3>, i64\n"),
              HasSubstr("takes 40, which is not a multiple of 16 below 2^40"));
  EXPECT_THAT(with("tile_gpu.ptx_map_replace \"interleave_layout\" of %smem to 1 : !llvm.ptr<3>\n"),
              HasSubstr("takes 1, which the simulator does not support"));
  // What only the use shows: a row of 32 bytes is not what a swizzle of 128 takes.
  EXPECT_THAT(with("tile_gpu.ptx_map_replace \"swizzle_mode\" of %smem to 3 : !llvm.ptr<3>\n"),
              HasSubstr("tensor load takes a map that breaks a rule: a row of the box has 32 bytes"));
  EXPECT_THAT(with("tile_gpu.ptx_map_replace \"elemtype\" of %smem to 2 : !llvm.ptr<3>\n"),
              HasSubstr("only floats are filled with NaN"));
  // Another extent than the buffer's.
  EXPECT_THAT(with("tile_gpu.ptx_map_replace \"global_dim\" 1 of %smem with %c16 : !llvm.ptr<3>, i32\n"),
              HasSubstr("of a tensor or buffer: element 544 of `data`, which has 512"));
}

}   // namespace
}   // namespace tile::simulator
