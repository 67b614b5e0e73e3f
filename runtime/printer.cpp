// SPDX-License-Identifier: MIT
#include "runtime/printer.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tile {
namespace {

void to_stdout(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fputc('\n', stdout);
}

}   // namespace

Printer::Printer(Line line) : line_(line ? std::move(line) : to_stdout) {}

void Printer::print(std::string_view text) {
  const std::lock_guard lock(mutex_);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    line_(text.substr(at, end - at));
    at = end + 1;
  }
}

}   // namespace tile
