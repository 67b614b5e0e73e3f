// SPDX-License-Identifier: MIT
// Steps in processes of their own: whatever one does, its reply or what ended it comes back.
#include "tools/tile/apart.h"

#include <tile/error.h>

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>

#include <unistd.h>

namespace tile::tool {
namespace {

TEST(Apart, RepliesComeBack) {
  int seen = 0;
  const Reply reply = done_apart(
      [&] {
        ++seen;
        return Reply{.seconds = 1.25e-6, .text = "two\nlines"};
      },
      60);
  EXPECT_EQ(reply.seconds, 1.25e-6);
  EXPECT_EQ(reply.text, "two\nlines");
  EXPECT_EQ(reply.failure, "");
  EXPECT_EQ(seen, 0) << "another process has counted";
  const std::string long_text(1 << 20, 'x');   // more than a pipe holds
  EXPECT_EQ(done_apart([&] { return Reply{.text = long_text}; }, 60).text, long_text);
}

TEST(Apart, WhatEndsAProcessIsSaid) {
  const auto failure = [](const std::function<Reply()> &step, int limit = 60) {
    return done_apart(step, limit).failure;
  };
  EXPECT_EQ(failure([]() -> Reply { std::abort(); }), "ended by signal 6, Aborted");
  EXPECT_EQ(failure([]() -> Reply {
              std::raise(SIGKILL);
              return {};
            }),
            "ended by signal 9, Killed");
  EXPECT_EQ(failure([]() -> Reply { ::_exit(7); }), "ended with exit code 7");
  EXPECT_EQ(failure([]() -> Reply { throw Error("no such tile", {}); }), "no such tile");
  EXPECT_EQ(failure([]() -> Reply { throw std::runtime_error("something"); }), "something");
  EXPECT_EQ(failure(
                []() -> Reply {
                  for (;;)
                    ::pause();
                },
                1),
            "no end within 1 s");
}

}   // namespace
}   // namespace tile::tool
