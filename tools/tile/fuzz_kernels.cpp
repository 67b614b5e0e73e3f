// SPDX-License-Identifier: MIT
#include "tools/tile/fuzz_kernels.h"

#include "compiler/devices/devices.h"
#include "compiler/devices/simulator.h"
#include "tools/registry/registry.h"

#include <algorithm>

namespace tile::tool {
namespace {

// "warpgroups: 240 wgmma; ..."
bool has_multiplied_in_groups(const Device &device) {
  return std::ranges::any_of(simulator_counts(device), [](const std::string &line) {
    return line.starts_with("warpgroups: ") && !line.starts_with("warpgroups: 0 wgmma");
  });
}

}   // namespace

fuzz::Outcome check_call(const fuzz::KernelCall &call) {
  try {
    const registry::Entry &kernel = registry::entry(call.kernel);
    registry::Settings settings(kernel.parameters);
    for (const auto &[name, value] : call.settings)
      settings.set(name, value);
    settings.config = call.config;
    settings.seed = call.seed;
    // As `tile run` has it: products as late as they may be.
    std::optional<SimulatedOrder> order = fuzz::order_of(call.order);
    if (order)
      order->matrix = Completion::latest;
    const std::unique_ptr<Device> device = open_device("simulator", {.order = order, .is_limited = false});
    const registry::Outcome outcome = kernel.run(*device, settings);
    fuzz::Outcome result{.verdict = outcome.verdict.passed() ? fuzz::Verdict::agree : fuzz::Verdict::differ,
                         .detail = outcome.verdict.first_wrong};
    if (has_multiplied_in_groups(*device)) {
      result.ways = fuzz::in_roles;
      for (const auto &[way, option] :
           {std::pair{fuzz::in_turn, "ping_pong=true"}, {fuzz::by_pairs, "num_ctas=2"}})
        if (call.config.find(option) != std::string::npos)
          result.ways |= way;
    }
    return result;
  } catch (const Error &error) {
    return {.verdict = fuzz::asks_too_much(error) ? fuzz::Verdict::refused : fuzz::Verdict::failed,
            .detail = error.what()};
  } catch (const registry::BadSetting &wrong) {
    return {.verdict = fuzz::Verdict::failed, .detail = wrong.what()};
  }
}

fuzz::KernelCall reduced_call(fuzz::KernelCall call,
                              const std::function<bool(const fuzz::KernelCall &)> &shows) {
  const auto attempt = [&](const auto &change) {
    fuzz::KernelCall smaller = call;
    change(smaller);
    const bool is_other = fuzz::command(smaller) != fuzz::command(call);
    if (!is_other || !shows(smaller))
      return false;
    call = std::move(smaller);
    return true;
  };
  attempt([](fuzz::KernelCall &c) { c.order = 0; });
  for (const char *name : {"act", "out", "shared"})
    attempt([&](fuzz::KernelCall &c) {
      std::erase_if(c.settings, [&](const auto &setting) { return setting.first == name; });
    });
  for (std::size_t i = 0; i < call.settings.size(); ++i) {
    const std::optional<std::int64_t> count = registry::parse_count(call.settings[i].second);
    if (!count)
      continue;
    // The least number between those that do not show it and those that do, if there is one such border.
    std::int64_t most = *count, least = 0;
    while (least < most) {
      const std::int64_t middle = least + (most - least) / 2;
      if (attempt([&](fuzz::KernelCall &c) { c.settings[i].second = std::to_string(middle); }))
        most = middle;
      else
        least = middle + 1;
    }
  }
  return call;
}

}   // namespace tile::tool
