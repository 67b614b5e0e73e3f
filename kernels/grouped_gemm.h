// SPDX-License-Identifier: MIT
// Many products of different sizes in one launch. The device reads the sizes, so the host need not know them.
// The schedule is static: the tiles of all problems are numbered one after the other, and program p computes
// the tiles p, p + P, p + 2P, ..., where P is the number of programs.
//
//   tiles    0 1 2 3 | 4 5 | (none) | 6 7 8        four problems, the third one empty
//   P = 3    0 1 2 0 | 1 2 |        | 0 1 2
#pragma once

#include <tile/activation.h>
#include <tile/buffer.h>
#include <tile/dsl.h>
#include <tile/numerics.h>
#include <tile/operands.h>
#include <tile/product_cost.h>
#include <tile/shipped_tunings.h>
#include <tile/tensor_view.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace tile::kernels {

struct GroupedGemmConfig {
  int block_m = 128, block_n = 128, block_k = 64;
  int group_m = 8;      // number of tile rows in a group of the swizzled order (swizzle2d)
  int programs = 132;   // one for each multiprocessor of an H200
  // A promise: every address and every leading dimension in bytes is a multiple of it. Then the code uses
  // wide accesses, although addresses and strides are known only when the kernel runs.
  int alignment = 1;
  // A promise: all problems have the same n, k and leading dimensions. Then the launch describes the matrices
  // to the copy engine, wherever they begin.
  bool alike = false;
  Launch launch{.num_warps = 8};
};

// Problem g: a[g], b[g], c[g] are matrices stored by rows; sizes[3g ..] = m, n, k; leading[3g ..] = the row
// strides of a, b and c in elements. A problem must not read or write memory that another problem writes,
// because the tiles of one are copied while the result of another is stored. The code does not read the size
// class: through it, launches with problems of about the same sizes share results of tuning. If the problems
// are alike, n, k and the strides are those of all of them, and m alone is read.
template <class In, class Out, auto Activation, Precision Products>
void grouped_gemm_program(Ptr<const In *const> as, Ptr<const In *const> bs, Ptr<Out *const> cs,
                          Ptr<const i32> sizes, Ptr<const i64> leading, Int problems,
                          [[maybe_unused]] Dynamic<Int64> size_class, Int all_n, Int all_k, Int64 all_a_row,
                          Int64 all_b_row, Int64 all_c_row, const GroupedGemmConfig &cfg) {
  const auto [BM, BN, BK, group, programs, alignment, alike, launch] = cfg;
  const bool describes = alignment == 16;   // descriptors need it
  auto aligned = [&](const auto &pointer) {
    return alignment > 1 ? assume_divisible(pointer, alignment) : pointer;
  };
  auto promised_size = [](const Int &number) {
    return assume_range(number, 0, std::numeric_limits<i32>::max());
  };
  auto begins_block = [](const Int &number, int block) {
    return assume_range(number, 0, std::numeric_limits<i32>::max() - block);
  };
  auto size = [&](const Int &index) { return promised_size(load(sizes + index)); };
  auto stride = [&](const Int &index, const Int64 &of_all, int bytes) {
    auto elements = alike ? of_all : load(leading + index);
    elements = alignment > bytes ? assume_divisible(elements, alignment / bytes) : elements;
    return describes ? assume_range(elements, 0, std::numeric_limits<i64>::max()) : elements;
  };
  const int in_bytes = sizeof(In), out_bytes = sizeof(Out);
  const DotOptions product{.precision = Products};

  Int next = program_id(0), begin = 0;   // this program's next tile; the first tile of problem g
  for (auto g : range(0, problems).specialize_warps()) {
    Int m = size(g * 3), n = alike ? promised_size(all_n) : size(g * 3 + 1),
        k = alike ? promised_size(all_k) : size(g * 3 + 2);
    struct Factors {
      Ptr<const In> a, b;
      Int64 a_row, b_row;
    };
    auto factors = [&] {
      return Factors{aligned(load(as + g)), aligned(load(bs + g)), stride(g * 3, all_a_row, in_bytes),
                     stride(g * 3 + 1, all_b_row, in_bytes)};
    };
    // With elements of 16 bits, tensor maps may be made of the factors. Then they are loaded together with
    // the sizes, even if this program has no tile of the problem: one wait for memory instead of two.
    std::optional<Factors> early;
    if (describes && !alike && in_bytes == 2)
      early = factors();
    Int rows = cdiv(m, BM), cols = cdiv(n, BN), end = begin + rows * cols;
    for (auto tile : range(next, end, num_programs(0)).specialize_warps()) {
      const auto [a, b, a_row, b_row] = early ? *early : factors();
      auto c = aligned(load(cs + g));
      Int64 c_row = stride(g * 3 + 2, all_c_row, out_bytes);
      Int local = tile - begin;
      const auto [tile_m, tile_n] = swizzle2d(local / cols, local % cols, rows, cols, group);
      Int from_m = begins_block(tile_m * BM, BM), from_n = begins_block(tile_n * BN, BN);
      auto rm = from_m + arange(0, BM), rn = from_n + arange(0, BN), rk = arange(0, BK);
      auto acc = zeros<Accumulator<In>>({BM, BN});
      if (describes) {
        auto A = descriptor(a, {m, k}, {a_row, 1}, {BM, BK}), B = descriptor(b, {k, n}, {b_row, 1}, {BK, BN});
        for (auto i : range(0, cdiv(k, BK)))
          acc = dot(A.load({from_m, i * BK}), B.load({i * BK, from_n}), acc, product);
      } else {
        auto pa = a + (cast<i64>(rm)(all, none) * a_row + cast<i64>(rk)(none, all));
        auto pb = b + (cast<i64>(rk)(all, none) * b_row + cast<i64>(rn)(none, all));
        for (auto i : range(0, cdiv(k, BK))) {
          Int left = k - i * BK;
          auto x = load(pa, (rm(all, none) < m) & (rk(none, all) < left));
          auto y = load(pb, (rk(all, none) < left) & (rn(none, all) < n));
          acc = dot(x, y, acc, product);
          pa += BK;
          pb += BK * b_row;
        }
      }
      auto result = cast<Out>(detail::activate<Activation>(acc));
      if (describes) {
        descriptor(c, {m, n}, {c_row, 1}, {BM, BN}).store({from_m, from_n}, result);
      } else {
        auto pc = c + (cast<i64>(rm)(all, none) * c_row + cast<i64>(rn)(none, all));
        store(pc, result, (rm(all, none) < m) & (rn(none, all) < n));
      }
    }
    // The first tile of this program at or past `end`.
    next += cdiv(maximum(end - next, 0), num_programs(0)) * num_programs(0);
    begin = end;
  }
}

namespace detail {
std::vector<GroupedGemmConfig> grouped_gemm_configs(int alignment, bool alike);
// The buckets of the sizes (size_bucket.h), packed into one number, and whether the rows differ much.
std::int64_t size_class(std::int64_t mean_m, std::int64_t largest_n, std::int64_t largest_k,
                        bool is_uneven = false);
// The largest product of the class.
Product product_of_class(std::int64_t size_class);

// What problems have in common; all but m.
struct AlikeProblems {
  int n = 0, k = 0;
  std::int64_t a_row = 0, b_row = 0, c_row = 0;
  static const AlikeProblems none;
};
// Nothing if they differ. `sizes` and `leading` are the kernel's arrays. Where a matrix has fewer than two
// rows, its leading dimension does not matter.
std::optional<AlikeProblems> alike(const std::vector<i32> &sizes, const std::vector<i64> &leading);

// The kernel object for an alignment of 1, 2, 4, 8 or 16, and for problems that are alike. It is made once,
// so that launches find its tunings.
template <const auto &Kernel> const auto &aligned_kernel(int alignment, bool alike, Numerics numerics) {
  constexpr std::size_t alignments = 5, promises = alignments + 1;   // alike ones matter at 16 bytes alone
  using Kernels = std::array<std::remove_cvref_t<decltype(Kernel)>, promises>;
  const auto made = [](bool is_in_order) {
    Kernels kernels{Kernel, Kernel, Kernel, Kernel, Kernel, Kernel};
    for (std::size_t i = 0; i < promises; ++i) {
      kernels[i].configs = grouped_gemm_configs(1 << std::min(i, alignments - 1), i == alignments);
      if (is_in_order)
        std::erase_if(kernels[i].configs, [](const auto &cfg) { return !sums_in_order(cfg); });
    }
    return kernels;
  };
  const auto place =
      alike ? alignments : static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(alignment)));
  if (numerics == Numerics::any) {
    static const Kernels any = made(false);
    return any[place];
  }
  static const Kernels in_order = made(true);
  return in_order[place];
}
}   // namespace detail

template <class In, class Out = In, auto Activation = no_activation, Precision Products = Precision::tf32>
inline const Kernel<&grouped_gemm_program<In, Out, Activation, Products>> grouped_gemm_kernel{
    .name = "grouped_gemm",
    .parameters = {"a", "b", "c", "sizes", "leading", "problems", "size_class", "n", "k", "a_row", "b_row",
                   "c_row"},
    .grid = [](auto &cfg, auto...) { return Grid{cfg.programs}; },
    .configs = detail::grouped_gemm_configs(1, false),
    .key =
        [](auto, auto, auto, auto, auto, int problems, std::int64_t size_class, int n, int, std::int64_t,
           std::int64_t, std::int64_t c_row) {
          return Key{problems, size_class, c_row != 0,   // whether they are alike: they have other configs
                     detail::stores_boxes_alone(n)};
        },
    .keep = [](auto &cfg, auto, auto, auto, auto, auto, int, std::int64_t, int n,
               auto...) { return !cfg.alike || detail::stores_fit(cfg, n); },
    .cost =
        [](auto &cfg, const Machine &machine, auto, auto, auto, auto, auto, int problems,
           std::int64_t size_class, auto...) {
          detail::Product product = detail::product_of_class(size_class);
          product.count = problems;
          product.in_bytes = sizeof(In);
          product.out_bytes = sizeof(Out);
          product.is_exact = detail::is_exact_product<In, Products>;
          product.b_along_k = false;   // b is stored by rows
          return detail::product_seconds(machine, product,
                                         {.block_m = cfg.block_m,
                                          .block_n = cfg.block_n,
                                          .block_k = cfg.block_k,
                                          .launch = cfg.launch,
                                          .is_described = cfg.alignment == 16});
        },
    .tunes = Tunes::when_asked,
    .shipped_tunings = detail::shipped_tunings};

struct GroupedGemmOptions {
  Precision precision = Precision::tf32;     // of products of f32
  std::optional<GroupedGemmConfig> config;   // none: the kernel chooses
  Numerics numerics = Numerics::any;         // without a config: what decides the bits of a result
};

// A list of problems on the device. Make it once and multiply as often as you like: the arrays hold the
// addresses of the matrices, not their elements.
template <class In, class Out> class GroupedProblems {
 public:
  struct Problem {
    MatrixView<const In> a, b;
    MatrixView<Out> c;
  };

  GroupedProblems(OnDevice on, const std::vector<Problem> &problems)
      : GroupedProblems(on.device, arrays(on, problems)) {}

  int count() const { return count_; }
  // The largest power of two, up to 16 bytes, that divides all addresses and all leading dimensions in bytes.
  int alignment() const { return alignment_; }
  std::int64_t size_class() const { return size_class_; }   // equal if the sizes are about the same
  // Whether all have the same n, k and leading dimensions, and may promise it.
  bool alike() const { return alike_.has_value(); }
  const detail::AlikeProblems &all() const { return alike_ ? *alike_ : detail::AlikeProblems::none; }
  const Buffer<const In *> &a() const { return a_; }
  const Buffer<const In *> &b() const { return b_; }
  const Buffer<Out *> &c() const { return c_; }
  const Buffer<i32> &sizes() const { return sizes_; }
  const Buffer<i64> &leading() const { return leading_; }

 private:
  struct Arrays {
    std::vector<const In *> a, b;
    std::vector<Out *> c;
    std::vector<i32> sizes;
    std::vector<i64> leading;
    int alignment = 16;
    std::int64_t size_class = 0;
    std::optional<detail::AlikeProblems> alike;
  };

  static Arrays arrays(OnDevice on, const std::vector<Problem> &problems) {
    const detail::Operands operands("grouped_gemm", on.where);
    Arrays to;
    auto take = [&](const auto &view, const char *name) {
      if (view.cols > 1 && view.col_stride != 1)
        operands.refuse(std::string(name) + " of problem " + std::to_string(to.c.size()) +
                        " is not stored by rows");
      constexpr auto element = static_cast<std::int64_t>(sizeof(*view.data));
      // With one row, the stride does not matter. Descriptors need a stride with which rows do not overlap.
      const std::int64_t row = view.rows > 1 ? view.row_stride : (view.cols + 16) / 16 * 16;
      to.leading.push_back(row);
      if (view.rows > 1 && row < 1)
        to.alignment = std::min<int>(to.alignment, 8);
      const auto bytes =
          reinterpret_cast<std::uintptr_t>(view.data) | static_cast<std::uintptr_t>(row * element);
      while (bytes % to.alignment != 0)
        to.alignment /= 2;
      return view.data;
    };
    std::vector<detail::NamedOperand> all;
    std::int64_t all_m = 0, largest_m = 0, largest_n = 0, largest_k = 0;
    for (const Problem &p : problems) {
      operands.product(detail::extents(p.a), detail::extents(p.b), detail::extents(p.c));
      to.sizes.insert(to.sizes.end(), {operands.extent("m", p.a.rows), operands.extent("n", p.b.cols),
                                       operands.extent("k", p.a.cols)});
      const std::string of = " of problem " + std::to_string(to.c.size());
      operands.output("c" + of, detail::placed(p.c));
      all.push_back({"a" + of, detail::placed(p.a), false});
      all.push_back({"b" + of, detail::placed(p.b), false});
      all.push_back({"c" + of, detail::placed(p.c), true});
      to.a.push_back(take(p.a, "a"));
      to.b.push_back(take(p.b, "b"));
      to.c.push_back(take(p.c, "c"));
      all_m += p.a.rows;
      largest_m = std::max(largest_m, p.a.rows);
      largest_n = std::max(largest_n, p.b.cols);
      largest_k = std::max(largest_k, p.a.cols);
    }
    operands.all_apart(std::move(all));
    const auto count = static_cast<std::int64_t>(std::max<std::size_t>(problems.size(), 1));
    const std::int64_t mean_m = all_m / count;
    to.size_class = detail::size_class(mean_m, largest_n, largest_k, largest_m > 2 * mean_m);
    if (to.alignment == 16)
      to.alike = detail::alike(to.sizes, to.leading);
    return to;
  }

  GroupedProblems(Device &device, const Arrays &from)
      : count_(static_cast<int>(from.c.size())), alignment_(from.alignment), size_class_(from.size_class),
        alike_(from.alike), a_(device, from.a, "addresses of a"), b_(device, from.b, "addresses of b"),
        c_(device, from.c, "addresses of c"), sizes_(device, from.sizes, "sizes"),
        leading_(device, from.leading, "leading dimensions") {}

  int count_, alignment_;
  std::int64_t size_class_;
  std::optional<detail::AlikeProblems> alike_;
  Buffer<const In *> a_, b_;
  Buffer<Out *> c_;
  Buffer<i32> sizes_;
  Buffer<i64> leading_;
};

// Computes c = activation(a * b) for each problem of the list.
template <auto Activation = no_activation, class In, class Out>
void grouped_gemm(OnDevice on, const GroupedProblems<In, Out> &problems,
                  const GroupedGemmOptions &options = {}) {
  std::optional<GroupedGemmConfig> config = options.config;
  if (config) {
    detail::Operands("grouped_gemm", on.where).tiles(*config);
    config->alignment = problems.alignment();
    config->alike = problems.alike();
  }
  auto run = [&](const auto &kernel) {
    const detail::AlikeProblems &all = problems.all();
    kernel.launch_with(config, on, problems.a().data(), problems.b().data(), problems.c().data(),
                       problems.sizes().data(), problems.leading().data(), problems.count(),
                       problems.size_class(), all.n, all.k, all.a_row, all.b_row, all.c_row);
  };
  const int alignment = problems.alignment();
  const bool alike = problems.alike();
  if constexpr (std::is_same_v<In, f32>) {
    if (options.precision == Precision::ieee)
      return run(detail::aligned_kernel<grouped_gemm_kernel<In, Out, Activation, Precision::ieee>>(
          alignment, alike, options.numerics));
    if (options.precision != Precision::tf32)
      detail::Operands("grouped_gemm", on.where)
          .refuse("products of f32 need tf32 or ieee precision", "gemm() has bf16x3 and bf16x6, too");
  }
  run(detail::aligned_kernel<grouped_gemm_kernel<In, Out, Activation>>(alignment, alike, options.numerics));
}

}   // namespace tile::kernels
