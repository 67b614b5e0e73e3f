// SPDX-License-Identifier: MIT
// Runs kernels that are written by hand, on buffers of its own.
#pragma once

#include "runtime/simulator/launch.h"
#include "runtime/simulator/machine_code.h"
#include "runtime/simulator/tensor_map.h"

#include <cstring>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tile::simulator {

class Bench {
 public:
  explicit Bench(Options options = {}) : engine_(1, HostAllocations::Track::nothing) {
    engine_.options = options;
    engine_.print = [](std::string_view) {};
  }
  ~Bench() {
    for (void *address : owned_)
      engine_.allocations.release(address);
  }
  Bench(const Bench &) = delete;
  Bench &operator=(const Bench &) = delete;

  template <class T> T *buffer(std::int64_t count, const std::string &name) {
    owned_.push_back(engine_.allocations.allocate(static_cast<std::size_t>(count) * sizeof(T), name));
    return static_cast<T *>(owned_.back());
  }
  template <class T> T *buffer(const std::vector<T> &values, const std::string &name) {
    T *at = buffer<T>(std::ssize(values), name);
    std::memcpy(at, values.data(), values.size() * sizeof(T));
    return at;
  }
  TensorMap *map(const TensorDescription &description) {
    TensorMap *at = buffer<TensorMap>(1, "map");
    *at = encodeTensorMap(description);
    return at;
  }

  using Value = std::variant<const void *, std::int32_t>;
  void run(const Program &program, const std::vector<Value> &values, Grid grid = {1}) {
    std::vector<Argument> arguments;
    std::vector<Parameter> parameters;
    for (const Value &value : values) {
      const bool isPointer = std::holds_alternative<const void *>(value);
      const ElementType type = isPointer ? element_type<i32>.pointer_to() : element_type<i32>;
      const std::uint64_t bits = isPointer ? reinterpret_cast<std::uint64_t>(std::get<0>(value))
                                           : static_cast<std::uint32_t>(std::get<1>(value));
      parameters.push_back({.name = "arg" + std::to_string(parameters.size()), .type = type});
      arguments.push_back({.type = type, .bits = bits});
    }
    std::vector<std::unique_ptr<Cluster>> clusters;
    runGrid(engine_, program, clusters, grid, arguments, parameters);
  }
  const Counters &counters() const { return engine_.counters; }
  const AccessReport &accesses() const { return engine_.accesses; }

 private:
  Engine engine_;
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
