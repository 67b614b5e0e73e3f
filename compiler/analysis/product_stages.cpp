// SPDX-License-Identifier: MIT
#include "compiler/analysis/product_stages.h"

#include "compiler/analysis/descriptor_rules.h"
#include "compiler/analysis/matrix_products.h"
#include "compiler/target/role_registers.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tile {

RankedTensorType inSharedRows(RankedTensorType tile) {
  layout::Shape shape = tile.getShape().vec();
  auto rows = layout::sharedRows(shape, tile.getElementTypeBitWidth(), /*fast=*/1);
  return gpu::withLayout(tile, gpu::LayoutAttr::get(tile.getContext(), rows));
}

Attribute knownAtLaunch(Value v) {
  APInt number;
  if (matchPattern(v, m_ConstantInt(&number)))
    return IntegerAttr::get(IntegerType::get(v.getContext(), 64), number.sextOrTrunc(64));
  while (isa_and_nonnull<arith::ExtSIOp, ir::AssumeOp>(v.getDefiningOp()))
    v = v.getDefiningOp()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(v);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return nullptr;
  Type type = argument.getType();   // narrower numbers launchers do not read
  if (!isa<ir::PtrType>(type) && !type.isInteger(32) && !type.isInteger(64))
    return nullptr;
  return gpu::ArgumentAttr::get(v.getContext(), argument.getArgNumber());
}

bool isKnownAtLaunch(ir::MakeDescriptorOp made) {
  auto isKnown = [](Value v) { return bool(knownAtLaunch(v)); };
  return isKnown(made.getBase()) && llvm::all_of(made.getShape(), isKnown) &&
         llvm::all_of(made.getStrides(), isKnown) && matchPattern(made.getStrides().back(), m_One());
}

bool isKnownOnDevice(ir::MakeDescriptorOp made, const AxisAnalysis &facts) {
  auto kernel = made->getParentOfType<func::FuncOp>();
  auto isAddress = [](Type type) { return isa<ir::PtrType>(type); };
  auto isNarrow = [](Value v) {   // the engine counts in 32 bits
    auto wide = v.getDefiningOp<arith::ExtSIOp>();
    return (wide && wide.getIn().getType().isInteger(32)) || matchPattern(v, m_Constant());
  };
  return llvm::any_of(kernel.getArgumentTypes(), isAddress) && openRules(made, facts).none() &&
         llvm::all_of(made.getShape(), isNarrow);
}

bool isApart(Operation *loop) {
  auto range = dyn_cast<scf::ForOp>(loop);
  return range && (range.getLowerBound().getDefiningOp<gpu::CtaIdOp>() || ir::iterationsAreApart(range));
}

bool mayFollow(Operation *then, Operation *first) {
  for (Operation *from = first;; from = from->getParentOp()) {
    Operation *to = from->getBlock()->findAncestorOpInBlock(*then), *around = from->getParentOp();
    if (to && from->isBeforeInBlock(to))
      return true;
    if (isa<FunctionOpInterface>(around))
      return false;
    if (isa<LoopLikeOpInterface>(around) && around->isAncestor(then) && !isApart(around))
      return true;
  }
}

namespace {

// An operand of a product that is a load, or a load turned around.
struct Operand {
  ir::DescriptorLoadOp load;
  bool isTurned = false;

  static std::optional<Operand> of(Value v) {
    Operand result;
    if (auto turn = v.getDefiningOp<ir::PermuteOp>()) {
      if (turn.getOrder() != ArrayRef<int32_t>{1, 0})
        return std::nullopt;
      result.isTurned = true;
      v = turn.getValue();
    }
    result.load = v.getDefiningOp<ir::DescriptorLoadOp>();
    ArrayRef<int64_t> shape = result.load ? ir::getShape(result.load.getType()) : ArrayRef<int64_t>();
    if (shape.size() != 2 || (result.isTurned && !permutesInPlace(shape.vec(), {1, 0})))
      return std::nullopt;
    return result;
  }
};

// Where every copy becomes one of boxes: such begin at multiples of 16 bytes of a row, and the engine fills
// bytes with nothing but zeros.
bool isCopied(ir::DescriptorLoadOp load, const AxisAnalysis &facts, unsigned ctas) {
  auto made = load.getDesc().getDefiningOp<ir::MakeDescriptorOp>();
  auto tile = cast<RankedTensorType>(load.getType());
  const int64_t bits = tile.getElementTypeBitWidth();
  return made && gpu::boxesOf(inSharedRows(tile)) &&
         (isKnownAtLaunch(made) || (ctas == 1 && isKnownOnDevice(made, facts))) &&
         facts.of(load.getCoords().back()).axes[0].divisibility % (16 * 8 / bits) == 0 &&
         (bits > 8 || made.getPadding() == ir::Padding::zero);
}

}   // namespace

std::optional<SplitKernel> SplitKernel::of(func::FuncOp kernel, const Target &target, unsigned ctas,
                                           WhyNot *whyNot) {
  SplitKernel split(kernel);
  const bool isSplit = split.isSplit(target, ctas);
  if (whyNot)
    *whyNot = split.whyNot_;
  return isSplit ? std::optional(std::move(split)) : std::nullopt;
}

bool SplitKernel::isSplit(const Target &target, unsigned ctas) {
  ir::DotOp first;
  kernel_.walk([&](ir::DotOp dot) {
    first = dot;
    return WalkResult::interrupt();
  });
  auto isOfShared = [](const MatrixUnit &unit) { return unit.a.inShared; };
  if (!target.boxCopies() || !first || llvm::none_of(target.matrixUnits(), isOfShared))
    return false;
  if (warpgroupsOf(ir::numWarps(kernel_)) == 0)
    return refuse(first, "there are no 4, 8 or 16 warps to multiply in groups of four");
  if (ir::maxRegisters(kernel_))
    return refuse(first, "a limit of registers is for all threads alike");
  // A line that is printed names its program by the CTA.
  kernel_.walk([&](ir::PrintOp print) {
    refuse(print, "what is printed here names its program by the CTA, which would run several");
    return WalkResult::interrupt();
  });
  if (whyNot_.at)
    return false;
  const AxisAnalysis facts(kernel_);
  return findStages(facts, target, ctas) && findPrefix() && findNeeds() && !readsWhatItWrites() &&
         !checksDescriptors(facts);
}

bool SplitKernel::findStages(const AxisAnalysis &facts, const Target &target, unsigned ctas) {
  const unsigned warps = ir::numWarps(kernel_);
  kernel_.walk([&](ir::DotOp dot) {
    auto a = Operand::of(dot.getA()), b = Operand::of(dot.getB());
    if (!a || !b)
      return void(refuse(dot, "the operands are no blocks of described tensors, as they are or transposed"));
    if (!sharedUnitOf(dot, a->isTurned ? Lies::across : Lies::alongK,
                      b->isTurned ? Lies::alongK : Lies::across, target, warpgroupsOf(warps), ctas))
      return void(refuse(dot, "no unit takes tiles of these types, extents and orders from shared memory"));
    for (ir::DescriptorLoadOp load : {a->load, b->load}) {
      if (load->getBlock() != dot->getBlock())
        return void(refuse(load, "the block is loaded elsewhere than its product is made"));
      if (!isCopied(load, facts, ctas))
        return void(refuse(load, "the copy engine cannot bring this block: the tensor is neither what the "
                                 "launch determines nor known to be what a descriptor asks for, or the block "
                                 "does not begin at a multiple of 16 bytes of a row"));
    }
    auto stage = llvm::find_if(stages_, [&](const ProductStage &s) { return s.block == dot->getBlock(); });
    if (stage == stages_.end())
      stage = &stages_.emplace_back(ProductStage{dot->getBlock(), {}, {}});
    stage->dots.push_back(dot);
    for (ir::DescriptorLoadOp load : {a->load, b->load})
      if (!llvm::is_contained(stage->loads, load))
        stage->loads.push_back(load);
  });
  // A tile that something else than these products looks at is in registers, and so is what they add to.
  auto isMultiplied = [](OpOperand &use, ProductStage &stage) {
    auto dot = dyn_cast<ir::DotOp>(use.getOwner());
    return llvm::is_contained(stage.dots, dot) && use != dot.getAccMutable();
  };
  for (ProductStage &stage : stages_) {
    if (!holdSums(stage, ctas))
      return refuse(stage.dots.front(),
                    "the sums take too many registers of a thread: fewer columns, or more warps");
    for (ir::DescriptorLoadOp load : stage.loads)
      for (OpOperand &use : load->getUses()) {
        Operation *user = use.getOwner();
        if (!(isa<ir::PermuteOp>(user)
                  ? llvm::all_of(user->getUses(),
                                 [&](OpOperand &turned) { return isMultiplied(turned, stage); })
                  : isMultiplied(use, stage)))
          return refuse(user, "this looks at a block that products read in shared memory");
      }
    llvm::sort(stage.loads, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
    // The ring runs on through the loops and branches around it.
    for (Operation *around = stage.block->getParentOp(); around != kernel_; around = around->getParentOp())
      if (!isa<scf::ForOp, scf::IfOp>(around))
        return refuse(around, "a loop of this kind is around the product");
  }
  return !stages_.empty();
}

bool SplitKernel::makesMaps() const {
  return llvm::any_of(stages_, [](const ProductStage &stage) {
    return llvm::any_of(stage.loads, [](ir::DescriptorLoadOp load) {
      return !isKnownAtLaunch(load.getDesc().getDefiningOp<ir::MakeDescriptorOp>());
    });
  });
}

// Sums are in registers, and with what else there is they have to fit.
bool SplitKernel::holdSums(const ProductStage &stage, unsigned ctas) const {
  const unsigned warps = ir::numWarps(kernel_), groups = warpgroupsOf(warps);
  const RoleRegisters registers(static_cast<int32_t>(groups * (ir::takesTurns(kernel_) ? 2 : 1)),
                                makesMaps());
  constexpr int64_t lanes = 32, rows = 64, mostColumns = 256, threads = 128;   // of an instruction
  int64_t sums = 0, ofInstruction = 0;
  for (ir::DotOp dot : stage.dots) {
    SmallVector<int64_t> shape(ir::getShape(dot.getType()));
    shape[0] /= ctas;
    sums += shape[0] * shape[1] / (lanes * warps) * (dot.getMaxImpreciseAcc() ? 2 : 1);
    const std::optional<WarpGrid> grid = warpgroupsOver(shape, groups);
    const int64_t columns = std::min(mostColumns, shape[1] / (grid ? grid->n : 1));
    ofInstruction = std::max(ofInstruction, rows * columns / threads);
  }
  return registers.hold(sums, ofInstruction);
}

// The copies run ahead of what the kernel stores, and of where it waits for others to have stored.
bool SplitKernel::readsWhatItWrites() {
  return kernel_.getBody()
      .walk([&](Operation *op) {
        if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(op) ||
            hasSingleEffect<MemoryEffects::Read>(op) || isa<ir::AssertOp, ir::AssumeTrueOp>(op))
          return WalkResult::advance();
        bool isBefore = llvm::any_of(readAhead_, [&](Operation *load) { return mayFollow(load, op); });
        if (!isBefore)
          return WalkResult::advance();
        refuse(
            op,
            "blocks are copied ahead of this, which may change what they are; of a loop whose iterations are "
            "apart .specialize_warps() says so");
        return WalkResult::interrupt();
      })
      .wasInterrupted();
}

// What a program checks of its own descriptors would end one role alone.
bool SplitKernel::checksDescriptors(const AxisAnalysis &facts) {
  return kernel_
      .walk([&](ir::MakeDescriptorOp made) {
        auto isCopied = [&](Operation *user) { return llvm::is_contained(readAhead_, user); };
        const bool isChecked = !prefix_.contains(made) && !openRules(made, facts).none() &&
                               !(isKnownAtLaunch(made) && llvm::all_of(made->getUsers(), isCopied));
        if (isChecked)
          refuse(made,
                 "what a descriptor asks for is not known here, and a check would end some of the warps "
                 "alone: assume_divisible, assume_range");
        return isChecked ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool SplitKernel::findPrefix() {
  Block &body = kernel_.getBody().front();
  auto isEarly = [&](Value v) {
    return isa<BlockArgument>(v) || llvm::is_contained(prefix_, v.getDefiningOp());
  };
  // An assert of one program ends that program alone, and not the next ones of its CTA.
  llvm::DenseSet<Operation *> ofProgram;
  auto isOfProgram = [&](Value v) { return ofProgram.contains(v.getDefiningOp()); };
  for (Operation &op : body.without_terminator()) {
    bool isScalar = op.getNumRegions() == 0;
    for (Type type : op.getOperandTypes())
      isScalar &= !isa<RankedTensorType>(type);
    for (Type type : op.getResultTypes())
      isScalar &= !isa<RankedTensorType>(type);
    if (isa<ir::ProgramIdOp>(op) || llvm::any_of(op.getOperands(), isOfProgram))
      ofProgram.insert(&op);
    if (auto made = dyn_cast<ir::MakeDescriptorOp>(op))   // else the programs make it
      isScalar = isKnownAtLaunch(made);
    if (isScalar && (isMemoryEffectFree(&op) || (isa<ir::AssertOp>(op) && !ofProgram.contains(&op))) &&
        llvm::all_of(op.getOperands(), isEarly))
      prefix_.insert(&op);
  }
  // A role that ends early would leave the other one waiting.
  return !kernel_
              .walk([&](ir::AssertOp check) {
                if (prefix_.contains(check))
                  return WalkResult::advance();
                refuse(check, "this would end some of the warps alone");
                return WalkResult::interrupt();
              })
              .wasInterrupted();
}

bool SplitKernel::findNeeds() {
  for (ProductStage &stage : stages_) {
    for (ir::DescriptorLoadOp load : stage.loads) {
      readAhead_.push_back(load);
      for (Value coordinate : load.getCoords())
        need(coordinate);
      auto made = load.getDesc().getDefiningOp<ir::MakeDescriptorOp>();
      if (!isKnownAtLaunch(made))
        for (Value part : made->getOperands())
          need(part);
    }
    for (Operation *around = stage.block->getParentOp(); around != kernel_; around = around->getParentOp())
      needAround(around);
  }
  while (!open_.empty()) {
    Value v = open_.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(v)) {
      if (auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())) {
        needAround(loop);
        if (argument != loop.getInductionVar())
          needCarried(loop, argument.getArgNumber() - 1);
      } else if (Operation *around = argument.getOwner()->getParentOp(); !isa<func::FuncOp>(around)) {
        return refuse(around, "where blocks lie depends on a loop of this kind");
      }
      continue;
    }
    Operation *op = v.getDefiningOp();
    unsigned index = cast<OpResult>(v).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      needAround(loop);
      needCarried(loop, index);
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      needAround(branch);
      need(branch.thenYield().getOperand(index));
      need(branch.elseYield().getOperand(index));
    } else if (op->getNumRegions() != 0 || isa<RankedTensorType>(v.getType())) {
      return refuse(op, "where blocks lie depends on this, which one thread cannot compute");
    } else if (auto load = dyn_cast<ir::LoadOp>(op); load ? load.getIsVolatile() : !isMemoryEffectFree(op)) {
      return refuse(op, "where blocks lie depends on this, which would happen twice");
    } else {
      if (load)
        readAhead_.push_back(load);
      for (Value operand : op->getOperands())
        need(operand);
    }
  }
  return true;
}

void SplitKernel::need(Value v) {
  if (needed_.insert(v).second)
    open_.push_back(v);
}

void SplitKernel::needAround(Operation *op) {
  if (!around_.insert(op).second)
    return;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
      need(bound);
  else
    need(cast<scf::IfOp>(op).getCondition());
  if (Operation *parent = op->getParentOp(); parent != kernel_)
    needAround(parent);
}

void SplitKernel::needCarried(scf::ForOp loop, unsigned index) {
  need(loop.getInitArgs()[index]);
  need(loop.getYieldedValues()[index]);
  need(loop.getRegionIterArg(index));
}

}   // namespace tile
