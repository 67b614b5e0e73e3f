// SPDX-License-Identifier: MIT
// Every combination of types and widths of a warpgroup's products: verifier, simulator and PTX take those
// that have a row, and no other.
#include "compiler/kernel_ir_module.h"
#include "compiler/pipeline.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tile {
namespace {

constexpr MatrixElement elements[] = {MatrixElement::f16,  MatrixElement::bf16, MatrixElement::tf32,
                                      MatrixElement::e4m3, MatrixElement::e5m2, MatrixElement::s8,
                                      MatrixElement::u8};

struct Form {
  MatrixElement a, b, sum;
  unsigned columns;
};

std::string textOf(const Form &form, MLIRContext *context) {
  std::string a, b, fields;
  llvm::raw_string_ostream(a) << gpu::typeOf(form.a, context);
  llvm::raw_string_ostream(b) << gpu::typeOf(form.b, context);
  unsigned words = form.columns / (bitsOf(form.sum) == 16 ? 4 : 2);
  for (unsigned i = 0; i < words; ++i)
    fields += std::string(i ? ", " : "") + (form.sum == MatrixElement::f32 ? "f32" : "i32");
  return llvm::formatv("module attributes {{tile_gpu.target = \"sm_90a\"} {{\n"
                       "llvm.func @kernel(%a: i64, %c: !llvm.struct<({0})>) attributes {{nvvm.kernel, "
                       "nvvm.reqntid = array<i32: 128>} {{\n%0 = tile_gpu.ptx_wgmma [%a] * %a onto %c {{n = "
                       "{1} : i32, type_a = {2}, type_b = {3}} : !llvm.struct<({0})>, i64\n"
                       "nvvm.wgmma.commit.group.sync.aligned\ntile_gpu.ptx_wgmma_wait 0\nllvm.return\n}\n}",
                       fields, form.columns, a, b);
}

TEST(MatrixForms, AreThoseThatHaveARow) {
  const std::unique_ptr<MLIRContext> context = make_context();
  loadLoweringDialects(*context);
  ScopedDiagnosticHandler silent(context.get(), [](Diagnostic &) { return success(); });
  unsigned taken = 0;
  for (MatrixElement a : elements)
    for (MatrixElement b : elements)
      for (MatrixElement sum : {MatrixElement::f32, MatrixElement::f16, MatrixElement::s32})
        for (unsigned columns : {4u, 8u, 12u, 24u, 40u, 48u, 256u, 264u}) {
          // In words, sums of integers and sums of two f16 each look alike.
          if (sum == (isInteger(a) ? MatrixElement::f16 : MatrixElement::s32))
            continue;
          const MatrixUnit *unit = findMatrixUnit(Wgmma, a, b, sum);
          const std::string text = textOf({a, b, sum, columns}, context.get());
          bool isTaken = unit && unit->n.has(columns);
          for (auto pipeline : {+[](OpPassManager &p) { buildSimulatorPipeline(p); },
                                +[](OpPassManager &p) { buildPtxPipeline(p, /*sourceLines=*/false); }}) {
            auto module = parseSourceString<ModuleOp>(text, context.get());
            ASSERT_EQ(static_cast<bool>(module), isTaken) << text;
            if (!module)
              continue;
            PassManager passes(context.get());
            pipeline(passes);
            ASSERT_TRUE(succeeded(passes.run(*module))) << text;
            ++taken;
          }
        }
  EXPECT_GT(taken, 100u);
}

}   // namespace
}   // namespace tile
