// SPDX-License-Identifier: MIT
// The parts of host code that docs/language.md shows: around a launch, buffers and devices, streams. The
// program checks what each of them computes.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/dsl.h>
#include <tile/launch_stream.h>
#include <tile/workspace.h>

#include <cstdio>
#include <vector>

using namespace tile;

struct SumConfig {
  int block = 256;
};

void add_up_kernel(Ptr<const f32> sums, Ptr<f32> y, Int count, const SumConfig &cfg) {
  auto acc = zeros<f32>({cfg.block});
  for (auto begin : range(0, count, cfg.block)) {
    auto i = begin + arange(0, cfg.block);
    acc += load(sums + i, i < count);
  }
  store(y, sum(acc, 0));
}
const Kernel<&add_up_kernel> add_up{.name = "add_up", .grid = [](auto...) { return Grid{1}; }};

void sum_kernel(Ptr<const f32> x, Ptr<f32> sums, Ptr<f32> /*y*/, Int n, const SumConfig &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(sums + program_id(0), sum(load(x + i, i < n), 0));
}
const Kernel<&sum_kernel> sum_of{
    .name = "sum_of",
    .parameters = {"x", "sums", "y", "n"},
    .grid = [](auto &cfg, auto, auto, auto, int n) { return Grid{cdiv(n, cfg.block)}; },
    .around =
        [](auto &cfg, OnDevice on, auto &launch, const f32 *x, f32 *, f32 *y, int n) {
          const Workspace<f32> partial(on.device, cdiv(n, cfg.block));   // callers pass nullptr
          launch(x, partial.data(), y, n);                               // this kernel
          add_up(on, partial.data(), y, cdiv(n, cfg.block));             // another one
        },
};

template <class From> void halve_kernel(Ptr<const From> x, Ptr<f32> y, Int n, const SumConfig &cfg) {
  auto i = program_id(0) * cfg.block + arange(0, cfg.block);
  store(y + i, cast<f32>(load(x + i, i < n)) * 0.5f, i < n);
}
template <class From>
const Kernel<&halve_kernel<From>> halve{
    .name = "halve",
    .grid = [](auto &cfg, auto, auto, int n) { return Grid{cdiv(n, cfg.block)}; },
};

std::vector<f32> from_host(const std::vector<f16> &values, int n) {
  const auto &kernel = halve<f16>;
  auto device = open_device();           // or open_device("interpreter"), or "cuda:1": the second GPU
  Buffer<f16> x(*device, values, "x");   // from a std::vector or std::span; the name appears in reports
  Buffer<f32> y(*device, n, "y");        // n elements, not initialised
  kernel(*device, x, y, n);
  device->synchronize();
  std::vector<f32> result = y.to_host();
  return result;
}

std::vector<f32> on_a_stream(Device *device, const std::vector<f32> &values, int n) {
  const auto &kernel = halve<f32>;
  Buffer<f32> x(*device, values, "x"), y(*device, n, "y"), z(*device, n, "z");
  Stream stream(*device);              // or Stream::wrap(*device, a_cuda_stream), which stays its maker's
  kernel(OnStream(stream), x, y, n);   // this launch, queued on the stream
  {
    OnStream all(stream);   // all that this thread does on the device, to the end of the block
    kernel(*device, y, z, n);
  }
  stream.synchronize();   // device->synchronize() waits for the device's own stream
  return z.to_host();
}

int main() {
  auto device = open_device();
  const int n = 1000;
  Buffer<f32> x(*device, std::vector<f32>(n, 3), "x"), total(*device, 1, "total");
  sum_of(*device, x, nullptr, total, n);
  int wrong = total.to_host()[0] != 3000;
  wrong += from_host(std::vector<f16>(n, f16(5.0f)), n) != std::vector<f32>(n, 2.5f);
  wrong += on_a_stream(device.get(), std::vector<f32>(n, 8), n) != std::vector<f32>(n, 2);
  std::printf("the parts of host code: %d wrong, %s\n", wrong, wrong ? "WRONG" : "correct");
  return wrong ? 1 : 0;
}
