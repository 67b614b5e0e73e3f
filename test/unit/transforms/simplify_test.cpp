// SPDX-License-Identifier: MIT
// tile-simplify keeps what kernels compute: each runs on the interpreter as written and as simplified.
#include "compiler/kernel_ir_module.h"
#include "compiler/pipeline.h"
#include "dialects/tile/dialect.h"
#include "mlir/Pass/PassManager.h"
#include "test/unit/interpreter/kernel_text.h"
#include "test/unit/transforms/random_kernel.h"

#include <gtest/gtest.h>

namespace tile::test {
namespace {

std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

std::string simplify(const std::string &text) {
  KernelIR kernel = parse(text);
  auto context = make_context();
  auto module = moduleOf(kernel, *context);
  mlir::PassManager passes(context.get());
  buildTilePipeline(passes);
  EXPECT_TRUE(mlir::succeeded(passes.run(*module))) << text;
  return print(*module);
}

std::vector<std::int32_t> run(const std::string &text, const RandomKernel &kernel) {
  Interpreted interpreted(text, {.threads = 1});
  std::vector<std::int32_t> input(32), output(RandomKernelOutputs, -77);
  for (int index = 0; index < 32; ++index)
    input[index] = (index - 16) * (index % 3 == 0 ? 0x01234567 : 3);
  auto x = interpreted.buffer(input, "x"), out = interpreted.buffer(output, "out");
  interpreted.run({1, 1, 1}, x, out, kernel.n, kernel.m);
  interpreted.device().synchronize();
  interpreted.device().copy_out(output.data(), out.data(), output.size() * sizeof(output[0]));
  return output;
}

TEST(Simplify, KeepsWhatRandomKernelsCompute) {
  int shrunk = 0;
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const RandomKernel kernel = random_kernel(seed);
    const std::string simple = simplify(kernel.text);
    ASSERT_EQ(run(kernel.text, kernel), run(simple, kernel))
        << "seed " << seed << ", n = " << kernel.n << ", m = " << kernel.m << "\n"
        << kernel.text << "\nsimplified\n"
        << simple;
    ASSERT_EQ(simple, simplify(simple)) << "seed " << seed << ": the second run changes something";
    shrunk += simple.size() < kernel.text.size();
  }
  EXPECT_GT(shrunk, 250);   // or the test would see nothing
}

}   // namespace
}   // namespace tile::test
