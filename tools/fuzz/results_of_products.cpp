// SPDX-License-Identifier: MIT
// Before and behind loops of products: what sums begin with, what is made of them, how it is stored.
#include "tools/fuzz/described_products.h"

#include <algorithm>

namespace tile::fuzz {

// A block of a tensor that all threads read, as large as the sums, as numbers of their type.
int DescribedProducts::whole_block(const Type &type) {
  const bool is_integer_sum = !is_float(type.kind);
  const Kind stored = is_integer_sum || w_.one_in(2) ? type.kind : w_.one_of(plan_.floats);
  const std::string role = w_.is_ring() && !is_integer_sum ? "ring" : "in";
  const Tensor t = tensor({role, stored, type.axes[0], type.axes[1], tiles_m_, tiles_n_,
                           makes_maps_ && w_.one_in(2), /*is_checked=*/true, false});
  const int block = load(t, from_m_, from_n_);
  return stored == type.kind ? block
                             : w_.emit("tile.fp_cast $0 : $t0 -> $T0", {block}, type, w_.bound(block));
}

// A row or a column that is the same along the other axis.
int DescribedProducts::line(const Plan &at, const Type &type) {
  const bool is_row = program_.launch.num_ctas == 2 || w_.one_in(2);
  const Type of{type.kind,
                is_row ? std::vector{plan_.one, type.axes[1]} : std::vector{type.axes[0], plan_.one}};
  const Type flat{type.kind, {is_row ? type.axes[1] : type.axes[0]}};
  // Elements of an input from the tile's first row or column on, those behind the buffer left out.
  const int numbers =
      w_.emit("tile.arange 0 to $x" + std::to_string(flat.axes[0]) + " : $T0", {}, {Kind::I32, flat.axes});
  const int from =
      w_.emit("tile.splat $0 : $t0 -> $T0", {is_row ? from_n_ : from_m_}, {Kind::I32, flat.axes});
  const int offsets = w_.emit("arith.addi $0, $1 : $t0", {numbers, from}, {Kind::I32, flat.axes});
  const int values = w_.emit(addresses({Kind::I32, flat.axes}) + "$=tile.load $~b : $P",
                             {at.inputs.at(type.kind), offsets}, flat, input_bound(w_, type.kind));
  const int spread =
      w_.emit(std::string("tile.expand_dims $0 {axis = ") + (is_row ? "0" : "1") + " : i32} : $t0 -> $T0",
              {values}, of, w_.bound(values));
  return w_.emit("tile.broadcast $0 : $t0 -> $T0", {spread}, type, w_.bound(values));
}

int DescribedProducts::first_sums(const Plan &at, const Type &type) {
  switch (w_.below(8)) {
  case 0:
    return w_.constant(type, w_.between(-3, 3));
  case 1:
    return line(at, type);
  case 2:
    return program_.launch.num_ctas == 1 || w_.one_in(2) ? whole_block(type) : w_.constant(type, 0);
  default:
    return w_.constant(type, 0);
  }
}

// Element by element.
int DescribedProducts::computed(const Plan &at, int value) {
  const Type type = w_.type(value);
  const bool is_integer_sum = !is_float(type.kind);
  const std::string add = is_integer_sum ? "arith.addi" : "arith.addf";
  switch (w_.below(7)) {
  case 0:   // an activation
    if (is_integer_sum)
      return w_.emit("arith.maxsi $0, $1 : $t0", {value, w_.constant(type, 0)}, type);
    return w_.emit("tile.maximum $0, $1 nan = propagate : $t0", {value, w_.constant(type, 0)}, type,
                   w_.bound(value));
  case 1: {   // another one, which looks twice
    const Type condition{Kind::I1, type.axes};
    const int zero = w_.constant(type, 0);
    const int above = is_integer_sum ? w_.emit("arith.cmpi sgt, $0, $1 : $t0", {value, zero}, condition)
                                     : w_.emit("arith.cmpf ogt, $0, $1 : $t0", {value, zero}, condition);
    const int scaled = w_.emit((is_integer_sum ? "arith.muli" : "arith.mulf") + std::string(" $0, $1 : $t0"),
                               {value, w_.constant(type, -2)}, type, 2 * w_.bound(value));
    return w_.emit("arith.select $0, $1, $2 : $t0, $t1", {above, value, scaled}, type, 2 * w_.bound(value));
  }
  case 2:
    return w_.emit(add + " $0, $1 : $t0", {value, line(at, type)}, type, w_.bound(value) + 8);
  case 3:
    if (program_.launch.num_ctas == 2 && w_.one_in(2))
      return value;
    return w_.emit(add + " $0, $1 : $t0", {value, whole_block(type)}, type, w_.bound(value) + 8);
  case 4:
    return w_.emit(add + " $0, $1 : $t0", {value, w_.constant(type, w_.between(-9, 9))}, type,
                   w_.bound(value) + 9);
  default:
    return value;
  }
}

// By the copy engine where it can: one tensor of all tiles, or one of the program's own.
void DescribedProducts::give_boxes(const Plan &at, int value) {
  const Type type = w_.type(value);
  const bool is_transposed = w_.one_in(8) && program_.launch.num_ctas == 1;
  if (is_transposed) {
    Type other = type;
    std::swap(other.axes[0], other.axes[1]);
    value = w_.emit_unseen("tile.permute $0 [1, 0] : $t0 -> $T0", {value}, other);
  }
  const Writer::Fixing fixing(w_);
  const std::vector<int> axes = w_.type(value).axes;
  const int rows = static_cast<int>((at.programs + tiles_n_ - 1) / tiles_n_);
  const Tensor t =
      tensor({"out", type.kind, axes[0], axes[1], is_transposed ? tiles_n_ : rows,
              is_transposed ? rows : tiles_n_, makes_maps_ && w_.one_in(2), /*is_checked=*/true, false});
  const int row = stretched(number_m_, plan_.m), column = from_n_;
  w_.effect("tile.descriptor_store $0[$1, $2], $3 : $t0, $t3",
            {t.descriptor, is_transposed ? column : row, is_transposed ? row : column, value});
}

// On memory that all programs add to; numbers of all tiles are small enough to be added in any order.
void DescribedProducts::give_atomically(const Plan &, int value) {
  const Type type = w_.type(value);
  const Writer::Fixing fixing(w_);
  const int sums = buffer("sums" + std::to_string(2 + buffers_.size()), type.kind, elements(program_, type));
  const int offsets = linear_index(w_, type.axes);
  const std::string how = is_float(type.kind) ? "fadd" : w_.one_of({"add", "smax", "xor"});
  w_.effect(addresses({Kind::I32, type.axes}) + "$~c = tile.atomic_rmw " + how +
                ", $~b, $2 ordering = relaxed scope = gpu : $P",
            {sums, offsets, value});
}

void DescribedProducts::give(const Plan &at, int value) {
  const Type type = w_.type(value);
  const bool is_pair = program_.launch.num_ctas == 2;
  const bool is_small = elements(program_, type) <= at.part;
  for (int i = 0; i < w_.between(0, 2); ++i)
    value = computed(at, value);
  if (!is_pair && w_.one_in(10) && elements(program_, type) <= most_elements &&
      (w_.is_ring() || w_.bound(value) * static_cast<double>(at.programs) < exact_limit(type.kind) / 2))
    return give_atomically(at, value);
  if (type.kind != result_) {
    const Type narrow = w_.with_kind(type, result_);
    value = is_float(type.kind) ? w_.emit_unseen("tile.fp_cast $0 : $t0 -> $T0", {value}, narrow)
                                : w_.emit("arith.trunci $0 : $t0 to $T0", {value}, narrow);
  }
  if (is_small && w_.one_in(4))
    return store(w_, at, value);
  give_boxes(at, value);
}

}   // namespace tile::fuzz
