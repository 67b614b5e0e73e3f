// SPDX-License-Identifier: MIT
#include "runtime/cuda/faults.h"

#include "runtime/report_text.h"

#include <array>

namespace tile::cuda {
namespace {

Error report(const FaultRecord &record, const FaultSource &source) {
  if (record.number >= source.checks.size())
    return Error("a check of this kernel failed, and its record is damaged", {}).add_context(source.kernel);
  const DeviceCheck &check = source.checks[record.number];
  std::string program = "program (" + std::to_string(record.x) + ", " + std::to_string(record.y) + ", " +
                        std::to_string(record.z) + ")";
  if (!check.shape.empty())
    program += ", tile element " + index_text(check.shape, record.element);
  return Error("assertion failed: " + check.message, check.where)
      .add_context(program)
      .add_context(source.kernel);
}

}   // namespace

void FaultRecords::add(Address record, const FaultSource &source) {
  std::lock_guard lock(mutex_);
  entries_.push_back({record, source});
}

void FaultRecords::retire(Address address) noexcept {
  std::lock_guard lock(mutex_);
  const Driver &driver = Driver::get();
  Context before = nullptr;
  driver.ctxGetCurrent(&before);   // no exception may leave here: failures mean the context is gone
  FaultRecord record{};
  bool known = driver.ctxSetCurrent(context_->handle()) == Result::Success &&
               driver.ctxSynchronize() == Result::Success &&
               aside_->copyOut(&record, address, sizeof record) == Result::Success;
  driver.ctxSetCurrent(before);
  for (const Entry &entry : entries_)
    if (known && entry.record == address && record.failed)
      pending_.push_back(report(record, entry.source));
  std::erase_if(entries_, [&](const Entry &entry) { return entry.record == address; });
}

void FaultRecords::check() {
  std::lock_guard lock(mutex_);
  if (!pending_.empty()) {
    Error first = pending_.front();
    pending_.clear();
    throw first;
  }
  if (entries_.empty())
    return;
  Current current(*context_);
  for (const Entry &entry : entries_) {
    FaultRecord record{};
    tile::cuda::check(aside_->copyOut(&record, entry.record, sizeof record), "read whether a program failed");
    if (!record.failed)
      continue;
    const FaultRecord none{};
    tile::cuda::check(aside_->copyIn(entry.record, &none, sizeof none), "clear the record of a failure");
    throw report(record, entry.source);
  }
}

}   // namespace tile::cuda
