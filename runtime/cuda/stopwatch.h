// SPDX-License-Identifier: MIT
// Times of single launches, each with cold caches.
#pragma once

#include "runtime/cuda/context.h"
#include "runtime/tuning/stopwatch.h"

#include <memory>

namespace tile::cuda {

std::unique_ptr<Stopwatch> make_stopwatch(std::shared_ptr<const PrimaryContext> context, Stream stream);

}   // namespace tile::cuda
