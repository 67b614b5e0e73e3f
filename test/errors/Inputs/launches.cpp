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
#if FAIL == __LINE__   // expect: tile::narrow<int>(x) narrows an integer
  scale(device, x, y, sizeof(float), 1.0f);
#endif
#if FAIL == __LINE__   // expect: a launch argument does not fit the kernel parameter
  scale(device, x, y, 3.0f, 1.0f);
#endif
#if FAIL == __LINE__   // expect: a Float takes a float, so write 2.0f
  scale(device, x, y, 3, 1);
#endif
#if FAIL == __LINE__             // expect: a Float takes a float, so write 2.0f
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

// ---- kernels and their objects

#if FAIL == __LINE__   // expect: one parameter for each of the kernel's, in its order
const Kernel<&scale_kernel> grid_of_three{.name = "scale",
                                          .grid = [](auto &, auto, int n) { return Grid{n}; }};
#endif
#if FAIL == __LINE__   // expect: `.parameters` has too few or too many names
const Kernel<&scale_kernel> too_few_names{.name = "scale", .parameters = {"x", "y", "n"}};
#endif
#if FAIL == __LINE__   // expect: `.parameters` has too few or too many names
const Kernel<&scale_kernel> name_of_the_config{.name = "scale",
                                               .parameters = {"x", "y", "n", "factor", "sizes"}};
#endif
#if FAIL == __LINE__   // expect: one parameter for each of the kernel's, in its order
const Kernel<&scale_kernel> keep_of_none{.name = "scale", .keep = [] { return true; }};
#endif
#if FAIL == __LINE__   // expect: grid gives a tile::Grid and keep a bool
const Kernel<&scale_kernel> grid_of_int{.name = "scale", .grid = [](auto &, auto...) { return 7; }};
#endif
#if FAIL == __LINE__   // expect: complete a config for (auto cfg, arguments...)
const Kernel<&scale_kernel> completed_by_nothing{.name = "scale", .complete = [](auto, auto...) {}};
#endif

#if FAIL == __LINE__   // expect: the last parameter of a kernel is its config
void without_config(Ptr<f32> x, Int n) { store(x, cast<f32>(n)); }
const Kernel<&without_config> no_config{.name = "without_config"};
#endif
#if FAIL == __LINE__   // expect: the last parameter of a kernel is its config
void without_parameters() {}
const Kernel<&without_parameters> no_parameters{.name = "without_parameters"};
#endif
#if FAIL == __LINE__   // expect: a kernel is a function that returns nothing
int with_result(Ptr<f32>, const Sizes &) { return 0; }
const Kernel<&with_result> result{.name = "with_result"};
#endif

// ---- configs

#if FAIL == __LINE__   // expect: give each element of an array a field of its own
struct WithArray {
  int blocks[3] = {1, 2, 3};
};
std::string with_array() { return describe_config(WithArray{}); }
#endif
#if FAIL == __LINE__   // expect: a field of a config is a bool, a number of up to 64 bits, an enum
struct WithOne {
  int m = 1;
  int blocks[1] = {1};
};
std::string with_one() { return describe_config(WithOne{}); }
#endif
#if FAIL == __LINE__   // expect: a field of a config is a bool, a number of up to 64 bits, an enum
struct WithPointer {
  const float *table = nullptr;
};
std::string with_pointer() { return describe_config(WithPointer{}); }
#endif
#if FAIL == __LINE__   // expect: pass a function to the kernel as a template argument
struct WithFunction {
  int (*function)(int) = nullptr;
};
std::string with_function() { return describe_config(WithFunction{}); }
#endif
#if FAIL == __LINE__   // expect: a field of a config is a bool, a number of up to 64 bits, an enum
struct WithLongDouble {
  long double x = 0;
};
std::string with_long_double() { return describe_config(WithLongDouble{}); }
#endif
