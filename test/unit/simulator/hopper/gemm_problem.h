// SPDX-License-Identifier: MIT
// Inputs of the GEMM, its launch, and what has to come out: integers, so that all orders of summation agree.
#pragma once

#include "bench.h"
#include "gemm.h"

#include <tile/numeric_float.h>

#include <ctime>

namespace tile::simulator {

struct GemmProblem {
  int m = 128, n = 128, k = 64, ctas = 1;
  bool inPairs = false;

  std::vector<f16> numbers(int count, unsigned seed) const {
    std::vector<f16> values(static_cast<std::size_t>(count));
    for (f16 &x : values) {
      seed = seed * 1664525u + 1013904223u;
      x = static_cast<f16>(static_cast<float>(seed >> 16 & 7) - 3);
    }
    return values;
  }
  std::vector<f16> a() const { return numbers(m * padded(), 1); }
  std::vector<f16> b() const { return numbers(n * padded(), 2); }
  // Rows are multiples of 16 bytes.
  int padded() const { return std::max(8, (k + 7) / 8 * 8); }

  std::vector<float> expected() const {
    const std::vector<f16> left = a(), right = b();
    std::vector<float> x(left.begin(), left.end()), y(right.begin(), right.end()), result;
    const auto pitch = static_cast<std::size_t>(padded()), terms = static_cast<std::size_t>(k);
    for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i)
      for (std::size_t j = 0; j < static_cast<std::size_t>(n); ++j) {
        float sum = 0;
        for (std::size_t l = 0; l < terms; ++l)
          sum += x[i * pitch + l] * y[j * pitch + l];
        result.push_back(sum);
      }
    return result;
  }

  std::vector<float> run(const Program &program, const SimulatorOptions &options,
                         Counters *counters = nullptr, double *seconds = nullptr) const {
    Bench bench(options);
    const f16 *a = bench.buffer(this->a(), "a"), *b = bench.buffer(this->b(), "b");
    float *c = bench.buffer<float>(m * n, "c");
    const auto size = [](int x) { return static_cast<std::uint64_t>(x); };
    // A map has no empty dimension. With k = 0 the kernel takes no step, so the maps of A and B are not used.
    const std::uint64_t sizesA[] = {size(std::max(k, 1)), size(m)},
                        sizesB[] = {size(std::max(k, 1)), size(n)}, sizesC[] = {size(n), size(m)};
    const std::uint64_t pitch[] = {size(2 * padded())}, pitchC[] = {size(4 * n)};
    const std::uint32_t box[] = {64, 128}, half[] = {64, 64}, boxC[] = {128, 64};
    const void *mapA = bench.map({.element = TensorElement::f16,
                                  .address = reinterpret_cast<std::uint64_t>(a),
                                  .sizes = sizesA,
                                  .strides = pitch,
                                  .box = box,
                                  .swizzle = TensorSwizzle::bytes128});
    const void *mapB = bench.map({.element = TensorElement::f16,
                                  .address = reinterpret_cast<std::uint64_t>(b),
                                  .sizes = sizesB,
                                  .strides = pitch,
                                  .box = inPairs ? half : box,
                                  .swizzle = TensorSwizzle::bytes128});
    const void *mapC = bench.map({.element = TensorElement::f32,
                                  .address = reinterpret_cast<std::uint64_t>(c),
                                  .sizes = sizesC,
                                  .strides = pitchC,
                                  .box = boxC});
    const std::clock_t start = std::clock();   // of this process: others may use the machine
    bench.run(program, {mapA, mapB, mapC, (m + 127) / 128, (n + 127) / 128, (k + 63) / 64}, {.x = ctas});
    if (seconds)
      *seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (counters)
      *counters = bench.counters();
    return std::vector<float>(c, c + m * n);
  }
};

// Completion of copies, and of matrix operations: each finds mistakes that another does not.
inline std::vector<SimulatorOptions> policies(std::uint32_t seed = 1) {
  using enum Completion;
  return {{.completion = latest, .matrix_completion = latest, .seed = seed},
          {.completion = eager, .matrix_completion = latest, .seed = seed},
          {.completion = eager, .matrix_completion = eager, .seed = seed},
          {.completion = random, .matrix_completion = random, .seed = seed}};
}

}   // namespace tile::simulator
