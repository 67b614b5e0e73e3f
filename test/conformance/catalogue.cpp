// SPDX-License-Identifier: MIT
// What each row of the suite checks, and where rows that are not here are checked or what they
// wait for. docs/conformance.md is this table with the number of cases.
#include "suite.h"

#include <stdexcept>

namespace tile::conformance {

namespace {

struct Row {
  const char *id, *checks;
  const char *elsewhere = nullptr;   // for rows without cases: why
};
struct Group {
  const char *title;
  std::vector<Row> rows;
};

constexpr const char *layouts =
    "in the machine's terms: `test/unit/codegen/conversion_test.cpp`, on the simulator, and "
    "`test/unit/layout/tile_layout_test.cpp`";
constexpr const char *vectors =
    "in PTX: `test/unit/codegen/cuda_kernels_test.cpp`, `test/kernels/vector_width.test`";
constexpr const char *raising = "not there yet";
constexpr const char *errors = "programs that must be refused: `test/errors`";

const std::vector<Group> &groups() {
  static const std::vector<Group> all{
      {"Elementwise",
       {{"EL1", "`+ - *` of every number type, in every form of operands; integers wrap"},
        {"EL2", "`/` of floats, rounded once to the operands' type"},
        {"EL3", "`%`: sign of the dividend, `fmod` for floats, divisors 0, -1 and MIN"},
        {"EL4", "`/` of integers: truncates; by 0 as by 1; MIN / -1 is MIN"},
        {"EL5", "and, or, exclusive or of integers and conditions"},
        {"EL6", "`<< >>` by amounts below, at and beyond the width, and by negative ones"},
        {"EL7", "six comparisons, NaN on either side; pointers for equality"},
        {"EL8", "`where` of every type; the arm not taken has no effect"},
        {"EL9", "`-`, `~`, `!`; the sign bit of zeros and NaN"},
        {"EL10", "`exp exp2 log log2 log1p expm1 sin cos sqrt rsqrt erf tanh sigmoid` within their bounds; "
                 "their fixed "
                 "points exactly"},
        {"EL11", "`floor ceil trunc round rint abs`; halves and their neighbours"},
        {"EL12", "`minimum maximum clamp` with both NaN rules; -0 < +0; crossed bounds"},
        {"EL13", "`/` and `sqrt` of random f32 bits are correctly rounded"},
        {"EL14", "no product is fused into an add when `fp_fusion` is off"},
        {"EL15", "`mulhi cdiv fma`"},
        {"EL16",
         "`pow` within its bound; zeros, infinities, NaN, negative numbers to whole and other powers"},
        {"EL17", "`isnan isinf isfinite`"}}},
      {"Conversions",
       {{"CV1",
         "`cast` between all pairs of types, one rounding, saturation; `bitcast`; addresses as integers"},
        {"CV2", "narrowing toward zero at every rounding boundary"},
        {"CV3", "fp8: from all codes, from all 16-bit numbers and (nightly) from all f32 numbers"}}},
      {"Creation, shape, movement",
       {{"SH1", "`arange full zeros`, program ids, legal and illegal lengths"},
        {"SH2", "a row and a column broadcast"},
        {"SH3", "`trans permute reshape expand_dims squeeze ravel swizzle2d`; all orders of four axes"},
        {"SH4", "`join split interleave flip`, and a join that feeds a product"}}},
      {"Layout conversions",
       {{"LY1", "conversion between every pair of layouts", layouts},
        {"LY2", "what a conversion costs", layouts},
        {"LY3", "conversions proved on basis vectors", layouts}}},
      {"Memory",
       {{"ME1", "masked loads: `other`, 0 when not given, no byte past the mask, wild pointers"},
        {"ME2", "masked stores leave everything else alone"},
        {"ME3", "the widest legal access is chosen", vectors},
        {"ME4", "strided, reversed and indirect accesses, duplicates, conditions as bytes, `barrier`"},
        {"ME5", "cache and eviction hints change no value"},
        {"ME6", "masked loads that feed products: `other` arrives, at every pipeline depth"},
        {"ME7", "offsets beyond 2^31, scaled beyond 2^32, signed and unsigned"}}},
      {"Descriptors",
       {{"DE1", "blocks of rank 1 to 5 loaded and stored across every edge, both paddings"},
        {"DE2",
         "descriptors passed to functions and carried by loops; `load_reduced`; blocks that feed products"},
        {"DE3", "bases, strides and extents that are refused when the kernel runs (the rest: test/errors/)"},
        {"DE4", "reductions `add min max bit_and bit_or bit_xor` across the edges"},
        {"DE5", "pointer accesses raised to descriptors", raising}}},
      {"Reductions",
       {{"RE1", "`sum max min argmax argmin` and with indices: ties, NaN, zeros of both signs, 32-bit sums "
                "of narrow integers"},
        {"RE2", "every axis of two and three dimensions, all axes, `KeepDims`"},
        {"RE3", "a user's combine function over several tiles: the order of operands is kept"},
        {"RE4", "reductions of products, and of their reductions"},
        {"RE5", "`xor_sum any all_of`; chained reductions after a permutation"},
        {"RE6", "reductions carried through a loop"},
        {"RE7",
         "rows of infinities and NaNs of both signs: `sum max min softmax`, and what follows from them"}}},
      {"Scans, sorting, gathering",
       {{"SC1", "`cumsum cumprod cummax` and combine functions that do not commute, both directions"},
        {"SC2", "`histogram`, masked, with values outside"},
        {"SC3", "`gather` along both axes"},
        {"SC4", "`sort`, `topk`, duplicates"},
        {"SC5", "`sort_with_index`, `topk_with_index`, tiles sorted together: stable, NaN as in `sort`"}}},
      {"Atomics",
       {{"AT1", "add, max, min of one cell by five programs: the old values are a possible history"},
        {"AT2", "and, or, xor, exchange"},
        {"AT3", "tiles added once each, the result used as an index"},
        {"AT4", "overlapping places and masks; masked-off lanes return 0"},
        {"AT5", "max and min of floats in the total order"},
        {"AT6", "a lock made of `atomic_cas` and `atomic_xchg`, 2,000 programs"},
        {"AT7", "`atomic_cas` of tiles compares bits"},
        {"AT8", "an atomic that few programs take part in"},
        {"AT9",
         "adds to elements that lie side by side, where nobody uses the old values; aligned or not, with "
         "masks"}}},
      {"Random numbers",
       {{"RN1", "Philox-4x32-10 bit by bit; range, mean and variance of `rand` and `randn`"}}},
      {"Products",
       {{"DO1", "every operand type, all four orders of storage, many shapes"},
        {"DO2", "products smaller than an instruction"},
        {"DO3", "what is done with the result: transposed, added to, softmax, multiplied again"},
        {"DO4", "stacks of matrices, ranks 3 to 6"},
        {"DO5", "tf32x3, bf16x3, bf16x6 are ten times better than tf32; infinities and NaN"},
        {"DO6", "fp8 with a limit on imprecise sums"},
        {"DO7", "product, cast, transpose, product"},
        {"DO8", "products of one tile by itself, several of one tile, one that other operations read"}}},
      {"Pipelined and specialised loops",
       {{"PL1",
         "product loops over ragged sizes by pointers and descriptors; every depth gives the same bits"},
        {"PL2", "trip counts around the depth, 0 among them"},
        {"PL3", "rows streamed through a loop"},
        {"PL4", "products with rows found by an index"},
        {"PL5", "loads and stores under a condition that changes from step to step"},
        {"PL6", "stores, scatters, two loads from one buffer, a descriptor carried by the loop"},
        {"PL7",
         "unrolled loops, alone and pipelined: trip counts around the factor, what they carry, products"},
        {"PL8", "persistent loops give the bits of plain ones, at every pipeline depth"},
        {"PL9", "nested loops with trip counts from memory, the inner one unrolled and not"}}},
      {"Control flow",
       {{"CF1", "ranges at the ends of i32, u32 and i64, up and down"},
        {"CF2", "`if_` and `TILE_IF`, nested, with tiles assigned in their arms"},
        {"CF3", "`while_`, loops in branches, branches in loops"},
        {"CF4", "the host's loops and branches leave no trace"},
        {"CF5", "functions and structs of tiles, recursive templates"}}},
      {"Whole kernels",
       {{"KE1", "grouped products through tables of pointers, empty groups, gaps untouched"},
        {"KE2", "softmax by rows, rows of -inf, huge values"},
        {"KE3", "layer norm forward and backward"},
        {"KE4", "flash attention forward"},
        {"KE5", "split-K and stream-K products"},
        {"KE6", "the kernels that users get, with every choice they offer, on ragged and empty sizes"},
        {"KE7", "the same with every config of their own lists"}}},
      {"Diagnostics",
       {{"ER1", "mistakes are refused at the user's line", errors},
        {"ER2", "`device_assert`: scalar, in one lane, masked; the device stays usable"},
        {"ER3", "`print` and `print_hex`"},
        {"ER4",
         "`assume_divisible assume_contiguous assume_constant assume_range` of tiles change no value"}}},
      {"JIT and cache",
       {{"JI1", "the number of compilations by classes of arguments", "`test/unit/dsl/launch_test.cpp`"},
        {"JI2", "what belongs to the key", "`test/unit/cache/kernel_key_test.cpp`"},
        {"JI3", "many processes and threads, one cold cache", "`test/long/cache.test`"},
        {"JI4", "damaged and unwritable caches", "`test/unit/cache/kernel_cache_test.cpp`"},
        {"JI5", "the same kernel twice gives the same bytes", "`test/kernels/same_code.test`"}}},
      {"Bugs of other compilers",
       {{"RG1", "a slot of the pipeline refilled too early"},
        {"RG2", "a register operand changed before it was read"},
        {"RG3", "operand tiles smaller than an instruction reads"},
        {"RG4", "the order of independent loads does not matter"},
        {"RG5", "a transposed result as operand", "DO7, with 1 to 8 warps"},
        {"RG6", "odd extents, K tails, fewer elements than threads"},
        {"RG7", "the last band of a persistent loop; sums of replicated elements"},
        {"RG8", "half a result is not accepted by the tuner", "`test/unit/runtime/tuning_test.cpp`"},
        {"RG9", "fp8 conversions round once"},
        {"RG10", "the epilogue's buffer in shared memory is not overwritten"},
        {"RG11", "packed adds with immediates"}}},
  };
  return all;
}

struct Counts {
  int fast = 0, nightly = 0;
};
Counts count(const Suite &suite, const std::string &row) {
  Counts counts;
  for (const Case &c : suite.cases())
    if (c.id.compare(0, row.size() + 1, row + "/") == 0)
      ++(c.tier == Tier::fast ? counts.fast : counts.nightly);
  return counts;
}

}   // namespace

std::string describe(const Suite &suite) {
  std::string page =
      "# Conformance\n\n"
      "This page lists what a kernel must compute on every device. The same cases run on each device.\n"
      "Each result is compared with a reference on the host, in double precision or in exact integers.\n"
      "Outputs are poisoned, and buffers are guarded.\n"
      "\n"
      "<!-- not run: takes minutes -->\n"
      "```sh\n"
      "tile test --device interpreter              # the fast cases\n"
      "tile test --device interpreter --nightly    # all cases\n"
      "tile test --filter 'EL1/*'                  # some cases; --list names them\n"
      "tile test                                   # on a machine with a GPU, the fast cases there\n"
      "```\n"
      "\n"
      "The suite is inside the tool, so the tool alone is enough. `tile test --markdown` wrote this page.\n";
  std::size_t counted = 0;
  for (const Group &group : groups()) {
    page += "\n## " + std::string(group.title) + "\n\n| Id | Checks | Fast | Nightly |\n|---|---|---|---|\n";
    for (const Row &row : group.rows) {
      const Counts counts = count(suite, row.id);
      counted += static_cast<std::size_t>(counts.fast + counts.nightly);
      if ((counts.fast + counts.nightly == 0) != (row.elsewhere != nullptr))
        throw std::logic_error(std::string("row ") + row.id +
                               " has cases, or says where they are: not both, not neither");
      page += "| " + std::string(row.id) + " | " + row.checks + " | ";
      page += row.elsewhere ? "*" + std::string(row.elsewhere) + "* | |\n"
                            : std::to_string(counts.fast) + " | " + std::to_string(counts.nightly) + " |\n";
    }
  }
  if (counted != suite.cases().size())
    throw std::logic_error("some cases belong to no row of the table");
  return page;
}

}   // namespace tile::conformance
