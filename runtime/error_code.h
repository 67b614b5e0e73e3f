// SPDX-License-Identifier: MIT
// What kind of failure an error is, for programs that react to it. The text of the error is for people.
#pragma once

#include <cstdint>
#include <string_view>

namespace tile {

enum class ErrorCode : std::uint8_t {
  invalid_argument,      // a mistake of the caller or of the kernel; the default
  unsupported,           // this machine, GPU or program cannot do it
  not_prepared,          // compiling is forbidden, and no pack or cache has the code
  out_of_memory,         // of the device
  compilation_refused,   // the compiler, or the assembler behind it, does not take the kernel for this GPU
  device_lost,           // after an error of the GPU; nothing works in this process any more
  hung,                  // a kernel does not end, and occupies the device until this process ends
  input_output,          // a file cannot be read or written, or is damaged
  internal,              // a mistake of tile, or an answer of the driver that nobody expects
};
constexpr std::string_view name_of(ErrorCode code) {
  switch (code) {
  case ErrorCode::invalid_argument:
    return "invalid argument";
  case ErrorCode::unsupported:
    return "unsupported";
  case ErrorCode::not_prepared:
    return "not prepared";
  case ErrorCode::out_of_memory:
    return "out of memory";
  case ErrorCode::compilation_refused:
    return "compilation refused";
  case ErrorCode::device_lost:
    return "device lost";
  case ErrorCode::hung:
    return "hung";
  case ErrorCode::internal:
    return "internal";
  case ErrorCode::input_output:
    return "input or output";
  }
  return "unknown";
}

}   // namespace tile
