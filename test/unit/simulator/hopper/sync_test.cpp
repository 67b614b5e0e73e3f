// SPDX-License-Identifier: MIT
// Barriers of parts of a program, mbarriers, and what the threads of a warp tell each other.
#include "bench.h"
#include "kernel_text.h"

#include <gmock/gmock.h>

namespace tile::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// What each thread stores as its word: `body` makes %x.
std::vector<std::uint32_t> words(const std::string &body, int threads = 32,
                                 const std::string &attributes = "", int ctas = 1,
                                 SimulatorOptions options = {}) {
  const auto program = compileForHost(HandWritten{
      moduleText({"%out: !llvm.ptr<1>",
                  body +
                      "%cta = nvvm.read.ptx.sreg.ctaid.x : i32\n%dim = nvvm.read.ptx.sreg.ntid.x : i32\n"
                      "%at0 = llvm.mul %cta, %dim : i32\n%at1 = llvm.add %at0, %tid : i32\n" +
                      element("to", "%out", "%at1") + "llvm.store %x, %to : i32, !llvm.ptr<1>\nllvm.return",
                  threads, 8192, attributes})});
  Bench bench(options);
  auto *out = bench.buffer<std::uint32_t>(threads * ctas, "out");
  bench.run(*program, {out}, {.x = ctas});
  return {out, out + threads * ctas};
}
std::string complaintOf(const std::string &body, int threads = 64, SimulatorOptions options = {}) {
  return complaint([&] {
    const auto program = compileForHost(HandWritten{moduleText({"", body + "llvm.return", threads})});
    Bench(options).run(*program, {});
  });
}
template <class Value> void expect(const std::vector<std::uint32_t> &words, Value value) {
  for (std::uint32_t i = 0; i < words.size(); ++i)
    EXPECT_EQ(words[i], static_cast<std::uint32_t>(value(i))) << "thread " << i;
}

const std::string odd = "%bit = llvm.and %tid, %c1 : i32\n%odd = llvm.icmp \"eq\" %bit, %c1 : i32\n";
const std::string wide = "%x = llvm.zext %y : i1 to i32\n";

TEST(WarpOperations, Vote) {
  expect(words(odd + "%x = nvvm.vote.sync ballot %cm1, %odd -> i32\n"), [](auto) { return 0xAAAAAAAAu; });
  expect(words(odd + "%y = nvvm.vote.sync any %cm1, %odd -> i1\n" + wide), [](auto) { return 1; });
  expect(words(odd + "%y = nvvm.vote.sync all %cm1, %odd -> i1\n" + wide), [](auto) { return 0; });
  expect(words(odd + "%y = nvvm.vote.sync uni %cm1, %odd -> i1\n" + wide), [](auto) { return 0; });
}
TEST(WarpOperations, Elect) {
  expect(words("%y = nvvm.elect.sync -> i1\n" + wide, 64), [](auto i) { return i % 32 == 0; });
}
TEST(WarpOperations, Match) {
  expect(words(odd + "%x = nvvm.match.sync any %cm1, %bit : i32 -> i32\n"),
         [](auto i) { return i % 2 ? 0xAAAAAAAAu : 0x55555555u; });
  expect(words("%m = nvvm.match.sync all %cm1, %tid : i32 -> !llvm.struct<(i32, i1)>\n"
               "%x = llvm.extractvalue %m[0] : !llvm.struct<(i32, i1)>\n"),
         [](auto) { return 0; });
}
TEST(WarpOperations, Reduce) {
  expect(words("%x = nvvm.redux.sync add %tid, %cm1 : i32 -> i32\n"), [](auto) { return 31 * 16; });
  expect(words("%x = nvvm.redux.sync umax %tid, %cm1 : i32 -> i32\n"), [](auto) { return 31; });
  expect(words("%x = nvvm.redux.sync min %tid, %cm1 : i32 -> i32\n"), [](auto) { return 0; });
  expect(words("%x = nvvm.redux.sync xor %tid, %cm1 : i32 -> i32\n"), [](auto) { return 0; });
}
TEST(WarpOperations, Registers) {
  expect(words("%l = nvvm.read.ptx.sreg.laneid : i32\n%w = nvvm.read.ptx.sreg.warpid : i32\n"
               "%h = llvm.mul %w, %c1000 : i32\n%x = llvm.add %h, %l : i32\n",
               64),
         [](auto i) { return i / 32 * 1000 + i % 32; });
}

// ---- parts of a warp

TEST(PartsOfAWarp, ShuffleWhereTheirLanesAre) {
  // Both halves at once, each in its own branch.
  const std::string halves =
      "%is0 = llvm.icmp \"ult\" %tid, %c16 : i32\n%low = llvm.mlir.constant(65535 : i32) : i32\n"
      "%high = llvm.mlir.constant(-65536 : i32) : i32\nllvm.cond_br %is0, ^a, ^b\n^a:\n"
      "%y = nvvm.shfl.sync bfly %low, %tid, %c1, %c31 : i32 -> i32\nllvm.br ^end(%y : i32)\n^b:\n"
      "%z = nvvm.shfl.sync idx %high, %tid, %c16, %c31 : i32 -> i32\nllvm.br ^end(%z : i32)\n^end(%x: "
      "i32):\n";
  expect(words(halves), [](auto i) { return i < 16 ? i ^ 1 : 16; });
}
TEST(PartsOfAWarp, AShuffleSaysWhetherThereIsALane) {
  expect(words("%b = nvvm.shfl.sync down %cm1, %tid, %c4, %c31 {return_value_and_is_valid} : i32 -> "
               "!llvm.struct<(i32, i1)>\n%v = llvm.extractvalue %b[0] : !llvm.struct<(i32, i1)>\n"
               "%y = llvm.extractvalue %b[1] : !llvm.struct<(i32, i1)>\n%h = llvm.zext %y : i1 to i32\n"
               "%w = llvm.mul %h, %c1000 : i32\n%x = llvm.add %w, %v : i32\n"),
         [](auto i) { return i < 28 ? 1000 + i + 4 : i; });
}
TEST(PartsOfAWarp, ALaneThatIsNotThereGivesNothing) {
  const std::string low = "%low = llvm.mlir.constant(255 : i32) : i32\n";
  const std::string part = low + "%is0 = llvm.icmp \"ult\" %tid, %c8 : i32\nllvm.cond_br %is0, ^a, ^b\n^a:\n";
  EXPECT_THAT(
      complaintOf(part + "%y = nvvm.shfl.sync bfly %low, %tid, %c8, %c31 : i32 -> i32\nllvm.br ^b\n^b:\n",
                  32),
      HasSubstr("shuffle takes for lane 0 the value of lane 8, which is not in mask 0xff"));
  EXPECT_THAT(complaintOf(low + "%y = nvvm.shfl.sync bfly %low, %tid, %c1, %c31 : i32 -> i32\n", 32),
              HasSubstr("shuffle is reached by a thread that is not in its mask 0xff"));
}
TEST(PartsOfAWarp, MasksThatDisagree) {
  const std::string masks = odd + "%low = llvm.mlir.constant(-2 : i32) : i32\n"
                                  "%mask = llvm.select %odd, %low, %cm1 : i1, i32\n";
  EXPECT_THAT(
      complaintOf(masks + "%y = nvvm.shfl.sync bfly %mask, %tid, %c1, %c31 : i32 -> i32\n", 32),
      HasSubstr("shuffle is reached with mask 0xfffffffe while thread 0 waits there with mask 0xffffffff"));
  // At different places, with masks that overlap.
  EXPECT_THAT(
      complaintOf("%is0 = llvm.icmp \"ult\" %tid, %c16 : i32\nllvm.cond_br %is0, ^a, ^b\n^a:\n"
                  "%y = nvvm.shfl.sync bfly %cm1, %tid, %c1, %c31 : i32 -> i32\nllvm.br ^end\n^b:\n"
                  "%z = nvvm.shfl.sync bfly %cm1, %tid, %c2, %c31 : i32 -> i32\nllvm.br ^end\n^end:\n",
                  32),
      AllOf(HasSubstr("others of its warp are elsewhere"), HasSubstr("thread 0 waits for its warp here")));
}
TEST(PartsOfAWarp, SomebodyOfTheMaskNeverComes) {
  EXPECT_THAT(complaintOf("%low = llvm.mlir.constant(65535 : i32) : i32\n"
                          "%is0 = llvm.icmp \"ult\" %tid, %c8 : i32\nllvm.cond_br %is0, ^a, ^b\n^a:\n"
                          "%y = nvvm.shfl.sync bfly %low, %tid, %c1, %c31 : i32 -> i32\nllvm.br ^b\n^b:\n"
                          "nvvm.barrier0\n",
                          32),
              AllOf(HasSubstr("deadlock"),
                    HasSubstr("threads 0 to 7: at this shuffle, for the rest of mask 0xffff")));
}

// Thread i writes word i, and after what `between` orders, reads that of its neighbour.
std::string exchange(const std::string &between) {
  return "%p = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
         "llvm.store %tid, %p : i32, !llvm.ptr<3>\n" +
         between +
         "%o = llvm.xor %tid, %c1 : i32\n"
         "%q = llvm.getelementptr %smem[%o] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
         "%x = llvm.load %q : !llvm.ptr<3> -> i32\n";
}
TEST(WarpOperations, AWarpBarrierOrders) {
  const auto neighbour = [](auto i) { return i ^ 1; };
  expect(words(exchange("nvvm.bar.warp.sync %cm1 : i32\n"), 64), neighbour);
  EXPECT_THAT(complaint([&] {
                words(exchange("%v = nvvm.elect.sync -> i1\nnvvm.fence.mbarrier.init\nnvvm.barrier id = "
                               "%tid number_of_threads = %c32\n"));
              }),
              HasSubstr("has number"));
  expect(words(exchange("nvvm.barrier id = %c3 number_of_threads = %c64\n"), 64), neighbour);
}
TEST(NamedBarriers, OrderThoseWhoMeet) {
  // Two halves, each with a barrier of its own.
  const std::string half =
      "%w = nvvm.read.ptx.sreg.warpid : i32\n%h = llvm.lshr %w, %c1 : i32\n%n = llvm.add %h, %c1 : i32\n";
  expect(words(exchange(half + "nvvm.barrier id = %n number_of_threads = %c64\n"), 128),
         [](auto i) { return i ^ 1; });
  EXPECT_THAT(complaintOf("nvvm.barrier id = %c1 number_of_threads = %c31\n"),
              HasSubstr("it must be for a multiple of 32"));
  EXPECT_THAT(complaintOf("nvvm.barrier id = %c16 number_of_threads = %c64\n"),
              HasSubstr("the numbers are 0 to 15"));
  EXPECT_THAT(complaintOf("nvvm.barrier id = %c2 number_of_threads = %c64\n", 32), HasSubstr("up to the 32"));
}
TEST(NamedBarriers, ArrivalsDoNotWait) {
  // Warp 0 arrives, warp 1 waits for it and reads what it wrote; the other way round nothing is ordered.
  const auto kernel = [](const char *first, const char *second) {
    return std::string("%is0 = llvm.icmp \"ult\" %tid, %c32 : i32\nllvm.cond_br %is0, ^a, ^b\n^a:\n"
                       "%p = llvm.getelementptr %smem[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
                       "llvm.store %tid, %p : i32, !llvm.ptr<3>\n") +
           first + "llvm.br ^end(%tid : i32)\n^b:\n" + second +
           "%o = llvm.sub %tid, %c32 : i32\n"
           "%q = llvm.getelementptr %smem[%o] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
           "%y = llvm.load %q : !llvm.ptr<3> -> i32\nllvm.br ^end(%y : i32)\n^end(%x: i32):\n";
  };
  expect(words(kernel("nvvm.barrier.arrive id = %c1 number_of_threads = %c64\n",
                      "nvvm.barrier id = %c1 number_of_threads = %c64\n"),
               64),
         [](auto i) { return i % 32; });
  EXPECT_THAT(complaint([&] {
                words(kernel("nvvm.barrier.arrive id = %c1 number_of_threads = %c64\n",
                             "nvvm.barrier.arrive id = %c1 number_of_threads = %c64\n"),
                      64);
              }),
              HasSubstr("which another thread has written since"));
  EXPECT_THAT(complaintOf("%is0 = llvm.icmp \"ult\" %tid, %c32 : i32\nllvm.cond_br %is0, ^a, ^b\n^a:\n"
                          "nvvm.barrier id = %c1 number_of_threads = %c64\nllvm.br ^b\n^b:\n"),
              AllOf(HasSubstr("deadlock"),
                    HasSubstr("threads 0 to 31: at this barrier, number 1, to which 32 of 64")));
}

// Thread 0 makes %bar for `count` arrivals at offset 1024, and all meet.
std::string made(int count) {
  return at("bar", 1024) +
         fmt::format("%n = llvm.mlir.constant({} : i32) : i32\n%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\n"
                     "llvm.cond_br %is0, ^i, ^m\n^i:\nnvvm.mbarrier.init %bar, %n : !llvm.ptr<3>, i32\n"
                     "nvvm.fence.mbarrier.init\nllvm.br ^m\n^m:\nnvvm.barrier0\n",
                     count);
}
const std::string arrive = "%s = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n";
const std::string wait = "nvvm.mbarrier.try_wait.parity %bar, %c0, %c1000 : !llvm.ptr<3>, i32, i32\n";

TEST(MBarriers, OrderThoseWhoArriveAndWait) {
  const auto neighbour = [](auto i) { return i ^ 1; };
  expect(words(made(64) + exchange(arrive + wait), 64), neighbour);
  expect(
      words(made(64) + exchange(arrive + "%r = nvvm.mbarrier.try_wait %bar, %s : !llvm.ptr<3>, i64 -> i1\n"),
            64),
      neighbour);
  EXPECT_THAT(complaint([&] { words(made(64) + exchange(arrive), 64); }), HasSubstr("shared load reads"));
  // Relaxed arrivals order nothing.
  EXPECT_THAT(
      complaint([&] {
        words(made(64) +
                  exchange("%s = nvvm.mbarrier.arrive %bar {relaxed = true} : !llvm.ptr<3> -> i64\n" + wait),
              64);
      }),
      HasSubstr("a race"));
}
TEST(MBarriers, Poll) {
  const std::string loop = arrive + "llvm.br ^poll\n^poll:\n"
                                    "%done = nvvm.mbarrier.test.wait %bar, %s : !llvm.ptr<3>, i64 -> i1\n"
                                    "llvm.cond_br %done, ^go, ^poll\n^go:\n";
  expect(words(made(64) + exchange(loop), 64), [](auto i) { return i ^ 1; });
  EXPECT_THAT(complaint([&] { words(made(65) + exchange(loop), 64); }),
              AllOf(HasSubstr("deadlock"), HasSubstr("waits for 1 of 65 arrivals")));
}
TEST(MBarriers, CountWithDropsAndMoreThanOne) {
  const std::string two = "%s = nvvm.mbarrier.arrive %bar, %c2 : !llvm.ptr<3> -> i64\n";
  expect(words(made(64) + exchange(two + wait), 32), [](auto i) { return i ^ 1; });
  // After a drop of everybody but the first, one arrival ends a phase.
  const std::string drop =
      "llvm.cond_br %is0, ^one, ^drop\n^one:\n%s1 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64\n"
      "llvm.br ^w\n^drop:\n%s2 = nvvm.mbarrier.arrive_drop %bar : !llvm.ptr<3> -> i64\nllvm.br ^w\n^w:\n" +
      wait +
      "nvvm.barrier0\nllvm.cond_br %is0, ^again, ^v\n^again:\n%s3 = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> "
      "-> i64\n"
      "llvm.br ^v\n^v:\nnvvm.mbarrier.try_wait.parity %bar, %c1, %c1000 : !llvm.ptr<3>, i32, i32\n";
  expect(words(made(32) + exchange(drop), 32), [](auto i) { return i ^ 1; });
  const std::string noComplete =
      "%s0 = nvvm.mbarrier.arrive.nocomplete %bar, %c1 : !llvm.ptr<3>, i32 -> i64\n";
  expect(words(made(64) + exchange(noComplete + arrive + wait), 32), [](auto i) { return i ^ 1; });
  EXPECT_THAT(complaintOf(made(1) + "llvm.cond_br %is0, ^x, ^y\n^x:\n" + noComplete + "llvm.br ^y\n^y:\n"),
              HasSubstr("but an arrival without completion must not do so"));
}
TEST(MBarriers, AreCheckedWhenTheyAreUsed) {
  EXPECT_THAT(complaintOf(at("bar", 1024) + arrive),
              HasSubstr("as an mbarrier, but there is no mbarrier yet"));
  EXPECT_THAT(complaintOf(made(1) + "nvvm.mbarrier.init %bar, %n : !llvm.ptr<3>, i32\n"),
              HasSubstr("while it is in use"));
  EXPECT_THAT(complaintOf(made(1) + "%y = llvm.load %bar : !llvm.ptr<3> -> i32\n"),
              HasSubstr("where an mbarrier is in use"));
  EXPECT_THAT(complaintOf(made(2) + "%s = nvvm.mbarrier.arrive %bar, %c3 : !llvm.ptr<3> -> i64\n"),
              HasSubstr("too many arrivals"));
  EXPECT_THAT(complaintOf(made(0)), HasSubstr("asks for 0 arrivals"));
  EXPECT_THAT(
      complaintOf(made(1) + "nvvm.mbarrier.try_wait.parity %bar, %c2, %c1000 : !llvm.ptr<3>, i32, i32\n"),
      HasSubstr("asks for parity 2"));
  EXPECT_THAT(complaintOf(made(1) + "%big = llvm.mlir.constant(1048576 : i32) : i32\n"
                                    "nvvm.mbarrier.expect_tx %bar, %big : !llvm.ptr<3>, i32\n"),
              HasSubstr("it counts up to 1048575"));
  EXPECT_THAT(complaintOf(made(3) + wait),
              AllOf(HasSubstr("for the end of parity 0 of the mbarrier at byte 1024"),
                    HasSubstr("in its phase 0 and waits for 3 of 3 arrivals and for 0 bytes")));
  EXPECT_EQ(complaintOf(made(1) + "llvm.cond_br %is0, ^x, ^y\n^x:\nnvvm.mbarrier.inval %bar : !llvm.ptr<3>\n"
                                  "nvvm.mbarrier.init %bar, %n : !llvm.ptr<3>, i32\nllvm.br ^y\n^y:\n"),
            "");
  // Nobody can know of an init without a barrier.
  EXPECT_THAT(complaintOf(at("bar", 1024) +
                          "%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\nllvm.cond_br %is0, ^i, ^m\n^i:\n"
                          "nvvm.mbarrier.init %bar, %c64 : !llvm.ptr<3>, i32\nllvm.br ^m\n^m:\n" +
                          arrive),
              HasSubstr("but its init is not visible to the thread"));
}
TEST(Registers, AreCounted) {
  EXPECT_EQ(complaintOf("nvvm.setmaxregister decrease 40\nnvvm.setmaxregister increase 232\n"), "");
  EXPECT_EQ(complaintOf("nvvm.griddepcontrol wait\nnvvm.griddepcontrol launch_dependents\n"), "");
}

// Of a kernel that may be started beside the one before it: it waits, in every thread, and before its memory.
TEST(EarlyStarts, AreWaitedForBeforeMemory) {
  const auto complaintOf = [](const std::string &body) {
    return complaint([&] {
      const auto program =
          compileForHost(HandWritten{moduleText({.arguments = "%a: !llvm.ptr<1>",
                                                 .body = body + "llvm.return",
                                                 .moduleAttributes = ", tile_gpu.starts_early"})});
      Bench bench;
      bench.run(*program, {bench.buffer<std::uint32_t>(1024, "a")});
    });
  };
  const std::string wait = "nvvm.griddepcontrol wait\n";
  const std::string first = "%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\n";
  const auto only = [](const std::string &what) {
    return "llvm.cond_br %is0, ^b, ^e\n^b:\n" + what + "llvm.br ^e\n^e:\n";
  };
  const std::string touching[] = {
      "llvm.store %tid, %a : i32, !llvm.ptr<1>\n",
      "nvvm.cp.async.shared.global %smem, %a, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>\n"
      "nvvm.cp.async.commit.group\nnvvm.cp.async.wait.group 0\n",
      only("nvvm.cp.async.bulk.prefetch %a, %c1024 : !llvm.ptr<1>\n")};
  for (const std::string &touch : touching) {
    EXPECT_EQ(complaintOf(first + wait + touch), "") << touch;
    EXPECT_THAT(complaintOf(first + touch + wait),
                HasSubstr("before its thread has waited for the kernels before"))
        << touch;
  }
  EXPECT_EQ(complaintOf(first + only("llvm.store %tid, %smem : i32, !llvm.ptr<3>\n") + wait), "");
  EXPECT_THAT(complaintOf(first + only(wait)),
              HasSubstr("a thread ends without waiting for the kernels before"));
}

}   // namespace
}   // namespace tile::simulator
