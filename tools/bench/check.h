// SPDX-License-Identifier: MIT
// Whether a result is right: some of its rows, or all of a small one, against float64.
#pragma once

#include "tools/bench/data.h"
#include "tools/registry/problem.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tile::bench {

class Checker {
 public:
  Checker(Device &device, const registry::Problem &problem, Data &data);
  // Poisons the outputs of set 0, runs `call`, which computes them, and compares. Throws what it throws.
  reference::Verdict check(const std::function<void()> &call);

 private:
  // Whole outputs, and a column of one, are read at once, not row by row.
  reference::Matrix read(std::size_t output, std::span<const std::int64_t> rows) const;

  Device &device_;
  const registry::Problem &problem_;
  Data &data_;
  std::vector<std::size_t> outputs_;
  std::vector<std::vector<std::int64_t>> rows_;   // of each output, that are compared
  std::vector<reference::Matrix> expected_;       // likewise
};

}   // namespace tile::bench
