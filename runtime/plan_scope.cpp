// SPDX-License-Identifier: MIT
#include "runtime/plan_scope.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tile::detail {
namespace {

thread_local PlanScope *innermost = nullptr;

// The addresses of workspaces that only count. No memory is there.
constexpr std::uint64_t nowhere = std::uint64_t{1} << 32;

}   // namespace

PlanScope::PlanScope(const Device &device, launching::PlannedLaunches &launches, Does does,
                     std::optional<MemoryExtent> memory)
    : device_(device.id()), launches_(launches), does_(does), memory_(memory), outer_(innermost) {
  if (begin() % alignment != 0)
    throw Error("the workspace is misaligned: its address is no multiple of " + std::to_string(alignment),
                {});
  innermost = this;
}

PlanScope::~PlanScope() { innermost = outer_; }

PlanScope *PlanScope::of(std::uint64_t device) {
  PlanScope *scope = innermost;
  while (scope && scope->device_ != device)
    scope = scope->outer_;
  return scope;
}

std::uint64_t PlanScope::begin() const { return memory_ ? memory_->first() : nowhere; }

void *PlanScope::take(std::size_t bytes) {
  const std::size_t offset = (end_ + alignment - 1) / alignment * alignment, end = offset + bytes;
  if (memory_ && end > memory_->bytes)
    throw Error("the workspace has " + std::to_string(memory_->bytes) +
                    " bytes, and this launch needs at least " + std::to_string(end),
                {})
        .add_help("give the run as many bytes as workspace_bytes() of the plan says");
  end_ = end;
  ++taken_;
  most_ = std::max(most_, end_);
  return reinterpret_cast<void *>(begin() + offset);
}

// Workspaces mostly go in the reverse order. What goes out of order is free when the last one has gone.
void PlanScope::give_back(const void *address, std::size_t bytes) {
  const std::size_t offset = reinterpret_cast<std::uintptr_t>(address) - begin();
  if (--taken_ == 0)
    end_ = 0;
  else if (end_ == offset + bytes)
    end_ = offset;
}

PlanScope::Suspended::Suspended() : innermost_(std::exchange(innermost, nullptr)) {}
PlanScope::Suspended::~Suspended() { innermost = innermost_; }

TakenWorkspace::TakenWorkspace(PlanScope *plan, std::size_t bytes) : plan_(plan), bytes_(bytes) {
  if (plan_)
    address_ = plan_->take(bytes);
}

TakenWorkspace::TakenWorkspace(Device &device, std::size_t bytes)
    : TakenWorkspace(PlanScope::of(device.id()), bytes) {
  if (plan_)
    return;
  own_ = device.take_workspace(bytes);
  address_ = own_.get();
}

TakenWorkspace::TakenWorkspace(TakenWorkspace &&other) noexcept
    : plan_(std::exchange(other.plan_, nullptr)), own_(std::move(other.own_)), address_(other.address_),
      bytes_(other.bytes_) {}

TakenWorkspace::~TakenWorkspace() {
  if (plan_)
    plan_->give_back(address_, bytes_);
}

}   // namespace tile::detail
