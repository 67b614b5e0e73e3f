// SPDX-License-Identifier: MIT
// The part of the descriptor GEMM that does not depend on element types: which operands a
// descriptor takes, and the configs worth trying.
#include "kernels/gemm.h"

#include "kernels/size_bucket.h"

#include <initializer_list>
#include <utility>

namespace tile::kernels::detail {

const char *descriptor_objection(StoredBy order, std::uint64_t address, std::int64_t row_stride,
                                 std::int64_t col_stride, int element_bytes) {
  const std::int64_t along = order == StoredBy::rows ? col_stride : row_stride;
  const std::int64_t across = order == StoredBy::rows ? row_stride : col_stride;
  if (along != 1)
    return "neither its rows nor its columns are contiguous";
  if (across < 0 || across * element_bytes % 16 != 0)
    return "the stride from one contiguous row (or column) to the next is not a multiple of 16 bytes";
  if (address % 16 != 0)
    return "its address is not a multiple of 16 bytes";
  return nullptr;
}

// Each of these for each way to store the operands.
static void add_in_all_orders(std::vector<GemmConfig> &configs, std::initializer_list<GemmConfig> tiles,
                              bool store_by_descriptor = true) {
  for (StoredBy a : {StoredBy::rows, StoredBy::columns})
    for (StoredBy b : {StoredBy::rows, StoredBy::columns})
      for (GemmConfig cfg : tiles) {
        cfg.a = a;
        cfg.b = b;
        cfg.store_by_descriptor = store_by_descriptor;
        configs.push_back(cfg);
      }
}

std::vector<GemmConfig> gemm_configs() {
  std::vector<GemmConfig> configs;
  for (bool store_by_descriptor : {true, false})
    add_in_all_orders(
        configs,
        {GemmConfig{.block_m = 128, .block_n = 128, .block_k = 64},
         GemmConfig{.block_m = 128, .block_n = 256, .block_k = 64},
         GemmConfig{.block_m = 128, .block_n = 192, .block_k = 64},
         GemmConfig{.block_m = 64, .block_n = 64, .block_k = 64, .launch = {.num_warps = 4}},
         GemmConfig{.block_k = 32, .launch = {.num_warps = 4}},
         GemmConfig{.block_k = 32, .launch = {.num_warps = 4, .num_stages = 4}},
         GemmConfig{.block_m = 256, .block_n = 128},
         GemmConfig{.block_m = 256, .block_n = 128, .block_k = 32},
         GemmConfig{.block_m = 128, .block_n = 64, .launch = {.num_warps = 4}},
         GemmConfig{.block_m = 64, .block_n = 128, .launch = {.num_warps = 4}},
         GemmConfig{
             .block_m = 32, .block_n = 64, .block_k = 128, .launch = {.num_warps = 4, .num_stages = 4}}},
        store_by_descriptor);
  // Where products read shared memory and results are stored by the copy engine, tiles are larger and there
  // are more slots of them.
  add_in_all_orders(
      configs,
      {GemmConfig{.block_m = 128, .block_n = 256, .launch = {.num_warps = 8, .num_stages = 4}},
       GemmConfig{.block_m = 256, .block_n = 128, .launch = {.num_warps = 8, .num_stages = 4}},
       GemmConfig{.block_m = 256, .block_n = 256, .launch = {.num_warps = 8, .num_stages = 4, .num_ctas = 2}},
       GemmConfig{.block_m = 256, .block_n = 192, .launch = {.num_warps = 8, .num_stages = 4, .num_ctas = 2}},
       // Of a cluster of two, each CTA copies half of what both read: more is on the way to few tiles.
       GemmConfig{.block_m = 128, .block_n = 128, .launch = {.num_warps = 4, .num_stages = 8, .num_ctas = 2}},
       GemmConfig{.block_m = 128, .block_n = 160, .launch = {.num_warps = 4, .num_stages = 7, .num_ctas = 2}},
       GemmConfig{.block_m = 128,
                  .block_n = 192,
                  .split_k = 2,
                  .launch = {.num_warps = 4, .num_stages = 6, .num_ctas = 2}},
       GemmConfig{.block_m = 128, .block_n = 96, .launch = {.num_warps = 4, .num_stages = 8, .num_ctas = 2}},
       GemmConfig{.block_m = 256, .block_n = 128, .launch = {.num_warps = 8, .num_stages = 5, .num_ctas = 2}},
       // A quarter: rows that do not begin at 128 bytes are fetched by several requests, of which the cache
       // takes so many.
       GemmConfig{.block_m = 256, .block_n = 160, .launch = {.num_warps = 4, .num_stages = 7, .num_ctas = 4}},
       GemmConfig{.block_m = 512, .block_n = 192, .launch = {.num_warps = 8, .num_stages = 4, .num_ctas = 4}},
       GemmConfig{.block_m = 128, .block_n = 192, .launch = {.num_warps = 8, .num_stages = 4}},
       GemmConfig{.block_m = 128, .block_n = 160, .launch = {.num_warps = 8, .num_stages = 5}},
       GemmConfig{.block_m = 128, .block_n = 128, .launch = {.num_warps = 8, .num_stages = 5}},
       GemmConfig{.block_m = 128, .block_n = 64, .launch = {.num_warps = 8, .num_stages = 6}},
       // In turn. Of 64 x 256 another slot is worth more than shared memory for whole tiles that are stored;
       // of 128 x 128 it is at some sizes (docs/hardware-tests.md).
       GemmConfig{
           .block_m = 128, .block_n = 128, .launch = {.num_warps = 4, .num_stages = 5, .ping_pong = true}},
       GemmConfig{
           .block_m = 128, .block_n = 128, .launch = {.num_warps = 4, .num_stages = 6, .ping_pong = true}},
       GemmConfig{
           .block_m = 128, .block_n = 160, .launch = {.num_warps = 4, .num_stages = 5, .ping_pong = true}},
       GemmConfig{
           .block_m = 128, .block_n = 192, .launch = {.num_warps = 4, .num_stages = 4, .ping_pong = true}},
       GemmConfig{
           .block_m = 64, .block_n = 256, .launch = {.num_warps = 4, .num_stages = 5, .ping_pong = true}},
       // Of few tiles each multiprocessor has one, and is to have as much on its way as it can.
       GemmConfig{.block_m = 128, .block_n = 64, .block_k = 128, .launch = {.num_warps = 8, .num_stages = 4}},
       GemmConfig{.block_m = 64, .block_n = 64, .block_k = 128, .launch = {.num_warps = 4, .num_stages = 6}},
       GemmConfig{.block_m = 64, .block_n = 32, .block_k = 128, .launch = {.num_warps = 4, .num_stages = 8}},
       GemmConfig{.block_m = 64, .block_n = 16, .block_k = 128, .launch = {.num_warps = 4, .num_stages = 8}},
       GemmConfig{.block_m = 64, .block_n = 8, .block_k = 128, .launch = {.num_warps = 4, .num_stages = 8}},
       GemmConfig{.block_m = 64,
                  .block_n = 64,
                  .block_k = 128,
                  .swap_ab = true,
                  .launch = {.num_warps = 4, .num_stages = 6}},
       GemmConfig{.block_m = 32,
                  .block_n = 64,
                  .block_k = 128,
                  .swap_ab = true,
                  .launch = {.num_warps = 4, .num_stages = 8}},
       GemmConfig{.block_m = 16,
                  .block_n = 64,
                  .block_k = 128,
                  .swap_ab = true,
                  .launch = {.num_warps = 4, .num_stages = 8}},
       GemmConfig{.block_m = 8,
                  .block_n = 64,
                  .block_k = 128,
                  .swap_ab = true,
                  .launch = {.num_warps = 4, .num_stages = 8}},
       GemmConfig{.block_m = 64, .block_n = 96, .launch = {.num_warps = 4, .num_stages = 8}},
       GemmConfig{.block_m = 64, .block_n = 128, .launch = {.num_warps = 4, .num_stages = 8}},
       GemmConfig{.block_m = 64, .block_n = 160, .split_k = 2, .launch = {.num_warps = 4, .num_stages = 7}},
       GemmConfig{.block_m = 64, .block_n = 128, .block_k = 128, .launch = {.num_warps = 4, .num_stages = 4}},
       // Few rows of a wide b: each block of b is fetched by as few programs as can be.
       GemmConfig{
           .block_m = 128, .block_n = 64, .swap_ab = true, .launch = {.num_warps = 4, .num_stages = 8}},
       GemmConfig{.block_m = 128,
                  .block_n = 64,
                  .block_k = 128,
                  .swap_ab = true,
                  .launch = {.num_warps = 4, .num_stages = 4}},
       GemmConfig{.block_m = 96, .block_n = 64, .swap_ab = true, .launch = {.num_warps = 4, .num_stages = 8}},
       GemmConfig{
           .block_m = 160, .block_n = 64, .swap_ab = true, .launch = {.num_warps = 4, .num_stages = 7}},
       GemmConfig{.block_m = 160,
                  .block_n = 64,
                  .swap_ab = true,
                  .split_k = 2,
                  .launch = {.num_warps = 4, .num_stages = 7}},
       GemmConfig{
           .block_m = 192, .block_n = 64, .swap_ab = true, .launch = {.num_warps = 4, .num_stages = 6}},
       GemmConfig{
           .block_m = 256, .block_n = 64, .swap_ab = true, .launch = {.num_warps = 4, .num_stages = 5}},
       GemmConfig{.block_m = 64, .block_n = 256, .launch = {.num_warps = 4, .num_stages = 4}},
       GemmConfig{
           .block_m = 128, .block_n = 256, .block_k = 128, .launch = {.num_warps = 8, .num_stages = 4}},
       GemmConfig{
           .block_m = 128, .block_n = 128, .block_k = 128, .launch = {.num_warps = 8, .num_stages = 3}}});
  // Widths in between, for fewer multiprocessors without a tile in the last wave. They are of the operand
  // along K: of one along N the rows of a tile would be narrow.
  for (StoredBy a : {StoredBy::rows, StoredBy::columns})
    for (StoredBy b : {StoredBy::rows, StoredBy::columns})
      for (GemmConfig cfg :
           {GemmConfig{.block_m = 128,
                       .block_n = 144,
                       .launch = {.num_warps = 4, .num_stages = 5, .ping_pong = true}},
            GemmConfig{.block_m = 128,
                       .block_n = 176,
                       .launch = {.num_warps = 4, .num_stages = 4, .ping_pong = true}},
            GemmConfig{.block_m = 128, .block_n = 208, .launch = {.num_warps = 8, .num_stages = 4}}}) {
        if (b == StoredBy::rows && a == StoredBy::columns)
          continue;
        cfg.a = a;
        cfg.b = b;
        if (b == StoredBy::rows) {   // the transposes, whose results take more memory on their way
          cfg.swap_ab = true;
          std::swap(cfg.block_m, cfg.block_n);
          cfg.launch = {.num_warps = 8, .num_stages = 4};
        }
        configs.push_back(cfg);
      }
  // Few tiles of many products.
  for (int parts : {2, 4, 8, 16})
    add_in_all_orders(
        configs,
        {GemmConfig{
             .block_m = 128, .block_n = 128, .split_k = parts, .launch = {.num_warps = 8, .num_stages = 5}},
         GemmConfig{
             .block_m = 128, .block_n = 256, .split_k = parts, .launch = {.num_warps = 8, .num_stages = 4}},
         GemmConfig{
             .block_m = 64, .block_n = 128, .split_k = parts, .launch = {.num_warps = 4, .num_stages = 8}},
         GemmConfig{.block_m = 128,
                    .block_n = 64,
                    .swap_ab = true,
                    .split_k = parts,
                    .launch = {.num_warps = 4, .num_stages = 8}}});
  return configs;
}

// `split_k` is for results so small that their tiles leave multiprocessors idle, and for so many products
// that each part has its fill.
bool is_worth_split_k(const GemmConfig &cfg, const Product &product) {
  constexpr std::int64_t most_sums = 1 << 22, least_blocks = 8;
  return cfg.split_k == 1 || (row_bucket(product.m) * product.n * cfg.split_k <= most_sums &&
                              product.k >= cfg.split_k * least_blocks * cfg.block_k);
}

bool keep_gemm_config(const GemmConfig &cfg, Product product, bool a_by_rows, bool b_by_rows,
                      bool c_fits_descriptor) {
  const std::int64_t m = product.m, n = product.n;
  // Narrow tiles are for results that are hardly wider.
  const bool fits_rows = !cfg.swap_ab || cfg.block_m >= 64 || m <= 2 * cfg.block_m;
  const bool fits_cols = cfg.block_n >= 32 || n <= 2 * cfg.block_n;
  const bool fits_depth = is_worth_split_k(cfg, product);
  return fits_rows && fits_cols && fits_depth && (cfg.a == StoredBy::rows) == a_by_rows &&
         (cfg.b == StoredBy::rows) == b_by_rows && cfg.store_by_descriptor == c_fits_descriptor;
}

double gemm_seconds(const Machine &machine, const GemmConfig &cfg, Product product) {
  product.m = row_bucket(product.m);
  product.a_along_k = cfg.a == StoredBy::rows;
  product.b_along_k = cfg.b == StoredBy::columns;
  return product_seconds(machine, product,
                         {.block_m = cfg.block_m,
                          .block_n = cfg.block_n,
                          .block_k = cfg.block_k,
                          .launch = cfg.launch,
                          .swap_ab = cfg.swap_ab,
                          .split_k = cfg.split_k,
                          .stores_described = cfg.store_by_descriptor});
}

}   // namespace tile::kernels::detail
