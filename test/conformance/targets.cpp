// SPDX-License-Identifier: MIT
#include "targets.h"

#include "tile/devices.h"
#include "tile/environment.h"
#include "tile/interpreter.h"
#include "tile/simulator.h"

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

}   // namespace

Target open_target(const std::string &name) {
  if (name == "interpreter")
    return interpreter();
  if (name == "simulator")
    return simulator();
  Target target;
  target.device = open_device(name);
  if (target.device->kind() == "simulator")   // what `auto` means on this machine
    return simulator();
  if (target.device->kind() == "interpreter")
    return interpreter();
  target.offers = Needs::asserts;
  if (target.device->reaches_host_memory())
    target.offers = target.offers | Needs::host_memory;
  return target;
}

}   // namespace tile::conformance
