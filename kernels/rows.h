// SPDX-License-Identifier: MIT
// What kernels that process the rows of matrices share: their config, the list of configs, which of them fit
// a row, and what a launch is expected to take.
#pragma once

#include <tile/dsl.h>
#include <tile/row_cost.h>
#include <tile/size_bucket.h>

#include <vector>

namespace tile::kernels {

struct RowConfig {
  int block = 1024;
  bool whole_row = false;   // the row fits one block and stays in registers
  Launch launch{};
};

namespace detail {

// Those whose threads have at most so many elements of a block.
inline std::vector<RowConfig> row_configs(int most_of_thread = 32) {
  std::vector<RowConfig> configs{{.block = 128, .whole_row = true, .launch = {.num_warps = 1}},
                                 {.block = 256, .whole_row = true, .launch = {.num_warps = 1}},
                                 {.block = 1024, .whole_row = true, .launch = {.num_warps = 4}},
                                 {.block = 4096, .whole_row = true, .launch = {.num_warps = 8}},
                                 {.block = 8192, .whole_row = true, .launch = {.num_warps = 16}},
                                 {.block = 1024, .launch = {.num_warps = 4}},
                                 {.block = 4096, .launch = {.num_warps = 8}},
                                 {.block = 512, .whole_row = true, .launch = {.num_warps = 2}},
                                 {.block = 1024, .whole_row = true, .launch = {.num_warps = 2}},
                                 {.block = 2048, .whole_row = true, .launch = {.num_warps = 4}},
                                 {.block = 2048, .whole_row = true, .launch = {.num_warps = 8}},
                                 {.block = 4096, .whole_row = true, .launch = {.num_warps = 4}},
                                 {.block = 4096, .whole_row = true, .launch = {.num_warps = 16}},
                                 {.block = 8192, .whole_row = true, .launch = {.num_warps = 8}},
                                 {.block = 2048, .launch = {.num_warps = 8}},
                                 {.block = 4096, .launch = {.num_warps = 16}},
                                 {.block = 8192, .launch = {.num_warps = 16}},
                                 {.block = 16384, .whole_row = true, .launch = {.num_warps = 16}}};
  std::erase_if(configs,
                [&](const RowConfig &cfg) { return cfg.block > most_of_thread * 32 * cfg.launch.num_warps; });
  return configs;
}

// A block of which most is masked off wastes work.
inline bool keep_row_config(const RowConfig &cfg, std::int64_t cols) {
  return !cfg.whole_row || (cols <= cfg.block && (cfg.block <= 256 || cfg.block < 4 * cols));
}

inline Key row_key(std::int64_t rows, std::int64_t cols) { return {size_bucket(rows), cols}; }

inline double row_seconds(const RowConfig &cfg, const Machine &machine, Rows what) {
  what.rows = size_bucket(what.rows);
  return row_seconds(machine, what, cfg.block, cfg.whole_row, cfg.launch);
}

// A kernel with one program per row. Its first two parameters are the numbers of rows and columns. It moves
// `Moved` matrices of elements T, and reads each `Reads` times if a row does not fit a block.
template <auto Program, class T, int Moved, int Reads>
Kernel<Program>
row_kernel(const char *name,
           const tile::detail::ParameterNames<Kernel<Program>::Signature::arguments> &parameters) {
  return {
      .name = name,
      .parameters = parameters,
      .grid = [](auto &, std::int64_t rows, auto...) { return Grid{rows}; },
      .configs = row_configs(),
      .key = [](std::int64_t rows, std::int64_t cols, auto...) { return row_key(rows, cols); },
      .keep = [](auto &cfg, std::int64_t, std::int64_t cols, auto...) { return keep_row_config(cfg, cols); },
      .work = [](std::int64_t rows, std::int64_t cols,
                 auto...) { return Work{.bytes = double{Moved} * sizeof(T) * double(rows) * double(cols)}; },
      .cost = [](auto &cfg, const Machine &machine, std::int64_t rows, std::int64_t cols,
                 auto...) { return row_seconds(cfg, machine, {rows, cols, sizeof(T), Reads, Moved}); },
      .tunes = Tunes::when_asked};
}

}   // namespace detail
}   // namespace tile::kernels
