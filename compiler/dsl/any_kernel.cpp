// SPDX-License-Identifier: MIT
// Launches of every kernel.
#include "compiler/dsl/any_kernel.h"

#include "compiler/dsl/kernel_space.h"
#include "compiler/dsl/planned_launch.h"
#include "runtime/launch/packed_configs.h"
#include "runtime/pack/packed_identity.h"
#include "runtime/plan_scope.h"

#include <string>

namespace tile::detail {

void launch(const AnyKernel &kernel, launching::TuneRequest *tune, OnDevice where,
            std::span<const launching::PackedArgument> packed) {
  launching::check_arguments(where, kernel.name, *kernel.parameter_names, packed);
  if (!kernel.has_grid)
    launching::no_grid(kernel.name, where.where);
  launching::LaunchCache &cache = kernel.cache();
  const launching::LaunchRequest request{where, kernel.name, packed, cache};
  if (PlanScope *plan = tune ? nullptr : PlanScope::of(where.device.id()))
    return launch_planned(kernel, *plan, request);
  const KernelSpace space(kernel, cache, where.where, packed);
  if (tune)
    tune->found = launching::tune(request, space, tune->options);
  else
    launching::launch(request, space);
}

std::size_t prepare(const AnyKernel &kernel, OnDevice on) {
  launching::LaunchCache &cache = kernel.cache();
  if (!kernel.has_complete)
    launching::packed_places(cache, on.device, kernel.name, KernelSpace(kernel, cache, on.where, {}));
  std::size_t loaded = 0;
  for (const PackedIdentity &entry : on.device.packed(kernel.name)) {
    if (entry.classes.size() != kernel.parameters.size())
      continue;
    ConfigBytes config = kernel.table->plain;
    try {
      parse(*kernel.table, config.data(), entry.config);
    } catch (const Error &) {   // of a field that there is no more
      continue;
    }
    const launching::WordKey key = key_of_computation(kernel, config.data());
    std::string computation = cache.computation(key);
    if (computation.empty()) {
      computation = trace(kernel, config.data(), entry.classes, {}, on.where).computation();
      cache.keep_computation(key, computation);
    }
    loaded += computation == entry.computation && on.device.load_packed(entry);
  }
  return loaded;
}

}   // namespace tile::detail
