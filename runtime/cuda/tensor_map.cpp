// SPDX-License-Identifier: MIT
#include "runtime/cuda/tensor_map.h"

#include <vector>

namespace tile::cuda {
namespace {

// CUtensorMapDataType, in the order of TensorElement.
constexpr int dataTypes[] = {0, 1, 3, 2, 5, 4, 6, 9, 7, 8, 11};

}   // namespace

TensorMap encodeTensorMap(const PrimaryContext &context, const TensorDescription &d, Promotion promotion) {
  Current current(context);   // the driver asks the GPU whose context it is
  alignas(64) TensorMap map{};
  std::vector<std::uint32_t> every(d.elementStrides.begin(), d.elementStrides.end());
  every.resize(d.sizes.size(), 1);
  std::vector<std::uint64_t> strides(d.strides.begin(), d.strides.end());
  strides.resize(5);   // the driver needs an address even if there are no strides
  constexpr int notInterleaved = 0;
  check(Driver::get().tensorMapEncodeTiled(
            map.data(), dataTypes[static_cast<int>(d.element)], static_cast<unsigned>(d.sizes.size()),
            reinterpret_cast<void *>(d.address), d.sizes.data(), strides.data(), d.box.data(), every.data(),
            notInterleaved, static_cast<int>(d.swizzle), static_cast<int>(promotion),
            static_cast<int>(d.fill)),
        "make a tensor map");
  return map;
}

}   // namespace tile::cuda
