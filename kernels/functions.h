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

/* a: any element type; b: any element type; c: any element type, written */
int tile_gemm(tile_stream stream, const tile_tensor *a, const tile_tensor *b, const tile_tensor *c,
              const char *activation);

/* x: any element type; weight: any element type; bias: any element type; y: any element type, written */
int tile_layer_norm(tile_stream stream, const tile_tensor *x, const tile_tensor *weight,
                    const tile_tensor *bias, const tile_tensor *y, float epsilon);

/* x: any element type; y: any element type, written */
int tile_softmax(tile_stream stream, const tile_tensor *x, const tile_tensor *y);

#ifdef __cplusplus
}
#endif
