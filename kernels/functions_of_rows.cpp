// SPDX-License-Identifier: MIT
// The shipped kernels of rows for C and tvm-ffi, as functions.cpp has the products.
#include "kernels/cross_entropy.h"
#include "kernels/exported_tensors.h"
#include "kernels/gates.h"
#include "kernels/layer_norm.h"
#include "kernels/rms_norm.h"
#include "kernels/rotary.h"
#include "kernels/softmax.h"
#include "kernels/softmax_gradient.h"
#include "kernels/top_k.h"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace tile::functions {
namespace {

template <class F> void with_float(const char *what, const auto &tensor, F f) {
  with_element<f16, bf16, f32>(what, tensor.element(), f);
}

// The value that a text names.
template <class Enum>
Enum named(const char *parameter, std::string_view text,
           std::initializer_list<std::pair<std::string_view, Enum>> values) {
  std::string known;
  for (const auto &[name, value] : values) {
    if (name == text)
      return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw Error("`" + std::string(parameter) + "` is `" + std::string(text) + "`, and may be " + known, {});
}

// y = softmax(x), row by row.
void softmax(OnDevice on, In x, Out y) {
  are_alike(2, "x", x, "y", y);
  with_float("the elements of `x`", x,
             [&]<class T>(T) { kernels::softmax(on, x.matrix<T>(), y.matrix<T>()); });
}

// y = log(softmax(x)), row by row.
void log_softmax(OnDevice on, In x, Out y) {
  are_alike(2, "x", x, "y", y);
  with_float("the elements of `x`", x,
             [&]<class T>(T) { kernels::log_softmax(on, x.matrix<T>(), y.matrix<T>()); });
}

// grad_x: the gradient by x, from y = softmax(x) and the gradient by y. It may be either of them.
void softmax_backward(OnDevice on, In y, In grad_y, Out grad_x) {
  are_alike(2, "y", y, "grad_y", grad_y, "grad_x", grad_x);
  with_float("the elements of `y`", y, [&]<class T>(T) {
    kernels::softmax_backward(on, y.matrix<T>(), grad_y.matrix<T>(), grad_x.matrix<T>());
  });
}

// The same of log_softmax.
void log_softmax_backward(OnDevice on, In y, In grad_y, Out grad_x) {
  are_alike(2, "y", y, "grad_y", grad_y, "grad_x", grad_x);
  with_float("the elements of `y`", y, [&]<class T>(T) {
    kernels::log_softmax_backward(on, y.matrix<T>(), grad_y.matrix<T>(), grad_x.matrix<T>());
  });
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

// y = x / sqrt(mean(x^2) + epsilon) * weight, row by row.
void rms_norm(OnDevice on, In x, In weight, Out y, float epsilon) {
  same_element("x", x, "weight", weight);
  same_element("x", x, "y", y);
  has_axes("x", x, 2);
  has_axes("weight", weight, 1);
  has_axes("y", y, 2);
  with_float("the elements of `x`", x, [&]<class T>(T) {
    kernels::rms_norm(on, x.matrix<T>(), weight.vector<T>(), y.matrix<T>(), {.epsilon = epsilon});
  });
}

// loss = -log(softmax(logits)[target]), row by row; 0 where the target is ignore_index.
void cross_entropy(OnDevice on, In logits, In targets, VectorView<f32> loss, std::int64_t ignore_index,
                   float label_smoothing) {
  has_axes("logits", logits, 2);
  has_axes("targets", targets, 1);
  const kernels::CrossEntropyOptions options{.ignore_index = ignore_index,
                                             .label_smoothing = label_smoothing};
  with_float("the elements of `logits`", logits, [&]<class T>(T) {
    with_element<i32, i64>("the elements of `targets`", targets.element(), [&]<class I>(I) {
      kernels::cross_entropy(on, logits.matrix<T>(), targets.vector<I>(), loss, options);
    });
  });
}

// With the gradient of the sum of all losses, times grad_scale, in the same launch. grad may be logits.
void cross_entropy_with_gradient(OnDevice on, In logits, In targets, VectorView<f32> loss, Out grad,
                                 std::int64_t ignore_index, float label_smoothing, float grad_scale) {
  are_alike(2, "logits", logits, "grad", grad);
  has_axes("targets", targets, 1);
  const kernels::CrossEntropyOptions options{
      .ignore_index = ignore_index, .label_smoothing = label_smoothing, .grad_scale = grad_scale};
  with_float("the elements of `logits`", logits, [&]<class T>(T) {
    with_element<i32, i64>("the elements of `targets`", targets.element(), [&]<class I>(I) {
      kernels::cross_entropy(on, logits.matrix<T>(), targets.vector<I>(), loss, options,
                             {.grad = grad.matrix<T>()});
    });
  });
}

// The largest elements of each row in falling order and their columns, as many as `values` has columns.
void top_k(OnDevice on, In x, Out values, MatrixView<i32> indices, std::string_view softmax) {
  using kernels::TopKSoftmax;
  has_axes("x", x, 2);
  has_axes("values", values, 2);
  const kernels::TopKOptions options{.softmax = named<TopKSoftmax>("softmax", softmax,
                                                                   {{"none", TopKSoftmax::none},
                                                                    {"over_chosen", TopKSoftmax::over_chosen},
                                                                    {"over_row", TopKSoftmax::over_row}})};
  with_float("the elements of `x`", x, [&]<class T>(T) {
    with_element<T, f32>("the elements of `values`", values.element(), [&]<class V>(V) {
      kernels::top_k(on, x.matrix<T>(), values.matrix<V>(), indices, values.extent(1), options);
    });
  });
}

kernels::GatedActivationOptions gate_options(std::string_view activation) {
  using kernels::GateActivation;
  return {.activation = named<GateActivation>("activation", activation,
                                              {{"silu", GateActivation::silu},
                                               {"gelu", GateActivation::gelu},
                                               {"gelu_tanh", GateActivation::gelu_tanh},
                                               {"relu", GateActivation::relu},
                                               {"sigmoid", GateActivation::sigmoid}})};
}

// y = activation(gate) * up. y may be either of them.
void gated_activation(OnDevice on, In gate, In up, Out y, std::string_view activation) {
  are_alike(2, "gate", gate, "up", up, "y", y);
  const kernels::GatedActivationOptions options = gate_options(activation);
  with_float("the elements of `gate`", gate, [&]<class T>(T) {
    kernels::gated_activation(on, gate.matrix<T>(), up.matrix<T>(), y.matrix<T>(), options);
  });
}

// The gradients by gate and up. Each may be gate, up or grad_y.
void gated_activation_backward(OnDevice on, In gate, In up, In grad_y, Out grad_gate, Out grad_up,
                               std::string_view activation) {
  are_alike(2, "gate", gate, "up", up, "grad_y", grad_y, "grad_gate", grad_gate, "grad_up", grad_up);
  const kernels::GatedActivationOptions options = gate_options(activation);
  with_float("the elements of `gate`", gate, [&]<class T>(T) {
    kernels::gated_activation_backward(on, gate.matrix<T>(), up.matrix<T>(), grad_y.matrix<T>(),
                                       {grad_gate.matrix<T>(), grad_up.matrix<T>()}, options);
  });
}

// Of [tokens, heads, elements]; rotate(x, cos, sin, y) with views of the elements that the tensors have.
template <class Rotate>
void rotary(const In &x, const In &cos, const In &sin, const Out &y, Rotate rotate) {
  are_alike(3, "x", x, "y", y);
  are_alike(2, "cos", cos, "sin", sin);
  with_float("the elements of `x`", x, [&]<class T>(T) {
    with_element<T, f32>("the elements of `cos` and `sin`", cos.element(), [&]<class C>(C) {
      rotate(x.view<T, 3>(), cos.matrix<C>(), sin.matrix<C>(), y.view<T, 3>());
    });
  });
}
kernels::RotaryPairs rotary_pairs(std::string_view pairs) {
  using kernels::RotaryPairs;
  return named<RotaryPairs>("pairs", pairs,
                            {{"halves", RotaryPairs::halves}, {"interleaved", RotaryPairs::interleaved}});
}

// Rotary position embedding: token i has the position first_position + i. y may be x.
void rotary_embedding(OnDevice on, In x, In cos, In sin, Out y, std::string_view pairs,
                      std::int64_t first_position, bool is_inverse) {
  const kernels::RotaryOptions options{
      .pairs = rotary_pairs(pairs), .first_position = first_position, .inverse = is_inverse};
  rotary(x, cos, sin, y, [&](const auto &from, const auto &c, const auto &s, const auto &to) {
    kernels::rotary_embedding(on, from, c, s, to, options);
  });
}

// The same with a position for each token.
void rotary_embedding_at(OnDevice on, In x, In cos, In sin, In positions, Out y, std::string_view pairs,
                         bool is_inverse) {
  has_axes("positions", positions, 1);
  const kernels::RotaryOptions options{.pairs = rotary_pairs(pairs), .inverse = is_inverse};
  rotary(x, cos, sin, y, [&](const auto &from, const auto &c, const auto &s, const auto &to) {
    with_element<i32, i64>("the elements of `positions`", positions.element(), [&]<class I>(I) {
      kernels::rotary_embedding(on, from, c, s, to, positions.vector<I>(), options);
    });
  });
}

}   // namespace
}   // namespace tile::functions

TILE_EXPORT_AS(tile, softmax, tile::functions::softmax, "x", "y");
TILE_EXPORT_AS(tile, layer_norm, tile::functions::layer_norm, "x", "weight", "bias", "y", "epsilon");
TILE_EXPORT_AS(tile, log_softmax, tile::functions::log_softmax, "x", "y");
TILE_EXPORT_AS(tile, softmax_backward, tile::functions::softmax_backward, "y", "grad_y", "grad_x");
TILE_EXPORT_AS(tile, log_softmax_backward, tile::functions::log_softmax_backward, "y", "grad_y", "grad_x");
TILE_EXPORT_AS(tile, rms_norm, tile::functions::rms_norm, "x", "weight", "y", "epsilon");
TILE_EXPORT_AS(tile, cross_entropy, tile::functions::cross_entropy, "logits", "targets", "loss",
               "ignore_index", "label_smoothing");
TILE_EXPORT_AS(tile, cross_entropy_with_gradient, tile::functions::cross_entropy_with_gradient, "logits",
               "targets", "loss", "grad", "ignore_index", "label_smoothing", "grad_scale");
TILE_EXPORT_AS(tile, top_k, tile::functions::top_k, "x", "values", "indices", "softmax");
TILE_EXPORT_AS(tile, gated_activation, tile::functions::gated_activation, "gate", "up", "y", "activation");
TILE_EXPORT_AS(tile, gated_activation_backward, tile::functions::gated_activation_backward, "gate", "up",
               "grad_y", "grad_gate", "grad_up", "activation");
TILE_EXPORT_AS(tile, rotary_embedding, tile::functions::rotary_embedding, "x", "cos", "sin", "y", "pairs",
               "first_position", "is_inverse");
TILE_EXPORT_AS(tile, rotary_embedding_at, tile::functions::rotary_embedding_at, "x", "cos", "sin",
               "positions", "y", "pairs", "is_inverse");
