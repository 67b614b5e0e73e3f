// SPDX-License-Identifier: MIT
// How long a kernel takes from its C++ call to a loaded module, cold: the first in the process.
// usage: compile_speed vector_add | matmul | gemm | sweep
#include <tile/cuda_device.h>
#include <tile/gemm.h>
#include <tile/matmul.h>
#include <tile/vector_add.h>

#include <tile/buffer.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

using namespace tile;
using namespace tile::kernels;

namespace {

constexpr auto Multiple = ArgClass::divisible_by_16;

template <class Work> double milliseconds(Work &&work) {
  auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

// Of dense operands that are stored by rows.
const std::vector<ArgClass> product_classes{Multiple, Multiple,      Multiple, Multiple,
                                            Multiple, Multiple,      Multiple, ArgClass::one,
                                            Multiple, ArgClass::one, Multiple, ArgClass::one};

std::unique_ptr<Executable> load_matmul(Device &device, const MatmulConfig &config) {
  return device.load(matmul_kernel<f16>.trace(config, product_classes));
}

// 24 configs of a pipelined matmul, compiled on all cores.
void sweep(Device &device) {
  std::vector<MatmulConfig> configs;
  for (auto [m, n, warps] :
       {std::tuple{128, 128, 4}, {128, 128, 8}, {128, 256, 8}, {256, 128, 8}, {64, 128, 4}, {64, 256, 4}})
    for (int k : {32, 64})
      for (int stages : {2, 3})
        configs.push_back({.form = MatmulForm::mask,
                           .block_m = m,
                           .block_n = n,
                           .block_k = k,
                           .launch = {.num_warps = warps, .num_stages = stages}});
  std::atomic<std::size_t> next = 0;
  double ms = milliseconds([&] {
    std::vector<std::jthread> workers;
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      workers.emplace_back([&] {
        for (std::size_t at; (at = next++) < configs.size();)
          load_matmul(device, configs[at]);
      });
  });
  std::printf("sweep: %zu configs of matmul on %u cores in %.0f ms\n", configs.size(),
              std::thread::hardware_concurrency(), ms);
}

}   // namespace

int main(int argc, char **argv) {
  const std::string what = argc == 2 ? argv[1] : "";
  try {
    std::unique_ptr<Device> device = open_cuda();
    std::unique_ptr<Executable> loaded;
    if (what == "vector_add")
      std::printf("vector_add: %.1f ms\n", milliseconds([&] {
                    loaded = device->load(
                        vector_add_kernel<f16>.trace({}, {Multiple, Multiple, Multiple, Multiple}));
                  }));
    else if (what == "matmul")
      std::printf("matmul 128x256x64, 8 warps, 3 stages: %.1f ms\n", milliseconds([&] {
                    loaded = load_matmul(*device, {.form = MatmulForm::mask, .block_n = 256});
                  }));
    else if (what == "gemm")   // tools/peers/tuning_race.py reads the line
      std::printf("gemm 128x256x64, 8 warps, 4 stages: %.1f ms\n", milliseconds([&] {
                    loaded = device->load(gemm_kernel<bf16>.trace(
                        {.block_n = 256, .launch = {.num_warps = 8, .num_stages = 4}}, product_classes));
                  }));
    else if (what == "sweep")
      sweep(*device);
    else
      throw Error("usage: compile_speed vector_add | matmul | gemm | sweep", {});
  } catch (const Error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
