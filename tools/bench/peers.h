// SPDX-License-Identifier: MIT
// The peers by name, one per file.
#pragma once

#include "tools/bench/provider.h"

#include <memory>

namespace tile::bench {

std::unique_ptr<Provider> make_cublas(Device &device, Stopwatch &stopwatch);
std::unique_ptr<Provider> make_cublaslt(Device &device, Stopwatch &stopwatch);
std::unique_ptr<Provider> make_cudnn(Device &device, Stopwatch &stopwatch);
std::unique_ptr<Provider> make_copy(Device &device, Stopwatch &stopwatch);

}   // namespace tile::bench
