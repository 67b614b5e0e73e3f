// SPDX-License-Identifier: MIT
// sum = x + y: the smallest kernel that shows all parts of a kernel.
#pragma once

#include <tile/dsl.h>
#include <tile/operands.h>
#include <tile/row_cost.h>
#include <tile/size_bucket.h>
#include <tile/tensor_view.h>

#include <optional>

namespace tile::kernels {

struct VectorAddConfig {
  int block = 1024;
  Launch launch{};
};

template <class T>
void vector_add_program(Ptr<const T> x, Ptr<const T> y, Ptr<T> sum, Int64 n, const VectorAddConfig &cfg) {
  const auto [block, launch] = cfg;
  auto i = cast<i64>(program_id(0)) * block + cast<i64>(arange(0, block));
  store(sum + i, load(x + i, i < n) + load(y + i, i < n), i < n);
}

template <class T>
inline const Kernel<&vector_add_program<T>> vector_add_kernel{
    .name = "vector_add",
    .parameters = {"x", "y", "sum", "n"},
    .grid = [](auto &cfg, auto, auto, auto,
               std::int64_t n) { return Grid{cdiv(n, std::int64_t{cfg.block})}; },
    .configs = {{.block = 1024},
                {.block = 4096, .launch = {.num_warps = 8}},
                {.block = 512},
                {.block = 2048},
                {.block = 2048, .launch = {.num_warps = 8}},
                {.block = 8192, .launch = {.num_warps = 8}}},
    .key = [](auto, auto, auto, std::int64_t n) { return Key{detail::size_bucket(n)}; },
    .work = [](auto, auto, auto, std::int64_t n) { return Work{.bytes = 3.0 * sizeof(T) * double(n)}; },
    .cost =
        [](auto &cfg, const Machine &machine, auto, auto, auto, std::int64_t n) {
          return detail::row_seconds(machine, {1, detail::size_bucket(n), sizeof(T)}, cfg.block,
                                     /*whole_row=*/true, cfg.launch);
        },
    .tunes = Tunes::when_asked};

struct VectorAddOptions {
  std::optional<VectorAddConfig> config;   // none: the kernel chooses
};

template <class X, class Y, class T>
void vector_add(OnDevice on, const VectorView<X> &x, const VectorView<Y> &y, const VectorView<T> &sum,
                const VectorAddOptions &options = {}) {
  static_assert(std::is_same_v<std::remove_const_t<X>, T> && std::is_same_v<std::remove_const_t<Y>, T>,
                "x, y and sum must have the same element type, and sum must not be const");
  const detail::Operands operands("vector_add", on.where);
  operands.same_size("y", y.size, "x", x.size);
  operands.same_size("sum", sum.size, "x", x.size);
  operands.apart("sum", detail::placed(sum), "x", detail::placed(x), true);
  operands.apart("sum", detail::placed(sum), "y", detail::placed(y), true);
  if (options.config)
    operands.positive("block", options.config->block);
  vector_add_kernel<T>.launch_with(options.config, on, x, y, sum, x.size);
}

}   // namespace tile::kernels
