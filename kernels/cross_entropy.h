// SPDX-License-Identifier: MIT
// The cross entropy of each row of logits with the row's target, a column, and its gradient in one launch:
//
//   loss = log(sum(exp(logits))) - logits[target]
//
//   cross_entropy(device, logits, targets, loss, {.ignore_index = -100, .grad_scale = 1.0f / tokens},
//                 {.grad = logits});
//
// With label smoothing s, the target has the weight 1 - s, and all columns together have s:
//
//   loss = (1 - s) (lse - logits[target]) + s (lse - mean(logits)),    lse = log(sum(exp(logits)))
//   grad = factor (softmax(logits) - (1 - s) [column = target] - s / columns)
//
// The arithmetic is f32 for all element types.
#pragma once

#include <tile/dsl.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/rows.h>
#include <tile/sum_of_powers.h>
#include <tile/tensor_view.h>

#include <limits>
#include <optional>

namespace tile::kernels {

using CrossEntropyConfig = RowConfig;

// One program per row, or for some short rows. The gradient is written with Grad. `flags`: bits of
// CrossEntropyFlag. `factor_step`: 0 if all rows share one factor.
enum CrossEntropyFlag : int { checks_targets = 1, ignores_index = 2, keeps_log_sum_exp = 4, has_factors = 8 };

template <class T, class Index, bool Grad>
void cross_entropy_program(Dynamic<Int64> rows, Int64 cols, Ptr<const T> logits, Ptr<const Index> targets,
                           Ptr<f32> loss, Ptr<f32> log_sum_exp, Ptr<T> grad, Ptr<const f32> factors,
                           Int64 x_row, Int64 x_col, Int64 grad_row, Int64 grad_col,
                           Dynamic<Int64> factor_step, Dynamic<Int> flags, Dynamic<Int64> ignored,
                           Float smoothing, Float scale, const CrossEntropyConfig &cfg) {
  constexpr float lowest = -std::numeric_limits<float>::infinity(),
                  nan = std::numeric_limits<float>::quiet_NaN();
  const int block = cfg.block;
  const detail::ProgramRows at(cfg, rows, cols);
  auto row = at.number();
  auto from = logits + row * x_row;
  auto lane = at.lane();
  auto has = [&](CrossEntropyFlag flag) { return (flags & int{flag}) != 0; };
  auto take = [&](const Tensor<i64> &col) {
    return cast<f32>(load(from + col * x_col, at.inside(col), lowest));
  };

  Int64 target = cast<i64>(at.load(targets));
  Bool is_ignored = has(ignores_index) & (target == ignored), is_column = (target >= 0) & (target < cols);
  Float of_target = cast<f32>(load(from + target * x_col, at.only(is_column), nan));

  detail::SumOfPowers sum_of_powers(block, sizeof(T));
  auto powers = zeros<f32>(at.shape());
  auto inside = zeros<f32>(cfg.whole_row ? at.shape() : Shape{sum_of_powers.groups()});
  Float largest = at.each_row(lowest), total = at.each_row(0.0f);
  if (cfg.whole_row) {
    auto v = take(lane);
    largest = at.max(v);
    powers = exp(v - detail::subtrahend_of(largest));
    total = at.sum(powers);
    inside = where(lane < cols, v, 0.0f);
  } else {
    auto read = [&](bool sums_logits) {
      for (auto begin : range(0, cols, block)) {
        auto v = take(begin + lane);
        sum_of_powers.add(v);
        if (sums_logits)
          inside += sum(sum_of_powers.in_groups(where(begin + lane < cols, v, 0.0f)), 1);
      }
    };
    TILE_IF (smoothing > 0.0f) {
      read(true);
    } else {
      read(false);
    }
    largest = sum_of_powers.largest();
    total = sum_of_powers.total(largest);
  }
  // Behind the loads of the row, which may then pass the end of the program before.
  at.check(is_column | is_ignored | !has(checks_targets),
           "the target of the row with the number of this program is a column or the ignored index",
           "the target of this one of the rows of this program is a column or the ignored index");
  Float log_sum = detail::subtrahend_of(largest) + log(total), value = log_sum - of_target;
  TILE_IF (smoothing > 0.0f) {   // else -inf among the logits does not matter
    value = value * (1.0f - smoothing) + (log_sum - at.sum(inside) / cast<f32>(cols)) * smoothing;
  }
  at.store(loss, where(is_ignored, 0.0f, value));
  at.store(log_sum_exp, log_sum, has(keeps_log_sum_exp));
  if (!Grad)
    return;

  Float factor =
      where(is_column, load(factors + row * factor_step, at.only(has(has_factors)), 1.0f) * scale, nan);
  Float inverse = 1.0f / total, of_column = smoothing / cast<f32>(cols);
  auto give = [&](const Tensor<f32> &power, const Tensor<i64> &col) {
    auto difference = power * inverse - of_column - where(col == target, 1.0f - smoothing, 0.0f);
    store(grad + row * grad_row + col * grad_col, cast<T>(where(is_ignored, 0.0f, difference * factor)),
          at.inside(col));
  };
  barrier();   // the gradient may replace the logits, of which another thread read that of the target
  if (cfg.whole_row) {
    give(powers, lane);
    return;
  }
  for (auto begin : range(0, cols, block))
    give(exp(take(begin + lane) - detail::subtrahend_of(largest)), begin + lane);
}

template <class T, class Index, bool Grad = false>
inline const auto cross_entropy_kernel =
    detail::row_kernel<&cross_entropy_program<T, Index, Grad>, T, Grad ? 2 : 1, 2>(
        "cross_entropy",
        {"rows", "cols", "logits", "targets", "loss", "log_sum_exp", "grad", "factors", "x_row", "x_col",
         "grad_row", "grad_col", "factor_step", "flags", "ignored", "smoothing", "scale"},
        detail::RowLimits{.ctas = 1, .block = 8192});   // longer rows are faster in a loop

struct CrossEntropyOptions {
  std::optional<std::int64_t> ignore_index;   // rows with this target have the loss 0 and the gradient 0
  float label_smoothing = 0;                  // from 0 to 1
  float grad_scale = 1;                       // factor of the gradient
  bool check_targets = false;                 // also on GPUs: a target that is no column stops the launch
  std::optional<CrossEntropyConfig> config;   // none: the kernel chooses
  Numerics numerics = Numerics::any;          // without a config: what decides the bits of a result
};

// Further operands of cross_entropy().
template <class T> struct CrossEntropyExtras {
  std::optional<VectorView<f32>> log_sum_exp;       // written, one for each row
  std::optional<MatrixView<T>> grad;                // written: the gradient by the logits, may be the logits
  std::optional<VectorView<const f32>> grad_loss;   // further factors of `grad`: of each row, or one of all
};

// `targets`: a column for each row. One that is out of range gives NaN as loss and gradient; on devices of
// the CPU, and with check_targets, it is an error.
template <class X, class I>
void cross_entropy(OnDevice on, const MatrixView<X> &logits, const VectorView<I> &targets,
                   const VectorView<f32> &loss, const CrossEntropyOptions &options = {},
                   const CrossEntropyExtras<std::remove_const_t<X>> &extras = {}) {
  using T = std::remove_const_t<X>;
  using Index = std::remove_const_t<I>;
  static_assert(std::is_same_v<Index, i32> || std::is_same_v<Index, i64>,
                "targets have elements of i32 or i64");
  const detail::Operands operands("cross_entropy", on.where);
  operands.same_size("targets", targets.size, "a column of logits", logits.rows);
  operands.same_size("loss", loss.size, "a column of logits", logits.rows);
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1))
    operands.refuse("options.label_smoothing is " + std::to_string(options.label_smoothing) +
                    "; it must be from 0 to 1");
  const auto x = detail::placed(logits), losses = detail::placed(loss);
  const MatrixView<T> grad = extras.grad.value_or(MatrixView<T>());
  const VectorView<f32> sums = extras.log_sum_exp.value_or(VectorView<f32>());
  const VectorView<const f32> factors = extras.grad_loss.value_or(VectorView<const f32>());
  std::vector<detail::NamedOperand> all{
      {"logits", x, false}, {"targets", detail::placed(targets), false}, {"loss", losses, true}};
  if (extras.log_sum_exp) {
    operands.same_size("log_sum_exp", sums.size, "a column of logits", logits.rows);
    all.push_back({"log_sum_exp", detail::placed(sums), true});
  }
  if (extras.grad_loss) {
    if (factors.size != 1)
      operands.same_size("grad_loss", factors.size, "a column of logits", logits.rows);
    if (!extras.grad)
      operands.refuse("grad_loss is a factor of grad, which is missing");
    all.push_back({"grad_loss", detail::placed(factors), false});
  }
  operands.all_apart(all);
  if (extras.grad) {
    const auto out = detail::placed(grad);
    operands.same_shape("grad", detail::extents(grad), "logits", detail::extents(logits));
    operands.output("grad", out);
    for (const detail::NamedOperand &other : all)
      operands.apart("grad", out, other.name, other.place, other.name == "logits");
  }
  if (options.config)
    operands.row_config(*options.config, logits.cols);
  const Device &device = on.device;
  const int flags = (options.check_targets || device.kind() != "cuda" ? checks_targets : 0) |
                    (options.ignore_index ? ignores_index : 0) |
                    (extras.log_sum_exp ? keeps_log_sum_exp : 0) | (extras.grad_loss ? has_factors : 0);
  auto run = [&](const auto &kernel) {
    kernel.launch_with(detail::row_config_of(options, logits.cols), on, logits.rows, logits.cols, logits,
                       targets, loss, sums, grad, factors, logits.row_stride, logits.col_stride,
                       grad.row_stride, grad.col_stride, std::int64_t{factors.size > 1}, flags,
                       options.ignore_index.value_or(0), options.label_smoothing, options.grad_scale);
  };
  extras.grad ? run(cross_entropy_kernel<T, Index, true>) : run(cross_entropy_kernel<T, Index>);
}

}   // namespace tile::kernels
