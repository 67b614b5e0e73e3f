// SPDX-License-Identifier: MIT
// How tvm-ffi lays out the arguments of a call: 16 bytes, a type and a value. test/c_api/layouts.test
// compares it with tvm-ffi's own header.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tile::tvm_ffi {

enum Type : std::int32_t {
  nothing = 0,
  integer = 1,
  boolean = 2,
  floating = 3,
  borrowed_tensor = 7,   // a DLTensor
  raw_text = 8,
  small_text = 11,   // up to 7 characters in the value itself
  text_object = 65,
  tensor_object = 70,
};

struct Argument {
  std::int32_t type;
  std::uint32_t small_length;
  union {
    std::int64_t integer;
    double floating;
    const void *pointer;
    char small_text[8];
  };
};

// What an object holds behind its header.
struct TextCell {
  const char *data;
  std::size_t size;
};
inline constexpr std::size_t object_header_bytes = 24;

}   // namespace tile::tvm_ffi
