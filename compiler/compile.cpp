// SPDX-License-Identifier: MIT
#include "compiler/compile.h"

#include "compiler/compile_log.h"
#include "compiler/kernel_ir_module.h"
#include "compiler/pipeline.h"
#include "compiler/target/ptx.h"
#include "compiler/target/sass.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

using namespace mlir;

namespace tile {
namespace {

// The innermost place in the user's source.
Location placeOf(mlir::Location loc) {
  Location place;
  loc->walk([&](mlir::Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    place = {file.getFilename().str(), file.getLine(), file.getColumn()};
    return WalkResult::interrupt();
  });
  return place;
}

// Diagnostics become one error when the pass manager has returned: no exception crosses it.
struct Collected {
  struct Message {
    std::string text;
    Location where;
  };
  std::vector<Message> messages;

  void add(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return;
    messages.push_back({diagnostic.str(), placeOf(diagnostic.getLocation())});
    for (Diagnostic &note : diagnostic.getNotes())
      messages.push_back({note.str(), placeOf(note.getLocation())});
  }
  [[noreturn]] void raise(const KernelIR &kernel) const {
    if (messages.empty())
      throw Error("internal error: the compiler gave up on kernel " + kernel.name() +
                      " without a reason; this is a bug of tile",
                  {});
    std::vector<Error::Note> notes;
    for (const Message &more : llvm::drop_begin(messages))
      notes.push_back({more.text, more.where});
    Error error(messages.front().text, messages.front().where, std::move(notes));
    error.add_context("kernel " + kernel.name() +
                      (kernel.config().empty() ? "" : ", config " + kernel.config()));
    throw error;
  }
};

std::string textOf(ModuleOp module, const TextOptions &format) {
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

// One kernel on its way: a copy in a context of its own, so that it can be compiled for several targets at
// once.
class Compilation {
 public:
  Compilation(const KernelIR &kernel, const Target &target)
      : kernel_(kernel), target_(target), log_(kernel.name() + "-" + target.name()), context_(make_context()),
        handler_(context_.get(), [this](Diagnostic &d) {
          collected_.add(d);
          return success();
        }) {
    loadLoweringDialects(*context_);
    context_->printOpOnDiagnostic(false);   // users know their line, not the compiler's ops
    module_ = parseSourceString<ModuleOp>(kernel.text(), context_.get());
    if (!module_)
      collected_.raise(kernel);
  }

  void runPassesTo(Stage stage) {
    PassManager passes(context_.get());
    if (stage >= Stage::TileSimplified)
      buildTilePipeline(passes);
    if (stage >= Stage::TileGpu)
      buildLayoutPipeline(passes, target_);
    if (stage >= Stage::Thread)
      buildThreadPipeline(passes);
    if (stage >= Stage::Llvm)
      buildLLVMPipeline(passes);
    log_.watch(passes);
    if (failed(passes.run(*module_)))
      collected_.raise(kernel_);
  }

  // What the kernel asks of a CTA, once its tiles have become registers.
  int sharedBytes() {
    auto bytes = (*module_)->getAttrOfType<IntegerAttr>("tile_gpu.shared_bytes");
    return bytes ? static_cast<int>(bytes.getInt()) : 0;
  }

  std::vector<DeviceCheck> checks() {
    std::vector<DeviceCheck> result;
    if (auto faults = (*module_)->getAttrOfType<ArrayAttr>("tile_gpu.faults"))
      for (auto fault : faults.getAsRange<DictionaryAttr>())
        result.push_back({fault.getAs<StringAttr>("message").str(),
                          placeOf(fault.getAs<LocationAttr>("where")),
                          fault.getAs<DenseI64ArrayAttr>("shape").asArrayRef().vec()});
    return result;
  }

  std::string text(Stage stage, const TextOptions &format) {
    if (stage < Stage::Llvm)
      return textOf(*module_, format);
    if (stage == Stage::Llvm)
      return log_.step("llvm", "ll", [&] { return translated(translateToLLVM(*module_, target_)); });
    std::string ptx = log_.step("ptx", "ptx", [&] { return translated(translateToPtx(*module_, target_)); });
    return stage == Stage::Ptx ? ptx : log_.step("sass", "sass", [&] { return machineCode(ptx, target_); });
  }

 private:
  std::string translated(std::optional<std::string> text) {
    if (!text)
      collected_.raise(kernel_);
    return std::move(*text);
  }

  const KernelIR &kernel_;
  const Target &target_;
  CompileLog log_;
  std::unique_ptr<MLIRContext> context_;
  Collected collected_;
  ScopedDiagnosticHandler handler_;
  OwningOpRef<ModuleOp> module_;
};

constexpr std::array descriptions{
    StageDescription{Stage::Tile, "tile", "as it was traced"},
    StageDescription{Stage::TileSimplified, "tile-simplified", "in canonical form"},
    StageDescription{Stage::TileGpu, "tile_gpu", "every tile with its layout"},
    StageDescription{Stage::Thread, "thread", "what one thread does"},
    StageDescription{Stage::Llvm, "llvm", "LLVM IR, optimised"},
    StageDescription{Stage::Ptx, "ptx", "what the driver assembles"},
    StageDescription{Stage::Sass, "sass", "machine code; needs NVIDIA's ptxas and nvdisasm"},
};

}   // namespace

std::span<const StageDescription> stages() { return descriptions; }

Compiled compile(const KernelIR &kernel, const Target &target, Stage stage, const TextOptions &format) {
  Compilation compilation(kernel, target);
  compilation.runPassesTo(stage);
  Compiled result;
  result.symbol = kernel.name();
  result.threads = 32 * kernel.launch().num_warps;
  result.sharedBytes = compilation.sharedBytes();
  result.checks = compilation.checks();
  for (unsigned i = 0; i < kernel.parameters().size(); ++i)
    if (kernel.parameters()[i].argument_class != ArgClass::one)
      result.parameters.push_back(i);
  result.text = compilation.text(stage, format);
  return result;
}

}   // namespace tile
