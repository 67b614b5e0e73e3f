// SPDX-License-Identifier: MIT
#include "compiler/kernel_ir.h"

#include "compiler/kernel_ir_module.h"
#include "dialects/tile/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

namespace tile {

std::unique_ptr<mlir::MLIRContext> make_context() {
  mlir::DialectRegistry registry;
  registry.insert<ir::TileDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect>();
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

mlir::ModuleOp KernelIR::Module::get() const {
  std::call_once(once_, [this] {
    auto context = make_context();
    module_ = makeIn(*context);
    context_ = std::move(context);
  });
  return const_cast<mlir::OwningOpRef<mlir::ModuleOp> &>(module_).get();
}

namespace {

class TextModule : public KernelIR::Module {
 public:
  TextModule(std::string text, std::string file) : text_(std::move(text)), file_(std::move(file)) {}

  mlir::OwningOpRef<mlir::ModuleOp> makeIn(mlir::MLIRContext &context) const override {
    std::string problems;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) noexcept {
      problems += (problems.empty() ? "" : "\n") + diagnostic.str();
      return mlir::success();
    });
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text_, &context, file_);
    if (!module)
      throw Error("the kernel does not parse: " + problems, {});
    return module;
  }

  std::string fingerprint() const override { return "text " + text_; }

 private:
  std::string text_, file_;
};

}   // namespace

std::shared_ptr<const KernelIR::Module> parse_module(std::string text, const std::string &file) {
  auto module = std::make_shared<TextModule>(std::move(text), file);
  module->get();
  return module;
}

KernelIR read_kernel_ir(std::string text, std::string name, std::string config,
                        std::vector<Parameter> parameters, const Launch &launch) {
  std::shared_ptr<const KernelIR::Module> module = parse_module(std::move(text), name);
  return {std::move(module), std::move(name), std::move(config), std::move(parameters), launch};
}

KernelIR::KernelIR(std::shared_ptr<const Module> module, std::string name, std::string config,
                   std::vector<Parameter> parameters, Launch launch)
    : module_(std::move(module)), name_(std::move(name)), config_(std::move(config)),
      parameters_(std::move(parameters)), launch_(launch) {}

std::string KernelIR::fingerprint() const { return module_->fingerprint(); }

std::string KernelIR::text(TextOptions options) const {
  std::string text;
  llvm::raw_string_ostream out(text);
  mlir::OpPrintingFlags flags;
  flags.useLocalScope();
  flags.enableDebugInfo(options.locations, /*prettyForm=*/false);
  flags.printGenericOpForm(options.generic);
  module_->get().print(out, flags);
  out << '\n';
  return text;
}

}   // namespace tile
