// SPDX-License-Identifier: MIT
#include "runtime/cuda/prints.h"

#include "runtime/printf_text.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tile::cuda {
namespace {

constexpr unsigned EveryContext = 1, OnDeviceToo = 2;   // CU_MEMHOSTALLOC_PORTABLE, _DEVICEMAP

}   // namespace

bool print_records(const std::uint32_t *words, std::size_t count, const std::vector<std::string> &formats,
                   Printer &printer) {
  for (std::size_t at = 0; at < count;) {
    const std::size_t left = count - at;
    if (left < 2 || words[at] >= formats.size() || words[at + 1] > left - 2)
      return false;
    printer.print(printf_text(formats[words[at]].c_str(), words + at + 2));
    at += 2 + words[at + 1];
  }
  return true;
}

Prints::~Prints() {
  if (used_)
    Driver::get().memFreeHost(used_);
}

Prints::Variable Prints::add(const std::vector<std::string> &formats) {
  const std::lock_guard lock(mutex_);
  if (!used_) {
    void *memory = nullptr;
    check(Driver::get().memHostAlloc(&memory, sizeof *used_ + Words * sizeof(std::uint32_t),
                                     EveryContext | OnDeviceToo),
          "allocate memory for what kernels print");
    used_ = static_cast<std::uint64_t *>(memory);
    *used_ = 0;
    std::memset(used_ + 1, 0xFF, Words * sizeof(std::uint32_t));   // no record begins like this
  }
  const std::size_t first = formats_.size();
  formats_.insert(formats_.end(), formats.begin(), formats.end());
  // One address on both sides: all memory of a process is in one space.
  return {reinterpret_cast<std::uintptr_t>(used_), first, Words};
}

// What was printed, which frees the buffer for more; the formats that it is written by.
std::vector<std::uint32_t> Prints::taken(std::vector<std::string> &formats, bool &all) {
  const std::lock_guard lock(mutex_);
  if (!used_)
    return {};
  Driver::get().ctxSynchronize();   // an error there is the caller's to find; what was printed is to be seen
  const std::uint64_t used = std::exchange(*used_, 0);
  auto *words = reinterpret_cast<std::uint32_t *>(used_ + 1);
  const std::size_t there = std::min<std::uint64_t>(used, Words);
  std::vector<std::uint32_t> records(words, words + there);
  std::memset(words, 0xFF, there * sizeof *words);
  if (there > 0)
    formats = formats_;
  all = used <= Words;
  return records;
}

std::optional<Error> Prints::flush() {
  if (printer_.is_calling())   // the callback copies from the GPU: the lines behind its own come later
    return std::nullopt;
  const std::lock_guard lock(printing_);
  std::vector<std::string> formats;
  bool all = true;
  const std::vector<std::uint32_t> records = taken(formats, all);
  try {
    // A record that does not fit leaves its words unwritten, and everything behind it does not fit either.
    if (!print_records(records.data(), records.size(), formats, printer_) || !all)
      printer_.print("(lines are lost: more than " + std::to_string(Words * sizeof(std::uint32_t) >> 20) +
                     " MiB were printed between two synchronisations)");
  } catch (const Error &error) {
    return error;
  }
  return std::nullopt;
}

}   // namespace tile::cuda
