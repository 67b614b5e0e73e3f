// SPDX-License-Identifier: MIT
// What a kernel asks of its code: who knows what became of it, what is refused, and what TILE_REMARKS says.
#include "test/unit/dsl/notebook.h"
#include "test/unit/runtime/scratch_folder.h"

#include <tile/dsl.h>
#include <tile/interpreter.h>
#include <tile/launch_plan.h>
#include <tile/numeric.h>
#include <tile/simulator.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>

using namespace tile;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::StartsWith;

namespace {

struct Config {
  Launch launch{};
};

constexpr int side = 64, depth = 128;

// z = x y, all stored by rows; steps of 32 along their common axis.
template <class T> using Sum = std::conditional_t<std::is_same_v<T, f64>, f64, f32>;
template <class T>
void product(Ptr<const T> x, Ptr<const T> y, Ptr<Sum<T>> z, Int steps, [[maybe_unused]] const Config &cfg) {
  auto i = arange(0, side), k = arange(0, 32);
  auto sums = zeros<Sum<T>>({side, side});
  for (auto step : range(0, steps)) {
    auto at = step * 32 + k;
    auto left = load(x + (expand_dims(i, 1) * depth + expand_dims(at, 0)));
    auto right = load(y + (expand_dims(at, 1) * side + expand_dims(i, 0)));
    sums = dot(left, right, sums);
  }
  store(z + (expand_dims(i, 1) * side + expand_dims(i, 0)), sums);
}
template <class T> Kernel<&product<T>> product_kernel(const Requirements &require = {}) {
  return {.name = "product",
          .parameters = {"x", "y", "z", "steps"},
          .grid = [](auto...) { return Grid{1}; },
          .require = require};
}

const std::vector aligned(4, ArgClass::divisible_by_16);

LoweredKernel lowered(const auto &kernel, std::string_view target) {
  return kernel.compile({}, aligned, target).lowered();
}

TEST(Requirements, TheCompilerSaysWhatMultiplies) {
  EXPECT_EQ(lowered(product_kernel<f16>(), "sm_90a").unit, ProductUnit::wgmma);
  EXPECT_EQ(lowered(product_kernel<f16>(), "sm_80").unit, ProductUnit::mma_sync);
  EXPECT_EQ(lowered(product_kernel<f64>(), "sm_90a").unit, ProductUnit::threads);
  EXPECT_EQ(lowered(product_kernel<f16>(), "sm_90a").roles, 1u);
}

TEST(Requirements, NamesOfUnits) {
  for (const ProductUnit unit :
       {ProductUnit::none, ProductUnit::wgmma, ProductUnit::mma_sync, ProductUnit::threads})
    EXPECT_EQ(product_unit_named(name_of(unit)), unit);
  EXPECT_EQ(product_unit_named("tcgen05"), std::nullopt);
}

TEST(Requirements, AFasterUnitWillDo) {
  const Requirements mma{.unit = ProductUnit::mma_sync};
  EXPECT_EQ(mma.broken_by({.unit = ProductUnit::wgmma}), "");
  EXPECT_EQ(mma.broken_by({.unit = ProductUnit::mma_sync}), "");
  EXPECT_EQ(mma.broken_by({.unit = ProductUnit::threads, .target = "sm_80"}),
            "`.require` asks for products by mma.sync, but for sm_80 a product is made by threads");
  EXPECT_EQ(mma.broken_by({.unit = ProductUnit::none}),
            "`.require` asks for products by mma.sync, but this kernel has no products");
}

TEST(Requirements, BudgetsOfAThread) {
  const Requirements budget{.no_spills = true, .registers = 168};
  EXPECT_EQ(budget.broken_by({.registers = 168, .spill_bytes = 0}), "");
  EXPECT_EQ(budget.broken_by({.registers = 169, .spill_bytes = 0}),
            "`.require` allows 168 registers of a thread, but the code needs 169");
  EXPECT_EQ(budget.broken_by({.registers = 168, .spill_bytes = 4}),
            "`.require` allows no spills, but each thread keeps 4 bytes in memory for want of registers");
  EXPECT_EQ((Requirements{.roles = true}.broken_by({.roles = 2})), "");
  EXPECT_EQ((Requirements{.roles = true}.broken_by({.roles = 1, .target = "sm_90a"})),
            "`.require` asks for roles of warps, but for sm_90a all warps run the same program");
}

TEST(Requirements, NoThreadHasSoManyRegisters) {
  for (const int count : {-1, 256})
    EXPECT_EQ((Requirements{.registers = count}.broken_by({})),
              "`.require` has " + std::to_string(count) +
                  " registers of a thread; it may have 1 to 255, or 0 for as many as the code needs");
  EXPECT_EQ((Requirements{.registers = 255}.broken_by({})), "");
}

TEST(Requirements, WhatADeviceDoesNotKnowIsNotChecked) {
  EXPECT_EQ((Requirements{ProductUnit::wgmma, true, true, 24}.broken_by({})), "");
}

TEST(Requirements, WordsTellThemApart) {
  const std::vector<Requirements> all{{},
                                      {.unit = ProductUnit::wgmma},
                                      {.unit = ProductUnit::mma_sync},
                                      {.unit = ProductUnit::threads},
                                      {.roles = true},
                                      {.no_spills = true},
                                      {.registers = 1},
                                      {.registers = 168}};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all.size(); ++j)
      EXPECT_EQ(all[i].word() == all[j].word(), i == j) << i << " " << j;
}

// Launches the product of numbers that f16 and f32 hold exactly.
class Launched : public ::testing::Test {
 protected:
  void SetUp() override {
    guard_.set("TILE_CACHE", "off");
    guard_.set("TILE_REMARKS", nullptr);
  }
  static std::unique_ptr<Device> simulator(const std::string &target) {
    return open_simulator({.target = target, .threads = 1});
  }
  // z[0], or what the launch says.
  static std::string launch(Device &device, const Kernel<&product<f16>> &kernel) {
    std::vector<f16> ones(static_cast<std::size_t>(side * depth), numeric::cast<f16>(1.0f));
    Buffer<f16> x(device, std::span<const f16>(ones)), y(device, std::span<const f16>(ones));
    Buffer<f32> z(device, static_cast<std::size_t>(side * side));
    try {
      kernel(device, x, y, z, depth / 32);
      device.synchronize();
    } catch (const Error &e) {
      code_ = e.code();
      return e.what();
    }
    return std::to_string(static_cast<int>(z.to_host().front()));
  }

  tile::testing::EnvironmentGuard guard_;
  static inline ErrorCode code_ = ErrorCode::internal;
};

TEST_F(Launched, OtherCodeIsRefusedWithTheReason) {
  const auto kernel = product_kernel<f16>({.unit = ProductUnit::wgmma});
  const auto hopper = simulator("sm_90a"), ampere = simulator("sm_80");
  EXPECT_EQ(launch(*hopper, kernel), std::to_string(depth));
  EXPECT_THAT(launch(*ampere, kernel),
              AllOf(HasSubstr("error: `.require` asks for products by wgmma, but for sm_80 a product is made "
                              "by mma.sync"),
                    HasSubstr("requirements_test.cpp"),
                    HasSubstr("help: change the kernel or its config, or ask for less in `.require`")));
  EXPECT_EQ(code_, ErrorCode::unsupported);
}

TEST_F(Launched, TheCompilersRemarksAreNotes) {
  const auto hopper = simulator("sm_90a");
  EXPECT_THAT(launch(*hopper, product_kernel<f16>({.roles = true})),
              AllOf(HasSubstr("`.require` asks for roles of warps, but for sm_90a all warps run the same "),
                    HasSubstr("multiplied from shared memory; all warps copy both operands there")));
}

// Kernels of one function share what was compiled, if they ask for the same.
TEST_F(Launched, CodeThatAnotherKernelMayHaveIsRefusedToo) {
  const auto ampere = simulator("sm_80");
  EXPECT_EQ(launch(*ampere, product_kernel<f16>()), std::to_string(depth));
  EXPECT_THAT(launch(*ampere, product_kernel<f16>({.unit = ProductUnit::wgmma})), HasSubstr("`.require`"));
  EXPECT_EQ(launch(*ampere, product_kernel<f16>()), std::to_string(depth));
}

TEST_F(Launched, PlansRefuseItWhenTheyArePrepared) {
  const auto ampere = simulator("sm_80");
  Buffer<f16> x(*ampere, static_cast<std::size_t>(side * depth));
  Buffer<f32> z(*ampere, static_cast<std::size_t>(side * side));
  const auto plain = product_kernel<f16>(), strict = product_kernel<f16>({.unit = ProductUnit::wgmma});
  LaunchPlan plan(*ampere);
  plan.prepare([&](OnDevice on) { plain(on, x, x, z, 4); });
  EXPECT_THROW(plan.prepare([&](OnDevice on) { strict(on, x, x, z, 4); }), Error);
  EXPECT_FALSE(plan.run(*ampere, [&](OnDevice on) { strict(on, x, x, z, 4); }).is_ok());
  EXPECT_TRUE(plan.run(*ampere, [&](OnDevice on) { plain(on, x, x, z, 4); }).is_ok());
}

// One warp cannot multiply out of shared memory.
TEST_F(Launched, TunersLeaveOutWhatIsNotAsAsked) {
  const auto hopper = simulator("sm_90a");
  Buffer<f16> x(*hopper, std::vector<f16>(static_cast<std::size_t>(side * depth)));
  Buffer<f32> z(*hopper, static_cast<std::size_t>(side * side));
  auto kernel = product_kernel<f16>({.unit = ProductUnit::wgmma});
  kernel.configs = {{.launch = {.num_warps = 1}}, {.launch = {.num_warps = 4}}};
  const tuning::Sweep sweep = kernel.tune(*hopper, x, x, z, 4);
  ASSERT_EQ(sweep.records.size(), 2u);
  EXPECT_THAT(sweep.records[0].reason, HasSubstr("`.require` asks for products by wgmma"));
  EXPECT_EQ(sweep.records[1].reason, "");
  EXPECT_EQ(sweep.winner, 1u);
}

TEST_F(Launched, TheInterpreterChecksNothing) {
  const auto interpreter = open_interpreter({.threads = 1});
  EXPECT_EQ(launch(*interpreter, product_kernel<f16>({.unit = ProductUnit::wgmma, .roles = true})),
            std::to_string(depth));
}

TEST_F(Launched, ChoicesAreInTheOrderOfTheSource) {
  const auto choices = product_kernel<f16>().compile({}, aligned, "sm_90a").choices();
  ASSERT_FALSE(choices.empty());
  EXPECT_THAT(choices, Contains(Field(&Remark::text, StartsWith("multiplied from shared memory"))));
  for (std::size_t i = 1; i < choices.size(); ++i)
    EXPECT_LE(choices[i - 1].where.line, choices[i].where.line);
}

TEST_F(Launched, RemarksOnRequest) {
  const auto hopper = simulator("sm_90a");
  const auto said = [&] {
    ::testing::internal::CaptureStderr();
    launch(*hopper, product_kernel<f16>().with({.launch = {.num_warps = 8}}));
    return ::testing::internal::GetCapturedStderr();
  };
  guard_.set("TILE_REMARKS", "1");
  EXPECT_THAT(said(), AllOf(HasSubstr("kernel product, config launch.num_warps=8"),
                            HasSubstr(" for sm_90a: products by wgmma, one program for all warps\n"),
                            HasSubstr("requirements_test.cpp:"),
                            HasSubstr("  = multiplied from shared memory; all warps copy")));
  EXPECT_EQ(said(), "");   // once
}

}   // namespace
