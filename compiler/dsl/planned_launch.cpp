// SPDX-License-Identifier: MIT
#include "compiler/dsl/planned_launch.h"

#include "compiler/dsl/kernel_space.h"
#include "runtime/kernel_names.h"
#include "runtime/launch/copied_arguments.h"
#include "runtime/launch/launch_steps.h"
#include "runtime/launch/planned_launches.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tile::detail {
namespace {

using launching::PlannedLaunch, launching::LaunchRequest, launching::WordKey;

// A config of the kernel's list with the fields filled in that follow from the arguments.
class CompletedConfig {
 public:
  CompletedConfig(const AnyKernel &kernel, std::size_t place, ArgumentBits arguments)
      : config_(kernel.config(place)) {
    if (!kernel.has_complete)
      return;
    const std::size_t bytes = kernel.table->plain.size();
    if (bytes > inline_.size())
      more_.resize(bytes);
    void *const copy = bytes > inline_.size() ? more_.data() : inline_.data();
    std::memcpy(copy, config_, bytes);
    kernel.calls->complete(kernel.kernel, copy, arguments);
    config_ = copy;
  }
  CompletedConfig(const CompletedConfig &) = delete;
  CompletedConfig &operator=(const CompletedConfig &) = delete;
  const void *get() const { return config_; }

 private:
  const void *config_;
  alignas(std::max_align_t) std::array<std::byte, 512> inline_;
  std::vector<std::byte> more_;
};

bool is_completed_as(const AnyKernel &kernel, const PlannedLaunch &launch, ArgumentBits arguments) {
  if (!kernel.has_complete)
    return true;
  const auto values_of = [&](const void *config) {
    WordKey values;
    push_values(*kernel.table, config, values);
    return values;
  };
  return values_of(CompletedConfig(kernel, launch.place, arguments).get()) == values_of(launch.config.data());
}

// Launches of a kernel with one key are one in a plan, if their arguments complete the first config alike.
WordKey key_in_plan(const AnyKernel &kernel, ArgumentBits arguments) {
  WordKey key;
  key.push(reinterpret_cast<std::uintptr_t>(kernel.cache));
  key.push(reinterpret_cast<std::uintptr_t>(kernel.name));
  key.push(kernel.config_count);
  key.push(kernel.require.word());
  if (kernel.config_count > 1)   // else its values tell
    key.push(reinterpret_cast<std::uintptr_t>(kernel.configs));
  if (kernel.config_count == 1 || (kernel.config_count > 1 && kernel.has_complete))
    push_values(*kernel.table, CompletedConfig(kernel, 0, arguments).get(), key);
  for (const std::int64_t value : kernel.calls->key(kernel.kernel, arguments).values())
    key.push(static_cast<std::uint64_t>(value));
  return key;
}

bool serve(std::span<const ArgClass> code, std::span<const launching::PackedArgument> arguments) {
  for (std::size_t i = 0; i < code.size(); ++i)
    if (!serves({&code[i], 1}, {&arguments[i].argument_class, 1}))
      return false;
  return true;
}

bool are_for(std::span<const ArgClass> code, std::span<const launching::PackedArgument> arguments) {
  return std::ranges::equal(code, arguments, {}, {}, &launching::PackedArgument::argument_class);
}

struct Found {
  const PlannedLaunch *launch = nullptr;
  Grid grid = {};
};

// The first launch of the plan that these arguments may be of. `complete` and `keep` may look at more than
// the key does.
Found find(const AnyKernel &kernel, std::span<const PlannedLaunch> of_key, const LaunchRequest &request) {
  const ArgumentBits arguments(request.arguments);
  for (const PlannedLaunch &launch : of_key) {
    const void *const config = launch.config.data();
    if (!serve(launch.classes, request.arguments) || !is_completed_as(kernel, launch, arguments) ||
        !keeps(kernel, config, arguments))
      continue;
    const Grid grid = kernel.calls->grid(kernel.kernel, config, arguments);
    launching::check_grid(grid, request.where.where);
    if (launch.executable || launching::is_empty(grid))
      return {&launch, grid};
  }
  return {};
}

void prepare(const AnyKernel &kernel, PlanScope &plan, const LaunchRequest &request, const WordKey &key) {
  const Found known = find(kernel, plan.launches().of(key), request);
  if (known.launch && are_for(known.launch->classes, request.arguments))
    return;
  const PlanScope::Suspended as_usual;   // a tuner launches
  const KernelSpace space(kernel, request.cache, request.where.where, request.arguments);
  const launching::Chosen chosen = launching::decide(request, space);
  plan.launches().add(key, {launching::classes_of(request), chosen.config,
                            bytes_of(kernel, space.config(chosen.config)), chosen.executable});
}

Error not_planned(const AnyKernel &kernel, const PlanScope &plan, const LaunchRequest &request,
                  const WordKey &key) {
  const bool has_key = !plan.launches().of(key).empty();
  Error error(has_key ? "the plan has this launch for other arguments only: its code relies on sizes or "
                        "addresses that these are not, such as multiples of 16"
                      : "the plan has no such launch: nothing was prepared for these sizes",
              request.where.where);
  error.with_code(ErrorCode::not_prepared).add_context(std::string("kernel ") + kernel.name);
  std::string sizes;
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    const Argument &argument = request.arguments[i].argument;
    if (argument.type.is_integer())
      sizes += (sizes.empty() ? "" : ", ") + parameter_name(*kernel.parameter_names, i) + " " +
               std::to_string(signed_number(argument.type, argument.bits));
  }
  if (!sizes.empty())
    error.add_context("launched with " + sizes);
  return error.add_help(has_key ? "prepare a launch with sizes and addresses like these"
                                : "call prepare() of the plan with these sizes first");
}

}   // namespace

void launch_planned(const AnyKernel &kernel, PlanScope &plan, const LaunchRequest &request) {
  if (launching::CopiedArguments::are_needed(request))
    throw Error("a plan takes memory of the device, and a span of host memory would be copied",
                request.where.where)
        .add_context(std::string("kernel ") + kernel.name)
        .add_help("pass a Buffer, or a view of one");
  const WordKey key = key_in_plan(kernel, ArgumentBits(request.arguments));
  if (plan.does() == PlanScope::Does::prepare)
    prepare(kernel, plan, request, key);
  const Found found = find(kernel, plan.launches().of(key), request);
  if (!found.launch)
    throw not_planned(kernel, plan, request, key);
  if (launching::is_empty(found.grid))
    return;
  const launching::Row row(request.arguments);
  if (plan.does() == PlanScope::Does::run)
    found.launch->executable->launch(found.grid, row.arguments());
  else
    found.launch->executable->rehearse(found.grid, row.arguments());
}

}   // namespace tile::detail
