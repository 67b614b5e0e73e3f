// SPDX-License-Identifier: MIT
// Who can compute a problem: our kernels, and what they are compared with. To the bench all are alike: some
// candidates, of which the fastest is found, checked and measured.
#pragma once

#include "runtime/bench/stopwatch.h"
#include "tools/bench/data.h"
#include "tools/registry/registry.h"

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tile::bench {

// One shape of one kernel.
struct Job {
  Device &device;
  Stopwatch &stopwatch;
  const registry::Entry &kernel;
  const registry::Settings &settings;
  const registry::Problem &problem;
  // The same product with b stored the other way, for libraries that may choose the layout; null: there is no
  // such product.
  const registry::Problem *other_layout = nullptr;
  const Data &data;
};

struct Candidate {
  std::string config;                           // what people know it by
  std::function<void(int)> call;                // on a set of the data
  const registry::Problem *problem = nullptr;   // that it computes; null: the job's
  bool computes = true;                         // a result that can be checked
};

// Why a provider does not take part, where that is no mistake: it has no such function, or is not here.
class Cannot : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// For destructors: whether `work`, which gives a library's handle back, was done. Where the context is lost
// there is nothing to give back.
bool is_released(Stopwatch &stopwatch, const std::function<void()> &work) noexcept;

class Provider {
 public:
  virtual ~Provider() = default;
  virtual std::string name() const = 0;
  // "cuBLAS 13.1.0, /usr/local/cuda/lib64/libcublas.so.13"; empty: nothing to say.
  virtual std::string version() const { return {}; }
  // Ready to be called while the job lives, the likely fastest first. Throws Cannot, or tile::Error where
  // something is wrong.
  virtual std::vector<Candidate> candidates(const Job &job) = 0;
};

// What may be compared with by name, besides files: "cublas", "cublaslt-best", "cudnn", "copy".
std::vector<std::string> peer_names();
// Throws tile::Error where it is not on this machine; the name is one of these.
std::unique_ptr<Provider> make_peer(const std::string &name, Device &device, Stopwatch &stopwatch);

}   // namespace tile::bench
