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
  X(log1p, mlir::math::Log1pOp)                                                                              \
  X(expm1, mlir::math::ExpM1Op)                                                                              \
  X(pow, mlir::math::PowFOp)                                                                                 \
  X(trunc, mlir::math::TruncOp)                                                                              \
  X(round, mlir::math::RoundOp)                                                                              \
  X(rint, mlir::math::RoundEvenOp)                                                                           \
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
  X(assume_apart, tile::ir::AssumeApartOp)                                                                   \
  X(barrier, tile::ir::BarrierOp)                                                                            \
  X(yield, tile::ir::YieldOp)                                                                                \
  X(scf_yield, mlir::scf::YieldOp)                                                                           \
  X(scf_condition, mlir::scf::ConditionOp)

// Those that say more, and how: the structs of op_attributes.h.
// X(code, struct)
#define TILE_OPS_WITH_ATTRIBUTES(X)                                                                          \
  X(constant, Constant)                                                                                      \
  X(arange, Interval)                                                                                        \
  X(expand_dims, Axis)                                                                                       \
  X(reshape, Reshape)                                                                                        \
  X(permute, Permute)                                                                                        \
  X(gather, Axis)                                                                                            \
  X(program_id, Axis)                                                                                        \
  X(num_programs, Axis)                                                                                      \
  X(cmpi, CompareIntegers)                                                                                   \
  X(cmpf, CompareFloats)                                                                                     \
  X(maximum, NanRule)                                                                                        \
  X(minimum, NanRule)                                                                                        \
  X(clamp, NanRule)                                                                                          \
  X(fp_cast, FloatCast)                                                                                      \
  X(addptr, AddPointer)                                                                                      \
  X(load, Load)                                                                                              \
  X(store, Store)                                                                                            \
  X(make_descriptor, MakeDescriptor) /* operands: base, extents, strides */                                  \
  X(descriptor_load, DescriptorLoad)                                                                         \
  X(descriptor_reduce, DescriptorReduce)                                                                     \
  X(atomic_rmw, AtomicUpdate)                                                                                \
  X(atomic_cas, AtomicCas)                                                                                   \
  X(dot, Dot)                                                                                                \
  X(reduce, Axis)                                                                                            \
  X(scan, Scan)                                                                                              \
  X(assume, Assume)                                                                                          \
  X(assume_range, AssumeRange)                                                                               \
  X(assert_true, Assert)                                                                                     \
  X(print, Print)                                                                                            \
  X(scf_for, Loop)

namespace tile::detail {

enum class Code : std::uint8_t {
  // Variables; promotion removes them.
  cell_new,
  cell_get,
  cell_set,
#define TILE_CODE(code, Meaning) code,
  TILE_PLAIN_OPS(TILE_CODE) TILE_OPS_WITH_ATTRIBUTES(TILE_CODE)
#undef TILE_CODE
      approx_sqrt,
  approx_exp2,
  approx_div,
  descriptor_store,
  scf_if,
  scf_while,
};

}   // namespace tile::detail
