// SPDX-License-Identifier: MIT
// The part of `tile-gpu-to-simulator` for what came with Hopper. Here: how threads wait for each other and
// what those of a warp tell each other; bulk copies and matrix operations are in
// compiler/lowering/simulator/bulk_data.cpp.
#include "compiler/lowering/simulator/simulator_calls.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {
namespace {

using Result = std::optional<LogicalResult>;

template <class Enum> std::int64_t numberOf(Enum value) { return static_cast<std::int64_t>(value); }

}   // namespace

Result HopperCalls::retarget(Operation *op) {
  for (auto part : {&HopperCalls::specialRegister, &HopperCalls::tensorMap, &HopperCalls::synchronization,
                    &HopperCalls::mbarrier, &HopperCalls::bulkCopy, &HopperCalls::matrix}) {
    if (op)
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
  return c.choose<Result>(op)
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
  constexpr int AsyncFence = 0, InitFence = 1, OtherFence = 2, SharedFence = 3, GlobalFence = 4;
  return c.choose<Result>(op)
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
        Value vote = c.call(
            "tile_sim_vote", i32,
            {op.getMask(), c.predicate(op.getPred()), c.number(numberOf(op.getKind())), c.site("vote")});
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
        auto kind = op.getKind();
        return fence(op, kind == NVVM::ProxyKind::async          ? AsyncFence
                         : kind == NVVM::ProxyKind::async_shared ? SharedFence
                         : kind == NVVM::ProxyKind::async_global ? GlobalFence
                                                                 : OtherFence);
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
  enum Flags { Drop = 1, NoComplete = 2, Relaxed = 4, OfCluster = 8 };
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
  auto order = [](auto op) {
    return (op.getRelaxed() ? Relaxed : 0) | (op.getScope() == NVVM::MemScopeKind::CTA ? 0 : OfCluster);
  };
  return c.choose<Result>(op)
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
        return arrives(op, op.getAddr(), op.getCount(), {}, {}, order(op));
      })
      .Case([&](NVVM::MBarrierArriveDropOp op) {
        return arrives(op, op.getAddr(), op.getCount(), {}, {}, Drop | order(op));
      })
      .Case([&](NVVM::MBarrierArriveNocompleteOp op) {
        return arrives(op, op.getAddr(), op.getCount(), {}, {}, NoComplete);
      })
      .Case([&](NVVM::MBarrierArriveDropNocompleteOp op) {
        return arrives(op, op.getAddr(), op.getCount(), {}, {}, Drop | NoComplete);
      })
      .Case([&](NVVM::MBarrierArriveExpectTxOp op) {
        return arrives(op, op.getAddr(), {}, op.getTxcount(), op.getPredicate(), order(op));
      })
      .Case([&](NVVM::MBarrierArriveDropExpectTxOp op) {
        return arrives(op, op.getAddr(), {}, op.getTxcount(), {}, Drop | order(op));
      })
      .Case([&](NVVM::MBarrierTryWaitParityOp op) {
        return waits(op, op.getAddr(), op.getPhase(), /*blocks=*/true, false);
      })
      .Case([&](NVVM::MBarrierTryWaitOp op) {
        return waits(op, op.getAddr(), op.getStateOrPhase(), /*blocks=*/false,
                     op.getRelaxed());   // for some time
      })
      .Case([&](NVVM::MBarrierTestWaitOp op) {
        return waits(op, op.getAddr(), op.getStateOrPhase(), /*blocks=*/false, op.getRelaxed());
      })
      .Case([&](NVVM::CpAsyncMBarrierArriveOp op) {
        c.call("tile_sim_copy_arrive", {},
               {op.getAddr(), c.number(op.getNoinc()), c.site("cp.async arrival")});
        return done(op);
      })
      .Default([](Operation *) { return std::nullopt; });
}

}   // namespace tile::gpu
