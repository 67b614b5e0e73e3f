// SPDX-License-Identifier: MIT
// Launches what its packs hold, then something that they do not.
#include "axpy.cpp"

#include <tile/devices.h>
#include <tile/gemm.h>
#include <tile/grouped_gemm.h>
#include <tile/packs.h>

#include <cstdio>

int main() {
  try {
    const auto device = open_device("cuda");
    std::printf("%zu kernels loaded\n", prepare(*device));
    constexpr int extent = 256;
    Buffer<f32> x(*device, extent, "x"), y(*device, extent, "y");
    axpy_on(*device, x.data(), y.data(), extent);
    axpy_on(*device, x.data(), y.data(), extent - 1);
    Buffer<f16> a(*device, extent * extent, "a"), b(*device, extent * extent, "b"),
        c(*device, extent * extent, "c");
    const auto square = [](auto &buffer) { return MatrixView(buffer.data(), extent, extent); };
    kernels::gemm(*device, square(a), square(b), square(c));
    kernels::GemmConfig in_two_parts;   // whose sums another kernel adds up
    in_two_parts.block_m = 64;
    in_two_parts.split_k = 2;
    kernels::gemm(*device, square(a), square(b), square(c), {.config = in_two_parts});
    std::printf("%zu entries prepared\n", kernels::gemm_kernel<f16>.prepare(*device));
    const kernels::GroupedProblems<f16, f16> problems(*device, {{square(a), square(b), square(c)}});
    kernels::grouped_gemm(*device, problems);
    std::puts("launched");
    const Buffer<bf16> other(*device, extent * extent, "other");
    Buffer<f32> sums(*device, extent * extent, "sums");
    kernels::gemm(*device, square(other), square(other), square(sums));
  } catch (const Error &error) {
    std::printf("%s: %s\n", name_of(error.code()).data(), error.what());
  }
}
