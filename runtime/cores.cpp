// SPDX-License-Identifier: MIT
#include "runtime/cores.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <thread>

#include <sched.h>

namespace tile {
namespace {

std::string text_of(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// "150000 100000": so many microseconds in so many. "max" and -1 are no limit.
std::optional<double> share(const std::string &text) {
  std::istringstream numbers(text);
  double time = 0, period = 0;
  if (numbers >> time >> period && time > 0 && period > 0)
    return time / period;
  return std::nullopt;
}

// Of a group's folder, in both versions of control groups.
std::optional<double> share_of(const std::string &group) {
  if (const std::optional<double> found = share(text_of(group + "/cpu.max")))
    return found;
  return share(text_of(group + "/cpu.cfs_quota_us") + " " + text_of(group + "/cpu.cfs_period_us"));
}

}   // namespace

std::optional<double> cores_of_groups(const std::string &groups, const std::string &root) {
  std::optional<double> least;
  std::istringstream lines(groups);
  for (std::string line; std::getline(lines, line);) {   // "0::/a/b", or "4:cpu,cpuacct:/a/b" of version 1
    const std::size_t names = line.find(':'), path = line.find(':', names + 1);
    if (names == line.npos || path == line.npos)
      continue;
    const std::string controllers = line.substr(names + 1, path - names - 1);
    if (!controllers.empty() && ("," + controllers + ",").find(",cpu,") == std::string::npos)
      continue;
    const std::string base = root + (controllers.empty() ? "" : "/" + controllers);
    std::string group = line.substr(path + 1);
    for (;;) {   // in a container the path may be one of outside, and its own group the top
      while (group.ends_with('/'))
        group.pop_back();
      if (const std::optional<double> found = share_of(base + group))
        least = std::min(least.value_or(*found), *found);
      if (group.empty())
        break;
      group.erase(group.rfind('/'));
    }
  }
  return least;
}

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int allowed = sched_getaffinity(0, sizeof set, &set) == 0
                          ? CPU_COUNT(&set)
                          : static_cast<int>(std::thread::hardware_concurrency());   // more than 1024 cores
  const std::optional<double> share = cores_of_groups(text_of("/proc/self/cgroup"), "/sys/fs/cgroup");
  const int limit = share ? static_cast<int>(std::ceil(*share)) : allowed;
  return std::max(1, std::min(allowed, limit));
}

}   // namespace tile
