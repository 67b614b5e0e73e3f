// SPDX-License-Identifier: MIT
// What a GPU loads of packs: each entry once, whichever launches it serves.
#include "runtime/cuda/device.h"

namespace tile::cuda {
namespace {

class SharedCode final : public Executable {
 public:
  explicit SharedCode(std::shared_ptr<Executable> code) : code_(std::move(code)) {}
  KernelResources resources() const override { return code_->resources(); }
  const LoweredKernel *reusable() const override { return code_->reusable(); }
  void launch(const Grid &grid, std::span<const Argument> arguments) override {
    code_->launch(grid, arguments);
  }
  void rehearse(const Grid &grid, std::span<const Argument> arguments) override {
    code_->rehearse(grid, arguments);
  }

 private:
  std::shared_ptr<Executable> code_;
};

}   // namespace

std::vector<PackedIdentity> CudaDevice::packed(const std::string &kernel) const {
  return packed_of(kernel, capability_);
}

std::shared_ptr<Executable> CudaDevice::loaded(const FoundEntry &found) {
  {
    const std::lock_guard lock(packed_mutex_);
    if (const auto known = packed_.find(found.entry); known != packed_.end())
      return known->second;
  }
  std::shared_ptr<Executable> code = load_lowered(found.pack->kernel(*found.entry));
  const std::lock_guard lock(packed_mutex_);
  return packed_.try_emplace(found.entry, std::move(code)).first->second;
}

std::unique_ptr<Executable> CudaDevice::load_packed(const PackedIdentity &wanted) {
  const std::optional<FoundEntry> found = usable_entry(wanted, capability_);
  return found ? std::make_unique<SharedCode>(loaded(*found)) : nullptr;
}

std::unique_ptr<Executable> CudaDevice::load_packed_exactly(const PackedIdentity &wanted,
                                                            const std::string &target) {
  const std::optional<FoundEntry> found = exact_entry(wanted, target);
  return found ? std::make_unique<SharedCode>(loaded(*found)) : nullptr;
}

std::size_t CudaDevice::load_packs() {
  const std::vector<FoundEntry> all = entries_for(capability_);
  for (const FoundEntry &found : all)
    loaded(found);
  return all.size();
}

}   // namespace tile::cuda
