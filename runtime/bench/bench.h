// SPDX-License-Identifier: MIT
// Measures the time of kernels, or of any other function that queues work on a device:
//
//   const auto t = bench::time(*device, [&](int i) { kernel(*device, x[i], y[i], n); },
//                              {.cache = bench::Cache::rotating, .sets = 4});   // larger than the cache
//   std::printf("%.2f us +- %.1f%%, %.2f TB/s\n", t.median * 1e6, 100 * t.spread, bytes / t.median * 1e-12);
//
// compare() measures several functions alternately. Only this shows which is faster: GPU clocks change.
#pragma once

#include <tile/device.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tile::bench {

// Where a call finds its inputs.
enum class Cache : std::uint8_t {
  warm,       // in the caches, as far as they fit: all calls use the same data, one after the other
  cold,       // in memory: the caches are cleared before each call, and each call is timed alone
  rotating,   // where the previous calls left them: each call uses the next set of the data
};

struct Options {
  Cache cache = Cache::warm;
  int sets = 1;      // number of data sets, for Cache::rotating
  int rounds = 21;   // samples of each function
  // A sample runs calls in a row for about this time. Its value is the time divided by the number of calls.
  double sample_seconds = 5e-3;
  int most_calls = 1000;       // limit for a sample, unless there are more sets
  double settle_seconds = 2;   // limit for the warm-up before the first sample, until the clocks are steady
  std::function<bool()> stop = nullptr;           // called between samples; true ends the measurement
  std::function<void(int, int)> told = nullptr;   // (rounds done, rounds)
};

// call(i) queues the work on set i of the data, 0 <= i < sets.
using Call = std::function<void(int)>;

struct Timing {
  double median = 0;             // seconds per call
  double spread = 0;             // half the distance of the 20 % and 80 % quantiles, divided by the median
  std::vector<double> samples;   // seconds per call, in the order of measuring
  int calls = 1;                 // calls per sample
  bool is_recorded = false;      // the calls were replayed from a graph
  std::string failure;           // empty, or the reason why there are no samples
};

// Throws tile::Error if the device has no clock, or with the message of the tile::Error that the call throws.
Timing time(Device &device, const Call &call, const Options &options = {});

// Returns one timing per call, in the order of the calls. Each round times every call once; every second
// round goes from the last to the first. If a call throws tile::Error, it has no samples and `failure` is the
// message; the others go on. Each call runs once before it is recorded, so that its first-time work is done.
std::vector<Timing> compare(Device &device, std::span<const Call> calls, const Options &options = {});

using tile::Machine;
Machine machine(Device &device);

// The state of a device at one moment. Less than 0: not known.
struct Telemetry {
  double clock_hertz = -1, memory_clock_hertz = -1;
  double watts = -1, watts_limit = -1, celsius = -1;
  std::string throttled;   // why the clocks are lower than possible: "power cap"; empty: not throttled
  bool is_known() const { return clock_hertz >= 0; }
};
Telemetry telemetry(Device &device);

}   // namespace tile::bench
