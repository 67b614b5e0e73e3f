// SPDX-License-Identifier: MIT
// What the commands say of attention, forward and backward.
#pragma once

#include "kernels/attention.h"
#include "tools/registry/running.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace tile::registry {

using kernels::AttentionConfig;
using reference::Matrix;
using reference::Placed;

inline std::int64_t checked_sharing(const Settings &settings) {
  const std::int64_t heads = settings.size("heads"),
                     sharing = std::max<std::int64_t>(1, settings.size("sharing"));
  if (heads % sharing != 0)
    throw BadSetting("--sharing takes a divisor of --heads: that many heads of queries share one of keys");
  return sharing;
}

// What the settings say.
struct Chosen {
  std::int64_t heads, sharing, queries, keys, length, value_length;
  kernels::AttentionOptions options;
  bool has_slopes, has_bias;

  explicit Chosen(const Settings &settings)
      : heads(settings.size("heads")), sharing(checked_sharing(settings)), queries(settings.size("m")),
        keys(settings.size("n")), length(number(settings, "head_dim")),
        value_length(settings.choice("value_dim") == "same" ? length : number(settings, "value_dim")),
        options{.causal = settings.choice("causal") == "yes"},
        has_slopes(settings.choice("scores") == "slopes"), has_bias(settings.choice("scores") == "bias") {
    if (settings.choice("window") != "all")
      options.window.before = static_cast<int>(number(settings, "window"));
    if (settings.choice("scores") == "soft_cap")
      options.soft_cap = 2;   // scores are about 4
  }
  std::int64_t key_heads() const { return heads / sharing; }
  reference::AttentionShape shape(std::span<const double> slopes, const Matrix *bias) const {
    return {.heads = heads,
            .sharing = sharing,
            .queries = queries,
            .keys = keys,
            .causal = options.causal,
            .before = options.window.before,
            .soft_cap = options.soft_cap,
            .slopes = slopes,
            .bias = bias};
  }
  kernels::detail::AttentionSize size() const {
    auto as_int = [](std::int64_t value) { return static_cast<int>(value); };
    constexpr int none = kernels::detail::no_bound;
    return {as_int(heads),
            as_int(queries),
            as_int(keys),
            as_int(length),
            as_int(value_length),
            options.window.before.value_or(none),
            options.causal ? 0 : none};
  }
  double flop() const { return size().flop(); }
  kernels::AttentionForm form() const {
    const int bound = 0, none = kernels::detail::no_bound;
    const char given = 0;   // whose address is not null
    return kernels::detail::attention_form(
        static_cast<int>(length), static_cast<int>(value_length), options.window.before ? bound : none,
        options.causal ? bound : none, options.soft_cap, has_slopes ? &given : nullptr,
        has_bias ? &given : nullptr, nullptr);
  }
  double work_of_row() const {
    return static_cast<double>(keys) * static_cast<double>(length + value_length);
  }

 private:
  static std::int64_t number(const Settings &settings, const char *name) {
    return *parse_count(settings.choice(name));
  }
};

template <class T> TensorView<T, 3> stack_of(const MatrixView<T> &all, std::int64_t count) {
  const std::int64_t rows = count == 0 ? 0 : all.rows / count;
  return TensorView<T, 3>(all.data, {count, rows, all.cols}, {rows * all.row_stride, all.row_stride, 1});
}

inline std::vector<Parameter> attention_parameters() {
  return {{"heads", "heads of queries", "3", {}},
          {"m", "queries of a head", "77", {}},
          {"n", "keys of a head", "91", {}},
          {"head_dim",
           "elements of a row of q and k",
           "64",
           {"16", "32", "40", "64", "72", "80", "96", "128", "192", "256"}},
          {"value_dim", "elements of a row of v and o", "same", {"same", "16", "40", "64", "128", "256"}},
          {"sharing", "heads of queries that share one of keys and values", "1", {}},
          {"causal", "whether a query sees only the keys before it", "no", {"no", "yes"}},
          {"window", "keys before its own that a query sees", "all", {"all", "16", "128", "1024", "4096"}},
          {"scores", "what is done to scores", "plain", {"plain", "soft_cap", "slopes", "bias"}},
          {"dtype", "element type", "f16", element_names<f16, bf16>()}};
}

}   // namespace tile::registry
