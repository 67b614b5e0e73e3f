// SPDX-License-Identifier: MIT
// Launches whose arguments do not fit the kernel.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>

using namespace tile;

struct Sizes {
  int m = 128;
};
void scale_kernel(Ptr<const f16> x, Ptr<f16> y, Int n, Float factor, const Sizes &) {
  store(y + n, cast<f16>(cast<f32>(load(x + n)) * factor));
}
const Kernel<&scale_kernel> scale{.name = "scale", .grid = [](auto &, auto...) { return Grid{1}; }};

void launches(Device &device, Buffer<f16> &x, Buffer<f16> &y, [[maybe_unused]] Buffer<f32> &wrong,
              [[maybe_unused]] const f16 *readable) {
  scale(device, x, y, 3, 1.0f);
  scale.with({.m = 64})(device, readable, y.data(), 3, 1.0f);
#if FAIL == __LINE__                     // expect: a launch argument does not fit the kernel parameter
  scale(device, x, readable, 3, 1.0f);   // const where the kernel writes
#endif
#if FAIL == __LINE__   // expect: a launch argument does not fit the kernel parameter
  scale(device, wrong, y, 3, 1.0f);
#endif
#if FAIL == __LINE__               // expect: a launch argument does not fit the kernel parameter
  scale(device, x, y, 3l, 1.0f);   // would be cut to 32 bits
#endif
#if FAIL == __LINE__   // expect: a launch argument does not fit the kernel parameter
  scale(device, x, y, 3.0f, 1.0f);
#endif
#if FAIL == __LINE__   // expect: a launch argument does not fit the kernel parameter
  scale(device, x, y, 3, 1);
#endif
#if FAIL == __LINE__             // expect: a launch argument does not fit the kernel parameter
  scale(device, x, y, 3, 1.0);   // double where the kernel takes f32
#endif
#if FAIL == __LINE__   // expect: a launch argument does not fit the kernel parameter
  scale(device, 3, y, 3, 1.0f);
#endif
#if FAIL == __LINE__   // expect: a launch argument does not fit the kernel parameter
  scale(device, x, std::span<const f16>(), 3, 1.0f);
#endif
#if FAIL == __LINE__   // expect: this kernel takes a different number of arguments
  scale(device, x, y, 3);
#endif
#if FAIL == __LINE__   // expect: this kernel takes a different number of arguments
  scale(device, x, y, 3, 1.0f, 2);
#endif
}
