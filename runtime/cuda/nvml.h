// SPDX-License-Identifier: MIT
// How a GPU is while it works: NVIDIA's management library, loaded when it is asked for. It comes with the
// driver; where it is missing, nothing else is.
#pragma once

#include "runtime/bench/bench.h"

#include <memory>
#include <string>

namespace tile::cuda {

class Nvml {
 public:
  static constexpr const char *Library = "libnvidia-ml.so.1";
  // Null where there is no such library, or it does not know the GPU ("00000000:18:00.0").
  static std::unique_ptr<Nvml> open(const std::string &pciBusId, const char *library = Library);
  ~Nvml();
  Nvml(const Nvml &) = delete;
  Nvml &operator=(const Nvml &) = delete;

  // What the library does not say stays unknown.
  bench::Telemetry read() const;
  std::string driverVersion() const;   // "580.159.04", or empty
  // Of the multiprocessors' clock; 0: not known.
  double highestClock() const;

 private:
  struct Functions;
  Nvml(std::unique_ptr<Functions> functions, void *gpu);
  std::unique_ptr<Functions> functions_;
  void *gpu_;
};

// "power cap, thermal limit": the bits of NVML's throttle reasons; empty where none of them slows work.
std::string throttleText(unsigned long long reasons);

}   // namespace tile::cuda
