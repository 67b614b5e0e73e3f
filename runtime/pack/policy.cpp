// SPDX-License-Identifier: MIT
#include "runtime/pack/policy.h"

#include "runtime/environment.h"

#include <mutex>
#include <optional>

namespace tile {

static std::mutex mutex;
static std::optional<Policy> chosen;

Policy policy() {
  const std::lock_guard lock(mutex);
  if (!chosen)
    chosen = {.compile = environment::compile() == environment::Compile::never ? Compile::never
                                                                               : Compile::when_needed};
  return *chosen;
}

void set_policy(Policy policy) {
  const std::lock_guard lock(mutex);
  chosen = policy;
}

}   // namespace tile
