// SPDX-License-Identifier: MIT
// How long launches of a program without a compiler hold their caller up: products of 1,000 numbers of rows,
// with code from the pack inside.
//
//   packed_launches [--unchecked]     --unchecked: the driver is a stub, which computes nothing
#include "runtime/bench/samples.h"

#include <tile/buffer.h>
#include <tile/cuda_device.h>
#include <tile/gemm.h>
#include <tile/packs.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace tile;

namespace {

constexpr int most_rows = 4096, extent = 4096, launches = 1000;
constexpr double limit = 100;          // microseconds that a launch may take
constexpr unsigned char byte = 0x3C;   // in both bytes of an element

double microseconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
}

void check(Device &device, const Buffer<bf16> &c, int rows) {
  const auto value = static_cast<float>(bf16::from_bits(byte << 8 | byte));
  const float expected = extent * value * value;
  std::vector<bf16> row(extent);
  device.copy_out(row.data(), c.data() + std::size_t(rows - 1) * extent, row.size() * sizeof(row[0]));
  for (const bf16 &element : row)
    if (!(std::abs(static_cast<float>(element) - expected) <= expected / 100))
      throw Error("the result of " + std::to_string(rows) + " rows is wrong: " +
                      std::to_string(static_cast<float>(element)) + " for " + std::to_string(expected),
                  {});
}

void run(bool checked) {
  const std::unique_ptr<Device> device = open_cuda();
  const auto begin = std::chrono::steady_clock::now();
  const std::size_t entries = tile::kernels::gemm_kernel<bf16, bf16>.prepare(*device);
  std::printf("prepared %zu entries in %.1f ms\n", entries, microseconds_since(begin) / 1000);
  Buffer<bf16> a(*device, std::size_t{most_rows} * extent, "a"),
      b(*device, std::size_t{extent} * extent, "b"), c(*device, std::size_t{most_rows} * extent, "c");
  a.fill_bytes(byte);
  b.fill_bytes(byte);
  std::mt19937 random(1);
  std::vector<double> times;
  std::string slow;
  for (int i = 0; i < launches; ++i) {
    const int rows = i == 0 ? 1 : static_cast<int>(random() % most_rows) + 1;
    if (checked)
      c.fill_bytes(0xFF);   // NaN
    device->synchronize();
    const auto start = std::chrono::steady_clock::now();
    tile::kernels::gemm(*device, MatrixView(a.data(), rows, extent), MatrixView(b.data(), extent, extent),
                        MatrixView(c.data(), rows, extent));
    times.push_back(microseconds_since(start));
    if (times.back() > limit)
      slow += " " + std::to_string(rows);
    device->synchronize();
    if (checked)
      check(*device, c, rows);
  }
  const double first = times.front();
  std::ranges::sort(times);
  std::printf(
      "%d launches with rows from 1 to %d, n = k = %d: the first %.1f us, median %.1f, 99 of 100 below "
      "%.1f, at most %.1f us; above %.0f us with these rows:%s\n",
      launches, most_rows, extent, first, bench::summarise(times).median, times[launches * 99 / 100],
      times.back(), limit, slow.empty() ? " none" : slow.c_str());
}

}   // namespace

int main(int argc, char **argv) {
  try {
    run(argc < 2 || std::strcmp(argv[1], "--unchecked") != 0);
    return 0;
  } catch (const Error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
