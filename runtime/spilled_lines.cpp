// SPDX-License-Identifier: MIT
#include "runtime/spilled_lines.h"

#include "runtime/assembler_log.h"
#include "runtime/line_table.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <tuple>

namespace tile {
namespace {

// Instructions of 128 bits, since sm_70. The memory of a thread is written by STL and read by LDL; nothing
// but spilled registers and arrays of a thread lies there, and these kernels have no arrays.
constexpr std::size_t instruction_bytes = 16;
constexpr std::uint64_t opcode_mask = 0xfff, store_to_thread = 0x387, load_of_thread = 0x983;

// Bits 73 to 75: 8 bits with and without a sign, the same of 16, then 32, 64 and 128 bits.
int bytes_moved(std::uint64_t high) {
  constexpr int bytes[]{1, 1, 2, 2, 4, 8, 16, 16};
  return bytes[high >> 9 & 7];
}

}   // namespace

std::vector<SpilledLine> spilled_lines(std::span<const std::byte> cubin, std::string_view log) {
  const std::span<const std::byte> code = elf_section(cubin, ".text.");
  const LineTable lines(elf_section(cubin, ".debug_line"));
  std::map<std::pair<std::string, unsigned>, SpilledLine> by_line;
  int stored = 0, loaded = 0;
  for (std::size_t at = 0; at + instruction_bytes <= code.size(); at += instruction_bytes) {
    std::uint64_t words[2];
    std::memcpy(words, code.data() + at, sizeof words);
    const std::uint64_t opcode = words[0] & opcode_mask;
    if (opcode != store_to_thread && opcode != load_of_thread)
      continue;
    const Location where = lines.at(at);
    if (!where.known())
      return {};
    SpilledLine &line = by_line.try_emplace({where.file, where.line}, SpilledLine{where}).first->second;
    const int bytes = bytes_moved(words[1]);
    (opcode == store_to_thread ? line.stored : line.loaded) += bytes;
    (opcode == store_to_thread ? stored : loaded) += bytes;
  }
  if (std::max(stored, loaded) != spill_bytes(log).value_or(0))
    return {};
  std::vector<SpilledLine> all;
  for (auto &[key, line] : by_line)
    all.push_back(std::move(line));
  std::ranges::stable_sort(all, std::greater<>{},
                           [](const SpilledLine &line) { return line.stored + line.loaded; });
  return all;
}

}   // namespace tile
