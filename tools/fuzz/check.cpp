// SPDX-License-Identifier: MIT
#include "tools/fuzz/check.h"

#include "compiler/api/compile.h"
#include "compiler/devices/devices.h"
#include "compiler/devices/interpreter.h"
#include "tools/fuzz/kernel.h"
#include "tools/fuzz/memory_image.h"

#include <algorithm>
#include <array>
#include <functional>
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

std::uint8_t ways_of(const Case &given, const KernelIR &kernel, const Target &target) {
  if (given.text.find("tile.make_descriptor") == std::string::npos ||
      given.text.find("tile.dot") == std::string::npos)
    return 0;
  const std::string text = text_after(Stage::TileGpu, kernel, target);
  std::uint8_t ways = 0;
  for (const auto &[way, operation] : {std::pair{in_roles, "tile_gpu.roles "},
                                       {in_turn, "tile_gpu.roles in_turn "},
                                       {by_pairs, "tile_gpu.cta_rank"},
                                       {stores_boxes, "tile_gpu.store_box "},
                                       {makes_maps, "tile_gpu.device_map "},
                                       {has_anchors, " anchored : "}})
    if (text.find(operation) != std::string::npos)
      ways |= way;
  return ways;
}

Outcome compared(const Memory &expected, const Memory &seen, const KernelIR &kernel, Floats floats) {
  std::string text;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (const auto found = difference(kernel.parameters()[i].type.kind, expected[i], seen[i], floats))
      text += (text.empty() ? "" : "; ") + kernel.parameters()[i].name + ": " + *found;
  return {.verdict = text.empty() ? Verdict::agree : Verdict::differ, .detail = text};
}

// A process keeps the device of its programs: opening a GPU takes longer than most of them. A simulator is of
// one order.
Device &opened(const std::string &name, const Case &given) {
  static std::map<std::pair<std::string, Floats>, std::unique_ptr<Device>> devices;
  const bool has_order = name == "simulator" && given.order != 0;
  std::unique_ptr<Device> &device = devices[{has_order ? "in an order" : name, given.floats}];
  if (!device || has_order)
    device = open_device(name, {.ring_floats = given.floats == Floats::ring,
                                .order = has_order ? order_of(given.order) : std::nullopt,
                                .is_limited = false});
  return *device;
}

// The loop's step was not positive: the language makes that an error on the CPU.
bool is_refused_step(const Error &error) { return error.message().starts_with("the step of this range is "); }

bool refuses_a_step(const std::function<void()> &run) {
  try {
    run();
  } catch (const Error &error) {
    if (!is_refused_step(error))
      throw;
    return true;
  }
  return false;
}

}   // namespace

bool asks_too_much(const Error &error) {
  return std::ranges::any_of(
      std::array<std::string_view, 7>{
          "this config needs ", "this kernel has no tile that ", "here an axis cannot be divided among ",
          "here each of 2 CTAs would change memory ", "this kernel cannot run in ping-pong on ",
          "this kernel cannot be shared by ", "here the rows of the product's tile cannot be divided among "},
      [&](std::string_view begin) { return error.message().starts_with(begin); });
}

std::string_view name(Way way) {
  switch (way) {
  case in_roles:
    return "in roles of warps";
  case in_turn:
    return "in turn";
  case by_pairs:
    return "by pairs of CTAs";
  case stores_boxes:
    return "storing boxes";
  case makes_maps:
    return "making maps";
  case has_anchors:
    return "with anchors";
  }
  return "";
}

std::optional<SimulatedOrder> order_of(unsigned number) {
  if (number == 0)
    return std::nullopt;
  constexpr Completion completions[] = {Completion::random, Completion::latest, Completion::eager};
  SimulatedOrder order{.copies = completions[number % 3],
                       .matrix = completions[number / 3 % 3],
                       .seed = number,
                       .schedule_seed = std::nullopt};
  if (number % 8 != 0)
    order.schedule_seed = number;
  return order;
}

Outcome check(const Case &given, const std::string &device, const Target &target) {
  try {
    const KernelIR kernel = read_kernel(given.text);
    const std::unique_ptr<Device> interpreter = oracle(given.floats);
    Memory expected;
    try {
      expected = run(*interpreter, kernel, given);
    } catch (const Error &error) {
      if (!is_refused_step(error))
        throw;
      if (device != "interpreter" && device != "simulator")   // a GPU goes on
        return {.verdict = Verdict::refused, .detail = error.what()};
      // The canonical form and compiled code leave out a loop that nothing needs.
      const bool is_needed = refuses_a_step([&] { run(*interpreter, canonical(kernel), given); });
      if (device == "simulator" && !refuses_a_step([&] { run(opened(device, given), kernel, given); }) &&
          is_needed)
        return {.verdict = Verdict::differ,
                .detail = std::string("the device accepts what the interpreter refuses: ") + error.what()};
      return {.verdict = Verdict::agree, .detail = ""};
    }
    Outcome outcome;
    if (device == "interpreter") {
      (void)compile(kernel, target);
      outcome = compared(expected, run(*interpreter, canonical(kernel), given), kernel, given.floats);
    } else {
      outcome = compared(expected, run(opened(device, given), kernel, given), kernel, given.floats);
    }
    if (device == "interpreter" || device == "simulator")
      outcome.ways = ways_of(given, kernel, target);
    return outcome;
  } catch (const Error &error) {
    return {.verdict = asks_too_much(error) ? Verdict::refused : Verdict::failed, .detail = error.what()};
  }
}

}   // namespace tile::fuzz
