// SPDX-License-Identifier: MIT
// scaled_gemm by name: its settings, a checked run, its IR. Scales are random, from 0.5 to 1.5.
#include "kernels/scaled_gemm.h"
#include "tools/registry/kernel_entries.h"
#include "tools/registry/running.h"

#include <cmath>

namespace tile::registry {

using kernels::GemmConfig;
using kernels::ScaledBy;
using kernels::Scales;
using reference::Matrix;
using reference::Placed;

static ScaledBy form_of(const Settings &settings) {
  return settings.choice("scales") == "blocks" ? ScaledBy::blocks : ScaledBy::lines;
}

// What a config is where nothing is said.
static const GemmConfig base_config{
    .b = kernels::StoredBy::columns, .block_k = Scales::block, .launch = {.num_warps = 8, .num_stages = 4}};
static std::optional<GemmConfig> chosen_config(const Settings &settings) {
  return settings.config.empty() ? std::nullopt
                                 : std::optional(config_from<GemmConfig>(settings.config, base_config));
}

// The number of scales along K, and along the columns of b.
struct ScaleCounts {
  std::int64_t along_k, of_columns;

  ScaleCounts(ScaledBy form, std::int64_t n, std::int64_t k)
      : along_k(form == ScaledBy::blocks ? cdiv(k, std::int64_t{Scales::block}) : 1),
        of_columns(form == ScaledBy::blocks ? cdiv(n, std::int64_t{Scales::block}) : n) {}
};

// Some rows of the result in float64. `a` has the rows and `a_scales` theirs, b is k x n.
static Matrix scaled_product(const Matrix &a, const Matrix &b, const Matrix &a_scales, const Matrix &b_scales,
                             ScaledBy form) {
  const bool by_blocks = form == ScaledBy::blocks;
  Matrix c(a.rows, b.cols);
  reference::count_work(static_cast<double>(a.rows) * static_cast<double>(a.cols) *
                        static_cast<double>(b.cols));
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t l = 0; l < a.cols; ++l) {
      const std::int64_t block = by_blocks ? l / Scales::block : 0;
      const double left = a.at(i, l) * a_scales.at(i, block);
      for (std::int64_t j = 0; j < b.cols; ++j)
        c.at(i, j) += left * b.at(l, j) * b_scales.at(block, by_blocks ? j / Scales::block : j);
    }
  return c;
}

static Matrix random_scales(std::int64_t rows, std::int64_t cols, std::mt19937_64 &source) {
  Matrix scales = reference::random_matrix(rows, cols, element_type<f32>, source);
  for (double &scale : scales.values)
    scale = 1 + scale / 2;
  return scales;
}

// Matrix units sum 8-bit floats with 14 bits, within a block of K.
template <class Out> static reference::Tolerance tolerance_of(std::int64_t k) {
  const double size = std::sqrt(static_cast<double>(std::max<std::int64_t>(k, 1)));
  return {std::max(0.01, reference::elementwise_tolerance(element_type<Out>).relative), 5e-3 * size};
}

template <class In, class Out> static Outcome run(Device &device, const Settings &settings) {
  const std::int64_t m = settings.size("m"), n = settings.size("n"), k = settings.size("k");
  const ScaledBy form = form_of(settings);
  const ScaleCounts counts(form, n, k);
  const auto config = chosen_config(settings);
  std::mt19937_64 source(settings.seed);
  Placed<In> a(device, "a", m, k, {.padding = reference::padding_to_16_bytes<In>(k)});
  Placed<In> b(device, "b", k, n, {.by_columns = true, .padding = reference::padding_to_16_bytes<In>(k)});
  Placed<f32> a_scales(device, "a_scales", m, counts.along_k, {.by_columns = true}),
      b_scales(device, "b_scales", counts.along_k, counts.of_columns);
  Placed<Out> c(device, "c", m, n, {.padding = reference::padding_to_16_bytes<Out>(n)});
  const Matrix x = a.fill(reference::random_matrix(m, k, element_type<In>, source));
  const Matrix y = b.fill(reference::random_matrix(k, n, element_type<In>, source));
  const Matrix x_scales = a_scales.fill(random_scales(m, counts.along_k, source));
  const Matrix y_scales = b_scales.fill(random_scales(counts.along_k, counts.of_columns, source));
  c.poison();
  Outcome outcome{.config = config_text(config),
                  .operations =
                      2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k),
                  .unit = "FLOP"};
  outcome.seconds = timed(device, [&] {
    kernels::scaled_gemm(device, a.view(), b.view(), c.view(), {a_scales.view(), b_scales.view()},
                         {.config = config});
  });
  if (!settings.verify)
    return outcome;
  reference::Tolerance tolerance = tolerance_of<Out>(k);
  if (std::is_same_v<In, i8>)   // sums of large whole numbers
    tolerance = {0.01, 1.0};
  outcome.tolerance = tolerance.text();
  outcome.verdict = judge(c, static_cast<double>(n) * static_cast<double>(k), settings.effort, tolerance,
                          [&](std::span<const std::int64_t> rows) {
                            return scaled_product(reference::rows_of(x, rows), y,
                                                  reference::rows_of(x_scales, rows), y_scales, form);
                          });
  return outcome;
}

template <class In, class Out> static Problem problem(const Settings &settings) {
  const std::int64_t m = settings.size("m"), n = settings.size("n"), k = settings.size("k");
  const ScaledBy form = form_of(settings);
  const ScaleCounts counts(form, n, k);
  const kernels::ScaledGemmOptions options{.config = chosen_config(settings)};
  const auto elements = [](std::int64_t rows, std::int64_t cols) {
    return static_cast<double>(rows) * static_cast<double>(cols);
  };
  Problem problem{.kind = Problem::Kind::scaled_product,
                  .operands = {{"a", element_type<In>, m, k},
                               {"b", element_type<In>, k, n, true},
                               {"a_scales", element_type<f32>, m, counts.along_k, true},
                               {"b_scales", element_type<f32>, counts.along_k, counts.of_columns},
                               {"c", element_type<Out>, m, n, false, true}},
                  .work_of_row = elements(n, k),
                  // Elements and scales of a normal distribution.
                  .tolerance = {0.02, 0.05 * std::sqrt(static_cast<double>(std::max<std::int64_t>(k, 1)))}};
  problem.work.flop = 2.0 * static_cast<double>(m) * problem.work_of_row;
  for (const Operand &operand : problem.operands)
    problem.work.bytes += operand.bytes();
  problem.bind = [=](Device &device, auto at) {
    const MatrixView<const In> a(static_cast<const In *>(at[0]), m, k);
    const MatrixView<const In> b = MatrixView<const In>(static_cast<const In *>(at[1]), n, k).transposed();
    const Scales scales{
        MatrixView<const f32>(static_cast<const f32 *>(at[2]), counts.along_k, m).transposed(),
        MatrixView<const f32>(static_cast<const f32 *>(at[3]), counts.along_k, counts.of_columns)};
    const MatrixView<Out> c(static_cast<Out *>(at[4]), m, n);
    return Problem::Launch([=, &device] { kernels::scaled_gemm(device, a, b, c, scales, options); });
  };
  problem.expected = [=](std::size_t, const Problem::Read &read, std::span<const std::int64_t> rows) {
    return scaled_product(
        rows_of_operand(read, 0, k, rows), rows_of_operand(read, 1, n, reference::sampled_rows(k, k)),
        rows_of_operand(read, 2, counts.along_k, rows),
        rows_of_operand(read, 3, counts.of_columns, reference::sampled_rows(counts.along_k, counts.along_k)),
        form);
  };
  return problem;
}

template <class In, class Out> static KernelIR trace(const Settings &settings, bool specialized) {
  const auto any = ArgClass::generic, by16 = ArgClass::divisible_by_16, one = ArgClass::one;
  const auto config = config_from<GemmConfig>(settings.config, base_config);
  const auto m = settings.any_rows ? any : by16;
  std::vector<ArgClass> classes(16, any);
  if (specialized)
    classes = {by16, by16, by16, by16, by16, m, by16, by16, by16, by16, by16, one, one, by16, any, one};
  return form_of(settings) == ScaledBy::blocks
             ? kernels::scaled_gemm_kernel<In, Out, kernels::no_activation, ScaledBy::blocks>.trace(config,
                                                                                                    classes)
             : kernels::scaled_gemm_kernel<In, Out, kernels::no_activation, ScaledBy::lines>.trace(config,
                                                                                                   classes);
}

template <class F> static auto with_types(const Settings &settings, F f) {
  return with_element<e4m3, e5m2, i8>(settings.choice("dtype"), [&]<class In>(std::type_identity<In> in) {
    return with_element<bf16, f16, f32>(settings.choice("out"),
                                        [&]<class Out>(std::type_identity<Out> out) { return f(in, out); });
  });
}

Entry scaled_gemm_entry() {
  return {
      .name = "scaled_gemm",
      .summary = "c = a * b of 8-bit factors with scales by blocks or by lines, K along the lines of both",
      .parameters =
          {{"m", "rows of a and c", "333", {}},
           {"n", "columns of b and c", "271", {}},
           {"k", "columns of a, rows of b", "405", {}},
           {"scales", "blocks of 128 along K, or rows of a and columns of b", "blocks", {"blocks", "lines"}},
           {"dtype", "elements of a and b", "e4m3", element_names<e4m3, e5m2, i8>()},
           {"out", "elements of c", "bf16", element_names<bf16, f16, f32>()}},
      .run =
          [](Device &device, const Settings &settings) {
            return with_types(settings,
                              [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
                                return run<In, Out>(device, settings);
                              });
          },
      .trace =
          [](const Settings &settings, bool specialized) {
            return with_types(settings,
                              [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
                                return trace<In, Out>(settings, specialized);
                              });
          },
      .configs =
          [](const Settings &settings) {
            return config_texts(
                kernels::detail::scaled_gemm_configs(form_of(settings)),
                GemmConfig{.block_k = Scales::block, .launch = {.num_warps = 8, .num_stages = 4}});
          },
      .problem =
          [](const Settings &settings) {
            return with_types(settings,
                              [&]<class In, class Out>(std::type_identity<In>, std::type_identity<Out>) {
                                return problem<In, Out>(settings);
                              });
          }};
}

}   // namespace tile::registry
