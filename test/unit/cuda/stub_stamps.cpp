// SPDX-License-Identifier: MIT
// Stamps of kernels that the stub of the driver does not run: each warp of a traced CTA passes by its first
// site and ends. For programs: STUB_CUDA_STAMPS says how many stamps each warp lost.
#include "test/unit/cuda/stub_stamps.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace tile::cuda {

void write_stamps(const std::uint64_t *variable, unsigned warps) {
  const char *lost = std::getenv("STUB_CUDA_STAMPS");
  std::uint32_t ctas[16];
  std::memcpy(ctas, variable + 1, sizeof ctas);
  auto *list = reinterpret_cast<std::byte *>(static_cast<std::uintptr_t>(variable[0]));
  if (!lost || !list)
    return;
  constexpr std::size_t list_bytes = 1 << 18;
  constexpr std::uint64_t cycles = 44'000, nanoseconds = 25'000;
  for (const std::uint32_t cta : ctas)
    for (std::uint32_t warp = 0; cta != ~0u && warp < warps; ++warp, list += list_bytes) {
      const std::uint32_t who[] = {cta, warp, cta % 132, static_cast<std::uint32_t>(std::atoi(lost))},
                          stamp[] = {1100, 1100, 2, 2};
      const std::uint64_t times[] = {5000, 1000, 5000 + nanoseconds, 1000 + cycles};
      std::memcpy(list, who, sizeof who);
      std::memcpy(list + sizeof who, times, sizeof times);
      std::memcpy(list + 64, stamp, sizeof stamp);
    }
}

}   // namespace tile::cuda
