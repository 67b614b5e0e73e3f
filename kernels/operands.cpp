// SPDX-License-Identifier: MIT
// The sentences that host functions refuse operands with.
#include "kernels/operands.h"

#include "runtime/tensor_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace tile::kernels::detail {

static std::string text(Extents shape) { return fmt::format("[{}, {}]", shape.rows, shape.cols); }
std::string text(const Stack &stack) {
  return fmt::format("[{}, {}, {}]", stack.extents[0], stack.extents[1], stack.extents[2]);
}

void Operands::refuse(std::string_view message, std::string_view help) const {
  Error error(fmt::format("{}: {}", function_, message), where_);
  if (!help.empty())
    error.add_help(std::string(help));
  throw error;
}

// Fields of a view may be set to anything.
static void not_negative(const Operands &operands, std::string_view name, Extents shape) {
  if (shape.rows < 0 || shape.cols < 0)
    operands.refuse(fmt::format("{} has the shape {}: an extent is negative", name, text(shape)));
}

namespace {
// The bytes of an operand as rows of one length, the step from one to the next.
struct Rows {
  std::uint64_t begin;
  std::int64_t count, length, step;
  std::uint64_t end() const { return begin + static_cast<std::uint64_t>((count - 1) * step + length); }
};
Rows rows_of(const Placed &p) {
  auto begin = reinterpret_cast<std::uintptr_t>(p.data);
  std::int64_t counts[2] = {p.shape.rows, p.shape.cols}, steps[2] = {p.row_stride, p.col_stride};
  for (int axis = 0; axis < 2; ++axis) {
    steps[axis] = counts[axis] > 1 ? steps[axis] * p.element_bytes : 0;
    if (steps[axis] < 0)
      begin -= static_cast<std::uint64_t>((counts[axis] - 1) * -steps[axis]);
    steps[axis] = std::abs(steps[axis]);
  }
  const int outer = steps[0] >= steps[1] ? 0 : 1;
  return {begin, counts[outer], (counts[1 - outer] - 1) * steps[1 - outer] + p.element_bytes, steps[outer]};
}
bool is_empty(const Placed &p) { return p.shape.rows <= 0 || p.shape.cols <= 0; }
bool is_empty(const Stack &stack) {
  return std::ranges::any_of(stack.extents, [](std::int64_t extent) { return extent <= 0; });
}
MemoryExtent memory_of(const Stack &stack) {
  return tile::detail::memory_of(stack.data, stack.extents, stack.strides,
                                 static_cast<std::size_t>(stack.element_bytes));
}
bool is_one(const Placed &a, const Placed &b) {
  return a.data == b.data && a.element_bytes == b.element_bytes && a.shape.rows == b.shape.rows &&
         a.shape.cols == b.shape.cols && (a.shape.rows <= 1 || a.row_stride == b.row_stride) &&
         (a.shape.cols <= 1 || a.col_stride == b.col_stride);
}
}   // namespace

// Rows are taken as a whole: what lies between the elements of a row counts as part of it.
bool overlap(const Placed &a, const Placed &b) {
  if (is_empty(a) || is_empty(b))
    return false;
  Rows x = rows_of(a), y = rows_of(b);
  if (x.end() <= y.begin || y.end() <= x.begin)
    return false;
  if (x.count > y.count)
    std::swap(x, y);
  for (std::int64_t i = 0; i < x.count; ++i) {
    // The first row of y that ends behind the beginning of this one.
    const auto from = static_cast<std::int64_t>(x.begin - y.begin) + i * x.step;
    std::int64_t j = 0;
    if (from >= y.length)
      j = y.step == 0 ? y.count : (from - y.length) / y.step + 1;
    if (j < y.count && j * y.step < from + x.length)
      return true;
  }
  return false;
}

// Two elements are one where di row_stride = dj col_stride; the smallest such steps are the strides
// themselves over their greatest common divisor.
static bool meets_itself(const Placed &out) {
  const auto [rows, cols] = out.shape;
  const std::int64_t r = std::abs(out.row_stride), c = std::abs(out.col_stride);
  const std::int64_t divisor = std::gcd(r, c);
  return (rows > 1 && r == 0) || (cols > 1 && c == 0) ||
         (rows > 1 && cols > 1 && c / divisor < rows && r / divisor < cols);
}

static bool meets_itself(const Stack &out) {
  // No two elements are one where a step along an axis passes all that the axes of smaller steps reach.
  std::array<std::pair<std::int64_t, std::int64_t>, 3> axes;   // stride, extent
  for (std::size_t axis = 0; axis < 3; ++axis)
    axes[axis] = {std::abs(out.strides[axis]), out.extents[axis]};
  std::ranges::sort(axes);
  bool passes = true;
  std::int64_t reach = 0;
  for (const auto &[stride, extent] : axes) {
    passes = passes && (extent == 1 || stride > reach);
    reach += (extent - 1) * stride;
  }
  if (passes)
    return false;
  if (meets_itself(out.member(0)))
    return true;
  for (std::int64_t i = 1; i < out.extents[0]; ++i)   // the next ones lie to each other as these do
    if (overlap(out.member(0), out.member(i)))
      return true;
  return false;
}

void Operands::output(std::string_view name, const Placed &out) const {
  not_negative(*this, name, out.shape);
  if (!is_empty(out) && meets_itself(out))
    refuse(fmt::format(
        "{} is written, but several of its elements share an address: its shape is {}, its strides are "
        "{} and {}",
        name, text(out.shape), out.row_stride, out.col_stride));
}

void Operands::output(std::string_view name, const Stack &out) const {
  if (!is_empty(out) && meets_itself(out))
    refuse(fmt::format(
        "{} is written, but several of its elements share an address: its shape is {}, its strides are "
        "{}, {} and {}",
        name, text(out), out.strides[0], out.strides[1], out.strides[2]));
}

void Operands::apart(std::string_view name, const Placed &out, std::string_view other, const Placed &in,
                     bool in_place) const {
  if (!(in_place && is_one(out, in)) && overlap(out, in))
    refuse(fmt::format("{} overlaps {}, which is read while {} is written", name, other, name),
           in_place ? "overwrite all of it, or write into other memory" : "write into other memory");
}

// Matrices of one stack often lie between those of another: only where the ranges meet are they compared.
void Operands::apart(std::string_view name, const Stack &out, std::string_view other, const Stack &in,
                     bool in_place) const {
  if (is_empty(out) || is_empty(in))
    return;
  if (!memory_of(out).overlaps(memory_of(in)))
    return;
  if (in_place && out.data == in.data && out.strides == in.strides)
    return;
  for (std::int64_t i = 0; i < out.extents[0]; ++i)
    for (std::int64_t j = 0; j < (in.strides[0] == 0 ? 1 : in.extents[0]); ++j)
      apart(name, out.member(i), other, in.member(j));
}

void Operands::all_apart(std::vector<NamedOperand> operands) const {
  std::erase_if(operands, [](const NamedOperand &o) { return is_empty(o.place); });
  auto begin = [](const NamedOperand &o) { return rows_of(o.place).begin; };
  std::ranges::sort(operands, {}, begin);
  for (std::size_t i = 0; i < operands.size(); ++i)
    for (std::size_t j = i + 1, end = rows_of(operands[i].place).end();
         j < operands.size() && begin(operands[j]) < end; ++j) {
      const NamedOperand &x = operands[i], &y = operands[j];
      if (x.is_written || y.is_written)
        x.is_written ? apart(x.name, x.place, y.name, y.place) : apart(y.name, y.place, x.name, x.place);
    }
}

void Operands::positive(std::string_view field, std::int64_t value) const {
  if (value <= 0)
    refuse(fmt::format("options.config: {} is {}; it must be at least 1", field, value));
}

void Operands::row_config(std::int64_t rows, std::int64_t block, bool whole_row, std::int64_t cols) const {
  positive("rows", rows);
  positive("block", block);
  if (rows > 1 && !whole_row)
    refuse(
        fmt::format("options.config: rows is {}, but a program takes several rows only with whole_row", rows),
        "set whole_row if a block holds a row, or leave rows at 1");
  if (whole_row && cols > block)
    refuse(
        fmt::format("options.config: whole_row takes rows of at most block = {} elements, x has {} columns",
                    block, cols),
        "choose a larger block, or unset whole_row to read rows block by block");
}

void Operands::single_row(std::int64_t rows) const {
  if (rows > 1)
    refuse(fmt::format("options.config: rows is {}, but a program takes one row after the other here", rows),
           "leave rows at 1");
}

void Operands::same_size(std::string_view name, std::int64_t size, std::string_view other,
                         std::int64_t expected) const {
  if (size < 0)
    refuse(fmt::format("{} has {} elements: a size cannot be negative", name, size));
  if (size != expected)
    refuse(fmt::format("{} has {} elements, {} {}", name, size, other, expected));
}

void Operands::same_shape(std::string_view name, Extents shape, std::string_view other,
                          Extents expected) const {
  not_negative(*this, name, shape);
  if (shape.rows != expected.rows || shape.cols != expected.cols)
    refuse(fmt::format("{} has the shape {}, {} {}", name, text(shape), other, text(expected)));
}

void Operands::product(Extents a, Extents b, Extents c) const {
  if (a.cols != b.rows)
    refuse(fmt::format("a {} and b {} do not multiply: a has {} columns, b {} rows", text(a), text(b), a.cols,
                       b.rows),
           a.cols == b.cols ? "for a transposed operand, pass the view b.transposed()" : "");
  if (c.rows != a.rows || c.cols != b.cols)
    refuse(fmt::format("c has the shape {}, the product of a {} and b {} has [{}, {}]", text(c), text(a),
                       text(b), a.rows, b.cols));
}

int Operands::extent(std::string_view name, std::int64_t value) const {
  if (value < 0 || value > most_extent)
    refuse(fmt::format("{} is {}; extents from 0 to {} are supported", name, value, most_extent));
  return static_cast<int>(value);
}

}   // namespace tile::kernels::detail
