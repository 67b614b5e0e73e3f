// SPDX-License-Identifier: MIT
// What the tests of all kernels share: the device, and operands that are compared with a reference
// together with the memory around them.
#pragma once

#include "tools/reference/compare.h"
#include "tools/reference/placed.h"

#include <tile/devices.h>

#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string_view>

namespace tile {

inline Device *&chosen_device() {
  static Device *chosen = nullptr;
  return chosen;
}
// The interpreter, where a test chooses no other one.
inline Device &device() {
  static const std::unique_ptr<Device> one = open_device("interpreter");
  return chosen_device() ? *chosen_device() : *one;
}

// The meaning of a kernel, and its code. `test` uses device().
template <class F> void on_both_devices(F test) {
  for (const std::string_view name : {"interpreter", "simulator"}) {
    SCOPED_TRACE(name);
    const std::unique_ptr<Device> opened = open_device(name);
    const struct Chosen {
      explicit Chosen(Device &one) { chosen_device() = &one; }
      ~Chosen() { chosen_device() = nullptr; }
    } chosen(*opened);
    test();
  }
}

template <class T>
void expect_result(reference::Placed<T> &output, const reference::Matrix &expected,
                   reference::Tolerance tolerance) {
  const reference::Verdict verdict =
      reference::compare(output.name(), output.download(), expected, element_type<T>, tolerance);
  EXPECT_EQ(verdict.wrong, 0) << verdict.first_wrong << " (allowed " << tolerance.text() << ")";
  EXPECT_EQ(output.overwritten_bytes(), 0) << "around " << output.name();
}

// Exact: for what is computed on both sides from the same numbers in the same way.
template <class T> void expect_same(reference::Placed<T> &got, reference::Placed<T> &expected) {
  const reference::Matrix a = got.download(), b = expected.download();
  ASSERT_EQ(a.values.size(), b.values.size());
  for (std::size_t i = 0; i < a.values.size(); ++i)
    ASSERT_EQ(a.values[i], b.values[i]) << "element " << i;
}

}   // namespace tile
