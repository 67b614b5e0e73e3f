// SPDX-License-Identifier: MIT
// The families of cases: each adds its own to the suite.
#pragma once

#include "suite.h"

namespace tile::conformance {

void add_binary_cases(Suite &suite);               // EL1-EL6
void add_comparison_cases(Suite &suite);           // EL7, EL8
void add_unary_cases(Suite &suite);                // EL9-EL11, EL16, EL17
void add_extremum_cases(Suite &suite);             // EL12, EL13, EL15
void add_conversion_cases(Suite &suite);           // CV1
void add_float_conversion_cases(Suite &suite);     // CV2, CV3
void add_creation_cases(Suite &suite);             // SH1, SH2
void add_movement_cases(Suite &suite);             // SH3, SH4
void add_memory_cases(Suite &suite);               // ME1, ME2, ME4
void add_access_cases(Suite &suite);               // ME5-ME7
void add_descriptor_cases(Suite &suite);           // DE1-DE4
void add_reduction_cases(Suite &suite);            // RE1, RE2
void add_combine_cases(Suite &suite);              // RE3-RE6
void add_special_row_cases(Suite &suite);          // RE7
void add_scan_cases(Suite &suite);                 // SC1
void add_sorting_cases(Suite &suite);              // SC2-SC5
void add_atomic_cases(Suite &suite);               // AT1-AT5
void add_lock_cases(Suite &suite);                 // AT6-AT8
void add_random_cases(Suite &suite);               // RN1
void add_dot_cases(Suite &suite);                  // DO1, DO2, DO4-DO6
void add_dot_epilogue_cases(Suite &suite);         // DO3, DO7
void add_shared_dot_cases(Suite &suite);           // DO8
void add_gemm_loop_cases(Suite &suite);            // PL1, PL4, PL7, PL8
void add_pipelined_loop_cases(Suite &suite);       // PL2, PL3, PL5-PL7, PL9
void add_control_cases(Suite &suite);              // CF1-CF5
void add_matmul_kernel_cases(Suite &suite);        // KE1, KE5
void add_row_kernel_cases(Suite &suite);           // KE2, KE3
void add_attention_cases(Suite &suite);            // KE4
void add_shipped_kernel_cases(Suite &suite);       // KE6, KE7
void add_debugging_cases(Suite &suite);            // ER2, ER3
void add_fact_cases(Suite &suite);                 // ER4
void add_regression_cases(Suite &suite);           // RG3, RG4, RG6, RG7, RG9
void add_lowered_regression_cases(Suite &suite);   // EL14, RG1, RG2, RG10, RG11

}   // namespace tile::conformance
