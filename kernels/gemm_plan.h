// SPDX-License-Identifier: MIT
// Products of one kind that are decided beforehand: a matrix b of one size, and any number of rows of a up to
// a limit.
//
//   kernels::GemmPlan<bf16> plan(*device, {.most_m = 4096, .n = 4096, .k = 1024});
//   plan.prepare();                                        // chooses, compiles and loads
//   Buffer<std::byte> memory(*device, plan.workspace_bytes());
//   Status status = plan.run(OnStream(stream), a, b, c, {memory.data(), memory.size()});
//
// A run takes no decision: <tile/launch_plan.h> says what it leaves out.
#pragma once

#include <tile/gemm.h>
#include <tile/launch_plan.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tile::kernels {

struct GemmPlanSizes {
  std::int64_t least_m = 1, most_m = 0;
  std::int64_t n = 0, k = 0;
  // How a and b lie in memory. c is stored by rows. Strides may be larger than the sizes say.
  StoredBy a = StoredBy::rows, b = StoredBy::rows;
};

namespace detail {
// Of each bucket of rows (size_bucket.h) that the sizes meet, one number of rows. It is no multiple of 16 if
// the bucket has others: code for it serves all of the bucket.
std::vector<std::int64_t> rows_to_prepare(std::int64_t least, std::int64_t most);
}   // namespace detail

// The element types of a and b, and of c.
template <class In, class Out = In, auto Activation = no_activation> class GemmPlan {
 public:
  GemmPlan(OnDevice on, const GemmPlanSizes &sizes, GemmOptions options = {})
      : plan_(on.device), sizes_(sizes), options_(std::move(options)) {
    const detail::Operands operands("GemmPlan", on.where);
    for (const auto &[name, size] : {std::pair{"least_m", sizes.least_m}, std::pair{"most_m", sizes.most_m},
                                     std::pair{"n", sizes.n}, std::pair{"k", sizes.k}})
      operands.extent(name, size);
    if (sizes.most_m < std::max<std::int64_t>(sizes.least_m, 1))
      operands.refuse("most_m is " + std::to_string(sizes.most_m) + ", and least_m " +
                      std::to_string(sizes.least_m));
  }

  // For every number of rows from least_m to most_m. Compiles what is in no cache and no pack, which takes
  // some tenths of a second for each of a few configs.
  void prepare() {
    for (const std::int64_t m : detail::rows_to_prepare(sizes_.least_m, sizes_.most_m))
      plan_.prepare([&](OnDevice on) { multiply_stand_ins(on, m); });
  }

  // For any of the numbers of rows, after prepare().
  std::size_t workspace_bytes() const { return plan_.workspace_bytes(); }
  std::size_t workspace_bytes(std::int64_t m) const {
    return plan_.workspace_bytes([&](OnDevice on) { multiply_stand_ins(on, m); });
  }

  // c = activation(a b). The workspace is memory of the device, and belongs to the product until it has run.
  Status run(OnDevice on, const MatrixView<const In> &a, const MatrixView<const In> &b,
             const MatrixView<Out> &c, const MemoryExtent &workspace = {}) const noexcept {
    return plan_.run(on, workspace, [&](OnDevice here) { gemm<Activation>(here, a, b, c, options_); });
  }

 private:
  // Matrices of the plan's sizes, and no memory: only the addresses' alignment counts where nothing runs.
  void multiply_stand_ins(OnDevice on, std::int64_t m) const {
    std::uintptr_t next = alignment;
    const auto matrix = [&]<class T>(T *, std::int64_t rows, std::int64_t cols, StoredBy order) {
      const std::uintptr_t at = next;
      next += (static_cast<std::uintptr_t>(rows * cols) * sizeof(T) / alignment + 1) * alignment;
      const bool by_rows = order == StoredBy::rows;
      return MatrixView<T>{reinterpret_cast<T *>(at), rows, cols, by_rows ? cols : 1, by_rows ? 1 : rows};
    };
    constexpr const In *in = nullptr;
    constexpr Out *out = nullptr;
    gemm<Activation>(on, matrix(in, m, sizes_.k, sizes_.a), matrix(in, sizes_.k, sizes_.n, sizes_.b),
                     matrix(out, m, sizes_.n, StoredBy::rows), options_);
  }
  static constexpr std::uintptr_t alignment = 256;

  LaunchPlan plan_;
  GemmPlanSizes sizes_;
  GemmOptions options_;
};

}   // namespace tile::kernels
