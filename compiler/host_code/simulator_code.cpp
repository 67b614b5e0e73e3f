// SPDX-License-Identifier: MIT
#include "compiler/host_code/simulator_code.h"

#include "compiler/compilation.h"
#include "compiler/host_code/bfloat_bits.h"
#include "compiler/host_code/canonical_nans.h"
#include "compiler/host_code/size_limit.h"
#include "compiler/launch_facts.h"
#include "compiler/pipeline.h"
#include "runtime/kernel_names.h"
#include "runtime/simulator/calls.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"

#include <mutex>

namespace tile::simulator {
namespace {

using llvm::orc::JITTargetMachineBuilder;

[[noreturn]] void giveUp(llvm::Error error, const std::string &title) {
  throw tile::Error("LLVM cannot make code for this machine: " + llvm::toString(std::move(error)), {})
      .add_context(title);
}
template <class T> T orGiveUp(llvm::Expected<T> value, const std::string &title) {
  if (!value)
    giveUp(value.takeError(), title);
  return std::move(*value);
}

// Once per process: asking the processor takes a while.
JITTargetMachineBuilder hostMachine(const std::string &title) {
  static std::mutex mutex;
  static std::optional<JITTargetMachineBuilder> host;
  const std::lock_guard lock(mutex);
  if (!host) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    host = orGiveUp(JITTargetMachineBuilder::detectHost(), title);
    // The same instructions on every machine, so that there is one result: conversions to bf16 in AVX-512,
    // for one, take what is subnormal for zero.
    if (host->getTargetTriple().isX86()) {
      const bool isModern = llvm::is_contained(host->getFeatures().getFeatures(), "+avx2");
      host->setCPU(isModern ? "x86-64-v3" : "x86-64");
      host->getFeatures() = llvm::SubtargetFeatures();
    }
    host->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  }
  return *host;
}

// Most of a kernel's time here passes in the calls between its instructions, and most kernels run for less
// time than they are compiled: anything more than this costs more than it gives.
void optimize(llvm::Module &module) {
  llvm::PassBuilder builder;
  llvm::FunctionAnalysisManager analyses;
  builder.registerFunctionAnalyses(analyses);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, analyses);
}

// A thread's registers live on its stack: tiles of 64x256 numbers on one warp are 2 KB for each value, and
// code that is not optimised keeps every value. So the compiler is asked how much it took: a sum of all
// functions.
class FrameSizes : public llvm::DiagnosticHandler {
 public:
  explicit FrameSizes(std::uint64_t &sum) : sum_(sum) {}
  static void report(llvm::Module &module) {
    for (llvm::Function &function : module)
      if (!function.isDeclaration())
        function.addFnAttr("warn-stack-size", "0");
  }
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    auto *frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(&info);
    if (frame)
      sum_ += frame->getStackSize();
    return frame != nullptr;
  }

 private:
  std::uint64_t &sum_;
};

// Each of the host's threads runs a CTA with its own stacks: what is more than this is no program, but tiles
// that no GPU has registers for.
void checkFrames(const Program &program) {
  constexpr std::uint64_t most = 2048, mebi = 1 << 20;
  const std::uint64_t needed = (program.frameBytes * program.threads + mebi - 1) / mebi;
  if (needed > most)
    throw tile::Error(llvm::formatv("this config needs {0} MiB for the registers of the {1} threads of a "
                                    "CTA, and the simulator allows {2}; use smaller tiles",
                                    needed, program.threads, most),
                      {})
        .add_context(program.title());
}

// Tiles that are unrolled into registers make blocks of many thousand instructions, for which the scheduler
// takes time that grows with their square: 2,000 selects once took 36 seconds.
void cutBlocks(llvm::Module &module) {
  constexpr unsigned most = 64;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function) {
      unsigned count = 0;
      for (llvm::Instruction &instruction : block)
        if (++count > most && !llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator()) {
          block.splitBasicBlock(&instruction);   // the loop comes to the rest next
          break;
        }
    }
}

// A config without the fields of a launch leaves them at what they are by default.
std::string configText(const KernelIR &kernel) {
  const std::string &fields = kernel.config();
  if (fields.find("num_warps=") != fields.npos)
    return fields;
  const Launch &launch = kernel.launch();
  return llvm::formatv("{0}{1}num_warps={2} num_stages={3} num_ctas={4}", fields, fields.empty() ? "" : " ",
                       launch.num_warps, launch.num_stages, launch.num_ctas);
}

std::vector<Site> sitesOf(mlir::ModuleOp module) {
  std::vector<Site> sites;
  if (auto rows = module->getAttrOfType<mlir::ArrayAttr>("tile_gpu.sites"))
    for (mlir::Attribute row : rows) {
      auto fields = mlir::cast<mlir::ArrayAttr>(row);
      sites.push_back({mlir::cast<mlir::StringAttr>(fields[0]).getValue().str(),
                       placeOf(mlir::Location(mlir::cast<mlir::LocationAttr>(fields[1])))});
    }
  return sites;
}

std::vector<Place> placesOf(mlir::ModuleOp module) {
  std::vector<Place> places;
  const auto locationOf = [](mlir::Attribute attribute) {
    return placeOf(mlir::Location(mlir::cast<mlir::LocationAttr>(attribute)));
  };
  if (auto rows = module->getAttrOfType<mlir::ArrayAttr>("tile_gpu.places"))
    for (mlir::Attribute row : rows) {
      auto fields = mlir::cast<mlir::ArrayAttr>(row);
      const llvm::ArrayRef<float> cost = mlir::cast<mlir::DenseF32ArrayAttr>(fields[1]);
      const llvm::ArrayRef<std::int32_t> needed = mlir::cast<mlir::DenseI32ArrayAttr>(fields[2]);
      Place place{.where = locationOf(fields[0]),
                  .work = {cost[0], cost[1], cost[2], cost[3], cost[4]},
                  .needed{needed.begin(), needed.end()}};
      const llvm::ArrayRef<mlir::Attribute> lines = mlir::cast<mlir::ArrayAttr>(fields[3]).getValue();
      for (std::size_t i = 0; i < lines.size(); i += 2)
        place.lines.push_back(
            {locationOf(lines[i]),
             static_cast<float>(mlir::cast<mlir::FloatAttr>(lines[i + 1]).getValueAsDouble())});
      places.push_back(std::move(place));
    }
  return places;
}

void defineCalls(llvm::orc::LLJIT &jit, const std::string &title) {
  llvm::orc::SymbolMap symbols;
  for (std::span<const Symbol> family :
       {programCalls(), memoryCalls(), warpCalls(), mathCalls(), syncCalls(), bulkCalls(), mapCalls()})
    for (const Symbol &symbol : family)
      symbols[jit.mangleAndIntern(llvm::StringRef(symbol.name.data(), symbol.name.size()))] = {
          llvm::orc::ExecutorAddr::fromPtr(symbol.address), llvm::JITSymbolFlags::Exported};
  if (llvm::Error error = jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))
    giveUp(std::move(error), title);
  // memcpy, fmod and the like are the process's.
  jit.getMainJITDylib().addGenerator(orGiveUp(
      llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(jit.getDataLayout().getGlobalPrefix()),
      title));
}

// From the dialects that LLVM translates to code that runs.
void addCode(Compilation &compilation, Program &program) {
  mlir::ModuleOp module = compilation.module();
  program.sites = sitesOf(module);
  program.places = placesOf(module);
  program.hasPartialOrder = module->hasAttr("tile_gpu.partial_order");
  program.changesMaps = module->hasAttr("tile_gpu.changes_maps");
  program.tracksGlobal = module->hasAttr("tile_gpu.tracks_global");
  mlir::DialectRegistry registry;
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  module->getContext()->appendDialectRegistry(registry);
  auto context = std::make_unique<llvm::LLVMContext>();
  context->setDiagnosticHandler(std::make_unique<FrameSizes>(program.frameBytes));
  std::unique_ptr<llvm::Module> code = mlir::translateModuleToLLVMIR(module, *context);
  if (!code)
    compilation.raise();

  JITTargetMachineBuilder host = hostMachine(program.title());
  std::unique_ptr<llvm::TargetMachine> machine = orGiveUp(host.createTargetMachine(), program.title());
  code->setDataLayout(machine->createDataLayout());
  code->setTargetTriple(machine->getTargetTriple());
  // By a name that no function has which the code may call: memcpy and fmod are names for kernels, too.
  const std::string entry = "tile.kernel";
  code->getFunction(program.symbol)->setName(entry);
  CompileLog &log = compilation.log();
  log.step("host", "ll", [&] {
    canonicalizeNaNs(*code);
    optimize(*code);
    if (llvm::Error error = bfloatsToBits(*code))
      giveUp(std::move(error), program.title());
    cutBlocks(*code);
    FrameSizes::report(*code);
    std::string text;
    if (log.dumps()) {
      llvm::raw_string_ostream out(text);
      code->print(out, nullptr);
    }
    return text;
  });
  std::shared_ptr<llvm::orc::LLJIT> jit =
      orGiveUp(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(host).create(), program.title());
  defineCalls(*jit, program.title());
  log.step("x86", "", [&] {
    if (llvm::Error error =
            jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(code), std::move(context))))
      giveUp(std::move(error), program.title());
    program.entry = orGiveUp(jit->lookup(entry), program.title()).toPtr<Program::Entry>();
    return std::string();
  });
  checkFrames(program);
  program.machineCode = jit;
}

// From the LLVM and NVVM dialects to what runs.
std::shared_ptr<Program> finished(Compilation &compilation, LoweredKernel lowered, const Alteration &alter,
                                  bool checksOffsets, bool marksPlaces = false) {
  auto program = std::make_shared<Program>(std::move(lowered));
  program->kind = LoweredKernel::Code::host;
  if (alter)
    alter(compilation.module());
  compilation.runPasses(
      [&](mlir::OpPassManager &passes) { buildSimulatorPipeline(passes, checksOffsets, marksPlaces); });
  addCode(compilation, *program);
  return program;
}

}   // namespace

std::shared_ptr<const Program> compileForHost(const KernelIR &kernel, const Target &target,
                                              const Alteration &alter, const SimulatorCode &code) {
  Compilation compilation(kernel, target, target.name() + "-simulated");
  compilation.runPassesTo(Stage::TileGpu);
  if (code.limits_size) {
    try {
      checkSize(compilation.module(), kernel.launch());
    } catch (tile::Error &error) {
      error.add_context(kernel_title(kernel.name(), kernel.config()));
      throw;
    }
  }
  compilation.runPasses([&](mlir::OpPassManager &passes) {
    buildSimulatedThreadPipeline(passes, {.ringFloats = code.ring_floats, .checksFacts = code.checks_facts});
  });
  compilation.runPasses(buildLLVMPipeline);
  LoweredKernel lowered = compilation.lowered();
  lowered.config = configText(kernel);
  return finished(compilation, std::move(lowered), alter, code.checks_offsets, code.marks_places);
}

std::shared_ptr<const Program> compileForHost(const HandWritten &kernel, const Alteration &alter) {
  const Target target = *Target::parse("sm_90a");
  Compilation compilation(kernel, target, target.name() + "-simulated");
  return finished(compilation, compilation.lowered(), alter, /*checksOffsets=*/false);
}

}   // namespace tile::simulator
