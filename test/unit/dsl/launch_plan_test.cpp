// SPDX-License-Identifier: MIT
// What a plan decides, what a run of it takes, and what it refuses.
#include "test/unit/dsl/notebook.h"

#include <tile/dsl.h>
#include <tile/launch_plan.h>
#include <tile/workspace.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <span>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace tile;
using testing::AllOf;
using testing::HasSubstr;

namespace {

struct Config {
  int block = 64;
};
void twice_kernel(Ptr<f32> x, Int n, const Config &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(x + i, load(x + i, i < n) * 2.0f, i < n);
}
const Kernel<&twice_kernel> twice{
    .name = "twice",
    .parameters = {"x", "n"},
    .grid = [](auto &cfg, auto, int n) { return Grid{cdiv(n, cfg.block)}; },
    .configs = {{.block = 256}, {.block = 32}},
    .keep = [](auto &cfg, auto, int n) { return n >= cfg.block; },
};
// By way of memory that it has for the time of the launch, and with another kernel.
const Kernel<&twice_kernel> thrice{
    .name = "thrice",
    .parameters = {"x", "n"},
    .grid = [](auto &cfg, auto, int n) { return Grid{cdiv(n, cfg.block)}; },
    .around =
        [](auto &, OnDevice on, auto &launch, auto x, int n) {
          const Workspace<f32> first(on.device, static_cast<std::size_t>(n));
          launch(first.data(), n);
          const Workspace<f32> second(on.device, 1);
          twice.launch_with(Config{.block = 16}, on, second.data(), n);
          twice.launch_with(Config{.block = 16}, on, x, n);
        },
};
const Kernel<&twice_kernel> whole{
    .name = "whole",
    .parameters = {"x", "n"},
    .grid = [](auto &, auto...) { return Grid{1}; },
    .complete =
        [](auto cfg, auto, int n) {
          cfg.block = n < 100 ? 64 : 128;
          return cfg;
        },
    .key = [](auto, int) { return Key{1}; },
};

// The arguments complete the second config, and the first one is not for them.
const Kernel<&twice_kernel> halves{
    .name = "halves",
    .parameters = {"x", "n"},
    .grid = [](auto &, auto...) { return Grid{1}; },
    .configs = {{.block = 16}, {.block = 32}},
    .complete =
        [](auto cfg, auto, int n) {
          if (cfg.block > 16)
            cfg.block = n < 100 ? 32 : 128;
          return cfg;
        },
    .key = [](auto, int) { return Key{1}; },
    .keep = [](auto &cfg, auto...) { return cfg.block > 16; },
};

std::size_t errors_of(const Status &status) { return status.is_ok() ? 0 : 1; }

TEST(LaunchPlan, PreparesWithoutALaunch) {
  Notebook d;
  Buffer<f32> x(d, 1024), y(d, 1024);
  LaunchPlan plan(d);
  plan.prepare([&](OnDevice on) { twice(on, x, 100); });
  EXPECT_EQ(d.launches.size(), 0u);
  EXPECT_EQ(d.loads, 1);
  EXPECT_EQ(plan.workspace_bytes(), 0u);
  const Status status = plan.run(d, [&](OnDevice on) { twice(on, y, 900 / 9); });
  EXPECT_TRUE(status.is_ok()) << status.text();
  ASSERT_EQ(d.launches.size(), 1u);
  EXPECT_EQ(d.launches[0].config, "block=32");
  EXPECT_EQ(d.launches[0].grid.x, 4);
  EXPECT_EQ(d.launches[0].bits[0], reinterpret_cast<std::uintptr_t>(y.data()));
  EXPECT_EQ(d.loads, 1);
}

TEST(LaunchPlan, RefusesWhatWasNotPrepared) {
  Notebook d;
  Buffer<f32> x(d, 1024);
  LaunchPlan plan(d);
  Status status = plan.run(d, [&](OnDevice on) { twice(on, x, 100); });
  EXPECT_EQ(status.code(), ErrorCode::not_prepared);
  EXPECT_THAT(status.text(), AllOf(HasSubstr("the plan has no such launch"), HasSubstr("kernel twice"),
                                   HasSubstr("launched with n 100"), HasSubstr("call prepare()")));
  EXPECT_THROW(status.check(), Error);
  plan.prepare([&](OnDevice on) { twice(on, x, 64); });
  status = plan.run(d, [&](OnDevice on) { twice(on, x, 65); });   // the code relies on multiples of 16
  EXPECT_EQ(status.code(), ErrorCode::not_prepared);
  EXPECT_THAT(status.text(), HasSubstr("for other arguments only"));
  status = plan.run(d, [&](OnDevice on) { twice(on, x, 8); });   // no config is for so few
  EXPECT_EQ(status.code(), ErrorCode::not_prepared);
  EXPECT_EQ(d.launches.size(), 0u);
  EXPECT_EQ(d.loads, 1);
  EXPECT_TRUE(plan.run(d, [&](OnDevice on) { twice(on, x, 96); }).is_ok());
  EXPECT_THROW(plan.workspace_bytes([&](OnDevice on) { twice(on, x, 65); }), Error);
}

TEST(LaunchPlan, TakesTheMostSpecialisedCodeThatServes) {
  Notebook d;
  Buffer<f32> x(d, 1024);
  LaunchPlan plan(d);
  plan.prepare([&](OnDevice on) { twice(on, x, 101); });
  EXPECT_TRUE(plan.run(d, [&](OnDevice on) { twice(on, x, 96); }).is_ok()) << "code for any size";
  EXPECT_EQ(d.launches.back().classes[1], ArgClass::generic);
  plan.prepare([&](OnDevice on) { twice(on, x, 64); });
  EXPECT_TRUE(plan.run(d, [&](OnDevice on) { twice(on, x, 96); }).is_ok());
  EXPECT_EQ(d.launches.back().classes[1], ArgClass::divisible_by_16);
  EXPECT_EQ(d.loads, 2);
}

// `keep` may look at more than the key does.
TEST(LaunchPlan, AsksKeepInEachRun) {
  Notebook d;
  Buffer<f32> x(d, 1024);
  LaunchPlan plan(d);
  const auto step = [&](int n) { return [&x, n](OnDevice on) { twice(on, x, n); }; };
  plan.prepare(step(1023));
  EXPECT_EQ(plan.run(d, step(101)).code(), ErrorCode::not_prepared);
  plan.prepare(step(101));
  EXPECT_TRUE(plan.run(d, step(101)).is_ok());
  EXPECT_EQ(d.launches.back().config, "block=32");
  EXPECT_TRUE(plan.run(d, step(1023)).is_ok());
  EXPECT_EQ(d.launches.back().config, "block=256");
}

void expect_completed(const Kernel<&twice_kernel> &kernel, const char *before, const char *behind) {
  Notebook d;
  Buffer<f32> x(d, 1024);
  LaunchPlan plan(d);
  const auto step = [&](int n) { return [&, n](OnDevice on) { kernel(on, x, n); }; };
  plan.prepare(step(33));
  EXPECT_TRUE(plan.run(d, step(35)).is_ok());
  EXPECT_EQ(plan.run(d, step(101)).code(), ErrorCode::not_prepared) << "its block is another";
  plan.prepare(step(103));
  EXPECT_TRUE(plan.run(d, step(101)).is_ok());
  EXPECT_EQ(d.launches.back().config, behind);
  EXPECT_TRUE(plan.run(d, step(31)).is_ok());
  EXPECT_EQ(d.launches.back().config, before);
}
TEST(LaunchPlan, AsksCompleteInEachRun) {
  expect_completed(whole, "block=64", "block=128");
  expect_completed(halves, "block=32", "block=128");
}

TEST(LaunchPlan, TakesWorkspacesFromTheCaller) {
  Notebook d;
  Buffer<f32> x(d, 128);
  Buffer<std::byte> memory(d, 4096);
  LaunchPlan plan(d);
  const auto step = [&](int n) { return [&x, n](OnDevice on) { thrice(on, x, n); }; };
  plan.prepare(step(100));
  plan.prepare(step(65));
  EXPECT_EQ(d.launches.size(), 0u);
  EXPECT_EQ(plan.workspace_bytes(), 512u + 4) << "the second one begins at a multiple of 128";
  EXPECT_EQ(plan.workspace_bytes(step(65)), 384u + 4);
  EXPECT_EQ(plan.workspace_bytes(step(33)), 256u + 4);
  const int allocated = d.allocated;
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(memory.data()) + 127) / 128 * 128;
  const auto extent = [&](std::size_t offset, std::size_t bytes) {
    return MemoryExtent{reinterpret_cast<void *>(begin + offset), bytes};
  };
  d.body = [&](auto &) { EXPECT_EQ(d.allocated, allocated); };
  for (int again = 0; again < 2; ++again) {
    d.launches.clear();
    const Status status = plan.run(d, extent(0, 516), step(100));
    ASSERT_TRUE(status.is_ok()) << status.text();
    ASSERT_EQ(d.launches.size(), 3u);
    EXPECT_EQ(d.launches[0].bits[0], begin);
    EXPECT_EQ(d.launches[1].bits[0], begin + 512);
    EXPECT_EQ(d.launches[2].bits[0], reinterpret_cast<std::uintptr_t>(x.data()));
  }
  d.launches.clear();
  Status status = plan.run(d, extent(0, 515), step(100));
  EXPECT_EQ(status.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(status.text(), AllOf(HasSubstr("has 515 bytes, and this launch needs at least 516"),
                                   HasSubstr("workspace_bytes()")));
  status = plan.run(d, step(100));
  EXPECT_THAT(status.text(), HasSubstr("has 0 bytes, and this launch needs at least 400"));
  status = plan.run(d, extent(16, 1024), step(100));
  EXPECT_THAT(status.text(), HasSubstr("misaligned"));
  d.body = nullptr;
  thrice(d, x, 100);   // as usual
  EXPECT_NE(d.launches.back().bits[0], begin);
}

TEST(LaunchPlan, TakesWorkspacesAgainThatWentOutOfOrder) {
  Notebook d;
  Buffer<std::byte> memory(d, 4096);
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(memory.data()) + 127) / 128 * 128;
  const LaunchPlan plan(d);
  const Status status = plan.run(d, {reinterpret_cast<void *>(begin), 300}, [&](OnDevice on) {
    for (int again = 0; again < 3; ++again) {
      std::optional<Workspace<char>> first(std::in_place, on.device, 100),
          second(std::in_place, on.device, 100);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first->data()), begin);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(second->data()), begin + 128);
      first.reset();
      const Workspace<char> third(on.device, 40);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(third.data()), begin + 256);
      second.reset();
    }
  });
  EXPECT_TRUE(status.is_ok()) << status.text();
}

TEST(LaunchPlan, IsOfOneDevice) {
  Notebook d, other;
  Buffer<f32> x(d, 128), y(other, 128);
  LaunchPlan plan(d);
  plan.prepare([&](OnDevice on) { twice(on, x, 100); });
  const Status status = plan.run(other, [&](OnDevice on) { twice(on, y, 100); });
  EXPECT_EQ(status.code(), ErrorCode::invalid_argument);
  EXPECT_THAT(status.text(), HasSubstr("made for another device"));
  // What a step launches elsewhere is as usual.
  EXPECT_TRUE(plan.run(d,
                       [&](OnDevice on) {
                         twice(other, y, 64);
                         twice(on, x, 100);
                       })
                  .is_ok());
  EXPECT_EQ(other.launches.size(), 1u);
  EXPECT_EQ(d.launches.size(), 1u);
}

TEST(LaunchPlan, OfADeviceThatIsGoneIsRefused) {
  Notebook other;
  std::optional<Notebook> d(std::in_place);
  LaunchPlan plan(*d);
  d.reset();
  const Status status = plan.run(other, [](OnDevice) {});
  EXPECT_THAT(status.text(), HasSubstr("a plan is used after its device is gone"));
  EXPECT_THROW(plan.prepare([](OnDevice) {}), Error);
}

TEST(LaunchPlan, TakesNoMemoryOfTheHost) {
  Notebook d(/*reaches_host=*/false);
  std::vector<f32> elements(128);
  const std::span<f32> x(elements);
  LaunchPlan plan(d);
  EXPECT_THROW(plan.prepare([&](OnDevice on) { twice(on, x, 100); }), Error);
  const Status status = plan.run(d, [&](OnDevice on) { twice(on, x, 100); });
  EXPECT_THAT(status.text(), HasSubstr("a span of host memory would be copied"));
}

TEST(LaunchPlan, OfAnEmptyGridHasNoCode) {
  Notebook d;
  Buffer<f32> x(d, 128);
  LaunchPlan plan(d);
  plan.prepare([&](OnDevice on) { twice.launch_with(Config{}, on, x, 0); });
  EXPECT_EQ(d.loads, 0);
  EXPECT_TRUE(plan.run(d, [&](OnDevice on) { twice.launch_with(Config{}, on, x, 0); }).is_ok());
  EXPECT_EQ(plan.run(d, [&](OnDevice on) { twice.launch_with(Config{}, on, x, 65); }).code(),
            ErrorCode::not_prepared);
  plan.prepare([&](OnDevice on) { twice.launch_with(Config{}, on, x, 65); });
  EXPECT_TRUE(plan.run(d, [&](OnDevice on) { twice.launch_with(Config{}, on, x, 65); }).is_ok());
  EXPECT_EQ(d.launches.size(), 1u);
}

TEST(LaunchPlan, EndsWithItsStep) {
  Notebook d;
  Buffer<f32> x(d, 128);
  LaunchPlan plan(d);
  EXPECT_THROW(plan.prepare([](OnDevice) { throw std::runtime_error("broken"); }), std::runtime_error);
  const Status status = plan.run(d, [](OnDevice) { throw std::runtime_error("broken"); });
  EXPECT_EQ(status.code(), ErrorCode::internal);
  EXPECT_THAT(status.text(), HasSubstr("broken"));
  twice(d, x, 100);
  EXPECT_EQ(d.launches.size(), 1u);
}

TEST(LaunchPlan, RunsInSeveralThreads) {
  Notebook d;
  Buffer<f32> x(d, 128);
  LaunchPlan plan(d);
  const auto step = [&](OnDevice on) { twice.launch_with(Config{.block = 16}, on, x, 0); };
  plan.prepare(step);
  std::vector<std::thread> threads;
  std::vector<std::size_t> errors(4);
  for (std::size_t &count : errors)
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i)
        count += errors_of(plan.run(d, step));
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(errors, std::vector<std::size_t>(4));
}

}   // namespace
