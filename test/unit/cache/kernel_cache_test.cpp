// SPDX-License-Identifier: MIT
// Kernels on disk: what is kept comes back, whatever else is there is as if it were not.
#include "runtime/cache/kernel_cache.h"
#include "test/unit/runtime/scratch_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <random>
#include <set>

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tile {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

CacheKey key(const std::string &what) {
  CacheKey key;
  key.add("kernel", "scale");
  key.add("trace", what);
  return key;
}

LoweredKernel kernel(const std::string &code) {
  LoweredKernel kernel;
  kernel.name = kernel.symbol = "scale";
  kernel.target = "sm_90a";
  kernel.kind = LoweredKernel::Code::cubin;
  kernel.set_text(code);
  return kernel;
}

std::string refusal(const std::string &folder, bool writes = true) {
  try {
    KernelCache(folder, writes, KernelCache::mib);
  } catch (const Error &error) {
    return error.message();
  }
  return "";
}

class Kept : public ::testing::Test {
 protected:
  std::string folder() const { return (scratch.path() / "kept" / "kernels").string(); }
  KernelCache cache(bool writes = true, std::uint64_t most = KernelCache::mib) {
    return {folder(), writes, most};
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> files;
    for (const auto &file : fs::directory_iterator(folder()))
      if (file.path().extension() == ".kernel")
        files.push_back(file.path());
    return files;
  }
  testing::ScratchFolder scratch;
};

TEST(CacheKeys, FieldsDoNotRunIntoEachOther) {
  CacheKey one, other, third;
  one.add("a", "bc");
  other.add("ab", "c");
  third.add("a", "b");
  third.add("", "c");
  EXPECT_FALSE(one == other);
  EXPECT_FALSE(one == third);
  EXPECT_NE(one.file_name(), other.file_name());
  ASSERT_EQ(one.fields().size(), 1u);
  EXPECT_EQ(one.value("a"), "bc");
  EXPECT_EQ(one.value("b"), "");
  for (std::size_t length = 1; length < one.bytes().size(); ++length)
    EXPECT_TRUE(CacheKey(one.bytes().substr(0, length)).fields().empty()) << length;
}

TEST_F(Kept, ComesBack) {
  EXPECT_EQ(cache().find(key("a")), std::nullopt);
  cache().insert(key("a"), kernel("code of a"));
  cache().insert(key("b"), kernel("code of b"));
  EXPECT_EQ(cache().find(key("a")), kernel("code of a"));
  EXPECT_EQ(cache().find(key("b")), kernel("code of b"));
  EXPECT_EQ(cache().find(key("c")), std::nullopt);
  cache().insert(key("a"), kernel("other code"));
  EXPECT_EQ(cache().find(key("a")), kernel("other code"));
  cache().remove(key("a"));
  EXPECT_EQ(cache().find(key("a")), std::nullopt);
}

TEST_F(Kept, IsOfItsUserAlone) {
  cache().insert(key("a"), kernel("code"));
  struct stat about{};
  ASSERT_EQ(stat(folder().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0700u);
  ASSERT_EQ(stat(files().at(0).c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0600u);
}

// Code of a process is never taken from a file.
TEST_F(Kept, HoldsNothingThatRunsHere) {
  LoweredKernel host = kernel("code");
  host.kind = LoweredKernel::Code::host;
  cache().insert(key("a"), host);
  EXPECT_TRUE(files().empty());
}

TEST_F(Kept, FoldersThatCannotBeTrustedAreRefused) {
  EXPECT_THAT(refusal("kept"), HasSubstr("kept is not an absolute path"));
  EXPECT_EQ(refusal(folder()), "");
  const fs::path link = scratch.path() / "link";
  fs::create_directory_symlink(folder(), link);
  EXPECT_THAT(refusal(link), HasSubstr("it is not a folder, or it is a link to one"));
  EXPECT_THAT(refusal(scratch.write("file", "")), HasSubstr("it is not a folder"));
  fs::permissions(folder(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_THAT(refusal(folder()), HasSubstr("can be written by other users; run `chmod go-w` on it"));
  EXPECT_EQ(refusal(folder(), /*writes=*/false), "");
  EXPECT_THAT(refusal(scratch.path() / "none", /*writes=*/false), HasSubstr("cannot be opened"));
}

TEST_F(Kept, IsNotTouchedWhereItIsRead) {
  cache().insert(key("a"), kernel("code"));
  const auto before = fs::last_write_time(files().at(0));
  KernelCache reader = cache(/*writes=*/false);
  EXPECT_EQ(reader.find(key("a")), kernel("code"));
  reader.insert(key("b"), kernel("more"));
  reader.remove(key("a"));
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(fs::last_write_time(files().at(0)), before);
}

// Whatever a file became, it is no other kernel; and it is gone.
TEST_F(Kept, DamageIsFound) {
  cache().insert(key("a"), kernel("code of the kernel"));
  const fs::path file = files().at(0);
  std::ifstream in(file, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  const auto now = [&](const std::string &bytes) {
    std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
    const std::vector<KernelCache::Entry> entries = cache().entries();
    EXPECT_TRUE(entries.size() == 1 && !entries[0].damage.empty());
    const bool is_there = cache().find(key("a")).has_value();
    EXPECT_FALSE(is_there);
    EXPECT_FALSE(fs::exists(file));
  };
  for (std::size_t length = 0; length < whole.size(); ++length)
    now(whole.substr(0, length));
  now(whole + "x");
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int bit : {0, 7}) {
      SCOPED_TRACE(at);
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      now(damaged);
    }
}

// A whole entry in the place of another one is not it.
TEST_F(Kept, EntriesOfOtherKeysAreNotTaken) {
  cache().insert(key("a"), kernel("code of a"));
  const fs::path a = files().at(0);
  fs::rename(a, a.parent_path() / (key("b").file_name() + ".kernel"));
  EXPECT_EQ(cache().find(key("b")), std::nullopt);
  EXPECT_EQ(cache().entries().at(0).damage, "its file name is that of another key");
}

TEST_F(Kept, LinksAndPipesAreNotRead) {
  cache().insert(key("a"), kernel("code"));
  const fs::path a = files().at(0), elsewhere = scratch.path() / "elsewhere";
  fs::rename(a, elsewhere);
  fs::create_symlink(elsewhere, a);
  EXPECT_EQ(cache().find(key("a")), std::nullopt);
  fs::remove(a);
  ASSERT_EQ(mkfifo(a.c_str(), 0600), 0);
  EXPECT_EQ(cache().find(key("a")), std::nullopt);
  EXPECT_TRUE(cache().entries().empty());
}

TEST_F(Kept, TheLeastRecentlyUsedGo) {
  const std::string code(100 << 10, 'x');
  KernelCache kept = cache(true, 350 << 10);
  for (const char *name : {"a", "b", "c"})
    kept.insert(key(name), kernel(code));
  const auto aged = [&](const char *name, int hours) {
    const fs::path file = fs::path(folder()) / (key(name).file_name() + ".kernel");
    fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  aged("a", 3);
  aged("b", 2);
  aged("c", 1);
  EXPECT_TRUE(kept.find(key("a")));   // and so it is the last that was used
  kept.insert(key("d"), kernel(code));
  EXPECT_TRUE(kept.find(key("a")));
  EXPECT_FALSE(kept.find(key("b")));
  EXPECT_TRUE(kept.find(key("c")));
  EXPECT_TRUE(kept.find(key("d")));
  kept.insert(key("e"), kernel(std::string(400 << 10, 'x')));   // more than fits at all
  EXPECT_TRUE(kept.find(key("d")));
  EXPECT_FALSE(kept.find(key("e")));
  EXPECT_EQ(kept.prune(0).removed, 3u);
  EXPECT_TRUE(files().empty());
}

TEST_F(Kept, WhatWasAbandonedGoes) {
  KernelCache kept = cache();
  const fs::path old = fs::path(folder()) / "new-1-1-x", fresh = fs::path(folder()) / "new-1-2-x";
  std::ofstream(old) << "half";
  std::ofstream(fresh) << "half";
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_TRUE(kept.entries().empty());
  kept.insert(key("a"), kernel("code"));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(fresh));
}

// An insertion does not go through all files: only what is half written shows whether one has.
TEST_F(Kept, IsLookedThroughNowAndThen) {
  KernelCache kept = cache(true, 800 << 10);
  const auto has_looked = [&] {
    const fs::path old = fs::path(folder()) / "new-1-1-x";
    const bool is_gone = !fs::exists(old);
    std::ofstream(old) << "half";
    fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
    return is_gone;
  };
  unsigned looks = 0, count = 0;
  const auto insert = [&](std::size_t bytes) {
    kept.insert(key(std::to_string(count++)), kernel(std::string(bytes, 'x')));
    looks += has_looked();
    if (count % 20)
      return;
    std::uint64_t all = 0;
    for (const fs::path &file : files())
      all += fs::file_size(file);
    EXPECT_LE(all, 800u << 10);
  };
  insert(1000);
  EXPECT_EQ(looks, 1u) << "nobody knows what there is";
  looks = 0;
  for (int i = 0; i < 60; ++i)   // less than an eighth of the space
    insert(1000);
  EXPECT_EQ(looks, 0u);
  for (int i = 0; i < 900; ++i)   // past the cap, and on
    insert(1000);
  EXPECT_GT(looks, 5u);
  EXPECT_LT(looks, 200u);
  EXPECT_TRUE(kept.find(key(std::to_string(count - 1))));
  insert(790 << 10);   // more than is left of a folder that is made smaller
  EXPECT_TRUE(kept.find(key(std::to_string(count - 1))));
}

TEST_F(Kept, MovesToOtherFolders) {
  KernelCache kept = cache(), other((scratch.path() / "other").string(), true, KernelCache::mib);
  kept.insert(key("a"), kernel("code of a"));
  kept.insert(key("b"), kernel("code of b"));
  std::ofstream(files().at(0), std::ios::app) << "damage";
  EXPECT_EQ(other.take_from(kept), 1u);
  EXPECT_EQ(other.entries().size(), 1u);
  EXPECT_EQ(files().size(), 2u);
}

// A full disk, by a limit on the size of files.
TEST_F(Kept, AFullDiskIsNoReasonToFail) {
  KernelCache kept = cache();
  kept.insert(key("a"), kernel("code"));
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit none{64, 64};
    setrlimit(RLIMIT_FSIZE, &none);
    kept.insert(key("b"), kernel("more code"));
    _exit(kept.find(key("a")) == kernel("code") && !kept.find(key("b")) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()), 2);   // and its lock
}

// Processes on one cold cache, a third of them killed at some time or other: nobody finds another kernel than
// the key's, what was there once stays, and nothing is damaged.
void share(const std::string &folder, int processes, int rounds) {
  constexpr int keys = 40;
  constexpr std::uint64_t most = 16 * KernelCache::mib;   // more than they all write
  const auto code = [](int which) {
    return std::string(static_cast<std::size_t>(200 + 1500 * which), static_cast<char>('a' + which % 26));
  };
  const auto is_killed = [](int number) { return number % 3 == 1; };
  KernelCache kept(folder, true, most);
  std::vector<pid_t> children;
  for (int number = 0; number < processes; ++number) {
    const pid_t child = fork();
    if (child == 0) {
      std::mt19937 random(static_cast<unsigned>(number));
      bool good = true;
      std::set<int> seen;
      KernelCache own(folder, true, most);
      for (int round = 0; round < rounds || is_killed(number); ++round) {
        const int which = static_cast<int>(random() % keys);
        const std::optional<LoweredKernel> found = own.find(key(std::to_string(which)));
        good = good && (found ? found == kernel(code(which)) : !seen.contains(which));
        if (!found)
          own.insert(key(std::to_string(which)), kernel(code(which)));
        else if (round % 4 == 0)   // what is there is written again, while others read it
          own.insert(key(std::to_string(which)), *found);
        seen.insert(which);
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  std::mt19937 random(17);
  for (int number = 0; number < processes; ++number)
    if (is_killed(number)) {
      usleep(static_cast<useconds_t>(random() % (200'000 / static_cast<unsigned>(processes))));
      kill(children[static_cast<std::size_t>(number)], SIGKILL);
    }
  for (int number = 0; number < processes; ++number) {
    int status = 0;
    waitpid(children[static_cast<std::size_t>(number)], &status, 0);
    if (is_killed(number)) {
      EXPECT_TRUE(WIFSIGNALED(status)) << number;
    } else {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << number;
    }
  }
  std::size_t there = 0;
  for (const KernelCache::Entry &entry : kept.entries()) {
    EXPECT_EQ(entry.damage, "");
    ++there;
  }
  EXPECT_EQ(there, std::size_t(keys));
}

TEST_F(Kept, ProcessesShareIt) { share(folder(), 8, 40); }
// test/long/cache.test
TEST_F(Kept, DISABLED_ManyProcessesShareIt) { share(folder(), 64, 100); }

// One is killed while it inserts, a little later each time: before, during and after each of its steps.
void kill_at_points(const std::string &folder, unsigned times) {
  KernelCache kept(folder, true, 16 * KernelCache::mib);
  const std::string code(200 << 10, 'x');
  kept.insert(key("there"), kernel(code));
  unsigned lost = 0, inserted = 0;
  for (unsigned time = 0; time < times; ++time) {
    kept.remove(key("new"));
    int start[2];
    ASSERT_EQ(pipe(start), 0);
    const pid_t child = fork();
    if (child == 0) {
      char go = 0;
      (void)!::read(start[0], &go, 1);
      KernelCache own(folder, true, 16 * KernelCache::mib);
      own.insert(key("there"), kernel(code));   // in the place of what is there
      own.insert(key("new"), kernel(code));
      _exit(0);
    }
    if (time > 0)   // the first one does not begin
      (void)!::write(start[1], "x", 1);
    usleep(time * 8000 / times);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(start[0]);
    close(start[1]);
    EXPECT_EQ(kept.find(key("there")), kernel(code));
    const std::optional<LoweredKernel> found = kept.find(key("new"));
    EXPECT_TRUE(!found || *found == kernel(code));
    ++(found ? inserted : lost);
  }
  EXPECT_GT(lost, 0u) << "nobody was killed before the end";
  std::printf("killed before the entry was there: %u, after: %u\n", lost, inserted);
  for (const KernelCache::Entry &entry : kept.entries())
    EXPECT_EQ(entry.damage, "");
}

TEST_F(Kept, KillsLoseNothing) { kill_at_points(folder(), 40); }
TEST_F(Kept, DISABLED_ManyKillsLoseNothing) { kill_at_points(folder(), 2000); }

}   // namespace
}   // namespace tile
