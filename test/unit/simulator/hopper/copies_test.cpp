// SPDX-License-Identifier: MIT
// Bulk copies of bytes and of boxes of tensors, in and out, with what lies outside, and matrices of a warp.
#include "bench.h"
#include "kernel_text.h"

#include <gmock/gmock.h>

#include <numeric>

namespace tile::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Completion completions[] = {Completion::latest, Completion::eager, Completion::random};

// A tensor of 32-bit numbers 1, 2, ... with a box, which is brought to shared memory and copied out as it
// lies there, or the other way round.
struct Box {
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint32_t> extents;
  std::vector<int> coordinates;
  TensorSwizzle swizzle = TensorSwizzle::none;
  TensorFill fill = TensorFill::zeros;
  std::vector<std::uint32_t> every;
  TensorElement element = TensorElement::f32;

  std::uint64_t pitch() const { return (sizes[0] * 4 + 15) / 16 * 16; }
  std::size_t words() const {
    std::size_t all = pitch() / 4;
    for (std::size_t i = 1; i < sizes.size(); ++i)
      all *= sizes[i];
    return all;
  }
  unsigned loaded(std::size_t i) const {
    const unsigned step = every.empty() || i == 0 ? 1 : every[i];
    return (extents[i] + step - 1) / step;
  }
  unsigned boxWords() const {
    unsigned all = 1;
    for (std::size_t i = 0; i < extents.size(); ++i)
      all *= loaded(i);
    return all;
  }
  TensorMap *map(Bench &bench, const void *data) const {
    std::vector<std::uint64_t> strides;
    for (std::size_t i = 1; i < sizes.size(); ++i)
      strides.push_back(i == 1 ? pitch() : strides.back() * sizes[i - 1]);
    return bench.map({.element = element,
                      .address = reinterpret_cast<std::uint64_t>(data),
                      .sizes = sizes,
                      .strides = strides,
                      .box = extents,
                      .elementStrides = every,
                      .swizzle = swizzle,
                      .fill = fill});
  }
  // For each word of the box: its place in shared memory, and in the tensor, -1 outside.
  template <class Visit> void forEach(Visit visit) const {
    const unsigned mask = (1u << static_cast<unsigned>(swizzle)) - 1;
    for (unsigned word = 0; word < boxWords(); ++word) {
      unsigned rest = word;
      long at = 0, stride = 1;
      bool isInside = true;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const long index = coordinates[i] + long(rest % loaded(i)) * (every.empty() || i == 0 ? 1 : every[i]);
        rest /= loaded(i);
        isInside = isInside && index >= 0 && index < long(sizes[i]);
        at += index * stride;
        stride = i == 0 ? long(pitch() / 4) : stride * long(sizes[i]);
      }
      const unsigned byte = word * 4, line = byte / 128;
      visit((byte ^ ((line & mask) << 4)) / 4, isInside ? at : -1);
    }
  }
};

std::string coordinates(const Box &box, std::string &names) {
  std::string text;
  for (std::size_t i = 0; i < box.coordinates.size(); ++i) {
    text += fmt::format("%x{} = llvm.mlir.constant({} : i32) : i32\n", i, box.coordinates[i]);
    names += fmt::format("{}%x{}", i ? ", " : "", i);
  }
  return text;
}
// Word i of shared memory and of the buffer %out, for all i below `count`.
std::string eachWord(unsigned count, const std::string &body) {
  return fmt::format(
      "%count = llvm.mlir.constant({} : i32) : i32\nllvm.br ^loop(%tid : i32)\n^loop(%i: i32):\n"
      "%go = llvm.icmp \"ult\" %i, %count : i32\nllvm.cond_br %go, ^one, ^after\n^one:\n"
      "%ps = llvm.getelementptr %smem[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
      "%pg = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n{}"
      "%next = llvm.add %i, %c64 : i32\nllvm.br ^loop(%next : i32)\n^after:\n",
      count, body);
}
const std::string intoOut =
    "%v = llvm.load %ps : !llvm.ptr<3> -> i32\nllvm.store %v, %pg : i32, !llvm.ptr<1>\n";
const std::string fromOut =
    "%v = llvm.load %pg : !llvm.ptr<1> -> i32\nllvm.store %v, %ps : i32, !llvm.ptr<3>\n";

std::string loadText(const Box &box, unsigned bytes, const std::string &more = "") {
  std::string names, constants = coordinates(box, names);
  return moduleText({"%map: !llvm.ptr, %out: !llvm.ptr<1>",
                     constants +
                         loaded(65536, static_cast<int>(bytes),
                                "%to7 = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>\n"
                                "nvvm.cp.async.bulk.tensor.shared.cluster.global %to7, %map, %bar, box[" +
                                    names + "] : !llvm.ptr<7>, !llvm.ptr" + more) +
                         eachWord(box.boxWords(), intoOut) + "llvm.return",
                     64, 65600});
}

void checkLoad(const Box &box) {
  const auto program = compileModuleForHost(loadText(box, box.boxWords() * 4));
  for (const Completion when : completions) {
    Bench bench({.completion = when});
    std::vector<std::uint32_t> data(box.words());
    std::iota(data.begin(), data.end(), 1u);
    auto *out = bench.buffer<std::uint32_t>(box.boxWords(), "out");
    bench.run(*program, {box.map(bench, bench.buffer(data, "x")), out});
    const std::uint32_t fill = box.fill == TensorFill::nan ? ~0u : 0u;
    box.forEach([&](unsigned shared, long at) {
      ASSERT_EQ(out[shared], at < 0 ? fill : data[static_cast<std::size_t>(at)]) << shared;
    });
  }
}

const Box boxes[] = {
    {{100}, {32}, {64}},
    {{100}, {32}, {80}},
    {{50, 20}, {16, 8}, {3, 5}},
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
  std::string names, constants = coordinates(box, names);
  const auto program = compileModuleForHost(moduleText(
      {"%map: !llvm.ptr, %out: !llvm.ptr<1>",
       constants + eachWord(box.boxWords(), fromOut) +
           "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = "
           "#nvvm.shared_space<cta>}\nnvvm.barrier0\n"
           "%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\nllvm.cond_br %is0, ^s, ^e\n^s:\n" +
           operation + " %map, %smem, box[" + names + "]" +
           (operation.contains("reduce") ? " {redKind = #nvvm.tma_redux_kind<add>}" : "") +
           " : !llvm.ptr, !llvm.ptr<3>\nnvvm.cp.async.bulk.commit.group\nnvvm.cp.async.bulk.wait_group 0\n"
           "llvm.br ^e\n^e:\nllvm.return",
       64, 65600}));
  for (const Completion when : completions) {
    Bench bench({.completion = when});
    std::vector<std::uint32_t> data(box.words(), 7), from(box.boxWords());
    std::iota(from.begin(), from.end(), 1u);
    std::vector<std::uint32_t> expected = data;
    box.forEach([&](unsigned shared, long at) {
      if (at >= 0)
        expected[static_cast<std::size_t>(at)] =
            combine(expected[static_cast<std::size_t>(at)], from[shared]);
    });
    auto *to = bench.buffer(data, "x");
    bench.run(*program, {typed.map(bench, to), bench.buffer(from, "from")});
    ASSERT_EQ(std::vector<std::uint32_t>(to, to + data.size()), expected);
  }
}
TEST(TensorCopies, StoreAndReduce) {
  for (const Box &box : boxes) {
    checkStore(
        box, "nvvm.cp.async.bulk.tensor.global.shared.cta", [](auto, auto b) { return b; },
        TensorElement::f32);
    if (box.fill == TensorFill::zeros)
      checkStore(
          box, "nvvm.cp.async.bulk.tensor.reduce", [](auto a, auto b) { return a + b; }, TensorElement::u32);
  }
}

TEST(TensorCopies, AreChecked) {
  const Box box{{64, 40}, {32, 16}, {0, 0}};
  const auto run = [&](const std::string &text, const Box &box, std::size_t missing = 0) {
    return complaint([&] {
      Bench bench;
      auto *x = bench.buffer<std::uint32_t>(box.words() - missing, "x");
      const void *map = box.map(bench, x);
      bench.run(*compileModuleForHost(text), {map, bench.buffer<std::uint32_t>(box.boxWords(), "out")});
    });
  };
  EXPECT_EQ(run(loadText(box, 2048), box), "");
  EXPECT_THAT(run(loadText(box, 1024), box), HasSubstr("deadlock"));
  EXPECT_THAT(run(loadText(box, 4096), box), AllOf(HasSubstr("deadlock"), HasSubstr("for 2048 bytes")));
  Box far = box;
  far.coordinates = {32, 39};
  EXPECT_THAT(run(loadText(far, 2048), far, 16), AllOf(HasSubstr("tensor load"), HasSubstr("`x`")));
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
  const auto program = compileModuleForHost(moduleText(
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
       64, 4112}));
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
    const auto program = compileModuleForHost(
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
                    64, 2048}));
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
    const auto program = compileModuleForHost(moduleText({"%out: !llvm.ptr<1>", body}));
    Bench bench;
    auto *out = bench.buffer<std::uint32_t>(32, "out");
    bench.run(*program, {out});
    for (std::uint32_t i = 0; i < 32; ++i)
      ASSERT_EQ(out[i], i + 1000) << i;
  }
}

}   // namespace
}   // namespace tile::simulator
