// SPDX-License-Identifier: MIT
#include "tools/reference/rows.h"

#include <algorithm>
#include <random>

namespace tile::reference {

Matrix rows_of(const ReadRow &read, std::int64_t cols, std::span<const std::int64_t> rows) {
  Matrix some(static_cast<std::int64_t>(rows.size()), cols);
  for (std::int64_t r = 0; r < some.rows; ++r)
    read(rows[static_cast<std::size_t>(r)],
         std::span(some.values).subspan(static_cast<std::size_t>(r * cols), static_cast<std::size_t>(cols)));
  return some;
}

Matrix rows_of(const Matrix &all, std::span<const std::int64_t> rows) {
  return rows_of(
      [&](std::int64_t row, std::span<double> to) {
        std::ranges::copy_n(all.values.begin() + row * all.cols, all.cols, to.begin());
      },
      all.cols, rows);
}

// Each row of b is read once, whatever the number of rows that are wanted.
Matrix matmul_rows(const ReadRow &a, const ReadRow &b, std::int64_t k, std::int64_t n,
                   std::span<const std::int64_t> rows, Function activation) {
  const Matrix left = rows_of(a, k, rows);
  Matrix c(left.rows, n);
  std::vector<double> right(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < k; ++i) {
    b(i, right);
    for (std::int64_t r = 0; r < c.rows; ++r) {
      const double factor = left.at(r, i);
      double *row = c.values.data() + r * n;
      for (std::size_t j = 0; j < right.size(); ++j)
        row[j] += factor * right[j];
    }
  }
  count_work(static_cast<double>(c.rows) * static_cast<double>(n) * static_cast<double>(k));
  if (activation)
    std::ranges::transform(c.values, c.values.begin(), activation);
  return c;
}

std::vector<std::int64_t> sampled_rows(std::int64_t rows, std::int64_t most) {
  std::vector<std::int64_t> chosen;
  if (rows <= most) {
    for (std::int64_t row = 0; row < rows; ++row)
      chosen.push_back(row);
    return chosen;
  }
  std::mt19937_64 source(1);
  chosen = {0, rows - 1};
  while (static_cast<std::int64_t>(chosen.size()) < most)
    chosen.push_back(static_cast<std::int64_t>(source() % static_cast<std::uint64_t>(rows)));
  std::ranges::sort(chosen);
  const auto same = std::ranges::unique(chosen);
  chosen.erase(same.begin(), same.end());
  return chosen;
}

std::vector<std::int64_t> compared_rows(std::int64_t rows, double work_of_row, const Effort &effort,
                                        std::size_t results) {
  const double least = results > 1 ? 2 : 4;
  const double affordable =
      effort.operations / std::max(work_of_row * static_cast<double>(std::max<std::size_t>(results, 1)), 1.0);
  return sampled_rows(
      rows, static_cast<std::int64_t>(std::clamp(affordable, least, static_cast<double>(effort.rows))));
}

}   // namespace tile::reference
