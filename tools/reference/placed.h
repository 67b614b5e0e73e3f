// SPDX-License-Identifier: MIT
// A matrix in a device's memory, as unfriendly as wished: stored by rows or columns, with gaps, off its
// alignment; guarded on both sides. What a kernel writes where it must not is found.
#pragma once

#include "runtime/buffer.h"
#include "runtime/numeric.h"
#include "runtime/tensor_view.h"
#include "tools/reference/matrix.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tile::reference {

struct Placement {
  bool by_columns = false;
  std::int64_t step = 1;      // elements from one to the next along a row (or column, if stored by columns)
  std::int64_t padding = 0;   // unused elements behind each row (or column)
  std::int64_t shift = 0;     // elements in front of the first one, which else is aligned to 64 bytes
};

// The smallest padding that makes rows of `extent` elements a multiple of 16 bytes.
template <class T> std::int64_t padding_to_16_bytes(std::int64_t extent) {
  const std::int64_t step = 16 / sizeof(T);
  return (step - extent % step) % step;
}

template <class T> class Placed {
 public:
  Placed(Device &device, std::string name, std::int64_t rows, std::int64_t cols, Placement placement = {})
      : rows_(rows), cols_(cols), name_(std::move(name)) {
    inner_ = placement.by_columns ? rows : cols;
    outer_ = placement.by_columns ? cols : rows;
    step_ = placement.step;
    across_ = std::max<std::int64_t>(inner_, 1) * step_ + placement.padding;
    row_stride_ = placement.by_columns ? step_ : across_;
    col_stride_ = placement.by_columns ? across_ : step_;
    first_ = guard + placement.shift;
    const std::size_t size = 2 * guard + placement.shift + element_count(outer_, across_);
    host_.assign(size * sizeof(T), canary);
    memory_.emplace(device, host_.size() / sizeof(T), name_);
  }

  // What the elements are after rounding to T.
  Matrix fill(Matrix values) {
    each([&](std::int64_t r, std::int64_t c, unsigned char *at) {
      const T element = numeric::cast<T>(values.at(r, c));
      std::memcpy(at, &element, sizeof(T));
      values.at(r, c) = numeric::cast<double>(element);
    });
    upload();
    return values;
  }

  // Elements that no kernel computes: NaN, or 0xAB bytes in integers.
  void poison() {
    T element;
    if constexpr (std::is_integral_v<T>)
      std::memset(&element, canary, sizeof(T));
    else
      element = numeric::cast<T>(std::numeric_limits<double>::quiet_NaN());
    each([&](std::int64_t, std::int64_t, unsigned char *at) { std::memcpy(at, &element, sizeof(T)); });
    upload();
  }

  Matrix download() {
    std::vector<std::int64_t> all(static_cast<std::size_t>(rows_));
    std::iota(all.begin(), all.end(), 0);
    return download(all);
  }
  // These rows.
  Matrix download(std::span<const std::int64_t> rows) {
    memory_->device().copy_out(host_.data(), memory_->data(), host_.size());
    Matrix values(static_cast<std::int64_t>(rows.size()), cols_);
    for (std::int64_t r = 0; r < values.rows; ++r)
      for (std::int64_t c = 0; c < cols_; ++c) {
        T element;
        std::memcpy(&element, place(rows[static_cast<std::size_t>(r)], c), sizeof(T));
        values.at(r, c) = numeric::cast<double>(element);
      }
    return values;
  }

  // After a download: the bytes that belong to no element and are no longer what they were.
  std::int64_t overwritten_bytes() const {
    std::int64_t count = 0;
    auto end = host_.begin();
    const auto count_until = [&](auto place, std::int64_t elements) {
      count += std::count_if(end, place, [](unsigned char byte) { return byte != canary; });
      end = place + elements * static_cast<std::int64_t>(sizeof(T));
    };
    for (std::int64_t line = 0; line < outer_ && inner_ > 0; ++line) {
      const auto begin = host_.begin() + (first_ + line * across_) * static_cast<std::int64_t>(sizeof(T));
      if (step_ == 1)
        count_until(begin, inner_);
      for (std::int64_t i = 0; step_ > 1 && i < inner_; ++i)
        count_until(begin + i * step_ * static_cast<std::int64_t>(sizeof(T)), 1);
    }
    count_until(host_.end(), 0);
    return count;
  }

  MatrixView<T> view() const { return {memory_->data() + first_, rows_, cols_, row_stride_, col_stride_}; }
  // Row r as a vector; a matrix of one row is how vectors are placed.
  VectorView<T> row(std::int64_t r) const { return {memory_->data() + first_ + r * row_stride_, cols_}; }
  // A matrix of one column as a vector.
  VectorView<T> column() const { return {memory_->data() + first_, rows_}; }
  const std::string &name() const { return name_; }
  std::int64_t rows() const { return rows_; }

 private:
  static constexpr unsigned char canary = 0xAB;
  static constexpr std::int64_t guard = 64;   // elements, so at least 64 bytes

  unsigned char *place(std::int64_t r, std::int64_t c) {
    return host_.data() + (first_ + r * row_stride_ + c * col_stride_) * static_cast<std::int64_t>(sizeof(T));
  }
  template <class F> void each(F f) {
    for (std::int64_t r = 0; r < rows_; ++r)
      for (std::int64_t c = 0; c < cols_; ++c)
        f(r, c, place(r, c));
  }
  void upload() { memory_->device().copy_in(memory_->data(), host_.data(), host_.size()); }

  std::int64_t rows_, cols_, row_stride_ = 0, col_stride_ = 0, first_ = 0;
  std::int64_t inner_ = 0, outer_ = 0, step_ = 1, across_ = 0;   // of lines of memory: rows, or columns
  std::string name_;
  std::vector<unsigned char> host_;
  std::optional<Buffer<T>> memory_;
};

// The registry is built without optimisation, and a large operand has a hundred million elements.
extern template class Placed<f16>;
extern template class Placed<bf16>;
extern template class Placed<f32>;
extern template class Placed<f64>;
extern template class Placed<e4m3>;
extern template class Placed<e5m2>;
extern template class Placed<i8>;
extern template class Placed<i32>;
extern template class Placed<i64>;

}   // namespace tile::reference
