// SPDX-License-Identifier: MIT
// The families of random operations. Each adds one, or a few that belong together, to what is being written.
#pragma once

#include "tools/fuzz/writer.h"

namespace tile::fuzz {

// What a program is made of, drawn once for it.
struct Plan {
  std::vector<Kind> integers, floats;     // what is computed with
  std::vector<Kind> stored_floats;        // and what is only kept: 8-bit floats
  int one = 0, two = 0;                   // axes of these extents
  std::vector<int> axes;                  // those that tiles are made of
  std::vector<std::vector<int>> shapes;   // with axes of extent 1 and products of axes
  // A product's axes, if the program has products: M, N, K.
  int m = -1, n = -1, k = -1;
  int square = -1;   // axis of matrices that units multiply by themselves, if it has such products
  int stack = -1;    // of matrices, if it has products of stacks
  std::map<Kind, int> inputs, wild, special, outputs, sums;   // arguments
  std::map<Kind, std::size_t> output_buffers;                 // their numbers
  std::vector<int> scalars;
  int program_number = -1;     // of this program in the grid, or of what it works on in a loop over the grid
  std::int64_t programs = 0;   // how many numbers there are
  std::int64_t part = 0;       // elements of an output buffer that are one store's
};

// generate.cpp
void choose_arguments(Writer &w, Plan &plan);   // of the plan's kinds and shapes
void number_programs(Writer &w, Plan &plan);
std::function<int(const Type &)> source_of(Writer &w, const Plan &plan);   // Writer::source

// `computed`: with arithmetic.
Type any_type(Writer &w, const Plan &plan, bool tile_only = false, bool computed = false);
// One more operation, or none where nothing fits.
void statement(Writer &w, const Plan &plan);

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
// `is_whole`: of every element, so that the compiler cannot know what it gives.
int load(Writer &w, const Plan &plan, const Type &type, bool is_whole = false);
void some_load(Writer &w, const Plan &plan);
void store(Writer &w, const Plan &plan, int value);
void store_some(Writer &w, const Plan &plan, int count);   // of what nothing has used
void round_trip(Writer &w, const Plan &plan);
int own_part(Writer &w, const Plan &plan, Kind kind);   // where a store of this program may write
std::string addresses(const Type &offsets, bool is_unsigned = false);   // each element's, as the name `$~b`
double input_bound(const Writer &w, Kind kind);                         // of what a load gives

// atomics.cpp
void atomic_update(Writer &w, const Plan &plan);
void atomic_exchange(Writer &w, const Plan &plan);
void ticket(Writer &w, const Plan &plan);

// facts.cpp
void promise(Writer &w, const Plan &plan);

// special_rows.cpp
void special_rows(Writer &w, const Plan &plan);

// control.cpp
void branch(Writer &w, const Plan &plan);
void loop(Writer &w, const Plan &plan, int depth);
void while_loop(Writer &w, const Plan &plan);
void persistent_loop(Writer &w, const Plan &plan);

// descriptors.cpp
void descriptor_load(Writer &w, const Plan &plan);
void descriptor_store(Writer &w, const Plan &plan);
void descriptor_reduction(Writer &w, const Plan &plan);

// products.cpp
struct Multiplied {
  Kind a, b, sum;
};
std::vector<Multiplied> accepted_products(const Writer &w, const Plan &plan);
std::string product_options(Writer &w, Kind kind, bool is_whole = false);   // `is_whole`: not in parts
// Of two tiles, if its sums can be told exactly; else nothing is added.
void some_product(Writer &w, const Multiplied &kind, int left, int right);
void product(Writer &w, const Plan &plan);
void product_loop(Writer &w, const Plan &plan);

// shared_operands.cpp
void shared_product(Writer &w, const Plan &plan);
int transposed(Writer &w, int matrix);

}   // namespace tile::fuzz
