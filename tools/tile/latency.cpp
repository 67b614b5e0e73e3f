// SPDX-License-Identifier: MIT
// `tile latency KERNEL`: how long launches hold their caller up where one size is another each time, as the
// number of rows is in a server.
#include "compiler/devices/devices.h"
#include "runtime/bench/samples.h"
#include "runtime/bench/stopwatch.h"
#include "runtime/tuning/tuning.h"
#include "tools/bench/data.h"
#include "tools/tile/chosen_kernel.h"
#include "tools/tile/command_line.h"
#include "tools/tile/commands.h"
#include "tools/tile/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <random>
#include <vector>

namespace tile::tool {
namespace {

constexpr double slow_seconds = 5e-3;
constexpr std::int64_t most_calls = 10'000'000;

std::vector<Option> common_options() {
  return {{"vary", "NAME", "the size that varies between launches, from 1 to its given value; m"},
          {"calls", "N", "how many launches are measured; 1000"},
          {"tune", "", "tunes the largest size at the end, to check that its memory is released"},
          {"device", "NAME", registry::joined(device_names()) + "; auto"},
          {"seed", "N", "of the sizes and of the inputs; 1"}};
}

struct Call {
  double seconds;
  std::int64_t size;
};

// Launches of one kernel, all on the memory of the largest.
class Calls {
 public:
  Calls(Device &device, const registry::Entry &kernel, registry::Settings settings, std::string vary)
      : device_(device), kernel_(kernel), settings_(std::move(settings)), vary_(std::move(vary)),
        data_(device, kernel.problem(settings_), 0,
              device.can_time() ? bench::machine(device).memory_bytes : 0, settings_.seed) {}

  // Until the launch returns; then it is waited for, as a server waits for each of its steps.
  Call one(std::int64_t size) {
    registry::Settings settings = settings_;
    settings.set(vary_, std::to_string(size));
    const registry::Problem::Launch launch = kernel_.problem(settings).bind(device_, data_.operands(0));
    const auto begin = std::chrono::steady_clock::now();
    launch();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    device_.synchronize();
    return {taken.count(), size};
  }

 private:
  Device &device_;
  const registry::Entry &kernel_;
  registry::Settings settings_;
  std::string vary_;
  bench::Data data_;
};

// Of the device, that nobody uses; 0: it does not say.
std::size_t free_bytes(Device &device) {
  const std::unique_ptr<Stopwatch> stopwatch = device.stopwatch();
  return stopwatch ? stopwatch->free_bytes() : 0;
}
std::string difference(std::size_t before, std::size_t after) {
  const double mib = (static_cast<double>(before) - static_cast<double>(after)) / (1 << 20);
  return fmt::format("{:+.1f} MiB", mib);
}

void print(std::vector<Call> calls) {
  std::ranges::sort(calls, {}, &Call::seconds);
  std::vector<double> seconds;
  for (const Call &call : calls)
    seconds.push_back(call.seconds);
  const auto slow = std::ranges::count_if(seconds, [](double s) { return s > slow_seconds; });
  fmt::print("calls   {}: largest {:.3f} ms, of {}\n", calls.size(), calls.back().seconds * 1e3,
             calls.back().size);
  for (const double q : {0.5, 0.9, 0.99, 0.999})
    fmt::print("        {:<5} %  {:.3f} ms\n", q * 100, bench::quantile(seconds, q) * 1e3);
  fmt::print("        {} of them took more than {:.0f} ms\n", slow, slow_seconds * 1e3);
}

}   // namespace

std::string latency_help() {
  return "usage: tile latency KERNEL [--option value ...]\n\n"
         "Launches a kernel with one size that varies, and prints how long the launches blocked their\n"
         "caller: the largest time, percentiles, and the change of the device's memory. Some launches run\n"
         "before, so that compiled code can stand in for code that is not compiled yet\n"
         "(docs/tuning.md).\n\n"
         "options of every kernel:\n" +
         describe(common_options());
}

int latency(Arguments arguments) {
  const auto [kernel, rest, command] = chosen_kernel(arguments, "latency");
  const CommandLine line = parse_options(rest, run_options(kernel, common_options()), command);
  if (!kernel.problem)
    throw BadUsage(fmt::format("{} is for kernels whose operands `tile bench` knows", command));
  registry::Settings settings(kernel.parameters);
  std::string device_name = "auto", vary = "m";
  std::int64_t count = 1000;
  for (const Given &given : line.options) {
    if (given.name == "device")
      device_name = given.value;
    else if (given.name == "vary")
      vary = given.value;
    else if (given.name == "seed")
      settings.seed = whole_number(given);
    else if (given.name == "calls")
      count = count_up_to(most_calls, given);
    else if (given.name != "tune")
      settings.set(given.name, given.value);
  }
  const registry::Parameter *varied = kernel.parameter(vary);
  if (!varied || !varied->choices.empty() || varied->form != registry::Parameter::Form::count)
    throw BadUsage(fmt::format("--vary takes a size of {}, not `{}`", kernel.name, vary));
  const std::int64_t most = settings.size(vary);
  if (most < 1)
    throw BadUsage(fmt::format("--{} is the largest size, 1 or more", vary));
  require_device(device_name);
  const std::unique_ptr<Device> device = open_device(device_name);
  if (line.has("tune") && !device->can_time())
    throw BadUsage(
        fmt::format("--tune needs a device that can time its kernels, which the {} cannot", device->kind()));

  fmt::print("{}  {}, {} from 1 to that\ndevice  {}\n", kernel.name, settings.text(), vary,
             device->description());
  std::fflush(stdout);
  Calls calls(*device, kernel, settings, vary);
  const std::size_t at_first = free_bytes(*device);
  // A launch of each kind of number, for which code is compiled: any, a multiple of 16, one.
  Call slowest{};
  const std::int64_t sixteens = std::max<std::int64_t>(most / 16 * 16, 1);
  for (const std::int64_t size :
       std::array{std::max<std::int64_t>(sixteens - 1, 1), sixteens, std::int64_t{1}})
    slowest = std::max(slowest, calls.one(size),
                       [](const Call &a, const Call &b) { return a.seconds < b.seconds; });
  fmt::print("before  3 calls: largest {:.1f} ms, of {}\n", slowest.seconds * 1e3, slowest.size);
  std::fflush(stdout);
  const std::size_t warm = free_bytes(*device);
  std::minstd_rand random(static_cast<unsigned>(settings.seed));
  std::vector<Call> all;
  all.reserve(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    all.push_back(calls.one(1 + static_cast<std::int64_t>(random()) % most));
  const std::size_t after = free_bytes(*device);
  print(std::move(all));
  if (at_first == 0) {
    fmt::print("memory  the {} does not say\n", device->kind());
    return 0;
  }
  fmt::print("memory  {:.0f} MiB free at first; {} before, {} by the calls",
             static_cast<double>(at_first) / (1 << 20), difference(at_first, warm), difference(warm, after));
  if (line.has("tune")) {
    const tuning::Asking asking({.force = true});
    calls.one(most);
    fmt::print(", {} by a sweep", difference(after, free_bytes(*device)));
  }
  fmt::print("\n");
  return 0;
}

}   // namespace tile::tool
