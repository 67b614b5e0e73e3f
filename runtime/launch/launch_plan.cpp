// SPDX-License-Identifier: MIT
#include "runtime/launch/launch_plan.h"

#include "runtime/launch/planned_launches.h"

#include <algorithm>
#include <utility>

namespace tile {
namespace launching {

static std::ptrdiff_t specialised(const PlannedLaunch &launch) {
  return std::ranges::count_if(launch.classes, [](ArgClass c) { return c != ArgClass::generic; });
}

std::span<const PlannedLaunch> PlannedLaunches::of(const WordKey &key) const {
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? std::span<const PlannedLaunch>() : found->second;
}

void PlannedLaunches::add(const WordKey &key, PlannedLaunch launch) {
  std::vector<PlannedLaunch> &of_key = by_key_[key];
  const auto behind = std::ranges::find_if(
      of_key, [&](const PlannedLaunch &other) { return specialised(other) < specialised(launch); });
  of_key.insert(behind, std::move(launch));
}

}   // namespace launching

LaunchPlan::LaunchPlan(Device &device)
    : device_(device), launches_(std::make_unique<launching::PlannedLaunches>()) {}
LaunchPlan::LaunchPlan(LaunchPlan &&) noexcept = default;
LaunchPlan &LaunchPlan::operator=(LaunchPlan &&) noexcept = default;
LaunchPlan::~LaunchPlan() = default;

void LaunchPlan::check_device(OnDevice on) const {
  if (&on.device != &device())
    throw Error("the plan was made for another device", on.where)
        .add_help("make a plan for each device; plans of one model share their compiled code");
}

}   // namespace tile
