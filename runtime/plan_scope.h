// SPDX-License-Identifier: MIT
// What the launches of a thread do while a plan is prepared, rehearsed or run (<tile/launch_plan.h>), and the
// memory for their workspaces.
#pragma once

#include <tile/device.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tile {

namespace launching {
class PlannedLaunches;   // runtime/launch/planned_launches.h
}

namespace detail {

class PlanScope {
 public:
  enum class Does {
    prepare,    // decides launches, and rehearses them
    rehearse,   // makes the checks of launches and counts their workspaces, but queues nothing
    run
  };
  static constexpr std::size_t alignment = 128;   // of a workspace

  // Workspaces come from the memory, one behind the other. Without memory, they only count.
  PlanScope(const Device &device, launching::PlannedLaunches &launches, Does does,
            std::optional<MemoryExtent> memory);
  ~PlanScope();
  PlanScope(const PlanScope &) = delete;
  PlanScope &operator=(const PlanScope &) = delete;

  // The innermost one of this thread for the device, or null: launches are as usual.
  static PlanScope *of(std::uint64_t device);

  launching::PlannedLaunches &launches() const { return launches_; }
  Does does() const { return does_; }

  void *take(std::size_t bytes);   // throws tile::Error if the memory is too small
  void give_back(const void *address, std::size_t bytes);
  std::size_t most_taken() const { return most_; }   // bytes at one time

  // While it lives, launches of this thread are as usual.
  class Suspended {
   public:
    Suspended();
    ~Suspended();
    Suspended(const Suspended &) = delete;
    Suspended &operator=(const Suspended &) = delete;

   private:
    PlanScope *innermost_;
  };

 private:
  std::uint64_t begin() const;

  std::uint64_t device_;
  launching::PlannedLaunches &launches_;
  Does does_;
  std::optional<MemoryExtent> memory_;
  std::size_t end_ = 0, most_ = 0;   // end_: behind what is taken
  int taken_ = 0;
  PlanScope *outer_;
};

// A workspace: from a plan's memory if the thread runs one, else from the device.
class TakenWorkspace {
 public:
  TakenWorkspace(Device &device, std::size_t bytes);
  TakenWorkspace(PlanScope *plan, std::size_t bytes);   // null: takes nothing
  TakenWorkspace(TakenWorkspace &&other) noexcept;
  ~TakenWorkspace();
  void *address() const { return address_; }

 private:
  PlanScope *plan_;
  std::shared_ptr<void> own_;
  void *address_ = nullptr;
  std::size_t bytes_;
};

}   // namespace detail
}   // namespace tile
