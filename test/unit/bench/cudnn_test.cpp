// SPDX-License-Identifier: MIT
// cuDNN beside our kernels: how it is asked, and what is said where it cannot.
#include "test/unit/bench/bench_run.h"

#include <gmock/gmock.h>

namespace tile::bench {
namespace {

using ::testing::ElementsAre;
using Outcome = Row::Outcome;

class BenchCudnn : public BenchRun {
 protected:
  BenchCudnn() { request.peers = {"cudnn"}; }
  const Row &peer_of(const Report &report, std::size_t at = 0) { return *row(report.cases[at], "cudnn"); }
};

TEST_F(BenchCudnn, Softmax) {
  for (const char *dtype : {"f16", "bf16", "f32"})
    want("softmax", {{"m", "6"}, {"n", "70"}, {"dtype", dtype}});
  const Report report = run();
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(peer_of(report, i).outcome, Outcome::timed) << peer_of(report, i).reason;
    EXPECT_NEAR(peer_of(report, i).timing.median, 1e-4, 1e-12);
  }
  EXPECT_THAT(report.versions, ElementsAre("cuDNN 9.10.2, " STUBS "/right/libcudnn.so"));
  EXPECT_EQ(cudnn.open_descriptors, 0);
  EXPECT_EQ(cudnn.open_handles, 0);
}

TEST_F(BenchCudnn, LayerNormByAGraph) {
  for (const char *dtype : {"f16", "f32"})
    want("layer_norm", {{"m", "6"}, {"n", "70"}, {"dtype", dtype}});
  const Report report = run();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(peer_of(report, i).outcome, Outcome::timed) << peer_of(report, i).reason;
    EXPECT_EQ(peer_of(report, i).config, "weights as the elements");
  }
  EXPECT_EQ(cudnn.open_descriptors, 0);
}

TEST_F(BenchCudnn, TheNextEngineIsTakenAndThenWeightsAsF32) {
  want("layer_norm", {{"m", "6"}, {"n", "70"}, {"dtype", "f16"}});
  cudnn.finalize_fails = 1;
  EXPECT_EQ(peer_of(run()).config, "weights as the elements");
  cudnn.finalize_fails = 4;   // both engines of both lists
  const Report report = run();
  EXPECT_EQ(peer_of(report).outcome, Outcome::timed) << peer_of(report).reason;
  EXPECT_EQ(peer_of(report).config, "weights as f32");
  EXPECT_EQ(cudnn.weight_type, 0);
  cudnn.finalize_fails = 8;
  EXPECT_EQ(peer_of(run()).outcome, Outcome::left_out);
  cudnn.finalize_fails = 8;
  EXPECT_EQ(peer_of(run()).reason, "cudnn has no engine for it");
  EXPECT_EQ(cudnn.open_descriptors, 0);
}

TEST_F(BenchCudnn, WhatFailsIsWrongOrIsNotThere) {
  want("softmax", {{"m", "6"}, {"n", "70"}});
  want("vector_add", {{"n", "70"}});
  cudnn.is_wrong = true;
  const Report report = run();
  EXPECT_EQ(peer_of(report).outcome, Outcome::wrong);
  EXPECT_EQ(peer_of(report, 1).outcome, Outcome::left_out);
  EXPECT_EQ(peer_of(report, 1).reason, "cudnn is compared with in softmax and layer_norm");
  cudnn.is_wrong = false;
  cudnn.status = 8;
  EXPECT_EQ(peer_of(run()).reason, "cudnnSoftmaxForward failed: CUDNN_STATUS_OF_THE_STUB (8)");
  cudnn.status_of_create = 1;
  EXPECT_THAT(run().notes,
              ElementsAre("cudnn is not compared with: cudnnCreate failed: CUDNN_STATUS_OF_THE_STUB (1)"));
}

}   // namespace
}   // namespace tile::bench
