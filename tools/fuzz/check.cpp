// SPDX-License-Identifier: MIT
#include "tools/fuzz/check.h"

#include "compiler/compile.h"
#include "compiler/interpreter/interpreter.h"
#include "tile/devices.h"
#include "tools/fuzz/kernel.h"
#include "tools/fuzz/memory_image.h"

#include <map>

namespace tile::fuzz {
namespace {

using Memory = std::vector<std::vector<std::byte>>;   // of each buffer

std::unique_ptr<Device> oracle(Floats floats) {
  return open_interpreter({.threads = 1,
                           .check_overflow = false,
                           .ring_floats = floats == Floats::ring,
                           .print = [](std::string_view) {}});
}

// Memory of a device that is given back however the run ends.
class Allocations {
 public:
  explicit Allocations(Device &device) : device_(device) {}
  Allocations(const Allocations &) = delete;
  Allocations &operator=(const Allocations &) = delete;
  ~Allocations() {
    for (void *address : addresses_)
      device_.release(address);
  }
  void *add(const std::vector<std::byte> &bytes, const std::string &name) {
    addresses_.push_back(device_.allocate(bytes.size(), name));
    if (!bytes.empty())
      device_.copy_in(addresses_.back(), bytes.data(), bytes.size());
    return addresses_.back();
  }

 private:
  Device &device_;
  std::vector<void *> addresses_;
};

Memory run(Device &device, const KernelIR &kernel, const Case &given) {
  if (kernel.parameters().size() != given.elements.size() + given.scalars.size())
    throw Error("the line `// fuzz:` does not fit the kernel's arguments", {});
  Memory memory;
  Allocations allocations(device);
  std::vector<Argument> arguments;
  std::vector<void *> addresses;
  for (std::size_t i = 0; i < given.elements.size(); ++i) {
    const Parameter &parameter = kernel.parameters()[i];
    memory.push_back(initial_bytes(parameter.name, parameter.type.kind, given.elements[i], given.seed));
    addresses.push_back(allocations.add(memory.back(), parameter.name));
    arguments.push_back({parameter.type, reinterpret_cast<std::uint64_t>(addresses.back())});
  }
  for (std::int32_t scalar : given.scalars)
    arguments.push_back({{Kind::I32}, static_cast<std::uint32_t>(scalar)});
  const std::unique_ptr<Executable> executable = device.load(kernel);
  executable->launch(given.grid, arguments);
  device.synchronize();
  for (std::size_t i = 0; i < memory.size(); ++i)
    if (!memory[i].empty())
      device.copy_out(memory[i].data(), addresses[i], memory[i].size());
  return memory;
}

// What no compiler can change: the kernel asks for more than the machine has.
bool asks_too_much(const Error &error) { return error.message().starts_with("this config needs "); }

Outcome compared(const Memory &expected, const Memory &seen, const KernelIR &kernel, Floats floats) {
  std::string text;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (const auto found = difference(kernel.parameters()[i].type.kind, expected[i], seen[i], floats))
      text += (text.empty() ? "" : "; ") + kernel.parameters()[i].name + ": " + *found;
  return {text.empty() ? Verdict::agree : Verdict::differ, text};
}

// A process keeps the device of its programs: opening a GPU takes longer than most of them.
Device &opened(const std::string &name, Floats floats) {
  static std::map<std::pair<std::string, Floats>, std::unique_ptr<Device>> devices;
  std::unique_ptr<Device> &device = devices[{name, floats}];
  if (!device)
    device = open_device(name, {.ring_floats = floats == Floats::ring});
  return *device;
}

}   // namespace

Outcome check(const Case &given, const std::string &device, const Target &target) {
  try {
    const KernelIR kernel = read_kernel(given.text);
    const std::unique_ptr<Device> interpreter = oracle(given.floats);
    const Memory expected = run(*interpreter, kernel, given);
    if (device == "interpreter") {
      (void)compile(kernel, target);
      return compared(expected, run(*interpreter, canonical(kernel), given), kernel, given.floats);
    }
    return compared(expected, run(opened(device, given.floats), kernel, given), kernel, given.floats);
  } catch (const Error &error) {
    return {asks_too_much(error) ? Verdict::refused : Verdict::failed, error.what()};
  }
}

}   // namespace tile::fuzz
