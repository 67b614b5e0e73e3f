// SPDX-License-Identifier: MIT
// Measures kernels and their peers, shape by shape.
#pragma once

#include "tools/bench/kernels.h"
#include "tools/bench/peer_file.h"
#include "tools/bench/report.h"
#include "tools/registry/registry.h"

#include <functional>
#include <string>
#include <vector>

namespace tile::bench {

// A kernel with the values of one case.
struct Wanted {
  const registry::Entry *kernel;
  registry::Settings settings;
};

struct Request {
  std::vector<Wanted> wanted;
  ConfigChoice config;
  std::string reference;   // of a user's kernels: "none", sizes as in "n=1000", or empty: lowered ones
  std::vector<std::string> peers;   // of peer_names()
  std::vector<PeerFile> files;
  Cache cache = Cache::rotating;
  int rounds = Options().rounds;
  std::function<bool()> stop = nullptr;                      // asked often; true ends it with what is there
  std::function<void(const std::string &)> told = nullptr;   // "gemm 4096 x 4096 x 4096, cublas"
};

// Throws nothing that belongs to one case: that is in its rows.
Report measure(Device &device, const Request &request);

}   // namespace tile::bench
