// SPDX-License-Identifier: MIT
// Activations of one's own in shipped products, as README.md and docs/kernels.md show them.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/matmul.h>

#include <cstdio>
#include <vector>

#include <tile/gemm.h>
using namespace tile;

Tensor<f32> squared_relu(const Tensor<f32> &x) { return where(x > 0, x * x, 0.0f); }

void layer(Device &device, const Buffer<f16> &x, const Buffer<f16> &w, Buffer<f16> &y, int m, int n, int k) {
  kernels::gemm<squared_relu>(device, MatrixView(x, m, k), MatrixView(w, k, n), MatrixView(y, m, n));
}

Tensor<f32> squared(const Tensor<f32> &x) { return x * x; }

void product(Device &device, MatrixView<const f16> a, MatrixView<const f16> b, MatrixView<f32> c) {
  kernels::matmul<squared>(device, a, b, c);
}

int main() {
  auto device = open_device();
  const int m = 20, n = 16, k = 24;
  std::vector<f16> weights(k * n);
  for (int i = 0; i < k * n; ++i)
    weights[i] = f16(i % n < n / 2 ? 0.5f : -0.5f);   // the left half of the products is positive
  Buffer<f16> x(*device, std::vector<f16>(m * k, f16(0.5f)), "x"), w(*device, weights, "w"),
      y(*device, m * n, "y");
  Buffer<f32> c(*device, m * n, "c");
  layer(*device, x, w, y, m, n, k);
  product(*device, MatrixView(x, m, k), MatrixView(w, k, n), MatrixView(c, m, n));

  int wrong = 0;
  const std::vector<f16> by_layer = y.to_host();
  const std::vector<f32> by_product = c.to_host();
  for (int i = 0; i < m * n; ++i) {
    wrong += static_cast<float>(by_layer[i]) != (i % n < n / 2 ? 36 : 0);
    wrong += by_product[i] != 36;
  }
  std::printf("activations: %d elements wrong, %s\n", wrong, wrong ? "WRONG" : "correct");
  return wrong ? 1 : 0;
}
