// SPDX-License-Identifier: MIT
#include "compiler/interpreter/interpreter.h"

#include "compiler/interpreter/decode.h"
#include "compiler/kernel_ir.h"
#include "runtime/host/device.h"
#include "runtime/host/grid.h"

namespace tile {
namespace {

using namespace interpreter;

class Interpreter final : public host::HostDevice {
 public:
  explicit Interpreter(const InterpreterOptions &options)
      : HostDevice("interpreter", {options.threads, options.check_bounds, options.check_uninitialized,
                                   options.limit_seconds, options.shows_progress, options.print}),
        checks_{options.check_bounds, options.check_overflow, options.check_asserts},
        floats_(options.ring_floats ? Floats::ring : Floats::numbers) {}

  std::string_view kind() const override { return "interpreter"; }
  std::unique_ptr<Executable> load(const KernelIR &kernel) override {
    const std::shared_ptr<const Program> program = decode(kernel, checks_, floats_);
    return host::make_executable(engine(), program,
                                 [program, checks = checks_](unsigned) {
                                   return std::make_unique<interpreter::Machine>(*program, checks);
                                 },
                                 {.portion = 64});
  }

 private:
  const Checks checks_;
  const Floats floats_;
};

}   // namespace

std::unique_ptr<Device> open_interpreter(InterpreterOptions options) {
  return std::make_unique<Interpreter>(options);
}

}   // namespace tile
