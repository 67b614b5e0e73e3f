// SPDX-License-Identifier: MIT
#include "runtime/cuda/tensor_map.h"

#include <algorithm>
#include <array>

namespace tile::cuda {
namespace {

constexpr std::size_t mostAxes = 5;

// CUtensorMapDataType, in the order of TensorElement.
constexpr int dataTypes[] = {0, 1, 3, 2, 5, 4, 6, 9, 7, 8, 11};

}   // namespace

TensorMap encodeTensorMap(const PrimaryContext &context, const TensorDescription &d, Promotion promotion) {
  Current current(context);   // the driver asks the GPU whose context it is
  alignas(64) TensorMap map{};
  std::array<std::uint32_t, mostAxes> every;
  every.fill(1);
  std::ranges::copy(d.elementStrides, every.begin());
  std::array<std::uint64_t, mostAxes> strides{};   // the driver needs their address, even for one axis
  std::ranges::copy(d.strides, strides.begin());
  constexpr int notInterleaved = 0;
  const Result result = Driver::get().tensorMapEncodeTiled(
      map.data(), dataTypes[static_cast<int>(d.element)], static_cast<unsigned>(d.sizes.size()),
      reinterpret_cast<void *>(d.address), d.sizes.data(), strides.data(), d.box.data(), every.data(),
      notInterleaved, static_cast<int>(d.swizzle), static_cast<int>(promotion), static_cast<int>(d.fill));
  if (result != Result::Success)   // the text is made only when it is needed
    check(result, "make a tensor map");
  return map;
}

}   // namespace tile::cuda
