// SPDX-License-Identifier: MIT
// Runs all programs of a grid, on the threads of a device.
#pragma once

#include "runtime/device.h"
#include "runtime/host/engine.h"
#include "runtime/host/first_failure.h"
#include "runtime/host/time_limit.h"
#include "runtime/kernel_signature.h"

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>

namespace tile::host {

// What the programs of one launch share.
struct Launched {
  const Grid &grid;                           // that is started
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

// What a device of this process makes of a tensor: 128 bytes, aligned to 64 where code finds them.
using EncodeTensor = std::array<std::byte, 128> (*)(const TensorDescription &);

struct ExecutableOptions {
  std::int64_t portion = 1;        // programs that a thread takes at a time, at most
  EncodeTensor encode = nullptr;   // for code that takes maps of tensors
  std::int64_t resident = 1;   // clusters that are started of code that finds its programs itself, at most
  KernelResources resources;   // what is known of the code
};

// Its launches throw the error of the first program, in the order of their indices, that failed.
std::unique_ptr<Executable> make_executable(Engine &engine, std::shared_ptr<const KernelSignature> kernel,
                                            MakeRunner make, ExecutableOptions options = {});

}   // namespace tile::host
