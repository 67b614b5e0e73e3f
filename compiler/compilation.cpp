// SPDX-License-Identifier: MIT
#include "compiler/compilation.h"

#include "compiler/pipeline.h"
#include "compiler/target/ptx.h"
#include "compiler/target/sass.h"
#include "runtime/environment.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace tile {

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

static std::string textOf(ModuleOp module, const TextOptions &format) {
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

Compilation::Compilation(const KernelIR &kernel, const Target &target, const std::string &purpose)
    : kernel_(kernel), target_(target), log_(kernel.name() + "-" + purpose), context_(make_context()),
      handler_(context_.get(), [this](Diagnostic &d) {
        collect(d);
        return success();
      }) {
  loadLoweringDialects(*context_);
  context_->printOpOnDiagnostic(false);   // users know their line, not the compiler's ops
  module_ = parseSourceString<ModuleOp>(kernel.text(), context_.get());
  if (!module_)
    raise();
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

void Compilation::runPassesTo(Stage stage) {
  runPasses([&](OpPassManager &passes) {
    if (stage >= Stage::TileSimplified)
      buildTilePipeline(passes);
    if (stage >= Stage::TileGpu)
      buildLayoutPipeline(passes, target_);
    if (stage >= Stage::Thread)
      buildThreadPipeline(passes);
    if (stage >= Stage::Llvm)
      buildLLVMPipeline(passes);
  });
}

int Compilation::sharedBytes() {
  auto bytes = (*module_)->getAttrOfType<IntegerAttr>("tile_gpu.shared_bytes");
  return bytes ? static_cast<int>(bytes.getInt()) : 0;
}

std::vector<DeviceCheck> Compilation::checks() {
  std::vector<DeviceCheck> result;
  if (auto faults = (*module_)->getAttrOfType<ArrayAttr>("tile_gpu.faults"))
    for (auto fault : faults.getAsRange<DictionaryAttr>())
      result.push_back({fault.getAs<StringAttr>("message").str(), placeOf(fault.getAs<LocationAttr>("where")),
                        fault.getAs<DenseI64ArrayAttr>("shape").asArrayRef().vec()});
  return result;
}

std::vector<std::string> Compilation::formats() {
  std::vector<std::string> result;
  if (auto formats = (*module_)->getAttrOfType<ArrayAttr>("tile_gpu.formats"))
    for (auto format : formats.getAsRange<StringAttr>())
      result.push_back(format.str());
  return result;
}

std::string Compilation::text(Stage stage, const TextOptions &format) {
  if (stage < Stage::Llvm)
    return textOf(*module_, format);
  runPasses([&](OpPassManager &passes) { buildPtxPipeline(passes, format.locations); });
  if (stage == Stage::Llvm)
    return log_.step("llvm", "ll", [&] { return translated(translateToLLVM(*module_, target_)); });
  std::string ptx = log_.step("ptx", "ptx", [&] { return translated(translateToPtx(*module_, target_)); });
  return stage == Stage::Ptx
             ? ptx
             : log_.step("sass", "sass", [&] { return machineCode(ptx, target_, format.locations); });
}

std::string Compilation::translated(std::optional<std::string> text) {
  if (!text)
    raise();
  return std::move(*text);
}

void Compilation::collect(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
    return;
  messages_.push_back({diagnostic.str(), placeOf(diagnostic.getLocation())});
  for (Diagnostic &note : diagnostic.getNotes())
    messages_.push_back({note.str(), placeOf(note.getLocation())});
}

void Compilation::raise() const {
  if (messages_.empty())
    throw Error("internal error: the compiler gave up on kernel " + kernel_.name() +
                    " without a reason; this is a bug of tile",
                {});
  std::vector<Error::Note> notes;
  for (const Message &more : llvm::drop_begin(messages_))
    notes.push_back({more.text, more.where});
  Error error(messages_.front().text, messages_.front().where, std::move(notes));
  error.add_context("kernel " + kernel_.name() +
                    (kernel_.config().empty() ? "" : ", config " + kernel_.config()));
  throw error;
}

}   // namespace tile
