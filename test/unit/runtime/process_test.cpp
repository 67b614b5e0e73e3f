// SPDX-License-Identifier: MIT
// Other programs, as shells know them, and what becomes of those that do not end.
#include "runtime/process.h"

#include "test/unit/runtime/scratch_folder.h"

#include <tile/error.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

namespace tile {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Ran shell(const std::string &text, int seconds = 600) {
  return run_program({"/bin/sh", "-c", text}, seconds);
}

TEST(Processes, SayWhatTheyWroteAndHowTheyEnded) {
  const Ran good = shell("echo out; echo err >&2");
  EXPECT_EQ(good.out, "out\n");
  EXPECT_EQ(good.err, "err\n");
  EXPECT_TRUE(good.succeeded());
  const Ran failed = shell("exit 3"), killed = shell("kill -9 $$");
  EXPECT_FALSE(failed.succeeded());
  EXPECT_EQ(failed.how(), "exited with status 3");
  EXPECT_FALSE(killed.succeeded());
  EXPECT_EQ(killed.how(), "was killed by signal 9");
}

TEST(Processes, TakeTheirWordsAsTheyAre) {
  EXPECT_EQ(run_program({"/bin/echo", "$HOME;", "a  b", "`x`", ""}, 60).out, "$HOME; a  b `x` \n");
  EXPECT_EQ(run_program({"/bin/cat"}, 60).out, "") << "there is nothing to read";
}

TEST(Processes, MayWriteMuch) {
  const Ran ran = shell("head -c 300000 /dev/zero; head -c 200000 /dev/zero >&2; echo end");
  EXPECT_EQ(ran.out.size(), 300004u);
  EXPECT_EQ(ran.err.size(), 200000u);
}

TEST(Processes, AreAwaitedWhenNobodyListens) {
  const testing::ScratchFolder folder;
  const std::string done = (folder.path() / "done").string();
  EXPECT_TRUE(shell("exec >&- 2>&-; sleep 0.3; : > " + done).succeeded());
  EXPECT_TRUE(std::filesystem::exists(done));
}

TEST(Processes, AreKilledAtTheLimitWithAllTheyStarted) {
  const testing::ScratchFolder folder;
  const std::string number = (folder.path() / "number").string();
  const Ran ran = shell("sleep 2000 & echo $! > " + number + "; echo begun; sleep 2000", 1);
  EXPECT_EQ(ran.how(), "was still running after 1 s");
  EXPECT_EQ(ran.out, "begun\n");
  EXPECT_EQ(shell("exec >&- 2>&-; sleep 2000", 1).how(), "was still running after 1 s");
  // Killed, though perhaps not gone: somebody else is to wait for it.
  int started = 0;
  std::ifstream(number) >> started;
  ASSERT_GT(started, 0);
  char state = 'R';
  for (int tries = 0; tries < 60'000 && state != 'Z'; ++tries) {
    std::ifstream about("/proc/" + std::to_string(started) + "/stat");
    std::string word;
    if (!(about >> word >> word >> state))
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(state == 'Z' || ::kill(started, 0) != 0) << state;
}

TEST(Processes, ThatCannotBeStartedAreErrors) {
  EXPECT_THAT([] { run_program({"/no/such/program"}, 60); },
              ThrowsMessage<Error>(HasSubstr("cannot start /no/such/program: No such file")));
  EXPECT_THAT([] { run_program({"/tmp"}, 60); }, ThrowsMessage<Error>(HasSubstr("cannot start /tmp: ")));
}

TEST(Processes, LeaveNoFilesOpen) {
  const int open_files =
      static_cast<int>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
  for (int i = 0; i < 20; ++i)
    shell("exit 1");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}), open_files);
}

TEST(Programs, AreFoundInFolders) {
  const testing::ScratchFolder folder;
  const std::string tool = folder.write("b/tool", "#!/bin/sh\n"), other = folder.write("a/tool", "");
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  std::filesystem::create_directories(folder.path() / "c" / "tool");
  const std::string a = folder.path() / "a", b = folder.path() / "b", c = folder.path() / "c";
  testing::EnvironmentGuard guard;
  guard.set("PATH", (a + ":" + c + ":" + b).c_str());
  EXPECT_EQ(find_program("tool"), tool) << "the first that may be run, and is no folder";
  EXPECT_EQ(find_program("other"), std::nullopt);
  EXPECT_EQ(find_program(tool), tool);
  EXPECT_EQ(find_program(other), std::nullopt);
  guard.set("PATH", nullptr);
  EXPECT_EQ(find_program("tool"), std::nullopt);
  const std::string_view more[] = {a, b};
  EXPECT_EQ(find_program("tool", more), tool);
}

TEST(TemporaryFiles, AreGoneAfterwards) {
  const testing::ScratchFolder folder;
  testing::EnvironmentGuard guard;
  guard.set("TMPDIR", folder.path().c_str());
  {
    const TemporaryFile file(".ptx", "text"), other(".ptx");
    EXPECT_NE(file.path(), other.path());
    EXPECT_TRUE(file.path().starts_with(folder.path().string()));
    EXPECT_TRUE(file.path().ends_with(".ptx"));
    EXPECT_EQ(file.contents().size(), 4u);
    EXPECT_TRUE(other.contents().empty());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(TemporaryFiles, ThatCannotBeWrittenAreErrors) {
  testing::EnvironmentGuard guard;
  guard.set("TMPDIR", "/proc");   // a folder in which nothing can be made, not by root either
  EXPECT_THAT([] { TemporaryFile(".ptx"); },
              ThrowsMessage<Error>(::testing::AllOf(HasSubstr("cannot make a temporary file /proc/tile-"),
                                                    HasSubstr("help: set TMPDIR"))));
}

}   // namespace
}   // namespace tile
