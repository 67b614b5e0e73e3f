// SPDX-License-Identifier: MIT
// Launches, configs and devices that cannot be.
#include "test/errors/bad_program.h"

#include <gtest/gtest.h>

using namespace tile;

namespace {

struct CopyConfig {
  int block = 64;
  enum class Order { rows, columns } order = Order::rows;
  bool checked = true;
  Launch launch{};
};
void copy_kernel(Ptr<const f32> x, Ptr<f32> y, Int n, const CopyConfig &cfg) {
  auto i =
      program_id(0) * cfg.block + arange(0, cfg.block);   // error in block_of_nothing: arange(0, 0) is empty
  store(y + i, load(x + i, i < n), i < n);
}
const Kernel<&copy_kernel> copy{
    .name = "copy",
    .parameters = {"x", "y", "n"},
    .grid = [](auto &cfg, auto, auto, int n) { return Grid{cdiv(n, cfg.block)}; },
};

// A device with two buffers of 64 elements.
struct Setup {
  std::unique_ptr<Device> device = open_device("interpreter");
  Buffer<f32> x{*device, std::vector<f32>(64), "x"}, y{*device, std::vector<f32>(64), "y"};
};

Kernel<&copy_kernel> copy_over(Kernel<&copy_kernel>::Callbacks::GridFn grid) {
  Kernel<&copy_kernel> k = copy;
  k.grid = grid;
  return k;
}

}   // namespace

// ---- grids

REFUSED_HOST(grid_negative) {
  Setup s;
  copy(*s.device, s.x, s.y, -640);   // error: grid ... -10
  // context: kernel copy
}
REFUSED_HOST(grid_with_a_large_y) {
  Setup s;
  auto k = copy_over([](auto &, auto...) { return Grid{1, 65536, 1}; });
  k(*s.device, s.x, s.y, 64);   // error: grid ... 65536 ... 65535
}
REFUSED_HOST(grid_with_a_large_z) {
  Setup s;
  auto k = copy_over([](auto &, auto...) { return Grid{1, 1, 100000}; });
  k(*s.device, s.x, s.y, 64);   // error: grid ... 100000 ... 65535
}
REFUSED_HOST(grid_with_a_large_x) {
  Setup s;
  auto k = copy_over([](auto &, auto...) { return Grid{i64{1} << 31}; });
  k(*s.device, s.x, s.y, 64);   // error: grid ... 2147483648 ... 2147483647
}
REFUSED_HOST(grid_missing) {
  Setup s;
  Kernel<&copy_kernel>{.name = "copy"}(*s.device, s.x, s.y, 64);   // error: no grid ... .grid =
}

// ---- configs

REFUSED_HOST(keep_rejects_every_config) {
  Setup s;
  Kernel<&copy_kernel> k = copy;
  k.keep = [](auto &, auto...) { return false; };
  k(*s.device, s.x, s.y, 64);   // error: no config ... copy
}
REFUSED_HOST(no_configs) {
  Setup s;
  Kernel<&copy_kernel> k = copy;
  k.configs = {};
  k(*s.device, s.x, s.y, 64);   // error: kernel copy has no configs
}
REFUSED_HOST(three_warps) {
  Setup s;
  copy.with({.launch = {.num_warps = 3}})(*s.device, s.x, s.y, 64);   // error: num_warps ... 3
}
REFUSED_HOST(no_warps) {
  copy.trace({.launch = {.num_warps = 0}});   // error: num_warps ... 0
}
REFUSED_HOST(many_warps) {
  copy.trace({.launch = {.num_warps = 64}});   // error: num_warps ... 64
}
REFUSED_HOST(no_pipeline_stages) {
  copy.trace({.launch = {.num_stages = 0}});   // error: num_stages ... 0
}
REFUSED_HOST(no_ctas) {
  copy.trace({.launch = {.num_ctas = 0}});   // error: num_ctas is 0; it must be a power of two from 1 to 16
}
REFUSED_HOST(three_ctas) {
  copy.trace({.launch = {.num_ctas = 3}});   // error: num_ctas is 3; it must be a power of two from 1 to 16
}
REFUSED_HOST(many_registers) {
  copy.trace({.launch = {.max_registers = 1000}});   // error: max_registers ... 1000
}
REFUSED_HOST(parse_of_an_unknown_field) {
  parse_config<CopyConfig>("blok=64");   // error without a place: blok ... block
}
REFUSED_HOST(parse_of_an_unknown_nested_field) {
  parse_config<CopyConfig>(
      "block=64 launch.warps=8");   // error without a place: launch.warps ... launch.num_warps
}
REFUSED_HOST(parse_of_a_word_for_a_number) {
  parse_config<CopyConfig>("block=many");   // error without a place: block ... many
}
REFUSED_HOST(parse_of_a_number_out_of_range) {
  parse_config<CopyConfig>("block=99999999999");   // error without a place: block ... 99999999999
}
REFUSED_HOST(parse_of_an_unknown_enumerator) {
  parse_config<CopyConfig>("order=diagonal");   // error without a place: order = "diagonal" ... rows, columns
}
REFUSED_HOST(parse_of_a_number_for_a_bool) {
  parse_config<CopyConfig>("checked=3");   // error without a place: checked ... 3
}
REFUSED_HOST(parse_of_a_field_without_value) {
  parse_config<CopyConfig>("block");   // error without a place: block
}

// ---- sizes of nothing, and less

// The exact ceiling: of a size that is a little below 0 it is 0, and the launch does nothing, as one of size
// 0.
TEST(Sizes, OfNothingLaunchNothing) {
  auto device = open_device("interpreter");
  Buffer<f32> x(*device, std::vector<f32>(64, 1.0f)), y(*device, std::vector<f32>(64, 2.0f));
  for (int n : {0, -1, -63})
    copy(*device, x, y, n);
  EXPECT_EQ(y.to_host(), std::vector<f32>(64, 2.0f));
}
REFUSED_HOST(block_of_nothing) {
  Setup s;
  copy.with({.block = 0})(*s.device, s.x, s.y, 64);   // context: block=0
}

// ---- names and classes

REFUSED_HOST(kernel_without_a_name) {
  Setup s;
  Kernel<&copy_kernel> k = copy;
  k.name = nullptr;
  k(*s.device, s.x, s.y, 64);   // error: the kernel has no name
}
REFUSED_HOST(kernel_with_an_empty_name) {
  Kernel<&copy_kernel> k = copy;
  k.name = "";
  k.trace({});   // error: the kernel has no name
}
struct TwoLaunches {
  Launch small{.num_warps = 1}, large{.num_warps = 8};
};
static void launched_twice(Ptr<f32> x, const TwoLaunches &) { store(x, 1.0f); }
REFUSED_HOST(config_with_two_launches) {
  Kernel<&launched_twice>{.name = "twice"}.trace({});   // error: two members of type Launch, small and large
}
struct OwnName {
  Launch how{.num_warps = 3};
};
static void launched(Ptr<f32> x, const OwnName &) { store(x, 1.0f); }
REFUSED_HOST(launch_of_another_name) {
  Kernel<&launched>{.name = "launched"}.trace({});   // error: how.num_warps is 3
}

REFUSED_HOST(classes_of_too_many_arguments) {
  copy.trace({}, std::vector<ArgClass>(4));   // error: 4 argument classes ... 3
}
REFUSED_HOST(a_pointer_of_class_one) {
  copy.trace({}, {ArgClass::one});   // error: parameter x ... f32* ... only integers
}

// ---- arguments

REFUSED_HOST(null_pointer) {
  Setup s;
  const f32 *none = nullptr;
  copy(*s.device, none, s.y, 64);   // context: kernel copy
}
REFUSED_HOST(buffer_of_another_device) {
  Setup s, other;
  copy(*s.device, s.x, other.y, 64);   // error: device
}
REFUSED_HOST(unsigned_argument_over_the_type) {
  Setup s;
  copy(*s.device, s.x, s.y, 3000000000u);   // error: argument n does not fit i32
}
REFUSED_HOST(narrow_of_a_large_number) {
  narrow<int>(i64{1} << 40);   // error: 1099511627776 does not fit i32
}
REFUSED_HOST(narrow_of_a_negative_number) {
  narrow<unsigned>(-1);   // error: -1 does not fit u32
}

// ---- devices and buffers

REFUSED_HOST(device_of_an_unknown_name) {
  open_device("abacus");   // error without a place: abacus ... interpreter
}
REFUSED_HOST(copy_of_too_much_into_a_buffer) {
  Setup s;
  s.x.copy_from(std::vector<f32>(65));   // error without a place: 64 elements ... 65
}
