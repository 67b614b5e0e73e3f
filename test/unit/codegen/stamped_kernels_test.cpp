// SPDX-License-Identifier: MIT
// Shipped kernels with stamps of the clock: the assembler takes them as they are, and without stamps nothing
// is left of them.
#include "compiler/api/compile_stamped.h"

#include "compiler/api/compile.h"
#include "runtime/assembler.h"
#include "tools/registry/registry.h"

#include <gtest/gtest.h>

#include <string_view>

namespace tile {
namespace {

struct Case {
  std::string kernel, dtype, config, target = "sm_90a";
  friend void PrintTo(const Case &c, std::ostream *out) {
    *out << c.kernel << " " << c.config << " " << c.target;
  }
};

class Stamped : public testing::TestWithParam<Case> {
 protected:
  Stamped() : settings_(registry::entry(GetParam().kernel).parameters) {
    settings_.set("dtype", GetParam().dtype);
    settings_.config = GetParam().config;
  }
  KernelIR traced() const { return registry::entry(GetParam().kernel).trace(settings_, true); }
  const Target target_ = *Target::parse(GetParam().target);

 private:
  registry::Settings settings_;
};

TEST_P(Stamped, CodeWithoutStampsIsWhatItWas) {
  const std::string before(compile(traced(), target_).text());
  const StampedKernel stamped = compile_stamped(traced(), target_);
  // Texts of thousands of lines are compared as a whole, and not printed.
  EXPECT_TRUE(compile(traced(), target_).text() == before);
  const auto has_stamps = [](std::string_view text) {
    return text.find("%clock") != text.npos && text.find(".const .align 16 .b8 tile_clock[72]") != text.npos;
  };
  EXPECT_TRUE(has_stamps(stamped.kernel.text()));
  EXPECT_FALSE(has_stamps(before));
  // The launch is the same.
  LoweredKernel launched = stamped.kernel, plain = compile(traced(), target_);
  launched.code = plain.code = {};
  EXPECT_EQ(launched, plain);
}

TEST_P(Stamped, SitesHaveLinesOfTheKernel) {
  const StampedKernel stamped = compile_stamped(traced(), target_);
  EXPECT_GT(stamped.sites.size(), 1u);
  for (const StampSite &site : stamped.sites)
    EXPECT_TRUE(site.where.known()) << stamp_kinds[static_cast<std::size_t>(site.kind)];
}

// take_log throws where the assembler made products wait for each other.
TEST_P(Stamped, TheAssemblerTakesIt) {
  const std::optional<Assembler> assembler = find_assembler();
  if (!assembler)
    GTEST_SKIP() << "there is no ptxas";
  const StampedKernel stamped = compile_stamped(traced(), target_);
  const LoweredKernel plain = assembled(*assembler, compile(traced(), target_), target_.name());
  const LoweredKernel code = assembled(*assembler, stamped.kernel, target_.name());
  EXPECT_EQ(code.spill_bytes, plain.spill_bytes);
  EXPECT_NE(code.code, plain.code);
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Stamped,
    testing::Values(Case{"gemm", "bf16", ""},
                    Case{"gemm", "bf16", "block_m=128,block_n=256,launch.num_warps=8"},
                    Case{"gemm", "bf16", "block_m=256,block_n=128,launch.num_warps=8,launch.num_ctas=2"},
                    Case{"gemm", "bf16", "block_m=64,block_n=256,launch.num_warps=4,launch.ping_pong=true"},
                    Case{"attention", "bf16", ""}, Case{"softmax", "f16", ""}, Case{"layer_norm", "f16", ""},
                    Case{"matmul", "f16", ""}, Case{"matmul", "f16", "", "sm_80"},
                    Case{"grouped_gemm", "bf16", ""}));

}   // namespace
}   // namespace tile
