// SPDX-License-Identifier: MIT
// Our kernels as providers.
#pragma once

#include "tools/bench/provider.h"

#include <memory>
#include <string>

namespace tile::bench {

// Which configs of a kernel are measured.
struct ConfigChoice {
  enum class Kind : std::uint8_t {
    tuned,   // what a program gets that has the kernel tuned for the sizes
    all,     // each of the kernel's list
    given,
  };
  Kind kind = Kind::tuned;
  std::string config;   // given: as `tile run --config` takes it
};

std::unique_ptr<Provider> make_kernels(const ConfigChoice &choice);

}   // namespace tile::bench
