// SPDX-License-Identifier: MIT
// A launch without the types of its kernel: dense operands anywhere in a device's memory, what is to come
// out, and what a library must know to compute the same. `tile bench` is made of it.
#pragma once

#include "runtime/device.h"
#include "runtime/launch/launch_description.h"
#include "tools/reference/compare.h"
#include "tools/reference/rows.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tile::registry {

// A dense matrix, or several one behind the other; a vector is a matrix of one column, so that its elements
// are rows.
struct Operand {
  std::string name;
  ElementType type;
  std::int64_t rows = 1, cols = 1;   // of each matrix
  bool by_columns = false;
  bool is_output = false;
  std::int64_t matrices = 1;
  std::int64_t all_rows() const { return rows * matrices; }
  double bytes() const {
    return static_cast<double>(matrices) * static_cast<double>(rows) * static_cast<double>(cols) *
           static_cast<double>(type.bytes());
  }
};

struct Problem {
  enum class Kind : std::uint8_t {
    sum,
    softmax,
    layer_norm,
    other_rows,   // another function of rows
    product,
    products,
    expert_product,
    scaled_product,
    attention,
    attention_backward,
    sequence_attention
  };
  Kind kind = Kind::sum;
  std::vector<Operand> operands;   // inputs first; of products in groups of a, b and c
  Work work;
  // Of a product: what a library is asked for.
  bool multiplies_tf32 = false, has_activation = false;
  double epsilon = 0;               // of layer_norm
  double work_of_row = 1;           // operations that a row of the result takes
  reference::Tolerance tolerance;   // of numbers; integers are exact
  reference::Tolerance tolerance_of(ElementType type) const {
    return type.is_integer() ? reference::Tolerance() : tolerance;
  }

  using Launch = std::function<void()>;
  // What launches the kernel on operands at these addresses, in the order of the operands.
  std::function<Launch(Device &device, std::span<void *const> addresses)> bind;
  // Rows of operand `output` in float64; read(operand, row, to) gives rows of the inputs. Those of matrix i
  // come after all of the matrices before it.
  using Read = std::function<void(std::size_t operand, std::int64_t row, std::span<double> to)>;
  std::function<reference::Matrix(std::size_t output, const Read &read, std::span<const std::int64_t> rows)>
      expected;
};

}   // namespace tile::registry
