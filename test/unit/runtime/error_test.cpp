// SPDX-License-Identifier: MIT
// What an error looks like, to the last space.
#include <tile/error.h>

#include "test/unit/runtime/scratch_folder.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

namespace tile {
namespace {

using testing::CurrentFolder;
using testing::EnvironmentGuard;
using testing::ScratchFolder;

std::string lines(int count, std::string_view last) {
  std::string text;
  for (int i = 1; i < count; ++i)
    text += "line " + std::to_string(i) + "\n";
  return text + std::string(last) + "\n";
}

TEST(Error, WholePicture) {
  const ScratchFolder folder;
  folder.write("gemm.cpp", lines(27, "  auto q = p + (rows * n + cols);"));
  const CurrentFolder inside(folder.path());
  const Error error =
      Error("add: shapes [128] and [256] do not broadcast (128 and 256)", Location("gemm.cpp", 27, 28),
            {{"`cols` was made here", Location("gemm.cpp", 26, 34)}})
          .add_context("kernel matmul<f16>, config block_m=128")
          .add_help("add an axis: rows[all, none], cols[none, all]");
  EXPECT_STREQ(error.what(), R"(error: add: shapes [128] and [256] do not broadcast (128 and 256)
  --> gemm.cpp:27:28
   |
27 |   auto q = p + (rows * n + cols);
   |                            ^
note: `cols` was made here
  --> gemm.cpp:26:34
  = kernel matmul<f16>, config block_m=128
  = help: add an axis: rows[all, none], cols[none, all])");
}

TEST(Error, HelpStaysLast) {
  Error error("bad", {});
  error.add_help("first").add_context("inner").add_help("second").add_context("outer");
  EXPECT_STREQ(error.what(), "error: bad\n  = inner\n  = outer\n  = help: first\n  = help: second");
  EXPECT_EQ(error.message(), "bad");
  EXPECT_EQ(error.context().size(), 4u);
}

TEST(Error, AtAnotherPlaceKeepsTheRest) {
  Error error("bad", {}, {{"made here", Location("gemm.cpp", 26, 34)}});
  error.add_context("inner").add_help("first");
  error.with_code(ErrorCode::out_of_memory);
  const Error there = error.at(Location("gone.cpp", 27, 28));
  EXPECT_STREQ(there.what(),
               "error: bad\n  --> gone.cpp:27:28\nnote: made here\n  --> gemm.cpp:26:34\n  = inner\n"
               "  = help: first");
  EXPECT_EQ(there.code(), ErrorCode::out_of_memory);
  EXPECT_EQ(there.where().line, 27u);
}

TEST(Error, CodesHaveNames) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(ErrorCode::internal); ++i)
    names.insert(name_of(static_cast<ErrorCode>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::internal) + 1);
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(Error, WithoutAPlace) { EXPECT_STREQ(Error("no device", {}).what(), "error: no device"); }

TEST(Error, UnreadableFile) {
  EXPECT_STREQ(Error("bad", Location("nowhere/to/be/found.cpp", 3, 4)).what(),
               "error: bad\n  --> nowhere/to/be/found.cpp:3:4");
}

TEST(Error, SourceLocationOfACall) {
  const Error error("bad", std::source_location::current());
  EXPECT_EQ(error.where().line, static_cast<unsigned>(__LINE__ - 1));
  EXPECT_TRUE(error.where().file.ends_with("error_test.cpp"));
}

TEST(Error, TabsAreCopiedAndLongCharactersAreOneWide) {
  const ScratchFolder folder;
  const std::string file = folder.write("a.cpp", "\tf(\"\xc3\xa4\", x);\r\n");
  // Column 10 in bytes: tab, f, (, ", two bytes of an umlaut, ", comma, space.
  EXPECT_EQ(Error("bad", Location(file, 1, 10)).what(),
            "error: bad\n  --> " + file + ":1:10\n   |\n 1 | \tf(\"\xc3\xa4\", x);\n   | \t       ^");
}

TEST(Error, MarginGrowsWithTheLineNumber) {
  const ScratchFolder folder;
  const std::string file = folder.write("a.cpp", lines(1234, "here"));
  EXPECT_EQ(Error("bad", Location(file, 1234, 1)).what(),
            "error: bad\n  --> " + file + ":1234:1\n     |\n1234 | here\n     | ^");
}

TEST(Error, PlacesThatTheFileDoesNotHave) {
  const ScratchFolder folder;
  const std::string file = folder.write("a.cpp", "one\n");
  EXPECT_EQ(Error("bad", Location(file, 2, 1)).what(), "error: bad\n  --> " + file + ":2:1");
  // Behind the end of the line there is nothing to point at; without a column only the line is shown.
  EXPECT_EQ(Error("bad", Location(file, 1, 9)).what(), "error: bad\n  --> " + file + ":1:9\n   |\n 1 | one");
  EXPECT_EQ(Error("bad", Location(file, 1, 0)).what(), "error: bad\n  --> " + file + ":1\n   |\n 1 | one");
}

TEST(Error, SystemHeadersAreNotShown) {
  const ScratchFolder folder;
  const std::string file = folder.write("include/c++/12/vector", "template\n");
  EXPECT_EQ(Error("bad", Location(file, 1, 1)).what(), "error: bad\n  --> " + file + ":1:1");
}

TEST(Error, RelativeNamesAreLookedUpAboveTheCurrentFolder) {
  const ScratchFolder folder;
  folder.write("kernels/a.cpp", "outer\n");
  folder.write("build/bin/nothing", "");
  const CurrentFolder inside(folder.path() / "build" / "bin");
  EXPECT_STREQ(Error("bad", Location("kernels/a.cpp", 1, 1)).what(),
               "error: bad\n  --> kernels/a.cpp:1:1\n   |\n 1 | outer\n   | ^");
}

TEST(Error, SourceRootComesFirst) {
  const ScratchFolder folder;
  folder.write("a.cpp", "here\n");
  folder.write("elsewhere/a.cpp", "there\n");
  const CurrentFolder inside(folder.path());
  EnvironmentGuard environment;
  environment.set("TILE_SOURCE_ROOT", (folder.path() / "elsewhere").c_str());
  EXPECT_STREQ(Error("bad", Location("a.cpp", 1, 2)).what(),
               "error: bad\n  --> a.cpp:1:2\n   |\n 1 | there\n   |  ^");
}

}   // namespace
}   // namespace tile
