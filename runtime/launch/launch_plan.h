// SPDX-License-Identifier: MIT
// Launches that are decided beforehand, for programs that must not be surprised while they serve:
//
//   tile::LaunchPlan plan(*device);
//   auto step = [&](OnDevice on) { kernels::gemm(on, a, b, c); kernels::softmax(on, c, y); };
//   plan.prepare(step);                               // chooses, compiles and loads; launches nothing
//   Buffer<std::byte> memory(*device, plan.workspace_bytes());
//   tile::Status status = plan.run(OnStream(stream), {memory.data(), memory.size()}, step);
//
// `step` may be called with other pointers and sizes afterwards. A run takes the configs and the code that
// the plan has. It does not choose, compile, tune, read a file, allocate or wait for a lock. A launch that
// was not prepared is an error with ErrorCode::not_prepared.
#pragma once

#include <tile/device.h>
#include <tile/plan_scope.h>
#include <tile/status.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace tile {

class LaunchPlan {
 public:
  explicit LaunchPlan(Device &device);
  LaunchPlan(LaunchPlan &&) noexcept;
  LaunchPlan &operator=(LaunchPlan &&) noexcept;
  ~LaunchPlan();

  Device &device() const { return device_.get("a plan"); }

  // Calls step(OnDevice), but queues none of its launches: it chooses the config of each and loads its code.
  // A launch with tuning::Asking tunes, and needs real memory; otherwise only the addresses' alignment
  // counts. May be called several times, for several sizes. Throws tile::Error. No other call on the plan may
  // run.
  template <class Step> void prepare(Step &&step) {
    most_workspace_ =
        std::max(most_workspace_, pass(detail::PlanScope::Does::prepare, std::forward<Step>(step)));
  }

  // Of the steps that were prepared, the most that one takes. The address of the memory is a multiple of 128.
  std::size_t workspace_bytes() const { return most_workspace_; }
  // What this step takes, without launching. Throws tile::Error if it is not prepared.
  template <class Step> std::size_t workspace_bytes(Step &&step) const {
    return pass(detail::PlanScope::Does::rehearse, std::forward<Step>(step));
  }

  // Calls step(OnDevice). Launches that it makes in this thread on the plan's device are the plan's. They
  // take their workspaces from the memory, which belongs to the work that is queued. May run in several
  // threads at once, each with memory of its own.
  template <class Step> Status run(OnDevice on, const MemoryExtent &workspace, Step &&step) const noexcept {
    return attempt([&] {
      check_device(on);
      const detail::PlanScope scope(on.device, *launches_, detail::PlanScope::Does::run, workspace);
      step(on);
    });
  }
  template <class Step> Status run(OnDevice on, Step &&step) const noexcept {
    return run(on, MemoryExtent(), std::forward<Step>(step));
  }

 private:
  template <class Step> std::size_t pass(detail::PlanScope::Does does, Step &&step) const {
    Device &device = this->device();
    const detail::PlanScope scope(device, *launches_, does, std::nullopt);
    step(OnDevice(device));
    return scope.most_taken();
  }
  void check_device(OnDevice on) const;   // throws tile::Error if it is not the plan's

  DeviceLink device_;
  std::unique_ptr<launching::PlannedLaunches> launches_;
  std::size_t most_workspace_ = 0;
};

}   // namespace tile
