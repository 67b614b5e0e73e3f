// SPDX-License-Identifier: MIT
#include "runtime/cuda/capability.h"

#include <charconv>

namespace tile::cuda {

bool runs(Capability gpu, std::string_view target, LoweredKernel::Code kind) {
  constexpr std::string_view prefix = "sm_";
  if (kind == LoweredKernel::Code::host || !target.starts_with(prefix))
    return false;
  target.remove_prefix(prefix.size());
  int version = 0;
  const auto [end, problem] = std::from_chars(target.data(), target.data() + target.size(), version);
  if (problem != std::errc())
    return false;
  const int own = gpu.major * 10 + gpu.minor;
  if (end != target.data() + target.size())   // "a": what this GPU has and no later one
    return version == own;
  return version <= own && (kind == LoweredKernel::Code::ptx || version / 10 == gpu.major);
}

std::string machine_code_target(Capability gpu, std::string_view target) {
  const bool isSpecific = target.ends_with('a');
  return isSpecific ? std::string(target) : "sm_" + std::to_string(gpu.major * 10 + gpu.minor);
}

}   // namespace tile::cuda
