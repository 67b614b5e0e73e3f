// SPDX-License-Identifier: MIT
#include "compiler/analysis/role_partition.h"

#include "compiler/analysis/anchored_tensors.h"
#include "compiler/analysis/apart_buffers.h"
#include "compiler/analysis/descriptor_rules.h"
#include "compiler/analysis/launch_numbers.h"
#include "compiler/analysis/matrix_products.h"
#include "compiler/analysis/sums_at_once.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tile {

gpu::FillAttr fillOf(ir::DescriptorLoadOp load) {
  return load ? load->getAttrOfType<gpu::FillAttr>(gpu::FillName) : gpu::FillAttr();
}

RankedTensorType inSharedRows(RankedTensorType tile) {
  layout::Shape shape = tile.getShape().vec();
  auto rows = layout::sharedRows(shape, tile.getElementTypeBitWidth(), /*fast=*/1);
  return gpu::withLayout(tile, gpu::LayoutAttr::get(tile.getContext(), rows));
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

bool hasIndependentIterations(Operation *loop) {
  auto range = dyn_cast<scf::ForOp>(loop);
  return range && (range->hasAttr(gpu::ProgramsName) || ir::promisesIndependentIterations(range));
}

bool mayFollow(Operation *then, Operation *first) {
  for (Operation *from = first;; from = from->getParentOp()) {
    Operation *to = from->getBlock()->findAncestorOpInBlock(*then), *around = from->getParentOp();
    if (to && from->isBeforeInBlock(to))
      return true;
    if (isa<FunctionOpInterface>(around))
      return false;
    if (isa<LoopLikeOpInterface>(around) && around->isAncestor(then) && !hasIndependentIterations(around))
      return true;
  }
}

namespace {

constexpr llvm::StringLiteral NoUnitOfShared =
    "no matrix unit reads tiles of these element types, shapes and orders from shared memory; "
    "docs/performance-guide.md lists those that fit";

// The product in the block whose sums this one goes on with, and nobody else needs; null for none.
ir::DotOp goesOnAfter(ir::DotOp dot) {
  auto before = dot.getAcc().getDefiningOp<ir::DotOp>();
  return before && before->getBlock() == dot->getBlock() && before->hasOneUse() ? before : ir::DotOp();
}

// Slots of the channel that a group fills: as many as the innermost loop around it has stages, or the kernel,
// whose programs will be a loop. A branch in that loop changes nothing: both sides of the ring take it alike.
// A block that a loop reads again and again needs one, and so does one beside the products of a program.
std::int64_t slotsOf(const LoadGroup &group) {
  for (ir::DotOp dot : group.dots)
    for (Operation *around = dot->getParentOp(); around != group.block->getParentOp();
         around = around->getParentOp())
      if (isa<LoopLikeOpInterface>(around))
        return 1;
  Operation *around = group.block->getParentOp();
  while (!isa<scf::ForOp, func::FuncOp>(around))
    around = around->getParentOp();
  if (auto loop = dyn_cast<scf::ForOp>(around))
    return ir::numStages(loop);
  return group.dots.empty() ? 1 : ir::numStages(cast<func::FuncOp>(around));
}

}   // namespace

std::optional<RolePartition> RolePartition::of(RolePartition partition, const Target &target, unsigned ctas,
                                               WhyNot &whyNot) {
  const bool hasRoles = partition.findRoles(target, ctas);
  whyNot = partition.whyNot_;
  return hasRoles ? std::optional(std::move(partition)) : std::nullopt;
}

std::optional<RolePartition> RolePartition::proposed(func::FuncOp kernel, const Target &target, unsigned ctas,
                                                     WhyNot &whyNot) {
  RolePartition partition(kernel, /*isPlanned=*/false);
  std::optional<RolePartition> roles = of(partition, target, ctas, whyNot);
  if (!roles || ctas > 1)
    return roles;
  // Then the other blocks, as many as can be copied ahead, too.
  kernel.walk([&](ir::DescriptorLoadOp load) {
    if (roles->isCopiedAhead(load))
      return;
    partition.beside_.insert(load);
    WhyNot ofLoad;
    if (std::optional<RolePartition> more = of(partition, target, ctas, ofLoad))
      roles = std::move(more);
    else
      partition.beside_.erase(load);
  });
  return roles;
}

std::optional<RolePartition> RolePartition::planned(func::FuncOp kernel, const Target &target,
                                                    WhyNot &whyNot) {
  return of(RolePartition(kernel, /*isPlanned=*/true), target, /*ctas=*/1, whyNot);
}

// Where every copy becomes one of boxes: such begin at multiples of 16 bytes of a row, and the engine fills
// bytes with nothing but zeros. `mayDescribe`: the program may describe the tensor by itself.
bool RolePartition::isCopied(ir::DescriptorLoadOp load, const AxisAnalysis &facts, bool mayDescribe) const {
  auto made = load.getDesc().getDefiningOp<ir::MakeDescriptorOp>();
  auto tile = cast<RankedTensorType>(load.getType());
  Type element = tile.getElementType();
  if (tile.getRank() != 2 || !element.isIntOrFloat() || element.getIntOrFloatBitWidth() < 8)
    return false;
  const int64_t bits = element.getIntOrFloatBitWidth();
  return made && gpu::boxesOf(inSharedRows(tile)) &&
         (isKnownAtLaunch(made) || isAnchored(made) || (mayDescribe && isKnownOnDevice(made, facts))) &&
         facts.of(load.getCoords().back()).axes[0].divisibility % (16 * 8 / bits) == 0 &&
         (bits > 8 || made.getPadding() == ir::Padding::zero);
}

bool RolePartition::isCopiedAhead(ir::DescriptorLoadOp load) const {
  return llvm::any_of(loadGroups_,
                      [&](const LoadGroup &group) { return llvm::is_contained(group.loads, load); });
}

SmallVector<ir::DotOp, 1> RolePartition::productsWithPuts() const {
  if (isOfRegisters_)
    return {};
  return llvm::filter_to_vector<1>(products_,
                                   [](ir::DotOp dot) { return !OperandSources::of(dot.getB()).isLoaded; });
}

bool RolePartition::goesOnBesidePuts(ir::DotOp dot) {
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  ir::DescriptorLoadOp first = loadOf(dot.getA());
  return loop && first && ir::numStages(loop) > 1 && mayStayInFlight(dot, loop) &&
         llvm::hasSingleElement(dot->getBlock()->getOps<ir::DotOp>()) && first->getBlock() == dot->getBlock();
}

int64_t RolePartition::bytesOfPuts() const {
  int64_t bytes = 0;
  for (ir::DotOp dot : productsWithPuts()) {
    auto tile = cast<RankedTensorType>(dot.getB().getType());
    bytes +=
        (goesOnBesidePuts(dot) ? SlotsOfPuts : 1) * tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
  }
  return bytes;
}

bool RolePartition::findRoles(const Target &target, unsigned ctas) {
  ir::DotOp first;
  kernel_.walk([&](ir::DotOp dot) {
    first = dot;
    return WalkResult::interrupt();
  });
  if (!target.boxCopies() || !first)
    return false;
  constexpr unsigned mostWarps = 31;   // beside the one that copies
  if (ir::numWarps(kernel_) > mostWarps)
    return refuse(first, "no warp is left to copy; use num_warps = 16 or less");
  isOfRegisters_ = !hasUnitOfShared(target) || warpgroupsOf(ir::numWarps(kernel_)) == 0;
  const AxisAnalysis facts(kernel_);
  return findAnchored(facts) && findLoadGroups(facts, target, ctas) && findPrefix(ctas) && findNeeds() &&
         !guardsCopies() && !readsWhatItWrites() && !checksDescriptors(facts);
}

bool RolePartition::findAnchored(const AxisAnalysis &facts) {
  return !kernel_
              .walk([&](ir::MakeDescriptorOp made) {
                const bool isPossible = canBeAnchored(made, facts);
                if (isPlanned_ ? tile::isAnchored(made) : isPossible)
                  anchored_.insert(made);
                if (isPossible || !isAnchored(made))
                  return WalkResult::advance();
                refuse(made, "the map of this tensor cannot be anchored: the length and the distance of its "
                             "rows must be known at the launch, and its base must be promised to be aligned");
                return WalkResult::interrupt();
              })
              .wasInterrupted();
}

bool RolePartition::findLoadGroups(const AxisAnalysis &facts, const Target &target, unsigned ctas) {
  kernel_.walk([&](ir::DotOp dot) {
    return addProduct(dot, target, ctas) ? WalkResult::advance() : WalkResult::interrupt();
  });
  kernel_.walk([&](ir::DescriptorLoadOp load) {   // those that no product needs
    if (isPlanned_ ? bool(fillOf(load)) : beside_.contains(load))
      (void)groupOf(load);
  });
  const bool mayDescribe = ctas == 1 && target.has(Feature::ChangedMaps);
  for (const LoadGroup &group : loadGroups_)
    for (ir::DescriptorLoadOp load : group.loads)
      if (!isCopied(load, facts, mayDescribe)) {
        if (ctas == 1 && !mayDescribe && isCopied(load, facts, /*mayDescribe=*/true))
          return refuse(
              load, "code for this GPU cannot change the description of a tensor for the copy engine; base, "
                    "extents and strides must come from kernel arguments");
        return refuse(load, "the copy engine cannot copy this block: base, extents and strides must come "
                            "from kernel arguments, or be promised by assume_divisible and assume_range, and "
                            "the block must begin at a multiple of 16 bytes of its row");
      }
  if (whyNot_.at)
    return false;
  for (auto [number, group] : llvm::enumerate(loadGroups_)) {
    if (!isPlanned_) {
      group.channel = static_cast<std::int64_t>(number);
      group.slots = slotsOf(group);
    }
    llvm::sort(group.loads, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
  }
  if (products_.empty())
    return false;
  if (!isOfRegisters_ && ir::maxRegisters(kernel_))
    return refuse(products_.front(), "max_registers limits all threads alike, and roles need different "
                                     "numbers of registers; leave it out");
  return (isOfRegisters_ ? holdSumsOfRegisters() : holdSums(ctas)) && (isPlanned_ || paysForChains()) &&
         areInLoops();
}

// The groups of what a product needs.
bool RolePartition::addProduct(ir::DotOp dot, const Target &target, unsigned ctas) {
  const OperandSources a = OperandSources::of(dot.getA()), b = OperandSources::of(dot.getB());
  llvm::SmallSetVector<ir::DescriptorLoadOp, 4> loads;
  loads.insert_range(a.loads);
  loads.insert_range(b.loads);
  if (isPlanned_ && llvm::none_of(loads, fillOf))
    return true;
  if (isPlanned_ && !llvm::all_of(loads, fillOf))
    return refuse(dot, "all blocks that a product needs must fill a channel, or none of them");
  for (const OperandSources &operand : {a, b})
    if (operand.obstacle)
      return refuse(operand.obstacle,
                    "a product needs this block, which is loaded through pointers; load it by "
                    "`descriptor(p, {m, k}, {stride, 1}, {BM, BK}).load({i, j})`");
  // Rows of a product stay in their warps, and so do those of what is computed from it. A second operand
  // all warps read, so it goes to shared memory.
  auto isMadeElsewhere = [&](ir::DotOp of) { return of && of->getBlock() != dot->getBlock(); };
  if (isMadeElsewhere(a.product) || isMadeElsewhere(b.product))
    return refuse(isMadeElsewhere(b.product) ? b.product : a.product,
                  "another product multiplies the result of this one, which it is not computed next to; "
                  "multiply what is loaded, or make two kernels of it");
  if (loads.empty())
    return refuse(dot, "operands must be loaded through a descriptor: "
                       "`descriptor(p, {m, k}, {stride, 1}, {BM, BK}).load({i, j})`");
  const Lies liesA = !a.isLoaded      ? Lies::inRegisters
                     : a.isTransposed ? Lies::across
                                      : Lies::alongK,
             liesB = b.isTransposed ? Lies::alongK : Lies::across;
  if (isOfRegisters_) {
    if (!canBeOfRegisters(dot, target, ctas))
      return false;
  } else if (!sharedUnitOf(dot, liesA, liesB, target, warpgroupsOf(ir::numWarps(kernel_)), ctas)) {
    return refuse(dot, NoUnitOfShared);
  } else if (ctas > 1 && (!a.isLoaded || !b.isLoaded)) {
    return refuse(dot, "two CTAs multiply blocks as they are loaded, or transposed, and an operand is "
                       "computed here; use num_ctas = 1");
  } else if (!isPlanned_ && !b.isLoaded && !(a.isLoaded && (b.product || goesOnBesidePuts(dot)))) {
    return refuse(dot,
                  "the second operand is computed, and would go back to shared memory between two waits; "
                  "load the first one, and let the loop do nothing else with the sums");
  }
  products_.push_back(dot);
  for (ir::DescriptorLoadOp load : loads)
    (void)groupOf(load);
  join(loads.getArrayRef(), dot);
  return true;
}

// Whether mma.sync makes the product out of registers, and nothing asks for wgmma.
bool RolePartition::canBeOfRegisters(ir::DotOp dot, const Target &target, unsigned ctas) {
  if (ctas > 1 || ir::takesTurns(kernel_))
    return refuse(dot, NoUnitOfShared);
  if (!matrixUnitOf(dot, target))
    return refuse(dot,
                  "no matrix unit multiplies these element types and shapes; docs/performance-guide.md lists "
                  "those that fit");
  if (productBehind(dot.getA()) || productBehind(dot.getB()))
    return refuse(dot,
                  "a product multiplies the result of another one, and no matrix unit reads tiles of these "
                  "element types, shapes and orders from shared memory; docs/performance-guide.md lists "
                  "those that fit");
  return true;
}

// The group of a load, a new one if it has none.
LoadGroup &RolePartition::groupOf(ir::DescriptorLoadOp load) {
  const gpu::FillAttr fill = fillOf(load);
  for (LoadGroup &group : loadGroups_)
    if (isPlanned_ ? group.channel == fill.getChannel() : llvm::is_contained(group.loads, load)) {
      if (!llvm::is_contained(group.loads, load))
        group.loads.push_back(load);
      if (group.block != load->getBlock() || (isPlanned_ && group.slots != fill.getSlots()))
        refuse(load,
               "the loads of one channel must be in one loop body or branch, and name one number of slots");
      return group;
    }
  return loadGroups_.emplace_back(LoadGroup{
      load->getBlock(), isPlanned_ ? fill.getChannel() : 0, isPlanned_ ? fill.getSlots() : 0, {}, {load}});
}

// Notes a product of the groups of what it needs. Loads of one block that a product needs together are one
// group.
void RolePartition::join(ArrayRef<ir::DescriptorLoadOp> loads, ir::DotOp dot) {
  auto add = [](auto &to, auto op) {
    if (!llvm::is_contained(to, op))
      to.push_back(op);
  };
  for (ir::DescriptorLoadOp load : loads)
    add(groupOf(load).dots, dot);
  if (isPlanned_)
    return;
  for (ir::DescriptorLoadOp load : loads)
    for (ir::DescriptorLoadOp other : loads) {
      LoadGroup &ofLoad = groupOf(load), &ofOther = groupOf(other);
      if (ofLoad.block != ofOther.block || &ofLoad >= &ofOther)
        continue;
      for (ir::DescriptorLoadOp moved : ofOther.loads)
        add(ofLoad.loads, moved);
      for (ir::DotOp moved : ofOther.dots)
        add(ofLoad.dots, moved);
      loadGroups_.erase(&ofOther);
    }
}

// The ring runs on through the loops and branches around it.
bool RolePartition::areInLoops() {
  for (const LoadGroup &group : loadGroups_)
    for (Operation *around = group.block->getParentOp(); around != kernel_; around = around->getParentOp())
      if (!isa<scf::ForOp, scf::IfOp>(around))
        return refuse(
            around,
            "the product is inside a loop of this kind; use `for (auto i : range(...))` and TILE_IF instead");
  return true;
}

bool RolePartition::makesMaps() const {
  return llvm::any_of(loadGroups_, [&](const LoadGroup &group) {
    return llvm::any_of(group.loads, [&](ir::DescriptorLoadOp load) {
      auto made = load.getDesc().getDefiningOp<ir::MakeDescriptorOp>();
      return !isKnownAtLaunch(made) && !isAnchored(made);
    });
  });
}

RoleRegisters RolePartition::registersIf(bool givesMost) const {
  const auto groups = static_cast<int32_t>(warpgroupsOf(ir::numWarps(kernel_)));
  return {groups * (ir::takesTurns(kernel_) ? 2 : 1), makesMaps(), givesMost};
}

// Registers of a thread for the sums of all products of a block, and for what operands are computed in.
RolePartition::Sums RolePartition::sumsOf(Block &block, unsigned ctas) const {
  const unsigned warps = ir::numWarps(kernel_);
  constexpr int64_t lanes = 32, rows = 64, mostColumns = 256, threads = 128;   // of an instruction
  Sums sums;
  llvm::SmallDenseSet<Value> computed;
  for (ir::DotOp dot : products_) {
    if (dot->getBlock() != &block)
      continue;
    SmallVector<int64_t> shape(ir::getShape(dot.getType()));
    shape[0] /= ctas;
    // A product that goes on with the sums of another one has no registers of its own, unless one of them
    // adds up by itself before (max_imprecise_acc).
    ir::DotOp before = goesOnAfter(dot);
    const bool goesOn = before && llvm::is_contained(products_, before) && !before.getMaxImpreciseAcc() &&
                        !dot.getMaxImpreciseAcc();
    sums.all +=
        shape[0] * shape[1] / (lanes * warps) * ((goesOn ? 0 : 1) + (dot.getMaxImpreciseAcc() ? 1 : 0));
    // Operands take up to 32 bits an element while they are computed; of sums, their registers.
    for (Value operand : {dot.getA(), dot.getB()})
      if (!OperandSources::of(operand).isLoaded && !productBehind(operand) && computed.insert(operand).second)
        sums.all += cast<RankedTensorType>(operand.getType()).getNumElements() / (lanes * warps);
    const std::optional<WarpGrid> grid = warpgroupsOver(shape, warpgroupsOf(warps));
    const int64_t columns = std::min(mostColumns, shape[1] / (grid ? grid->n : 1));
    sums.ofInstruction = std::max(sums.ofInstruction, rows * columns / threads);
  }
  // Sums that are over when others are made leave them their registers.
  auto isExact = [](ir::DotOp dot) { return dot.getMaxImpreciseAcc() == 0; };
  sums.atOnce = sums.all;
  if (sums.all > 0 && ctas == 1 && llvm::all_of(block.getOps<ir::DotOp>(), isExact)) {
    sums.atOnce = std::max(sums.ofInstruction, sumsAtOnce(block, warps));
    sums.all = std::min(sums.all, sums.atOnce);
  }
  return sums;
}

// Registers of a thread for operands that several products of a block multiply. Of others, a step of K is
// there.
int64_t RolePartition::keptOperands(Block &block) const {
  llvm::SmallMapVector<Value, int64_t, 8> readers;
  for (ir::DotOp dot : products_)
    if (dot->getBlock() == &block)
      for (Value operand : {dot.getA(), dot.getB()})
        ++readers[operand];
  int64_t bits = 0;
  for (auto [operand, products] : readers)
    if (auto tile = cast<RankedTensorType>(operand.getType()); products > 1)
      bits += tile.getNumElements() * tile.getElementTypeBitWidth();
  return bits / 32 / (32 * ir::numWarps(kernel_));
}

// All threads have as many, and keep a step of both operands beside the sums. A quarter of a multiprocessor
// holds every fourth warp: with the one that copies, 8 warps have as few registers as 12.
bool RolePartition::holdSumsOfRegisters() {
  constexpr int64_t quarters = 4, ofQuarter = 16384, mostOfThread = 255, others = 64, lanes = 32, step = 8;
  const unsigned warps = ir::numWarps(kernel_);
  const int64_t given = ofQuarter / (lanes * llvm::divideCeil(warps + 1, quarters)) / step * step;
  const int64_t most = std::min(mostOfThread, given);
  llvm::SmallPtrSet<Block *, 2> held;
  for (ir::DotOp dot : products_) {
    Block &block = *dot->getBlock();
    if (!held.insert(&block).second)
      continue;
    if (sumsAtOnce(block, warps, /*isInOrder=*/true) + keptOperands(block) + others > most)
      return refuse(dot, "the sums need too many registers of a thread; use a smaller block or more warps");
  }
  return true;
}

// Sums are in registers, and with what else there is they have to fit: those of all products of a block.
bool RolePartition::holdSums(unsigned ctas) {
  llvm::SmallPtrSet<Block *, 2> held;
  for (ir::DotOp dot : llvm::reverse(products_)) {
    if (!held.insert(dot->getBlock()).second)
      continue;
    const Sums sums = sumsOf(*dot->getBlock(), ctas);
    // All registers, if products then go on beside each other (tile-gpu-await-products-late).
    const RoleRegisters few = registersIf(false), most = registersIf(true);
    givesMost_ |= !few.hold(sums.all, sums.ofInstruction) ||
                  (!few.hold(sums.atOnce, sums.ofInstruction) && most.hold(sums.atOnce, sums.ofInstruction));
    if (!registersOfRoles().hold(sums.all, sums.ofInstruction))
      return refuse(dot, "the sums need too many registers of a thread; use a smaller block or more warps");
  }
  return true;
}

// Whether registers hold the operand of the second product beside the sums of the next iteration.
bool RolePartition::holdsTwoSteps(ProductChain chain) const {
  auto operand = cast<RankedTensorType>(chain.second.getA().getType());
  Sums sums = sumsOf(*chain.second->getBlock(), /*ctas=*/1);
  sums.all += operand.getNumElements() * operand.getElementTypeBitWidth() / 32 / (32 * ir::numWarps(kernel_));
  return registersOfRoles().hold(sums.all, sums.ofInstruction);
}

// While one group of warps computes the operand of a second product, another one multiplies; and so do
// several CTAs without roles, which have more registers.
bool RolePartition::paysForChains() {
  for (ir::DotOp dot : products_) {
    std::optional<ProductChain> chain = chainOf(dot);
    if (!chain)
      continue;
    if (warpgroupsOf(ir::numWarps(kernel_)) < 2)
      return refuse(dot, "a product multiplies the result of another one, and a single group of four warps "
                         "would do nothing beside it; use num_warps = 8 and 128 rows");
    if (!holdsTwoSteps(*chain))
      return refuse(dot, "a product multiplies the result of another one, and registers do not hold both, "
                         "those of two steps; use fewer columns in a step");
  }
  return true;
}

SmallVector<ir::DotOp, 1> RolePartition::productsBehind() const {
  return llvm::filter_to_vector<1>(products_, [&](ir::DotOp dot) {
    std::optional<ProductChain> chain = chainOf(dot);
    return chain && holdsTwoSteps(*chain) && !mayEndIn(*chain->loop.getBody());
  });
}

// The copies run ahead of what the kernel stores, and of where it waits for others to have stored.
bool RolePartition::readsWhatItWrites() {
  const ApartBuffers apart(kernel_);
  return kernel_.getBody()
      .walk([&](Operation *op) {
        if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() || isMemoryEffectFree(op) ||
            hasSingleEffect<MemoryEffects::Read>(op) || ir::isPromise(op) ||
            isa<ir::AssertOp, ir::PrintOp>(op))
          return WalkResult::advance();
        bool isBefore = llvm::any_of(
            readAhead_, [&](Operation *load) { return mayFollow(load, op) && !apart.keepApart(load, op); });
        if (!isBefore)
          return WalkResult::advance();
        if (isa<ir::BarrierOp>(op))
          refuse(op, "blocks would be copied before this, and others may change them until here; if the "
                     "iterations of the loop are independent, write `range(...).specialize_warps()`");
        else
          refuse(op, "blocks would be copied before this, and it may change them; if the pointers point into "
                     "different buffers, promise it by `assume_apart(c, a, b)`, and if the iterations of the "
                     "loop are independent, write `range(...).specialize_warps()`");
        return WalkResult::interrupt();
      })
      .wasInterrupted();
}

// What a program checks of its own descriptors would end one role alone.
bool RolePartition::checksDescriptors(const AxisAnalysis &facts) {
  return kernel_
      .walk([&](ir::MakeDescriptorOp made) {
        auto isCopied = [&](Operation *user) { return llvm::is_contained(readAhead_, user); };
        const bool isChecked =
            !prefix_.contains(made) && !openRules(made, facts).none() &&
            !((isKnownAtLaunch(made) || isAnchored(made)) && llvm::all_of(made->getUsers(), isCopied));
        if (isChecked)
          refuse(made, "this descriptor needs checks, and a failed check would end only some of the warps; "
                       "promise its rules with assume_divisible and assume_range");
        return isChecked ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

bool RolePartition::findPrefix(unsigned ctas) {
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
  kernel_.walk([&](ir::AssertOp check) {
    if (!prefix_.contains(check))
      lateAsserts_.push_back(check);
  });
  // The role of the copies alone asks whether the other one has ended.
  if (mayEndEarly() && (ctas > 1 || ir::numCtas(kernel_) > 1 || ir::takesTurns(kernel_) || makesMaps()))
    return refuse(
        lateAsserts_.front(),
        "this check would end only some of the warps, and the others would wait for them; check kernel "
        "arguments at the beginning of the kernel, or remove it, or do without ping_pong, num_ctas and "
        "tensors that the program describes");
  return true;
}

// What the copies load through pointers, they would load although a check before it has failed.
bool RolePartition::guardsCopies() {
  for (ir::AssertOp check : lateAsserts_)
    for (Operation *load : readAhead_)
      if (isa<ir::LoadOp>(load) && mayFollow(load, check)) {
        refuse(check, "which block is loaded depends on a load after this check, which would come before it; "
                      "check kernel arguments at the beginning of the kernel, or remove it");
        return true;
      }
  return false;
}

bool RolePartition::findNeeds() {
  for (LoadGroup &group : loadGroups_) {
    for (ir::DescriptorLoadOp load : group.loads) {
      readAhead_.push_back(load);
      for (Value coordinate : load.getCoords())
        need(coordinate);
      auto made = load.getDesc().getDefiningOp<ir::MakeDescriptorOp>();
      if (!isKnownAtLaunch(made))
        for (Value part : made->getOperands())
          need(part);
    }
    for (Operation *around = group.block->getParentOp(); around != kernel_; around = around->getParentOp())
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
        return refuse(
            around,
            "which block is loaded depends on a loop of this kind; use `for (auto i : range(...))` instead");
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
      return refuse(
          op,
          "which block is loaded depends on this, which one thread cannot compute; compute it from scalars");
    } else if (auto load = dyn_cast<ir::LoadOp>(op); load ? load.getIsVolatile() : !isMemoryEffectFree(op)) {
      return refuse(op, "which block is loaded depends on this access to memory, which would happen twice; "
                        "use program_id and num_programs instead");
    } else {
      if (load)
        readAhead_.push_back(load);
      for (Value operand : op->getOperands())
        need(operand);
    }
  }
  return true;
}

void RolePartition::need(Value v) {
  if (needed_.insert(v).second)
    open_.push_back(v);
}

void RolePartition::needAround(Operation *op) {
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

void RolePartition::needCarried(scf::ForOp loop, unsigned index) {
  need(loop.getInitArgs()[index]);
  need(loop.getYieldedValues()[index]);
  need(loop.getRegionIterArg(index));
}

}   // namespace tile
