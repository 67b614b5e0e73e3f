// SPDX-License-Identifier: MIT
// `tile-gpu-to-llvm`: the pass around the families of this folder.
#include "compiler/lowering/llvm/patterns.h"
#include "compiler/lowering/passes.h"
#include "dialects/tile/launch_attributes.h"
#include "dialects/tile_gpu/dialect.h"
#include "dialects/tile_gpu/tensor_map_ops.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/DialectConversion.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUTOLLVM
#include "compiler/lowering/passes.h.inc"

namespace {

// What the launch attributes of a kernel say to LLVM. They are read, and taken off, before the function
// becomes LLVM's: the tile dialect refuses its attributes on functions of others.
struct KernelAttributes {
  StringAttr name;
  int32_t threads;
  std::optional<unsigned> maxRegisters;
  unsigned firstMap, tensorMaps;
  int32_t ctas;
  bool changesRegisters = false;   // which the assembler allows where it knows that one CTA runs at a time

  explicit KernelAttributes(func::FuncOp kernel)
      : name(kernel.getNameAttr()), firstMap(kernel.getNumArguments()), tensorMaps(takeTensorMaps(kernel)) {
    bool goesOverGrid = false;
    kernel.walk([&](CtaIdOp) { goesOverGrid = true; });
    if (goesOverGrid)
      takeGrid(kernel);
    takeWorkspace(kernel);
    kernel.walk([&](NVVM::SetMaxRegisterOp) { changesRegisters = true; });
    auto warps = kernel->getAttrOfType<IntegerAttr>("tile_gpu.warps");   // where it has roles
    threads = static_cast<int32_t>(32 * (warps ? warps.getInt() : ir::numWarps(kernel)));
    maxRegisters = ir::maxRegisters(kernel);
    ctas = static_cast<int32_t>(ir::numCtas(kernel));
  }

  void writeTo(LLVM::LLVMFuncOp function) const {
    MLIRContext *context = function.getContext();
    function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(), UnitAttr::get(context));
    function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                      DenseI32ArrayAttr::get(context, {threads, 1, 1}));
    if (ctas > 1)
      function->setAttr(NVVM::NVVMDialect::getClusterDimAttrName(),
                        DenseI32ArrayAttr::get(context, {ctas, 1, 1}));
    if (changesRegisters)
      function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                        IntegerAttr::get(IntegerType::get(context, 32), 1));
    markTensorMaps(function, firstMap, tensorMaps);
    if (maxRegisters)
      function->setAttr(NVVM::NVVMDialect::getMaxnregAttrName(),
                        IntegerAttr::get(IntegerType::get(context, 32), *maxRegisters));
  }
};

struct ToLLVM : impl::TileGpuToLLVMBase<ToLLVM> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::optional<Target> target;
    SmallVector<KernelAttributes> kernels;
    for (func::FuncOp kernel : module.getOps<func::FuncOp>()) {
      // The launch asks the module, which outlives the function's own form.
      for (StringRef name : {StringRef("tile_gpu.shared_bytes"), StringRef("tile_gpu.faults"),
                             StringRef(StartsEarlyName), StringRef(UnitName), StringRef(RolesName)})
        if (Attribute fact = kernel->getAttr(name))
          module->setAttr(name, fact);
      if (auto name = kernel->getAttrOfType<StringAttr>("tile_gpu.target")) {
        target = Target::parse(name.getValue());
        module->setAttr("tile_gpu.target", name);
      }
      if (ir::fusesProducts(kernel))
        allowFusedMultiplyAdd(kernel);
      expandRemainders(kernel);
      dropUnusedShuffles(kernel);
      kernel.setSymName(entryName(kernel.getSymName()));
      kernels.emplace_back(kernel);
      dropAttributes(kernel);
    }
    if (!target) {
      module.emitError(
          "tile-gpu-to-llvm needs a kernel whose `tile_gpu.target` is set by tile-assign-layouts");
      return signalPassFailure();
    }
    if (failed(convert(module, *target)))
      return signalPassFailure();
    for (const KernelAttributes &kernel : kernels)
      kernel.writeTo(module.lookupSymbol<LLVM::LLVMFuncOp>(kernel.name));
  }

 private:
  // What the code calls the kernel: its name, of letters and digits, and none that the driver's functions,
  // LLVM's or our tables have, which would be called or defined instead.
  static std::string entryName(StringRef name) {
    std::string entry;
    for (char c : name)
      entry += llvm::isAlnum(c) || c == '$' ? c : '_';
    constexpr StringRef taken[] = {"vprintf", "malloc", "free", "memcpy", "memset", "memmove"};
    const StringRef made = entry;
    if (made.starts_with("tile_") || llvm::is_contained(taken, made))
      entry += "_kernel";
    if (!llvm::isAlpha(entry.front()))
      entry.insert(0, "kernel");
    return entry;
  }

  static void allowFusedMultiplyAdd(func::FuncOp kernel) {
    auto contract = arith::FastMathFlagsAttr::get(kernel.getContext(), arith::FastMathFlags::contract);
    kernel.walk([&](Operation *op) {
      if (isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(op))
        op->setAttr("fastmath", contract);
    });
  }

  // A conversion shuffles all of a thread's addresses, and a wide access needs the first of them. Nobody
  // drops the other shuffles, because one has an effect on the lanes that ask for its value; here nobody
  // asks.
  static void dropUnusedShuffles(func::FuncOp kernel) {
    DenseSet<Operation *> orphans;   // made what was dropped, and may have no other use
    kernel.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (!op->use_empty() || !(isa<NVVM::ShflOp>(op) || (orphans.contains(op) && isMemoryEffectFree(op))))
        return;
      for (Value operand : op->getOperands())
        orphans.insert(operand.getDefiningOp());
      op->erase();
    });
  }

  static void dropAttributes(func::FuncOp kernel) {
    for (NamedAttribute attribute : llvm::to_vector(kernel->getDiscardableAttrs()))
      kernel->removeAttr(attribute.getName());
    kernel.setAllArgAttrs(ArrayRef<DictionaryAttr>(
        SmallVector<DictionaryAttr>(kernel.getNumArguments(), DictionaryAttr::get(kernel.getContext()))));
  }

  LogicalResult convert(ModuleOp module, const Target &target) {
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    LLVMTypeConverter types(context, options);
    addPointerConversion(types);
    RewritePatternSet patterns(context);
    populateNumericPatterns(types, target, patterns);
    populateMemoryPatterns(types, patterns);
    populateAtomicPatterns(types, patterns);
    populateGlobalPatterns(types, patterns);
    populateProgramPatterns(types, patterns);
    populateSCFToControlFlowConversionPatterns(patterns);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(types, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
    populateFuncToLLVMConversionPatterns(types, patterns);
    LLVMConversionTarget legal(*context);
    legal.addLegalDialect<NVVM::NVVMDialect>();
    legal.addLegalOp<PtxLoadOp, PtxStoreOp, PtxStoreAsyncOp, PtxAtomicOp, PtxAddOp, PtxSwapOp, PtxMmaOp,
                     PtxWgmmaOp, PtxWgmmaWaitOp, PtxComputeFirstOp, PtxShiftLeftOp, PtxShiftRightOp,
                     PtxMapCopyOp, PtxMapReplaceOp>();
    legal.addLegalOp<ModuleOp>();
    return applyFullConversion(module, legal, std::move(patterns));
  }
};

}   // namespace
}   // namespace tile::gpu
