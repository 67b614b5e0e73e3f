// SPDX-License-Identifier: MIT
// Operations in which lanes meet: products, reductions, scans, histograms.
#include "compiler/interpreter/decoder.h"
#include "compiler/interpreter/dot.h"
#include "compiler/interpreter/ring_ops.h"

using namespace mlir;

namespace tile::interpreter {

// The region's scalars become rows of lanes, its ops loops over them.
BlockId Decoder::decodeCombine(Region &region, std::size_t lanes, std::vector<Combined> &tiles) {
  Operation *parent = region.getParentOp();
  Block &block = region.front();
  for (Operation &op : block.without_terminator())
    if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      refuse(&op, "the interpreter does not run `" + op.getName().getStringRef().str() +
                      "` inside a combine function, which may only compute, without control flow and memory");
  const std::size_t outerFactor = std::exchange(factor_, lanes);
  for (std::size_t n = 0; n < tiles.size(); ++n) {
    tiles[n].earlier = define(block.getArgument(static_cast<unsigned>(n)), parent).place;
    tiles[n].later = define(block.getArgument(static_cast<unsigned>(n + tiles.size())), parent).place;
  }
  // Written from outside, round after round.
  for (BlockArgument argument : block.getArguments())
    pin(argument);
  const BlockId id = decodeRegion(block, [&] {
    for (std::size_t n = 0; n < tiles.size(); ++n)
      tiles[n].combined = slot(block.getTerminator()->getOperand(static_cast<unsigned>(n))).place;
  });
  for (BlockArgument argument : block.getArguments())
    unpin(argument);
  factor_ = outerFactor;
  return id;
}

BlockId Decoder::copyBlock(BlockId block, std::size_t lanes) {
  const BlockId copy = openBlock();
  program_->blocks[copy] = program_->blocks[block];
  for (Instruction &instruction : program_->blocks[copy])
    instruction.lanes = lanes;
  return copy;
}

// The operands and results of a reduction or scan.
std::vector<Combined> Decoder::combinedTiles(Operation *op) {
  std::vector<Combined> tiles;
  for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults())) {
    Combined tile{};
    tile.bytes = bytesOf(slot(operand).lane);
    tile.source = slot(operand).place;
    tile.result = define(result, op).place;
    tiles.push_back(tile);
  }
  return tiles;
}

bool Decoder::decodeCollective(Operation *op) {
  // [outer, extent, inner] of an axis.
  const auto around = [&](auto &detail, Value tile, int64_t axis) {
    const Extents extents = extentsOf(tile.getType());
    const auto at = extents.begin() + axis;
    detail.outer = lanesOf(Extents(extents.begin(), at));
    detail.extent = static_cast<std::size_t>(*at);
    detail.inner = lanesOf(Extents(at + 1, extents.end()));
  };
  if (auto reduce = dyn_cast<ir::ReduceOp>(op)) {
    Reduction &detail = program_->add(Reduction());
    around(detail, reduce.getValues()[0], reduce.getAxis());
    detail.tiles = combinedTiles(op);
    const std::size_t slices = detail.outer * detail.inner, first = slices * (detail.extent / 2);
    if (detail.extent > 1) {
      // Before the region is decoded, whose places are free again afterwards.
      const auto workBytes = [&](const Combined &tile) {
        return slices * (detail.extent / 2 + detail.extent % 2) * tile.bytes;
      };
      for (Combined &tile : detail.tiles)
        tile.work = take(workBytes(tile));
      const BlockId block = decodeCombine(reduce.getCombine(), first, detail.tiles);
      detail.rounds.push_back(block);
      for (std::size_t extent = detail.extent / 2 + detail.extent % 2; extent > 1;
           extent = extent / 2 + extent % 2)
        detail.rounds.push_back(copyBlock(block, slices * (extent / 2)));
      for (const Combined &tile : detail.tiles)
        plan_.giveBack(tile.work, workBytes(tile));
    }
    emit(reduceHandler(), op).detail = &detail;
    return true;
  }
  if (auto scan = dyn_cast<ir::ScanOp>(op)) {
    Scan &detail = program_->add(Scan());
    around(detail, scan.getValues()[0], scan.getAxis());
    detail.reverse = scan.getReverse();
    detail.tiles = combinedTiles(op);
    detail.block = decodeCombine(scan.getCombine(), detail.outer * detail.inner, detail.tiles);
    emit(scanHandler(), op).detail = &detail;
    return true;
  }
  if (auto histogram = dyn_cast<ir::HistogramOp>(op)) {
    Histogram detail;
    define(histogram, op);
    detail.bins = slot(histogram).lanes;
    Instruction &instruction = emit(histogramHandler(), op);
    instruction.a = slot(histogram.getValue()).place;
    if (histogram.getMask())
      instruction.b = slot(histogram.getMask()).place;
    instruction.lanes = slot(histogram.getValue()).lanes;
    instruction.detail = &program_->add(std::move(detail));
    return true;
  }
  if (auto dot = dyn_cast<ir::DotOp>(op)) {
    const ArrayRef<int64_t> a = ir::getShape(dot.getA().getType()), b = ir::getShape(dot.getB().getType());
    const std::size_t rank = a.size();
    Dot detail;
    detail.batch = rank == 3 ? static_cast<std::size_t>(a[0]) : 1;
    detail.rows = static_cast<std::size_t>(a[rank - 2]);
    detail.depth = static_cast<std::size_t>(a[rank - 1]);
    detail.columns = static_cast<std::size_t>(b[rank - 1]);
    detail.a = slot(dot.getA()).lane;
    detail.b = slot(dot.getB()).lane;
    detail.sum = slot(dot.getAcc()).lane;
    detail.precision = static_cast<DotPrecision>(dot.getPrecision());
    detail.unsignedA = dot.getUnsignedA();
    detail.unsignedB = dot.getUnsignedB();
    const bool isFloatDot = isa<FloatType>(ir::getElementType(dot.getType()));
    const Handler handler = isRing_ && isFloatDot ? ringDotHandler(detail.sum)
                                                  : need(dotHandler(detail.a, detail.b, detail.sum), op);
    if (llvm::is_contained({dot.getA(), dot.getB()}, dot.getAcc()))
      define(dot, op);   // elements are read again when others are written
    else
      defineOver(dot, op, dot.getAcc());
    Instruction &instruction = emit(handler, op);
    instruction.a = slot(dot.getA()).place;
    instruction.b = slot(dot.getB()).place;
    instruction.c = slot(dot.getAcc()).place;
    instruction.detail = &program_->add(std::move(detail));
    return true;
  }
  return false;
}

}   // namespace tile::interpreter
