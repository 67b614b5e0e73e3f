// SPDX-License-Identifier: MIT
// The race between providers: who is measured, who is out and why, and what comes of it.
#include "test/unit/bench/bench_run.h"

#include <gmock/gmock.h>

namespace tile::bench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Outcome = Row::Outcome;

TEST_F(BenchRun, OursBesideCublas) {
  want_gemm();
  request.peers = {"cublas"};
  device.launch_seconds = 2e-4;
  cublas.seconds = 1e-4;
  const Report report = run();
  ASSERT_THAT(report.cases, SizeIs(1));
  const Case &at = report.cases[0];
  ASSERT_THAT(at.rows, SizeIs(2));
  EXPECT_EQ(at.rows[0].provider, "tile");
  EXPECT_EQ(at.rows[0].config, "block_m=32,block_n=32,block_k=32");
  EXPECT_NEAR(at.rows[0].timing.median, 2e-4, 1e-12);
  EXPECT_THAT(at.rows[0].timing.samples, SizeIs(5));
  EXPECT_GE(at.rows[0].error, 0);
  EXPECT_EQ(at.rows[1].config, "nn");
  EXPECT_NEAR(at.rows[1].timing.median, 1e-4, 1e-12);
  EXPECT_NEAR(*ratio(at, "cublas"), 0.5, 1e-9);
  EXPECT_EQ(at.shape(), "40 x 48 x 24");
  EXPECT_EQ(at.variant(), "f16 nn");
  EXPECT_EQ(at.work.flop, 2.0 * 40 * 48 * 24);
  EXPECT_THAT(report.versions, ElementsAre("cuBLAS 13.1.2, " STUBS "/right/libcublas.so"));
  EXPECT_FALSE(has_failures(report));
  const std::vector<Comparison> all = comparisons(report);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_NEAR(all[0].mean, 0.5, 1e-9);
  EXPECT_EQ(at.state.throttled, "power cap");
  // As it is to be called: on the device's stream, with a workspace, sums in float32. All of it given back.
  EXPECT_EQ(cublas.workspace, std::size_t{32} << 20);
  EXPECT_EQ(cublas.math_mode, 16);
  EXPECT_EQ(cublas.open_handles, 0);
}

TEST_F(BenchRun, InputsRotateThroughMoreThanTheCache) {
  want_gemm();
  device.is.cache_bytes = 1 << 16;
  const Report report = run();
  EXPECT_GE(report.cases[0].input_bytes, 3.0 * (1 << 16) - 1);
  EXPECT_GT(report.cases[0].sets, 10);
  EXPECT_EQ(report.cases[0].rows[0].timing.calls % report.cases[0].sets, 0);
  request.cache = Cache::warm;
  EXPECT_EQ(run().cases[0].sets, 1);
}

TEST_F(BenchRun, EveryLayoutAndTypeIsRight) {
  for (const char *trans : {"nn", "nt", "tn", "tt"})
    want_gemm({{"trans", trans}});
  want_gemm({{"dtype", "i8"}});
  want_gemm({{"dtype", "f32"}});
  want_gemm({{"m", "37"}, {"n", "41"}, {"k", "29"}});   // rows that no descriptor takes
  request.config = {};
  request.peers = {"cublas", "cublaslt-best"};
  device.launch_seconds = 1e-4;
  for (const Case &at : run().cases)
    for (const Row &row : at.rows)
      EXPECT_EQ(row.outcome, Outcome::timed)
          << at.shape() << " " << at.variant() << " " << row.provider << ": " << row.reason;
  EXPECT_EQ(cublaslt.open_descriptors, 0);
}

TEST_F(BenchRun, EveryBatchIsRight) {
  for (const char *trans : {"nn", "nt", "tn", "tt"})
    for (const char *shared : {"none", "a", "b"})
      want("batched_gemm",
           {{"batch", "3"}, {"m", "33"}, {"n", "24"}, {"k", "40"}, {"trans", trans}, {"shared", shared}});
  want("batched_gemm", {{"batch", "1"}, {"m", "33"}, {"n", "24"}, {"k", "40"}});
  request.config = {};
  request.peers = {"cublas", "cublaslt-best"};
  device.launch_seconds = 1e-4;
  for (const Case &at : run().cases) {
    EXPECT_THAT(at.rows, SizeIs(3));
    for (const Row &row : at.rows)
      EXPECT_EQ(row.outcome, Outcome::timed)
          << at.shape() << " " << at.variant() << " " << row.provider << ": " << row.reason;
  }
  EXPECT_EQ(cublaslt.open_descriptors, 0);
}

// cuBLAS is called for each group that has rows.
TEST_F(BenchRun, RowsThatAreDealtToGroups) {
  want("grouped_gemm", {{"groups", "6"}, {"m", "150u"}, {"n", "24"}, {"k", "16"}});
  want("grouped_gemm", {{"groups", "6"}, {"m", "2u"}, {"n", "24"}, {"k", "16"}});
  want("grouped_gemm", {{"groups", "6"}, {"m", "0u"}, {"n", "24"}, {"k", "16"}});
  request.config = {};
  request.peers = {"cublas"};
  device.launch_seconds = 1e-4;
  const Report report = run();
  EXPECT_EQ(report.cases[0].shape(), "6 x 150u x 24 x 16");
  EXPECT_EQ(report.cases[0].work.flop, 2.0 * 150 * 24 * 16);
  for (std::size_t i : {0, 1}) {
    EXPECT_EQ(row(report.cases[i], "tile")->outcome, Outcome::timed) << row(report.cases[i], "tile")->reason;
    EXPECT_EQ(row(report.cases[i], "cublas")->outcome, Outcome::timed)
        << row(report.cases[i], "cublas")->reason;
  }
  EXPECT_EQ(row(report.cases[0], "cublas")->config, "6 calls");
  EXPECT_EQ(row(report.cases[1], "cublas")->config, "2 calls");
  EXPECT_EQ(row(report.cases[2], "cublas")->reason, "there is nothing to multiply");
}

TEST_F(BenchRun, TheBestAlgorithmOfBothLayouts) {
  want_gemm();
  request.peers = {"cublaslt-best"};
  cublaslt.algorithms = 6;
  cublaslt.factors[2] = 0.5;
  const Report report = run();
  const Row *best = row(report.cases[0], "cublaslt-best");
  ASSERT_TRUE(best);
  EXPECT_NEAR(best->timing.median, 5e-5, 1e-12);
  EXPECT_THAT(best->config,
              AllOf(HasSubstr("3 of 6"), HasSubstr("algorithm 20, tile 21, stages 26, K in 22")));
  EXPECT_EQ(cublaslt.workspace, std::size_t{64} << 20);
}

TEST_F(BenchRun, WhoWasLuckyOnceIsNotTakenForIt) {
  want_gemm();
  request.peers = {"cublaslt-best"};
  cublaslt.algorithms = 6;
  cublaslt.lucky_algorithm = 3;
  cublaslt.lucky_calls =
      202;   // in the first, short race: in each layout five calls before it, then three samples
  const Report report = run();
  const Row *best = row(report.cases[0], "cublaslt-best");
  ASSERT_TRUE(best);
  EXPECT_LT(cublaslt.lucky_calls, 0);   // it was fast there, and measured again
  EXPECT_NEAR(best->timing.median, 1e-4, 1e-12);
  EXPECT_THAT(best->config, ::testing::Not(HasSubstr("4 of 6")));
}

TEST_F(BenchRun, AWrongAlgorithmHasItsRowAndTheNextOneIsTaken) {
  want_gemm();
  request.peers = {"cublaslt-best"};
  cublaslt.factors[2] = 0.5;
  cublaslt.wrong_algorithm = 2;
  const Report report = run();
  int wrong = 0, timed = 0;
  for (const Row &row : report.cases[0].rows)
    if (row.provider == "cublaslt-best") {
      wrong += row.outcome == Outcome::wrong;
      timed += row.outcome == Outcome::timed;
      if (row.outcome == Outcome::wrong)
        EXPECT_THAT(row.reason,
                    AllOf(HasSubstr("of 1920 elements are wrong: c[0, 0] is"), HasSubstr("expected")));
      else
        EXPECT_NEAR(row.timing.median, 1e-4, 1e-12);
    }
  EXPECT_EQ(wrong, 2);   // in both layouts
  EXPECT_EQ(timed, 1);
  EXPECT_TRUE(has_failures(report));
}

TEST_F(BenchRun, AnOutputThatNobodyWritesIsWrong) {
  want_gemm();
  request.peers = {"cublas"};
  cublas.writes_nothing = true;
  const Report report = run();
  EXPECT_EQ(row(report.cases[0], "cublas")->outcome, Outcome::wrong);
  EXPECT_THAT(row(report.cases[0], "cublas")->reason, HasSubstr("nan, expected"));
  EXPECT_EQ(row(report.cases[0], "tile")->outcome, Outcome::timed);
}

TEST_F(BenchRun, APeerThatFailsDoesNotEndTheRun) {
  want_gemm();
  want_gemm();
  request.peers = {"cublas"};
  cublas.status = 13;
  const Report report = run();
  ASSERT_THAT(report.cases, SizeIs(2));
  for (const Case &at : report.cases) {
    EXPECT_EQ(row(at, "tile")->outcome, Outcome::timed);
    EXPECT_EQ(row(at, "cublas")->outcome, Outcome::failed);
    EXPECT_EQ(row(at, "cublas")->reason, "cublasGemmEx failed: CUBLAS_STATUS_OF_THE_STUB (13)");
  }
  EXPECT_TRUE(has_failures(report));
}

TEST_F(BenchRun, WhatAPeerDoesNotHaveIsNoFailure) {
  want_gemm();
  cublas.status = 15;   // not supported
  cublaslt.algorithms = 0;
  request.peers = {"cublas", "cublaslt-best", "copy"};
  const Report report = run();
  for (const char *peer : {"cublas", "cublaslt-best", "copy"})
    EXPECT_EQ(row(report.cases[0], peer)->outcome, Outcome::left_out) << peer;
  EXPECT_EQ(row(report.cases[0], "cublas")->reason, "cublas has no such product");
  EXPECT_FALSE(has_failures(report));
}

TEST_F(BenchRun, APeerThatIsNotHereIsANote) {
  want_gemm();
  environment.set("TILE_LIBRARY_PATH", STUBS "/empty");
  request.peers = {"cublas"};
  const Report report = run();
  EXPECT_THAT(report.notes,
              ElementsAre("cublas is not compared with: " STUBS
                          "/empty/libcublas.so has no cublasSetStream_v2: another version is needed"));
  EXPECT_THAT(report.cases[0].rows, SizeIs(1));
  environment.set("TILE_LIBRARY_PATH", STUBS "/right");
  cublas.status_of_create = 1;
  EXPECT_THAT(run().notes,
              ElementsAre("cublas is not compared with: cublasCreate failed: CUBLAS_STATUS_OF_THE_STUB (1)"));
}

TEST_F(BenchRun, OurOwnWrongConfigHasItsRow) {
  want_gemm();
  request.config.config = "block_m=33";
  const Report report = run();
  EXPECT_EQ(report.cases[0].rows[0].outcome, Outcome::failed);
  EXPECT_NE(report.cases[0].rows[0].reason, "");
  request.config.config = "block_q=33";
  EXPECT_THROW(run(), registry::BadSetting);
}

TEST_F(BenchRun, TheTunersFirstAreMeasuredAgain) {
  want("softmax", {{"m", "4"}, {"n", "100"}});
  const Report report = run();
  EXPECT_EQ(report.cases[0].rows[0].outcome, Outcome::timed);
  // By the fields that differ from the default, as --config takes them.
  EXPECT_THAT(report.cases[0].rows[0].config, StartsWith("block="));
  EXPECT_THAT(report.cases[0].rows[0].config, ::testing::Not(HasSubstr("num_stages")));
  EXPECT_THAT(report.cases[0].rows, SizeIs(1));
  // What the tuner copies is one result, not those of all sets.
  EXPECT_LT(device.largest_copy, 4096u * 4);
}

TEST_F(BenchRun, UntunedIsWhatALaunchTakesThatNeverTunes) {
  environment.set("TILE_TUNE", "never");
  want("softmax", {{"m", "4"}, {"n", "100"}});
  request.config.kind = ConfigChoice::Kind::untuned;
  const Report report = run();
  ASSERT_THAT(report.cases[0].rows, SizeIs(1));
  EXPECT_EQ(report.cases[0].rows[0].outcome, Outcome::timed);
  EXPECT_THAT(report.cases[0].rows[0].config, StartsWith("block="));
}

// Each with the config that it took, or nobody could run the same again.
TEST_F(BenchRun, AFunctionOfSeveralKernelsNamesThemAll) {
  environment.set("TILE_TUNE", "never");
  want("attention_backward", {{"heads", "1"}, {"m", "40"}, {"n", "40"}, {"sharing", "1"}});
  request.config.kind = ConfigChoice::Kind::untuned;
  const Report report = run();
  EXPECT_EQ(report.cases[0].rows[0].outcome, Outcome::timed) << report.cases[0].rows[0].reason;
  EXPECT_THAT(
      report.cases[0].rows[0].config,
      ::testing::MatchesRegex(
          "attention_key_gradient (default|block_|rows|launch)[^ ]*; attention_query_gradient [^ ]+"));
}

TEST_F(BenchRun, AllConfigsHaveARow) {
  want("vector_add", {{"n", "3000"}});
  request.config.kind = ConfigChoice::Kind::all;
  request.peers = {"copy"};
  const Report report = run();
  const std::size_t configs = registry::entry("vector_add").configs(request.wanted[0].settings).size();
  EXPECT_GT(configs, 1u);
  EXPECT_THAT(report.cases[0].rows, SizeIs(configs + 1));
  EXPECT_TRUE(ratio(report.cases[0], "copy"));
}

TEST_F(BenchRun, EveryKernelIsRightAndRated) {
  want("vector_add", {{"n", "1000"}});
  want("softmax", {{"m", "9"}, {"n", "70"}, {"dtype", "f16"}});
  want("layer_norm", {{"m", "9"}, {"n", "70"}, {"dtype", "bf16"}});
  want("matmul", {{"m", "33"}, {"n", "20"}, {"k", "17"}});
  want("grouped_gemm", {{"groups", "3"}, {"m", "33"}, {"n", "24"}, {"k", "16"}});
  const Report report = run();
  for (const Case &at : report.cases) {
    ASSERT_THAT(at.rows, SizeIs(1)) << at.kernel;
    EXPECT_EQ(at.rows[0].outcome, Outcome::timed) << at.kernel << ": " << at.rows[0].reason;
    EXPECT_GT(rate(at, 1).value, 0) << at.kernel;
    EXPECT_GT(at.roof_seconds, 0) << at.kernel;
  }
}

TEST_F(BenchRun, WhatDoesNotFitIsSkipped) {
  want_gemm({{"m", "100000"}, {"n", "100000"}, {"k", "100000"}});
  want_gemm();
  const Report report = run();
  EXPECT_EQ(report.cases[0].skipped, "needs 111.8 GiB for 2 sets of operands, the device has 1.0 GiB");
  EXPECT_EQ(report.cases[1].skipped, "");
  device.largest = 1000;
  EXPECT_THAT(run().cases[1].skipped, StartsWith("could not allocate"));
  EXPECT_FALSE(has_failures(report));
}

TEST_F(BenchRun, NothingToDoIsSkipped) {
  want_gemm({{"m", "0"}});
  const Report report = run();
  ASSERT_THAT(report.cases, SizeIs(1));
}

TEST_F(BenchRun, InterruptedItHasWhatIsThere) {
  for (int i = 0; i < 3; ++i)
    want_gemm();
  bool stopped = false;
  request.stop = [&] { return stopped; };
  device.on_telemetry = [&] { stopped = true; };   // in the middle of the samples
  const Report report = run();
  EXPECT_TRUE(report.interrupted);
  ASSERT_THAT(report.cases, SizeIs(1));
  ASSERT_THAT(report.cases[0].rows, SizeIs(1));
  EXPECT_THAT(report.cases[0].rows[0].timing.samples, SizeIs(3));
  EXPECT_EQ(report.cases[0].rows[0].outcome, Outcome::timed);
  EXPECT_GT(report.cases[0].rows[0].timing.median, 0);
}

TEST_F(BenchRun, WithoutAClockItCounts) {
  const std::unique_ptr<Device> still = open_interpreter({.threads = 1});
  want("vector_add", {{"n", "1000"}});
  request.peers = {"cublas"};
  const Report report = measure(*still, request);
  EXPECT_FALSE(report.has_clock);
  EXPECT_THAT(report.notes,
              ElementsAre("the interpreter has no clock: the work of its programs is counted, not timed, and "
                          "there is nothing to compare with"));
  EXPECT_EQ(report.cases[0].rows[0].error, 0);
  EXPECT_TRUE(report.cases[0].rows[0].timing.samples.empty());
}

}   // namespace
}   // namespace tile::bench
