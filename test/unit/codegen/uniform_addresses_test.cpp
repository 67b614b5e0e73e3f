// SPDX-License-Identifier: MIT
// The assembler computes the descriptors of matrices in uniform registers, from which the instruction takes
// them. Else it moves four words there before each instruction.
#include "compiler/api/compile.h"
#include "runtime/assembler.h"
#include "runtime/line_table.h"
#include "tools/registry/registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace tile {
namespace {

struct Case {
  std::string kernel, config;
  friend void PrintTo(const Case &c, std::ostream *out) { *out << c.kernel << " " << c.config; }
};

class UniformAddresses : public testing::TestWithParam<Case> {};

constexpr unsigned product = 0x9f0, move_to_uniform = 0x2ca;   // HGMMA, R2UR

// The opcodes of machine code of 128 bits an instruction, from its first product to its last.
std::vector<unsigned> from_product_to_product(std::span<const std::byte> code) {
  constexpr std::size_t instruction_bytes = 16;
  std::vector<unsigned> opcodes;
  for (std::size_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes) {
    std::uint16_t low = 0;
    std::memcpy(&low, code.data() + at, sizeof low);
    opcodes.push_back(low & 0xfffU);
  }
  const auto first = std::ranges::find(opcodes, product);
  const auto last = std::ranges::find(opcodes.rbegin(), opcodes.rend(), product).base();
  return first < last ? std::vector(first, last) : std::vector<unsigned>();
}

TEST_P(UniformAddresses, AreComputedThere) {
  const std::optional<Assembler> assembler = find_assembler();
  if (!assembler)
    GTEST_SKIP() << "there is no ptxas";
  registry::Settings settings(registry::entry(GetParam().kernel).parameters);
  settings.set("dtype", "bf16");
  settings.config = GetParam().config;
  const Target target = *Target::parse("sm_90a");
  const LoweredKernel kernel = assembled(
      *assembler, compile(registry::entry(GetParam().kernel).trace(settings, true), target), target.name());
  const std::vector<unsigned> opcodes =
      from_product_to_product(elf_section(std::as_bytes(std::span(kernel.code)), ".text."));
  EXPECT_GT(std::ranges::count(opcodes, product), 0);
  EXPECT_LT(std::ranges::count(opcodes, move_to_uniform), std::ranges::count(opcodes, product));
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, UniformAddresses,
    testing::Values(Case{"gemm", "block_m=128,block_n=256,block_k=64,launch.num_warps=8,launch.num_stages=4"},
                    Case{"gemm", "block_m=256,block_n=128,launch.num_warps=8,launch.num_ctas=2"},
                    Case{"attention", "block_m=128,block_n=128,rows=descriptors,launch.num_warps=8"},
                    Case{"matmul", "block_n=256,block_k=64,launch.num_warps=8,launch.num_stages=4"}));

}   // namespace
}   // namespace tile
