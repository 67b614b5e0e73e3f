// SPDX-License-Identifier: MIT
// The shipped products and attention for C and for everybody who loads libraries by tvm-ffi:
// libtile_functions.so. What each takes is in <tile/functions.h>, which `tile header` makes of the library,
// and in docs/c-api.md. Functions of rows: functions_of_rows.cpp.
#include "kernels/attention.h"
#include "kernels/batched_gemm.h"
#include "kernels/exported_tensors.h"
#include "kernels/gemm.h"

#include <string>

namespace tile::functions {
namespace {

template <auto Activation, class T, class Result>
void multiply(OnDevice on, const In &a, const In &b, const Out &c) {
  kernels::gemm<Activation>(on, a.matrix<T>(), b.matrix<T>(), c.matrix<Result>());
}

template <class T, class Result>
void multiply_activated(OnDevice on, const In &a, const In &b, const Out &c, std::string_view activation) {
  if (activation == "none")
    return multiply<kernels::no_activation, T, Result>(on, a, b, c);
  if constexpr (std::is_same_v<T, Result>) {
    if (activation == "relu")
      return multiply<kernels::relu<f32>, T, Result>(on, a, b, c);
    if (activation == "gelu")
      return multiply<kernels::gelu, T, Result>(on, a, b, c);
  }
  throw Error(
      "`activation` is `" + std::string(activation) + "`, and may be none" +
          (std::is_same_v<T, Result> ? ", relu or gelu" : " where `c` has another element type than `a`"),
      {});
}

// c = activation(a b), of matrices or of stacks of them.
void gemm(OnDevice on, In a, In b, Out c, std::string_view activation) {
  same_element("a", a, "b", b);
  const int rank = c.rank() == 3 ? 3 : 2;
  has_axes("c", c, rank);
  has_axes("a", a, rank);
  has_axes("b", b, rank);
  auto results = [&]<class T>(T) {
    with_element<T, f32>("the elements of `c`", c.element(), [&]<class Result>(Result) {
      if (rank == 2)
        return multiply_activated<T, Result>(on, a, b, c, activation);
      if (activation != "none")
        throw Error(
            "`activation` is `" + std::string(activation) + "`, and may be none for stacks of matrices", {});
      kernels::batched_gemm(on, a.view<T, 3>(), b.view<T, 3>(), c.view<Result, 3>());
    });
  };
  with_element<f16, bf16, f32>("the elements of `a` and `b`", a.element(), results);
}

// o = softmax(scale q k^T) v, of [heads, tokens, length]. A scale of 0 is 1 / sqrt(length).
void attention(OnDevice on, In q, In k, In v, Out o, bool is_causal, float scale) {
  are_alike(3, "q", q, "k", k, "v", v, "o", o);
  with_element<f16, bf16>("the elements of `q`", q.element(), [&]<class T>(T) {
    kernels::AttentionOptions options{.causal = is_causal};
    if (scale != 0)
      options.scale = scale;
    kernels::attention(on, q.view<T, 3>(), k.view<T, 3>(), v.view<T, 3>(), o.view<T, 3>(), options);
  });
}

}   // namespace
}   // namespace tile::functions

TILE_EXPORT_AS(tile, gemm, tile::functions::gemm, "a", "b", "c", "activation");
TILE_EXPORT_AS(tile, attention, tile::functions::attention, "q", "k", "v", "o", "is_causal", "scale");
