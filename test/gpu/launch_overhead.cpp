// SPDX-License-Identifier: MIT
// Host time of one launch with twelve arguments: ours, and the driver's call alone, in turn.
#include "runtime/cuda/device.h"
#include "vector_add_ptx.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace tile;
using namespace tile::cuda;

int main() {
  try {
    CudaDevice device;
    Artefact artefact{"twelve", assemble(*device.context(), TwelveArgumentsPtx, "twelve").image, 128, 0, {}};
    for (unsigned i = 0; i < 12; ++i)
      artefact.parameters.push_back(i);
    CudaExecutable executable(device, artefact);
    Argument arguments[12] = {};
    void *raw[12];
    for (int i = 0; i < 12; ++i)
      raw[i] = &arguments[i].bits;
    const Driver &driver = Driver::get();
    Current current(*device.context());

    constexpr int Rounds = 101, Launches = 100;
    auto time = [&](auto &&launch) {
      auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < Launches; ++i)
        launch();
      double us = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
      device.synchronize();
      return us / Launches;
    };
    std::vector<double> ours, drivers;
    for (int round = 0; round < Rounds; ++round) {
      ours.push_back(time([&] { executable.launch({1, 1, 1}, arguments); }));
      drivers.push_back(time([&] {
        driver.launchKernel(executable.kernel().function(), 1, 1, 1, 128, 1, 1, 0, device.stream(), raw,
                            nullptr);
      }));
    }
    auto median = [](std::vector<double> &v) {
      std::nth_element(v.begin(), v.begin() + Rounds / 2, v.end());
      return v[Rounds / 2];
    };
    std::printf(
        "%s\nlaunch of 12 arguments, median of %d x %d: Executable::launch %.2f us, cuLaunchKernel %.2f us\n",
        device.description().c_str(), Rounds, Launches, median(ours), median(drivers));
  } catch (const Error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
