// SPDX-License-Identifier: MIT
// From one layout to another: nothing, other registers, shuffles, or a trip through shared memory. What is
// done is planned on the layouts alone (compiler/layout); here plans become instructions.
#include "compiler/lowering/distribute/conversions.h"

#include "compiler/lowering/distribute/shared_tile.h"
#include "compiler/lowering/distribute/shuffles.h"
#include "compiler/lowering/distribute/words.h"

#include "compiler/layout/conversion.h"
#include "compiler/layout/shared_trip.h"
#include "compiler/layout/shuffle_plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile::gpu {

using layout::AccessForm;
using layout::Exchange;
using layout::SharedTrip;
using layout::TileLayout;

namespace {

// The addresses of one side's accesses. What lane and warp give is computed once for all that XOR the same
// bits.
class Addresses {
 public:
  Addresses(Distribution &distribution, const SharedTrip::Side &side, Value scratch)
      : d_(distribution), side_(side), scratch_(scratch) {}

  Value of(const SharedTrip::Access &access) {
    auto [it, fresh] = xored_.try_emplace(access.xored);
    if (fresh) {
      Value offset = d_.threads().ofThread(side_.lanes, side_.warps);
      if (access.xored)
        offset =
            arith::XOrIOp::create(d_.build(), offset, d_.constant(static_cast<std::int64_t>(access.xored)));
      it->second = after(scratch_, offset);
    }
    return access.constant ? after(it->second, static_cast<int32_t>(access.constant)) : it->second;
  }

 private:
  Value after(Value address, LLVM::GEPArg bytes) {
    ImplicitLocOpBuilder &b = d_.build();
    return LLVM::GEPOp::create(b, address.getType(), b.getI8Type(), address, ArrayRef<LLVM::GEPArg>{bytes});
  }

  Distribution &d_;
  const SharedTrip::Side &side_;
  Value scratch_;
  DenseMap<std::uint64_t, Value> xored_;
};

}   // namespace

static void store(ImplicitLocOpBuilder &b, const SharedTrip::Side &side, ValueRange elements, Value at) {
  if (side.form == AccessForm::Vector)
    return storeRun(b, elements, at);
  Registers words;
  for (size_t n = elementsPerWord(elements.front().getType()), i = 0; i < elements.size(); i += n)
    llvm::append_range(words, toWords(b, elements.slice(i, n)));
  storeMatrices(b, words, side.form == AccessForm::Transposed, at);
}

static Registers load(ImplicitLocOpBuilder &b, const SharedTrip::Side &side, Type element, size_t count,
                      Value at) {
  if (side.form == AccessForm::Vector)
    return loadRun(b, element, static_cast<std::int64_t>(count), at);
  Registers result;
  for (Value word : loadMatrices(b, static_cast<unsigned>(count / elementsPerWord(element)),
                                 side.form == AccessForm::Transposed, at))
    llvm::append_range(result, fromWords(b, word, element));
  return result;
}

static Registers throughMemory(Distribution &d, const SharedTrip &trip, ArrayRef<Value> values,
                               Type element) {
  ImplicitLocOpBuilder &b = d.build();
  Registers loaded(trip.loaded.size());
  for (std::int64_t round = 0; round < trip.rounds; ++round) {
    d.awaitScratch();
    Value scratch = d.scratch(trip.bytes);
    Addresses written(d, trip.store, scratch), read(d, trip.load, scratch);
    for (const SharedTrip::Access &access : trip.store.accesses) {
      if (access.round != round)
        continue;
      Registers elements;
      for (std::int64_t reg : access.registers)
        elements.push_back(values[static_cast<size_t>(reg)]);
      store(b, trip.store, elements, written.of(access));
    }
    d.barrier();
    for (const SharedTrip::Access &access : trip.load.accesses)
      if (access.round == round)
        for (auto [reg, value] : llvm::zip_equal(
                 access.registers, load(b, trip.load, element, access.registers.size(), read.of(access))))
          loaded[static_cast<size_t>(reg)] = value;
  }
  Registers result;
  for (std::int64_t reg : trip.loaded)
    result.push_back(loaded[static_cast<size_t>(reg)]);
  return result;
}

Registers convert(Distribution &d, ArrayRef<Value> values, Type element, const TileLayout &from,
                  const TileLayout &to) {
  layout::Conversion plan = layout::planConversion(from, to);
  if (plan.exchange == Exchange::None)
    return Registers(values);
  if (plan.exchange == Exchange::Registers) {
    Registers result;
    for (std::int64_t source : plan.source)
      result.push_back(values[static_cast<size_t>(source)]);
    return result;
  }

  auto bytes = static_cast<unsigned>(SharedTile::bytesOf(element));
  SharedTrip trip =
      layout::planTrip(from, to, {bytes, d.bytesForExchange(), d.target().has(Feature::MatrixStores)});
  if (plan.exchange == Exchange::Selects || plan.exchange == Exchange::Lanes)
    if (auto shuffles = layout::planShuffles(from, to, elementsPerWord(element));
        shuffles && shuffles->price(bytes, from.repetitions()) < trip.price)
      return shuffled(d, *shuffles, values, from.repetitions());
  return throughMemory(d, trip, values, element);
}

static LogicalResult convertLayout(ConvertLayoutOp op, Distribution &d) {
  for (Value tile : {op.getValue(), op.getResult()})
    if (layoutOf(tile).isShared())
      return op.emitError("this tile has a layout of shared memory; only tile-gpu-share-operands puts tiles "
                          "there, through a channel");
  Registers from(d.registers(op.getValue()));
  TileLayout own = layoutOf(op.getValue()), to = layoutOf(op.getResult());
  d.set(op.getResult(), convert(d, from, ir::getElementType(op.getType()), own, to));
  return success();
}

void addConversions(Handlers &handlers) { handlers.add(convertLayout); }

}   // namespace tile::gpu
