// SPDX-License-Identifier: MIT
// Loops and branches. What a loop carries has one place from the first trip to after the last:
// the initial value is copied in, the body reads it there, the yield writes it there, and the
// loop's result is found there. A body that updates it in place therefore yields for nothing.
#include "compiler/interpreter/decoder.h"

using namespace mlir;

namespace tile::interpreter {

// A source that some other move of the same yield overwrites is saved first: `yield %b, %a`.
Moves Decoder::moves(ValueRange to, ValueRange from) {
  Moves first, second;
  for (auto [index, target] : llvm::enumerate(to)) {
    const Slot &destination = slot(target), &source = slot(from[index]);
    const std::size_t bytes =
        source.lanes * (source.lane == Lane::Descriptor ? descriptorBytes() : bytesOf(source.lane));
    Move move{destination.place, source.place, bytes, destination.wrapped, source.wrapped, source.lanes};
    if (move.to == move.from && !move.wrappedTo)
      continue;
    bool overwritten = false;
    for (auto [other, place] : llvm::enumerate(to))
      overwritten |=
          other != index && slot(place).storage == source.storage && slot(from[other]).place != source.place;
    if (overwritten) {
      Move saved = move;
      saved.to = move.from = take(bytes);
      if (move.wrappedTo)
        saved.wrappedTo = move.wrappedFrom = newWrapped(move.lanes);
      first.push_back(saved);
    }
    second.push_back(move);
  }
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

void Decoder::decodeFor(scf::ForOp loop) {
  Operation *op = loop;
  ForLoop &detail = program_->add(ForLoop());
  detail.lane = laneOf(loop.getInductionVar().getType(), op);
  detail.isUnsigned = loop.getUnsignedCmp();
  detail.lower = slot(loop.getLowerBound()).place;
  detail.upper = slot(loop.getUpperBound()).place;
  detail.step = slot(loop.getStep()).place;
  if (detail.lane == Lane::I1)
    refuse(op, "a loop cannot count in i1");
  for (auto [result, carried] : llvm::zip(loop.getResults(), loop.getRegionIterArgs())) {
    define(result, op);
    pin(result);
    alias(carried, result, op);
    // The note about wrapped lanes is carried in one place too.
    slots_[carried].wrapped = slot(result).wrapped;
    if (!slots_[carried].wrapped && slice_ && slice_->carries(carried))
      slots_[result].wrapped = slots_[carried].wrapped = newWrapped(slot(carried).lanes);
  }
  detail.induction = define(loop.getInductionVar(), op).place;
  detail.enter = moves(loop.getRegionIterArgs(), loop.getInitArgs());
  Instruction &instruction = emit(forHandler(), op);
  instruction.detail = &detail;
  detail.body = decodeRegion(*loop.getBody(),
                             [&] { detail.back = moves(loop.getRegionIterArgs(), loop.getYieldedValues()); });
  for (Value result : loop.getResults())
    unpin(result);
}

void Decoder::decodeWhile(scf::WhileOp loop) {
  Operation *op = loop;
  WhileLoop &detail = program_->add(WhileLoop());
  for (Value carried : loop.getBeforeArguments()) {
    define(carried, op);
    pin(carried);
  }
  for (auto [result, carried] : llvm::zip(loop.getResults(), loop.getAfterArguments())) {
    define(result, op);
    pin(result);
    alias(carried, result, op);
    slots_[carried].wrapped = slot(result).wrapped;
    if (!slots_[carried].wrapped && slice_ && slice_->carries(carried))
      slots_[result].wrapped = slots_[carried].wrapped = newWrapped(slot(carried).lanes);
  }
  detail.enter = moves(loop.getBeforeArguments(), loop.getInits());
  emit(whileHandler(), op).detail = &detail;
  detail.before = decodeRegion(*loop.getBeforeBody(), [&] {
    detail.condition = slot(loop.getConditionOp().getCondition()).place;
    detail.onward = moves(loop.getResults(), loop.getConditionOp().getArgs());
  });
  detail.after = decodeRegion(*loop.getAfterBody(), [&] {
    detail.back = moves(loop.getBeforeArguments(), loop.getYieldOp().getOperands());
  });
  for (Value carried : loop.getBeforeArguments())
    unpin(carried);
  for (Value result : loop.getResults())
    unpin(result);
}

void Decoder::decodeIf(scf::IfOp branch) {
  Operation *op = branch;
  Branch &detail = program_->add(Branch());
  for (Value result : branch.getResults()) {
    define(result, op);
    pin(result);
  }
  Instruction &instruction = emit(ifHandler(), op);
  instruction.a = slot(branch.getCondition()).place;
  instruction.detail = &detail;
  detail.then = decodeRegion(branch.getThenRegion().front(), [&] {
    detail.thenResults = moves(branch.getResults(), branch.thenYield().getOperands());
  });
  if (!branch.getElseRegion().empty())
    detail.otherwise = decodeRegion(branch.getElseRegion().front(), [&] {
      detail.otherwiseResults = moves(branch.getResults(), branch.elseYield().getOperands());
    });
  for (Value result : branch.getResults())
    unpin(result);
}

bool Decoder::decodeControl(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    decodeFor(loop);
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    decodeWhile(loop);
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    decodeIf(branch);
  else
    return false;
  return true;
}

}   // namespace tile::interpreter
