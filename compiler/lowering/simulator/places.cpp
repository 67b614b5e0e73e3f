// SPDX-License-Identifier: MIT
#include "compiler/lowering/simulator/places.h"

#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tile::gpu {
namespace {

// What an operation takes of the arithmetic units of a quarter of a multiprocessor, in cycles for a whole
// warp. An H100 has, for a quarter: 32 lanes for floats, 16 for integers, comparisons and conversions, and 4
// for exponentials and the like (CUDA programming guide, throughput of arithmetic instructions). `latency`:
// until another operation may use the result.
struct Cost {
  float issued = 0, fma = 0, alu = 0, special = 0, latency = 0;
  float most() const { return std::max({issued, fma, alu, special}); }
};
constexpr float latency = 4.5f, specialLatency = 18;
constexpr Cost floating{1, 1, 0, 0, latency}, integer{1, 0, 2, 0, latency},
    special{2, 1, 0, 8, specialLatency};

unsigned bitsOf(Type type) { return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 32; }
Cost times(Cost cost, float count) {
  return {cost.issued * count, cost.fma * count, cost.alu * count, cost.special * count, cost.latency};
}

// Moves between names of registers, and what the assembler folds into other instructions.
bool isFree(Operation *op) {
  return isa<LLVM::ConstantOp, LLVM::UndefOp, LLVM::PoisonOp, LLVM::ZeroOp, LLVM::ExtractValueOp,
             LLVM::InsertValueOp, LLVM::ExtractElementOp, LLVM::InsertElementOp, LLVM::BitcastOp,
             LLVM::TruncOp, LLVM::IntToPtrOp, LLVM::PtrToIntOp, LLVM::AddrSpaceCastOp, LLVM::ZExtOp,
             LLVM::AddressOfOp, LLVM::AllocaOp, LLVM::AssumeOp, LLVM::FNegOp, LLVM::FAbsOp>(op);
}

// Whether an operation takes other hardware than the arithmetic units, or waits.
bool isPlace(Operation *op) {
  auto isOfMachine = [](Value pointer) {
    unsigned space = SimulatorCalls::spaceOf(pointer);
    return space == SimulatorCalls::Global || space == SimulatorCalls::Shared ||
           space == SimulatorCalls::SharedCluster;
  };
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return isOfMachine(load.getAddr());
  if (auto store = dyn_cast<LLVM::StoreOp>(op))
    return isOfMachine(store.getAddr());
  if (isa<LLVM::AtomicRMWOp>(op))
    return true;
  if (isa<LLVM::LLVMDialect>(op->getDialect()))
    return false;
  return isa<NVVM::ShflOp, NVVM::MmaOp, PtxMmaOp, PtxWgmmaOp, PtxWgmmaWaitOp>(op) || !isMemoryEffectFree(op);
}

Cost costOf(Operation *op) {
  if (isFree(op) || op->getNumRegions())
    return {};
  if (auto address = dyn_cast<LLVM::GEPOp>(op))   // constants are parts of the access
    return address.getDynamicIndices().empty() ? Cost() : integer;
  if (isa<LLVM::BrOp, LLVM::ReturnOp>(op))
    return {1, 0, 0, 0, 0};
  if (isa<LLVM::CondBrOp, LLVM::SwitchOp>(op))
    return {1, 0, 0, 0, latency};
  if (auto call = dyn_cast<LLVM::CallIntrinsicOp>(op)) {
    StringRef name = call.getIntrin();
    bool isSpecial =
        llvm::any_of(ArrayRef<StringRef>{"ex2", "lg2", "sqrt", "rsqrt", "rcp", "div", "sin", "cos", "tanh"},
                     [&](StringRef part) { return name.contains(part); });
    return isSpecial ? special : floating;
  }
  if (isa<LLVM::FDivOp, LLVM::SqrtOp, LLVM::Exp2Op, LLVM::Log2Op>(op))
    return times(special, op->getNumResults() && bitsOf(op->getResult(0).getType()) == 64 ? 8.0f : 1.0f);
  if (isa<LLVM::FAddOp, LLVM::FSubOp, LLVM::FMulOp, LLVM::FMAOp, LLVM::FMulAddOp>(op))
    return times(floating, bitsOf(op->getResult(0).getType()) == 64 ? 2.0f : 1.0f);
  // Two elements are rounded to a word by one instruction.
  if (isa<LLVM::FPTruncOp>(op) && bitsOf(op->getResult(0).getType()) == 16)
    return {0.5f, 0, 1, 0, latency};
  if (isa<LLVM::FPExtOp>(op) && bitsOf(op->getOperand(0).getType()) == 16)
    return {0.5f, 0, 1, 0, latency};
  if (isa<LLVM::SDivOp, LLVM::UDivOp, LLVM::SRemOp, LLVM::URemOp>(op))   // a sequence
    return {20, 5, 30, 16, 80};
  // Arguments lie in constant memory, which instructions read directly; other accesses are places.
  if (isa<LLVM::LoadOp>(op) || isPlace(op) || op->getNumResults() == 0 ||
      !isa<LLVM::LLVMDialect, TileGpuDialect>(op->getDialect()))
    return {};
  bool isWide = bitsOf(op->getResult(0).getType()) == 64,
       isBitwise = isa<LLVM::AndOp, LLVM::OrOp, LLVM::XOrOp>(op);
  return times(integer, isWide && !isBitwise ? 2.0f : 1.0f);   // one half is mostly constant
}

class Marker {
 public:
  Marker(LLVM::LLVMFuncOp kernel, SimulatorCalls &calls) : kernel_(kernel), calls_(calls) {}

  ArrayAttr run() {
    number();
    for (bool changes = true; changes;)
      changes = follow();
    for (Block &block : kernel_.getBody())
      mark(block);
    return calls_.b_.getArrayAttr(rows_);
  }

 private:
  using Places = llvm::SmallSetVector<int32_t, 4>;

  void number() {
    for (Block &block : kernel_.getBody())
      for (Operation &op : block)
        if (isPlace(&op) || op.hasTrait<OpTrait::IsTerminator>()) {
          int32_t place = static_cast<int32_t>(places_.size());
          places_[&op] = place;
          for (Value result : op.getResults())
            sources_[result].insert(place);
        }
  }

  bool join(Value value, Value from) {
    constexpr unsigned most = 8;
    auto found = sources_.find(from);
    if (found == sources_.end())
      return false;
    Places added = found->second;   // the map may grow
    Places &all = sources_[value];
    unsigned before = all.size();
    for (int32_t place : added)
      if (all.size() < most)
        all.insert(place);
    return all.size() != before;
  }
  // The results that values stand for, through moves and into the arguments of blocks.
  bool follow() {
    bool changes = false;
    for (Block &block : kernel_.getBody())
      for (Operation &op : block) {
        if (isFree(&op))
          for (Value operand : op.getOperands())
            changes |= join(op.getResult(0), operand);
        auto branch = dyn_cast<BranchOpInterface>(op);
        if (!branch)
          continue;
        for (auto [i, next] : llvm::enumerate(op.getSuccessors())) {
          SuccessorOperands operands = branch.getSuccessorOperands(static_cast<unsigned>(i));
          for (unsigned k = operands.getProducedOperandCount(); k < operands.size(); ++k)
            changes |= join(next->getArgument(k), operands[k]);
        }
      }
    return changes;
  }

  // What is computed between two places.
  struct Stretch {
    Cost sum;
    llvm::SmallSetVector<int32_t, 4> needed;
    llvm::DenseMap<Value, float> depths;
    float depth = 0;
    llvm::MapVector<Location, float> lines;
  };
  void need(Stretch &stretch, Operation &op, bool isBranch) {
    // A branch passes values on; whoever computes with them waits.
    auto operands = isBranch ? op.getOperands().take_front(isa<LLVM::CondBrOp, LLVM::SwitchOp>(op) ? 1 : 0)
                             : op.getOperands();
    for (Value operand : operands)
      if (auto found = sources_.find(operand); found != sources_.end())
        stretch.needed.insert_range(found->second);
  }
  void compute(Stretch &stretch, Operation &op, const Cost &cost) {
    float begin = 0;
    for (Value operand : op.getOperands())
      begin = std::max(begin, stretch.depths.lookup(operand));
    stretch.sum.issued += cost.issued;
    stretch.sum.fma += cost.fma;
    stretch.sum.alu += cost.alu;
    stretch.sum.special += cost.special;
    for (Value result : op.getResults())
      stretch.depths[result] = begin + cost.latency;
    stretch.depth = std::max(stretch.depth, begin + cost.latency);
    if (cost.most() > 0)
      stretch.lines[op.getLoc()] += cost.most();
  }
  void mark(Block &block) {
    Stretch stretch;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto place = places_.find(&op);
      bool isTerminator = op.hasTrait<OpTrait::IsTerminator>();
      Cost cost = costOf(&op);
      if (!isFree(&op) && (cost.most() > 0 || place != places_.end()))
        need(stretch, op, isTerminator);
      compute(stretch, op, cost);
      if (place == places_.end())
        continue;
      calls_.b_.setLoc(op.getLoc());
      calls_.b_.setInsertionPoint(&op);
      calls_.call("tile_sim_place", {}, {calls_.number(place->second)});
      rows_.push_back(row(op.getLoc(), stretch));
      stretch = Stretch();
    }
  }
  Attribute row(Location where, const Stretch &stretch) {
    Builder &b = calls_.b_;
    SmallVector<Attribute> lines;
    for (auto &[line, cycles] : stretch.lines) {
      lines.push_back(LocationAttr(line));
      lines.push_back(b.getF32FloatAttr(cycles));
    }
    const Cost &sum = stretch.sum;
    return b.getArrayAttr({LocationAttr(where),
                           b.getDenseF32ArrayAttr({sum.issued, sum.fma, sum.alu, sum.special, stretch.depth}),
                           b.getDenseI32ArrayAttr(stretch.needed.getArrayRef()), b.getArrayAttr(lines)});
  }

  LLVM::LLVMFuncOp kernel_;
  SimulatorCalls &calls_;
  llvm::DenseMap<Operation *, int32_t> places_;
  llvm::DenseMap<Value, Places> sources_;
  SmallVector<Attribute> rows_;
};

}   // namespace

ArrayAttr markPlaces(LLVM::LLVMFuncOp kernel, SimulatorCalls &calls) { return Marker(kernel, calls).run(); }

}   // namespace tile::gpu
