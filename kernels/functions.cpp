// SPDX-License-Identifier: MIT
// The shipped kernels for C and for everybody who loads libraries by tvm-ffi: libtile_functions.so. What each
// takes is in <tile/functions.h>, which `tile header` makes of this file, and in docs/c-api.md.
#include "compiler/c_api/export.h"
#include "kernels/attention.h"
#include "kernels/batched_gemm.h"
#include "kernels/gemm.h"
#include "kernels/layer_norm.h"
#include "kernels/softmax.h"

#include <string>

namespace tile::functions {
namespace {

using In = AnyTensor<const void>;
using Out = AnyTensor<void>;

// Calls f with a value of the element type, which must be one of T.
template <class... T, class F> void with_element(const char *what, ElementType element, F f) {
  const bool is_one = ((element == element_type<T> && (f(T()), true)) || ...);
  if (is_one)
    return;
  std::string known;
  ((known += (known.empty() ? "" : ", ") + element_type<T>.name()), ...);
  throw Error(std::string(what) + " are " + element.name() + ", and may be " + known, {})
      .with_code(ErrorCode::unsupported);
}

void same_element(const char *first, const auto &a, const char *second, const auto &b) {
  if (!(a.element() == b.element()))
    throw Error("`" + std::string(first) + "` is of " + a.element().name() + " and `" + second + "` of " +
                    b.element().name(),
                {})
        .add_help("both need one element type");
}

void has_axes(const char *name, const auto &tensor, int rank) {
  if (tensor.rank() != rank)
    throw Error("`" + std::string(name) + "` has " + std::to_string(tensor.rank()) + " axes, and needs " +
                    std::to_string(rank),
                {});
}

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

// y = softmax(x), row by row.
void softmax(OnDevice on, In x, Out y) {
  same_element("x", x, "y", y);
  has_axes("x", x, 2);
  has_axes("y", y, 2);
  with_element<f16, bf16, f32>("the elements of `x`", x.element(),
                               [&]<class T>(T) { kernels::softmax(on, x.matrix<T>(), y.matrix<T>()); });
}

// y = (x - mean) / sqrt(variance + epsilon) * weight + bias, row by row.
void layer_norm(OnDevice on, In x, In weight, In bias, Out y, float epsilon) {
  same_element("x", x, "weight", weight);
  same_element("x", x, "bias", bias);
  same_element("x", x, "y", y);
  has_axes("x", x, 2);
  has_axes("weight", weight, 1);
  has_axes("bias", bias, 1);
  has_axes("y", y, 2);
  with_element<f16, bf16, f32>("the elements of `x`", x.element(), [&]<class T>(T) {
    kernels::layer_norm(on, x.matrix<T>(), weight.vector<T>(), bias.vector<T>(), y.matrix<T>(),
                        {.epsilon = epsilon});
  });
}

// o = softmax(scale q k^T) v, of [heads, tokens, length]. A scale of 0 is 1 / sqrt(length).
void attention(OnDevice on, In q, In k, In v, Out o, bool is_causal, float scale) {
  same_element("q", q, "k", k);
  same_element("q", q, "v", v);
  same_element("q", q, "o", o);
  has_axes("q", q, 3);
  has_axes("k", k, 3);
  has_axes("v", v, 3);
  has_axes("o", o, 3);
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
TILE_EXPORT_AS(tile, softmax, tile::functions::softmax, "x", "y");
TILE_EXPORT_AS(tile, layer_norm, tile::functions::layer_norm, "x", "weight", "bias", "y", "epsilon");
TILE_EXPORT_AS(tile, attention, tile::functions::attention, "q", "k", "v", "o", "is_causal", "scale");
