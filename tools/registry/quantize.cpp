// SPDX-License-Identifier: MIT
// quantize_rows, quantize_blocks and quantize_by by name. Given scales are any numbers.
#include "kernels/quantize.h"

#include "tools/reference/quantize.h"
#include "tools/registry/row_functions.h"

#include <map>

namespace tile::registry {
namespace {

using kernels::ScaleOf;
using reference::Matrix;
using reference::QuantizedForm;

constexpr std::int64_t block = kernels::detail::quantized_block;

template <class F> auto with_quantized(const Settings &settings, F f) {
  return with_element<e4m3, e5m2, i8>(settings.choice("to"), f);
}
bool rounds_scales(const Settings &settings) { return settings.choice("scales") == "powers_of_two"; }

Parameter to_parameter() { return {"to", "element type of q", "e4m3", element_names<e4m3, e5m2, i8>()}; }
Parameter scales_parameter() {
  return {"scales", "whether scales are powers of two", "any", {"any", "powers_of_two"}};
}

template <class T, class Q> struct Views {
  std::span<void *const> at;
  MatrixView<const T> x(std::int64_t rows, std::int64_t cols) const {
    return {static_cast<const T *>(at[0]), rows, cols};
  }
  MatrixView<Q> q(std::size_t operand, std::int64_t rows, std::int64_t cols) const {
    return {static_cast<Q *>(at[operand]), rows, cols};
  }
  MatrixView<f32> scales(std::size_t operand, std::int64_t rows, std::int64_t cols) const {
    return {static_cast<f32 *>(at[operand]), rows, cols};
  }
};

double bytes_of(const std::vector<Operand> &operands) {
  double bytes = 0;
  for (const Operand &operand : operands)
    bytes += operand.bytes();
  return bytes;
}

template <class T> struct QuantizeRows {
  using Config = kernels::QuantizeRowsConfig;

  static Problem problem(const Settings &settings) {
    return with_quantized(settings, [&]<class Q>(std::type_identity<Q>) {
      const std::int64_t m = settings.size("m"), n = settings.size("n");
      const kernels::QuantizeRowsOptions options{.powers_of_two = rounds_scales(settings),
                                                 .config = config_of<Config>(settings)};
      Problem problem{.kind = Problem::Kind::other_rows,
                      .operands = {{"x", element_type<T>, m, n},
                                   {"q", element_type<Q>, m, n, false, true},
                                   {"scales", element_type<f32>, m, 1, false, true}},
                      .work_of_row = reference::work_of_quantizing * static_cast<double>(n)};
      problem.work.bytes = bytes_of(problem.operands);
      problem.bind = [=](Device &device, auto at) {
        const Views<T, Q> views{at};
        const auto x = views.x(m, n);
        const auto q = views.q(1, m, n);
        const auto scales = views.scales(2, m, 1);
        return Problem::Launch([=, &device] { kernels::quantize_rows(device, x, q, scales, options); });
      };
      problem.expected = [=](std::size_t output, const Problem::Read &read,
                             std::span<const std::int64_t> rows) {
        auto [q, scales] =
            reference::quantized(rows_of_operand(read, 0, n, rows),
                                 {.type = element_type<Q>, .powers_of_two = options.powers_of_two});
        return output == 1 ? q : scales;
      };
      return problem;
    });
  }

  static KernelIR trace(const Settings &settings, bool specialized) {
    return with_quantized(settings, [&]<class Q>(std::type_identity<Q>) {
      const RowClasses c(specialized);
      std::vector<ArgClass> classes(12, c.by16);
      classes[0] = classes[5] = classes[6] = c.any;     // rows, least_scale and rounding
      classes[8] = classes[10] = classes[11] = c.one;   // from column to column; from scale to scale
      return kernels::quantize_rows_kernel<T, Q>.trace(config_from<Config>(settings.config), classes);
    });
  }
  static auto configs(const Settings &settings) {
    return with_quantized(
        settings, []<class Q>(std::type_identity<Q>) { return kernels::quantize_rows_kernel<T, Q>.configs; });
  }
};

// A result of quantize_blocks: the first of its two operands, and its sizes.
struct BlocksResult {
  std::size_t operand;
  std::int64_t rows, cols;
  bool is_transposed;
};

// Rows of a result, or of its scales. `lines` reads rows of x, or columns as rows.
Matrix expected_blocks(const QuantizedForm &form, const BlocksResult &of, bool is_scales,
                       std::span<const std::int64_t> rows,
                       const std::function<Matrix(const std::vector<std::int64_t> &)> &lines) {
  std::map<std::int64_t, reference::Quantized> groups;   // of rows that have scales together
  const std::int64_t of_group = form.block_rows;
  Matrix result(static_cast<std::int64_t>(rows.size()), is_scales ? form.scales_of_row(of.cols) : of.cols);
  for (std::int64_t i = 0; i < result.rows; ++i) {
    const std::int64_t row = rows[static_cast<std::size_t>(i)], group = is_scales ? row : row / of_group;
    auto found = groups.find(group);
    if (found == groups.end()) {
      std::vector<std::int64_t> of_lines;
      for (std::int64_t line = group * of_group; line < std::min(of.rows, (group + 1) * of_group); ++line)
        of_lines.push_back(line);
      found = groups.emplace(group, reference::quantized(lines(of_lines), form)).first;
    }
    const Matrix &from = is_scales ? found->second.scales : found->second.q;
    for (std::int64_t col = 0; col < result.cols; ++col)
      result.at(i, col) = from.at(is_scales ? 0 : row % of_group, col);
  }
  return result;
}

// Columns of x as rows.
Matrix columns_of(const Problem::Read &read, std::int64_t rows, std::int64_t cols,
                  const std::vector<std::int64_t> &some) {
  Matrix result(static_cast<std::int64_t>(some.size()), rows);
  std::vector<double> line(static_cast<std::size_t>(cols));
  for (std::int64_t row = 0; row < rows; ++row) {
    read(0, row, line);
    for (std::size_t i = 0; i < some.size(); ++i)
      result.at(static_cast<std::int64_t>(i), row) = line[static_cast<std::size_t>(some[i])];
  }
  return result;
}

ScaleOf form_of(const Settings &settings) {
  return settings.choice("blocks") == "lines" ? ScaleOf::lines : ScaleOf::squares;
}
int results_of(const Settings &settings) {
  const ScaleOf form = form_of(settings);
  const std::string &result = settings.choice("result");
  return kernels::detail::number_of(result == "transposed" ? ScaleOf::nothing : form,
                                    result == "straight" ? ScaleOf::nothing : form);
}
// What a config is where nothing is said.
kernels::QuantizeBlocksConfig base_of(int results) {
  if (!kernels::detail::goes_across_rows(results))
    return {};
  return {.block_m = 128, .block_n = 128, .launch = {.num_warps = 8}};
}

template <class T> struct QuantizeBlocks {
  using Config = kernels::QuantizeBlocksConfig;

  static Problem problem(const Settings &settings) {
    return with_quantized(settings, [&]<class Q>(std::type_identity<Q>) {
      const std::int64_t m = settings.size("m"), n = settings.size("n");
      const int kinds = results_of(settings);
      kernels::QuantizeBlocksOptions options{.powers_of_two = rounds_scales(settings)};
      if (!settings.config.empty())
        options.config = config_from<Config>(settings.config, base_of(kinds));
      const bool are_squares = form_of(settings) == ScaleOf::squares;
      const QuantizedForm form{.type = element_type<Q>,
                               .block_rows = are_squares ? block : 1,
                               .block_cols = block,
                               .powers_of_two = options.powers_of_two};
      Problem problem{.kind = Problem::Kind::other_rows, .operands = {{"x", element_type<T>, m, n}}};
      std::vector<BlocksResult> results;
      auto add = [&](const char *q, const char *scales, std::int64_t rows, std::int64_t cols) {
        results.push_back({problem.operands.size(), rows, cols, *q == 't'});
        problem.operands.push_back({q, element_type<Q>, rows, cols, false, true});
        problem.operands.push_back(
            {scales, element_type<f32>, cdiv(rows, form.block_rows), form.scales_of_row(cols), false, true});
        problem.work_of_row =
            std::max(problem.work_of_row, reference::work_of_quantizing * static_cast<double>(cols) *
                                              static_cast<double>(form.block_rows));
      };
      if (kernels::detail::straight_of(kinds) != ScaleOf::nothing)
        add("q", "scales", m, n);
      if (kernels::detail::transposed_of(kinds) != ScaleOf::nothing)
        add("transposed q", "transposed scales", n, m);
      problem.work.bytes = bytes_of(problem.operands);
      problem.bind = [=](Device &device, auto at) {
        const Views<T, Q> views{at};
        auto result = [&](const BlocksResult &one) {
          return kernels::Quantized<Q>{
              views.q(one.operand, one.rows, one.cols),
              views.scales(one.operand + 1, cdiv(one.rows, form.block_rows), form.scales_of_row(one.cols))};
        };
        const kernels::Quantized<Q> first = result(results[0]);
        kernels::QuantizeBlocksExtras<Q> extras;
        if (results.size() == 2)
          extras.transposed = result(results[1]);
        auto x = views.x(m, n);
        if (results[0].is_transposed)
          x = x.transposed();
        return Problem::Launch(
            [=, &device] { kernels::quantize_blocks(device, x, first.q, first.scales, options, extras); });
      };
      problem.expected = [=](std::size_t output, const Problem::Read &read,
                             std::span<const std::int64_t> rows) {
        const BlocksResult &of = results[(output - 1) / 2];
        const bool is_scales = output > of.operand;
        return expected_blocks(form, of, is_scales, rows, [&](const std::vector<std::int64_t> &some) {
          return of.is_transposed ? columns_of(read, m, n, some) : rows_of_operand(read, 0, n, some);
        });
      };
      return problem;
    });
  }

  static KernelIR trace(const Settings &settings, bool specialized) {
    return with_quantized(settings, [&]<class Q>(std::type_identity<Q>) {
      const RowClasses c(specialized);
      const int kinds = results_of(settings);
      auto config = config_from<Config>(settings.config, base_of(kinds));
      config.form = {kernels::detail::straight_of(kinds), kernels::detail::transposed_of(kinds),
                     specialized && kernels::detail::transposed_of(kinds) != ScaleOf::nothing ? 16 : 1};
      std::vector<ArgClass> classes(20, c.by16);
      classes[0] = classes[2] = c.any;                   // rows, and which results there are
      classes[8] = classes[9] = c.any;                   // least_scale and rounding
      classes[11] = classes[13] = classes[17] = c.one;   // from column to column
      classes[14] = classes[18] = c.any;                 // scales of a row
      classes[15] = classes[19] = c.one;
      return kernels::quantize_blocks_kernel<T, Q>.trace(config, classes);
    });
  }
  static auto configs(const Settings &settings) {
    const int kinds = results_of(settings);
    std::vector<Config> configs = kernels::detail::quantize_blocks_configs(sizeof(T));
    std::erase_if(configs, [&](const Config &config) {
      return !kernels::detail::keep_quantize_blocks_config(config, 4096, 4096, kinds);
    });
    return configs;
  }
};

template <class T> struct QuantizeBy {
  using Config = kernels::QuantizeByConfig;

  static Problem problem(const Settings &settings) {
    return with_quantized(settings, [&]<class Q>(std::type_identity<Q>) {
      const std::int64_t m = settings.size("m"), n = settings.size("n");
      const kernels::QuantizeByOptions options{.config = config_of<Config>(settings)};
      const std::string &given = settings.choice("given");
      QuantizedForm form{.type = element_type<Q>};
      if (given == "one")
        form.block_rows = std::max<std::int64_t>(m, 1);
      else if (given != "rows")
        form.block_cols = block;
      if (given == "squares")
        form.block_rows = block;
      const std::int64_t scales_rows = given == "one" ? 1 : cdiv(m, form.block_rows),
                         scales_cols = form.scales_of_row(n);
      Problem problem{.kind = Problem::Kind::other_rows,
                      .operands = {{"x", element_type<T>, m, n},
                                   {"scales", element_type<f32>, scales_rows, scales_cols},
                                   {"q", element_type<Q>, m, n, false, true}},
                      .work_of_row = reference::work_of_quantizing * static_cast<double>(n)};
      problem.work.bytes = bytes_of(problem.operands);
      problem.bind = [=](Device &device, auto at) {
        const Views<T, Q> views{at};
        const auto x = views.x(m, n);
        const auto q = views.q(2, m, n);
        const MatrixView<const f32> scales = views.scales(1, scales_rows, scales_cols);
        return Problem::Launch([=, &device] { kernels::quantize_by(device, x, q, scales, options); });
      };
      problem.expected = [=](std::size_t, const Problem::Read &read, std::span<const std::int64_t> rows) {
        std::vector<std::int64_t> of_scales;
        for (const std::int64_t row : rows)
          of_scales.push_back(row / form.block_rows);
        QuantizedForm by_row = form;   // each of these rows has scales of its own now
        by_row.block_rows = 1;
        return reference::quantized_by(rows_of_operand(read, 0, n, rows),
                                       rows_of_operand(read, 1, scales_cols, of_scales), by_row);
      };
      return problem;
    });
  }

  static KernelIR trace(const Settings &settings, bool specialized) {
    return with_quantized(settings, [&]<class Q>(std::type_identity<Q>) {
      const RowClasses c(specialized);
      std::vector<ArgClass> classes(12, c.by16);
      classes[0] = classes[5] = c.any;   // rows and row_shift
      classes[8] = c.any;                // scales of a row
      classes[7] = classes[9] = classes[11] = c.one;
      return kernels::quantize_by_kernel<T, Q>.trace(config_from<Config>(settings.config), classes);
    });
  }
  static auto configs(const Settings &) { return kernels::detail::quantize_by_configs(sizeof(T)); }
};

}   // namespace

Entry quantize_rows_entry() {
  return row_entry<QuantizeRows>("quantize_rows", "rows as 8-bit numbers with a scale each",
                                 {to_parameter(), scales_parameter()});
}
Entry quantize_blocks_entry() {
  return row_entry<QuantizeBlocks>(
      "quantize_blocks", "a matrix as 8-bit numbers with scales by blocks, or its transpose",
      {to_parameter(),
       scales_parameter(),
       {"blocks", "lines of 128 elements, or squares of 128 x 128", "lines", {"lines", "squares"}},
       {"result", "what is written", "straight", {"straight", "transposed", "both"}}});
}
Entry quantize_by_entry() {
  return row_entry<QuantizeBy>("quantize_by", "a matrix as 8-bit numbers with scales that are given",
                               {to_parameter(),
                                {"given",
                                 "scales: one, of rows, of lines or of squares",
                                 "one",
                                 {"one", "rows", "lines", "squares"}}});
}

}   // namespace tile::registry
