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
  EXPECT_THAT(refusal("kept"), HasSubstr("kept is no absolute path"));
  EXPECT_EQ(refusal(folder()), "");
  const fs::path link = scratch.path() / "link";
  fs::create_directory_symlink(folder(), link);
  EXPECT_THAT(refusal(link), HasSubstr("it is no folder, or a link to one"));
  EXPECT_THAT(refusal(scratch.write("file", "")), HasSubstr("it is no folder"));
  fs::permissions(folder(), fs::perms::group_write, fs::perm_options::add);
  EXPECT_THAT(refusal(folder()), HasSubstr("can be written by others; `chmod go-w` ends that"));
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
  EXPECT_EQ(cache().entries().at(0).damage, "its name is that of another key");
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
  kept.insert(key("e"), kernel(std::string(400 << 10, 'x')));   // more than there is room for at all
  EXPECT_TRUE(kept.find(key("d")));
  EXPECT_FALSE(kept.find(key("e")));
  EXPECT_EQ(kept.prune(0), 3u);
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

TEST_F(Kept, MovesToOtherFolders) {
  KernelCache kept = cache(), other((scratch.path() / "other").string(), true, KernelCache::mib);
  kept.insert(key("a"), kernel("code of a"));
  kept.insert(key("b"), kernel("code of b"));
  std::ofstream(files().at(0), std::ios::app) << "damage";
  EXPECT_EQ(other.take_from(kept), 1u);
  EXPECT_EQ(other.entries().size(), 1u);
  EXPECT_EQ(files().size(), 2u);
}

// A disk without room, by a limit on the size of files.
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

// Many processes on a cold cache, half of them killed at some time: nobody finds another kernel than the
// key's, and what one has found stays.
TEST_F(Kept, ProcessesShareIt) {
  constexpr int processes = 16, rounds = 100, keys = 40;
  const auto code = [](int which) {
    return std::string(static_cast<std::size_t>(200 + 50 * which), static_cast<char>('a' + which % 26));
  };
  KernelCache kept = cache();
  std::vector<pid_t> children;
  for (int number = 0; number < processes; ++number) {
    const pid_t child = fork();
    if (child == 0) {
      KernelCache own = cache();
      std::mt19937 random(static_cast<unsigned>(number));
      bool good = true;
      std::set<int> seen;
      for (int round = 0; round < rounds || number % 2; ++round) {
        const int which = static_cast<int>(random() % keys);
        const std::optional<LoweredKernel> found = own.find(key(std::to_string(which)));
        good = good && (found ? found == kernel(code(which)) : !seen.contains(which));
        if (!found)
          own.insert(key(std::to_string(which)), kernel(code(which)));
        seen.insert(which);
      }
      _exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  usleep(20'000);
  for (int number = 0; number < processes; ++number) {
    if (number % 2)
      kill(children[static_cast<std::size_t>(number)], SIGKILL);
    int status = 0;
    waitpid(children[static_cast<std::size_t>(number)], &status, 0);
    if (number % 2 == 0) {
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << number;
    }
  }
  for (const KernelCache::Entry &entry : kept.entries())
    EXPECT_EQ(entry.damage, "");
}

}   // namespace
}   // namespace tile
