// SPDX-License-Identifier: MIT
// The part of `tile-gpu-to-simulator` for tensor maps that are changed on the device.
#include "compiler/lowering/simulator/simulator_calls.h"
#include "dialects/tile_gpu/tensor_map_ops.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {

using Result = std::optional<LogicalResult>;

Result HopperCalls::tensorMap(Operation *op) {
  auto &c = calls_;
  auto done = [&](Operation *op) -> Result {
    hasPartialOrder_ = changesMaps_ = true;
    return c.replace(op, ValueRange());
  };
  auto isOfMaps = [](auto op) {
    return op.getFromProxy() == NVVM::ProxyKind::GENERIC && op.getToProxy() == NVVM::ProxyKind::TENSORMAP;
  };
  return c.choose<Result>(op)
      .Case([&](PtxMapReplaceOp op) {
        bool isShared = SimulatorCalls::spaceOf(op.getMap()) == SimulatorCalls::Shared;
        Value value = op.getValue() ? op.getValue() : c.number(*op.getConstant());
        c.call(isShared ? "tile_sim_map_replace_shared" : "tile_sim_map_replace_global", {},
               {op.getMap(), c.number(op.getFieldNumber()), c.number(op.getDimension().value_or(0)),
                c.wide(value), c.site(("replacement of " + op.getField() + " of a tensor map").str())});
        return done(op);
      })
      .Case([&](PtxMapCopyOp op) {
        c.call("tile_sim_map_copy", {}, {op.getPlace(), op.getMap(), c.site("tensor map copy")});
        return done(op);
      })
      .Case([&](PtxMapPublishOp op) {
        c.call("tile_sim_map_publish", {}, {op.getPlace(), op.getMap(), c.site("tensor map copy")});
        return done(op);
      })
      .Case([&](NVVM::FenceProxyReleaseOp op) -> Result {
        if (!isOfMaps(op))
          return std::nullopt;
        c.call("tile_sim_map_release", {}, {});
        return done(op);
      })
      .Case([&](NVVM::FenceProxyAcquireOp op) -> Result {
        if (!isOfMaps(op))
          return std::nullopt;
        c.call("tile_sim_map_acquire", {}, {op.getAddr(), c.site("tensor map fence")});
        return done(op);
      })
      .Default([](Operation *) { return std::nullopt; });
}

}   // namespace tile::gpu
