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
#include "compiler/transforms/ping_pong.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPUPLAN
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

constexpr int32_t warpsOfCopies = 4;   // registers are given to groups of four
constexpr unsigned mostInTurn = 8;     // warps of each of two groups: all fit into a CTA

int64_t bytesOf(const LoadGroup &group, int64_t slots) {
  SmallVector<Type> tiles;
  for (ir::DescriptorLoadOp load : group.loads)
    tiles.push_back(inSharedRows(cast<RankedTensorType>(load.getType())));
  auto channel =
      gpu::ChannelType::get(group.block->getParentOp()->getContext(), slots, tiles, /*barriers=*/true);
  return channel.getBytes() + channel.getBarrierBytes();
}

// The slots of each group: as many as asked for, or as many as shared memory holds. Each role that multiplies
// needs some of it to store its result: the least to begin with, but a slot for the copy engine where slots
// are taken.
SmallVector<int64_t> slotsThatFit(ArrayRef<LoadGroup> groups, int64_t multiplying, const Target &target) {
  constexpr int64_t least = 4 << 10, slotOfResult = 16 << 10;
  SmallVector<int64_t> slots =
      llvm::map_to_vector(groups, [](const LoadGroup &group) { return group.slots; });
  auto bytesOfGroup = [&](size_t i) { return bytesOf(groups[i], slots[i]); };
  for (int64_t ofResults = multiplying * least;; ofResults = multiplying * slotOfResult) {
    int64_t all = ofResults;
    std::optional<size_t> largest;   // of those with more than one slot
    for (size_t i = 0; i < groups.size(); ++i) {
      all += bytesOfGroup(i);
      if (slots[i] > 1 && (!largest || bytesOfGroup(i) > bytesOfGroup(*largest)))
        largest = i;
    }
    if (all <= target.sharedBytesPerBlock() || !largest)
      return slots;
    --slots[*largest];
  }
}

// `turns`: two groups of warps take the iterations of a loop in turn; the loop over programs if it is null.
void write(func::FuncOp kernel, const RolePartition &roles, ArrayRef<int64_t> slots,
           std::optional<scf::ForOp> turns) {
  Builder b(kernel.getContext());
  const auto ofGroup = static_cast<int32_t>(ir::numWarps(kernel));
  const int32_t groups = turns ? 2 : 1;
  const RoleRegisters given(groups * ofGroup / 4, roles.makesMaps());
  SmallVector<int32_t> warps(1 + groups, ofGroup), registers(1 + groups);
  warps.front() = warpsOfCopies;
  if (given.change()) {
    registers.assign(1 + groups, given.ofProducts());
    registers.front() = given.ofCopies();
  }
  kernel->setAttr(gpu::PlanName, gpu::PlanAttr::get(b.getContext(), warps, registers, turns.has_value()));
  for (auto [group, count] : llvm::zip(roles.loadGroups(), slots))
    for (ir::DescriptorLoadOp load : group.loads)
      load->setAttr(gpu::FillName, gpu::FillAttr::get(b.getContext(), group.channel, count));
  if (turns && *turns)
    (*turns)->setAttr(gpu::InTurnName, b.getUnitAttr());
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
    if (!roles && ctas > 1)
      return refuse(
          kernel.emitError("this kernel cannot be shared by ")
          << ctas << " CTAs on " << found->name()
          << ": this needs a GPU with tensor copies and wgmma, and products of blocks that are loaded "
             "through descriptors; use num_ctas = 1");
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
    // CTAs that share a program each hold a part of some blocks: how much is not known yet.
    SmallVector<int64_t> slots =
        ctas > 1
            ? llvm::map_to_vector(roles->loadGroups(), [](const LoadGroup &group) { return group.slots; })
            : slotsThatFit(roles->loadGroups(), turns ? 2 : 1, *found);
    if (remarks)
      for (auto [group, count] : llvm::zip(roles->loadGroups(), slots))
        if (count < group.slots)
          group.dots.front()->emitRemark("shared memory holds ")
              << count << (count == 1 ? " slot" : " slots") << " of this product's blocks, not "
              << group.slots << "; use a smaller block or a lower num_stages";
    write(kernel, *roles, slots, turns);
  }
};

}   // namespace
}   // namespace tile
