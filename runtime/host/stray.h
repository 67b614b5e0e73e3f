// SPDX-License-Identifier: MIT
// Why an access to memory is refused, in the words of reports.
#pragma once

#include "runtime/host/allocations.h"
#include "runtime/host/pointers.h"

#include <string>
#include <string_view>

namespace tile::host {

struct Stray {
  std::string text;          // "element 4,098 of `x`, which has 4,096"
  bool is_outside = false;   // of its buffer, which is known, at an element of it
  std::string help;
};
// Of `count` elements of `size` bytes, which reports call `what`: "f32", "16 bytes".
Stray stray(const Allocations &allocations, Pointer pointer, std::size_t count, std::size_t size,
            std::string_view what);

// Where both pointers point into one buffer: that buffer. Memory of the caller may overlap other such memory.
const Range *common_buffer(const Allocations &allocations, Pointer p, Pointer q);

// "element 4,098 of `x`"
std::string element_text(const Range &range, std::uintptr_t address, std::size_t size);

}   // namespace tile::host
