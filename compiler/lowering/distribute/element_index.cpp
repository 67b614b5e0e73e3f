// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/element_index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tile::gpu {

static std::vector<std::int64_t> rowMajorStrides(const std::vector<std::int64_t> &shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * shape[axis];
  return strides;
}

ElementIndex::ElementIndex(Distribution &distribution, const layout::TileLayout &layout,
                           std::vector<std::int64_t> strides)
    : d_(distribution), layout_(layout),
      strides_(strides.empty() ? rowMajorStrides(layout.shape()) : std::move(strides)) {
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    Threads::Part part = d_.threads().part(layout, axis);
    axes_.push_back({part.value, part.reach});
  }
}

Value ElementIndex::ofThreads(const std::vector<std::int64_t> &xored) {
  auto [it, fresh] = sums_.try_emplace(xored);
  if (!fresh)
    return it->second;
  ImplicitLocOpBuilder &b = d_.build();
  Value sum;
  for (size_t axis = 0; axis < axes_.size(); ++axis) {
    if (!axes_[axis].reach)
      continue;
    Value part = axes_[axis].ofThread;
    if (xored[axis])
      part = arith::XOrIOp::create(b, part, d_.constant(xored[axis]));
    if (strides_[axis] != 1)
      part = arith::MulIOp::create(b, part, d_.constant(strides_[axis]));
    sum = sum ? Value(arith::AddIOp::create(b, sum, part)) : part;
  }
  return it->second = sum;
}

Index ElementIndex::at(std::int64_t reg) {
  layout::Coordinates own = layout_.coordinates({reg, 0, 0, 0});
  std::int64_t constant = 0;
  std::vector<std::int64_t> xored(axes_.size());
  for (size_t axis = 0; axis < axes_.size(); ++axis) {
    std::int64_t inner =
        own[axis] &
        ((std::int64_t(1) << layout_.linear().outBits(layout::axis(static_cast<unsigned>(axis)))) - 1);
    xored[axis] = inner & static_cast<std::int64_t>(axes_[axis].reach);
    constant += (own[axis] - xored[axis]) * strides_[axis];
  }
  return {ofThreads(xored), constant};
}

Value ElementIndex::valueAt(std::int64_t reg) {
  Index index = at(reg);
  if (!index.ofThread)
    return d_.constant(index.constant);
  if (index.constant == 0)
    return index.ofThread;
  return arith::AddIOp::create(d_.build(), index.ofThread, d_.constant(index.constant));
}

}   // namespace tile::gpu
