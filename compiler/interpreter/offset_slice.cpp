// SPDX-License-Identifier: MIT
#include "compiler/interpreter/offset_slice.h"

#include "dialects/tile/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tile::interpreter {
namespace {

struct Source {
  Value value;
  unsigned reading;   // how the value is read there
};
using Sources = SmallVector<Source, 4>;

// Where the notes of an operation's result come from.
void addSources(OpResult result, unsigned reading, Sources &sources) {
  Operation *op = result.getOwner();
  const unsigned index = result.getResultNumber();
  const auto all = [&] {
    for (Value operand : op->getOperands())
      sources.push_back({operand, reading});
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
            arith::MinUIOp>([&](Operation *) { all(); })
      .Case<ir::SplatOp, ir::BroadcastOp, ir::ExpandDimsOp, ir::ReshapeOp, ir::PermuteOp, ir::AssumeOp>(
          [&](Operation *) { all(); })
      .Case<arith::ExtSIOp>([&](Operation *) { sources.push_back({op->getOperand(0), 2}); })
      .Case<arith::ExtUIOp>([&](Operation *) { sources.push_back({op->getOperand(0), 1}); })
      .Case([&](arith::SelectOp select) {
        sources.push_back({select.getTrueValue(), reading});
        sources.push_back({select.getFalseValue(), reading});
      })
      .Case([&](ir::AddPtrOp add) {
        sources.push_back({add.getPtr(), 2});
        sources.push_back({add.getOffset(), add.getUnsignedOffset() ? 1u : 2u});
      })
      .Case([&](scf::ForOp loop) {
        sources.push_back({loop.getInitArgs()[index], reading});
        sources.push_back({loop.getBody()->getTerminator()->getOperand(index), reading});
      })
      .Case([&](scf::IfOp branch) {
        for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
          if (!region->empty())
            sources.push_back({region->front().getTerminator()->getOperand(index), reading});
      })
      .Case([&](scf::WhileOp loop) { sources.push_back({loop.getConditionOp().getArgs()[index], reading}); });
}

void addSources(BlockArgument argument, unsigned reading, Sources &sources) {
  Operation *parent = argument.getOwner()->getParentOp();
  const unsigned index = argument.getArgNumber();
  if (auto loop = dyn_cast<scf::ForOp>(parent)) {
    if (index > 0) {   // 0: the induction variable, which never wraps
      sources.push_back({loop.getInitArgs()[index - 1], reading});
      sources.push_back({loop.getBody()->getTerminator()->getOperand(index - 1), reading});
    }
  } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
    if (argument.getOwner() == loop.getBeforeBody()) {
      sources.push_back({loop.getInits()[index], reading});
      sources.push_back({loop.getYieldOp().getOperand(index), reading});
    } else {
      sources.push_back({loop.getConditionOp().getArgs()[index], reading});
    }
  }
}

Sources sourcesOf(Value value, unsigned reading) {
  Sources sources;
  if (auto result = dyn_cast<OpResult>(value))
    addSources(result, reading, sources);
  else
    addSources(cast<BlockArgument>(value), reading, sources);
  return sources;
}

// The addresses that are used for an access, and the coordinates of descriptors.
void addSinks(Block &block, Sources &sinks) {
  for (Operation &op : block) {
    llvm::TypeSwitch<Operation *>(&op)
        .Case<ir::LoadOp, ir::StoreOp, ir::AtomicRmwOp, ir::AtomicCasOp>(
            [&](auto access) { sinks.push_back({access.getPtr(), 2}); })
        .Case([&](ir::MakeDescriptorOp make) { sinks.push_back({make.getBase(), 2}); })
        .Case<ir::DescriptorLoadOp, ir::DescriptorStoreOp, ir::DescriptorReduceOp>([&](auto access) {
          for (Value coordinate : access.getCoords())
            sinks.push_back({coordinate, 2});
        });
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        addSinks(inner, sinks);
  }
}

}   // namespace

bool mayWrap(Operation *op) {
  if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return false;
  Type element = ir::getElementType(op->getResult(0).getType());
  return element.isInteger(32) || element.isInteger(64);
}

OffsetSlice::OffsetSlice(func::FuncOp kernel) {
  Sources work;
  addSinks(kernel.getBody().front(), work);
  SmallVector<Value> order;
  while (!work.empty()) {
    const Source next = work.pop_back_val();
    unsigned &reading = demanded_[next.value];
    if ((reading | next.reading) == reading)
      continue;
    if (reading == 0)
      order.push_back(next.value);
    reading |= next.reading;
    const unsigned now = reading;   // the map may grow below
    work.append(sourcesOf(next.value, now));
  }

  // Notes start at arithmetic that may wrap and flow against the direction just taken.
  llvm::DenseMap<Value, SmallVector<Value, 2>> uses;
  SmallVector<Value> reached;
  for (Value value : order) {
    for (const Source &source : sourcesOf(value, Signed))
      uses[source.value].push_back(value);
    if (Operation *op = value.getDefiningOp(); op && mayWrap(op))
      reached.push_back(value);
  }
  while (!reached.empty()) {
    const Value value = reached.pop_back_val();
    if (!tainted_.insert(value).second)
      continue;
    if (const auto found = uses.find(value); found != uses.end())
      reached.append(found->second.begin(), found->second.end());
  }
}

}   // namespace tile::interpreter
