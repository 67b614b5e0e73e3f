// SPDX-License-Identifier: MIT
// Writes each f32 of a matrix as a sum of bf16 numbers, its terms:
//
//   1.2345678 = 1.234375 + 0.00019264221 + 0.00000011921
//
// Each term holds the next eight digits of the number. So three terms hold all 24 digits, and products of
// terms run on matrix units. gemm_of_terms.h multiplies them.
//
// Numbers below 2^-109 lose digits, because the terms have none below 2^-133. The largest numbers do not
// round to infinity: their first term is the largest bf16, and the second one holds what is left.
//
// An infinity or a NaN is the last term. The first one is then 1 with its sign, the second one 0. The last
// term is only multiplied by the first one of the other factor, so that inf * 2, inf * 0 and inf * -inf come
// out as they do in f32: no infinity meets a term that is 0 although its number is not.
#pragma once

#include <tile/dsl.h>

#include <cstdint>

namespace tile::kernels {

struct TermsConfig {
  int terms = 3;
  int block_lines = 8, block_along = 512;
  Launch launch{.num_warps = 4};
};

// The matrix has `lines` lines of `along` contiguous elements. Plane t of the result has term t of each
// element.
inline void bf16_terms_program(Ptr<const f32> x, Ptr<bf16> planes, Int lines, Int along, Int64 x_line,
                               Int64 x_along, Int64 plane, Int64 plane_line, const TermsConfig &cfg) {
  constexpr float largest_bf16 = 0x1.FEp127f, largest = 0x1.FFFFFEp127f;
  Int blocks = cdiv(along, cfg.block_along);
  auto i = cast<i64>(program_id(0) / blocks * cfg.block_lines + arange(0, cfg.block_lines))(all, none);
  auto j = cast<i64>(program_id(0) % blocks * cfg.block_along + arange(0, cfg.block_along))(none, all);
  auto within = (i < cast<i64>(lines)) & (j < cast<i64>(along));
  auto given = load(x + (i * x_line + j * x_along), within);

  auto is_finite = abs(given) <= largest;
  auto left = where(is_finite, given, where(given < 0.0f, constant<f32>(-1), 1.0f));
  for (int t = 0; t < cfg.terms; ++t) {
    auto term = cast<bf16>(t == 0 ? minimum(maximum(left, -largest_bf16), largest_bf16) : left);
    left = left - cast<f32>(term);
    if (t == cfg.terms - 1)
      term = where(is_finite, term, cast<bf16>(given));
    store(planes + (plane * t + i * plane_line + j), term, within);
  }
}

inline const Kernel<&bf16_terms_program> bf16_terms_kernel{
    .name = "bf16_terms",
    .parameters = {"x", "planes", "lines", "along", "x_line", "x_along", "plane", "plane_line"},
    .grid = [](auto &cfg, auto, auto, int lines, int along, auto...) {
      return Grid{std::int64_t{cdiv(lines, cfg.block_lines)} * cdiv(along, cfg.block_along)};
    }};

}   // namespace tile::kernels
