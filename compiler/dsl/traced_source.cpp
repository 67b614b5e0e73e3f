// SPDX-License-Identifier: MIT
#include "compiler/dsl/traced_source.h"

#include "compiler/dsl/trace_key.h"

namespace tile::detail {

std::string TracedSource::fingerprint() const {
  const auto &[warps, stages, ctas, pingPong, registers, fusion] = launch_;
  std::string bytes = "trace of " + name_;
  for (const int option : {warps, stages, ctas, int{pingPong}, registers, int{fusion}, int{locations_}})
    bytes += " " + std::to_string(option);
  return bytes + "\n" + key_of(*trace_, locations_);
}

}   // namespace tile::detail
