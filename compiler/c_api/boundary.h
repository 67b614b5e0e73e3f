// SPDX-License-Identifier: MIT
// The boundary between C++, which throws, and C, which gets a code and a text.
#pragma once

#include <string>

namespace tile::c_api {

// In a handler: keeps the text of what is handled for tile_error_text(), and gives its code.
int status_of_exception() noexcept;
const std::string &last_error();

// Calls f. Gives TILE_OK, or the code of what f throws.
template <class F> int guarded(F f) noexcept {
  try {
    f();
    return 0;
  } catch (...) {
    return status_of_exception();
  }
}

}   // namespace tile::c_api
