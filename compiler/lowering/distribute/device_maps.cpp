// SPDX-License-Identifier: MIT
// Maps of tensors that the program determines. One thread makes each, and is the only one that uses it:
//
//    copy the 128 bytes of the map that it is like, of a tensor without elements
//    if there are elements: replace address, extents, strides
//    release (the ordinary way to memory), acquire (the copy engine's)
//
// Of maps that are made one right after the other, the last one releases all of them: one way to memory, and
// the acquisitions do not wait for each other's.
#include "compiler/lowering/distribute/distribution.h"

#include "dialects/tile_gpu/tensor_map_ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {

// Whether it is made where the other one is, too.
static bool isTogether(DeviceMapOp map, Operation *other) {
  auto also = dyn_cast_or_null<DeviceMapOp>(other);
  return also && also.getWhen() == map.getWhen();
}

static void deviceMap(DeviceMapOp map, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  constexpr std::int64_t bytes = 128;
  Value like = d.registers(map.getLike()).front();
  Value place = LLVM::GEPOp::create(b, map.getWorkspace().getType(), b.getI8Type(),
                                    d.registers(map.getWorkspace()).front(),
                                    LLVM::GEPArg(static_cast<std::int32_t>(map.getAt())));
  Value known = LLVM::AddrSpaceCastOp::create(b, map.getType(), place);
  d.set(map.getMap(), {known});
  auto wide = [&](std::int64_t value) -> Value { return arith::ConstantIntOp::create(b, value, 64); };
  Registers extents, strides;   // the fastest axis first
  Value some;
  for (Value extent : llvm::reverse(map.getExtents())) {
    extents.push_back(d.registers(extent).front());
    Value has = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, extents.back(), wide(0));
    some = some ? Value(arith::AndIOp::create(b, some, has)) : has;
  }
  const std::int64_t element = tensorMapOf(map.getMap()).getElement().getIntOrFloatBitWidth() / 8;
  for (Value stride : llvm::reverse(map.getStrides()))
    strides.push_back(arith::MulIOp::create(b, d.registers(stride).front(), wide(element)));
  Value base = ir::PtrToIntOp::create(b, b.getI64Type(), d.registers(map.getBase()).front());

  Value makes = d.threads().isFirst();
  if (map.getWhen())
    makes = arith::AndIOp::create(b, makes, d.registers(map.getWhen()).front());
  d.inBranch(makes, [&] {
    PtxMapCopyOp::create(b, like, place);
    d.inBranch(some, [&] {
      auto replace = [&](StringRef field, std::optional<size_t> dimension, Value value) {
        auto number = dimension ? b.getI32IntegerAttr(static_cast<std::int32_t>(*dimension)) : IntegerAttr();
        PtxMapReplaceOp::create(b, b.getStringAttr(field), number, place, value, IntegerAttr());
      };
      replace("global_address", std::nullopt, base);
      for (auto [i, extent] : llvm::enumerate(extents))
        replace("global_dim", i, arith::TruncIOp::create(b, b.getI32Type(), extent));
      for (auto [i, stride] : llvm::enumerate(strides))
        replace("global_stride", i, stride);
    });
    if (isTogether(map, map->getNextNode()))
      return;
    NVVM::FenceProxyReleaseOp::create(b, NVVM::MemScopeKind::GPU);
    for (Operation *made = map; made == map || isTogether(map, made); made = made->getPrevNode())
      NVVM::FenceProxyAcquireOp::create(b, NVVM::MemScopeKind::GPU, d.registers(made->getResult(0)).front(),
                                        d.constant(bytes));
  });
}

void addDeviceMaps(Handlers &handlers) { handlers.add(deviceMap); }

}   // namespace tile::gpu
