// SPDX-License-Identifier: MIT
#include "compiler/ptx.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace mlir;

namespace tile {
namespace {

std::unique_ptr<llvm::TargetMachine> machineFor(const Target &target) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *found = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!found)
    return nullptr;
  llvm::TargetOptions options;
  return std::unique_ptr<llvm::TargetMachine>(
      found->createTargetMachine(triple, target.name(), target.ptxFeature(), options, llvm::Reloc::PIC_,
                                 std::nullopt, llvm::CodeGenOptLevel::Default));
}

// Instructions that the threads of a warp do together may not end up behind a branch that some of them take.
// What comes from intrinsics says so itself.
void keepTogether(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction); call && call->isInlineAsm())
        if (llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString().contains(".aligned"))
          call->addFnAttr(llvm::Attribute::Convergent);
}

// loop-sink believes what branches say of themselves where the function was seen running, by this sign.
void knowBranches(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setEntryCount(1);
}

// What is left of -O1 when a pass has to show in the machine code of a shipped kernel: the other thirty took
// half of the time. Without the ranges of thread numbers, which are LLVM's own first step for NVPTX, generic
// kernels spill. What licm has moved out of a loop for a branch that is seldom taken alone goes back
// (loop-sink), or a product's registers are short of what addresses that nobody needs are kept in.
constexpr const char *Simplification =
    "function(nvvm-intr-range),ipsccp,"
    "function(lower-expect,simplifycfg,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
    "simplifycfg,reassociate,loop-mssa(loop-rotate,licm),loop-sink,simplifycfg,"
    "instcombine<no-verify-fixpoint>,loop(indvars),"
    "instcombine<no-verify-fixpoint>,div-rem-pairs,infer-alignment)";

std::unique_ptr<llvm::Module> optimized(ModuleOp module, llvm::LLVMContext &context,
                                        llvm::TargetMachine &machine) {
  DialectRegistry registry;
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  module->getContext()->appendDialectRegistry(registry);
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(module, context);
  if (!llvmModule)
    return nullptr;
  llvmModule->setDataLayout(machine.createDataLayout());
  llvmModule->setTargetTriple(machine.getTargetTriple());
  keepTogether(*llvmModule);
  knowBranches(*llvmModule);

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, Simplification));
  passes.run(*llvmModule, modules);
  return llvmModule;
}

// Of each address LLVM 22's straight-line strength reduction asks which earlier one it may be computed from,
// and of each of those whether that could make it poison: half a minute for the scalar product of two tiles
// of 31 x 31. What it saves is an addition here and there, of which programs of that size have others to
// worry about.
class SkipQuadraticPasses : public llvm::OptPassGate {
 public:
  explicit SkipQuadraticPasses(const llvm::Module &module) {
    for (const llvm::Function &function : module)
      instructions_ = std::max<size_t>(instructions_, function.getInstructionCount());
  }
  bool isEnabled() const override { return instructions_ > Most; }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override { return pass != "slsr"; }

 private:
  static constexpr size_t Most = 6000;   // the largest shipped config has 3,300
  size_t instructions_ = 0;
};

template <class Write> std::optional<std::string> translate(ModuleOp module, const Target &target,
                                                            Write &&write) {
  std::unique_ptr<llvm::TargetMachine> machine = machineFor(target);
  if (!machine) {
    module.emitError("this build of LLVM has no NVPTX back end");
    return std::nullopt;
  }
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule = optimized(module, context, *machine);
  if (!llvmModule)
    return std::nullopt;
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  if (!write(*llvmModule, *machine, out)) {
    module.emitError("LLVM cannot write code for ") << target.name();
    return std::nullopt;
  }
  return std::string(text);
}

}   // namespace

std::optional<std::string> translateToLLVM(ModuleOp module, const Target &target) {
  return translate(module, target, [](llvm::Module &m, llvm::TargetMachine &, llvm::raw_pwrite_stream &out) {
    m.print(out, nullptr);
    return true;
  });
}

std::optional<std::string> translateToPtx(ModuleOp module, const Target &target) {
  return translate(
      module, target, [](llvm::Module &m, llvm::TargetMachine &machine, llvm::raw_pwrite_stream &out) {
        SkipQuadraticPasses gate(m);
        m.getContext().setOptPassGate(gate);
        llvm::legacy::PassManager passes;
        if (machine.addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile))
          return false;
        passes.run(m);
        return true;
      });
}

}   // namespace tile
