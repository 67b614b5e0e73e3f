// SPDX-License-Identifier: MIT
// A matrix in a device's memory, as unfriendly as wished: stored by rows or columns, with gaps, off its
// alignment; guarded on both sides. What a kernel writes where it must not is found.
#pragma once

#include "tile/buffer.h"
#include "tile/numeric.h"
#include "tile/tensor_view.h"
#include "tools/reference/matrix.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
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
    const std::int64_t inner = placement.by_columns ? rows : cols, outer = placement.by_columns ? cols : rows;
    const std::int64_t across = std::max<std::int64_t>(inner, 1) * placement.step + placement.padding;
    row_stride_ = placement.by_columns ? placement.step : across;
    col_stride_ = placement.by_columns ? across : placement.step;
    first_ = guard + placement.shift;
    const std::size_t size = 2 * guard + placement.shift + element_count(outer, across);
    host_.assign(size * sizeof(T), canary);
    memory_.emplace(device, host_.size() / sizeof(T), name_);
  }

  // What the elements are after rounding to T.
  Matrix fill(const Matrix &values) {
    Matrix rounded(rows_, cols_);
    each([&](std::int64_t r, std::int64_t c, unsigned char *at) {
      const T element = numeric::cast<T>(values.at(r, c));
      std::memcpy(at, &element, sizeof(T));
      rounded.at(r, c) = numeric::cast<double>(element);
    });
    upload();
    return rounded;
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
    memory_->device().copy_out(host_.data(), memory_->data(), host_.size());
    Matrix values(rows_, cols_);
    each([&](std::int64_t r, std::int64_t c, unsigned char *at) {
      T element;
      std::memcpy(&element, at, sizeof(T));
      values.at(r, c) = numeric::cast<double>(element);
    });
    return values;
  }

  // After a download: the bytes that belong to no element and are no longer what they were.
  std::int64_t overwritten_bytes() {
    std::vector<bool> is_element(host_.size());
    each([&](std::int64_t, std::int64_t, const unsigned char *at) {
      for (std::size_t i = 0; i < sizeof(T); ++i)
        is_element[static_cast<std::size_t>(at - host_.data()) + i] = true;
    });
    std::int64_t count = 0;
    for (std::size_t i = 0; i < host_.size(); ++i)
      count += !is_element[i] && host_[i] != canary;
    return count;
  }

  MatrixView<T> view() const { return {memory_->data() + first_, rows_, cols_, row_stride_, col_stride_}; }
  // Row r as a vector; a matrix of one row is how vectors are placed.
  VectorView<T> row(std::int64_t r) const { return {memory_->data() + first_ + r * row_stride_, cols_}; }
  const std::string &name() const { return name_; }

 private:
  static constexpr unsigned char canary = 0xAB;
  static constexpr std::int64_t guard = 64;   // elements, so at least 64 bytes

  template <class F> void each(F f) {
    for (std::int64_t r = 0; r < rows_; ++r)
      for (std::int64_t c = 0; c < cols_; ++c)
        f(r, c,
          host_.data() + (first_ + r * row_stride_ + c * col_stride_) * static_cast<std::int64_t>(sizeof(T)));
  }
  void upload() { memory_->device().copy_in(memory_->data(), host_.data(), host_.size()); }

  std::int64_t rows_, cols_, row_stride_ = 0, col_stride_ = 0, first_ = 0;
  std::string name_;
  std::vector<unsigned char> host_;
  std::optional<Buffer<T>> memory_;
};

}   // namespace tile::reference
