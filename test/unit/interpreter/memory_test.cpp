// SPDX-License-Identifier: MIT
// Loads and stores: what masks keep away, and the reports on accesses that must not happen.
#include "test/unit/interpreter/kernel_text.h"

#include <gtest/gtest.h>

namespace tile::test {
namespace {

// y[i] = x[i + shift] for eight lanes below n, 7 elsewhere.
const char *const shifted = R"(
func.func @shifted(%x: !tile.ptr<f32> {tile.name = "x"}, %y: !tile.ptr<f32> {tile.name = "y"}, %n: i32, %shift: i64)
    attributes {tile.kernel} {
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %ns = tile.splat %n : i32 -> tensor<8xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<8xi32>
  %seven = arith.constant dense<7.0> : tensor<8xf32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %far = tile.splat %shift : i64 -> tensor<8xi64>
  %xf = tile.addptr %xs, %far : tensor<8x!tile.ptr<f32>>, tensor<8xi64>
  %xp = tile.addptr %xf, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  %v = tile.load %xp, %mask, %seven : tensor<8x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %i : tensor<8x!tile.ptr<f32>>, tensor<8xi32>
  tile.store %yp, %v : tensor<8x!tile.ptr<f32>>
  return
}
)";

std::string report(std::string_view message, std::string_view place, std::string_view element,
                   std::string_view kernel, std::string_view rest = "") {
  return "error: " + std::string(message) + "\n  --> kernel.mlir:" + std::string(place) +
         "\n  = program (0, 0, 0)" + std::string(element) + "\n  = kernel " + std::string(kernel) +
         std::string(rest);
}

class Shifted : public testing::Test {
 protected:
  Interpreted kernel{shifted};
  Buffer<f32> x = kernel.buffer(std::vector<f32>{1, 2, 3, 4, 5}, "x"),
              y = kernel.buffer(std::vector<f32>(8), "y");
};

TEST_F(Shifted, MaskedLanesTakeOther) {
  kernel.run({1}, x, y, 5, i64{0});
  EXPECT_EQ(y.to_host(), (std::vector<f32>{1, 2, 3, 4, 5, 7, 7, 7}));
  kernel.run({1}, x, y, 3, i64{2});
  EXPECT_EQ(y.to_host(), (std::vector<f32>{3, 4, 5, 7, 7, 7, 7, 7}));
  kernel.run({1}, x, y, 0, i64{1} << 40);   // wild, but nobody looks
  EXPECT_EQ(y.to_host(), std::vector<f32>(8, 7));
}

TEST_F(Shifted, NullMayBeMaskedOff) {
  const Argument null{element_type<f32 *>};
  kernel.run({1}, null, y, 0, i64{0});
  EXPECT_EQ(y.to_host(), std::vector<f32>(8, 7));
  EXPECT_EQ(kernel.error({1}, null, y, 2, i64{0}),
            report("load reads f32 at address 0x0: a null pointer", "12:8",
                   ", tile element [0]; its mask is true", "shifted"));
}

TEST_F(Shifted, OutsideIsReported) {
  EXPECT_EQ(kernel.error({1}, x, y, 6, i64{0}), report("load reads element 5 of `x`, which has 5", "12:8",
                                                       ", tile element [5]; its mask is true", "shifted"));
  EXPECT_EQ(kernel.error({1}, x, y, 1, i64{-3}), report("load reads element -3 of `x`, which has 5", "12:8",
                                                        ", tile element [0]; its mask is true", "shifted"));
  EXPECT_EQ(kernel.error({1}, x, y, 1, i64{123456}),
            report("load reads element 123,456 of `x`, which has 5", "12:8",
                   ", tile element [0]; its mask is true", "shifted"));
  EXPECT_EQ(kernel.error({1}, x, y, 1, i64{1} << 47),
            report("load reads an element more than 2^48 bytes away from where its pointer started", "12:8",
                   ", tile element [0]; its mask is true", "shifted"));
}

TEST_F(Shifted, AnotherBufferIsOutsideToo) {
  // The address is good, but it is y's.
  const i64 distance = y.data() - x.data();
  const std::string error = kernel.error({1}, x, y, 1, distance);
  EXPECT_NE(error.find(" of `x`, which has 5\n"), std::string::npos) << error;
}

TEST_F(Shifted, StoresAreCheckedAndTellOfMasks) {
  const Buffer<f32> small = kernel.buffer(std::vector<f32>(7), "small");
  EXPECT_EQ(kernel.error({1}, x, small, 0, i64{0}),
            report("store writes element 7 of `small`, which has 7", "15:3", ", tile element [7]", "shifted",
                   "\n  = help: mask it where the index may be outside: `index < n` as the mask"));
}

TEST_F(Shifted, MisalignedAddresses) {
  Argument odd = argument(x);
  odd.bits += 2;
  EXPECT_EQ(kernel.error({1}, odd, y, 1, i64{0}),
            report("load reads f32 at byte 2 of `x`: not aligned to 4 bytes", "12:8",
                   ", tile element [0]; its mask is true", "shifted"));
}

TEST_F(Shifted, ReleasedBuffersAreKnown) {
  const Argument old = [&] { return argument(kernel.buffer(std::vector<f32>(100), "gone")); }();
  const std::string error = kernel.error({1}, old, y, 1, i64{0});
  EXPECT_NE(error.find("`gone`, which was released"), std::string::npos) << error;
}

TEST_F(Shifted, MemoryOfTheCallerHasItsParametersName) {
  std::vector<f32> mine{1, 2, 3};
  const Argument span{element_type<f32 *>, reinterpret_cast<u64>(mine.data()), mine.size() * sizeof(f32),
                      true};
  kernel.run({1}, span, y, 3, i64{0});
  EXPECT_EQ(y.to_host()[2], 3);
  EXPECT_EQ(kernel.error({1}, span, y, 4, i64{0}), report("load reads element 3 of `x`, which has 3", "12:8",
                                                          ", tile element [3]; its mask is true", "shifted"));
  std::vector<f32> unknown{1, 2, 3};
  const std::string error =
      kernel.error({1}, Argument{element_type<f32 *>, reinterpret_cast<u64>(unknown.data())}, y, 1, i64{0});
  EXPECT_EQ(error.substr(0, 32), "error: load reads f32 at address") << error;
}

TEST(Memory, ChecksCanBeSwitchedOff) {
  Interpreted kernel(shifted, {.check_bounds = false});
  const Buffer<f32> x = kernel.buffer(std::vector<f32>(16, 3), "x"),
                    y = kernel.buffer(std::vector<f32>(8), "y");
  Argument inner = argument(x);
  inner.bits += 16;
  kernel.run({1}, inner, y, 8, i64{-2});
  EXPECT_EQ(y.to_host(), std::vector<f32>(8, 3));
}

TEST(Memory, UnwrittenBytesAreReportedWhenAsked) {
  Interpreted kernel(shifted, {.check_uninitialized = true});
  const Buffer<f32> x(kernel.device(), 8, "x"), y(kernel.device(), 8, "y");
  x.device().copy_in(x.data(), std::vector<f32>{1, 2, 3}.data(), 12);
  kernel.run({1}, x, y, 3, i64{0});   // writes y
  EXPECT_EQ(kernel.error({1}, x, y, 5, i64{0}),
            report("load reads element 3 of `x`, which nobody has written", "12:8",
                   ", tile element [3]; its mask is true", "shifted"));
  kernel.run({1}, y, y, 8, i64{0});
}

TEST(Memory, TheFirstProgramThatFailsIsReported) {
  Interpreted kernel(R"(
func.func @each(%x: !tile.ptr<i32> {tile.name = "x"}) attributes {tile.kernel} {
  %p = tile.program_id x
  %q = tile.addptr %x, %p : !tile.ptr<i32>, i32
  tile.store %q, %p : !tile.ptr<i32>
  return
}
)",
                     {.threads = 4});
  const Buffer<i32> x = kernel.buffer(std::vector<i32>(100), "x");
  for (int round = 0; round < 20; ++round)
    EXPECT_EQ(kernel.error({2000}, x), "error: store writes element 100 of `x`, which has 100\n"
                                       "  --> kernel.mlir:5:3\n  = program (100, 0, 0)\n  = kernel each");
  kernel.run({100}, x);
  EXPECT_EQ(x.to_host()[99], 99);
}

TEST(Memory, ConditionsAreBytes) {
  Interpreted kernel(R"(
func.func @op(%x: !tile.ptr<i1>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %xs = tile.splat %x : !tile.ptr<i1> -> tensor<8x!tile.ptr<i1>>
  %xp = tile.addptr %xs, %i : tensor<8x!tile.ptr<i1>>, tensor<8xi32>
  %c = tile.load %xp : tensor<8x!tile.ptr<i1>>
  %v = arith.extui %c : tensor<8xi1> to tensor<8xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %yp = tile.addptr %ys, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %yp, %v : tensor<8x!tile.ptr<i32>>
  return
}
)");
  const Buffer<u8> x = kernel.buffer(std::vector<u8>{0, 1, 2, 255, 128, 0, 7, 0}, "x");
  const Buffer<i32> y = kernel.buffer(std::vector<i32>(8), "y");
  kernel.run({1}, x, y);
  EXPECT_EQ(y.to_host(), (std::vector<i32>{0, 1, 1, 1, 1, 0, 1, 0}));
}

TEST(Memory, PointersInMemoryKnowTheirBuffers) {
  Interpreted kernel(R"(
func.func @table(%t: !tile.ptr<!tile.ptr<i32>> {tile.name = "t"}, %k: i32) attributes {tile.kernel} {
  %p = tile.program_id x
  %tp = tile.addptr %t, %p : !tile.ptr<!tile.ptr<i32>>, i32
  %x = tile.load %tp : !tile.ptr<!tile.ptr<i32>>
  %xp = tile.addptr %x, %k : !tile.ptr<i32>, i32
  %v = tile.load %xp : !tile.ptr<i32>
  %two = arith.constant 2 : i32
  %w = arith.muli %v, %two : i32
  tile.store %xp, %w : !tile.ptr<i32>
  tile.store %tp, %xp : !tile.ptr<!tile.ptr<i32>>
  return
}
)");
  const Buffer<i32> a = kernel.buffer(std::vector<i32>{1, 2, 3}, "a"),
                    b = kernel.buffer(std::vector<i32>{4, 5}, "b");
  const Buffer<i32 *> table = kernel.buffer(std::vector<i32 *>{a.data(), b.data()}, "t");
  kernel.run({2}, table, 1);
  EXPECT_EQ(a.to_host(), (std::vector<i32>{1, 4, 3}));
  EXPECT_EQ(b.to_host(), (std::vector<i32>{4, 10}));
  EXPECT_EQ(table.to_host(), (std::vector<i32 *>{a.data() + 1, b.data() + 1}));
  EXPECT_EQ(kernel.error({2}, table, 1),
            "error: load reads element 2 of `b`, which has 2\n  --> kernel.mlir:7:8\n"
            "  = program (1, 0, 0)\n  = kernel table");
}

// Lane i writes x[i], then reads x[i + shift]; with a barrier between if asked.
std::string exchange(const std::string &between) {
  return R"(
func.func @exchange(%x: !tile.ptr<i32> {tile.name = "x"}, %shift: i32) attributes {tile.kernel} {
  %i = tile.arange 0 to 8 : tensor<8xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %i : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  tile.store %xp, %i : tensor<8x!tile.ptr<i32>>
)" + between +
         R"(
  %s = tile.splat %shift : i32 -> tensor<8xi32>
  %yp = tile.addptr %xp, %s : tensor<8x!tile.ptr<i32>>, tensor<8xi32>
  %v = tile.load %yp : tensor<8x!tile.ptr<i32>>
  return
}
)";
}

TEST(Memory, LanesNeedABarrierToSeeEachOthersStores) {
  Interpreted kernel(exchange(""));
  const Buffer<i32> x = kernel.buffer(std::vector<i32>(24), "x");
  kernel.run({1}, x, 0);   // each its own
  kernel.run({1}, x, 8);   // what nobody stored
  EXPECT_EQ(kernel.error({1}, x, 5),
            "error: load reads element 5 of `x`, which another lane of the program has stored without a "
            "barrier since\n"
            "  --> kernel.mlir:10:8\nnote: it was stored here\n  --> kernel.mlir:6:3\n"
            "  = program (0, 0, 0), tile element [0]\n  = kernel exchange\n  = help: write barrier() between "
            "the two");
  Interpreted fenced(exchange("  tile.barrier"));
  const Buffer<i32> y = fenced.buffer(std::vector<i32>(24), "y");
  fenced.run({1}, y, 5);
}

//===--- offsets that overflow ----------------------------------------------===//

// x[row * stride + column], with the columns a tile; `body` makes %o of %row, %stride and %i.
std::string indexed(const std::string &body) {
  return R"(
func.func @indexed(%x: !tile.ptr<i8> {tile.name = "x"}, %row: i32, %stride: i32, %n: i32) attributes {tile.kernel} {
  %i = tile.arange 0 to 8 : tensor<8xi32>
)" + body +
         R"(
  %ns = tile.splat %n : i32 -> tensor<8xi32>
  %mask = arith.cmpi slt, %i, %ns : tensor<8xi32>
  %xs = tile.splat %x : !tile.ptr<i8> -> tensor<8x!tile.ptr<i8>>
  %xp = tile.addptr %xs, %o : tensor<8x!tile.ptr<i8>>, tensor<8xi32>
  %v = tile.load %xp, %mask : tensor<8x!tile.ptr<i8>>
  return
}
)";
}

TEST(Overflow, OfAnOffsetIsReportedAtTheAccessWithTheOperation) {
  Interpreted kernel(indexed(R"(
  %r = arith.muli %row, %stride : i32
  %rs = tile.splat %r : i32 -> tensor<8xi32>
  %o = arith.addi %rs, %i : tensor<8xi32>)"));
  const Buffer<i8> x = kernel.buffer(std::vector<i8>(8), "x");
  kernel.run({1}, x, 0, 65536, 8);
  kernel.run({1}, x, 65536, 65536, 0);   // wraps, but nothing is accessed
  EXPECT_EQ(kernel.error({1}, x, 65536, 65536, 8),
            R"(error: load reads through an offset that overflowed 32 bits
  --> kernel.mlir:12:8
note: 65,536 * 65,536 is outside 32 bits and wrapped here
  --> kernel.mlir:5:8
  = program (0, 0, 0), tile element [0]; its mask is true
  = kernel indexed
  = help: compute it in 64 bits: cast<i64>(...) on an operand)");
}

TEST(Overflow, IsKnownLaneByLane) {
  Interpreted kernel(indexed(R"(
  %s = tile.splat %row : i32 -> tensor<8xi32>
  %big = arith.addi %s, %i : tensor<8xi32>
  %back = tile.splat %stride : i32 -> tensor<8xi32>
  %o = arith.subi %big, %back : tensor<8xi32>)"));
  const Buffer<i8> x = kernel.buffer(std::vector<i8>(8), "x");
  // 2^31 - 4 + i wraps from lane 4 on, and the lanes before are fine.
  kernel.run({1}, x, 2147483644, 2147483644, 4);
  const std::string error = kernel.error({1}, x, 2147483644, 2147483644, 5);
  EXPECT_NE(error.find("tile element [4]"), std::string::npos) << error;
  EXPECT_NE(error.find("2,147,483,644 + 4 is outside 32 bits"), std::string::npos) << error;
}

TEST(Overflow, OfHashesIsNobodysBusiness) {
  Interpreted kernel(indexed(R"(
  %r = arith.muli %row, %stride : i32
  %rs = tile.splat %r : i32 -> tensor<8xi32>
  %h = arith.addi %rs, %i : tensor<8xi32>
  %seven = arith.constant dense<7> : tensor<8xi32>
  %o = arith.andi %h, %seven : tensor<8xi32>)"));
  const Buffer<i8> x = kernel.buffer(std::vector<i8>(8), "x");
  kernel.run({1}, x, 1234567, 7654321, 8);
}

TEST(Overflow, TravelsThroughLoopsAndPointers) {
  const char *const walk = R"(
func.func @walk(%x: !tile.ptr<i8> {tile.name = "x"}, %step: i32, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %end, %p = scf.for %k = %zero to %n step %one iter_args(%o = %zero, %q = %x) -> (i32, !tile.ptr<i8>) : i32 {
    %next = arith.addi %o, %step : i32
    %far = tile.addptr %x, %next : !tile.ptr<i8>, i32
    scf.yield %next, %far : i32, !tile.ptr<i8>
  }
  %v = tile.load %p : !tile.ptr<i8>
  return
}
)";
  Interpreted kernel(walk);
  const Buffer<i8> x = kernel.buffer(std::vector<i8>(8), "x");
  kernel.run({1}, x, 1, 7);
  const std::string error = kernel.error({1}, x, 1 << 30, 4);   // 4 * 2^30 is 0 again
  EXPECT_NE(error.find("overflowed 32 bits"), std::string::npos) << error;
  EXPECT_NE(error.find("kernel.mlir:6:13"), std::string::npos) << error;
  Interpreted unchecked(walk, {.check_overflow = false});
  const Buffer<i8> y = unchecked.buffer(std::vector<i8>(8), "y");
  unchecked.run({1}, y, 1 << 30, 4);
}

}   // namespace
}   // namespace tile::test
