// SPDX-License-Identifier: MIT
// Libraries of others: found, refused, and told apart.
#include "tools/bench/library.h"

#include "test/unit/runtime/scratch_folder.h"
#include "tools/bench/product_call.h"
#include "tools/bench/provider.h"

#include <tile/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace tile::bench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::vector<std::string> &files, const char *symbol = nullptr) {
  try {
    const Library library(files);
    if (symbol)
      library.function<int()>(symbol);
    return "found " + library.path();
  } catch (const Error &error) {
    return error.message();
  }
}

TEST(Libraries, NewestNameFirst) {
  constexpr std::array versions{13, 12};
  EXPECT_THAT(library_files("cublas", versions),
              ElementsAre("libcublas.so.13", "libcublas.so.12", "libcublas.so"));
}

TEST(Libraries, TheFoldersOfTheVariableComeFirst) {
  testing::EnvironmentGuard environment;
  environment.set("TILE_LIBRARY_PATH", "/nowhere::" STUBS "/empty:" STUBS "/right");
  EXPECT_EQ(refusal({"libcublas.so"}), "found " STUBS "/empty/libcublas.so");
  EXPECT_EQ(refusal({"libcublas.so"}, "cublasCreate_v2"),
            STUBS "/empty/libcublas.so has no cublasCreate_v2: another version is needed");
  environment.set("TILE_LIBRARY_PATH", STUBS "/right");
  EXPECT_EQ(refusal({"libcublas.so"}, "cublasCreate_v2"), "found " STUBS "/right/libcublas.so");
}

TEST(Libraries, WhatIsNotHereIsSaidWithTheRemedy) {
  EXPECT_EQ(
      refusal({"libtile-none.so.1", "libtile-none.so"}),
      "there is no libtile-none.so on this machine; if it is installed, set TILE_LIBRARY_PATH to its folder");
}

TEST(Libraries, WhatDoesNotLoadHasTheLoadersReason) {
  const testing::ScratchFolder folder;
  folder.write("libtile-broken.so", "this is no library, but long enough to be read as one, header and all");
  testing::EnvironmentGuard environment;
  environment.set("TILE_LIBRARY_PATH", folder.path().c_str());
  EXPECT_THAT(refusal({"libtile-broken.so"}), HasSubstr("cannot be loaded: "));
  EXPECT_THAT(refusal({"libtile-broken.so"}), HasSubstr("libtile-broken.so"));
}

TEST(Libraries, VersionsAsPeopleWriteThem) {
  EXPECT_EQ(blas::version_text(130102), "13.1.2");
  EXPECT_EQ(blas::version_text(120800), "12.8.0");
  EXPECT_EQ(blas::version_text(11905), "11.9.5");
}

registry::Problem problem(const char *kernel,
                          std::initializer_list<std::pair<const char *, const char *>> settings) {
  const registry::Entry &entry = registry::entry(kernel);
  registry::Settings all(entry.parameters);
  for (const auto &[name, value] : settings)
    all.set(name, value);
  return entry.problem(all);
}

std::string cannot(const registry::Problem &problem) {
  try {
    blas::product_call(problem, "cublas");
    return "it can";
  } catch (const Cannot &why) {
    return why.what();
  }
}

TEST(Libraries, AProductAsBlasSeesIt) {
  const auto nt = problem("gemm", {{"m", "5"}, {"n", "7"}, {"k", "3"}, {"trans", "nt"}});
  const blas::ProductCall call = blas::product_call(nt, "cublas");
  EXPECT_EQ(call.m, 7);
  EXPECT_EQ(call.n, 5);
  EXPECT_EQ(call.k, 3);
  EXPECT_EQ(call.transFirst, 1);   // b is stored by columns
  EXPECT_EQ(call.transSecond, 0);
  EXPECT_EQ(call.ldFirst, 3);
  EXPECT_EQ(call.ldSecond, 3);
  EXPECT_EQ(call.ldResult, 7);
  EXPECT_EQ(blas::layout_name(nt), "nt");
}

TEST(Libraries, ABatchAsBlasSeesIt) {
  const blas::ProductCall call = blas::product_call(
      problem("batched_gemm", {{"batch", "4"}, {"m", "5"}, {"n", "7"}, {"k", "3"}, {"shared", "b"}}),
      "cublas");
  EXPECT_EQ(call.rows.size(), 1u);
  EXPECT_EQ(call.batch, 4);
  EXPECT_EQ(call.stepFirst, 0);   // b is shared
  EXPECT_EQ(call.stepSecond, 15);
  EXPECT_EQ(call.stepResult, 35);
}

TEST(Libraries, WhatBlasDoesNotHave) {
  EXPECT_EQ(cannot(problem("softmax", {})), "cublas has no such function");
  EXPECT_EQ(cannot(problem("gemm", {{"act", "gelu"}})), "cublas multiplies without an activation");
  EXPECT_EQ(cannot(problem("gemm", {{"k", "0"}})), "there is nothing to multiply");
  EXPECT_EQ(cannot(problem("gemm", {{"m", "4294967296"}})), "cublas takes sizes of 32 bits");
  EXPECT_EQ(cannot(problem("batched_gemm", {{"batch", "0"}})), "there is nothing to multiply");
  EXPECT_EQ(cannot(problem("gemm", {})), "it can");
  EXPECT_EQ(cannot(problem("grouped_gemm", {})), "it can");
}

}   // namespace
}   // namespace tile::bench
