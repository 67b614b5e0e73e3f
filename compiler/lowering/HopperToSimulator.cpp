// SPDX-License-Identifier: MIT
// The part of `tile-gpu-to-simulator` for what came with Hopper: barriers in shared memory, bulk copies, matrix
// operations of a warpgroup, clusters; and what else threads of a warp do together.
#include "compiler/lowering/SimulatorCalls.h"
#include "dialects/tile_gpu/TileGpuDialect.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

namespace tile::gpu {
namespace {

using Result = std::optional<LogicalResult>;

template <class Enum> std::int64_t numberOf(Enum value) { return static_cast<std::int64_t>(value); }

}   // namespace

Result HopperCalls::retarget(Operation *op) {
  for (auto part : {&HopperCalls::specialRegister, &HopperCalls::synchronization, &HopperCalls::mbarrier,
                    &HopperCalls::bulkCopy, &HopperCalls::matrix}) {
    calls_.b_.setInsertionPoint(op);
    if (Result result = (this->*part)(op))
      return result;
  }
  return std::nullopt;
}

Result HopperCalls::specialRegister(Operation *op) {
  auto &c = calls_;
  auto &b = c.b_;
  auto asks = [&](auto op, StringRef name, std::optional<int> what = {}) -> Result {
    return c.ask(op, name, what);
  };
  auto thread = [&] { return c.call("tile_sim_thread_id", b.getI32Type(), {}, /*isPure=*/true); };
  auto is = [&](auto op, Value value) -> Result { return c.replace(op, value); };
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](NVVM::LaneIdOp op) { return is(op, LLVM::AndOp::create(b, thread(), c.number(31))); })
      .Case([&](NVVM::WarpIdOp op) { return is(op, LLVM::LShrOp::create(b, thread(), c.number(5))); })
      .Case([&](NVVM::BlockDimXOp op) { return asks(op, "tile_sim_num_threads"); })
      .Case<NVVM::ThreadIdYOp, NVVM::ThreadIdZOp>([&](auto op) { return is(op, c.number(0)); })
      .Case<NVVM::BlockDimYOp, NVVM::BlockDimZOp>([&](auto op) { return is(op, c.number(1)); })
      .Case([&](NVVM::WarpSizeOp op) { return is(op, c.number(32)); })
      .Case([&](NVVM::ClusterIdXOp op) { return asks(op, "tile_sim_cluster_id", 0); })
      .Case([&](NVVM::ClusterIdYOp op) { return asks(op, "tile_sim_cluster_id", 1); })
      .Case([&](NVVM::ClusterIdZOp op) { return asks(op, "tile_sim_cluster_id", 2); })
      .Case([&](NVVM::ClusterDimXOp op) { return asks(op, "tile_sim_num_clusters", 0); })
      .Case([&](NVVM::ClusterDimYOp op) { return asks(op, "tile_sim_num_clusters", 1); })
      .Case([&](NVVM::ClusterDimZOp op) { return asks(op, "tile_sim_num_clusters", 2); })
      .Case([&](NVVM::BlockInClusterIdXOp op) { return asks(op, "tile_sim_place_in_cluster", 0); })
      .Case([&](NVVM::BlockInClusterIdYOp op) { return asks(op, "tile_sim_place_in_cluster", 1); })
      .Case([&](NVVM::BlockInClusterIdZOp op) { return asks(op, "tile_sim_place_in_cluster", 2); })
      .Case([&](NVVM::ClusterDimBlocksXOp op) { return asks(op, "tile_sim_cluster_extent", 0); })
      .Case([&](NVVM::ClusterDimBlocksYOp op) { return asks(op, "tile_sim_cluster_extent", 1); })
      .Case([&](NVVM::ClusterDimBlocksZOp op) { return asks(op, "tile_sim_cluster_extent", 2); })
      .Case([&](NVVM::ClusterId op) { return asks(op, "tile_sim_place_in_cluster", 3); })
      .Case([&](NVVM::ClusterDim op) { return asks(op, "tile_sim_cluster_extent", 3); })
      .Default([](Operation *) { return std::nullopt; });
}

Result HopperCalls::synchronization(Operation *op) {
  auto &c = calls_;
  auto &b = c.b_;
  Type i32 = b.getI32Type();
  auto done = [&](Operation *op, Value value = {}) -> Result {
    return c.replace(op, value ? ValueRange(value) : ValueRange());
  };
  auto orders = [&](Operation *op, Value value = {}) {
    hasPartialOrder_ = true;
    return done(op, value);
  };
  auto isTrue = [&](Value word) {
    return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, word, c.number(0)).getResult();
  };
  auto fence = [&](Operation *op, int kind) {
    c.call("tile_sim_fence", {}, {c.number(kind)});
    return done(op);
  };
  constexpr int AsyncFence = 0, InitFence = 1, OtherFence = 2;
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](NVVM::BarrierOp op) -> Result {
        if ((!op.getBarrierId() && !op.getNumberOfThreads()) || op.getReductionOp())
          return std::nullopt;
        c.call("tile_sim_named_barrier", {},
               {op.getBarrierId() ? op.getBarrierId() : c.number(0),
                op.getNumberOfThreads() ? op.getNumberOfThreads() : c.number(0), c.number(1),
                c.site("barrier")});
        return orders(op);
      })
      .Case([&](NVVM::BarrierArriveOp op) {
        c.call("tile_sim_named_barrier", {},
               {op.getBarrierId() ? op.getBarrierId() : c.number(0), op.getNumberOfThreads(), c.number(0),
                c.site("barrier arrival")});
        return orders(op);
      })
      .Case([&](NVVM::SyncWarpOp op) {
        c.call("tile_sim_warp_sync", {}, {op.getMask(), c.site("warp barrier")});
        return orders(op);
      })
      .Case([&](NVVM::VoteSyncOp op) {
        Value vote = c.call("tile_sim_vote", i32,
                            {op.getMask(), c.predicate(op.getPred()), c.number(numberOf(op.getKind())),
                             c.site("vote")});
        return done(op, op.getType().isInteger(1) ? isTrue(vote) : vote);
      })
      .Case([&](NVVM::ElectSyncOp op) {
        Value mask = op.getMembermask() ? op.getMembermask() : c.number(-1);
        return done(op, isTrue(c.call("tile_sim_elect", i32, {mask, c.site("election")})));
      })
      .Case([&](NVVM::MatchSyncOp op) {
        bool isAll = op.getKind() == NVVM::MatchSyncKind::all;
        Value mask = c.call("tile_sim_match", i32,
                            {op.getThreadMask(), c.wide(op.getVal()), c.number(isAll), c.site("match")});
        if (!isAll)
          return done(op, mask);
        Value both = LLVM::UndefOp::create(b, op.getType());
        both = LLVM::InsertValueOp::create(b, both, mask, ArrayRef<int64_t>{0});
        return done(op, LLVM::InsertValueOp::create(b, both, isTrue(mask), ArrayRef<int64_t>{1}));
      })
      .Case([&](NVVM::ReduxOp op) -> Result {
        if (!op.getType().isInteger(32))
          return c.unknown(op, "nvvm.redux.sync of floats");
        return done(op, c.call("tile_sim_redux", i32,
                               {op.getMaskAndClamp(), op.getVal(), c.number(numberOf(op.getKind())),
                                c.site("warp reduction")}));
      })
      .Case([&](NVVM::FenceProxyOp op) {
        bool isAsync = op.getKind() == NVVM::ProxyKind::async || op.getKind() == NVVM::ProxyKind::async_shared;
        return fence(op, isAsync ? AsyncFence : OtherFence);
      })
      .Case([&](NVVM::FenceMbarrierInitOp op) { return fence(op, InitFence); })
      .Case<NVVM::MembarOp, NVVM::FenceScClusterOp, NVVM::FenceSyncRestrictOp, NVVM::FenceProxyAcquireOp,
            NVVM::FenceProxyReleaseOp, NVVM::FenceProxySyncRestrictOp>(
          [&](auto op) { return fence(op, OtherFence); })
      .Case([&](NVVM::SetMaxRegisterOp op) {
        bool isMore = op.getAction() == NVVM::SetMaxRegisterAction::increase;
        c.call("tile_sim_set_registers", {},
               {c.number(op.getRegCount()), c.number(isMore), c.site("setmaxregister")});
        return done(op);
      })
      .Case([&](NVVM::GriddepcontrolOp op) {
        bool isWait = op.getKind() == NVVM::GridDepActionKind::wait;
        c.call("tile_sim_grid_dependency", {}, {c.number(isWait)});
        return done(op);
      })
      .Case<NVVM::ClusterArriveOp, NVVM::ClusterArriveRelaxedOp>([&](auto op) {
        bool isRelaxed = std::is_same_v<decltype(op), NVVM::ClusterArriveRelaxedOp>;
        c.call("tile_sim_cluster_arrive", {}, {c.number(isRelaxed), c.site("cluster arrival")});
        return orders(op);
      })
      .Case([&](NVVM::ClusterWaitOp op) {
        c.call("tile_sim_cluster_wait", {}, {c.site("cluster barrier")});
        return orders(op);
      })
      .Case([&](NVVM::MapaOp op) {
        return done(op, c.call("tile_sim_mapa", op.getType(), {op.getA(), op.getB(), c.site("mapa")}));
      })
      .Default([](Operation *) { return std::nullopt; });
}

Result HopperCalls::mbarrier(Operation *op) {
  auto &c = calls_;
  auto &b = c.b_;
  enum Flags { Drop = 1, NoComplete = 2, Relaxed = 4 };
  auto done = [&](Operation *op, Value value = {}) -> Result {
    hasPartialOrder_ = true;
    return c.replace(op, op->getNumResults() ? ValueRange(value) : ValueRange());
  };
  auto arrives = [&](Operation *op, Value at, Value count, Value bytes, Value when, int flags) {
    Value state = c.call("tile_sim_mbarrier_arrive", b.getI64Type(),
                         {at, count ? count : c.number(1), bytes ? bytes : c.number(0), c.predicate(when),
                          c.number(flags), c.site("mbarrier arrival")});
    return done(op, state);
  };
  auto waits = [&](Operation *op, Value at, Value phase, bool blocks, bool isRelaxed) {
    bool isState = phase.getType().isInteger(64);
    Value passed = c.call("tile_sim_mbarrier_wait", b.getI32Type(),
                          {at, c.wide(phase), c.number(isState), c.number(blocks), c.number(isRelaxed),
                           c.site("mbarrier wait")});
    Value isPast = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, passed, c.number(0));
    return done(op, isPast);
  };
  auto relaxed = [](auto op) { return op.getRelaxed() ? int(Relaxed) : 0; };
  return TypeSwitch<Operation *, Result>(op)
      .Case([&](NVVM::MBarrierInitOp op) {
        c.call("tile_sim_mbarrier_init", {},
               {op.getAddr(), op.getCount(), c.predicate(op.getPredicate()), c.site("mbarrier init")});
        return done(op);
      })
      .Case([&](NVVM::MBarrierInvalOp op) {
        c.call("tile_sim_mbarrier_inval", {}, {op.getAddr(), c.site("mbarrier inval")});
        return done(op);
      })
      .Case([&](NVVM::MBarrierExpectTxOp op) {
        c.call("tile_sim_mbarrier_expect", {}, {op.getAddr(), op.getTxcount(), c.site("mbarrier expect_tx")});
        return done(op);
      })
      .Case([&](NVVM::MBarrierCompleteTxOp op) {
        Value less = LLVM::SubOp::create(b, c.number(0), op.getTxcount());
        c.call("tile_sim_mbarrier_expect", {}, {op.getAddr(), less, c.site("mbarrier complete_tx")});
        return done(op);
      })
      .Case([&](NVVM::MBarrierArriveOp op) {
        return arrives(op, op.getAddr(), op.getCount(), {}, {}, relaxed(op));
      })
      .Case([&](NVVM::MBarrierArriveDropOp op) {
        return arrives(op, op.getAddr(), op.getCount(), {}, {}, Drop | relaxed(op));
      })
      .Case([&](NVVM::MBarrierArriveNocompleteOp op) {
        return arrives(op, op.getAddr(), op.getCount(), {}, {}, NoComplete);
      })
      .Case([&](NVVM::MBarrierArriveDropNocompleteOp op) {
        return arrives(op, op.getAddr(), op.getCount(), {}, {}, Drop | NoComplete);
      })
      .Case([&](NVVM::MBarrierArriveExpectTxOp op) {
        return arrives(op, op.getAddr(), {}, op.getTxcount(), op.getPredicate(), relaxed(op));
      })
      .Case([&](NVVM::MBarrierArriveDropExpectTxOp op) {
        return arrives(op, op.getAddr(), {}, op.getTxcount(), {}, Drop | relaxed(op));
      })
      .Case([&](NVVM::MBarrierTryWaitParityOp op) {
        return waits(op, op.getAddr(), op.getPhase(), /*blocks=*/true, false);
      })
      .Case([&](NVVM::MBarrierTryWaitOp op) {
        return waits(op, op.getAddr(), op.getStateOrPhase(), /*blocks=*/true, op.getRelaxed());
      })
      .Case([&](NVVM::MBarrierTestWaitOp op) {
        return waits(op, op.getAddr(), op.getStateOrPhase(), /*blocks=*/false, op.getRelaxed());
      })
      .Case([&](NVVM::CpAsyncMBarrierArriveOp op) {
        c.call("tile_sim_copy_arrive", {}, {op.getAddr(), c.number(op.getNoinc()), c.site("cp.async arrival")});
        return done(op);
      })
      .Default([](Operation *) { return std::nullopt; });
}

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
  return TypeSwitch<Operation *, Result>(op)
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
        c.call("tile_sim_tensor_prefetch", {}, {op.getTmaDescriptor(), rank, c.site("tensor prefetch")});
        return done(op);
      })
      .Case([&](NVVM::CpAsyncBulkPrefetchOp op) {
        c.call("tile_sim_bulk_prefetch", {}, {op.getSrcMem(), op.getSize(), c.site("bulk prefetch")});
        return done(op);
      })
      .Case([&](NVVM::PrefetchOp op) -> Result {
        if (op.getTensormap() && !op.getInParamSpace())
          c.call("tile_sim_tensor_prefetch", {}, {op.getAddr(), c.number(0), c.site("tensor map prefetch")});
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

// As MatrixKind of runtime/simulator/warpgroup.h numbers them.
static int kindOf(Type type) {
  return type.isF16()                       ? 0
         : type.isBF16()                    ? 1
         : isa<FloatTF32Type>(type)         ? 2
         : isa<Float8E4M3FNType>(type)      ? 3
         : isa<Float8E5M2Type>(type)        ? 4
         : type.isSignedInteger(8)          ? 5
                                            : 6;
}

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
  return TypeSwitch<Operation *, Result>(op)
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
      .Case([&](NVVM::WgmmaMmaAsyncOp op) -> Result {
        return LogicalResult(op.emitError("the simulator has no twin of `nvvm.wgmma.mma_async`: it gives its results "
                                          "before they are there; take tile_gpu.ptx_wgmma and "
                                          "tile_gpu.ptx_wgmma_wait"));
      })
      .Case([&](PtxWgmmaOp op) -> Result {
        auto type = cast<LLVM::LLVMStructType>(op.getType());
        bool isHalf = static_cast<int64_t>(type.getBody().size()) == op.getN() / 4;
        bool inRegisters = op.getA().size() == 4;
        putAccumulators(op.getAccumulators(), 0);
        Value a = LLVM::ConstantOp::create(b, b.getI64Type(), 0);
        if (!inRegisters)
          a = op.getA()[0];
        else
          for (auto [i, word] : llvm::enumerate(op.getA()))
            c.put(4 * (128 + static_cast<unsigned>(i)), word);
        int flags = kindOf(op.getTypeA()) | kindOf(op.getTypeB()) << 4 | op.getTransposeA() << 8 |
                    op.getTransposeB() << 9 | op.getNegateA() << 10 | op.getNegateB() << 11 | isHalf << 12 |
                    inRegisters << 13;
        Value word = c.call("tile_sim_wgmma", b.getI32Type(),
                            {a, op.getB(), c.predicate(op.getAccumulate()), c.number(op.getN()),
                             c.number(flags), c.words_, c.site("wgmma")});
        running_[op.getResult()] = word;
        hasPartialOrder_ = true;
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
