// SPDX-License-Identifier: MIT
// The table and the status line of a sweep, as people see them.
#include "runtime/tuning/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tile::tuning {
namespace {

using Outcome = Record::Outcome;

Sweep example() {
  auto record = [](int block_n, int warps, Outcome outcome) {
    Record r;
    r.config =
        "block_m=128 block_n=" + std::to_string(block_n) + " launch.num_warps=" + std::to_string(warps);
    r.outcome = outcome;
    return r;
  };
  auto timed = [&](int block_n, int warps, double median, int registers, int shared) {
    Record r = record(block_n, warps, Outcome::timed);
    r.median = median;
    r.spread = 0.006;
    r.samples = 20;
    r.registers = registers;
    r.shared_bytes = shared;
    r.spill_bytes = 0;
    return r;
  };
  Sweep sweep{.kernel = "matmul",
              .key = "4096 4096 4096",
              .records = {},
              .not_timed = {},
              .work = {.flop = 2.0 * 4096 * 4096 * 4096}};
  sweep.records = {record(64, 4, Outcome::pruned), timed(128, 4, 229.9e-6, 128, 128 * 1024),
                   timed(256, 8, 201.4e-6, 168, 144 * 1024), record(512, 16, Outcome::failed),
                   timed(32, 4, 900e-6, 64, 0)};
  sweep.records[0].reason = "refused by keep()";
  sweep.records[3].reason = "needs 256.0 KiB of shared memory, the device has 227.0";
  sweep.records[4].stopped_early = true;
  sweep.winner = 2;
  sweep.seconds = 3.12;
  sweep.compiled_after = 1.23;
  sweep.finals_after = 2.04;
  return sweep;
}

TEST(TuningReport, Table) {
  EXPECT_EQ(
      table(example()),
      " #  block_n  warps     median       +-   TFLOPS   regs   smem KiB   spill\n"
      " 1      256      8   201.4 us     0.6%    682.4    168      144.0       0\n"
      " 2      128      4   229.9 us     0.6%    597.8    128      128.0       0\n"
      " 3       32      4   900.0 us   behind    152.7     64        0.0       0\n"
      " -      512     16   failed: needs 256.0 KiB of shared memory, the device has 227.0\n"
      " -       64      4   pruned: refused by keep()\n"
      "tuned in 3.1 s, compiled after 1.2 s, finals after 2.0 s (5 configs: 3 timed, 1 pruned, 1 failed)\n");
}

TEST(TuningReport, PredictedTimesHaveNoSpread) {
  Sweep sweep = example();
  sweep.is_predicted = true;
  EXPECT_EQ(table(sweep),
            " #  block_n  warps   predicted   TFLOPS   regs   smem KiB   spill\n"
            " 1      256      8    201.4 us    682.4    168      144.0       0\n"
            " 2      128      4    229.9 us    597.8    128      128.0       0\n"
            " 3       32      4    900.0 us    152.7     64        0.0       0\n"
            " -      512     16   failed: needs 256.0 KiB of shared memory, the device has 227.0\n"
            " -       64      4   pruned: refused by keep()\n"
            "predicted in 3.1 s, compiled after 1.2 s, finals after 2.0 s (5 configs: 3 predicted, 1 pruned, "
            "1 failed)\n");
}

TEST(TuningReport, OnlyStepsThatWereTakenHaveATime) {
  Sweep sweep = example();
  sweep.finals_after = 0;
  EXPECT_THAT(table(sweep), ::testing::HasSubstr("\ntuned in 3.1 s, compiled after 1.2 s (5 configs"));
  sweep.compiled_after = 0;
  EXPECT_THAT(table(sweep), ::testing::HasSubstr("\ntuned in 3.1 s (5 configs"));
}

TEST(TuningReport, BytesGiveARateOfTheirOwn) {
  Sweep sweep = example();
  sweep.work = {.bytes = 201.4e-6 * 3.3e12};
  EXPECT_THAT(table(sweep), ::testing::AllOf(::testing::HasSubstr("GB/s"), ::testing::HasSubstr("  3300.0 "),
                                             ::testing::Not(::testing::HasSubstr("TFLOPS"))));
}

TEST(TuningReport, WhatWasNotTimedSaysWhy) {
  Sweep sweep = example();
  sweep.not_timed = "TILE_TUNE=never";
  EXPECT_THAT(table(sweep), ::testing::EndsWith("\nnot timed: TILE_TUNE=never\n"));
}

TEST(TuningReport, Status) {
  const Sweep sweep = example();
  Progressed progress{.compiled = 2, .timed = 0, .candidates = 4};
  EXPECT_EQ(status(sweep, progress), "compile 2/4");
  progress = {.compiled = 4, .timed = 3, .candidates = 4, .best = &sweep.records[2]};
  EXPECT_EQ(status(sweep, progress), "compile 4/4   time 3/4   best 256x8: 201.4 us");
}

TEST(TuningReport, Times) {
  EXPECT_EQ(time_text(1.5e-6), "1.5 us");
  EXPECT_EQ(time_text(0.0123), "12.30 ms");
  EXPECT_EQ(time_text(2.5), "2.50 s");
}

}   // namespace
}   // namespace tile::tuning
