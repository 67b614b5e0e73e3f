// SPDX-License-Identifier: MIT
// One entry of the registry per kernel, and what they share: types by name, configs from text, timing.
#pragma once

#include "tools/registry/registry.h"

namespace tile::registry {

Entry vector_add_entry();
Entry softmax_entry();
Entry log_softmax_entry();
Entry softmax_backward_entry();
Entry log_softmax_backward_entry();
Entry layer_norm_entry();
Entry rms_norm_entry();
Entry layer_norm_backward_entry();
Entry rms_norm_backward_entry();
Entry cross_entropy_entry();
Entry top_k_entry();
Entry gated_activation_entry();
Entry gated_activation_backward_entry();
Entry rotary_embedding_entry();
Entry quantize_rows_entry();
Entry quantize_blocks_entry();
Entry quantize_by_entry();
Entry matmul_entry();
Entry gemm_entry();
Entry batched_gemm_entry();
Entry grouped_gemm_entry();
Entry expert_gemm_entry();
Entry scaled_gemm_entry();
Entry attention_entry();
Entry attention_backward_entry();
Entry sequence_attention_entry();

}   // namespace tile::registry
