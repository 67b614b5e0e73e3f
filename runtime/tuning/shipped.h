// SPDX-License-Identifier: MIT
// Tunings that come with a library of kernels: lines of JSON, each the config of a key on a GPU.
//
//   {"device": "NVIDIA H200", "kernel": "gemm", "arguments": "f16* f16* f16*",
//    "key": "4096 4096 4096 1 1 1", "config": "block_n=256,launch.num_stages=4", "median": 0.000221}
#pragma once

#include <string>
#include <string_view>

namespace tile::tuning {

struct Shipped {
  std::string device;                   // what a Device's description begins with
  std::string kernel, arguments, key;   // `arguments`: the types of its pointers
  std::string config;          // the fields that are not as by default, as `tile run --config` takes them
  double median = 0;           // seconds; 0: not known
  bool is_predicted = false;   // by a model: a line that was measured has priority, wherever it stands
};

// The config that the lines have for this one; empty: none. The lines stay where they are to the end of the
// process, and are read once. Throws tile::Error, with the line's number, where one is damaged.
std::string shipped_config(std::string_view lines, const Shipped &wanted);

// A line of such a table.
std::string line_of(const Shipped &tuning);

}   // namespace tile::tuning
