// SPDX-License-Identifier: MIT
// Some rows of a result, for those that are too large to be computed whole.
#pragma once

#include "tools/reference/matrix.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tile::reference {

// Reads a row of a matrix.
using ReadRow = std::function<void(std::int64_t row, std::span<double> to)>;

// These rows of activation(a * b), where b is k x n.
Matrix matmul_rows(const ReadRow &a, const ReadRow &b, std::int64_t k, std::int64_t n,
                   std::span<const std::int64_t> rows, Function activation = nullptr);
// These rows of a matrix.
Matrix rows_of(const ReadRow &read, std::int64_t cols, std::span<const std::int64_t> rows);

Matrix rows_of(const Matrix &all, std::span<const std::int64_t> rows);

// At most so many rows of a matrix, in order: the first, the last and others in between, the same each time.
std::vector<std::int64_t> sampled_rows(std::int64_t rows, std::int64_t most);

// What a reference may cost: additions and multiplications of all results together, and rows of each.
struct Effort {
  double operations = 2e9;   // a second or two
  std::int64_t rows = std::int64_t{1} << 40;
};
// The rows of one of so many results that are compared: all that the effort allows, but at least a few.
std::vector<std::int64_t> compared_rows(std::int64_t rows, double work_of_row, const Effort &effort,
                                        std::size_t results = 1);

}   // namespace tile::reference
