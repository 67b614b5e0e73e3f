// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/clusters.h"

#include "compiler/lowering/distribute/barrier_channels.h"
#include "compiler/lowering/distribute/shared_tile.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {

constexpr std::int64_t BytesOfMbarrier = 16;   // with what keeps the words behind it aligned

static Value place(Distribution &d, unsigned number, std::int64_t bytes) {
  return d.memory().betweenCtas(d.build(), number, BytesOfMbarrier + bytes);
}

// Everybody arrives, and waits for all others.
static void meet(ImplicitLocOpBuilder &b) {
  NVVM::ClusterArriveOp::create(b, b.getUnitAttr());
  NVVM::ClusterWaitOp::create(b, b.getUnitAttr());
}

void meetInCluster(Distribution &d) { meet(d.build()); }

void beginExchanges(Distribution &d, func::FuncOp kernel) {
  bool isAny = false;
  kernel.walk([&](Operation *op) { isAny |= op->hasAttr(OverCtasName); });
  if (!isAny)
    return;
  ImplicitLocOpBuilder &b = d.build();
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  d.exchanges() = LLVM::AllocaOp::create(b, pointer, b.getI32Type(), d.constant(1));
  LLVM::StoreOp::create(b, d.constant(0), d.exchanges());
  d.inBranch(d.threads().isFirst(), [&] {
    for (unsigned number : {0, 1})
      NVVM::MBarrierInitOp::create(b, place(d, number, 0), d.constant(1), Value());
    NVVM::FenceMbarrierInitOp::create(b);
  });
  meet(b);
}

void exchangeInCluster(Distribution &d, unsigned ctas, std::int64_t bytes, Value sends,
                       function_ref<void(const ExchangePlace &)> send, function_ref<void(Value)> read) {
  ImplicitLocOpBuilder &b = d.build();
  Value number = LLVM::LoadOp::create(b, b.getI32Type(), d.exchanges());
  LLVM::StoreOp::create(b, arith::AddIOp::create(b, number, d.constant(1)), d.exchanges());
  auto bit = [&](std::int64_t which) -> Value {
    return arith::AndIOp::create(b, arith::ShRUIOp::create(b, number, d.constant(which)), d.constant(1));
  };
  Value isSecond = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit(0), d.constant(0));
  Value second = place(d, 1, bytes), first = place(d, 0, bytes);
  Value mbarrier = arith::SelectOp::create(b, isSecond, second, first);
  Value words = offsetBy(b, mbarrier, d.constant(BytesOfMbarrier));

  d.inBranch(d.threads().isFirst(), [&] {
    NVVM::MBarrierArriveExpectTxOp::create(b, Type(), mbarrier, d.constant(bytes), NVVM::MemScopeKind::CTA,
                                           /*relaxed=*/false, Value());
  });
  auto sendToAll = [&] {
    Type inCluster = LLVM::LLVMPointerType::get(b.getContext(), 7);
    for (unsigned cta = 0; cta < ctas; ++cta) {
      auto there = [&](Value at) -> Value { return NVVM::MapaOp::create(b, inCluster, at, d.constant(cta)); };
      Value wordsThere = there(words), mbarrierThere = there(mbarrier);
      send({wordsThere, mbarrierThere});
    }
  };
  if (sends)
    d.inBranch(sends, sendToAll);
  else
    sendToAll();
  waitForPhase(d, mbarrier, bit(1));
  read(words);
}

}   // namespace tile::gpu
