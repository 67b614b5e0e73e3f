// SPDX-License-Identifier: MIT
// The families of random operations. Each adds one, or a few that belong together, to what is being written.
#pragma once

#include "tools/fuzz/writer.h"

namespace tile::fuzz {

// What a program is made of, drawn once for it.
struct Plan {
  std::vector<Kind> integers, floats;
  int one = 0, two = 0;                   // axes of these extents
  std::vector<int> axes;                  // those that tiles are made of
  std::vector<std::vector<int>> shapes;   // with axes of extent 1 and products of axes
  // A product's axes, if the program has products: M, N, K.
  int m = -1, n = -1, k = -1;
  std::map<Kind, int> inputs, wild, outputs, sums;   // arguments
  std::map<Kind, std::size_t> output_buffers;        // their numbers
  std::vector<int> scalars;
  int program_number = -1;   // of this program in the grid
  std::int64_t part = 0;     // elements of an output buffer that are one store's
};

Type any_type(Writer &w, const Plan &plan, bool tile_only = false);

// elementwise.cpp
void integer_arithmetic(Writer &w, const Plan &plan);
void float_arithmetic(Writer &w, const Plan &plan);
void comparison(Writer &w, const Plan &plan);
void selection(Writer &w, const Plan &plan);
void conversion(Writer &w, const Plan &plan);
void random_numbers(Writer &w, const Plan &plan);

// shapes.cpp
void movement(Writer &w, const Plan &plan);
void gather(Writer &w, const Plan &plan);

// collectives.cpp
void reduction(Writer &w, const Plan &plan);
void scan(Writer &w, const Plan &plan);
void histogram(Writer &w, const Plan &plan);

// memory.cpp
int linear_index(Writer &w, const std::vector<int> &axes);
int load(Writer &w, const Plan &plan, const Type &type);
void some_load(Writer &w, const Plan &plan);
void store(Writer &w, const Plan &plan, int value);
void round_trip(Writer &w, const Plan &plan);
void atomic_update(Writer &w, const Plan &plan);
int own_part(Writer &w, const Plan &plan, Kind kind);   // where a store of this program may write

// descriptors.cpp
void descriptor_load(Writer &w, const Plan &plan);
void descriptor_store(Writer &w, const Plan &plan);

// products.cpp
void product(Writer &w, const Plan &plan);
void product_loop(Writer &w, const Plan &plan);

}   // namespace tile::fuzz
