// SPDX-License-Identifier: MIT
#include "compiler/api/remark.h"

#include "runtime/source_excerpt.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tile {

static bool is_before(const Location &a, const Location &b) {
  return std::pair(std::string_view(a.file), a.line) < std::pair(std::string_view(b.file), b.line);
}

void sort_by_place(std::vector<Remark> &remarks) {
  std::ranges::stable_sort(remarks,
                           [](const Remark &a, const Remark &b) { return is_before(a.where, b.where); });
}

std::string text_of(const std::vector<Remark> &sorted) {
  std::string text;
  const Location *last = nullptr;
  for (const Remark &remark : sorted) {
    if (!last || is_before(*last, remark.where))
      text += (last ? "\n" : "") + std::string(remark.where.file) + ":" + std::to_string(remark.where.line) +
              "\n" + source_excerpt(remark.where);
    last = &remark.where;
    text += "  = " + remark.text + "\n";
  }
  return text;
}

}   // namespace tile
