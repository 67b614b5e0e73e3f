// SPDX-License-Identifier: MIT
// How fast the kernels run: CUDA graphs of launches over rotating inputs of random numbers, larger together
// than the L2 cache. usage: kernel_speed [m n k]
#include "compiler/devices/cuda_device.h"
#include "kernels/layer_norm.h"
#include "kernels/matmul.h"
#include "kernels/softmax.h"
#include "kernels/vector_add.h"
#include "runtime/cuda/device.h"

#include <tile/buffer.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

using namespace tile;
using namespace tile::kernels;

namespace {

constexpr int Rounds = 7;

// Median time of one launch, in milliseconds. `launch(i)` queues launch i.
template <class Launch> double time(cuda::CudaDevice &device, int launches, Launch &&launch) {
  for (int i = 0; i < 3; ++i)
    launch(i);
  device.synchronize();
  cuda::RecordedGraph graph(device.context(), device.stream(), [&] {
    for (int i = 0; i < launches; ++i)
      launch(i);
  });
  cuda::TimedEvent start(device.context()), end(device.context());
  std::vector<double> times;
  for (int round = 0; round < Rounds; ++round) {
    start.record(device.stream());
    graph.replay(device.stream());
    end.record(device.stream());
    times.push_back(end.millisecondsSince(start) / launches);
  }
  std::nth_element(times.begin(), times.begin() + Rounds / 2, times.end());
  return times[Rounds / 2];
}

template <class T> std::vector<T> random_values(std::size_t n) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> some(1 << 20);
  for (float &x : some)
    x = normal(random);
  std::vector<T> v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = static_cast<T>(some[i % some.size()]);
  return v;
}

void matmuls(cuda::CudaDevice &device, int m, int n, int k) {
  constexpr int Sets = 4;
  std::vector<Buffer<f16>> as, bs, cs;
  for (int i = 0; i < Sets; ++i) {
    as.emplace_back(device, random_values<f16>(static_cast<std::size_t>(m) * static_cast<std::size_t>(k)));
    bs.emplace_back(device, random_values<f16>(static_cast<std::size_t>(k) * static_cast<std::size_t>(n)));
    cs.emplace_back(device, static_cast<std::size_t>(m) * static_cast<std::size_t>(n));
  }
  for (MatmulForm form : {MatmulForm::mask, MatmulForm::wrap})
    for (auto [bm, bn, bk, warps] : {std::tuple{128, 128, 32, 4},
                                     {128, 128, 64, 4},
                                     {128, 128, 64, 8},
                                     {128, 256, 32, 8},
                                     {128, 256, 64, 8},
                                     {256, 128, 32, 8},
                                     {256, 128, 64, 8}})
      for (int stages : {3, 4}) {
        MatmulConfig config{.form = form,
                            .block_m = bm,
                            .block_n = bn,
                            .block_k = bk,
                            .launch = {.num_warps = warps, .num_stages = stages}};
        try {
          double ms = time(device, 8, [&](int i) {
            std::size_t at = static_cast<std::size_t>(i % Sets);
            matmul_kernel<f16>.with(config)(device, as[at], bs[at], cs[at], m, n, k, std::int64_t(k),
                                            std::int64_t(1), std::int64_t(n), std::int64_t(1),
                                            std::int64_t(n), std::int64_t(1));
          });
          std::printf("matmul f16 %dx%dx%d form %s %dx%dx%d warps %d stages %d: %.3f ms %.0f TFLOPS\n", m, n,
                      k, form == MatmulForm::mask ? "mask" : "wrap", bm, bn, bk, warps, stages, ms,
                      2e-9 * m * n * k / ms);
        } catch (const Error &e) {
          std::printf("%dx%dx%d warps %d stages %d: %s\n", bm, bn, bk, warps, stages, e.what());
        }
        std::fflush(stdout);
      }
}

void rows(cuda::CudaDevice &device) {
  constexpr int M = 8192, N = 4096, Sets = 4;
  std::vector<Buffer<f16>> xs, ys;
  for (int i = 0; i < Sets; ++i) {
    xs.emplace_back(device, random_values<f16>(std::size_t(M) * N));
    ys.emplace_back(device, std::size_t(M) * N);
  }
  auto bytes = 2.0 * 2 * M * N;
  auto x = [&](std::size_t at) { return MatrixView<const f16>(xs[at].data(), M, N); };
  auto y = [&](std::size_t at) { return MatrixView<f16>(ys[at].data(), M, N); };
  double ms;
  for (int warps : {4, 8, 16}) {
    SoftmaxConfig softmaxConfig{.block = N, .whole_row = true, .launch = {.num_warps = warps}};
    ms = time(device, 20, [&](int i) {
      std::size_t at = static_cast<std::size_t>(i % Sets);
      softmax(device, x(at), y(at), {.config = softmaxConfig});
    });
    std::printf("softmax f16 %dx%d warps %d: %.4f ms %.2f TB/s\n", M, N, warps, ms, bytes / ms * 1e-9);
    LayerNormConfig normConfig{.block = N, .whole_row = true, .launch = {.num_warps = warps}};
    ms = time(device, 20, [&](int i) {
      std::size_t at = static_cast<std::size_t>(i % Sets);
      layer_norm(device, x(at), VectorView<const f16>(xs[0].data(), N),
                 VectorView<const f16>(xs[1].data(), N), y(at), {.config = normConfig});
    });
    std::printf("layer_norm f16 %dx%d warps %d: %.4f ms %.2f TB/s\n", M, N, warps, ms, bytes / ms * 1e-9);
  }
  ms = time(device, 20, [&](int i) {
    std::size_t at = static_cast<std::size_t>(i % Sets), next = (at + 1) % Sets;
    vector_add(device, VectorView<const f16>(xs[at].data(), M * N),
               VectorView<const f16>(xs[next].data(), M * N), VectorView<f16>(ys[at].data(), M * N));
  });
  std::printf("vector_add f16 %d: %.4f ms %.2f TB/s\n", M * N, ms, 1.5 * bytes / ms * 1e-9);
}

}   // namespace

int main(int argc, char **argv) {
  try {
    std::unique_ptr<Device> opened = open_cuda();
    auto &device = static_cast<cuda::CudaDevice &>(*opened);
    std::printf("%s\n", device.description().c_str());
    int m = 4096, n = 4096, k = 4096;
    if (argc == 4)
      m = std::atoi(argv[1]), n = std::atoi(argv[2]), k = std::atoi(argv[3]);
    rows(device);
    matmuls(device, m, n, k);
  } catch (const Error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
