// SPDX-License-Identifier: MIT
#include "compiler/interpreter/interpret.h"

#include "compiler/interpreter/decode.h"
#include "runtime/host/grid.h"

namespace tile::interpreter {

std::unique_ptr<Executable> interpret(host::Engine &engine, const KernelIR &kernel,
                                      const Interpretation &how) {
  const Checks checks{how.bounds, how.overflow, how.asserts};
  const std::shared_ptr<const Program> program =
      decode(kernel, checks, how.ring_floats ? Floats::ring : Floats::numbers);
  return host::make_executable(
      engine, program, [program, checks](unsigned) { return std::make_unique<Machine>(*program, checks); },
      {.portion = 64});
}

}   // namespace tile::interpreter
