// SPDX-License-Identifier: MIT
// The primary context of a GPU, the one the CUDA runtime API and PyTorch use too, so that their
// memory and streams are ours and ours theirs.
#pragma once

#include "runtime/cuda/driver.h"

namespace tile::cuda {

class PrimaryContext {
 public:
  explicit PrimaryContext(int ordinal);
  ~PrimaryContext();
  PrimaryContext(const PrimaryContext &) = delete;
  PrimaryContext &operator=(const PrimaryContext &) = delete;

  Context handle() const { return context_; }
  int device() const { return device_; }

 private:
  int device_ = 0;
  Context context_ = nullptr;
};

// Makes a context current in this thread for the length of a scope and puts back what was there.
// Costs one driver call when it already is current, as in a program that has one GPU.
class Current {
 public:
  explicit Current(const PrimaryContext &context);
  ~Current();
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;

 private:
  Context before_ = nullptr;
  bool changed_ = false;
};

}   // namespace tile::cuda
