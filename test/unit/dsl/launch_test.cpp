// SPDX-License-Identifier: MIT
// What a launch decides: config, argument classes, grid; and how often it compiles.
#include "test/unit/dsl/notebook.h"

#include <tile/dsl.h>
#include <tile/workspace.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

using namespace tile;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

struct Config {
  int block = 64;
};
void copy_kernel(Ptr<const f32> x, Ptr<f32> y, Int n, Float scale, const Config &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + i, load(x + i, i < n) * scale, i < n);
}
const Kernel<&copy_kernel> copy{
    .name = "copy",
    .parameters = {"x", "y", "n", "scale"},
    .grid = [](auto &cfg, auto, auto, int n, auto) { return Grid{cdiv(n, cfg.block)}; },
    .configs = {{.block = 256}, {.block = 32}},
    .keep = [](auto &cfg, auto, auto, int n, auto...) { return n >= cfg.block; },
};

TEST(Launch, FirstConfigThatIsKept) {
  Notebook d;
  Buffer<f32> x(d, 1024), y(d, 1024);
  copy(d, x, y, 100, 1.0f);
  copy(d, x, y, 1024, 1.0f);
  ASSERT_EQ(d.launches.size(), 2u);
  EXPECT_EQ(d.launches[0].config, "block=32");
  EXPECT_EQ(d.launches[0].grid.x, 4);
  EXPECT_EQ(d.launches[1].config, "block=256");
  copy.with({.block = 16})(d, x, y, 100, 1.0f);
  EXPECT_EQ(d.launches[2].config, "block=16");
}

// Copies to memory that it has for the time of the launch, and from there by another kernel.
const Kernel<&copy_kernel> copy_through{
    .name = "copy_through",
    .parameters = {"x", "y", "n", "scale"},
    .grid = [](auto &cfg, auto, auto, int n, auto) { return Grid{cdiv(n, cfg.block)}; },
    .around =
        [](auto &cfg, OnDevice on, auto &launch, auto x, auto y, int n, float scale) {
          if (n < cfg.block)
            return launch(x, y, n, scale);
          const Workspace<f32> between(on.device, static_cast<std::size_t>(n));
          launch(x, between.data(), n, scale);
          copy.with({.block = 16})(on, between.data(), y, n, 2.0f);
        },
};

TEST(Launch, AroundMakesItWithMemoryAndAnotherKernel) {
  Notebook d;
  Buffer<f32> x(d, 128), y(d, 128);
  const auto bits = [](const f32 *p) { return reinterpret_cast<std::uintptr_t>(p); };
  int allocated = 0;
  d.body = [&](auto &) { allocated = d.allocated; };
  copy_through(d, x, y, 128, 1.0f);
  ASSERT_EQ(d.launches.size(), 2u);
  EXPECT_EQ(d.launches[0].config, "block=64");
  EXPECT_EQ(d.launches[0].grid.x, 2);
  EXPECT_EQ(d.launches[0].bits[0], bits(x.data()));
  EXPECT_EQ(d.launches[1].config, "block=16");
  EXPECT_EQ(d.launches[1].bits[0], d.launches[0].bits[1]);
  EXPECT_EQ(d.launches[1].bits[1], bits(y.data()));
  EXPECT_NE(d.launches[0].bits[1], bits(y.data()));
  EXPECT_EQ(allocated, 3) << "the workspace lives while the second one is launched";
  EXPECT_EQ(d.allocated, 2);
  copy_through(d, x, y, 48, 1.0f);
  ASSERT_EQ(d.launches.size(), 3u);
  EXPECT_EQ(d.launches[2].bits[1], bits(y.data()));
}

// Code that was made for a multiple of 16 does not get anything else.
TEST(Launch, AroundPassesOnWhatTheCodeWasMadeFor) {
  Notebook d;
  Buffer<f32> x(d, 128), y(d, 128);
  auto kernel = copy_through;
  kernel.around = [](auto &, OnDevice, auto &launch, auto x, auto y, int n, float scale) {
    launch(x, y, n - 1, scale);
  };
  kernel(d, x, y, 100, 1.0f);   // not a multiple of 16, and neither is 99
  EXPECT_EQ(d.launches.back().bits[2], 99u);
  try {
    kernel(d, x, y, 128, 1.0f);
    FAIL();
  } catch (const Error &e) {
    EXPECT_THAT(e.what(), HasSubstr("argument n was changed in the kernel's `around`"));
    EXPECT_THAT(e.what(), HasSubstr("declare the parameter Dynamic<>"));
    EXPECT_TRUE(e.where().known());
  }
}

TEST(Launch, ClassesAndBits) {
  Notebook d;
  Buffer<f32> x(d, 1024), y(d, 1024);
  auto kernel = copy.with({});
  kernel(d, x, y.data() + 1, 1, 2.0f);
  EXPECT_THAT(d.launches[0].classes,
              ElementsAre(ArgClass::divisible_by_16, ArgClass::generic, ArgClass::one, ArgClass::generic));
  EXPECT_THAT(d.launches[0].bits,
              ElementsAre(reinterpret_cast<std::uintptr_t>(x.data()),
                          reinterpret_cast<std::uintptr_t>(y.data() + 1), 1u, 0x40000000u));
  kernel(d, x, y, short(48), 2.0f);
  EXPECT_EQ(d.launches[1].classes[2], ArgClass::divisible_by_16);
  kernel(d, x, y, 7, 2.0f);
  EXPECT_EQ(d.launches[2].classes[2], ArgClass::generic);
  EXPECT_EQ(d.loads, 3);
  kernel(d, x, y, 9, 3.0f);   // the same classes
  EXPECT_EQ(d.loads, 3);
  Notebook other;
  kernel(other, x.data(), y.data(), 9, 3.0f);
  EXPECT_EQ(other.loads, 1);
}

std::string refusal(const std::function<void()> &launch) {
  try {
    launch();
  } catch (const Error &e) {
    return e.what();
  }
  return "accepted";
}

void grid_kernel(Int, Int64, const Config &) {}
const Kernel<&grid_kernel> grid{.name = "grid",
                                .grid = [](auto &, int x, std::int64_t y) { return Grid{x, y}; }};

TEST(Launch, Grids) {
  Notebook d;
  grid(d, 0, 5);
  grid(d, 5, 0);
  EXPECT_EQ(d.loads, 0);
  EXPECT_THAT(refusal([&] { grid(d, -1, 0); }), HasSubstr("the grid [-1, 0, 1] has a negative extent"));
  EXPECT_THAT(refusal([&] { grid(d, 1, 65536); }), HasSubstr("y and z at most 65535"));
  EXPECT_THAT(refusal([&] { grid(d, 1, 65536); }), HasSubstr("= kernel grid, config block=64"));
  EXPECT_THAT(refusal([&] { Kernel<&grid_kernel>{.name = "g"}(d, 1, 1); }),
              HasSubstr("kernel g has no grid"));
  EXPECT_THAT(refusal([&] { grid(d, ~0u, 1); }), HasSubstr("argument arg0 does not fit i32"));
}

TEST(Launch, Arguments) {
  Notebook d, far(false);
  Buffer<f32> x(d, 16), y(far, 16);
  std::vector<f32> host(16);
  EXPECT_THAT(refusal([&] { copy(d, x, y, 32, 1.0f); }),
              HasSubstr("argument y is a buffer of another device"));
  copy(d, std::span<const f32>(host), std::span(host), 32, 1.0f);
  EXPECT_EQ(d.launches.size(), 1u);
  EXPECT_THAT(refusal([&] { copy(d, x, x, 3, 1.0f); }),
              HasSubstr("no config of kernel copy suits these arguments: `keep` refused all 2"));
  EXPECT_EQ(narrow<int>(std::size_t(7)), 7);
  EXPECT_THAT(refusal([] { narrow<int>(1ll << 40); }), HasSubstr("1099511627776 does not fit i32"));
  EXPECT_THAT(refusal([] { narrow<unsigned>(-1); }), HasSubstr("-1 does not fit u32"));
}

// The first element of y becomes the first of x and one more.
void increment(const Notebook::Launched &launched) {
  const f32 *x = reinterpret_cast<const f32 *>(launched.bits[0]);
  f32 *y = reinterpret_cast<f32 *>(launched.bits[1]);
  y[0] = x[0] + 1;
}

TEST(Launch, HostMemoryIsCopied) {
  Notebook far(false);
  far.body = increment;
  alignas(256) f32 x[64], y[64];
  for (int i = 0; i < 64; ++i)
    x[i] = y[i] = static_cast<f32>(i);
  copy(far, std::span<const f32>(x), std::span<f32>(y), 32, 1.0f);
  EXPECT_EQ(y[0], 1);
  EXPECT_EQ(y[63], 63);
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(far.allocated, 0);
  EXPECT_NE(far.launches[0].bits[0], reinterpret_cast<std::uintptr_t>(&x));

  // A part of the memory that is written: the same bytes there, too, and no better aligned.
  copy(far, std::span<const f32>(x + 5, 10), std::span<f32>(x + 4, 20), 32, 1.0f);
  EXPECT_EQ(far.launches[1].bits[0] - far.launches[1].bits[1], sizeof(f32));
  EXPECT_EQ(far.launches[1].bits[1] % 256, 16u);
  EXPECT_THAT(far.launches[1].classes, ElementsAre(ArgClass::generic, ArgClass::divisible_by_16,
                                                   ArgClass::divisible_by_16, ArgClass::generic));
  EXPECT_EQ(x[4], 6);
  EXPECT_EQ(x[5], 5);
  EXPECT_EQ(x[3], 3);
  EXPECT_EQ(far.allocated, 0);

  far.body = [](const Notebook::Launched &) { throw Error("it failed", {}); };
  EXPECT_THAT(refusal([&] { copy(far, std::span<const f32>(x), std::span<f32>(y), 32, 1.0f); }),
              HasSubstr("it failed"));
  EXPECT_EQ(far.allocated, 0);
  far.recording = true;
  EXPECT_THAT(refusal([&] { copy(far, std::span<const f32>(x), std::span<f32>(y), 32, 1.0f); }),
              HasSubstr("which a replay would not copy to the device"));
}

struct BadLaunch {
  Launch launch{.num_warps = 3};
};
void nothing(Int, const BadLaunch &) {}

TEST(Launch, OptionsAreChecked) {
  EXPECT_THAT(refusal([] { Kernel<&nothing>{.name = "n"}.trace({}); }),
              HasSubstr("launch.num_warps is 3; it must be a power of two from 1 to 32"));
}

TEST(Launch, TracesInParallel) {
  std::vector<std::string> texts(4);
  std::vector<std::thread> threads;
  for (std::string &text : texts)
    threads.emplace_back([&text] {
      for (int i = 0; i < 20; ++i)
        text = copy.trace({}).text({.locations = false});
    });
  for (std::thread &t : threads)
    t.join();
  for (const std::string &text : texts)
    EXPECT_EQ(text, texts[0]);
}

int factor = 2;   // of the host: no parameter and in no config
void scale_kernel(Ptr<f32> y, const Config &cfg) {
  store(y + arange(0, cfg.block), static_cast<float>(factor));
}
const Kernel<&scale_kernel> scale{.name = "scale", .grid = [](auto &, auto) { return Grid{}; }};

// In a process of its own: whether to check is asked once.
[[noreturn]] void launch_twice(const char *checks) {
  setenv("TILE_CHECK", checks, 1);
  Notebook d;
  Buffer<f32> y(d, 64);
  scale(d, y);
  scale(d, y);   // nothing has changed
  factor = 3;
  try {
    scale(d, y);
    std::fprintf(stderr, "launched %zu times\n", d.launches.size());
  } catch (const Error &e) {
    std::fprintf(stderr, "%s\n", e.what());
  }
  std::exit(0);
}
TEST(LaunchDeathTest, GlobalThatChanges) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto exits = testing::ExitedWithCode(0);
  EXPECT_EXIT(launch_twice("trace"), exits,
              "records other operations than at its first launch.*then: .*2\\.0.*now: .*3\\.0.*pass this "
              "value as a parameter");
  EXPECT_EXIT(launch_twice("asserts"), exits, "launched 3 times");
}

}   // namespace
