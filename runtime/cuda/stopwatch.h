// SPDX-License-Identifier: MIT
// Times of launches, alone or in a row, by the events of a stream.
#pragma once

#include "runtime/bench/stopwatch.h"
#include "runtime/cuda/context.h"

#include <memory>

namespace tile::cuda {

std::unique_ptr<Stopwatch> make_stopwatch(std::shared_ptr<const PrimaryContext> context, Stream stream);

}   // namespace tile::cuda
