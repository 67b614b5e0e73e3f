// SPDX-License-Identifier: MIT
// `tile-gpu-source-lines`: the lines of the user's source, in the form from which LLVM writes `.file` and
// `.loc` into PTX, so that profilers, debuggers and compute-sanitizer show the C++ of a kernel beside its
// machine code.
//
// A location names a file; debug information has the file in its scope. The kernel's function is a scope in
// its own file, and every other file gets a scope within it:
//
//   loc("gemm.cpp":27:28)       -> fused<#di_subprogram<file = "gemm.cpp">>["gemm.cpp":27:28]
//   loc("activation.h":9:10)    -> fused<#di_lexical_block_file<scope = the subprogram, file =
//   "activation.h">>[...]
//
// What is fused or inlined counts as its first place in a file, the one that diagnostics name.
#include "compiler/lowering/passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUSOURCELINES
#include "compiler/lowering/passes.h.inc"

namespace {

FileLineColLoc placeIn(Location loc) {
  FileLineColLoc place;
  loc->walk([&](Location part) {
    place = dyn_cast<FileLineColLoc>(part);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

class Lines {
 public:
  explicit Lines(LLVM::LLVMFuncOp kernel) : kernel_(kernel), context_(kernel.getContext()) {}

  // Nothing where the kernel was traced without its places.
  void write() {
    FileLineColLoc start = placeIn(kernel_.getLoc());
    if (!start)
      kernel_.walk([&](Operation *op) {
        start = placeIn(op->getLoc());
        return start ? WalkResult::interrupt() : WalkResult::advance();
      });
    if (!start)
      return;
    subprogram_ = subprogramAt(start);
    kernel_->setLoc(FusedLoc::get({start}, subprogram_, context_));
    kernel_.walk([&](Operation *op) {
      if (op != kernel_)
        op->setLoc(scoped(op->getLoc()));
    });
  }

 private:
  LLVM::DIFileAttr file(StringRef name) {
    return LLVM::DIFileAttr::get(context_, llvm::sys::path::filename(name),
                                 llvm::sys::path::parent_path(name));
  }

  LLVM::DISubprogramAttr subprogramAt(FileLineColLoc start) {
    LLVM::DIFileAttr in = file(start.getFilename());
    // DebugDirectivesOnly: with LineTablesOnly PTX says `.target sm_90, debug`, for which ptxas does not
    // optimise.
    auto unit = LLVM::DICompileUnitAttr::get(
        DistinctAttr::create(UnitAttr::get(context_)), llvm::dwarf::DW_LANG_C_plus_plus_20, in,
        StringAttr::get(context_, "tile"), /*isOptimized=*/true, LLVM::DIEmissionKind::DebugDirectivesOnly);
    auto type = LLVM::DISubroutineTypeAttr::get(context_, {});
    auto name = StringAttr::get(context_, kernel_.getName());
    return LLVM::DISubprogramAttr::get(
        context_, DistinctAttr::create(UnitAttr::get(context_)), unit, in, name, name, in, start.getLine(),
        start.getLine(), LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized, type, {},
        {});
  }

  Location scoped(Location loc) {
    FileLineColLoc place = placeIn(loc);
    if (!place)
      return UnknownLoc::get(context_);
    auto [known, isNew] = scoped_.try_emplace(Location(place), place);
    if (isNew)
      known->second = FusedLoc::get({place}, scopeOf(place.getFilename()), context_);
    return known->second;
  }

  LLVM::DILocalScopeAttr scopeOf(StringAttr name) {
    LLVM::DIFileAttr in = file(name);
    if (in == subprogram_.getFile())
      return subprogram_;
    return LLVM::DILexicalBlockFileAttr::get(context_, subprogram_, in, /*discriminator=*/0);
  }

  LLVM::LLVMFuncOp kernel_;
  MLIRContext *context_;
  LLVM::DISubprogramAttr subprogram_;
  DenseMap<Location, Location> scoped_;   // by place: thousands of operations share a few hundred
};

struct SourceLines : impl::TileGpuSourceLinesBase<SourceLines> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal())
        Lines(function).write();
  }
};

}   // namespace
}   // namespace tile::gpu
