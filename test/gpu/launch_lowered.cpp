// SPDX-License-Identifier: MIT
// A launch by a program that has no compiler in it: this one links the runtime and the driver layer alone. It
// takes the file that `tile dump vector_add --lowered FILE` writes, for any config, specialised or not.
#include "runtime/cuda/device.h"

#include <tile/buffer.h>

#include <cstdio>
#include <fstream>
#include <iterator>

using namespace tile;

namespace {

std::vector<std::byte> contents(const char *path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(std::string("cannot read ") + path, {});
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto *begin = reinterpret_cast<const std::byte *>(bytes.data());
  return {begin, begin + bytes.size()};
}

Argument argument(const Buffer<float> &buffer, std::size_t offset = 0) {
  return {.type = element_type<float *>, .bits = reinterpret_cast<std::uintptr_t>(buffer.data() + offset)};
}
Argument argument(std::int64_t number) {
  return {.type = element_type<std::int64_t>, .bits = static_cast<std::uint64_t>(number)};
}

// x + y = z on the GPU, with enough programs of any block for all elements.
void add(Device &device, Executable &kernel, const LoweredKernel &lowered, std::int64_t n) {
  std::vector<float> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  const Buffer<float> x(device, values, "x"), y(device, values, "y");
  Buffer<float> z(device, values.size(), "z");
  z.fill_bytes(0xff);
  kernel.launch({n}, std::vector{argument(x), argument(y), argument(z), argument(n)});
  device.synchronize();
  const std::vector<float> sums = z.to_host();
  for (std::size_t i = 0; i < sums.size(); ++i)
    if (sums[i] != 2 * values[i])
      throw Error("element " + std::to_string(i) + " is " + std::to_string(sums[i]), {});
  std::printf("%s: %lld sums are right\n", lowered.title().c_str(), static_cast<long long>(n));

  if (lowered.guards.empty())
    return;
  try {   // an address that is not a multiple of what was promised
    kernel.launch({n}, std::vector{argument(x, 1), argument(y), argument(z), argument(n)});
  } catch (const Error &e) {
    std::printf("refused: %s\n", e.message().c_str());
    return;
  }
  throw Error("a launch that breaks a guard was not refused", {});
}

}   // namespace

int main(int count, char **words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: launch_lowered FILE   (written by `tile dump vector_add --lowered FILE`)\n");
    return 2;
  }
  try {
    const LoweredKernel lowered = LoweredKernel::parse(contents(words[1]));
    cuda::CudaDevice device;
    const std::unique_ptr<Executable> kernel = device.load_lowered(lowered);
    add(device, *kernel, lowered, 1024);
    add(device, *kernel, lowered, 16 * 1001);
    return 0;
  } catch (const Error &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
