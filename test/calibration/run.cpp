// SPDX-License-Identifier: MIT
#include "test/calibration/run.h"

#include "test/unit/simulator/hopper/bench.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>

namespace tile::calibration {
namespace {

std::uint64_t wordAt(const std::vector<std::byte> &bytes, std::size_t at, unsigned size) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data() + at, size);
  return word;
}

bool areEqual(std::uint64_t expected, std::uint64_t got, double tolerance) {
  if (expected == got)
    return true;
  const double x = std::bit_cast<float>(static_cast<std::uint32_t>(expected)),
               y = std::bit_cast<float>(static_cast<std::uint32_t>(got));
  return tolerance > 0 && std::abs(x - y) <= tolerance * std::max(std::abs(x), 0x1p-126);
}

// The first few words that differ.
std::string compared(const Memory &memory, const std::vector<std::byte> &got) {
  constexpr unsigned most = 4;
  const unsigned size = memory.wordBytes;
  std::string text = memory.name;
  unsigned differing = 0;
  for (std::size_t i = 0; i * size < memory.after.size(); ++i) {
    const std::uint64_t expected = wordAt(memory.after, i * size, size), came = wordAt(got, i * size, size);
    if ((i < memory.open.size() && memory.open[i]) || areEqual(expected, came, memory.tolerance))
      continue;
    if (++differing <= most)
      text += fmt::format("{}[{}] is {:#0{}x}, expected {:#0{}x}", differing > 1 ? ", " : "", i, came,
                          2 + 2 * size, expected, 2 + 2 * size);
  }
  return differing ? fmt::format("{}; {} of {} words differ", text, differing, memory.after.size() / size)
                   : "";
}

}   // namespace

std::string difference(Device &device, const MicroKernel &kernel) {
  simulator::Bench bench(device);
  std::vector<const std::byte *> buffers;
  for (const Memory &memory : kernel.memories)
    if (memory.alignment <= 16) {
      buffers.push_back(bench.buffer(memory.before, memory.name));
    } else {
      const std::size_t all = memory.before.size() + memory.alignment;
      const auto begin = reinterpret_cast<std::uintptr_t>(
          bench.buffer(std::vector<std::byte>(all, std::byte{0xA5}), memory.name));
      buffers.push_back(reinterpret_cast<const std::byte *>((begin + memory.alignment - 1) /
                                                            memory.alignment * memory.alignment));
    }
  std::vector<simulator::Bench::Value> arguments;
  for (const Map &map : kernel.maps)
    arguments.push_back(map.box.describe(reinterpret_cast<std::uint64_t>(buffers[map.memory]),
                                         [&](const TensorDescription &d) { return bench.map(d); }));
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (std::none_of(kernel.maps.begin(), kernel.maps.end(), [&](const Map &map) { return map.memory == i; }))
      arguments.push_back(static_cast<const void *>(buffers[i]));
  for (const std::int32_t number : kernel.numbers)
    arguments.push_back(number);
  const std::unique_ptr<Executable> executable = load_written(device, HandWritten{kernel.module});
  bench.run(*executable, arguments, kernel.grid);
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (const Memory &memory = kernel.memories[i]; !memory.after.empty() && kernel.refusal.empty())
      if (const std::string how = compared(memory, bench.read(buffers[i], memory.after.size())); !how.empty())
        return how;
  return kernel.refusal.empty() ? "" : "comes to an end, though it is to be refused";
}

bool isRefused(const MicroKernel &kernel, const std::string &message) {
  return !kernel.refusal.empty() && (message.find(kernel.refusal) != std::string::npos ||
                                     message.find("CUDA_ERROR_ILLEGAL_INSTRUCTION") != std::string::npos);
}

}   // namespace tile::calibration
