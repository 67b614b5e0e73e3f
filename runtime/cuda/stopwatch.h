// SPDX-License-Identifier: MIT
// Times of launches, alone or in a row, by the events of a stream.
#pragma once

#include "runtime/bench/stopwatch.h"
#include "runtime/cuda/stream.h"

#include <memory>

namespace tile::cuda {

// Of what is on the stream. It may be `own`, the device's, which then lives as long as the stopwatch.
std::unique_ptr<Stopwatch> make_stopwatch(std::shared_ptr<const PrimaryContext> context, Stream stream,
                                          std::shared_ptr<const OwnedStream> own);

}   // namespace tile::cuda
