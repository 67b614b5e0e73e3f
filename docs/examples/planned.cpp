// SPDX-License-Identifier: MIT
// A server's work, decided before the first request: a product of any number of rows, and a softmax behind
// it.
#include <tile/buffer.h>
#include <tile/devices.h>
#include <tile/gemm_plan.h>
#include <tile/softmax.h>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

using namespace tile;

int main() {
  constexpr std::int64_t most_rows = 40, n = 48, k = 64;
  auto device = open_device();
  kernels::GemmPlan<f16, f32> product(*device, {.most_m = most_rows, .n = n, .k = k});
  product.prepare();   // chooses, compiles and loads for 1 to 40 rows

  Buffer<f16> a(*device, std::vector<f16>(most_rows * k, f16(0.5f)));
  Buffer<f16> b(*device, std::vector<f16>(k * n, f16(0.25f)));
  Buffer<f32> c(*device, most_rows * n), y(*device, most_rows * n);
  auto softmax_of = [&](std::int64_t rows) {
    return [&, rows](OnDevice on) { kernels::softmax(on, MatrixView(c, rows, n), MatrixView(y, rows, n)); };
  };
  LaunchPlan rest(*device);   // any launches, of shipped kernels and of your own
  for (std::int64_t rows = 1; rows <= most_rows; ++rows)
    rest.prepare(softmax_of(rows));   // compiles what the rows before did not need
  Buffer<std::byte> memory(*device, product.workspace_bytes());

  double worst = 0;
  for (std::int64_t rows : {1, 7, 33, 39}) {   // requests
    Status status = product.run(*device, MatrixView(a, rows, k), MatrixView(b, k, n), MatrixView(c, rows, n),
                                {memory.data(), memory.size()});
    if (status.is_ok())
      status = rest.run(*device, softmax_of(rows));
    if (!status.is_ok()) {
      std::fputs(status.text(), stderr);
      return 1;
    }
    const std::vector<f32> sums = c.to_host(), parts = y.to_host();
    for (std::int64_t i = 0; i < rows * n; ++i)
      worst = std::max({worst, std::abs(sums[i] - 0.125 * k), std::abs(parts[i] - 1.0 / n)});
  }
  const Status late =
      rest.run(*device, [&](OnDevice on) { kernels::softmax(on, MatrixView(c, 8, 5), MatrixView(y, 8, 5)); });
  std::printf("largest error %.1e; rows of 5: %s\n", worst,
              late.code() == ErrorCode::not_prepared ? "not prepared" : "prepared");
  return worst < 1e-6 && !late.is_ok() ? 0 : 1;
}
