// SPDX-License-Identifier: MIT
// How a block of queries goes through its keys: the softmax with a running maximum and a running sum, and
// which blocks of keys need a mask.
#pragma once

#include <tile/attention_scores.h>
#include <tile/dsl.h>

#include <limits>

namespace tile::kernels::detail {

inline constexpr float lowest_score = -std::numeric_limits<float>::infinity();

// The softmax of the keys that were seen so far, times their values. The scores are in units of which
// `to_log2` makes powers of two.
template <class T> struct RunningSoftmax {
  Float to_log2;
  Tensor<f32> greatest, total, sums;   // the greatest score; sums of weights, and of weights times values

  RunningSoftmax(int rows, int columns, const Float &unit)
      : to_log2(unit), greatest(full<f32>({rows}, lowest_score)), total(zeros<f32>({rows})),
        sums(zeros<f32>({rows, columns})) {}

  // `may_hide`: a row may see none of these keys.
  template <class LoadValues> void add(const Tensor<f32> &scores, bool may_hide, LoadValues load_values) {
    // The maximum is not scaled yet, so that scaling and subtracting are one operation.
    Tensor<f32> higher = maximum(greatest, max(scores, 1));
    // -inf - -inf is NaN. It can occur only where whole rows are hidden: by a mask, or by what changes
    // scores.
    auto subtrahend = (may_hide ? where(higher != lowest_score, higher, 0.0f) : higher) * to_log2;
    auto p = exp2_approx(scores * to_log2 - subtrahend(all, none));
    auto shrink = exp2_approx(greatest * to_log2 - subtrahend);
    total = total * shrink + sum(p, 1);
    sums = dot(cast<T>(p), load_values(), sums * shrink(all, none));
    greatest = higher;
  }
  Tensor<f32> result() const { return sums * where(total > 0.0f, fdiv_approx(1.0f, total), 0.0f)(all, none); }
  // The logarithm of the sum of exp(score); -inf for a row that saw no key.
  Tensor<f32> log_sum_exp() const { return greatest * (to_log2 * ln_2) + log(total); }
};

// The keys that some query of a block sees, and those that all of its queries see: their blocks need no mask.
struct KeyRange {
  Int from, end, whole_from, whole_end;
};
enum class Masked { never, always, where_needed };

// step(first key of a block, whether it needs a mask). With `in_one_loop`, that is found out in each step.
template <class Step>
void for_each_block(const KeyRange &keys, int block, bool bounded_before, bool in_one_loop, Step step) {
  if (in_one_loop) {
    for (auto begin : range(keys.from, keys.end, block))
      step(begin, Masked::where_needed);
    return;
  }
  Int whole_end = maximum(minimum(keys.whole_end, keys.end) / block * block, keys.from),
      whole_from = keys.from;
  if (bounded_before) {
    whole_from = minimum(maximum(cdiv(keys.whole_from, block) * block, keys.from), whole_end);
    for (auto begin : range(keys.from, whole_from, block))
      step(begin, Masked::always);
  }
  for (auto begin : range(whole_from, whole_end, block))
    step(begin, Masked::never);
  for (auto begin : range(whole_end, keys.end, block))
    step(begin, Masked::always);
}

// Hides the scores of keys that a query does not see.
inline void hide_unseen(Tensor<f32> &scores, Masked masked, const Int &begin, int block, const KeyRange &keys,
                        const Sight &sight, const ScorePlace &at) {
  auto hide = [&] {
    scores = where(broadcast_to(sight.visible(at.query, at.key), scores.shape()), scores, lowest_score);
  };
  if (masked == Masked::always)
    hide();
  if (masked == Masked::where_needed)
    TILE_IF (sight.bounded_before ? (begin + block > keys.whole_end) | (begin < keys.whole_from)
                                  : begin + block > keys.whole_end) {
      hide();
    }
}

}   // namespace tile::kernels::detail
