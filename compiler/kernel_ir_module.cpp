// SPDX-License-Identifier: MIT
#include "compiler/kernel_ir_module.h"

#include "compiler/api/kernel_source.h"
#include "compiler/emit/emit_mlir.h"
#include "compiler/lent_context.h"
#include "dialects/tile/dialect.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tile {

std::unique_ptr<MLIRContext> make_context() {
  DialectRegistry registry;
  registry
      .insert<ir::TileDialect, func::FuncDialect, arith::ArithDialect, math::MathDialect, scf::SCFDialect>();
  auto context = std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  return context;
}

namespace {

OwningOpRef<ModuleOp> parsed(const TextSource &source, MLIRContext &context) {
  std::string problems;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) noexcept {
    problems += (problems.empty() ? "" : "\n") + diagnostic.str();
    return success();
  });
  auto module = parseSourceString<ModuleOp>(source.text(), &context, source.file());
  if (!module)
    throw Error("the kernel does not parse: " + problems, {});
  return module;
}

OwningOpRef<ModuleOp> moduleOf(const KernelIR::Source &source, MLIRContext &context) {
  if (const auto *traced = dynamic_cast<const detail::TracedSource *>(&source))
    return moduleOf(*traced, context);
  return parsed(dynamic_cast<const TextSource &>(source), context);
}

LentContext lendContext() {
  static auto &pool = *new ContextPool(make_context);
  return pool.lend();
}

struct View {
  LentContext context = lendContext();   // outlives the module
  OwningOpRef<ModuleOp> module;
};

ModuleOp viewOf(const KernelIR::Source &source) {
  const std::shared_ptr<void> &view = source.view([&] {
    auto made = std::make_shared<View>();
    made->module = moduleOf(source, *made->context);
    return made;
  });
  return *static_cast<View *>(view.get())->module;
}

ElementType elementOf(Type type) {
  if (auto pointer = dyn_cast<ir::PtrType>(type))
    return elementOf(pointer.getPointee()).pointer_to();
  std::string name;
  if (isa<Float8E4M3FNType>(type))
    name = "e4m3";
  else if (isa<Float8E5M2Type>(type))
    name = "e5m2";
  else
    llvm::raw_string_ostream(name) << type;
  Kind kind{};
  if (!parse_kind(name, kind))
    throw Error("the kernel takes an argument of type " + name + ", which a launch cannot pass", {});
  return {kind};
}

Launch launchOf(func::FuncOp function) {
  Launch launch;
  auto number = [&](StringRef name, int fallback) {
    auto attribute = function->getAttrOfType<IntegerAttr>(name);
    return attribute ? static_cast<int>(attribute.getInt()) : fallback;
  };
  launch.num_warps = number(ir::NumWarpsName, launch.num_warps);
  launch.num_stages = number(ir::NumStagesName, launch.num_stages);
  launch.num_ctas = number(ir::NumCtasName, launch.num_ctas);
  launch.ping_pong = function->hasAttr(ir::PingPongName);
  launch.max_registers = number(ir::MaxRegistersName, launch.max_registers);
  if (auto fuses = function->getAttrOfType<BoolAttr>(ir::FpFusionName))
    launch.fp_fusion = fuses.getValue();
  return launch;
}

}   // namespace

OwningOpRef<ModuleOp> moduleOf(const KernelIR &kernel, MLIRContext &context) {
  return moduleOf(kernel.source(), context);
}

ModuleOp viewOf(const KernelIR &kernel) { return viewOf(kernel.source()); }

std::string textOf(const KernelIR &kernel, const TextOptions &format) {
  std::string text;
  llvm::raw_string_ostream out(text);
  OpPrintingFlags flags;
  flags.useLocalScope();
  flags.enableDebugInfo(format.locations, /*prettyForm=*/false);
  flags.printGenericOpForm(format.generic);
  viewOf(kernel).print(out, flags);
  out << '\n';
  return text;
}

KernelIR readKernel(const std::string &text, const std::string &file) {
  auto source = std::make_shared<TextSource>(text, file);
  for (auto function : viewOf(*source).getOps<func::FuncOp>()) {
    std::vector<Parameter> parameters;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto name = function.getArgAttrOfType<StringAttr>(i, "tile.name");
      parameters.push_back(
          {name ? name.str() : "a" + std::to_string(i), elementOf(function.getArgumentTypes()[i])});
    }
    return {std::move(source), function.getSymName().str(), "", std::move(parameters), launchOf(function)};
  }
  throw Error("the text has no kernel", {});
}

}   // namespace tile
