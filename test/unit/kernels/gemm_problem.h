// SPDX-License-Identifier: MIT
// A product as the callbacks of gemm's kernel see it, and the GPUs whose measurements are on record.
#pragma once

#include "runtime/timeline/gpu_model.h"

#include <tile/gemm.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace tile::kernels {

inline const Machine h200 = timeline::GpuModel().machine;

struct GemmProblem {
  std::int64_t m, n, k;
  bool a_by_rows = true, b_by_rows = true;

  // `trans`: as that of `tile bench`, "nn" to "tt".
  static GemmProblem parse(std::int64_t m, std::int64_t n, std::int64_t k, const std::string &trans) {
    return {m, n, k, trans[0] == 'n', trans[1] == 'n'};
  }
  GemmConfig base() const {
    return {.a = a_by_rows ? StoredBy::rows : StoredBy::columns,
            .b = b_by_rows ? StoredBy::rows : StoredBy::columns};
  }
  // Calls with the arguments of a launch.
  template <class In, class Out, class F> auto with(const F &call) const {
    const In *in = nullptr;
    Out *out = nullptr;
    return call(in, in, out, int(m), int(n), int(k), a_by_rows ? k : 1, a_by_rows ? 1 : m, b_by_rows ? n : 1,
                b_by_rows ? 1 : k, n, std::int64_t{1}, nullptr, 0, n);
  }
};

// The config that an untuned launch takes: of those that the list keeps, the one with the least cost.
struct Untuned {
  const GemmConfig *config = nullptr;
  double seconds = 0;   // its cost
};
// `admits`: of these alone.
template <class T, class Admits>
Untuned untuned_choice(const Machine &machine, const GemmProblem &problem, const Admits &admits) {
  Untuned best;
  for (const GemmConfig &each : gemm_kernel<T>.configs)
    problem.with<T, T>([&](const auto &...arguments) {
      if (!gemm_kernel<T>.keep(each, arguments...) || !admits(each))
        return;
      const double seconds = gemm_kernel<T>.cost(each, machine, arguments...);
      if (!best.config || seconds < best.seconds)
        best = {&each, seconds};
    });
  return best;
}

template <class T> Untuned untuned_choice(const Machine &machine, const GemmProblem &problem) {
  return untuned_choice<T>(machine, problem, [](const GemmConfig &) { return true; });
}

}   // namespace tile::kernels
