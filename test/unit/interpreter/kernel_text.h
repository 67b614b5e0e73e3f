// SPDX-License-Identifier: MIT
// Kernels for tests, written as text of the tile dialect, and what runs them: the interpreter is
// tested on the IR itself, whatever a front end makes of it.
#pragma once

#include <tile/buffer.h>
#include <tile/interpreter.h>
#include <tile/kernel_ir.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tile::test {

// A module with one function. Locations are lines and columns of the text in "kernel.mlir".
// Parameters are named by `tile.name`, else a0, a1, ...
KernelIR parse(std::string_view text);

template <class T> Argument argument(const Buffer<T> &buffer) {
  return {element_type<T *>, reinterpret_cast<std::uint64_t>(buffer.data())};
}
template <class T>
  requires std::is_arithmetic_v<T>
Argument argument(T value) {
  Argument result{element_type<T>};
  std::memcpy(&result.bits, &value, sizeof value);
  return result;
}
inline Argument argument(const Argument &given) { return given; }

// A kernel on a device of its own.
class Interpreted {
 public:
  explicit Interpreted(std::string_view text, InterpreterOptions options = {})
      : device_(open_interpreter(std::move(options))), executable_(device_->load(parse(text))) {}

  Device &device() { return *device_; }
  template <class T> Buffer<T> buffer(const std::vector<T> &values, std::string_view name = "x") {
    return Buffer<T>(*device_, values, name);
  }
  template <class... Arguments> void run(Grid grid, const Arguments &...arguments) {
    const std::vector<Argument> all{argument(arguments)...};
    executable_->launch(grid, all);
  }
  // The text of the error that the launch ends with.
  template <class... Arguments> std::string error(Grid grid, const Arguments &...arguments) {
    try {
      run(grid, arguments...);
    } catch (const Error &error) {
      return error.what();
    }
    return "no error";
  }

 private:
  std::unique_ptr<Device> device_;
  std::unique_ptr<Executable> executable_;
};

// The error with which the interpreter refuses a kernel.
std::string refusal(std::string_view text);

}   // namespace tile::test
