// SPDX-License-Identifier: MIT
#include "tools/tile/tune_apart.h"

#include "compiler/devices/devices.h"
#include "runtime/bench/bench.h"
#include "tools/bench/data.h"
#include "tools/bench/kernels.h"
#include "tools/tile/apart.h"

#include <fmt/format.h>

#include <algorithm>

namespace tile::tool {
namespace {

// By the device's clock where it has one, else by this machine's: of a few launches the fastest.
Reply measured(const registry::Entry &kernel, registry::Settings settings, const std::string &device_name) {
  if (settings.config.empty())
    settings.config = bench::spelled_out(kernel, settings);
  const std::unique_ptr<Device> device = open_device(device_name);
  if (kernel.problem && device->can_time()) {
    const registry::Problem problem = kernel.problem(settings);
    const bench::Data data(*device, problem, 0, bench::machine(*device).memory_bytes, settings.seed);
    const registry::Problem::Launch launch = problem.bind(*device, data.operands(0));
    return {.seconds = bench::time(*device, [&](int) { launch(); }).median};
  }
  constexpr int launches = 3;
  double best = kernel.run(*device, settings).seconds;
  for (int i = 1; i < launches; ++i)
    best = std::min(best, kernel.run(*device, settings).seconds);
  return {.seconds = best};
}

}   // namespace

int tune_apart(const registry::Entry &kernel, const registry::Settings &settings, const std::string &device,
               int limit_seconds) {
  const auto described = [&] {
    const std::unique_ptr<Device> it = open_device(device);
    return Reply{.text = it->description() +
                         (it->can_time() ? "" : "; without a clock: times are this machine's")};
  };
  const Reply opened = done_apart(described, limit_seconds);
  if (!opened.failure.empty())
    throw Error("the device cannot be opened: " + opened.failure, {});
  fmt::print("{}  {}\ndevice  {}\n", kernel.name, settings.text(), opened.text);
  std::string fastest;
  double best = 0;
  for (const std::string &config : kernel.configs(settings)) {
    registry::Settings one = settings;
    one.config = config;
    const Reply reply = done_apart([&] { return measured(kernel, one, device); }, limit_seconds);
    const std::string name = config.empty() ? "the default config" : config;
    if (!reply.failure.empty()) {
      fmt::print("{:>14}  {}: {}\n", "-", name, reply.failure);
      continue;
    }
    fmt::print("{:>11.2f} us  {}\n", reply.seconds * 1e6, name);
    if (fastest.empty() || reply.seconds < best) {
      fastest = name;
      best = reply.seconds;
    }
  }
  if (fastest.empty())
    throw Error("no config of " + kernel.name + " ended without a failure", {});
  fmt::print("fastest {}\n", fastest);
  return 0;
}

}   // namespace tile::tool
