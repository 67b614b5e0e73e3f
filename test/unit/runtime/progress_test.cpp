// SPDX-License-Identifier: MIT
// The progress line: silent for short work, rewriting on terminals, few lines elsewhere.
#include <tile/progress.h>

#include "test/unit/runtime/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <thread>

namespace tile {
namespace {

using namespace std::chrono_literals;

class ProgressLine : public ::testing::Test {
 protected:
  ~ProgressLine() override { std::fclose(stream); }
  Progress::Options quick(bool rewrites) const {
    Progress::Options options;
    options.stream = stream;
    options.rewrites = rewrites;
    options.silent = 0ms;
    options.rewrite_every = 1ms;
    options.line_every = 1ms;
    options.repeat_every = 1h;
    return options;
  }
  // What was printed, with all times as `T`: machines differ.
  std::string text() const {
    std::ifstream file(path);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    std::string result;
    for (std::size_t i = 0; i < all.size();) {
      std::size_t end = i;
      while (end < all.size() && std::isdigit(static_cast<unsigned char>(all[end])))
        ++end;
      const bool is_time = end > i && all.compare(end, 2, " s") == 0;
      const std::size_t length = is_time ? end + 2 - i : std::max<std::size_t>(1, end - i);
      result += is_time ? "T" : all.substr(i, length);
      i += length;
    }
    return result;
  }
  bool appears(const std::string &expected) const {
    for (int i = 0; i < 120'000; ++i) {   // ten minutes
      if (text().find(expected) != std::string::npos)
        return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }

  testing::ScratchFolder folder;
  std::string path = folder.write("output", "");
  std::FILE *stream = std::fopen(path.c_str(), "w");
};

TEST_F(ProgressLine, ShortWorkShowsNothing) {
  Progress::Options options = quick(true);
  options.silent = 1h;
  {
    Progress progress("gemm", options);
    progress.set("compile");
  }
  EXPECT_EQ(text(), "");
}

TEST_F(ProgressLine, RewritesOnTerminalsAndLeavesNothing) {
  {
    Progress progress("gemm", quick(true));
    EXPECT_TRUE(appears("\rgemm   T\x1b[K"));
    progress.set("compile 1/2");
    EXPECT_TRUE(appears("\rgemm   compile 1/2   T\x1b[K"));
  }
  EXPECT_THAT(text(), ::testing::EndsWith("\r\x1b[K"));
  EXPECT_EQ(text().find('\n'), std::string::npos);
}

TEST_F(ProgressLine, LongLinesAreCut) {
  Progress progress(std::string(200, 'x'), quick(true));
  EXPECT_TRUE(appears(std::string(79, 'x') + "\x1b[K"));
  progress.finish();
  EXPECT_EQ(text().find(std::string(80, 'x')), std::string::npos);
}

TEST_F(ProgressLine, TextIsPrintedAboveTheLine) {
  {
    Progress progress("test", quick(true));
    EXPECT_TRUE(appears("\rtest   T\x1b[K"));
    progress.print(stream, "FAIL EL1\n");
    EXPECT_TRUE(appears("\rtest   T\x1b[K\r\x1b[KFAIL EL1\n\rtest   T\x1b[K"));
  }
  EXPECT_THAT(text(), ::testing::EndsWith("\r\x1b[K"));
}

TEST_F(ProgressLine, PlainLinesElsewhere) {
  {
    Progress progress("gemm", quick(false));
    EXPECT_TRUE(appears("gemm   T\n"));
    progress.set("time 1/2");
    EXPECT_TRUE(appears("gemm   time 1/2   T\n"));
    progress.set("time 1/2");   // no news
    progress.finish();
    progress.set("too late");
  }
  EXPECT_EQ(text(), "gemm   T\ngemm   time 1/2   T\n");
}

}   // namespace
}   // namespace tile
