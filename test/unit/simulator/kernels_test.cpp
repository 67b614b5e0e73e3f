// SPDX-License-Identifier: MIT
// Lowered kernels give what a loop on the host gives.
#include "corpus.h"

#include <gtest/gtest.h>

namespace tile::simulator {
namespace {

template <class T> T at(const std::vector<std::byte> &bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

TEST(SimulatedKernels, MultiplyMatricesOnEveryTarget) {
  const Case c = product_case<f16, f32>("product", {}, 160);
  for (const char *target : {"sm_80", "sm_90", "sm_120"}) {
    const std::vector<std::byte> result = run(c, *compileForHost(c.kernel, *Target::parse(target)), {});
    for (std::size_t i = 0; i < 32; ++i)
      for (std::size_t j = 0; j < 32; ++j) {
        float sum = 0;
        for (std::size_t k = 0; k < 160; ++k)
          sum += static_cast<float>(at<f16>(c.buffers[0], i * 160 + k)) *
                 static_cast<float>(at<f16>(c.buffers[1], k * 32 + j));
        ASSERT_EQ(at<float>(result, i * 32 + j), sum) << target << " " << i << " " << j;
      }
  }
}

TEST(SimulatedKernels, Scan) {
  const Case c = tile_case<&running, i32>("running", {.rows = 16});
  const std::vector<std::byte> result = run(c, *compileForHost(c.kernel, *Target::parse("sm_90")), {});
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < 16 * 32; ++i)
    ASSERT_EQ(at<std::int32_t>(result, i), sum += at<std::int32_t>(c.buffers[0], i)) << i;
}

// The code of a kernel may call functions of C and of the driver, which have the names that they have.
struct Names {
  int n = 64;
};
void prints_and_divides(Ptr<f32> x, Float by, const Names &cfg) {
  auto i = arange(0, cfg.n);
  print("first", by);
  store(x + i, load(x + i) % by);
}
TEST(SimulatedKernels, MayBeCalledLikeAFunctionOfC) {
  for (const char *name :
       {"vprintf", "fmodf", "memcpy", "llvm.exp2.f32", "tile_sim_pause", "main", "0", "a b<c>", "\u00e9"}) {
    const Kernel<&prints_and_divides> kernel{.name = name, .grid = [](auto &, auto...) { return Grid{}; }};
    std::string printed;
    SimulatorOptions printing;
    printing.print = [&](std::string_view line) { printed += line; };
    auto device = open_simulator(printing);
    Buffer<f32> x(*device, std::vector<f32>(64, 7.5f));
    kernel(*device, x, 2.0f);
    EXPECT_EQ(x.to_host(), std::vector<f32>(64, 1.5f)) << name;
    EXPECT_NE(printed.find("first"), printed.npos) << name;
  }
}

}   // namespace
}   // namespace tile::simulator
