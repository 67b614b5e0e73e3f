// SPDX-License-Identifier: MIT
// `tile-gpu-choose-barriers`: which barrier of the machine makes the threads of a group wait for each other.
//
//    all threads of the CTA     the CTA's barrier, number 0
//    one warp                   the warp's own
//    other groups of warps      a named barrier for each group, from number 1 on
//
// Two groups never share a number, for they could meet at it at the same time.
#include "compiler/lowering/passes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUCHOOSEBARRIERS
#include "compiler/lowering/passes.h.inc"

namespace {

constexpr size_t LastNumber = 15;   // of the machine's barriers

struct ChooseBarriers : impl::TileGpuChooseBarriersBase<ChooseBarriers> {
  void runOnOperation() override {
    SmallVector<SyncOp> syncs;
    getOperation().walk([&](SyncOp sync) { syncs.push_back(sync); });
    llvm::MapVector<std::pair<unsigned, unsigned>, size_t> numbers;   // by first warp and warps
    for (SyncOp sync : syncs) {
      ImplicitLocOpBuilder b(sync.getLoc(), sync);
      auto number = [&](int64_t value) -> Value { return arith::ConstantIntOp::create(b, value, 32); };
      if (!sync.getWarps()) {
        NVVM::Barrier0Op::create(b);
      } else if (*sync.getWarps() == 1) {
        NVVM::SyncWarpOp::create(b, number(-1));
      } else {
        size_t next = numbers.size() + 1;
        size_t id = numbers.try_emplace({*sync.getFirstWarp(), *sync.getWarps()}, next).first->second;
        if (id > LastNumber) {
          sync.emitError("is of one group of warps too many: a CTA has ") << LastNumber << " named barriers";
          return signalPassFailure();
        }
        Value barrier = number(static_cast<int64_t>(id)), threads = number(32 * int64_t(*sync.getWarps()));
        NVVM::BarrierOp::create(b, TypeRange(), barrier, threads, NVVM::BarrierReductionAttr(), Value());
      }
      sync.erase();
    }
  }
};

}   // namespace
}   // namespace tile::gpu
