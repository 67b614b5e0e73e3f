// SPDX-License-Identifier: MIT
// Kernels without end and grids without measure end with an error, on both devices of the CPU.
#include <tile/interpreter.h>
#include <tile/simulator.h>

#include <tile/buffer.h>
#include <tile/dsl.h>

#include <gmock/gmock.h>

#include <chrono>

namespace tile::simulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

struct Nothing {
  Launch launch{.num_warps = 1};
};

void without_end(Ptr<i32> x, Int n, const Nothing &) {
  Int i = 0;
  while_([&] { return i < n; },
         [&] {
           for (auto k : range(0, 4))
             i = (i + k) & 7;
           store(x, i);
         });
}
void nearly_without_end(Ptr<i32> x, Int n, const Nothing &) {
  Int i = 0;
  for (auto k : range(0, 2147483647))
    i = (i + load(x) * n + k) & 7;
  store(x, i);
}
void one(Ptr<i32> x, Int n, const Nothing &) { store(x, n); }

template <auto Fn> std::string message(Device &device, const Grid &grid) {
  static Grid wanted;
  wanted = grid;
  Buffer<i32> x(device, std::vector<i32>(1), "x");
  const Kernel<Fn> kernel{.name = "endless", .grid = [](auto &, auto...) { return wanted; }};
  try {
    kernel(device, x, 100);
  } catch (const Error &error) {
    return error.what();
  }
  return "nothing";
}

template <class Check> void onBoth(Check check) {
  check(*open_interpreter({.threads = 1, .limit_seconds = 1}));
  check(*open_simulator({.threads = 1, .limit_seconds = 1}));
}

TEST(Limits, NameTheOuterLoopThatDoesNotEnd) {
  onBoth([](Device &device) {
    // The limit may be over just between two runs of the inner loop.
    std::string found;
    for (int tries = 0; tries < 5 && found.find("note: this inner loop") == found.npos; ++tries)
      found = message<&without_end>(device, {1});
    EXPECT_THAT(found, AllOf(HasSubstr("error: this loop still runs after 1 s, the limit of a launch"),
                             HasSubstr("limits_test.cpp:25"), HasSubstr("note: this inner loop has run"),
                             HasSubstr("limits_test.cpp:27"), HasSubstr("program (0, 0, 0)"),
                             HasSubstr("set TILE_LIMIT to more seconds, or to none")))
        << device.kind();
  });
}
TEST(Limits, HoldForLongLoops) {
  onBoth([](Device &device) {
    EXPECT_THAT(message<&nearly_without_end>(device, {1}),
                AllOf(HasSubstr("this loop still runs after 1 s"), HasSubstr("limits_test.cpp:34")))
        << device.kind();
  });
}
TEST(Limits, HoldForGrids) {
  onBoth([](Device &device) {
    EXPECT_THAT(message<&one>(device, {2147483647, 65535, 65535}),
                AllOf(HasSubstr("error: the launch has run "),
                      HasSubstr(" of its 9,223,090,559,730,712,575 programs in 1 s, the limit of a launch"),
                      HasSubstr("kernel endless"), HasSubstr("TILE_LIMIT")))
        << device.kind();
  });
  const auto endsInTime = [](Device &device) {
    EXPECT_EQ(message<&one>(device, {1000}), "nothing") << device.kind();
  };
  endsInTime(*open_interpreter({.threads = 1, .limit_seconds = 600}));
  endsInTime(*open_simulator({.threads = 1, .limit_seconds = 600}));
}

// ---- kernels that would be compiled for minutes

struct Size {
  int n = 1 << 17;
  Launch launch{.num_warps = 4};
};
void sorts(Ptr<f32> x, const Size &cfg) {
  const Int i = arange(0, cfg.n);
  store(x + i, sort(load(x + i)));
}
std::string sorted(int limit_seconds, const Size &size) {
  static const Kernel<&sorts> kernel{
      .name = "sorts", .parameters = {"x"}, .grid = [](auto &, auto...) { return Grid{1}; }};
  const std::unique_ptr<Device> device = open_simulator({.threads = 1, .limit_seconds = limit_seconds});
  try {
    device->load(kernel.trace(size));
  } catch (const Error &error) {
    return error.what();
  }
  return "nothing";
}

TEST(Limits, HoldForTheSizeOfCode) {
  EXPECT_THAT(sorted(300, {}),
              AllOf(HasSubstr("error: this kernel has at least "), HasSubstr("operations for each thread"),
                    HasSubstr("the simulator compiles up to 120,000"), HasSubstr("limits_test.cpp:101"),
                    HasSubstr("kernel sorts, config n=131072"),
                    HasSubstr("help: use smaller tiles or more warps"), HasSubstr("TILE_LIMIT=none")));
  EXPECT_EQ(sorted(300, {.n = 1 << 12}), "nothing");
}

}   // namespace
}   // namespace tile::simulator
