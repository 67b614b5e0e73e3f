// SPDX-License-Identifier: MIT
// The sum of the exponentials of a row that is read block by block.
//
// The elements that a thread loads at once are a group. Each group has a sum of its own, relative to its own
// maximum so far. When that grows, the sum is rescaled. So no thread waits for another before the row ends,
// and the rescaling takes one exponential for a group and not one for each element.
#pragma once

#include <tile/dsl.h>

#include <limits>
#include <numeric>

namespace tile::kernels::detail {

// Before a maximum is subtracted, -inf is replaced by 0: -inf - -inf would be NaN.
template <class Values> Values subtrahend_of(const Values &largest) {
  return where(largest != -std::numeric_limits<float>::infinity(), largest, 0.0f);
}

class SumOfPowers {
 public:
  // `bytes`: of an element in memory.
  SumOfPowers(int block, int bytes)
      : of_group_(std::gcd(block, 16 / bytes)), groups_(block / of_group_),
        largest_(full<f32>({groups_}, -std::numeric_limits<float>::infinity())),
        sums_(zeros<f32>({groups_})) {}

  int groups() const { return groups_; }
  // A block as groups, of which each is a row.
  Tensor<f32> in_groups(const Tensor<f32> &block) const { return reshape(block, {groups_, of_group_}); }

  // Elements behind the row are -inf.
  void add(const Tensor<f32> &block) {
    auto v = in_groups(block);
    auto grown = maximum(largest_, max(v, 1));
    auto less = subtrahend_of(grown);
    sums_ = sums_ * exp(largest_ - less) + sum(exp(v - less(all, none)), 1);
    largest_ = grown;
  }

  Float largest() const { return max(largest_, 0); }
  // Relative to the largest.
  Float total(const Float &largest) const { return sum(sums_ * exp(largest_ - subtrahend_of(largest)), 0); }

 private:
  int of_group_, groups_;
  Tensor<f32> largest_, sums_;
};

}   // namespace tile::kernels::detail
