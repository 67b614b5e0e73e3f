// SPDX-License-Identifier: MIT
// All families in one list.
#include "families.h"

namespace tile::conformance {

const Suite &whole_suite() {
  static const Suite suite = [] {
    Suite s;
    for (auto add : {add_binary_cases,
                     add_comparison_cases,
                     add_unary_cases,
                     add_extremum_cases,
                     add_conversion_cases,
                     add_float_conversion_cases,
                     add_creation_cases,
                     add_movement_cases,
                     add_memory_cases,
                     add_access_cases,
                     add_descriptor_cases,
                     add_reduction_cases,
                     add_combine_cases,
                     add_special_row_cases,
                     add_scan_cases,
                     add_sorting_cases,
                     add_atomic_cases,
                     add_lock_cases,
                     add_random_cases,
                     add_dot_cases,
                     add_dot_epilogue_cases,
                     add_shared_dot_cases,
                     add_gemm_loop_cases,
                     add_pipelined_loop_cases,
                     add_control_cases,
                     add_matmul_kernel_cases,
                     add_row_kernel_cases,
                     add_attention_cases,
                     add_shipped_kernel_cases,
                     add_debugging_cases,
                     add_fact_cases,
                     add_regression_cases,
                     add_lowered_regression_cases})
      add(s);
    return s;
  }();
  return suite;
}

}   // namespace tile::conformance
