// SPDX-License-Identifier: MIT
// The sentences that host functions refuse operands with.
#include "kernels/operands.h"

#include <fmt/format.h>

#include <limits>

namespace tile::kernels::detail {

static std::string text(Extents shape) { return fmt::format("[{}, {}]", shape.rows, shape.cols); }

void Operands::refuse(std::string_view message, std::string_view help) const {
  Error error(fmt::format("{}: {}", function_, message), where_);
  if (!help.empty())
    error.add_help(std::string(help));
  throw error;
}

void Operands::same_size(std::string_view name, std::int64_t size, std::string_view other,
                         std::int64_t expected) const {
  if (size != expected)
    refuse(fmt::format("{} has {} elements, {} {}", name, size, other, expected));
}

void Operands::same_shape(std::string_view name, Extents shape, std::string_view other,
                          Extents expected) const {
  if (shape.rows != expected.rows || shape.cols != expected.cols)
    refuse(fmt::format("{} has the shape {}, {} {}", name, text(shape), other, text(expected)));
}

void Operands::product(Extents a, Extents b, Extents c) const {
  if (a.cols != b.rows)
    refuse(fmt::format("a {} and b {} do not multiply: a has {} columns, b {} rows", text(a), text(b), a.cols,
                       b.rows),
           a.cols == b.cols ? "a transposed operand is a view, too: b.transposed()" : "");
  if (c.rows != a.rows || c.cols != b.cols)
    refuse(fmt::format("c has the shape {}, the product of a {} and b {} has [{}, {}]", text(c), text(a),
                       text(b), a.rows, b.cols));
}

int Operands::extent(std::string_view name, std::int64_t value) const {
  constexpr std::int64_t limit = std::numeric_limits<std::int32_t>::max() - 65536;
  if (value < 0 || value > limit)
    refuse(fmt::format("{} is {}; extents from 0 to {} are supported", name, value, limit));
  return static_cast<int>(value);
}

}   // namespace tile::kernels::detail
