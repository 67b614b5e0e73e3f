// SPDX-License-Identifier: MIT
// `tile-gpu-specialize-warps`: a kernel becomes the program of one thread that has tiles copied, and the program of the
// warps that multiply them.
//
//    for i { x = load A[m, k]; y = load B[k, n]; sum = dot x, y, sum }  store C[m, n], sum
//
//    alone:  for i { acquire; copy_box A[m, k]; copy_box B[k, n]; commit }
//    others: for i { wait; x = view 0; y = view 1; sum = dot x, y, sum; release }  store C[m, n], sum
//
// The loads of all products of a block fill one slot of a channel together: a stage. What the copies depend on, their
// coordinates and the bounds and conditions around them, is computed by both programs. Each side's cursor runs through
// all loops around its stage, so that the ring goes on where an outer loop comes back.
#include "compiler/analysis/kernel_form.h"
#include "compiler/analysis/matrix_products.h"
#include "compiler/target/copy_engines.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile/launch_attributes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPUSPECIALIZEWARPS
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

// The loads of the products of one block.
struct Stage {
  Block *block;
  SmallVector<ir::DotOp, 1> dots;
  SmallVector<ir::DescriptorLoadOp, 2> loads;   // in program order
  SmallVector<gpu::TensorMapOp, 2> maps;                 // of the loads
  gpu::ChannelOp channel;
};

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
    // Repetitions along both axes lie in the order of the axes: turned around they would lie otherwise.
    auto isRepeated = [](int64_t extent) { return layout::factor(extent).odd != 1; };
    if (shape.size() != 2 || (result.isTurned && isRepeated(shape[0]) && isRepeated(shape[1])))
      return std::nullopt;
    return result;
  }
};

gpu::LayoutAttr sharedLayout(RankedTensorType tile) {
  layout::Shape shape = tile.getShape().vec();
  return gpu::LayoutAttr::get(tile.getContext(), layout::sharedRows(shape, tile.getElementTypeBitWidth(), 1));
}

// What the launch determines: a number, or an argument of the kernel. Null for others.
Attribute knownAtLaunch(Value v) {
  APInt number;
  if (matchPattern(v, m_ConstantInt(&number)))
    return IntegerAttr::get(IntegerType::get(v.getContext(), 64), number.sextOrTrunc(64));
  while (isa_and_nonnull<arith::ExtSIOp, ir::AssumeOp>(v.getDefiningOp()))
    v = v.getDefiningOp()->getOperand(0);
  auto argument = dyn_cast<BlockArgument>(v);
  if (!argument || !isa<func::FuncOp>(argument.getOwner()->getParentOp()))
    return nullptr;
  return gpu::ArgumentAttr::get(v.getContext(), argument.getArgNumber());
}

class Specialization {
 public:
  Specialization(func::FuncOp kernel, const Target &target)
      : kernel_(kernel), target_(target), b_(kernel.getLoc(), kernel.getContext()) {}

  void run() {
    constexpr unsigned warpsOfGroup = 4, mostGroups = 4;
    const unsigned warps = ir::numWarps(kernel_);
    if (!target_.boxCopies() || warps % warpsOfGroup != 0 || warps > warpsOfGroup * mostGroups ||
        ir::maxRegisters(kernel_))
      return;
    if (!findStages() || stages_.empty() || !findPrefix() || !findNeeds())
      return;
    split(warps);
  }

 private:
  // ------------------------------------------------------------------------------ what there is to do

  // The unit that multiplies out of shared memory; null where there is none for this product.
  const MatrixUnit *unitOf(ir::DotOp dot, const Operand &a, const Operand &b) {
    ArrayRef<int64_t> shape = ir::getShape(dot.getType());
    auto elementOf = [](Value v) { return gpu::matrixElementOf(ir::getElementType(v.getType())); };
    auto takes = [](const MatrixOperand &of, Value v, bool alongK) {
      return of.inShared && gpu::matrixElementOf(ir::getElementType(v.getType())) == of.element &&
             (alongK || of.alongEitherAxis);
    };
    if (shape.size() != 2 || dot.getMaxImpreciseAcc() != 0)
      return nullptr;
    for (const MatrixUnit &unit : target_.matrixUnits())
      if (unit.sum == elementOf(dot.getResult()) && takes(unit.a, dot.getA(), !a.isTurned) &&
          takes(unit.b, dot.getB(), b.isTurned) && shape[0] % unit.m == 0 && shape[1] % unit.n.least() == 0 &&
          ir::getShape(dot.getA().getType())[1] % unit.k == 0)
        return &unit;
    return nullptr;
  }

  // Where every copy becomes one of boxes.
  bool isCopied(ir::DescriptorLoadOp load) {
    auto tile = cast<RankedTensorType>(load.getType());
    if (!gpu::boxesOf(gpu::withLayout(tile, sharedLayout(tile))))
      return false;
    auto made = load.getDesc().getDefiningOp<ir::MakeDescriptorOp>();
    if (!made)
      return false;
    auto isKnown = [](Value v) { return bool(knownAtLaunch(v)); };
    return isKnown(made.getBase()) && llvm::all_of(made.getShape(), isKnown) &&
           llvm::all_of(made.getStrides(), isKnown) && matchPattern(made.getStrides().back(), m_One());
  }

  bool findStages() {
    kernel_.walk([&](ir::DotOp dot) {
      auto a = Operand::of(dot.getA()), b = Operand::of(dot.getB());
      if (!a || !b || !unitOf(dot, *a, *b))
        return;
      for (ir::DescriptorLoadOp load : {a->load, b->load})
        if (load->getBlock() != dot->getBlock() || !isCopied(load))
          return;
      auto stage = llvm::find_if(stages_, [&](const Stage &s) { return s.block == dot->getBlock(); });
      if (stage == stages_.end())
        stage = &stages_.emplace_back(Stage{dot->getBlock(), {}, {}, {}, {}});
      stage->dots.push_back(dot);
      for (ir::DescriptorLoadOp load : {a->load, b->load})
        if (!llvm::is_contained(stage->loads, load))
          stage->loads.push_back(load);
    });
    // A tile that something else than these products looks at is in registers.
    auto isMultiplied = [](Operation *op, Stage &stage) {
      return llvm::is_contained(stage.dots, dyn_cast<ir::DotOp>(op));
    };
    for (Stage &stage : stages_) {
      for (ir::DescriptorLoadOp load : stage.loads)
        for (Operation *user : load->getUsers())
          if (!(isa<ir::PermuteOp>(user)
                    ? llvm::all_of(user->getUsers(), [&](Operation *op) { return isMultiplied(op, stage); })
                    : isMultiplied(user, stage)))
            return false;
      llvm::sort(stage.loads, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
      // The ring runs on through the loops and branches around it.
      for (Operation *around = stage.block->getParentOp(); around != kernel_; around = around->getParentOp())
        if (!isa<scf::ForOp, scf::IfOp>(around))
          return false;
    }
    return true;
  }

  // What comes before both programs: scalar arithmetic and its asserts, of which all threads learn.
  bool findPrefix() {
    Block &body = kernel_.getBody().front();
    auto isEarly = [&](Value v) {
      return isa<BlockArgument>(v) || llvm::is_contained(prefix_, v.getDefiningOp());
    };
    for (Operation &op : body.without_terminator()) {
      bool isScalar = op.getNumRegions() == 0;
      for (Type type : op.getOperandTypes())
        isScalar &= !isa<RankedTensorType>(type);
      for (Type type : op.getResultTypes())
        isScalar &= !isa<RankedTensorType>(type);
      if (isScalar && (isMemoryEffectFree(&op) || isa<ir::AssertOp>(op)) &&
          llvm::all_of(op.getOperands(), isEarly))
        prefix_.insert(&op);
    }
    // A role that ends early would leave the other one waiting.
    return !kernel_
                .walk([&](ir::AssertOp check) {
                  return prefix_.contains(check) ? WalkResult::advance() : WalkResult::interrupt();
                })
                .wasInterrupted();
  }

  // What the copies need to know.
  bool findNeeds() {
    for (Stage &stage : stages_) {
      for (ir::DescriptorLoadOp load : stage.loads)
        for (Value coordinate : load.getCoords())
          need(coordinate);
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
        } else if (!isa<func::FuncOp>(argument.getOwner()->getParentOp())) {
          return false;
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
      } else if (op->getNumRegions() != 0 || !isMemoryEffectFree(op) || isa<RankedTensorType>(v.getType())) {
        return false;
      } else {
        for (Value operand : op->getOperands())
          need(operand);
      }
    }
    return true;
  }
  void need(Value v) {
    if (needed_.insert(v).second)
      open_.push_back(v);
  }
  void needAround(Operation *op) {
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
  void needCarried(scf::ForOp loop, unsigned index) {
    need(loop.getInitArgs()[index]);
    need(loop.getYieldedValues()[index]);
    need(loop.getRegionIterArg(index));
  }

  // ------------------------------------------------------------------------------ the programs

  void split(unsigned warps) {
    Block &body = kernel_.getBody().front();
    Operation *end = body.getTerminator();
    b_.setInsertionPoint(end);
    for (Stage &stage : stages_)
      describe(stage);
    // Registers for all that multiply; who has tiles copied needs few.
    constexpr int32_t few = 40, step = 8;
    const int32_t groups = static_cast<int32_t>(warps / 4), atFirst = gpu::registersAtFirst(groups + 1);
    int32_t many = (atFirst * (groups + 1) - few) / groups / step * step;
    SmallVector<int32_t> registers = {few, std::min(many, 240)};
    if (groups == 1)   // there are enough
      registers = {0, 0};
    OperationState state(kernel_.getLoc(), gpu::RolesOp::getOperationName());
    state.addAttribute("warps", b_.getDenseI32ArrayAttr({4, static_cast<int32_t>(warps)}));
    state.addAttribute("registers", b_.getDenseI32ArrayAttr(registers));
    state.addAttribute("alone", b_.getDenseBoolArrayAttr({true, false}));
    for (int i = 0; i < 2; ++i)
      state.addRegion()->emplaceBlock();
    auto roles = cast<gpu::RolesOp>(b_.create(state));

    b_.setInsertionPointToEnd(&roles.getPrograms()[0].front());
    SmallVector<Value> first;
    for (Stage &stage : stages_)
      first.push_back(firstCursor(stage));
    IRMapping map;
    produce(body, map, first);

    Block &consumers = roles.getPrograms()[1].front();
    for (Operation &op : llvm::make_early_inc_range(body))
      if (&op != end && &op != roles && !prefix_.contains(&op) && !isOfChannels(&op))
        op.moveBefore(&consumers, consumers.end());
    for (Stage &stage : stages_)
      consume(stage);
    for (Operation *op : llvm::reverse(prefix_))   // descriptors that only the launcher encodes, and their parts
      if (isOpTriviallyDead(op))
        op->erase();
  }

  bool isOfChannels(Operation *op) {
    return llvm::any_of(stages_, [&](Stage &stage) {
      return op == stage.channel || llvm::is_contained(stage.maps, dyn_cast<gpu::TensorMapOp>(op));
    });
  }

  void describe(Stage &stage) {
    SmallVector<Type> tiles;
    for (ir::DescriptorLoadOp load : stage.loads) {
      b_.setLoc(load.getLoc());
      auto made = load.getDesc().getDefiningOp<ir::MakeDescriptorOp>();
      auto tile = cast<RankedTensorType>(load.getType());
      tile = gpu::withLayout(tile, sharedLayout(tile));
      tiles.push_back(tile);
      SmallVector<Attribute> extents = llvm::map_to_vector(made.getShape(), knownAtLaunch);
      SmallVector<Attribute> strides = llvm::map_to_vector(made.getStrides().drop_back(), knownAtLaunch);
      std::optional<layout::TensorBoxes> boxes = gpu::boxesOf(tile);
      SmallVector<int64_t> box(made.getShape().size() - 2, 1);
      llvm::append_range(box, boxes->box);
      auto base = cast<gpu::ArgumentAttr>(knownAtLaunch(made.getBase()));
      stage.maps.push_back(gpu::TensorMapOp::create(
          b_, LLVM::LLVMPointerType::get(b_.getContext()), static_cast<uint64_t>(base.getNumber()),
          b_.getArrayAttr(extents), b_.getArrayAttr(strides), box, tile.getElementType(), boxes->swizzle,
          made.getPadding() == ir::Padding::nan, /*written=*/false));
    }
    unsigned slots = slotsOf(stage);
    stage.channel =
        gpu::ChannelOp::create(b_, gpu::ChannelType::get(b_.getContext(), slots, tiles, /*barriers=*/true));
  }

  unsigned slotsOf(Stage &stage) {
    if (auto loop = stage.block->getParentOp(); auto around = dyn_cast<scf::ForOp>(loop))
      return ir::numStages(around);
    return 1;
  }

  Value firstCursor(Stage &stage) {
    return gpu::CursorOp::create(b_, stage.channel.getChannel().getType().getCursor(), 0U);
  }

  // The producer's part of a block, from here on. `cursors`: of the stages, which it takes on.
  void produce(Block &from, IRMapping &map, SmallVectorImpl<Value> &cursors) {
    for (Operation &op : from.without_terminator()) {
      b_.setLoc(op.getLoc());
      if (prefix_.contains(&op))
        continue;
      if (around_.contains(&op)) {
        if (auto loop = dyn_cast<scf::ForOp>(op))
          produceLoop(loop, map, cursors);
        else
          produceBranch(cast<scf::IfOp>(op), map, cursors);
      } else if (llvm::any_of(op.getResults(), [&](Value v) { return needed_.contains(v); })) {
        b_.clone(op, map);
      }
      for (auto [stage, cursor] : llvm::zip(stages_, cursors))
        if (&op == stage.loads.back())
          cursor = fill(stage, map, cursor);
    }
  }

  Value fill(Stage &stage, IRMapping &map, Value cursor) {
    auto slot = gpu::AcquireOp::create(b_, gpu::SlotType::get(b_.getContext()), stage.channel, cursor);
    for (auto [i, load] : llvm::enumerate(stage.loads)) {
      SmallVector<Value> coords =
          llvm::map_to_vector(load.getCoords(), [&](Value v) { return map.lookupOrDefault(v); });
      gpu::CopyBoxOp::create(b_, stage.maps[i], coords, slot, static_cast<uint32_t>(i));
    }
    gpu::CommitOp::create(b_, slot);
    return gpu::AdvanceOp::create(b_, cursor.getType(), cursor);
  }

  // The cursors of stages within an op.
  SmallVector<unsigned> stagesIn(Operation *op) {
    SmallVector<unsigned> inside;
    for (auto [i, stage] : llvm::enumerate(stages_))
      if (op->isAncestor(stage.block->getParentOp()))
        inside.push_back(static_cast<unsigned>(i));
    return inside;
  }

  void produceLoop(scf::ForOp loop, IRMapping &map, SmallVectorImpl<Value> &cursors) {
    SmallVector<unsigned> carried, inside = stagesIn(loop);
    SmallVector<Value> inits;
    for (unsigned i = 0; i < loop.getInitArgs().size(); ++i)
      if (needed_.contains(loop.getRegionIterArg(i)) || needed_.contains(loop.getResult(i))) {
        carried.push_back(i);
        inits.push_back(map.lookupOrDefault(loop.getInitArgs()[i]));
      }
    for (unsigned i : inside)
      inits.push_back(cursors[i]);
    auto made = scf::ForOp::create(b_, map.lookupOrDefault(loop.getLowerBound()),
                                   map.lookupOrDefault(loop.getUpperBound()),
                                   map.lookupOrDefault(loop.getStep()), inits, nullptr, loop.getUnsignedCmp());
    made->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    {
      OpBuilder::InsertionGuard guard(b_);
      if (!made.getBody()->empty())
        made.getBody()->back().erase();   // made where nothing is carried
      b_.setInsertionPointToEnd(made.getBody());
      map.map(loop.getInductionVar(), made.getInductionVar());
      for (auto [at, i] : llvm::enumerate(carried))
        map.map(loop.getRegionIterArg(i), made.getRegionIterArg(static_cast<unsigned>(at)));
      SmallVector<Value> own(cursors.begin(), cursors.end());
      for (auto [at, i] : llvm::enumerate(inside))
        own[i] = made.getRegionIterArg(static_cast<unsigned>(carried.size() + at));
      produce(*loop.getBody(), map, own);
      SmallVector<Value> yields;
      for (unsigned i : carried)
        yields.push_back(map.lookupOrDefault(loop.getYieldedValues()[i]));
      for (unsigned i : inside)
        yields.push_back(own[i]);
      scf::YieldOp::create(b_, yields);
    }
    for (auto [at, i] : llvm::enumerate(carried))
      map.map(loop.getResult(i), made.getResult(static_cast<unsigned>(at)));
    for (auto [at, i] : llvm::enumerate(inside))
      cursors[i] = made.getResult(static_cast<unsigned>(carried.size() + at));
  }

  void produceBranch(scf::IfOp branch, IRMapping &map, SmallVectorImpl<Value> &cursors) {
    SmallVector<unsigned> given, inside = stagesIn(branch);
    SmallVector<Type> types;
    for (auto [i, result] : llvm::enumerate(branch.getResults()))
      if (needed_.contains(result)) {
        given.push_back(static_cast<unsigned>(i));
        types.push_back(result.getType());
      }
    for (unsigned i : inside)
      types.push_back(cursors[i].getType());
    auto made = scf::IfOp::create(b_, types, map.lookupOrDefault(branch.getCondition()), true);
    for (auto [from, to] : llvm::zip(branch->getRegions(), made->getRegions())) {
      OpBuilder::InsertionGuard guard(b_);
      if (!to.front().empty())
        to.front().back().erase();
      b_.setInsertionPointToEnd(&to.front());
      SmallVector<Value> own(cursors.begin(), cursors.end());
      SmallVector<Value> yields;
      if (!from.empty()) {
        produce(from.front(), map, own);
        for (unsigned i : given)
          yields.push_back(map.lookupOrDefault(from.front().getTerminator()->getOperand(i)));
      }
      for (unsigned i : inside)
        yields.push_back(own[i]);
      scf::YieldOp::create(b_, yields);
    }
    for (auto [at, i] : llvm::enumerate(given))
      map.map(branch.getResult(i), made.getResult(static_cast<unsigned>(at)));
    for (auto [at, i] : llvm::enumerate(inside))
      cursors[i] = made.getResult(static_cast<unsigned>(given.size() + at));
  }

  // The consumers' part of a stage, in place of its loads.
  void consume(Stage &stage) {
    b_.setInsertionPoint(stage.loads.front());
    b_.setLoc(stage.loads.front().getLoc());
    Value cursor = firstCursor(stage);
    auto lease = gpu::WaitOp::create(b_, gpu::LeaseType::get(b_.getContext()), stage.channel, cursor);
    auto type = stage.channel.getChannel().getType();
    for (auto [i, load] : llvm::enumerate(stage.loads)) {
      Value view = gpu::ViewOp::create(b_, type.getTile(static_cast<unsigned>(i)), lease, static_cast<uint32_t>(i));
      for (Operation *user : llvm::make_early_inc_range(load->getUsers()))
        if (auto turn = dyn_cast<ir::PermuteOp>(user)) {
          auto turned = cast<RankedTensorType>(turn.getType());
          layout::Shape shape = turned.getShape().vec();
          auto rows = layout::sharedRows(shape, turned.getElementTypeBitWidth(), /*fast=*/0);
          turn.getResult().setType(gpu::withLayout(turned, gpu::LayoutAttr::get(b_.getContext(), rows)));
        }
      load.getResult().replaceAllUsesWith(view);
    }
    for (ir::DescriptorLoadOp load : stage.loads)   // behind: the first one is where the builder is
      load.erase();
    Operation *last = *llvm::max_element(
        stage.dots, [](ir::DotOp x, ir::DotOp y) { return x->isBeforeInBlock(y); });
    b_.setInsertionPointAfter(last);
    b_.setLoc(last->getLoc());
    gpu::ReleaseOp::create(b_, lease);
    Value next = gpu::AdvanceOp::create(b_, cursor.getType(), cursor);
    carry(cursor, next);
  }

  // From its first value on, a cursor goes through the loops and branches around its stage. `now` is a first value
  // in the innermost block, `next` what follows there.
  void carry(Value now, Value next) {
    IRRewriter rewriter(b_.getContext());
    for (;;) {
      Operation *around = now.getDefiningOp()->getParentOp();
      if (isa<gpu::RolesOp>(around))
        return;
      b_.setInsertionPoint(around);
      b_.setLoc(around->getLoc());
      Value outer = gpu::CursorOp::create(b_, now.getType(), 0U);
      if (auto loop = dyn_cast<scf::ForOp>(around)) {
        auto carried = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
            rewriter, outer, /*replaceInitOperandUsesInLoop=*/false,
            [&](OpBuilder &, Location, ArrayRef<BlockArgument>) { return SmallVector<Value>{next}; }));
        now.replaceAllUsesWith(carried.getRegionIterArgs().back());
        now.getDefiningOp()->erase();
        next = carried.getResults().back();
      } else {
        auto branch = cast<scf::IfOp>(around);
        SmallVector<Type> types(branch.getResultTypes());
        types.push_back(now.getType());
        auto wider = scf::IfOp::create(b_, types, branch.getCondition(), /*withElseRegion=*/true);
        bool isThen = now.getParentRegion() == &branch.getThenRegion();
        for (auto [i, from, to] :
             llvm::enumerate(branch->getRegions(), wider->getRegions())) {
          if (from.empty()) {   // and it gave nothing
            if (!to.front().empty())
              to.front().back().erase();
            OpBuilder atEnd = OpBuilder::atBlockEnd(&to.front());
            scf::YieldOp::create(atEnd, around->getLoc(), outer);
            continue;
          }
          to.takeBody(from);
          Operation *yield = to.front().getTerminator();
          yield->insertOperands(yield->getNumOperands(), (i == 0) == isThen ? next : outer);
        }
        now.replaceAllUsesWith(outer);
        now.getDefiningOp()->erase();
        branch->replaceAllUsesWith(wider.getResults().drop_back());
        branch.erase();
        next = wider.getResults().back();
      }
      now = outer;
    }
  }

  func::FuncOp kernel_;
  const Target &target_;
  ImplicitLocOpBuilder b_;
  SmallVector<Stage, 1> stages_;
  llvm::SetVector<Operation *> prefix_;
  llvm::DenseSet<Value> needed_;         // by the producer
  llvm::DenseSet<Operation *> around_;   // loops and branches that the producer has
  SmallVector<Value> open_;
};

struct SpecializeWarps : ir::impl::TileGpuSpecializeWarpsBase<SpecializeWarps> {
  using TileGpuSpecializeWarpsBase::TileGpuSpecializeWarpsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (kernel.isExternal())
      return;
    if (failed(checkTiles(kernel)))
      return signalPassFailure();
    // Of a name that is of no target tile-assign-layouts complains.
    if (std::optional<Target> found = Target::parse(target))
      Specialization(kernel, *found).run();
  }
};

}   // namespace
}   // namespace tile
