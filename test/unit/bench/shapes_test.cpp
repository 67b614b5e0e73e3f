// SPDX-License-Identifier: MIT
// Shapes as people write them, and the errors about texts that are not shapes.
#include "tools/bench/shapes.h"

#include "test/unit/runtime/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tile::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScratchFolder;

const registry::Entry &gemm() { return registry::entry("gemm"); }

std::string refusal(const std::string &text, const registry::Entry &kernel = gemm()) {
  try {
    return "accepted " + std::to_string(parse_shapes(text, kernel).size());
  } catch (const registry::BadSetting &wrong) {
    return wrong.what();
  }
}

TEST(Shapes, Lists) {
  EXPECT_THAT(parse_shapes("4096,1x2x3", gemm()),
              ElementsAre(Shape{"4096", "4096", "4096"}, Shape{"1", "2", "3"}));
  EXPECT_THAT(parse_shapes("5", registry::entry("vector_add")), ElementsAre(Shape{"5"}));
  // One number is for the sizes, not for how many groups.
  EXPECT_THAT(parse_shapes("64", registry::entry("grouped_gemm")), ElementsAre(Shape{"5", "64", "64", "64"}));
  EXPECT_THAT(parse_shapes("64", registry::entry("batched_gemm")), ElementsAre(Shape{"5", "64", "64", "64"}));
}

TEST(Shapes, RowsThatAreDealt) {
  const registry::Entry &grouped = registry::entry("grouped_gemm");
  EXPECT_THAT(parse_shapes("64x8192ux2048x1024,2x3x4x5", grouped),
              ElementsAre(Shape{"64", "8192u", "2048", "1024"}, Shape{"2", "3", "4", "5"}));
  const std::string accepted = "` is not a shape; a shape of grouped_gemm is groupsxmxnxk, as in "
                               "8x1024x1024x1024 or 8x1024ux1024x1024, "
                               "with 1024 rows of all dealt unevenly, or one number for all";
  for (const char *wrong :
       {"64ux8192x4x4", "64x8192x4ux4", "64xux4x4", "64x0ux4x4", "64x8uux4x4", "64u", "64x8Ux4x4"})
    EXPECT_EQ(refusal(wrong, grouped), "`" + std::string(wrong) + accepted);
  EXPECT_THAT(refusal("8ux8x8"), HasSubstr("a shape of gemm is mxnxk, as in 1024x1024x1024, or one"));
}

TEST(Shapes, Sweeps) {
  EXPECT_EQ(parse_shapes("sweep:512..4096", gemm()).size(), 4u);
  EXPECT_EQ(parse_shapes("sweep:512..4095", gemm()).size(), 3u);
  EXPECT_THAT(parse_shapes("sweep:512..1536+512", registry::entry("softmax")),
              ElementsAre(Shape{"512", "512"}, Shape{"1024", "1024"}, Shape{"1536", "1536"}));
}

TEST(Shapes, Files) {
  const ScratchFolder folder;
  const std::string good = folder.write("good.txt", "# m x n x k\n512\n\n 8x4096x4096   # skinny\r\n");
  EXPECT_THAT(parse_shapes(good, gemm()),
              ElementsAre(Shape{"512", "512", "512"}, Shape{"8", "4096", "4096"}));
  const std::string bad = folder.write("bad.txt", "512\n\n8x4096\n");
  EXPECT_EQ(refusal(bad),
            bad + ":3: `8x4096` is not a shape; a shape of gemm is mxnxk, as in 1024x1024x1024, or one "
                  "number for all");
  EXPECT_THAT(refusal(folder.write("none.txt", "# nothing\n")),
              HasSubstr("none.txt has no shapes; a shape of gemm is"));
  EXPECT_THAT(refusal("shape.txt"),
              HasSubstr("`shape.txt` is neither a list of shapes nor a file that can be read; a "
                        "shape of gemm is mxnxk"));
  EXPECT_THAT(refusal(folder.path().string()), HasSubstr("nor a file that can be read"));
}

TEST(Shapes, WhatIsNone) {
  EXPECT_EQ(refusal("12y"),
            "`12y` is not a shape; a shape of gemm is mxnxk, as in 1024x1024x1024, or one number for all");
  EXPECT_EQ(refusal("4096,"),
            "`` is not a shape; a shape of gemm is mxnxk, as in 1024x1024x1024, or one number for all");
  EXPECT_EQ(refusal("1x2", registry::entry("vector_add")),
            "`1x2` is not a shape; a shape of vector_add is n, as in 1024");
  EXPECT_THAT(refusal("0"), HasSubstr("`0` is not a shape"));
  EXPECT_THAT(refusal("1x-2x3"), HasSubstr("is not a shape"));
  EXPECT_THAT(refusal("9999999999999999999999"), HasSubstr("takes a whole number from 0 to"));
  EXPECT_THAT(refusal("sweep:512"), HasSubstr("`sweep:512` is not a sweep; accepted are sweep:512..8192"));
  EXPECT_THAT(refusal("sweep:512..x"), HasSubstr("is not a sweep"));
  EXPECT_THAT(refusal("sweep:0..4"), HasSubstr("is not a sweep"));
  EXPECT_THAT(refusal("sweep:8..4"), HasSubstr("sweeps over nothing: 4 is less than 8"));
  EXPECT_THAT(refusal("sweep:8..4096+0"), HasSubstr("is not a sweep"));
  EXPECT_THAT(refusal("sweep:1..1000000+1"), HasSubstr("has more than 1000 shapes"));
  EXPECT_THAT(refusal(""), HasSubstr("`` is not a shape"));
}

TEST(Shapes, EveryKernelHasUsualOnes) {
  for (const registry::Entry &kernel : registry::entries()) {
    EXPECT_GE(usual_shapes(kernel).size(), 2u) << kernel.name;
    EXPECT_EQ(small_shapes(kernel).size(), 1u) << kernel.name;
  }
}

}   // namespace
}   // namespace tile::bench
