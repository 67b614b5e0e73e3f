// SPDX-License-Identifier: MIT
// Looks through memory of a device where it lies. A tuner asks twice for each config whether hundreds of MiB
// are as they should be: brought to the host, they would take longer than all launches together.
#pragma once

#include "runtime/element.h"

#include <cstddef>

namespace tile {

class Comparer {
 public:
  virtual ~Comparer() = default;
  // The first of so many elements that is another than it should be, or `count`. Floats may differ by the
  // tolerance, relative to the element and to the mean of all that are finite; NaN is NaN. Others are
  // compared bit by bit, and floats, too, where the tolerance is 0.
  virtual std::size_t first_difference(ElementType type, const void *got, const void *expected,
                                       std::size_t count, double tolerance) = 0;
  // Whether each byte of b is as in a, or `poison` where a has what was there.
  virtual bool are_unread(const void *a, const void *b, const void *was, unsigned char poison,
                          std::size_t bytes) = 0;
};

}   // namespace tile
