// SPDX-License-Identifier: MIT
// C[i] = activation(A[i] * B[i]) for the matrices of three stacks. Each stack has its own distance from one
// matrix to the next; 0: all products share one matrix. The device code is gemm's, with one more coordinate:
//
//   batched_gemm(device, TensorView<f16, 3>(x, {8, m, k}), TensorView<f16, 3>(w, {8, k, n}, {0, n, 1}), y);
#pragma once

#include <tile/activation.h>
#include <tile/dsl.h>
#include <tile/gemm.h>
#include <tile/operands.h>
#include <tile/shipped_tunings.h>
#include <tile/size_bucket.h>
#include <tile/tensor_view.h>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace tile::kernels {

// a and b have one matrix, or one for each product. `..._batch`: elements from one matrix to the next.
// Results are described as one matrix of c_rows rows, if the rows of one continue in the next and blocks
// divide them. Other results are stored through pointers.
template <class In, class Out, auto Activation, Precision Products>
void batched_gemm_program(Ptr<const In> a, Ptr<const In> b, Ptr<Out> c, [[maybe_unused]] Dynamic<Int> batch,
                          Int m, Int n, Int k, Int a_count, Int64 a_batch, Int64 a_row, Int64 a_col,
                          Int b_count, Int64 b_batch, Int64 b_row, Int64 b_col, Int c_rows, Int64 c_batch,
                          Int64 c_row, Int64 c_col, const GemmConfig &cfg) {
  Int tiles = cdiv(m, cfg.block_m) * cdiv(n, cfg.block_n), program = program_id(0);
  Int i = program / tiles, of_a = minimum(i, a_count - 1), of_b = minimum(i, b_count - 1);
  const detail::Factor<In> left{a, m, k, a_row, a_col, cfg.a, detail::Member{of_a, a_count, a_batch}},
      right{b, k, n, b_row, b_col, cfg.b, detail::Member{of_b, b_count, b_batch}};
  const auto result = cfg.store_by_descriptor
                          ? detail::Result<Out>{c, c_rows, n, c_row, c_col, i * m}
                          : detail::Result<Out>{c + cast<i64>(i) * c_batch, m, n, c_row, c_col};
  detail::multiply_tile<Activation, Products>(program % tiles, left, right, result, cfg);
}

namespace detail {

// A stack as the kernel receives it: matrix 0, the number of matrices, the elements from one to the next.
template <class T> struct Batch {
  MatrixView<T> first;
  std::int64_t count, apart;
};
// A stack with one matrix or with empty matrices may have any distance, as a single row may have any stride.
template <class T>
Batch<T> describable_batch(const TensorView<T, 3> &view, Numerics numerics = Numerics::any) {
  const auto &[batch, rows, cols] = view.extents;
  const MatrixView<T> first(view.data, rows, cols, view.strides[1], view.strides[2]);
  const bool is_one = batch <= 1 || view.strides[0] == 0 || rows == 0 || cols == 0;
  return {with_describable_strides(first, numerics), is_one ? 1 : batch, is_one ? 16 : view.strides[0]};
}
// Whether the rows of each matrix continue in the next one, so that all together are one matrix.
template <class T> bool is_one_matrix(const TensorView<T, 3> &view) {
  return view.extents[0] <= 1 || view.strides[0] == view.extents[1] * view.strides[1];
}
template <class T> MatrixView<T> as_one_matrix(const TensorView<T, 3> &view) {
  return {view.data, view.extents[0] * view.extents[1], view.extents[2], view.strides[1], view.strides[2]};
}

// descriptor_objection() for all matrices of the batch.
template <class T> const char *batch_objection(StoredBy order, const Batch<T> &batch) {
  const auto &[data, rows, cols, row_stride, col_stride] = batch.first;
  const char *of_one =
      descriptor_objection(order, reinterpret_cast<std::uintptr_t>(data), row_stride, col_stride, sizeof(T));
  return of_one || (batch.apart >= 0 && batch.apart * sizeof(T) % 16 == 0)
             ? of_one
             : "the stride from one matrix to the next is not a multiple of 16 bytes";
}
// The number of rows of the results as one matrix that a descriptor fits; 0 if they are no such matrix.
template <class T>
std::int64_t rows_as_one(T *result, std::int64_t batch, std::int64_t m, std::int64_t apart,
                         std::int64_t row_stride, std::int64_t col_stride) {
  const bool is_one = apart == m * row_stride && batch * m <= most_extent;
  return is_one && fits_descriptor(result, row_stride, col_stride) ? batch * m : 0;
}
// The configs of gemm. Those with one CTA also appear with stores through pointers.
std::vector<GemmConfig> batched_gemm_configs();
bool describes_result(const GemmConfig &cfg, int m, std::int64_t rows_as_one);

// Throws tile::Error if the stacks do not fit together.
void check_batch(const Operands &operands, const Stack &a, const Stack &b, const Stack &c);

}   // namespace detail

template <class In, class Out = In, auto Activation = no_activation, Precision Products = Precision::tf32>
inline const Kernel<&batched_gemm_program<In, Out, Activation, Products>> batched_gemm_kernel{
    .name = "batched_gemm",
    .parameters = {"a", "b", "c", "batch", "m", "n", "k", "a_count", "a_batch", "a_row", "a_col", "b_count",
                   "b_batch", "b_row", "b_col", "c_rows", "c_batch", "c_row", "c_col"},
    .grid = [](auto &cfg, auto, auto, auto, int batch, int m, int n,
               auto...) { return Grid{std::int64_t{batch} * cdiv(m, cfg.block_m) * cdiv(n, cfg.block_n)}; },
    .configs = detail::batched_gemm_configs(),
    .key =
        [](auto, auto, auto, int batch, int m, int n, int k, int a_count, std::int64_t, std::int64_t,
           std::int64_t a_col, int b_count, std::int64_t, std::int64_t, std::int64_t b_col, int c_rows,
           auto...) {
          // If the results are described as one matrix, the divisors of m decide which blocks are possible.
          return Key{detail::size_bucket(batch),
                     detail::row_bucket(m),
                     n,
                     k,
                     a_count == 1,
                     b_count == 1,
                     a_col == 1,
                     b_col == 1,
                     c_rows != 0 ? detail::divisor_class(m) : 0};
        },
    .keep =
        [](auto &cfg, auto, auto, auto, int, int m, int n, int k, int, std::int64_t, std::int64_t,
           std::int64_t a_col, int, std::int64_t, std::int64_t, std::int64_t b_col, int c_rows, auto...) {
          return detail::keep_gemm_config(cfg, {m, n, k}, a_col == 1, b_col == 1,
                                          detail::describes_result(cfg, m, c_rows));
        },
    .work = [](auto, auto, auto, int batch, int m, int n, int k,
               auto...) { return detail::work_of_product(std::int64_t{batch} * m, n, k); },
    .cost =
        [](auto &cfg, const Machine &machine, auto, auto, auto, int batch, int m, int n, int k, auto...) {
          return detail::gemm_seconds<In, Out, Products>(machine, cfg, {m, n, k, detail::size_bucket(batch)});
        },
    .tunes = Tunes::when_asked,
    .shipped_tunings = detail::shipped_tunings};

// Computes c[i] = activation(a[i] * b[i]), rounded to c's element type, for all i in one launch.
template <auto Activation = no_activation, class A, class B, class C>
void batched_gemm(OnDevice on, const TensorView<A, 3> &a_view, const TensorView<B, 3> &b_view,
                  const TensorView<C, 3> &c_view, const GemmOptions &options = {}) {
  using In = std::remove_const_t<A>;
  static_assert(std::is_same_v<In, std::remove_const_t<B>>, "a and b must have the same element type");
  static_assert(!std::is_const_v<C>, "c is written: its elements must not be const");
  const detail::Operands operands("batched_gemm", on.where);
  detail::check_batch(operands, detail::stack_of(a_view), detail::stack_of(b_view), detail::stack_of(c_view));
  const int batch = operands.extent("the number of products", c_view.extents[0]);
  if (options.config)
    operands.tiles(*options.config);
  if (options.config && options.config->split_k > 1)
    operands.refuse("batched_gemm does not split K: one program computes each tile",
                    "set split_k to 1, or call gemm() for each product");
  if constexpr (std::is_same_v<In, f32>)
    if (options.precision != Precision::ieee && options.precision != Precision::tf32)
      operands.refuse("products of f32 need tf32 or ieee precision", "gemm() has bf16x3 and bf16x6, too");
  // If the results are stored by columns, compute their transposes, which are stored by rows.
  if (c_view.strides[2] != 1 && c_view.strides[1] == 1 && c_view.extents[2] > 1)
    return batched_gemm<Activation>(on, b_view.transposed(), a_view.transposed(), c_view.transposed(),
                                    options);

  const auto a = detail::describable_batch(a_view, options.numerics);
  const auto b = detail::describable_batch(b_view);
  const auto c = detail::describable_batch(c_view);
  const StoredBy order_a = a.first.col_stride == 1 ? StoredBy::rows : StoredBy::columns;
  const StoredBy order_b = b.first.col_stride == 1 ? StoredBy::rows : StoredBy::columns;
  const char *about_a = detail::batch_objection(order_a, a), *about_b = detail::batch_objection(order_b, b);
  const bool fits = !about_a && !about_b;
  if (!fits && !options.fall_back)
    operands.refuse(std::string(about_a ? "a" : "b") +
                        " does not fit a descriptor: " + (about_a ? about_a : about_b),
                    "set fall_back: then each matrix is multiplied by a launch of its own");
  // All products share one b: compute one product with the rows of all matrices. They fill its tiles better.
  if (b.count == 1 && detail::is_one_matrix(a_view) && detail::is_one_matrix(c_view) &&
      a_view.extents[0] * a_view.extents[1] <= detail::most_extent)
    return gemm<Activation>(on, detail::as_one_matrix(a_view), b.first, detail::as_one_matrix(c_view),
                            options);
  if (!fits) {
    for (std::int64_t i = 0; i < c_view.extents[0]; ++i)
      gemm<Activation>(on, a_view.matrix(i), b_view.matrix(i), c_view.matrix(i), options);
    return;
  }

  const int m = operands.extent("m", c.first.rows), n = operands.extent("n", c.first.cols),
            k = operands.extent("k", a.first.cols);
  const int c_rows = static_cast<int>(
      detail::rows_as_one(c.first.data, batch, m, c.apart, c.first.row_stride, c.first.col_stride));
  std::optional<GemmConfig> config = options.config;
  if (config) {
    config->a = order_a;
    config->b = order_b;
    config->store_by_descriptor = config->store_by_descriptor && detail::describes_result(*config, m, c_rows);
  }
  auto run = [&](const auto &kernel) {
    kernel.launch_with(config, on, a.first.data, b.first.data, c.first.data, batch, m, n, k,
                       static_cast<int>(a.count), a.apart, a.first.row_stride, a.first.col_stride,
                       static_cast<int>(b.count), b.apart, b.first.row_stride, b.first.col_stride, c_rows,
                       c.apart, c.first.row_stride, c.first.col_stride);
  };
  if constexpr (std::is_same_v<In, f32>)
    if (options.precision == Precision::ieee)
      return run(
          detail::with_numerics<batched_gemm_kernel<In, C, Activation, Precision::ieee>>(options.numerics));
  run(detail::with_numerics<batched_gemm_kernel<In, C, Activation>>(options.numerics));
}

}   // namespace tile::kernels
