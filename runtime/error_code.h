// SPDX-License-Identifier: MIT
// What kind of failure an error is, for programs that react to it. The text of the error is for people.
#pragma once

#include <cstdint>
#include <string_view>

namespace tile {

enum class ErrorCode : std::uint8_t {
  invalid_argument,   // a mistake of the caller or of the kernel; the default
  unsupported,        // this machine, GPU or program cannot do it
  not_prepared,       // compiling is forbidden, and no pack or cache has the code
  input_output,       // a file cannot be read or written, or is damaged
};
constexpr std::string_view name_of(ErrorCode code) {
  switch (code) {
  case ErrorCode::invalid_argument:
    return "invalid argument";
  case ErrorCode::unsupported:
    return "unsupported";
  case ErrorCode::not_prepared:
    return "not prepared";
  case ErrorCode::input_output:
    return "input or output";
  }
  return "unknown";
}

}   // namespace tile
