// SPDX-License-Identifier: MIT
#include "compiler/devices/interpreter.h"

#include "compiler/api/compiler.h"
#include "runtime/host/device.h"

#include <utility>

namespace tile {
namespace {

class Interpreter final : public host::HostDevice {
 public:
  explicit Interpreter(InterpreterOptions options)
      : HostDevice("interpreter", {options.threads, options.check_bounds, options.check_uninitialized,
                                   options.limit_seconds, options.shows_progress, std::move(options.print)}),
        how_{.bounds = options.check_bounds,
             .overflow = options.check_overflow,
             .asserts = options.check_asserts,
             .ring_floats = options.ring_floats} {}

  std::string_view kind() const override { return "interpreter"; }
  std::unique_ptr<Executable> load(const KernelIR &kernel) override {
    return compiler().interpret(engine(), kernel, how_);
  }

 private:
  const Interpretation how_;
};

}   // namespace

std::unique_ptr<Device> open_interpreter(InterpreterOptions options) {
  return std::make_unique<Interpreter>(std::move(options));
}

}   // namespace tile
