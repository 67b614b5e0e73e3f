// SPDX-License-Identifier: MIT
#include "runtime/cuda/launch_maps.h"

#include <algorithm>
#include <array>

namespace tile::cuda {
namespace {

constexpr std::size_t place = KernelSignature::nothing_bytes;
enum Place { Zeros, Nans, Stored, Places };

struct Kept {
  std::uint64_t executable = 0;
  TensorNumbers numbers;
  alignas(64) TensorMap map{};
};

// Those of one kernel never share a place: their numbers follow each other.
constexpr std::size_t keptMaps = 2 * KernelSignature::most_tensors;
Kept &keptFor(std::uint64_t executable, std::size_t index) {
  thread_local std::array<Kept, keptMaps> kept;
  return kept[(executable * KernelSignature::most_tensors + index) % keptMaps];
}

}   // namespace

NothingMemory::NothingMemory(std::shared_ptr<const PrimaryContext> context) : context_(std::move(context)) {
  std::array<unsigned char, place * Places> contents{};
  std::fill_n(contents.begin() + place * Nans, place, 0xFF);
  Current current(*context_);
  check(Driver::get().memAlloc(&begin_, contents.size()), "allocate memory for tensors without elements");
  check(Driver::get().memcpyHtoD(begin_, contents.data(), contents.size()),
        "fill memory for tensors without elements");
}

NothingMemory::~NothingMemory() {
  const Driver &driver = Driver::get();
  Context before = nullptr;
  driver.ctxGetCurrent(&before);
  if (driver.ctxSetCurrent(context_->handle()) == Result::Success)
    driver.memFree(begin_);
  driver.ctxSetCurrent(before);
}

Address NothingMemory::of(const TensorParameter &tensor) const {
  const Place which = tensor.is_written                               ? Stored
                      : KernelSignature::nothing_byte(tensor) == 0xFF ? Nans
                                                                      : Zeros;
  return begin_ + place * which;
}

const void *MapsOfLaunch::encoded(const TensorParameter &tensor, std::size_t index) const {
  const TensorNumbers numbers = kernel.numbers(tensor, arguments);
  Kept &kept = keptFor(executable, index);
  if (kept.executable != executable || kept.numbers != numbers) {
    kept.executable = 0;
    try {
      const LaunchedTensor launched = kernel.launched(tensor, numbers, nothing.of(tensor));
      kept.map = encodeTensorMap(context, launched.description(),
                                 tensor.is_written ? Promotion::none : Promotion::bytes128);
    } catch (Error &error) {
      error.add_context(kernel.title());
      throw;
    }
    kept.numbers = numbers;
    kept.executable = executable;
  }
  return kept.map.data();
}

}   // namespace tile::cuda
