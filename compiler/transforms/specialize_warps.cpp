// SPDX-License-Identifier: MIT
// `tile-gpu-specialize-warps`: a kernel becomes the program of one thread that has tiles copied, and the
// program of the warps that multiply them.
//
//    for i { x = load A[m, k]; y = load B[k, n]; sum = dot x, y, sum }  store C[m, n], sum
//
//    alone:  for i { acquire; copy_box A[m, k]; copy_box B[k, n]; commit }
//    others: for i { wait; x = view 0; y = view 1; sum = dot x, y, sum; release }  store C[m, n], sum
//
// Loads that products need together fill one slot of a channel together: a group. What the copies depend
// on, their coordinates and the bounds and conditions around them, is computed by both programs. Each side's
// cursor runs through all loops around its group, so that the ring goes on where an outer loop comes back.
#include "compiler/analysis/kernel_form.h"
#include "compiler/analysis/matrix_products.h"
#include "compiler/analysis/role_partition.h"
#include "compiler/transforms/passes.h"
#include "compiler/transforms/roles/box_stores.h"
#include "compiler/transforms/roles/consumer.h"
#include "compiler/transforms/roles/device_maps.h"
#include "compiler/transforms/roles/ping_pong.h"
#include "compiler/transforms/roles/producer.h"
#include "compiler/transforms/roles/role_rewrites.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/IR/Iterators.h"

#include <optional>

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEGPUSPECIALIZEWARPS
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

class Specialization {
 public:
  // `turns`: the loop whose iterations two consumers take in turn; null for one consumer.
  Specialization(func::FuncOp kernel, const Target &target, gpu::PlanAttr plan, const RolePartition &found,
                 scf::ForOp turns)
      : kernel_(kernel), target_(target), plan_(plan), found_(found), turns_(turns),
        b_(kernel.getLoc(), kernel.getContext()), maps_(kernel, b_),
        stores_(kernel, target, found, turns, maps_, b_) {
    for (const LoadGroup &group : found.loadGroups())
      groups_.push_back({group, {}, {}, {}});
  }

  void run() {
    Block &body = kernel_.getBody().front();
    Operation *end = body.getTerminator();
    for (CopiedGroup &group : groups_)
      if (group.dots.empty())
        llvm::for_each(group.loads, sinkToFirstUse);
    b_.setInsertionPoint(end);
    for (CopiedGroup &group : groups_)
      describe(group);
    if (turns_)
      turn_ = maps_.made(
          gpu::ChannelOp::create(b_, gpu::ChannelType::get(b_.getContext(), 1, {}, /*barriers=*/true)));
    gpu::ChannelOp ended;   // on which the others say so
    if (found_.mayEndEarly())
      ended = maps_.made(
          gpu::ChannelOp::create(b_, gpu::ChannelType::get(b_.getContext(), 1, {}, /*barriers=*/true)));
    stores_.find(groups_);
    const unsigned consumers = this->consumers();
    SmallVector<bool> alone(1 + consumers);
    alone.front() = true;
    OperationState state(kernel_.getLoc(), gpu::RolesOp::getOperationName());
    if (ended)
      state.addOperands(ended.getChannel());
    state.addAttribute("warps", b_.getDenseI32ArrayAttr(plan_.getWarps()));
    state.addAttribute("registers", b_.getDenseI32ArrayAttr(plan_.getRegisters()));
    state.addAttribute("alone", b_.getDenseBoolArrayAttr(alone));
    if (turns_)
      state.addAttribute("in_turn", b_.getUnitAttr());
    for (unsigned i = 0; i <= consumers; ++i)
      state.addRegion()->emplaceBlock();
    auto roles = cast<gpu::RolesOp>(b_.create(state));

    b_.setInsertionPointToEnd(&roles.getPrograms()[0].front());
    SmallVector<Value> first;
    for (CopiedGroup &group : groups_)
      first.push_back(gpu::CursorOp::create(b_, group.type().getCursor(), 0U));
    IRMapping map;
    Producer(found_, groups_, maps_, b_).produce(body, map, first);
    if (ended)   // the CTA may end before it has waited for them
      for (auto [group, cursor] : llvm::zip(groups_, first))
        gpu::AwaitCopiesOp::create(b_, group.channel, cursor);

    SmallVector<Operation *> multiplied;
    for (Operation &op : body.without_terminator())
      if (&op != roles && !found_.prefix().contains(&op) && !maps_.isMade(&op))
        multiplied.push_back(&op);
    for (unsigned consumer = 0; consumer < consumers; ++consumer)
      multiply(consumer, roles.getPrograms()[1 + consumer].front(), multiplied);
    for (Operation *op : llvm::reverse(multiplied))
      op->erase();
    // Descriptors that the launcher alone encodes, and their parts.
    for (Operation *op : llvm::reverse(found_.prefix()))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  // Says at the products what becomes of them.
  void remark() {
    for (CopiedGroup &group : groups_) {
      int64_t bytes = 0;
      for (ir::DescriptorLoadOp load : group.loads) {
        auto tile = cast<RankedTensorType>(load.getType());
        bytes += tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
      }
      const std::string ring = std::to_string(group.slots) + (group.slots == 1 ? " slot of " : " slots of ") +
                               std::to_string(bytes / 1024) + " KiB";
      if (!group.dots.empty() && group.dots.front()->getBlock() == group.block)
        group.dots.front().emitRemark()
            << (found_.isOfRegisters() ? "read from shared memory, and multiplied by mma.sync of "
                                       : "multiplied from shared memory by ")
            << ir::numWarps(kernel_)
            << (turns_ ? " and " + std::to_string(ir::numWarps(kernel_)) + " warps in ping-pong"
                       : std::string(" warps"))
            << "; another role copies the blocks ahead, into " << ring
            << (found_.isOfRegisters() ? whyRegisters() : computedIn(group.dots.front()));
      else
        group.loads.front().emitRemark("another role copies this block ahead, into ") << ring;
    }
  }

 private:
  static std::string computedIn(ir::DotOp dot) {
    if (!OperandSources::of(dot.getA()).isLoaded)
      return "; the first operand is computed, and multiplied from registers";
    if (!OperandSources::of(dot.getB()).isLoaded)
      return "; the second operand is computed, and put back into shared memory";
    return "";
  }

  // What else would multiply, out of shared memory.
  std::string whyRegisters() const {
    if (hasUnitOfShared(target_))
      return "; wgmma needs groups of four warps: num_warps = 4, 8 or 16";
    const std::string &unit = target_.description().unusedUnit;
    return unit.empty() ? "" : "; " + unit + " would be faster, and this compiler does not know it yet";
  }

  void describe(CopiedGroup &group) {
    SmallVector<Type> tiles;
    for (ir::DescriptorLoadOp load : group.loads) {
      b_.setLoc(load.getLoc());
      RankedTensorType tile = inSharedRows(cast<RankedTensorType>(load.getType()));
      tiles.push_back(tile);
      const unsigned ctas = ir::numCtas(kernel_);
      group.isShared.push_back(isForAllCtas(load) && gpu::boxesOf(tile, ctas));
      group.maps.push_back(maps_.mapOf(load.getDesc().getDefiningOp<ir::MakeDescriptorOp>(), tile,
                                       /*isWritten=*/false, group.isShared.back() ? ctas : 1));
    }
    group.channel = maps_.made(gpu::ChannelOp::create(
        b_, gpu::ChannelType::get(b_.getContext(), group.slots, tiles, /*barriers=*/true)));
  }

  unsigned consumers() const { return turns_ ? 2 : 1; }

  // The program of those who multiply, of copies of what the kernel did.
  void multiply(unsigned consumer, Block &program, ArrayRef<Operation *> given) {
    IRMapping copies;
    b_.setInsertionPointToEnd(&program);
    for (Operation *op : given)
      b_.clone(*op, copies);
    if (turns_)
      takeTurns(b_, cast<scf::ForOp>(copies.lookup(turns_.getOperation())), /*isFirst=*/consumer == 0);
    for (CopiedGroup &group : groups_)
      consume(b_, copyOf(group, copies), found_.isOfRegisters());
    if (turns_) {
      CopiedGroup &any = *llvm::find_if(groups_, [](CopiedGroup &group) { return !group.dots.empty(); });
      Operation *product = copies.lookup(any.dots.front().getOperation());
      const Turn turn = turnOf(product, cast<gpu::RolesOp>(program.getParentOp()), turns_);
      skipOthers(turn, copies);
      auto isOfProduct = [&](gpu::WaitOp wait) {
        return llvm::any_of(groups_, [&](CopiedGroup &group) {
          return !group.dots.empty() && wait.getChannel().getDefiningOp() == group.channel;
        });
      };
      multiplyInTurn(b_, turn, turn_, isOfProduct, /*isFirst=*/consumer == 0);
    }
    program.walk<WalkOrder::PostOrder, ReverseIterator>([](ir::MakeDescriptorOp tensor) {
      if (tensor.use_empty())   // the producer has made its map
        tensor.erase();
    });
    stores_.give(consumer, program, copies);
  }

  static CopiedGroup copyOf(const CopiedGroup &group, const IRMapping &copies) {
    CopiedGroup copy = group;
    auto copyOp = [&](auto &op) { op = cast<std::decay_t<decltype(op)>>(copies.lookup(op.getOperation())); };
    llvm::for_each(copy.dots, copyOp);
    llvm::for_each(copy.loads, copyOp);
    copy.block = copy.loads.front()->getBlock();
    return copy;
  }

  // The cursors go on through the iterations of the other consumer as the producer's do, but nothing is
  // copied.
  void skipOthers(const Turn &turn, const IRMapping &copies) {
    IRMapping map(copies);
    turn.mapLoops(turns_, map);
    Operation *yield = turn.branch().elseBlock()->getTerminator();
    b_.setInsertionPoint(yield);
    SmallVector<Value> cursors(yield->getOperands());
    Producer(found_, groups_, maps_, b_).skip(*turns_.getBody(), map, cursors);
    yield->setOperands(cursors);
  }

  // What no product needs is waited for when it is needed: the copies of the next products come before its
  // own.
  static void sinkToFirstUse(ir::DescriptorLoadOp load) {
    auto mayWrite = [](Operation *op) {
      auto effects = getEffectsRecursively(op);
      return !effects || !llvm::all_of(*effects, [](const MemoryEffects::EffectInstance &effect) {
        return isa<MemoryEffects::Read>(effect.getEffect());
      });
    };
    for (Operation *next = load->getNextNode(); next; next = next->getNextNode())
      if (mayWrite(next) ||
          llvm::any_of(load->getUsers(), [&](Operation *user) { return next->isAncestor(user); }))
        return load->moveBefore(next);
  }

  func::FuncOp kernel_;
  const Target &target_;
  gpu::PlanAttr plan_;
  const RolePartition &found_;
  scf::ForOp turns_;
  gpu::ChannelOp turn_;   // which of two consumers waits for slots
  ImplicitLocOpBuilder b_;
  DeviceMaps maps_;
  BoxStores stores_;
  SmallVector<CopiedGroup, 1> groups_;
};

struct SpecializeWarps : ir::impl::TileGpuSpecializeWarpsBase<SpecializeWarps> {
  using TileGpuSpecializeWarpsBase::TileGpuSpecializeWarpsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (kernel.isExternal())
      return;
    if (failed(checkTiles(kernel)))
      return signalPassFailure();
    auto plan = kernel->getAttrOfType<gpu::PlanAttr>(gpu::PlanName);
    // Of a name that is of no target tile-assign-layouts complains.
    std::optional<Target> found = Target::parse(target);
    if (!found || !plan)
      return;
    WhyNot whyNot;
    std::optional<RolePartition> roles = RolePartition::planned(kernel, *found, whyNot);
    if (!roles)
      return refuse(whyNot.at ? whyNot.at : kernel,
                    whyNot.at ? whyNot.reason
                              : "no load of a product fills a channel that this GPU can fill");
    for (int32_t warps : plan.getWarps().drop_front())
      if (warps != static_cast<int32_t>(ir::numWarps(kernel)))
        return refuse(kernel, "each role that multiplies must have the kernel's tile.num_warps");
    scf::ForOp turns;
    if (plan.getInTurn()) {
      kernel.walk([&](scf::ForOp loop) { turns = loop->hasAttr(gpu::InTurnName) ? loop : turns; });
      if (!turns || loopOfTurns(kernel, *roles) != turns)
        return refuse(turns ? turns : kernel,
                      "in_turn needs a loop that is marked tile_gpu.in_turn: the innermost one around all "
                      "products whose iterations are independent and carry no values");
    }
    for (const LoadGroup &group : roles->loadGroups())
      if (turns && !isKnownInTurn(group, *roles, turns))
        return refuse(ir::DescriptorLoadOp(group.loads.front()),
                      "in ping-pong, a block that no product needs must be loaded right in the loop that is "
                      "marked tile_gpu.in_turn, into 2 slots, or where the products are");
    Specialization specialization(kernel, *found, plan, *roles, turns);
    if (remarks)
      specialization.remark();
    specialization.run();
    kernel->removeAttr(gpu::PlanName);
  }

 private:
  static bool isKnownInTurn(const LoadGroup &group, const RolePartition &roles, scf::ForOp turns) {
    const SlotsInTurn needed = slotsInTurn(group, roles, turns);
    return needed == SlotsInTurn::any || (needed == SlotsInTurn::two && group.slots == 2);
  }
  void refuse(Operation *at, StringRef reason) {
    at->emitError("the plan of this kernel cannot be followed: ") << reason;
    signalPassFailure();
  }
};

}   // namespace
}   // namespace tile
