// SPDX-License-Identifier: MIT
// How many threads can work at once. A container that may use two cores of a machine of 192 says so in its
// control group, and nowhere else: 192 threads would stand in each other's way.
#pragma once

#include <optional>
#include <string>

namespace tile {

// The cores that this process may run on, or fewer where a control group allows less time on them. At
// least 1.
int usable_cores();

// What the groups of a process allow it, in cores, the least of a group and of all it is in: `groups` is as
// /proc/self/cgroup has it, `root` is where /sys/fs/cgroup is. Nothing where none limits it.
std::optional<double> cores_of_groups(const std::string &groups, const std::string &root);

}   // namespace tile
