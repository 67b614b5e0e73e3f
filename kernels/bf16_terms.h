// SPDX-License-Identifier: MIT
// Writes each f32 of a matrix as a sum of bf16 numbers, its terms:
//
//   1.2345678 = 1.234375 + 0.00019264221 + 0.00000011921
//
// Each term holds the next eight digits of the number. So three terms hold all 24 digits, and products of
// terms run on matrix units. gemm_of_terms.h multiplies them.
//
// Numbers below 2^-109 lose digits, because the terms have none below 2^-133. The largest numbers do not
// round to infinity: their first term is the largest bf16, and the second one holds what is left. The line of
// an infinity or a NaN is marked, and its terms mean nothing.
#pragma once

#include <tile/dsl.h>

#include <array>
#include <cstdint>

namespace tile::kernels {

struct TermsConfig {
  int terms = 3;
  bool lines_along_k = true;   // the contiguous lines of the matrix run along K
  int block_lines = 8, block_along = 512;
  Launch launch{.num_warps = 4};

  static TermsConfig of(int terms, bool lines_along_k) {
    return lines_along_k
               ? TermsConfig{.terms = terms}
               : TermsConfig{.terms = terms, .lines_along_k = false, .block_lines = 64, .block_along = 64};
  }
};

// The matrix has `lines` lines of `along` contiguous elements. Plane t of the result has term t of each
// element. `marks` tell which rows of a left factor, or columns of a right one, have infinities or NaNs.
// There is one line of them for each block of K.
inline void bf16_terms_program(Ptr<const f32> x, Ptr<bf16> planes, Ptr<i8> marks, Int lines, Int along,
                               Int64 x_line, Int64 x_along, Int64 plane, Int64 plane_line, Int64 marks_line,
                               const TermsConfig &cfg) {
  constexpr float largest_bf16 = 0x1.FEp127f, largest = 0x1.FFFFFEp127f;
  Int blocks = cdiv(along, cfg.block_along);
  Int block_of_lines = program_id(0) / blocks, block_along = program_id(0) % blocks;
  auto i = block_of_lines * cfg.block_lines + arange(0, cfg.block_lines);
  auto j = block_along * cfg.block_along + arange(0, cfg.block_along);
  auto within = (i(all, none) < lines) & (j(none, all) < along);
  auto given = load(x + (cast<i64>(i)(all, none) * x_line + cast<i64>(j)(none, all) * x_along), within);

  auto left = given;
  for (int t = 0; t < cfg.terms; ++t) {
    auto term = cast<bf16>(minimum(maximum(left, -largest_bf16), largest_bf16));
    store(planes + plane * t + (cast<i64>(i)(all, none) * plane_line + cast<i64>(j)(none, all)), term,
          within);
    left = left - cast<f32>(term);
  }

  auto is_marked = where(abs(given) <= largest, constant<i32>(0), 1);
  if (cfg.lines_along_k)
    store(marks + cast<i64>(block_along) * marks_line + cast<i64>(i), cast<i8>(max(is_marked, 1)), i < lines);
  else
    store(marks + cast<i64>(block_of_lines) * marks_line + cast<i64>(j), cast<i8>(max(is_marked, 0)),
          j < along);
}

inline const Kernel<&bf16_terms_program> bf16_terms_kernel{
    .name = "bf16_terms",
    .parameters = {"x", "planes", "marks", "lines", "along", "x_line", "x_along", "plane", "plane_line",
                   "marks_line"},
    .grid = [](auto &cfg, auto, auto, auto, int lines, int along, auto...) {
      return Grid{std::int64_t{cdiv(lines, cfg.block_lines)} * cdiv(along, cfg.block_along)};
    }};

}   // namespace tile::kernels
