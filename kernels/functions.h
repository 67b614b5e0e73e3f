/* SPDX-License-Identifier: MIT */
/* Made by `tile header --from libtile_functions.so`.
 *
 * Every function gives 0, or a tile_status; then tile_error_text() says what is wrong.
 * A launch on a GPU is queued on the stream. */
#pragma once

#include <tile/tile.h>

#ifdef __cplusplus
extern "C" {
#endif

/* q: any element type; k: any element type; v: any element type; o: any element type, written */
int tile_attention(tile_stream stream, const tile_tensor *q, const tile_tensor *k, const tile_tensor *v,
                   const tile_tensor *o, bool is_causal, float scale);

/* logits: any element type; targets: any element type; loss: f32, 1 axis, contiguous, written */
int tile_cross_entropy(tile_stream stream, const tile_tensor *logits, const tile_tensor *targets,
                       const tile_tensor *loss, int64_t ignore_index, float label_smoothing);

/* logits: any element type; targets: any element type; loss: f32, 1 axis, contiguous, written; grad: any
 * element type, written */
int tile_cross_entropy_with_gradient(tile_stream stream, const tile_tensor *logits,
                                     const tile_tensor *targets, const tile_tensor *loss,
                                     const tile_tensor *grad, int64_t ignore_index, float label_smoothing,
                                     float grad_scale);

/* gate: any element type; up: any element type; y: any element type, written */
int tile_gated_activation(tile_stream stream, const tile_tensor *gate, const tile_tensor *up,
                          const tile_tensor *y, const char *activation);

/* gate: any element type; up: any element type; grad_y: any element type; grad_gate: any element type,
 * written; grad_up: any element type, written */
int tile_gated_activation_backward(tile_stream stream, const tile_tensor *gate, const tile_tensor *up,
                                   const tile_tensor *grad_y, const tile_tensor *grad_gate,
                                   const tile_tensor *grad_up, const char *activation);

/* a: any element type; b: any element type; c: any element type, written */
int tile_gemm(tile_stream stream, const tile_tensor *a, const tile_tensor *b, const tile_tensor *c,
              const char *activation);

/* x: any element type; weight: any element type; bias: any element type; y: any element type, written */
int tile_layer_norm(tile_stream stream, const tile_tensor *x, const tile_tensor *weight,
                    const tile_tensor *bias, const tile_tensor *y, float epsilon);

/* x: any element type; y: any element type, written */
int tile_log_softmax(tile_stream stream, const tile_tensor *x, const tile_tensor *y);

/* y: any element type; grad_y: any element type; grad_x: any element type, written */
int tile_log_softmax_backward(tile_stream stream, const tile_tensor *y, const tile_tensor *grad_y,
                              const tile_tensor *grad_x);

/* x: any element type; weight: any element type; y: any element type, written */
int tile_rms_norm(tile_stream stream, const tile_tensor *x, const tile_tensor *weight, const tile_tensor *y,
                  float epsilon);

/* x: any element type; cos: any element type; sin: any element type; y: any element type, written */
int tile_rotary_embedding(tile_stream stream, const tile_tensor *x, const tile_tensor *cos,
                          const tile_tensor *sin, const tile_tensor *y, const char *pairs,
                          int64_t first_position, bool is_inverse);

/* x: any element type; cos: any element type; sin: any element type; positions: any element type; y: any
 * element type, written */
int tile_rotary_embedding_at(tile_stream stream, const tile_tensor *x, const tile_tensor *cos,
                             const tile_tensor *sin, const tile_tensor *positions, const tile_tensor *y,
                             const char *pairs, bool is_inverse);

/* x: any element type; y: any element type, written */
int tile_softmax(tile_stream stream, const tile_tensor *x, const tile_tensor *y);

/* y: any element type; grad_y: any element type; grad_x: any element type, written */
int tile_softmax_backward(tile_stream stream, const tile_tensor *y, const tile_tensor *grad_y,
                          const tile_tensor *grad_x);

/* x: any element type; values: any element type, written; indices: i32, 2 axes, written */
int tile_top_k(tile_stream stream, const tile_tensor *x, const tile_tensor *values,
               const tile_tensor *indices, const char *softmax);

#ifdef __cplusplus
}
#endif
