// SPDX-License-Identifier: MIT
// What a reader learns about asynchronous operations that are used too early, and about deadlocks.
#include "gemm_problem.h"
#include "kernel_text.h"

#include <gmock/gmock.h>

namespace tile::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// What the GEMM with this mistake says.
std::string report(const std::string &mistake, int inFlight = 0, SimulatorOptions options = {}) {
  const auto program = compileForHost(HandWritten{gemmText({.inFlight = inFlight, .mistake = mistake})});
  return complaint([&] { GemmProblem{256, 256, 448, 2}.run(*program, options); });
}

TEST(HopperReports, ADeadlockSaysWhatIsMissing) {
  EXPECT_THAT(
      report("too many bytes announced"),
      AllOf(
          HasSubstr("deadlock: no thread can go on; 127 of 384 threads have ended"),
          HasSubstr("threads 128 to 383: at this mbarrier wait, for the end of parity 0 of the mbarrier at "
                    "byte 163840 of shared memory, which is in its phase 0 and waits for 0 of 1 arrivals and "
                    "for 16 bytes"),
          HasSubstr("thread 0: at this mbarrier wait"), HasSubstr("program (0, 0, 0)"),
          HasSubstr("config num_warps=12 num_ctas=1")));
  EXPECT_THAT(report("result barrier for all"), HasSubstr("to which 128 of 256 threads have come"));
}

TEST(HopperReports, AnOperationThatMayStillRead) {
  for (const SimulatorOptions &options : policies())
    EXPECT_THAT(report("one more in flight", 0, options),
                HasSubstr("tensor load writes byte 0 of shared memory"));
  EXPECT_THAT(report("earlier store not awaited"),
              AllOf(HasSubstr("shared store writes byte"),
                    HasSubstr("while an asynchronous operation may still read it"),
                    HasSubstr("thread 128 began it here")));
}

TEST(HopperReports, ACopyNobodyWaitedFor) {
  EXPECT_THAT(report("consumers wait for the next slot", 0, {.completion = Completion::eager}),
              AllOf(HasSubstr("which an asynchronous copy has written; a wait for the copy is missing"),
                    HasSubstr("the copy began here")));
  EXPECT_THAT(report("store not awaited at the end"), HasSubstr("may still read when its thread ends"));
}

TEST(HopperReports, AFenceThatIsMissing) {
  EXPECT_THAT(report("no proxy fence"), AllOf(HasSubstr("tensor store reads byte"),
                                              HasSubstr("a fence.proxy of async after the write is missing"),
                                              HasSubstr("wrote it here")));
  EXPECT_THAT(report("fence after the barrier"),
              HasSubstr("a fence.proxy of async after the write is missing"));
  EXPECT_THAT(report("no wgmma fence"),
              HasSubstr("wgmma begins without a wgmma fence after its registers were last used"));
  EXPECT_THAT(report("no init fence"), HasSubstr("lacks fence.mbarrier.init"));
}

TEST(SimulatorReports, RegistersThatNoMemoryHolds) {
  const auto keeping = [](const std::string &bytes) {
    return moduleText({"", "%n = llvm.mlir.constant(" + bytes + R"( : i64) : i64
      %zero = llvm.mlir.constant(0 : i8) : i8
      %local = llvm.alloca %n x i8 : (i64) -> !llvm.ptr
      llvm.store volatile %zero, %local : i8, !llvm.ptr
      llvm.return)"});
  };
  EXPECT_NO_THROW(compileForHost(HandWritten{keeping("4000000")}));
  EXPECT_THAT(complaint([&] { compileForHost(HandWritten{keeping("80000000")}); }),
              AllOf(HasSubstr("this config needs 2442 MiB for the registers of the 32 threads of a CTA, "
                              "and the simulator allows 2048; use smaller tiles"),
                    HasSubstr("config num_warps=1 num_ctas=1")));
}

TEST(HopperReports, ThreadsThatDisagree) {
  EXPECT_THAT(report("descriptors differ"),
              AllOf(HasSubstr("wgmma differs among the threads of a warpgroup"), HasSubstr("thread 200")));
}

TEST(HopperReports, RandomRunsAreRepeatable) {
  using enum Completion;
  for (const std::uint32_t seed : {1u, 7u, 23u}) {
    const SimulatorOptions options{.completion = random, .matrix_completion = random, .seed = seed};
    EXPECT_EQ(report("consumers wait for parity 0", 0, options),
              report("consumers wait for parity 0", 0, options));
  }
}

// Operands that threads have written themselves.
std::string written(const std::string &between) {
  return "!acc = !llvm.struct<(f32, f32, f32, f32)>\n" +
         moduleText(
             {"",
              "%z = llvm.mlir.constant(0 : i32) : i32\n%row = llvm.mul %tid, %c64 : i32\nllvm.br ^w(%z : "
              "i32)\n"
              "^w(%i: i32):\n%go = llvm.icmp \"ult\" %i, %c16 : i32\nllvm.cond_br %go, ^s, ^e\n^s:\n"
              "%b0 = llvm.mul %i, %c4 : i32\n%b = llvm.add %row, %b0 : i32\n"
              "%p = llvm.getelementptr %smem[%b] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8\n"
              "llvm.store %z, %p : i32, !llvm.ptr<3>\n%n = llvm.add %i, %c1 : i32\nllvm.br ^w(%n : "
              "i32)\n^e:\n" +
                  between +
                  "%d = llvm.mlir.constant(4611686293305294848 : i64) : i64\n%c = llvm.mlir.zero : !acc\n"
                  "nvvm.wgmma.fence.aligned\n"
                  "%r = tile_gpu.ptx_wgmma [%d] * %d onto %c {n = 8 : i32, type_a = f16, type_b = f16} : "
                  "!acc, i64\n"
                  "nvvm.wgmma.commit.group.sync.aligned\n%v = tile_gpu.ptx_wgmma_wait 0 for %r : "
                  "!acc\nllvm.return",
              128, 8192});
}
TEST(HopperReports, OperandsThatThreadsWrite) {
  const auto run = [](const std::string &between) {
    return complaint([&] { Bench().run(*compileForHost(HandWritten{written(between)}), {}); });
  };
  const std::string fence =
      "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}\n";
  EXPECT_EQ(run(fence + "nvvm.barrier0\n"), "");
  EXPECT_THAT(run("nvvm.barrier0\n"), HasSubstr("a fence.proxy of async after the write is missing"));
  EXPECT_THAT(run("nvvm.barrier0\n" + fence), HasSubstr("a fence.proxy of async after the write is missing"));
  EXPECT_THAT(run(fence), HasSubstr("wgmma reads byte"));
}

TEST(HopperReports, ModulesThatAreNotRight) {
  EXPECT_THAT(complaint([] { compileForHost(HandWritten{"module {"}); }), HasSubstr("error:"));
  EXPECT_THAT(complaint([] { compileForHost(HandWritten{"module {}"}); }),
              HasSubstr("the module has no kernel"));
  EXPECT_THAT(complaint([] { compileForHost(HandWritten{moduleText({"", "llvm.return", 33})}); }),
              HasSubstr("33 threads"));
  EXPECT_THAT(complaint([] { compileForHost(HandWritten{moduleText({"", "llvm.return", 32, 300000})}); }),
              HasSubstr("the limit is 232448"));
}

}   // namespace
}   // namespace tile::simulator
