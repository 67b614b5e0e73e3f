// SPDX-License-Identifier: MIT
// `tile-gpu-plan`: decides whether the warps of a kernel get roles, and writes the decision down.
//
//    for i { x = load A[m, k]; y = load B[k, n]; sum = dot x, y, sum }
//
//    tile_gpu.plan = warps [4, 8], registers [40, 232]        at the kernel
//    tile_gpu.fill = channel 0, slots 3                       at the loads of x and y
//
// Nothing else changes. The passes after it follow the plan. A kernel that has one already keeps it: a plan
// may be written by hand.
#include "compiler/analysis/kernel_form.h"
#include "compiler/analysis/role_partition.h"
#include "compiler/target/role_registers.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/roles/ping_pong.h"
#include "compiler/transforms/roles/role_rewrites.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPUPLAN
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

// Registers are given to groups of four warps; where all threads have as many, one warp will do.
int32_t warpsOfCopies(const RolePartition &roles) { return roles.isOfRegisters() ? 1 : 4; }

constexpr unsigned mostInTurn = 8;   // warps of each of two groups: all fit into a CTA

int64_t bytesOf(const LoadGroup &group, int64_t slots) {
  SmallVector<Type> tiles;
  for (ir::DescriptorLoadOp load : group.loads)
    tiles.push_back(inSharedRows(cast<RankedTensorType>(load.getType())));
  auto channel =
      gpu::ChannelType::get(group.block->getParentOp()->getContext(), slots, tiles, /*barriers=*/true);
  return channel.getBytes() + channel.getBarrierBytes();
}

// Chooses the slots of all load groups.
class Slots {
 public:
  Slots(func::FuncOp kernel, const RolePartition &roles, std::optional<scf::ForOp> turns,
        const Target &target)
      : roles_(roles), turns_(turns), groups_(roles.loadGroups()), multiplying_(turns ? 2 : 1),
        most_(target.sharedBytesPerBlock()), puts_(multiplying_ * roles.bytesOfPuts()),
        exchanges_(multiplying_ * exchangedIn(kernel)),
        slots_(llvm::map_to_vector(groups_, [](const LoadGroup &group) { return group.slots; })) {}

  // As many as asked for. CTAs that share a program each hold a part of some blocks: how much is not known.
  ArrayRef<int64_t> asked() const { return slots_; }

  // As many as shared memory holds. Each role that multiplies needs some of it to store its result: the least
  // to begin with, but a slot for the copy engine where slots are taken. Blocks beside the products have what
  // is left: 0 slots where that is too little.
  ArrayRef<int64_t> thatFit() {
    constexpr int64_t least = 4 << 10, slotOfResult = 16 << 10;
    SmallVector<size_t> beside;
    for (auto [i, group] : llvm::enumerate(groups_))
      if (group.dots.empty()) {
        beside.push_back(i);
        slots_[i] = 0;
      }
    // Operands that are put take what a result without a slot would be exchanged in.
    for (int64_t ofResults = puts_ > 0 ? slotOfResult + exchanges_ / multiplying_ : least;
         all(ofResults) > most_; ofResults = std::max(ofResults, slotOfResult)) {
      std::optional<size_t> largest;   // of those with more than one slot
      for (size_t i = 0; i < groups_.size(); ++i)
        if (slots_[i] > 1 && (!largest || bytesOfGroup(i) > bytesOfGroup(*largest)))
          largest = i;
      if (!largest)
        break;
      --slots_[*largest];
    }
    for (size_t i : beside) {
      const SlotsInTurn needed = turns_ ? slotsInTurn(groups_[i], roles_, *turns_) : SlotsInTurn::any;
      slots_[i] = needed == SlotsInTurn::two ? 2 : needed == SlotsInTurn::any ? groups_[i].slots : 0;
      while (slots_[i] > 0 && all(slotOfResult) + exchanges_ > most_)
        slots_[i] = needed == SlotsInTurn::two ? 0 : slots_[i] - 1;
    }
    return slots_;
  }

 private:
  int64_t exchangedIn(func::FuncOp kernel) const {
    return bytesForExchanges(kernel, [&](ir::DescriptorLoadOp load) {
      return llvm::any_of(groups_,
                          [&](const LoadGroup &group) { return llvm::is_contained(group.loads, load); });
    });
  }
  int64_t bytesOfGroup(size_t i) const { return slots_[i] == 0 ? 0 : bytesOf(groups_[i], slots_[i]); }
  int64_t all(int64_t ofResults) const {
    int64_t bytes = puts_ + multiplying_ * ofResults;
    for (size_t i = 0; i < groups_.size(); ++i)
      bytes += bytesOfGroup(i);
    return bytes;
  }

  const RolePartition &roles_;
  std::optional<scf::ForOp> turns_;
  ArrayRef<LoadGroup> groups_;
  int64_t multiplying_, most_, puts_, exchanges_;
  SmallVector<int64_t> slots_;
};

// `turns`: two groups of warps take the iterations of a loop in turn; the loop over programs if it is null.
void write(func::FuncOp kernel, const RolePartition &roles, ArrayRef<int64_t> slots,
           std::optional<scf::ForOp> turns) {
  Builder b(kernel.getContext());
  const auto ofGroup = static_cast<int32_t>(ir::numWarps(kernel));
  const int32_t groups = turns ? 2 : 1;
  SmallVector<int32_t> warps(1 + groups, ofGroup), registers(1 + groups);
  warps.front() = warpsOfCopies(roles);
  if (!roles.isOfRegisters())
    if (const RoleRegisters given = roles.registersOfRoles(); given.change()) {
      registers.assign(1 + groups, given.ofProducts());
      registers.front() = given.ofCopies();
    }
  kernel->setAttr(gpu::PlanName, gpu::PlanAttr::get(b.getContext(), warps, registers, turns.has_value()));
  for (auto [group, count] : llvm::zip(roles.loadGroups(), slots))
    for (ir::DescriptorLoadOp load : group.loads)
      if (count > 0)
        load->setAttr(gpu::FillName, gpu::FillAttr::get(b.getContext(), group.channel, count));
  kernel.walk([&](ir::MakeDescriptorOp made) {
    if (roles.isAnchored(made))
      made->setAttr(gpu::AnchoredName, b.getUnitAttr());
  });
  // While a product goes on, its blocks stay in their slot, and the next ones need another.
  auto isInOneSlot = [&](ir::DotOp dot) {
    return llvm::any_of(llvm::zip(roles.loadGroups(), slots), [&](auto ofGroup) {
      auto [group, count] = ofGroup;
      return count < 2 && group.block == dot->getBlock() && llvm::is_contained(group.dots, dot);
    });
  };
  for (ir::DotOp dot : roles.productsWithPuts())
    if (RolePartition::goesOnBesidePuts(dot) && !isInOneSlot(dot))
      dot->setAttr(gpu::PutSlotsName, b.getI64IntegerAttr(SlotsOfPuts));
  llvm::SmallPtrSet<Operation *, 2> loops;   // of each, one product
  for (ir::DotOp dot : roles.productsBehind())
    if (loops.insert(dot->getParentOp()).second)
      dot->setAttr(gpu::BehindName, b.getUnitAttr());
  if (turns && *turns)
    (*turns)->setAttr(gpu::InTurnName, b.getUnitAttr());
}

void remarkFewer(LoadGroup group, int64_t count) {
  const bool isBeside = group.dots.empty();
  Operation *at = isBeside ? group.loads.front().getOperation() : group.dots.front();
  if (count == 0)
    at->emitRemark("shared memory does not hold this block beside those of the products: the warps that "
                   "multiply load it; use a smaller block or a lower num_stages");
  else
    at->emitRemark("shared memory holds ")
        << count << (count == 1 ? " slot" : " slots")
        << (isBeside ? " of this block, not " : " of this product's blocks, not ") << group.slots
        << "; use a smaller block or a lower num_stages";
}

constexpr unsigned mostCtasOfProduct = 4;

bool hasProducts(func::FuncOp kernel) {
  return kernel.walk([](ir::DotOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

struct Plan : ir::impl::TileGpuPlanBase<Plan> {
  using TileGpuPlanBase::TileGpuPlanBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (kernel.isExternal() || kernel->hasAttr(gpu::PlanName))
      return;
    if (failed(checkTiles(kernel)))
      return signalPassFailure();
    // Of a name that is of no target tile-assign-layouts complains.
    std::optional<Target> found = Target::parse(target);
    if (!found)
      return;
    const unsigned ctas = ir::numCtas(kernel);
    WhyNot whyNot;
    std::optional<RolePartition> roles = RolePartition::proposed(kernel, *found, ctas, whyNot);
    auto refuse = [&](InFlightDiagnostic error) {
      if (whyNot.at)
        error.attachNote(whyNot.at->getLoc()) << whyNot.reason;
      signalPassFailure();
    };
    if (ctas > 1 && !found->has(Feature::Clusters)) {
      kernel.emitError("this kernel cannot be shared by ")
          << ctas << " CTAs on " << found->name() << ", which has no clusters of CTAs; use num_ctas = 1";
      return signalPassFailure();
    }
    // The axis of other tiles is divided by tile-gpu-partition-axis-over-ctas.
    if (ctas > 1 && !roles && hasProducts(kernel))
      return refuse(
          kernel.emitError("this kernel cannot be shared by ")
          << ctas << " CTAs on " << found->name()
          << ": this needs a GPU with tensor copies and wgmma, and products of blocks that are loaded "
             "through descriptors; use num_ctas = 1");
    if (roles && ctas > mostCtasOfProduct)
      return refuse(kernel.emitError("this kernel cannot be shared by ")
                    << ctas << " CTAs: " << mostCtasOfProduct
                    << " at most share the tile of a product; use num_ctas = " << mostCtasOfProduct);
    if (remarks && whyNot.at)
      whyNot.at->emitRemark("this kernel gets no roles of warps: ") << whyNot.reason;
    std::optional<scf::ForOp> turns;
    if (ir::takesTurns(kernel)) {
      if (roles)
        turns = loopOfTurns(kernel, *roles);
      if (!turns || ir::numWarps(kernel) > mostInTurn)
        return refuse(
            kernel.emitError("this kernel cannot run in ping-pong on ")
            << found->name()
            << ": this needs a GPU with tensor copies and wgmma, up to 8 warps, and products of blocks "
               "that are loaded through descriptors, in a loop over programs or tiles that carries no "
               "values; use ping_pong = false");
    }
    if (!roles)
      return;
    Slots ofGroups(kernel, *roles, turns, *found);
    ArrayRef<int64_t> slots = ctas > 1 ? ofGroups.asked() : ofGroups.thatFit();
    if (remarks)
      for (auto [group, count] : llvm::zip(roles->loadGroups(), slots))
        if (count < group.slots)
          remarkFewer(group, count);
    write(kernel, *roles, slots, turns);
  }
};

}   // namespace
}   // namespace tile
