// SPDX-License-Identifier: MIT
// Whether rows have the same bits alone and among others, where that is asked for; and what that costs.
#include <tile/attention.h>
#include <tile/cuda_device.h>
#include <tile/gemm.h>
#include <tile/grouped_gemm.h>
#include <tile/layer_norm.h>
#include <tile/softmax.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>

using namespace tile;
using namespace tile::kernels;

namespace {

int different = 0;

template <class T> std::vector<T> uneven(std::int64_t count, std::uint32_t seed) {
  std::vector<T> all;
  for (std::int64_t i = 0; i < count; ++i) {
    seed = seed * 1664525 + 1013904223;
    all.push_back(T(std::ldexp(static_cast<float>(seed >> 9) / (1 << 22) - 1, static_cast<int>(seed % 5))));
  }
  return all;
}

// The first rows of a result of so many.
template <class T> using RowsOf = std::function<void(std::int64_t m)>;
template <class T>
void compare(const char *what, const Buffer<T> &result, std::int64_t cols, std::int64_t most,
             const RowsOf<T> &compute) {
  compute(most);
  const std::vector<T> all = result.to_host();
  int wrong = 0;
  for (std::int64_t m = 1; m <= most; m += m < 40 ? 1 : 37) {
    compute(m);
    const std::vector<T> some = result.to_host();
    wrong += std::memcmp(some.data(), all.data(), static_cast<std::size_t>(m * cols) * sizeof(T)) != 0;
  }
  std::printf("%-58s %s\n", what, wrong ? "DIFFERENT BITS" : "the same bits");
  different += wrong;
}

double seconds_of(Device &device, const std::function<void()> &launch) {
  launch();
  device.synchronize();
  double best = 1;
  for (int round = 0; round < 9; ++round) {
    constexpr int count = 50;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i)
      launch();
    device.synchronize();
    best = std::min(best,
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / count);
  }
  return best;
}

template <class T> void products(Device &device, const char *type) {
  constexpr std::int64_t most = 512, n = 4096;
  for (const std::int64_t k : {4096, 4088, 1001}) {
    Buffer<T> a(device, uneven<T>(most * k, 1)), b(device, uneven<T>(k * n, 2)), c(device, most * n);
    for (const bool by_columns : {false, true}) {
      const MatrixView<T> y = by_columns ? MatrixView(b, n, k).transposed() : MatrixView(b, k, n);
      const auto product = [&](std::int64_t m, Numerics numerics) {
        gemm(device, MatrixView(a, m, k), y, MatrixView(c, m, n), {.numerics = numerics});
      };
      const std::string what = std::string("gemm ") + type + (by_columns ? " nt" : " nn") + ", n 4096, k " +
                               std::to_string(k) + ", 1 to 512 rows";
      compare<T>(what.c_str(), c, n, most, [&](std::int64_t m) { product(m, Numerics::batch_invariant); });
      if (k == 4096)
        for (const std::int64_t m : {1, 16, 64, 256, 512})
          std::printf("    %3d rows: any %6.1f us, batch_invariant %6.1f us\n", int(m),
                      1e6 * seconds_of(device, [&] { product(m, Numerics::any); }),
                      1e6 * seconds_of(device, [&] { product(m, Numerics::batch_invariant); }));
    }
    if (k == 1001)
      continue;
    const auto grouped = [&](std::int64_t m) {
      const MatrixView x(a, most, k), y(b, k, n), z(c, most, n);
      std::vector<typename GroupedProblems<T, T>::Problem> problems{
          {x.block(0, 0, m, k), y, z.block(0, 0, m, n)}};
      if (m < most)   // others in the same launch
        problems.push_back({x.block(m, 0, most - m, k), y, z.block(m, 0, most - m, n)});
      grouped_gemm(device, GroupedProblems<T, T>(device, problems), {.numerics = Numerics::batch_invariant});
    };
    compare<T>((std::string("grouped_gemm ") + type + ", k " + std::to_string(k)).c_str(), c, n, most,
               grouped);
  }
}

template <class T> void rows(Device &device, const char *type) {
  for (const std::int64_t cols : {100, 1024, 5000, 20000}) {
    constexpr std::int64_t most = 512;
    Buffer<T> x(device, uneven<T>(most * cols, 3)), w(device, uneven<T>(cols, 4)), y(device, most * cols);
    const std::string of = std::string(" ") + type + " of " + std::to_string(cols);
    const auto softmax_of = [&](std::int64_t m, Numerics numerics) {
      softmax(device, MatrixView(x, m, cols), MatrixView(y, m, cols), {.numerics = numerics});
    };
    compare<T>(("softmax" + of).c_str(), y, cols, most,
               [&](std::int64_t m) { softmax_of(m, Numerics::batch_invariant); });
    compare<T>(("layer_norm" + of).c_str(), y, cols, most, [&](std::int64_t m) {
      layer_norm(device, MatrixView(x, m, cols), VectorView<T>(w), VectorView<T>(w), MatrixView(y, m, cols),
                 {.numerics = Numerics::batch_invariant});
    });
    std::printf("    512 rows of softmax: any %.1f us, batch_invariant %.1f us\n",
                1e6 * seconds_of(device, [&] { softmax_of(512, Numerics::any); }),
                1e6 * seconds_of(device, [&] { softmax_of(512, Numerics::batch_invariant); }));
  }
}

template <class T> void attentions(Device &device, const char *type) {
  constexpr std::int64_t most = 512, keys = 2048, heads = 8, length = 128;
  Buffer<T> q(device, uneven<T>(heads * most * length, 5)), k(device, uneven<T>(heads * keys * length, 6)),
      v(device, uneven<T>(heads * keys * length, 7)), o(device, heads * most * length);
  const auto view = [](const Buffer<T> &of, std::int64_t count, std::int64_t rows) {
    return TensorView<T, 3>(of.data(), {count, rows, length}, {rows * length, length, 1});
  };
  const auto attention_of = [&](std::int64_t count, std::int64_t m, Numerics numerics) {
    attention(device, view(q, count, m), view(k, count, keys), view(v, count, keys), view(o, count, m),
              {.numerics = numerics});
  };
  compare<T>((std::string("attention ") + type + " of one head, 1 to 512 queries").c_str(), o, length, most,
             [&](std::int64_t m) { attention_of(m == most ? heads : 1, m, Numerics::batch_invariant); });
  std::printf("    8 heads of 512: any %.1f us, batch_invariant %.1f us\n",
              1e6 * seconds_of(device, [&] { attention_of(heads, most, Numerics::any); }),
              1e6 * seconds_of(device, [&] { attention_of(heads, most, Numerics::batch_invariant); }));
}

// Every config that batch_invariant may take, for the same product.
template <class T> void configs(Device &device, const char *type) {
  constexpr std::int64_t m = 256, n = 512, k = 4096;
  Buffer<T> a(device, uneven<T>(m * k, 1)), b(device, uneven<T>(k * n, 2)), c(device, m * n);
  for (const bool by_columns : {false, true}) {
    const MatrixView<T> y = by_columns ? MatrixView(b, n, k).transposed() : MatrixView(b, k, n);
    std::vector<T> expected;
    int count = 0, wrong = 0;
    for (const GemmConfig &config :
         kernels::detail::with_numerics<gemm_kernel<T>>(Numerics::batch_invariant).configs) {
      if (config.a != StoredBy::rows || config.b != (by_columns ? StoredBy::columns : StoredBy::rows))
        continue;
      try {
        gemm(device, MatrixView(a, m, k), y, MatrixView(c, m, n), {.config = config});
      } catch (const Error &) {   // needs more than the GPU has
        continue;
      }
      const std::vector<T> now = c.to_host();
      if (expected.empty())
        expected = now;
      ++count;
      wrong += std::memcmp(now.data(), expected.data(), now.size() * sizeof(T)) != 0;
    }
    std::printf("%d configs of gemm %s %s: %d with other bits than the first\n", count, type,
                by_columns ? "nt" : "nn", wrong);
    different += wrong;
  }
}

}   // namespace

int main() try {
  const std::unique_ptr<Device> device = open_cuda();
  std::printf("%s\n", device->description().c_str());
  configs<f16>(*device, "f16");
  configs<bf16>(*device, "bf16");
  products<f16>(*device, "f16");
  products<bf16>(*device, "bf16");
  rows<f16>(*device, "f16");
  rows<bf16>(*device, "bf16");
  attentions<f16>(*device, "f16");
  attentions<bf16>(*device, "bf16");
  return different == 0 ? 0 : 1;
} catch (const Error &error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
