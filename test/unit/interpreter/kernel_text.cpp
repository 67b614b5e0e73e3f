// SPDX-License-Identifier: MIT
#include "test/unit/interpreter/kernel_text.h"

namespace tile::test {

KernelIR parse(std::string_view text) { return read_kernel_ir(std::string(text), "kernel.mlir"); }

std::string refusal(std::string_view text) {
  try {
    open_interpreter()->load(parse(text));
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

}   // namespace tile::test
