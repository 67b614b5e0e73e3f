// SPDX-License-Identifier: MIT
// Runs kernels that are written by hand, on buffers of its own and any device that takes them.
#pragma once

#include "compiler/devices/load_written.h"
#include "compiler/host_code/simulator_code.h"
#include "runtime/simulator/simulation.h"
#include "test/unit/simulator/completions.h"

#include <tile/simulator.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tile::simulator {

class Bench {
 public:
  explicit Bench(Device &device) : device_(device) {}
  // On a simulator of its own, whose memory the host reads and writes too.
  explicit Bench(SimulatorOptions options = {}) : own_(opened(std::move(options))), device_(*own_) {}
  ~Bench() {
    for (void *address : owned_)
      device_.release(address);
  }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  template <class T> T *buffer(std::int64_t count, const std::string &name) {
    owned_.push_back(device_.allocate(static_cast<std::size_t>(count) * sizeof(T), name));
    return static_cast<T *>(owned_.back());
  }
  template <class T> T *buffer(const std::vector<T> &values, const std::string &name) {
    T *at = buffer<T>(std::ssize(values), name);
    if (!values.empty())
      device_.copy_in(at, values.data(), values.size() * sizeof(T));
    return at;
  }
  template <class T> std::vector<T> read(const T *at, std::size_t count) {
    std::vector<T> values(count);
    if (count)
      device_.copy_out(values.data(), at, count * sizeof(T));
    return values;
  }
  const void *map(const TensorDescription &description) {
    const auto map = encode_tensor_map(device_, description);
    return buffer(std::vector<std::byte>(map.begin(), map.end()), "map");
  }

  using Value = std::variant<const void *, std::int32_t, std::int64_t>;
  void run(Executable &kernel, const std::vector<Value> &values, Grid grid = {1}) {
    std::vector<Argument> arguments;
    for (const Value &value : values)
      arguments.push_back(argument(value));
    kernel.launch(grid, arguments);
    device_.synchronize();
  }
  // On a simulator.
  void run(const Program &program, const std::vector<Value> &values, Grid grid = {1}) {
    run(*loadProgram(device_, {&program, [](const Program *) {}}), values, grid);
  }
  const Counters &counters() const { return simulationOf(device_).counters; }
  const AccessReport &accesses() const { return simulationOf(device_).accesses; }

 private:
  static Argument argument(const Value &value) {
    if (const auto *number = std::get_if<std::int32_t>(&value))
      return {.type = element_type<i32>, .bits = static_cast<std::uint32_t>(*number)};
    if (const auto *number = std::get_if<std::int64_t>(&value))
      return {.type = element_type<i64>, .bits = static_cast<std::uint64_t>(*number)};
    return {.type = element_type<i32 *>, .bits = reinterpret_cast<std::uint64_t>(std::get<0>(value))};
  }
  static std::unique_ptr<Device> opened(SimulatorOptions options) {
    options.threads = 1;
    options.print = [](std::string_view) {};
    return open_simulator(std::move(options));
  }
  std::unique_ptr<Device> own_;
  Device &device_;
  std::vector<void *> owned_;
};

// What the run throws, or "".
template <class Run> std::string complaint(Run &&run) {
  try {
    run();
  } catch (const Error &error) {
    return error.what();
  }
  return "";
}

}   // namespace tile::simulator
