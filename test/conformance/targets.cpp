// SPDX-License-Identifier: MIT
#include "targets.h"

#include <tile/cuda_device.h>
#include <tile/devices.h>
#include <tile/environment.h>
#include <tile/interpreter.h>
#include <tile/simulator.h>

#include <mutex>
#include <string_view>

namespace tile::conformance {
namespace {

std::function<void(std::string_view)> print_into(Target &target) {
  target.printed = std::make_shared<std::vector<std::string>>();
  return [lines = target.printed, printing = std::make_shared<std::mutex>()](std::string_view line) {
    std::lock_guard lock(*printing);
    lines->emplace_back(line);
  };
}

// The devices of the CPU take two threads each, so that programs do meet.
Target interpreter() {
  Target target;
  InterpreterOptions options;
  options.threads = 2;
  options.print = print_into(target);
  target.device = open_interpreter(std::move(options));
  target.offers = Needs::host_memory | Needs::asserts | Needs::printing;
  return target;
}

Target simulator() {
  Target target;
  SimulatorOptions options;
  options.target = environment::simulated_gpu();
  options.threads = 2;
  options.print = print_into(target);
  target.device = open_simulator(std::move(options));
  target.offers = Needs::host_memory | Needs::asserts | Needs::printing;
  return target;
}

Target cuda(int ordinal) {
  Target target;
  CudaOptions options{.ordinal = ordinal};
  options.print = print_into(target);
  target.device = open_cuda(std::move(options));
  target.offers = Needs::asserts | Needs::printing;
  return target;
}

}   // namespace

Target open_target(const std::string &name) {
  const NamedDevice wanted = named_device(name);   // what `auto` means on this machine
  if (wanted.kind == "interpreter")
    return interpreter();
  if (wanted.kind == "simulator")
    return simulator();
  return cuda(wanted.ordinal);
}

}   // namespace tile::conformance
