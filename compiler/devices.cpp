// SPDX-License-Identifier: MIT
#include "compiler/devices.h"

#include "compiler/interpreter/interpreter.h"
#include "runtime/environment.h"

namespace tile {

std::vector<std::string> device_names() { return {"auto", "interpreter"}; }

std::unique_ptr<Device> open_device(std::string_view name) {
  const std::string wanted = name == "auto" ? environment::device() : std::string(name);
  if (wanted == "auto" || wanted == "interpreter") {
    const environment::Checks checks = environment::check();
    return open_interpreter({.threads = environment::jobs(),
                             .check_bounds = checks.bounds,
                             .check_overflow = checks.overflow,
                             .check_asserts = checks.asserts,
                             .check_uninitialized = checks.uninitialized});
  }
  std::string accepted;
  for (const std::string &known : device_names())
    accepted += (accepted.empty() ? "" : ", ") + known;
  throw Error("there is no device `" + wanted + "`; there are: " + accepted, {});
}

}   // namespace tile
