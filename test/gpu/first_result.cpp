// SPDX-License-Identifier: MIT
// How long a program takes from its start to the first result of a tuned GEMM, the driver's initialisation
// left out: what a user waits for whose kernels are in the cache. It starts itself again and again, for the
// clock is to run before anything of the program is loaded.
//
//   first_result [--unchecked] [RUNS]     --unchecked: the driver is a stub, which computes nothing
#include "compiler/api/compiler.h"
#include "runtime/bench/samples.h"
#include "runtime/cuda/context.h"
#include "runtime/process.h"

#include <tile/buffer.h>
#include <tile/cuda_device.h>
#include <tile/gemm.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iterator>
#include <numeric>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

using namespace tile;

namespace {

constexpr int extent = 4096;
constexpr std::array stages{"process start to main()", "device", "memory", "GEMM: trace, find, load, launch",
                            "result"};
constexpr int limit_seconds = 120;

// Since the machine was started, for this process and its parent alike.
double milliseconds() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::milli>(now).count();
}

// One program like a user's. Prints the times of its stages, of the driver's initialisation, and whether the
// compiler was loaded.
int run(double start, bool checked) {
  std::vector<double> times{milliseconds() - start};
  double last = milliseconds();
  const auto lap = [&] {
    const double now = milliseconds();
    return now - std::exchange(last, now);
  };
  // The context is the process's: the device below finds it made.
  const cuda::PrimaryContext context(0);
  const double driver = lap();
  const std::unique_ptr<Device> device = open_cuda();
  times.push_back(lap());
  const std::size_t count = std::size_t{extent} * extent;
  Buffer<bf16> a(*device, count, "a"), b(*device, count, "b"), c(*device, count, "c");
  constexpr unsigned char byte = 0x3C;   // in both bytes of an element
  a.fill_bytes(byte);
  b.fill_bytes(byte);
  c.fill_bytes(0xFF);   // NaN
  times.push_back(lap());
  const auto square = [](auto &buffer) { return MatrixView(buffer.data(), extent, extent); };
  kernels::gemm(*device, square(a), square(b), square(c));
  times.push_back(lap());
  std::vector<bf16> row(extent);
  device->copy_out(row.data(), c.data(), row.size() * sizeof(row[0]));
  times.push_back(lap());

  const auto value = static_cast<float>(bf16::from_bits(byte << 8 | byte));
  const float expected = extent * value * value;
  for (const bf16 &element : row)
    if (checked && !(std::abs(static_cast<float>(element) - expected) <= expected / 100))
      throw Error("the result is wrong: " + std::to_string(static_cast<float>(element)) + " for " +
                      std::to_string(expected),
                  {});
  for (const double time : times)
    std::printf("%.3f ", time);
  std::printf("%.3f %d\n", driver, compiler_is_loaded() ? 1 : 0);
  return 0;
}

struct Times {
  std::vector<double> stages;
  double driver = 0;
  bool compiled = false;
  double sum() const { return std::accumulate(stages.begin(), stages.end(), 0.0); }
};

Times started(bool checked) {
  const Ran ran = run_program(
      {"/proc/self/exe", "--started", std::to_string(milliseconds()), checked ? "checked" : "unchecked"},
      limit_seconds);
  if (!ran.succeeded())
    throw Error("the program " + ran.how() + ": " + ran.err, {});
  std::istringstream words(ran.out);
  std::vector<double> numbers{std::istream_iterator<double>(words), {}};
  if (numbers.size() != stages.size() + 2)
    throw Error("the program prints something else than its times: " + ran.out, {});
  const bool compiled = numbers.back() != 0;
  numbers.pop_back();
  const double driver = numbers.back();
  numbers.pop_back();
  return {std::move(numbers), driver, compiled};
}

template <class Get> double median(const std::vector<Times> &all, Get get) {
  std::vector<double> values;
  for (const Times &times : all)
    values.push_back(std::invoke(get, times));
  return bench::summarise(values).median;
}

int measure(int runs, bool checked) {
  const Times first = started(checked);
  std::printf("first start: %.1f ms and %.1f of the driver's initialisation; it %s\n", first.sum(),
              first.driver, first.compiled ? "compiled" : "found the kernel in the cache");
  std::vector<Times> all;
  while (static_cast<int>(all.size()) < runs)
    all.push_back(started(checked));
  for (std::size_t i = 0; i < stages.size(); ++i)
    std::printf("  %-34s %8.2f ms\n", stages[i], median(all, [&](const Times &t) { return t.stages[i]; }));
  const auto compiled = std::ranges::count_if(all, &Times::compiled);
  std::printf("first result of a %d x %d x %d GEMM: %.2f ms, median of %d starts, and %.1f of the driver's "
              "initialisation; the compiler was loaded in %d\n",
              extent, extent, extent, median(all, &Times::sum), runs, median(all, &Times::driver),
              static_cast<int>(compiled));
  return compiled ? 1 : 0;
}

// 0 if the text is not a number.
int number_in(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

}   // namespace

int main(int argc, char **argv) {
  try {
    if (argc == 4 && std::strcmp(argv[1], "--started") == 0)
      return run(std::stod(argv[2]), std::strcmp(argv[3], "checked") == 0);
    const bool checked = argc < 2 || std::strcmp(argv[1], "--unchecked") != 0;
    const int number = checked ? 1 : 2;
    const int runs = argc > number ? number_in(argv[number]) : 20;
    if (runs < 1 || argc > number + 1) {
      std::fputs("usage: first_result [--unchecked] [RUNS]\n", stderr);
      return 2;
    }
    return measure(runs, checked);
  } catch (const Error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
