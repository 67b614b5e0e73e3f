// SPDX-License-Identifier: MIT
#include "tools/bench/roofline.h"

#include <algorithm>
#include <array>

namespace tile::bench {
namespace {

// Of one multiprocessor in one clock, dense: by NVIDIA's papers on the architectures.
struct Rates {
  int capability;
  double f16, fp8, i8, tf32, f32;   // 0: it has no such unit
};
constexpr std::array rates{Rates{80, 2048, 0, 4096, 1024, 128}, Rates{86, 1024, 0, 2048, 512, 256},
                           Rates{89, 1024, 2048, 2048, 512, 256}, Rates{90, 4096, 8192, 8192, 2048, 256},
                           Rates{100, 8192, 16384, 16384, 4096, 256}};

}   // namespace

double peak_flop(const Machine &machine, ElementType type, bool tf32) {
  const auto found = std::ranges::find(rates, machine.capability, &Rates::capability);
  if (found == rates.end())
    return 0;
  const double each = type.is_fp8()                                       ? found->fp8
                      : type.kind == Kind::I8                             ? found->i8
                      : type.kind == Kind::F32                            ? (tf32 ? found->tf32 : found->f32)
                      : type.kind == Kind::F16 || type.kind == Kind::BF16 ? found->f16
                                                                          : 0;
  return each * machine.multiprocessors * machine.clock_hertz;
}

Roof roof(const Machine &machine, const Work &work, ElementType type, bool tf32) {
  const double flop = work.flop > 0 ? peak_flop(machine, type, tf32) : 0;
  const double computing = flop > 0 ? work.flop / flop : 0;
  const double moving =
      machine.memory_bytes_per_second > 0 ? work.bytes / machine.memory_bytes_per_second : 0;
  if ((work.flop > 0 && computing <= 0) || moving <= 0)
    return {};
  return {std::max(computing, moving), moving >= computing};
}

}   // namespace tile::bench
