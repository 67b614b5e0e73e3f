// SPDX-License-Identifier: MIT
// Bulk copies of bytes and of boxes of tensors, in and out, with what lies outside, and matrices of a warp.
#include "bench.h"
#include "runtime/simulator/tensor_map.h"
#include "tensor_box.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

namespace tile::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Elements are 32-bit numbers 1, 2, ...
const void *mapOf(Bench &bench, const Box &box, const void *data) {
  return box.describe(reinterpret_cast<std::uint64_t>(data),
                      [&](const TensorDescription &description) { return bench.map(description); });
}

void checkLoad(const Box &box) {
  const auto program = compileForHost(HandWritten{loadText(box, box.boxWords() * 4)});
  for (const Completion when : completions) {
    Bench bench({.completion = when});
    std::vector<std::uint32_t> data(box.words());
    std::iota(data.begin(), data.end(), 1u);
    auto *out = bench.buffer<std::uint32_t>(box.boxWords(), "out");
    bench.run(*program, {mapOf(bench, box, bench.buffer(data, "x")), out});
    const std::uint32_t fill = box.fill == TensorFill::nan ? 0x7FF77FF7u : 0u;
    box.forEach([&](unsigned shared, long at) {
      ASSERT_EQ(out[shared / 4], at < 0 ? fill : data[static_cast<std::size_t>(at / 4)]) << shared;
    });
  }
}

const Box boxes[] = {
    {{100}, {32}, {64}},
    {{100}, {32}, {80}},
    {{50, 20}, {16, 8}, {4, 5}},
    {{50, 20}, {16, 8}, {-4, -3}},
    {{50, 20}, {16, 8}, {40, 15}},
    {{64, 40}, {32, 16}, {32, 30}, TensorSwizzle::bytes128},
    {{64, 40}, {16, 16}, {16, 3}, TensorSwizzle::bytes64},
    {{64, 40}, {8, 16}, {60, 3}, TensorSwizzle::bytes32},
    {{50, 20}, {16, 8}, {40, 15}, TensorSwizzle::none, TensorFill::nan},
    {{20, 6, 7}, {8, 3, 2}, {4, 2, 6}},
    {{20, 6, 7}, {8, 6, 3}, {4, 1, 1}, TensorSwizzle::none, TensorFill::zeros, {1, 2, 1}},
    {{20, 6, 7, 3}, {8, 3, 2, 2}, {4, 2, 1, 2}},
    {{20, 3, 4, 3, 4}, {4, 3, 2, 2, 2}, {4, 1, 1, 2, -1}},
};

TEST(TensorCopies, Load) {
  for (const Box &box : boxes)
    checkLoad(box);
}

void checkStore(const Box &box, const std::string &operation, auto combine, TensorElement element) {
  Box typed = box;
  typed.element = element;
  const auto program = compileForHost(
      HandWritten{storeText(box, operation, operation == tensorReduction ? kindOfReduction("add") : "")});
  for (const Completion when : completions) {
    Bench bench({.completion = when});
    std::vector<std::uint32_t> data(box.words(), 7), from(box.boxWords());
    std::iota(from.begin(), from.end(), 1u);
    std::vector<std::uint32_t> expected = data;
    box.forEach(
        [&](unsigned shared, long at) {
          if (at >= 0)
            expected[static_cast<std::size_t>(at / 4)] =
                combine(expected[static_cast<std::size_t>(at / 4)], from[shared / 4]);
        },
        operation == tensorStore);
    auto *to = bench.buffer(data, "x");
    bench.run(*program, {mapOf(bench, typed, to), bench.buffer(from, "from")});
    ASSERT_EQ(std::vector<std::uint32_t>(to, to + data.size()), expected);
  }
}
TEST(TensorCopies, StoreAndReduce) {
  for (const Box &box : boxes) {
    if (std::any_of(box.coordinates.begin(), box.coordinates.end(), [](int at) { return at < 0; }))
      continue;   // which only a load may
    checkStore(box, tensorStore, [](auto, auto b) { return b; }, TensorElement::f32);
    if (box.fill == TensorFill::zeros)
      checkStore(box, tensorReduction, [](auto a, auto b) { return a + b; }, TensorElement::u32);
  }
}

TEST(TensorCopies, AreChecked) {
  const Box box{{64, 40}, {32, 16}, {0, 0}};
  const auto run = [&](const std::string &text, const Box &box, std::size_t missing = 0) {
    return complaint([&] {
      Bench bench;
      auto *x = bench.buffer<std::uint32_t>(box.words() - missing, "x");
      const void *map = mapOf(bench, box, x);
      bench.run(*compileForHost(HandWritten{text}),
                {map, bench.buffer<std::uint32_t>(box.boxWords(), "out")});
    });
  };
  EXPECT_EQ(run(loadText(box, 2048), box), "");
  EXPECT_THAT(run(loadText(box, 1024), box), HasSubstr("deadlock"));
  EXPECT_THAT(run(loadText(box, 4096), box), AllOf(HasSubstr("deadlock"), HasSubstr("for 2048 bytes")));
  Box far = box;
  far.coordinates = {32, 39};
  EXPECT_THAT(run(loadText(far, 2048), far, 16), AllOf(HasSubstr("tensor load"), HasSubstr("`x`")));
  Box before = box, within = box;
  before.coordinates = {0, -1};
  within.coordinates = {2, 0};
  EXPECT_EQ(run(loadText(before, 2048), before), "");
  EXPECT_THAT(run(storeText(before, tensorStore), before),
              HasSubstr("begins its box before the tensor, at -1 of dimension 1; only a load may do so"));
  EXPECT_THAT(run(loadText(within, 2048), within),
              HasSubstr("begins its box at byte 8 of a row; it must be a multiple of 16"));
  EXPECT_THAT(run(storeText(within, tensorStore), within), HasSubstr("byte 8 of a row"));
  EXPECT_THAT(run(storeText(box, tensorReduction, kindOfReduction("min")), box),
              HasSubstr("a reduction that the tensor's element type does not support"));
  // The last row is filled, whoever's the bytes behind it are.
  Box ragged{{62, 40}, {32, 16}, {32, 24}};
  EXPECT_EQ(run(storeText(ragged, tensorStore), ragged), "");
  EXPECT_THAT(run(storeText(ragged, tensorStore), ragged, 2),
              AllOf(HasSubstr("tensor store"), HasSubstr("`x`")));
  EXPECT_EQ(run(loadText(ragged, 2048), ragged, 2), "");
  Box flat{{64}, {32}, {0}};
  EXPECT_THAT(run(loadText(box, 2048), flat), HasSubstr("names 2 coordinates of a tensor of 1 dimensions"));
  const auto described = [](auto change) {
    const std::uint64_t sizes[] = {64, 40}, strides[] = {256};
    const std::uint32_t extents[] = {32, 16};
    TensorDescription d{
        .element = TensorElement::f32, .address = 4096, .sizes = sizes, .strides = strides, .box = extents};
    return complaint([&] {
      change(d);
      encodeTensorMap(d);
    });
  };
  EXPECT_EQ(described([](auto &) {}), "");
  EXPECT_THAT(described([](auto &d) { d.address = 4104; }), HasSubstr("is not a multiple of 16"));
  EXPECT_THAT(described([](auto &d) { d.swizzle = TensorSwizzle::bytes64; }),
              HasSubstr("more than the 64 of its swizzle"));
  static const std::uint64_t odd[] = {200};
  EXPECT_THAT(described([](auto &d) { d.strides = odd; }), HasSubstr("stride 200 of dimension 1"));
  static const std::uint32_t big[] = {32, 257}, thin[] = {3, 4};
  EXPECT_THAT(described([](auto &d) { d.box = big; }), HasSubstr("box extent 257"));
  EXPECT_THAT(described([](auto &d) { d.box = thin; }), HasSubstr("a row of the box has 12 bytes"));
  EXPECT_THAT(described([](auto &d) { d.strides = {}; }), HasSubstr("2 dimensions have 1 strides"));
}

TEST(BulkCopies, ThereAndBack) {
  const auto program = compileForHost(HandWritten{moduleText(
      {"%a: !llvm.ptr<1>, %b: !llvm.ptr<1>",
       "nvvm.cp.async.bulk.prefetch %a, %c1024 : !llvm.ptr<1>\n" +
           loaded(4096, 1024,
                  "%to7 = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>\n"
                  "nvvm.cp.async.bulk.shared.cluster.global %to7, %a, %bar, %c1024 : !llvm.ptr<7>, "
                  "!llvm.ptr<1>\n") +
           "llvm.cond_br %is0, ^s, ^e\n^s:\n%half = llvm.mlir.constant(255 : i16) : i16\n"
           "nvvm.cp.async.bulk.global.shared.cta %b, %smem, %c1024 byte_mask = %half : !llvm.ptr<1>, "
           "!llvm.ptr<3>\n"
           "nvvm.cp.async.bulk.commit.group\nnvvm.cp.async.bulk.wait_group 0\nllvm.br ^e\n^e:\nllvm.return",
       64, 4112})});
  for (const Completion when : completions) {
    Bench bench({.completion = when});
    std::vector<std::uint32_t> data(256);
    std::iota(data.begin(), data.end(), 5u);
    auto *b = bench.buffer(std::vector<std::uint32_t>(256, 1), "b");
    bench.run(*program, {bench.buffer(data, "a"), b});
    for (std::uint32_t i = 0; i < 256; ++i)
      ASSERT_EQ(b[i], i % 4 < 2 ? i + 5 : 1u) << i;
  }
}

// cp.async whose end an mbarrier announces.
TEST(BulkCopies, OrdinaryOnesArriveToo) {
  for (const char *noinc : {"", " {noinc = true}"}) {
    const auto program = compileForHost(HandWritten{
        moduleText({"%a: !llvm.ptr<1>, %out: !llvm.ptr<1>",
                    at("bar", 1024) +
                        "%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\nllvm.cond_br %is0, ^i, ^m\n^i:\n"
                        "nvvm.mbarrier.init %bar, %c64 : !llvm.ptr<3>, "
                        "i32\nnvvm.fence.mbarrier.init\nllvm.br ^m\n^m:\nnvvm.barrier0\n"
                        "%p = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n" +
                        element("q", "%a", "%tid") +
                        "nvvm.cp.async.shared.global %p, %q, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>\n"
                        "nvvm.cp.async.mbarrier.arrive %bar" +
                        noinc + " : !llvm.ptr<3>\n" +
                        (*noinc ? "" : "%s = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n") +
                        "nvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32\n%o = "
                        "llvm.xor %tid, %c1 : i32\n"
                        "%r = llvm.getelementptr %smem[%o] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
                        "%x = llvm.load %r : !llvm.ptr<3> -> i32\n" +
                        element("t", "%out", "%tid") + "llvm.store %x, %t : i32, !llvm.ptr<1>\nllvm.return",
                    64, 2048})});
    for (const Completion when : completions) {
      Bench bench({.completion = when});
      std::vector<std::uint32_t> data(64);
      std::iota(data.begin(), data.end(), 5u);
      auto *out = bench.buffer<std::uint32_t>(64, "out");
      bench.run(*program, {bench.buffer(data, "a"), out});
      for (std::uint32_t i = 0; i < 64; ++i)
        ASSERT_EQ(out[i], (i ^ 1) + 5) << i;
    }
  }
}

TEST(Matrices, StoreWhatLoadReads) {
  for (const char *layout : {"row", "col"}) {
    const std::string shape =
        fmt::format("layout = #nvvm.mma_layout<{}>, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, "
                    "eltType = #nvvm.ld_st_matrix_elt_type<b16>",
                    layout);
    std::string body = "%row = llvm.mul %tid, %c16 : i32\n"
                       "%p = llvm.getelementptr %smem[%row] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8\n"
                       "%b = llvm.add %tid, %c1000 : i32\n";
    body += "nvvm.stmatrix %p, %tid, %b, %c7, %row {" + shape + "} : !llvm.ptr<3>, i32, i32, i32, i32\n";
    body += "nvvm.bar.warp.sync %cm1 : i32\n%m = nvvm.ldmatrix %p {num = 4 : i32, " + shape;
    body += "} : (!llvm.ptr<3>) -> !llvm.struct<(i32, i32, i32, i32)>\n"
            "%x = llvm.extractvalue %m[1] : !llvm.struct<(i32, i32, i32, i32)>\n";
    body += element("t", "%out", "%tid") + "llvm.store %x, %t : i32, !llvm.ptr<1>\nllvm.return";
    const auto program = compileForHost(HandWritten{moduleText({"%out: !llvm.ptr<1>", body})});
    Bench bench;
    auto *out = bench.buffer<std::uint32_t>(32, "out");
    bench.run(*program, {out});
    for (std::uint32_t i = 0; i < 32; ++i)
      ASSERT_EQ(out[i], i + 1000) << i;
  }
}

}   // namespace
}   // namespace tile::simulator
