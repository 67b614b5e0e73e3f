// SPDX-License-Identifier: MIT
// How long kernels take, or anything else that queues work on a device:
//
//   const auto t = bench::time(*device, [&](int i) { kernel(*device, x[i], y[i], n); },
//                              {.cache = bench::Cache::rotating, .sets = 4});   // larger than the cache
//   std::printf("%.2f us +- %.1f%%, %.2f TB/s\n", t.median * 1e6, 100 * t.spread, bytes / t.median * 1e-12);
//
// compare() does it for several in turn, which is the only way to learn which is faster: clocks of GPUs move.
#pragma once

#include "tile/device.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tile::bench {

// Where a call finds its inputs.
enum class Cache : std::uint8_t {
  warm,       // in the caches, as far as they fit: the calls work on the same data, one after the other
  cold,       // in memory: the caches are cleared before each call, which is timed alone
  rotating,   // where the calls before have left them: each works on the next set of the data
};

struct Options {
  Cache cache = Cache::warm;
  int sets = 1;      // of rotating data
  int rounds = 21;   // samples of each
  // A sample is the time of so many calls in a row, divided by their number, that it takes this long.
  double sample_seconds = 5e-3;
  int most_calls = 1000;       // in a sample, unless there are more sets
  double settle_seconds = 2;   // at most, to work before the first sample until the clocks are steady
  std::function<bool()> stop = nullptr;           // asked between samples; true ends the measuring
  std::function<void(int, int)> told = nullptr;   // (rounds done, rounds)
};

// Call(i) queues the work on set i of the data, 0 <= i < sets.
using Call = std::function<void(int)>;

struct Timing {
  double median = 0;             // seconds of a call
  double spread = 0;             // half the distance of the 20 % and 80 % quantiles, as a part of the median
  std::vector<double> samples;   // seconds of a call, in the order in which they were taken
  int calls = 1;                 // that a sample is made of
  bool is_recorded = false;      // the calls were replayed from a graph
  std::string failure;           // empty, or why there are no samples
};

// Throws tile::Error where the device has no clock, or with what the call throws.
Timing time(Device &device, const Call &call, const Options &options = {});

// In the order of the calls. They are timed in turn, in every second round from the last to the first. One
// that throws tile::Error has no samples and its message as `failure`; the others go on. Every call runs
// once before anything is recorded, so that what is made at the first call is there.
std::vector<Timing> compare(Device &device, std::span<const Call> calls, const Options &options = {});

using tile::Machine;
Machine machine(Device &device);

// How a device is at a moment. Less than 0: not known.
struct Telemetry {
  double clock_hertz = -1, memory_clock_hertz = -1;
  double watts = -1, watts_limit = -1, celsius = -1;
  std::string throttled;   // why its clocks are lower than they could be: "power cap"; empty: they are not
  bool is_known() const { return clock_hertz >= 0; }
};
Telemetry telemetry(Device &device);

}   // namespace tile::bench
