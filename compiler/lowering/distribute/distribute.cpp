// SPDX-License-Identifier: MIT
// `tile-gpu-distribute`: the pass around the families of this folder.
#include "compiler/lowering/distribute/distribution.h"
#include "compiler/lowering/passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUDISTRIBUTE
#include "compiler/lowering/passes.h.inc"

namespace {

struct Distribute : impl::TileGpuDistributeBase<Distribute> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(Distribution(getOperation()).run()))
      signalPassFailure();
  }
};

}   // namespace
}   // namespace tile::gpu
