// SPDX-License-Identifier: MIT
// What stands for the simulator and the interpreter in programs that are linked without the compiler, which
// both need.
#include "compiler/devices/interpreter.h"
#include "compiler/devices/simulator.h"
#include "runtime/cuda/lowered_cuda.h"
#include "runtime/error.h"

namespace tile {

static Error no_device(const std::string &name) {
  const std::string no_gpu = why_no_cuda();
  return Error("the " + name + " needs the compiler, without which this program is linked" +
                   (no_gpu.empty() ? "" : "; and it cannot use a GPU: " + no_gpu),
               {})
      .with_code(ErrorCode::unsupported)
      .add_help("link tile::jit, not tile::launch");
}

std::unique_ptr<Device> open_interpreter(InterpreterOptions) { throw no_device("interpreter"); }
std::unique_ptr<Device> open_simulator(SimulatorOptions) { throw no_device("simulator"); }

}   // namespace tile
