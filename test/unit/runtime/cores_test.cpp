// SPDX-License-Identifier: MIT
// How many threads can work at once, where a control group allows less than the machine has.
#include "runtime/cores.h"

#include "test/unit/runtime/scratch_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include <sched.h>

namespace tile {
namespace {

TEST(Cores, AreThoseThatTheProcessMayRunOn) {
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_GE(usable_cores(), 1);
  EXPECT_LE(usable_cores(), CPU_COUNT(&before));
  int first = 0;
  while (!CPU_ISSET(first, &before))
    ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(usable_cores(), 1);
  sched_setaffinity(0, sizeof before, &before);
}

TEST(Cores, AreFewerWhereAGroupAllowsLess) {
  const testing::ScratchFolder folder;
  const std::string root = folder.path().string();
  std::filesystem::create_directories(root + "/pod/job");
  std::filesystem::create_directories(root + "/cpu,cpuacct/pod");
  EXPECT_EQ(cores_of_groups("0::/pod/job\n", root), std::nullopt);
  folder.write("pod/job/cpu.max", "max 100000\n");
  EXPECT_EQ(cores_of_groups("0::/pod/job\n", root), std::nullopt);
  folder.write("pod/cpu.max", "250000 100000\n");
  EXPECT_EQ(cores_of_groups("0::/pod/job\n", root), 2.5) << "of the group around it";
  folder.write("pod/job/cpu.max", "50000 100000\n");
  EXPECT_EQ(cores_of_groups("0::/pod/job\n", root), 0.5);
  EXPECT_EQ(cores_of_groups("0::/elsewhere\n", root), std::nullopt);
  folder.write("cpu.max", "400000 100000\n");
  EXPECT_EQ(cores_of_groups("0::/elsewhere\n", root), 4) << "a path of outside of the container";

  folder.write("cpu,cpuacct/pod/cpu.cfs_quota_us", "150000\n");
  folder.write("cpu,cpuacct/pod/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores_of_groups("4:memory:/pod\n3:cpu,cpuacct:/pod\n", root), 1.5);
  folder.write("cpu,cpuacct/pod/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(cores_of_groups("3:cpu,cpuacct:/pod\n", root), std::nullopt);
  EXPECT_EQ(cores_of_groups("nonsense\n", root), std::nullopt);
}

}   // namespace
}   // namespace tile
