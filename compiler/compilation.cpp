// SPDX-License-Identifier: MIT
#include "compiler/compilation.h"

#include "compiler/launch_facts.h"
#include "compiler/pipeline.h"
#include "compiler/ptx.h"
#include "compiler/target/sass.h"
#include "runtime/environment.h"
#include "runtime/kernel_names.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tile {

static std::string printed(ModuleOp module, const TextOptions &format) {
  OpPrintingFlags flags;
  if (format.locations)
    flags.enableDebugInfo();
  if (format.generic)
    flags.printGenericOpForm();
  std::string text;
  llvm::raw_string_ostream out(text);
  module.print(out, flags);
  out << '\n';
  return text;
}

LentContext lendLoweringContext() {
  static auto &pool = *new ContextPool([] {
    std::unique_ptr<MLIRContext> context = make_context();
    loadLoweringDialects(*context);
    return context;
  });
  return pool.lend();
}

Compilation::Compilation(Origin origin, const Target &target, const std::string &purpose)
    : origin_(std::move(origin)), target_(target), log_(origin_.name + "-" + purpose),
      context_(lendLoweringContext()), handler_(context_.get(), [this](Diagnostic &d) {
        collect(d);
        return success();
      }) {
  context_->printOpOnDiagnostic(false);   // users know their line, not the compiler's ops
}

static std::vector<LaunchArgument> argumentsOf(const KernelIR &kernel) {
  std::vector<LaunchArgument> arguments;
  for (const Parameter &parameter : kernel.parameters())
    arguments.push_back({parameter.name, parameter.type});
  return arguments;
}

static std::vector<ArgClass> classesOf(const KernelIR &kernel) {
  std::vector<ArgClass> classes;
  for (const Parameter &parameter : kernel.parameters())
    classes.push_back(parameter.argument_class);
  return classes;
}

Compilation::Compilation(const KernelIR &kernel, const Target &target, const std::string &purpose)
    : Compilation({kernel.name(), kernel.config(), argumentsOf(kernel), classesOf(kernel), false}, target,
                  purpose) {
  module_ = moduleOf(kernel, *context_);
}

Compilation::Compilation(const HandWritten &kernel, const Target &target, const std::string &purpose)
    : Compilation({"hand-written", "", {}, {}, true}, target, purpose) {
  module_ = parseSourceString<ModuleOp>(kernel.text, context_.get());
  if (!module_)
    raise();
  (*module_)->setAttr("tile_gpu.target", StringAttr::get(context_.get(), target.name()));
}

void Compilation::runPasses(const std::function<void(OpPassManager &)> &build) {
  PassManager passes(context_.get());
  // After every pass it would take a tenth of a compilation; the tests have it so.
  const bool afterEach = environment::verify();
  passes.enableVerifier(afterEach);
  build(passes);
  log_.watch(passes);
  if (failed(passes.run(*module_)) || (!afterEach && failed(mlir::verify(*module_))))
    raise();
}

void Compilation::runPassesTo(Stage stage, bool sourceLines, bool stamps) {
  runPasses([&](OpPassManager &passes) {
    if (!origin_.isHandWritten) {
      if (stage >= Stage::TileSimplified)
        buildTilePipeline(passes);
      if (stage >= Stage::TileGpu)
        buildLayoutPipeline(passes, target_, keepsRemarks_);
      if (stage >= Stage::Thread)
        buildThreadPipeline(passes);
      if (stage >= Stage::Llvm)
        buildLLVMPipeline(passes);
    }
    if (stage >= Stage::Llvm) {
      buildPtxPipeline(passes, sourceLines, stamps);
      // Some ops of NVVM are no intrinsics but assembly text, such as waits in a loop.
      passes.addPass(createConvertNVVMToLLVMPass());
    }
  });
}

std::string Compilation::text(Stage stage, const TextOptions &format) {
  if (stage < Stage::Llvm)
    return printed(*module_, format);
  if (stage == Stage::Llvm)
    return log_.step("llvm", "ll", [&] { return translated(translateToLLVM(*module_, target_)); });
  std::string ptx = log_.step("ptx", "ptx", [&] { return translated(translateToPtx(*module_, target_)); });
  return stage == Stage::Ptx
             ? ptx
             : log_.step("sass", "sass", [&] { return machineCode(ptx, target_, format.locations); });
}

LoweredKernel Compilation::lowered() {
  LoweredKernel kernel = launchFacts(*module_);
  kernel.target = target_.name();
  if (origin_.isHandWritten) {
    kernel.take(launchArguments(*module_), {});
    takeLaunchParameters(*module_, kernel);
    kernel.config =
        "num_warps=" + std::to_string(kernel.threads / 32) + " num_ctas=" + std::to_string(kernel.ctas());
    return kernel;
  }
  kernel.name = origin_.name;
  kernel.config = origin_.config;
  kernel.take(origin_.arguments, origin_.classes);
  takeLaunchParameters(*module_, kernel);
  return kernel;
}

LoweredKernel Compilation::toPtx() {
  runPassesTo(Stage::Ptx, /*sourceLines=*/!origin_.isHandWritten);
  LoweredKernel kernel = lowered();
  kernel.kind = LoweredKernel::Code::ptx;
  kernel.set_text(text(Stage::Ptx, {}));
  return kernel;
}

StampedKernel Compilation::toStampedPtx() {
  runPassesTo(Stage::Ptx, /*sourceLines=*/true, /*stamps=*/true);
  StampedKernel stamped = stampFacts(*module_);
  stamped.kernel = lowered();
  stamped.kernel.kind = LoweredKernel::Code::ptx;
  stamped.kernel.set_text(text(Stage::Ptx, {}));
  return stamped;
}

std::string Compilation::translated(std::optional<std::string> text) {
  if (!text)
    raise();
  return std::move(*text);
}

void Compilation::collect(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark)
    remarks_.push_back({diagnostic.str(), placeOf(diagnostic.getLocation())});
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return;
  messages_.push_back({diagnostic.str(), placeOf(diagnostic.getLocation())});
  for (Diagnostic &note : diagnostic.getNotes())
    messages_.push_back({note.str(), placeOf(note.getLocation())});
}

void Compilation::raise() const {
  if (messages_.empty())
    throw Error("internal error: the compiler gave up on kernel " + origin_.name +
                    " without a reason; this is a bug of tile",
                {})
        .with_code(ErrorCode::internal);
  std::vector<Error::Note> notes;
  for (const Message &more : llvm::drop_begin(messages_))
    notes.push_back({more.text, more.where});
  Error error(messages_.front().text, messages_.front().where, std::move(notes));
  error.with_code(ErrorCode::compilation_refused);
  if (!origin_.isHandWritten)
    error.add_context(kernel_title(origin_.name, origin_.config));
  throw error;
}

}   // namespace tile
