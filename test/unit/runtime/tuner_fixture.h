// SPDX-License-Identifier: MIT
// Sweeps over candidates that a test makes up, on a device whose clock is a number. The kernel multiplies.
#pragma once

#include "runtime/tuning/tuner.h"
#include "test/unit/runtime/timed_device.h"

#include <tile/buffer.h>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tile::testing {

inline const float *input(std::span<const Argument> a) { return reinterpret_cast<const float *>(a[0].bits); }
inline float *output(std::span<const Argument> a) { return reinterpret_cast<float *>(a[1].bits); }

inline constexpr std::size_t count = 100;

// out[i] = factor * in[i], as the right candidates do.
inline TimedDevice::Body scale(float factor) {
  return [factor](const Grid &, std::span<const Argument> a) {
    for (std::size_t i = 0; i < count; ++i)
      output(a)[i] = factor * input(a)[i];
  };
}

class TunerFixture : public ::testing::Test {
 protected:
  TunerFixture()
      : in(device, std::vector<float>(count, 3.0f)), out(device, std::vector<float>(count, 7.0f)) {}

  TimedDevice::Program &add(std::string config, double seconds, TimedDevice::Body body,
                            KernelResources needs = {32, 0, 1024}) {
    programs.push_back(
        std::make_unique<TimedDevice::Program>(device, seconds, std::move(body), std::move(needs)));
    candidates.push_back({std::move(config), false, [p = programs.back().get()] { return p; }, {}});
    return *programs.back();
  }
  void add_refusing(std::string config, std::string why) {
    candidates.push_back({std::move(config), false, [why]() -> Executable * { throw Error(why, {}); }, {}});
  }
  tuning::Tuned run(tuning::Observer *observer = nullptr) {
    const Argument arguments[] = {{element_type<float *>, reinterpret_cast<std::uintptr_t>(in.data())},
                                  {element_type<float *>, reinterpret_cast<std::uintptr_t>(out.data())}};
    const tuning::Access access[] = {tuning::Access::reads, tuning::Access::writes};
    const MemoryExtent memory[] = {{in.data(), count * sizeof(float)}, {out.data(), count * sizeof(float)}};
    return tuning::tune({.device = device,
                         .kernel = "scale",
                         .key = "100",
                         .work = {},
                         .candidates = candidates,
                         .arguments = arguments,
                         .access = access,
                         .memory = memory,
                         .jobs = jobs,
                         .reference = reference,
                         .keeps_busy = keeps_busy,
                         .observer = observer});
  }
  std::string refusal(tuning::Observer *observer = nullptr) {
    try {
      run(observer);
    } catch (const Error &e) {
      code = e.code();
      return e.what();
    }
    return "accepted";
  }

  TimedDevice device;
  Buffer<float> in, out;
  std::vector<std::unique_ptr<TimedDevice::Program>> programs;
  std::vector<tuning::Candidate> candidates;
  std::optional<std::size_t> reference;
  ErrorCode code = ErrorCode::invalid_argument;   // of the last refusal
  int jobs = 2;
  bool keeps_busy = false;
};

}   // namespace tile::testing
