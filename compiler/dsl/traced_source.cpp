// SPDX-License-Identifier: MIT
#include "compiler/dsl/traced_source.h"

#include "compiler/dsl/trace_key.h"

namespace tile::detail {

static std::string launch_text(const std::string &name, const Launch &launch) {
  const auto &[warps, stages, ctas, pingPong, registers, fusion] = launch;
  std::string bytes = "trace of " + name;
  for (const int option : {warps, stages, ctas, int{pingPong}, registers, int{fusion}})
    bytes += " " + std::to_string(option);
  return bytes;
}

std::string TracedSource::fingerprint() const {
  return launch_text(name_, launch_) + (locations_ ? " 1\n" : " 0\n") +
         key_of(*trace_, {.places = locations_});
}

std::string TracedSource::computation() const {
  return digest(launch_text(name_, launch_) + "\n" + key_of(*trace_, {.places = false, .classes = false}));
}

}   // namespace tile::detail
