// SPDX-License-Identifier: MIT
// Many kernels in one process, and kernels that take turns: what runs them is the device's.
#include "corpus.h"

#include <gtest/gtest.h>

#include <fstream>

namespace tile::simulator {
namespace {

const Target sm_90 = *Target::parse("sm_90");

std::size_t mappings() {
  std::ifstream maps("/proc/self/maps");
  std::size_t lines = 0;
  for (std::string line; std::getline(maps, line);)
    ++lines;
  return lines;
}

struct Wide {
  int rows = 256;
  Launch launch{.num_warps = 8};
};
void one(Ptr<f32> x, const Wide &cfg) {
  auto i = arange(0, cfg.rows);
  store(x + i, cast<f32>(i));
}

// More than a process has mappings for, if each kernel kept stacks.
TEST(LoadedKernels, ThousandsRunInOneProcess) {
  static const Kernel<&one> kernel{.name = "one", .grid = [](auto &, auto...) { return Grid{1}; }};
  const auto program = compileForHost(kernel.trace(Wide{}), sm_90);
  const std::unique_ptr<Device> device = open_simulator({.threads = 2});
  const std::size_t bytes = 256 * sizeof(float), before = mappings();
  auto *x = static_cast<float *>(device->allocate(bytes, "x"));
  const Argument argument{.type = element_type<f32>.pointer_to(), .bits = reinterpret_cast<std::uint64_t>(x)};
  std::vector<std::unique_ptr<Executable>> loaded;
  for (int i = 0; i < 5000; ++i) {
    loaded.push_back(loadProgram(*device, program));
    device->fill(x, 0xFF, bytes);
    loaded.back()->launch(Grid{2}, {&argument, 1});
    ASSERT_EQ(x[255], 255.0f) << i;
  }
  EXPECT_LT(mappings(), before + 2000);
  loaded.front()->launch(Grid{2}, {&argument, 1});
  device->release(x);
}

// One has barriers of some threads, the other of all: they use the same shared memory, each with shadows of
// its own.
TEST(LoadedKernels, TakeTurnsOnOneDevice) {
  std::vector<Case> cases = corpus();
  const std::unique_ptr<Device> device = open_simulator({.threads = 1});
  std::vector<std::unique_ptr<Executable>> loaded;
  std::vector<std::vector<Argument>> arguments(cases.size());
  std::vector<void *> results(cases.size());
  std::vector<std::vector<std::byte>> expected;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case &c = cases[i];
    const auto program = compileForHost(c.kernel, *Target::parse(c.target));
    expected.push_back(run(c, *program, {}));
    loaded.push_back(loadProgram(*device, program));
    std::size_t next = 0;
    for (const Parameter &parameter : c.kernel.parameters()) {
      std::uint64_t bits = static_cast<std::uint64_t>(c.number);
      if (parameter.type.is_pointer()) {
        const auto &buffer = c.buffers[next++];
        results[i] = device->allocate(buffer.size(), parameter.name);
        device->copy_in(results[i], buffer.data(), buffer.size());
        bits = reinterpret_cast<std::uint64_t>(results[i]);
      }
      arguments[i].push_back({.type = parameter.type, .bits = bits});
    }
  }
  for (int round = 0; round < 3; ++round)
    for (std::size_t i = 0; i < cases.size(); ++i) {
      device->fill(results[i], 0, expected[i].size());
      loaded[i]->launch(Grid{cases[i].programs}, arguments[i]);
      std::vector<std::byte> result(expected[i].size());
      device->copy_out(result.data(), results[i], result.size());
      EXPECT_EQ(result, expected[i]) << cases[i].name << ", round " << round;
    }
}

}   // namespace
}   // namespace tile::simulator
