// SPDX-License-Identifier: MIT
// The product loop that compilers transform most, in the forms users write it: pointers or
// descriptors, pipelined, unrolled, one tile per program or persistent.
#pragma once

#include "context.h"
#include "product.h"
#include "types.h"

namespace tile::conformance {

enum class Access2D { pointers, descriptors };

struct GemmConfig {
  int block_m = 32, block_n = 32, block_k = 32, stages = 1, unroll = 1;
  Access2D a = Access2D::pointers, b = Access2D::pointers;
  bool halves = false, persistent = false;
  Precision precision = Precision::tf32;
  Launch launch{};
};

// One tile of c, of an m x k by k x n product; all matrices row-major without gaps.
template <class A, class B, class C>
void gemm_tile(const Ptr<const A> &a, const Ptr<const B> &b, const Ptr<C> &c, const Int &m, const Int &n,
               const Int &k, const Int &tile_m, const Int &tile_n, const GemmConfig &cfg) {
  using Acc = std::conditional_t<is_integer<A>, i32, std::conditional_t<std::is_same_v<A, f64>, f64, f32>>;
  const Int rm = tile_m * cfg.block_m + arange(0, cfg.block_m),
            rn = tile_n * cfg.block_n + arange(0, cfg.block_n);
  const Int rk = arange(0, cfg.block_k);
  Tensor<Acc> acc = zeros<Acc>({cfg.block_m, cfg.block_n});
  auto loop = range(0, cdiv(k, cfg.block_k)).stages(cfg.stages);
  for (auto step : cfg.unroll > 1 ? loop.unroll(cfg.unroll) : loop) {
    const Int k0 = step * cfg.block_k;
    const Tensor<A> x = [&] {
      if (cfg.a == Access2D::descriptors)
        return descriptor(a, {m, k}, {k, 1}, {cfg.block_m, cfg.block_k}).load({tile_m * cfg.block_m, k0});
      return load(a + (rm(all, none) * k + (rk + k0)(none, all)),
                  (rm(all, none) < m) & ((rk + k0)(none, all) < k));
    }();
    const Tensor<B> y = [&] {
      if (cfg.b == Access2D::descriptors)
        return descriptor(b, {k, n}, {n, 1}, {cfg.block_k, cfg.block_n}).load({k0, tile_n * cfg.block_n});
      return load(b + ((rk + k0)(all, none) * n + rn(none, all)),
                  ((rk + k0)(all, none) < k) & (rn(none, all) < n));
    }();
    acc = dot(x, y, acc, DotOptions{.precision = cfg.precision});
  }
  if (!cfg.halves)
    return store(c + (rm(all, none) * n + rn(none, all)), cast<C>(acc),
                 (rm(all, none) < m) & (rn(none, all) < n));
  // The epilogue in halves: even and odd columns apart, as in (m, n / 2, 2).
  auto [even, odd] = split(reshape(acc, {cfg.block_m, cfg.block_n / 2, 2}));
  const Int half = tile_n * cfg.block_n + arange(0, cfg.block_n / 2) * 2;
  store(c + (rm(all, none) * n + half(none, all)), cast<C>(even),
        (rm(all, none) < m) & (half(none, all) < n));
  store(c + (rm(all, none) * n + (half + 1)(none, all)), cast<C>(odd),
        (rm(all, none) < m) & ((half + 1)(none, all) < n));
}

template <class A, class B, class C>
void gemm_kernel(Ptr<const A> a, Ptr<const B> b, Ptr<C> c, Int m, Int n, Int k, const GemmConfig &cfg) {
  const Int columns = cdiv(n, cfg.block_n), tiles = cdiv(m, cfg.block_m) * columns;
  if (!cfg.persistent)
    return gemm_tile<A, B, C>(a, b, c, m, n, k, program_id(0) / columns, program_id(0) % columns, cfg);
  for (auto index : range(program_id(0), tiles, num_programs(0)))
    gemm_tile<A, B, C>(a, b, c, m, n, k, index / columns, index % columns, cfg);
}

struct GemmSize {
  int m, n, k;
};

// One product on the device. `ctas` is the grid of a persistent kernel.
template <class A, class B, class C>
Array gemm_on_device(Context &t, const Array &a, const Array &b, GemmSize size, const GemmConfig &cfg,
                     int ctas = 0) {
  const std::int64_t tiles = std::int64_t{cdiv(size.m, cfg.block_m)} * cdiv(size.n, cfg.block_n);
  Memory &in_a = t.input(a), &in_b = t.input(b);
  Memory &out = t.output<C>(static_cast<std::size_t>(size.m) * static_cast<std::size_t>(size.n));
  t.run<&gemm_kernel<A, B, C>>(cfg, {cfg.persistent ? ctas : tiles},
                               {in_a, in_b, out, size.m, size.n, size.k});
  return out.read();
}

struct GemmInputs {
  Array a, b;
  std::vector<double> expected;
};
template <class A, class B> GemmInputs gemm_inputs(Context &t, GemmSize size, bool integers) {
  const auto m = static_cast<std::size_t>(size.m), n = static_cast<std::size_t>(size.n),
             k = static_cast<std::size_t>(size.k);
  GemmInputs inputs{integers ? exact_inputs(t, element_type<A>, m * k) : t.numbers<A>(m * k, Inputs::uniform),
                    integers ? exact_inputs(t, element_type<B>, k * n) : t.numbers<B>(k * n, Inputs::uniform),
                    {}};
  inputs.expected = multiply({&inputs.a, k, 1}, {&inputs.b, n, 1}, nullptr, m, n, k);
  return inputs;
}

}   // namespace tile::conformance
