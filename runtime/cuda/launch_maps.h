// SPDX-License-Identifier: MIT
// The tensor maps that launches make of their arguments.
#pragma once

#include "runtime/cuda/tensor_map.h"
#include "runtime/kernel_signature.h"

#include <cstdint>
#include <memory>
#include <span>

namespace tile::cuda {

// Memory of a GPU that stands for tensors without elements, of which the driver makes no maps.
class NothingMemory {
 public:
  explicit NothingMemory(std::shared_ptr<const PrimaryContext> context);
  ~NothingMemory();
  NothingMemory(const NothingMemory &) = delete;
  NothingMemory &operator=(const NothingMemory &) = delete;
  // What is stored lands in a place that nothing is loaded from.
  Address of(const TensorParameter &tensor) const;

 private:
  std::shared_ptr<const PrimaryContext> context_;
  Address begin_ = 0;
};

// What one launch of a kernel makes maps from.
struct MapsOfLaunch {
  const PrimaryContext &context;
  const NothingMemory &nothing;
  const KernelSignature &kernel;
  std::uint64_t executable;   // a number that no other one has had in this process
  std::span<const Argument> arguments;

  // Map `index` of the kernel, aligned to 64 bytes; as long as the thread asks for none of another kernel.
  // Made only where the thread's last launch of the kernel had other numbers. Throws tile::Error where there
  // is no such map.
  const void *encoded(const TensorParameter &tensor, std::size_t index) const;
};

}   // namespace tile::cuda
