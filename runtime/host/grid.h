// SPDX-License-Identifier: MIT
// Runs all programs of a grid, on the threads of a device.
#pragma once

#include "runtime/host/engine.h"
#include "runtime/host/first_failure.h"
#include "runtime/host/time_limit.h"
#include "tile/device.h"
#include "tile/kernel_signature.h"

#include <functional>
#include <memory>
#include <span>

namespace tile::host {

// What the programs of one launch share.
struct Launched {
  const Grid &grid;
  std::span<const std::uint64_t> arguments;   // those that the code takes; pointers with their buffers
  Engine &engine;
  FirstFailure failure;
  TimeLimit limit;
};

// Runs programs, or clusters of them, one after the other on one host thread. It serves one launch at a time
// and is kept for later ones, until another kernel is launched.
class Runner {
 public:
  virtual ~Runner() = default;
  // Runs what has this linear index to its end; throws tile::Error, or Abandoned.
  virtual void run(Launched &launch, std::int64_t index) = 0;
  // A launch is over. Runners are told one after the other.
  virtual void finish() {}
};
// For the host's thread of this number.
using MakeRunner = std::function<std::unique_ptr<Runner>(unsigned thread)>;

// Its launches throw the error of the first program, in the order of their indices, that failed. A thread
// takes at most `portion` programs at a time.
std::unique_ptr<Executable> make_executable(Engine &engine, std::shared_ptr<const KernelSignature> kernel,
                                            MakeRunner make, std::int64_t portion = 1);

}   // namespace tile::host
