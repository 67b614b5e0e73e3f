// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/write_tile.h"

#include "compiler/lowering/distribute/shared_offsets.h"
#include "compiler/lowering/distribute/shared_tile.h"
#include "compiler/lowering/distribute/words.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {

using layout::TileLayout;

void writeTile(Distribution &d, const TileLayout &part, RankedTensorType slotTile, Value slot,
               ValueRange values) {
  ImplicitLocOpBuilder &b = d.build();
  const TileLayout buffer = getLayoutAttr(slotTile).getLayout();
  Offsets offsets(part, buffer, slotTile.getElementTypeBitWidth() / 8);
  std::optional<MatrixAccess> matrices;
  if (d.target().has(Feature::MatrixStores))
    matrices = MatrixAccess::of(offsets);
  Columns lanes = matrices ? matrices->rows : offsets.lanes(), warps = offsets.warps();
  lanes.resize(5, 0);
  Value thread = d.threads().ofThread(lanes, warps);
  auto placeOf = [&](std::int64_t reg) {
    return offsetBy(b, slot,
                    d.threads().withConstant(thread, reachOf(lanes, warps), offsets.ofRegister(reg)));
  };
  const std::int64_t step =
      matrices ? std::int64_t(1) << (matrices->first + matrices->count) : offsets.run(16);
  for (std::int64_t reg = 0; reg < part.places(); reg += step) {
    ValueRange run = values.slice(static_cast<size_t>(reg), static_cast<size_t>(step));
    if (!matrices) {
      storeRun(b, run, placeOf(reg));
      continue;
    }
    Registers words;
    for (size_t n = elementsPerWord(slotTile.getElementType()), i = 0; i < run.size(); i += n)
      llvm::append_range(words, toWords(b, run.slice(i, n)));
    storeMatrices(b, words, matrices->transposed, placeOf(reg));
  }
}

void showToUnits(ImplicitLocOpBuilder &b) {
  NVVM::FenceProxyOp::create(b, NVVM::ProxyKind::async_shared,
                             NVVM::SharedSpaceAttr::get(b.getContext(), NVVM::SharedSpace::shared_cta));
}

}   // namespace tile::gpu
