// SPDX-License-Identifier: MIT
// The implementation of the API: each call goes to the folder that it is about.
#include "compiler/api/compiler.h"

#include "compiler/compilation.h"
#include "compiler/host_code/simulator_code.h"
#include "compiler/interpreter/interpret.h"
#include "compiler/kernel_ir_module.h"
#include "compiler/read_layouts.h"

namespace tile {
namespace {

class WholeCompiler final : public Compiler {
 public:
  LoweredKernel compile(const KernelIR &kernel, const Target &target) const override {
    return Compilation(kernel, target, target.name()).toPtx();
  }
  LoweredKernel compile(const HandWritten &kernel, const Target &target) const override {
    return Compilation(kernel, target, target.name()).toPtx();
  }
  StampedKernel compile_stamped(const KernelIR &kernel, const Target &target) const override {
    return Compilation(kernel, target, target.name() + "-stamped").toStampedPtx();
  }
  std::shared_ptr<const simulator::Program> simulate(const KernelIR &kernel, const Target &target,
                                                     const SimulatorCode &code) const override {
    return simulator::compileForHost(kernel, target, {}, code);
  }
  std::shared_ptr<const simulator::Program> simulate(const HandWritten &kernel) const override {
    return simulator::compileForHost(kernel);
  }
  std::unique_ptr<Executable> interpret(host::Engine &engine, const KernelIR &kernel,
                                        const Interpretation &how) const override {
    return interpreter::interpret(engine, kernel, how);
  }

  std::string text(const KernelIR &kernel, const TextOptions &format) const override {
    return textOf(kernel, format);
  }
  std::string text_after(Stage stage, const KernelIR &kernel, const Target &target, const TextOptions &format,
                         std::vector<Remark> *remarks) const override {
    Compilation compilation(kernel, target, target.name());
    if (remarks)
      compilation.keepRemarks();
    compilation.runPassesTo(stage, format.locations);
    if (remarks)
      *remarks = compilation.takeRemarks();
    return compilation.text(stage, format);
  }
  KernelIR read(const std::string &text, const std::string &file) const override {
    return readKernel(text, file);
  }
  void check(const KernelIR &kernel) const override { (void)viewOf(kernel); }
  layout::TileLayout parse_layout(std::string_view text) const override { return parseLayout(text); }
  std::vector<FoundLayout> layouts_in(std::string_view module) const override { return layoutsIn(module); }
};

}   // namespace
}   // namespace tile

extern "C" const tile::Compiler *tile_compiler() {
  static const tile::WholeCompiler all;
  return &all;
}
