// SPDX-License-Identifier: MIT
// The part of `tile-gpu-to-simulator` for bulk copies and matrix operations of a warpgroup.
#include "compiler/lowering/simulator/simulator_calls.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {

using Result = std::optional<LogicalResult>;

Result HopperCalls::bulkCopy(Operation *op) {
  auto &c = calls_;
  auto &b = c.b_;
  auto done = [&](Operation *op) -> Result {
    hasPartialOrder_ = true;
    return c.replace(op, ValueRange());
  };
  auto mask = [&](Value mask) {
    return mask ? Value(LLVM::ZExtOp::create(b, b.getI32Type(), mask)) : c.number(-1);
  };
  auto box = [&](ValueRange coordinates) {
    for (auto [i, coordinate] : llvm::enumerate(coordinates))
      c.put(4 * static_cast<unsigned>(i), coordinate);
    return c.number(static_cast<std::int64_t>(coordinates.size()));
  };
  auto stores = [&](Operation *op, Value map, Value from, ValueRange coordinates, int reduction, Value when) {
    Value rank = box(coordinates);
    c.call("tile_sim_tensor_store", {},
           {map, from, rank, c.words_, c.number(reduction), c.predicate(when),
            c.site(reduction < 0 ? "tensor store" : "tensor reduction")});
    return done(op);
  };
  return c.choose<Result>(op)
      .Case([&](NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp op) -> Result {
        if (op.getMode() != NVVM::TMALoadMode::TILE || op.getGroup())
          return c.unknown(op, "nvvm.cp.async.bulk.tensor.shared.cluster.global of other than tiles");
        Value rank = box(op.getCoordinates());
        c.call("tile_sim_tensor_load", {},
               {op.getDstMem(), op.getTmaDescriptor(), op.getMbar(), rank, c.words_,
                mask(op.getMulticastMask()), c.predicate(op.getPredicate()), c.site("tensor load")});
        return done(op);
      })
      .Case([&](NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp op) -> Result {
        if (op.getMode() != NVVM::TMAStoreMode::TILE)
          return c.unknown(op, "nvvm.cp.async.bulk.tensor.global.shared.cta of other than tiles");
        return stores(op, op.getTmaDescriptor(), op.getSrcMem(), op.getCoordinates(), -1, op.getPredicate());
      })
      .Case([&](NVVM::CpAsyncBulkTensorReduceOp op) -> Result {
        if (op.getMode() != NVVM::TMAStoreMode::TILE)
          return c.unknown(op, "nvvm.cp.async.bulk.tensor.reduce of other than tiles");
        return stores(op, op.getTmaDescriptor(), op.getSrcMem(), op.getCoordinates(),
                      static_cast<int>(op.getRedKind()), {});
      })
      .Case([&](NVVM::CpAsyncBulkGlobalToSharedClusterOp op) {
        c.call("tile_sim_bulk_load", {},
               {op.getDstMem(), op.getSrcMem(), op.getMbar(), op.getSize(), mask(op.getMulticastMask()),
                c.site("bulk load")});
        return done(op);
      })
      .Case([&](NVVM::CpAsyncBulkSharedCTAToGlobalOp op) {
        c.call("tile_sim_bulk_store", {},
               {op.getDstMem(), op.getSrcMem(), op.getSize(), mask(op.getByteMask()), c.site("bulk store")});
        return done(op);
      })
      .Case([&](NVVM::CpAsyncBulkSharedCTAToSharedClusterOp op) {
        c.call("tile_sim_bulk_send", {},
               {op.getDstMem(), op.getSrcMem(), op.getMbar(), op.getSize(), c.site("bulk copy")});
        return done(op);
      })
      .Case([&](NVVM::CpAsyncBulkCommitGroupOp op) {
        c.call("tile_sim_bulk_commit", {}, {});
        return done(op);
      })
      .Case([&](NVVM::CpAsyncBulkWaitGroupOp op) {
        c.call("tile_sim_bulk_wait", {}, {c.number(op.getGroup()), c.number(op.getRead().value_or(false))});
        return done(op);
      })
      .Case([&](NVVM::CpAsyncBulkTensorPrefetchOp op) -> Result {
        if (op.getMode() != NVVM::TMALoadMode::TILE)
          return c.unknown(op, "nvvm.cp.async.bulk.tensor.prefetch of other than tiles");
        Value rank = box(op.getCoordinates());
        c.call("tile_sim_tensor_prefetch", {},
               {op.getTmaDescriptor(), rank, c.words_, c.site("tensor prefetch")});
        return done(op);
      })
      .Case([&](NVVM::CpAsyncBulkPrefetchOp op) {
        c.call("tile_sim_bulk_prefetch", {}, {op.getSrcMem(), op.getSize(), c.site("bulk prefetch")});
        return done(op);
      })
      .Case([&](NVVM::PrefetchOp op) -> Result {
        if (op.getTensormap() && !op.getInParamSpace())
          c.call("tile_sim_tensor_prefetch", {},
                 {op.getAddr(), c.number(0), c.words_, c.site("tensor map prefetch")});
        return c.replace(op, ValueRange());
      })
      .Case([&](NVVM::StMatrixOp op) -> Result {
        NVVM::LdStMatrixShapeAttr shape = op.getShape();
        if (shape.getM() != 8 || shape.getN() != 8 || op.getEltType() != NVVM::LdStMatrixEltType::B16)
          return c.unknown(op, "nvvm.stmatrix of other than 8 x 8 elements of 16 bits");
        for (auto [i, word] : llvm::enumerate(op.getSources()))
          c.put(4 * static_cast<unsigned>(i), word);
        c.call("tile_sim_stmatrix", {},
               {op.getPtr(), c.number(static_cast<std::int64_t>(op.getSources().size())),
                c.number(op.getLayout() == NVVM::MMALayout::col), c.words_, c.site("stmatrix")});
        return c.replace(op, ValueRange());
      })
      .Default([](Operation *) { return std::nullopt; });
}

// ---- matrix operations

Result HopperCalls::matrix(Operation *op) {
  auto &c = calls_;
  auto &b = c.b_;
  auto done = [&](Operation *op) -> Result {
    hasPartialOrder_ = true;
    return c.replace(op, ValueRange());
  };
  // Where it is known that the registers stand for an operation on its way, the first says which.
  auto putAccumulators = [&](Value all, unsigned at) {
    auto fields = cast<LLVM::LLVMStructType>(all.getType()).getBody();
    if (Value word = running_.lookup(all))
      return c.put(at, word);
    for (auto [i, field] : llvm::enumerate(fields))
      c.put(at + 4 * static_cast<unsigned>(i),
            LLVM::ExtractValueOp::create(b, field, all, ArrayRef<int64_t>{static_cast<int64_t>(i)}));
  };
  return c.choose<Result>(op)
      .Case([&](NVVM::WgmmaFenceAlignedOp op) {
        c.call("tile_sim_wgmma_fence", {}, {});
        return done(op);
      })
      .Case([&](NVVM::WgmmaGroupSyncAlignedOp op) {
        c.call("tile_sim_wgmma_commit", {}, {});
        return done(op);
      })
      .Case([&](NVVM::WgmmaWaitGroupSyncOp op) {
        c.call("tile_sim_wgmma_wait", {}, {c.number(op.getGroup()), c.site("wgmma wait")});
        return done(op);
      })
      .Refuse<NVVM::WgmmaMmaAsyncOp>([&](NVVM::WgmmaMmaAsyncOp op) -> Result {
        return LogicalResult(
            op.emitError("the simulator cannot run `nvvm.wgmma.mma_async`, because it gives results that are "
                         "not there yet; use tile_gpu.ptx_wgmma and tile_gpu.ptx_wgmma_wait"));
      })
      .Case([&](PtxWgmmaOp op) -> Result {
        const MatrixUnit &unit = *op.getMatrixUnit();
        bool isHalf = unit.sum == MatrixElement::f16, inRegisters = op.hasRegisters();
        bool isRing = c.module_->hasAttr("tile_gpu.ring_floats") && !isInteger(unit.sum);
        if (isRing && isHalf)
          return c.unknown(op, "wgmma with f16 accumulators that are elements of a ring");
        putAccumulators(op.getAccumulators(), 0);
        Value a = LLVM::ConstantOp::create(b, b.getI64Type(), 0);
        if (!inRegisters)
          a = op.getA()[0];
        else
          for (auto [i, word] : llvm::enumerate(op.getA()))
            c.put(4 * (128 + static_cast<unsigned>(i)), word);
        // Elements are numbered alike on both sides.
        int flags = static_cast<int>(unit.a.element) | static_cast<int>(unit.b.element) << 4 |
                    op.getTransposeA() << 8 | op.getTransposeB() << 9 | op.getNegateA() << 10 |
                    op.getNegateB() << 11 | isHalf << 12 | inRegisters << 13 | isRing << 14;
        Value word = c.call("tile_sim_wgmma", b.getI32Type(),
                            {a, op.getB(), c.predicate(op.getAccumulate()), c.number(op.getN()),
                             c.number(flags), c.words_, c.site("wgmma")});
        running_[op.getResult()] = word;
        hasPartialOrder_ = true;
        return success();
      })
      .Case([&](PtxComputeFirstOp op) -> Result {
        op.erase();
        return success();
      })
      .Case([&](PtxWgmmaWaitOp op) -> Result {
        c.call("tile_sim_wgmma_wait", {}, {c.number(op.getPending()), c.site("wgmma wait")});
        SmallVector<Value> results;
        for (Value all : op.getAccumulators()) {
          putAccumulators(all, 0);
          auto count = static_cast<std::int64_t>(cast<LLVM::LLVMStructType>(all.getType()).getBody().size());
          c.call("tile_sim_wgmma_take", {}, {c.words_, c.number(count), c.site("wgmma wait")});
          results.push_back(c.takeAll(all.getType()));
        }
        hasPartialOrder_ = true;
        return c.replace(op.getOperation(), results);
      })
      .Default([](Operation *) { return std::nullopt; });
}

void HopperCalls::finish() {
  auto &b = calls_.b_;
  for (auto [value, word] : running_) {
    Operation *op = value.getDefiningOp();
    b.setLoc(op->getLoc());
    b.setInsertionPoint(op);
    if (!value.use_empty()) {
      auto type = cast<LLVM::LLVMStructType>(value.getType());
      Value all = LLVM::UndefOp::create(b, type);
      Value field = LLVM::BitcastOp::create(b, type.getBody()[0], word);
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(type.getBody().size()); ++i)
        all = LLVM::InsertValueOp::create(b, all, field, ArrayRef<int64_t>{i});
      value.replaceAllUsesWith(all);
    }
    op->erase();
  }
  running_.clear();
}

}   // namespace tile::gpu
