// SPDX-License-Identifier: MIT
// The operations a trace consists of. Each becomes one MLIR operation; the plain ones are told
// completely by their operands and result types.
#pragma once

#include <cstdint>

// X(code, MLIR class)
#define TILE_PLAIN_OPS(X)                                                                                    \
  X(addi, mlir::arith::AddIOp)                                                                               \
  X(subi, mlir::arith::SubIOp)                                                                               \
  X(muli, mlir::arith::MulIOp)                                                                               \
  X(andi, mlir::arith::AndIOp)                                                                               \
  X(ori, mlir::arith::OrIOp)                                                                                 \
  X(xori, mlir::arith::XOrIOp)                                                                               \
  X(maxsi, mlir::arith::MaxSIOp)                                                                             \
  X(maxui, mlir::arith::MaxUIOp)                                                                             \
  X(minsi, mlir::arith::MinSIOp)                                                                             \
  X(minui, mlir::arith::MinUIOp)                                                                             \
  X(arith_divsi, mlir::arith::DivSIOp)                                                                       \
  X(arith_divui, mlir::arith::DivUIOp)                                                                       \
  X(arith_remsi, mlir::arith::RemSIOp)                                                                       \
  X(arith_remui, mlir::arith::RemUIOp)                                                                       \
  X(arith_ceildivsi, mlir::arith::CeilDivSIOp)                                                               \
  X(arith_ceildivui, mlir::arith::CeilDivUIOp)                                                               \
  X(arith_shli, mlir::arith::ShLIOp)                                                                         \
  X(arith_shrsi, mlir::arith::ShRSIOp)                                                                       \
  X(arith_shrui, mlir::arith::ShRUIOp)                                                                       \
  X(divsi, tile::ir::DivSIOp)                                                                                \
  X(divui, tile::ir::DivUIOp)                                                                                \
  X(remsi, tile::ir::RemSIOp)                                                                                \
  X(remui, tile::ir::RemUIOp)                                                                                \
  X(ceildivsi, tile::ir::CeilDivSIOp)                                                                        \
  X(ceildivui, tile::ir::CeilDivUIOp)                                                                        \
  X(shli, tile::ir::ShLIOp)                                                                                  \
  X(shrsi, tile::ir::ShRSIOp)                                                                                \
  X(shrui, tile::ir::ShRUIOp)                                                                                \
  X(mulhisi, tile::ir::MulHiSIOp)                                                                            \
  X(mulhiui, tile::ir::MulHiUIOp)                                                                            \
  X(addf, mlir::arith::AddFOp)                                                                               \
  X(subf, mlir::arith::SubFOp)                                                                               \
  X(mulf, mlir::arith::MulFOp)                                                                               \
  X(divf, mlir::arith::DivFOp)                                                                               \
  X(remf, mlir::arith::RemFOp)                                                                               \
  X(negf, mlir::arith::NegFOp)                                                                               \
  X(select, mlir::arith::SelectOp)                                                                           \
  X(extsi, mlir::arith::ExtSIOp)                                                                             \
  X(extui, mlir::arith::ExtUIOp)                                                                             \
  X(trunci, mlir::arith::TruncIOp)                                                                           \
  X(sitofp, mlir::arith::SIToFPOp)                                                                           \
  X(uitofp, mlir::arith::UIToFPOp)                                                                           \
  X(bitcast, mlir::arith::BitcastOp)                                                                         \
  X(absi, mlir::math::AbsIOp)                                                                                \
  X(absf, mlir::math::AbsFOp)                                                                                \
  X(exp, mlir::math::ExpOp)                                                                                  \
  X(exp2, mlir::math::Exp2Op)                                                                                \
  X(log, mlir::math::LogOp)                                                                                  \
  X(log2, mlir::math::Log2Op)                                                                                \
  X(sqrt, mlir::math::SqrtOp)                                                                                \
  X(rsqrt, mlir::math::RsqrtOp)                                                                              \
  X(sin, mlir::math::SinOp)                                                                                  \
  X(cos, mlir::math::CosOp)                                                                                  \
  X(tanh, mlir::math::TanhOp)                                                                                \
  X(erf, mlir::math::ErfOp)                                                                                  \
  X(floor, mlir::math::FloorOp)                                                                              \
  X(ceil, mlir::math::CeilOp)                                                                                \
  X(fma, mlir::math::FmaOp)                                                                                  \
  X(fptosi, tile::ir::FpToSIOp)                                                                              \
  X(fptoui, tile::ir::FpToUIOp)                                                                              \
  X(philox, tile::ir::PhiloxOp)                                                                              \
  X(ptr_to_int, tile::ir::PtrToIntOp)                                                                        \
  X(int_to_ptr, tile::ir::IntToPtrOp)                                                                        \
  X(splat, tile::ir::SplatOp)                                                                                \
  X(broadcast, tile::ir::BroadcastOp)                                                                        \
  X(join, tile::ir::JoinOp)                                                                                  \
  X(split, tile::ir::SplitOp)                                                                                \
  X(histogram, tile::ir::HistogramOp)                                                                        \
  X(assume_true, tile::ir::AssumeTrueOp)                                                                     \
  X(barrier, tile::ir::BarrierOp)                                                                            \
  X(yield, tile::ir::YieldOp)                                                                                \
  X(scf_yield, mlir::scf::YieldOp)                                                                           \
  X(scf_condition, mlir::scf::ConditionOp)

namespace tile::detail {

enum class Code : std::uint8_t {
  // Variables; promotion removes them.
  cell_new,
  cell_get,
  cell_set,
// What the attributes of an op mean: trace.h, `Op::numbers`.
#define TILE_CODE(code, Class) code,
  TILE_PLAIN_OPS(TILE_CODE)
#undef TILE_CODE
      constant,   // bits of the element (floats: `real`)
  arange,         // start, end
  expand_dims,    // axis
  reshape,        // any order
  permute,        // order...
  gather,         // axis
  program_id,     // axis
  num_programs,   // axis
  cmpi,           // predicate
  cmpf,           // predicate
  maximum,        // nan rule
  minimum,        // nan rule
  clamp,          // nan rule
  fp_cast,        // rounding
  approx_sqrt,
  approx_div,
  addptr,            // unsigned offset
  load,              // has mask, has other, cache, evict, volatile
  store,             // has mask, cache, evict, volatile
  make_descriptor,   // padding; operands: base, extents, strides
  descriptor_load,   // cache, evict
  descriptor_store,
  descriptor_reduce,   // update
  atomic_rmw,          // update, has mask, ordering, scope
  atomic_cas,          // ordering, scope
  dot,                 // precision, max_imprecise_acc, unsigned a, unsigned b
  reduce,              // axis
  scan,                // axis, reverse
  assume,              // Fact, n; range: 3, low, high
  assert_true,         // has mask; text: the message
  print,               // hex, unsigned operands...; text: the prefix
  scf_for,             // unsigned, stages, unroll, flatten, specialize_warps
  scf_if,
  scf_while,
};

}   // namespace tile::detail
