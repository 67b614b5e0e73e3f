// SPDX-License-Identifier: MIT
// `tile-assign-layouts`: gives every tile of a kernel a layout.
//
// Values that should lie alike form a class: the operands and results of elementwise ops, what a
// loop carries, a load's pointers and its mask. A class gets its layout from its strongest member:
// a product's accumulator from the matrix unit, a memory access from the axis facts of its
// pointers; the others follow from a neighbour through the op between them (the operand of an
// expand_dims lies as a slice of its result), or are row-major. Where an op's operand still lies
// otherwise than the op needs, a conversion goes in between.
//
// Constants, ranges, splats and what little arithmetic makes offsets and masks of them are made anew for each
// use: they cost less than moving them, and would otherwise tie unrelated classes together. In
//
//    k = arange(0, 64) + start;  load(a + i[:, none] * K + k[none, :], k[none, :] < K)
//                                load(b + k[:, none] * N + j[none, :], k[:, none] < K)
//
// k and its masks are computed once as columns of a and once as rows of b.
//
// A vector that a loop loads, of which no thread gets two elements, lies as those who use it want it, if that
// is a few registers of a thread. In
//
//    for k { sum += dot(a, b) * load(scales + k * M + i)[:, none] }
//
// each thread loads the scales of its own rows. To load each scale once and to move it would make all threads
// wait for each other in every iteration.
//
// A tile may be loaded along one axis and stored along the other one, to transpose it. The access that moves
// fewer bytes at once is then not tied to the tile: a conversion costs less than elements one by one.
#include "compiler/analysis/axis_analysis.h"
#include "compiler/analysis/kernel_form.h"
#include "compiler/analysis/layout_choice.h"
#include "compiler/analysis/layout_movement.h"
#include "compiler/analysis/matrix_products.h"
#include "compiler/analysis/shared_products.h"
#include "compiler/layout/first_columns.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile/dialect.h"
#include "dialects/tile/launch_attributes.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <deque>

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEASSIGNLAYOUTS
#include "compiler/transforms/passes.h.inc"
}   // namespace tile::ir

namespace tile {
namespace {

using layout::TileLayout;

// What lies in registers; a view of shared memory has its layout already.
bool isTile(Value v) {
  gpu::LayoutAttr layout = gpu::getLayoutAttr(v.getType());
  return isa<RankedTensorType>(v.getType()) && !(layout && layout.getLayout().isShared());
}
layout::Shape shapeOf(Value v) { return ir::getShape(v.getType()).vec(); }

constexpr unsigned MostRemade = 16;   // operations that are made anew for one use

// How many operations it takes to make the tile anew from scalars; more than MostRemade where that is not
// worth while.
unsigned costOf(Value tile, llvm::DenseMap<Operation *, unsigned> &known) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return MostRemade + 1;
  if (isa<arith::ConstantOp, ir::SplatOp, ir::ArangeOp>(op))
    return 1;
  auto it = known.find(op);
  if (it != known.end())
    return it->second;
  unsigned cost = MostRemade + 1;
  if (op->getNumResults() == 1 && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
      (isa<ir::AddPtrOp, ir::AssumeOp, ir::ExpandDimsOp, ir::BroadcastOp>(op) ||
       (isa<arith::ArithDialect>(op->getDialect()) && op->hasTrait<OpTrait::Elementwise>() &&
        ir::getElementType(op->getOperand(0).getType()).isIntOrIndex()))) {
    cost = 1;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        cost = std::min(MostRemade + 1, cost + costOf(operand, known));
  }
  return known[op] = cost;
}

// Of a program that so many warps run: a kernel, or one of its roles.
class Assignment {
 public:
  Assignment(Region &program, const Target &target, unsigned warps, bool remarks)
      : program_(program), target_(target), warps_(warps), remarks_(remarks) {}

  void run() {
    duplicateCheapSources();
    AxisAnalysis facts(program_.getParentOfType<func::FuncOp>());
    unite();
    anchorProducts(facts);
    collectAccesses(facts);
    joinMemoryOps();
    anchorMemoryOps();
    propagate();
    rewrite();
  }

 private:
  void duplicateCheapSources() {
    SmallVector<Operation *> sources;
    llvm::DenseMap<Operation *, unsigned> known;
    program_.walk([&](Operation *op) {
      if (op->getNumResults() == 1 && isTile(op->getResult(0)) && !op->use_empty() &&
          costOf(op->getResult(0), known) <= MostRemade)
        sources.push_back(op);
    });
    // Users before what they use: the copies of a sum want copies of its terms.
    for (Operation *op : llvm::reverse(sources))
      for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(op->getResult(0).getUses()))) {
        OpBuilder b(op);
        use.set(b.clone(*op)->getResult(0));
      }
  }

  // ------------------------------------------------------------------------------ classes

  void together(Value a, Value b) {
    if (isTile(a) && isTile(b))
      classes_.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }
  void together(ValueRange values) {
    Value first;
    for (Value v : values)
      if (isTile(v)) {
        if (first)
          together(first, v);
        else
          first = v;
      }
  }
  const void *classOf(Value v) { return classes_.getLeaderValue(v.getAsOpaquePointer()); }

  void unite() {
    insertArguments(program_);   // of a function that is no kernel
    program_.walk([&](Operation *op) {
      for (Value v : op->getResults())
        if (isTile(v))
          insert(v);
      for (Region &region : op->getRegions())
        insertArguments(region);
    });
    program_.walk([&](Operation *op) {
      TypeSwitch<Operation *>(op)
          .Case<scf::ForOp>([&](scf::ForOp loop) {
            for (auto [init, argument, yielded, result] :
                 llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(),
                           loop.getResults()))
              together({init, argument, yielded, result});
          })
          .Case<scf::IfOp>([&](scf::IfOp branch) {
            for (auto [i, result] : llvm::enumerate(branch.getResults()))
              together({result, branch.thenYield().getOperand(i), branch.elseYield().getOperand(i)});
          })
          .Case<scf::WhileOp>([&](scf::WhileOp loop) {
            for (auto [init, before, yielded] :
                 llvm::zip(loop.getInits(), loop.getBeforeArguments(), loop.getYieldOp().getOperands()))
              together({init, before, yielded});
            for (auto [passed, after, result] :
                 llvm::zip(loop.getConditionOp().getArgs(), loop.getAfterArguments(), loop.getResults()))
              together({passed, after, result});
          })
          .Case<ir::LoadOp>([&](ir::LoadOp load) { together(load.getOperands()); })
          .Case<ir::StoreOp>([&](ir::StoreOp store) {
            if (store.getMask())
              together(store.getPtr(), store.getMask());
            if (store->hasAttr(ir::StoredInPlaceName))
              together(store.getPtr(), store.getValue());
          })
          .Case<ir::AtomicRmwOp, ir::AtomicCasOp>([&](Operation *atomic) {
            together(atomic->getOperands());
            together(atomic->getOperand(0), atomic->getResult(0));
          })
          .Case<ir::AssertOp>([&](ir::AssertOp check) { together(check.getOperands()); })
          .Case<ir::JoinOp>([&](ir::JoinOp join) { together(join.getLhs(), join.getRhs()); })
          .Case<ir::SplitOp>([&](ir::SplitOp split) { together(split.getLhs(), split.getRhs()); })
          .Case<ir::GatherOp>([&](ir::GatherOp gather) { together(gather.getIndex(), gather.getResult()); })
          .Case<ir::HistogramOp>([&](ir::HistogramOp count) { together(count.getOperands()); })
          .Case<ir::DotOp>([&](ir::DotOp dot) { together(dot.getAcc(), dot.getResult()); })
          .Case<ir::ReduceOp>([&](ir::ReduceOp reduce) {
            together(reduce.getValues());
            together(reduce.getResults());
          })
          .Case<ir::ScanOp>([&](ir::ScanOp scan) {
            together(scan.getValues());
            together(scan.getResults());
            together(scan.getValues().front(), scan.getResults().front());
          })
          .Default([&](Operation *other) {
            if (ir::isElementwise(other)) {
              together(other->getOperands());
              together(other->getResults());
              for (Value operand : other->getOperands())
                if (isTile(operand) && other->getNumResults())
                  together(operand, other->getResult(0));
            }
          });
    });
  }

  void insertArguments(Region &region) {
    for (Block &block : region)
      for (Value v : block.getArguments())
        if (isTile(v))
          insert(v);
  }
  void insert(Value v) {
    classes_.insert(v.getAsOpaquePointer());
    values_.push_back(v);
  }

  // ------------------------------------------------------------------------------ anchors

  // Where products of several kinds add to the same sums, these lie as those of shared memory have them,
  // which may be on their way and cannot be moved; the others convert them.
  void anchorProducts(const AxisAnalysis &facts) {
    SmallVector<std::pair<ir::DotOp, ProductLayouts>, 1> ofRegisters, ofShared;
    program_.walk([&](ir::DotOp dot) {
      if (std::optional<ProductLayouts> shared = sharedLayoutsOf(dot, target_, warps_, facts))
        ofShared.emplace_back(dot, std::move(*shared));
      else if (std::optional<ProductLayouts> layouts = layoutsOf(dot, target_, warps_))
        (readsSharedMemory(dot) ? ofShared : ofRegisters).emplace_back(dot, std::move(*layouts));
    });
    for (auto *products : {&ofRegisters, &ofShared})
      for (auto &[dot, layouts] : *products) {
        layouts_[classOf(dot.getResult())] = layouts.sums;
        products_.insert(classOf(dot.getResult()));
        ofProducts_.try_emplace(dot, std::move(layouts));
      }
    for (auto &[dot, layouts] : ofShared)
      anchorReads(dot);
    for (auto &[dot, layouts] : ofRegisters)
      anchorReadsOfRegisters(dot);
  }

  // What is read from slots and multiplied by warps themselves is read as their unit takes it.
  void anchorReadsOfRegisters(ir::DotOp dot) {
    const ProductLayouts &layouts = ofProducts_.at(dot);
    if (layouts.a && isReadFromSlot(dot.getA()))
      anchor(dot.getA(), *layouts.a);
    if (layouts.b && isReadFromSlot(dot.getB()))
      anchor(dot.getB(), *layouts.b);
  }

  // What is read from a slot and multiplied out of registers is read as the unit takes it. So is what the
  // unit multiplies in the slot and something else reads: its rows then lie as those of the sums do.
  void anchorReads(ir::DotOp dot) {
    Value a = dot.getA(), b = dot.getB();
    const std::optional<TileLayout> &rows = ofProducts_.at(dot).a;
    auto view = a.getDefiningOp<gpu::ViewOp>();
    // What goes back to shared memory is written by 16 bytes, of whatever narrower elements it is made.
    if (isTile(b) && isReadFromSlot(b) && !b.getDefiningOp<ir::PermuteOp>())
      anchor(b, alongRows(b));
    if (!rows || rows->isShared())
      return;
    if (isTile(a) && isReadFromSlot(a))
      anchor(a, *rows);
    if (view)
      for (Operation *user : view->getUsers())
        if (auto read = dyn_cast<gpu::ReadOp>(user))
          anchor(read.getResult(), *rows);
  }
  void anchor(Value tile, const TileLayout &layout) { layouts_.try_emplace(classOf(tile), layout); }

  // An access to global memory with a tile of pointers.
  struct Access {
    Operation *op;
    Value pointers, value;   // what is loaded or stored; none: of an atomic operation
    unsigned bits;           // of an element
    AxisFacts facts;         // of the pointers
    unsigned axis = 0;       // with the longest run

    std::int64_t run() const { return facts.axes[axis].contiguity; }
    // What it gains from a layout along that axis.
    std::int64_t weight() const { return bits * std::min<std::int64_t>(run(), 128); }
  };
  // The one that gains most comes first.
  void collectAccesses(const AxisAnalysis &facts) {
    program_.walk([&](Operation *op) {
      if (!isa<ir::LoadOp, ir::StoreOp, ir::AtomicRmwOp, ir::AtomicCasOp>(op) || !isTile(op->getOperand(0)))
        return;
      Access access{.op = op, .pointers = op->getOperand(0)};
      if (auto load = dyn_cast<ir::LoadOp>(op))
        access.value = load.getResult();
      else if (auto store = dyn_cast<ir::StoreOp>(op))
        access.value = store.getValue();
      Type pointee = ir::getElementType(ir::getPointeeType(access.pointers.getType()));
      access.bits = pointee.isIntOrFloat() ? pointee.getIntOrFloatBitWidth() : 64;
      access.facts = facts.of(access.pointers);
      for (auto [axis, fact] : llvm::enumerate(access.facts.axes))
        if (fact.contiguity >= access.run())
          access.axis = axis;
      accesses_.push_back(std::move(access));
    });
    llvm::stable_sort(accesses_, [](const Access &a, const Access &b) { return a.weight() > b.weight(); });
  }

  // What is loaded or stored lies as its pointers do, unless a product already says where it lies: then
  // moving it once is cheaper than narrow accesses.
  // So is it for sums that a loop may carry: where they lie follows from what is reduced. And for what
  // another access, which gains more, has lie along an axis where this one finds single elements.
  void joinMemoryOps() {
    llvm::DenseSet<const void *> sums;
    program_.walk([&](ir::ReduceOp reduce) {
      for (Value result : reduce.getResults())
        if (isTile(result))
          sums.insert(classOf(result));
    });
    llvm::DenseMap<const void *, unsigned> axes;   // of classes that accesses have joined
    for (const Access &access : accesses_) {
      if (!access.value || !isTile(access.value) ||
          (isa<ir::StoreOp>(access.op) && sums.contains(classOf(access.value))))
        continue;
      const void *pointers = classOf(access.pointers), *value = classOf(access.value);
      if (products_.contains(pointers) || products_.contains(value))
        continue;
      const auto other = axes.find(value);
      const bool isAcross = other != axes.end() && other->second != access.axis && pointers != value &&
                            access.run() * access.bits / 8 >= SmallestRun &&
                            access.facts.axes[other->second].contiguity == 1;
      if (isAcross)
        continue;
      const unsigned axis = other != axes.end() ? other->second : access.axis;
      together(access.pointers, access.value);
      axes[classOf(access.value)] = axis;
    }
  }
  static constexpr std::int64_t SmallestRun = 16;   // bytes: shorter ones are not worth a trip through memory

  // Operands of products go through shared memory, where a word is written at once: neighbours of 16 bits are
  // the same thread's, even where each of them has to be loaded by itself.
  static constexpr std::int64_t SharedWord = 4;
  static bool isMultiplied(ir::LoadOp load) {
    Operation *op = load;
    while (op->getNumResults() == 1 && op->hasOneUse()) {
      op = *op->user_begin();
      if (isa<ir::DotOp>(op))
        return ir::pointeeBytes(load.getPtr().getType()) == 2;
      if (!ir::isElementwise(op) && !isa<ir::PermuteOp>(op))
        return false;
    }
    return false;
  }

  void anchorMemoryOps() {
    llvm::DenseSet<const void *> decided;
    for (const Access &access : accesses_) {
      const void *owner = classOf(access.pointers);
      if (products_.contains(owner) || !decided.insert(owner).second)
        continue;
      AxisFacts facts = access.facts;
      if (auto load = dyn_cast<ir::LoadOp>(access.op); load && isMultiplied(load))
        for (AxisFact &fact : facts.axes)
          fact.divisibility = std::max(fact.divisibility, SharedWord);
      TileLayout coalesced = coalescedLayout(shapeOf(access.pointers), facts, access.bits, warps_);
      (followsItsUser(access) ? short_ : layouts_)[owner] = std::move(coalesced);
    }
  }

  // Whether the vector is loaded in a loop, no thread has two of its elements, and it becomes rows or columns
  // of a larger tile. Nothing is stored or exchanged that lies as it does.
  bool followsItsUser(const Access &access) {
    auto type = cast<RankedTensorType>(access.pointers.getType());
    if (type.getRank() != 1 || type.getNumElements() > 32 * warps_ ||
        !access.op->getParentOfType<scf::ForOp>())
      return false;
    const void *owner = classOf(access.pointers);
    const bool isLoaded = llvm::all_of(accesses_, [&](const Access &other) {
      return classOf(other.pointers) != owner || isa<ir::LoadOp>(other.op);
    });
    return isLoaded && llvm::any_of(values_, [&](Value v) {
             return classOf(v) == owner &&
                    llvm::any_of(v.getUsers(), [](Operation *user) { return isa<ir::ExpandDimsOp>(user); });
           });
  }
  static constexpr std::int64_t MostOfShort = 4;   // registers of a thread

  // -------------------------------------------------------------------------- propagation

  const TileLayout *find(Value v) {
    auto it = layouts_.find(classOf(v));
    return it == layouts_.end() ? nullptr : &it->second;
  }

  // What the op asks of operand `i` once it knows where its result lies, for ops that change shapes.
  std::optional<TileLayout> operandFrom(Operation *op, const TileLayout &result) {
    return TypeSwitch<Operation *, std::optional<TileLayout>>(op)
        .Case<ir::ExpandDimsOp>(
            [&](ir::ExpandDimsOp expand) { return layout::slice(result, expand.getAxis()); })
        .Case<ir::BroadcastOp>(
            [&](ir::BroadcastOp b) { return broadcastOperand(result, shapeOf(b.getValue())); })
        .Case<ir::PermuteOp>([&](ir::PermuteOp permute) {
          return permuteOperand(result, {permute.getOrder().begin(), permute.getOrder().end()});
        })
        .Case<ir::ReshapeOp>(
            [&](ir::ReshapeOp reshape) { return reshapeLayout(result, shapeOf(reshape.getValue())); })
        .Case<ir::SplitOp>([&](ir::SplitOp) { return joinLayout(result); })
        .Case<ir::JoinOp>([&](ir::JoinOp) { return halvesOf(result); })
        .Default([](Operation *) { return std::nullopt; });
  }
  // What follows for the result from where the operand lies.
  std::optional<TileLayout> resultFrom(Operation *op, const TileLayout &operand) {
    if (auto reduce = dyn_cast<ir::ReduceOp>(op); reduce && isTile(reduce.getResult(0)))
      return layout::slice(operand, reduce.getAxis());
    if (auto permute = dyn_cast<ir::PermuteOp>(op))
      return permuteResult(operand, {permute.getOrder().begin(), permute.getOrder().end()});
    if (auto reshape = dyn_cast<ir::ReshapeOp>(op))
      return reshapeLayout(operand, shapeOf(reshape.getResult()));
    if (isa<ir::JoinOp>(op))
      return joinLayout(operand);
    if (isa<ir::SplitOp>(op))
      return halvesOf(operand);
    return std::nullopt;
  }
  // What pairs of neighbouring registers lie as; none where threads share pairs, for the halves would then be
  // held twice.
  static std::optional<TileLayout> halvesOf(const TileLayout &pairs) {
    TileLayout halves = layout::slice(pairs, pairs.rank() - 1);
    if (joinLayout(halves).places() != pairs.places())
      return std::nullopt;
    return halves;
  }

  void propagate() {
    SmallVector<Operation *> links;
    program_.walk([&](Operation *op) {
      if (isa<ir::ExpandDimsOp, ir::BroadcastOp, ir::PermuteOp, ir::ReduceOp, ir::ReshapeOp, ir::JoinOp,
              ir::SplitOp>(op))
        links.push_back(op);
    });
    for (;;) {
      bool changed = false;
      for (Operation *op : links) {
        Value operand = op->getOperand(0), result = op->getResult(0);
        if (!isTile(operand))   // a join of scalars
          continue;
        const TileLayout *to = isTile(result) ? find(result) : nullptr, *from = find(operand);
        if (to && !from) {
          if (auto wanted = operandFrom(op, *to)) {
            auto coalesced = short_.find(classOf(operand));
            layouts_[classOf(operand)] =
                coalesced != short_.end() && wanted->places() > MostOfShort ? coalesced->second : *wanted;
            changed = true;
          }
        } else if (from && !to && isTile(result)) {
          if (auto follows = resultFrom(op, *from)) {
            layouts_[classOf(result)] = *follows;
            changed = true;
          }
        }
      }
      if (changed)
        continue;
      // Nobody decides the rest: what is read from slots first, then the largest tile, so that smaller ones
      // can follow it.
      Value largest;
      auto rank = [](Value v) {
        return std::pair(v.getDefiningOp<gpu::ReadOp>() != nullptr,
                         cast<RankedTensorType>(v.getType()).getNumElements());
      };
      for (Value v : values_)
        if (!find(v) && (!largest || rank(v) > rank(largest)))
          largest = v;
      if (!largest)
        return;
      auto coalesced = short_.find(classOf(largest));
      layouts_[classOf(largest)] = coalesced != short_.end() ? coalesced->second
                                   : largest.getDefiningOp<gpu::ReadOp>()
                                       ? alongRows(largest)
                                       : defaultLayout(shapeOf(largest), warps_);
    }
  }

  // As memory would be loaded where rows of 16 bytes and more lie in it.
  TileLayout alongRows(Value tile) const {
    layout::Shape shape = shapeOf(tile);
    AxisFacts rows = AxisFacts::unknown(shape.size());
    rows.axes.back().contiguity = shape.back();
    rows.axes.back().divisibility = SmallestRun;
    return coalescedLayout(shape, rows, ir::getElementType(tile.getType()).getIntOrFloatBitWidth(), warps_);
  }

  // ------------------------------------------------------------------------------ rewrite

  gpu::LayoutAttr attribute(const TileLayout &l) { return gpu::LayoutAttr::get(program_.getContext(), l); }

  void rewrite() {
    for (Value v : values_) {
      auto type = cast<RankedTensorType>(v.getType());
      v.setType(gpu::withLayout(type, attribute(*find(v))));
      // The value of a constant carries its type.
      if (auto constant = v.getDefiningOp<arith::ConstantOp>()) {
        auto elements = cast<DenseElementsAttr>(constant.getValue());
        auto laidOut = cast<RankedTensorType>(v.getType());
        constant.setValueAttr(elements.isSplat()
                                  ? elements.resizeSplat(laidOut)
                                  : DenseElementsAttr::getFromRawBuffer(laidOut, elements.getRawData()));
      }
    }
    SmallVector<Operation *> ops;
    program_.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      reconcile(op);
  }

  void convertOperand(OpOperand &operand, const TileLayout &wanted) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    RankedTensorType laidOut = gpu::withLayout(type, attribute(wanted));
    if (type == laidOut)
      return;
    OpBuilder b(operand.getOwner());
    operand.set(gpu::ConvertLayoutOp::create(b, operand.getOwner()->getLoc(), laidOut, operand.get()));
  }
  // The op gives its result as it can; what the class expects comes out of a conversion behind it.
  void convertResult(OpResult result, const TileLayout &given) {
    auto expected = cast<RankedTensorType>(result.getType());
    RankedTensorType laidOut = gpu::withLayout(expected, attribute(given));
    if (expected == laidOut)
      return;
    result.setType(laidOut);
    OpBuilder b(result.getOwner());
    b.setInsertionPointAfter(result.getOwner());
    auto converted = gpu::ConvertLayoutOp::create(b, result.getOwner()->getLoc(), expected, result);
    result.replaceAllUsesExcept(converted, converted);
  }

  TileLayout layoutOf(Value v) { return gpu::getLayoutAttr(v.getType()).getLayout(); }

  void reconcile(Operation *op) {
    if (auto load = dyn_cast<ir::LoadOp>(op); load && isTile(load.getPtr())) {
      convertResult(cast<OpResult>(load.getResult()), layoutOf(load.getPtr()));
    } else if (auto store = dyn_cast<ir::StoreOp>(op); store && isTile(store.getPtr())) {
      convertOperand(store.getValueMutable(), layoutOf(store.getPtr()));
    } else if (auto box = dyn_cast<gpu::StoreBoxOp>(op)) {
      convertStoredBox(box);
    } else if (auto dot = dyn_cast<ir::DotOp>(op)) {
      const bool wasInShared = readsSharedMemory(dot);
      convertProductOperands(dot);
      if (remarks_ && !wasInShared && readsSharedMemory(dot) && !dot->getParentOfType<gpu::RolesOp>())
        dot.emitRemark("multiplied from shared memory; all warps copy ")
            << (isInShared(dot.getA()) ? "both operands there" : "the second operand there");
    } else if (auto reduce = dyn_cast<ir::ReduceOp>(op)) {
      if (isTile(reduce.getResult(0)))
        for (OpResult result : reduce.getResults())
          convertResult(result, layout::slice(layoutOf(reduce.getValues().front()), reduce.getAxis()));
    } else if (isa<ir::ExpandDimsOp, ir::BroadcastOp, ir::PermuteOp>(op) && isTile(op->getOperand(0))) {
      convertOperand(op->getOpOperand(0), *operandFrom(op, layoutOf(op->getResult(0))));
    }
  }

  // Sums lie so that threads can write some columns at a time. Where no product is left, because its loop has
  // no iterations, the tile is converted to what would be sums.
  void convertStoredBox(gpu::StoreBoxOp store) {
    const gpu::ChannelType channel = store.getChannel().getType();
    const auto first = layout::FirstColumns::of(layoutOf(store.getValue()), channel.getTile(0).getDimSize(1));
    if (first && channel.getSlots() % first->groups == 0)
      return;
    constexpr unsigned rowsOfFragment = 16;
    const layout::Shape shape = shapeOf(store.getValue());
    const WarpGrid grid = warpsOverRows(shape[0], rowsOfFragment, warps_);
    convertOperand(store.getValueMutable(), layout::mmaAccumulator(shape, grid.m, grid.n));
  }

  // What the matrix unit reads, in registers or in shared memory, and the sums where they lie otherwise;
  // products it has no form for read plain tiles.
  void convertProductOperands(ir::DotOp dot) {
    auto layouts = ofProducts_.find(dot);
    if (layouts == ofProducts_.end() || !(layouts->second.a || layouts->second.b))
      return;
    convertOperand(dot.getAccMutable(), layouts->second.sums);
    convertResult(cast<OpResult>(dot.getResult()), layouts->second.sums);
    if (layouts->second.a && !isInShared(dot.getA()))
      convertOperand(dot.getAMutable(), *layouts->second.a);
    if (layouts->second.b)
      convertOperand(dot.getBMutable(), *layouts->second.b);
  }

  Region &program_;
  Target target_;
  unsigned warps_;
  bool remarks_;   // whether to say what is chosen
  llvm::EquivalenceClasses<const void *> classes_;
  SmallVector<Value> values_;
  SmallVector<Access, 8> accesses_;
  llvm::DenseMap<const void *, TileLayout> layouts_;   // by class
  llvm::DenseMap<const void *, TileLayout> short_;     // coalesced, of classes that follow their users
  llvm::DenseSet<const void *> products_;              // classes that hold an accumulator
  llvm::DenseMap<Operation *, ProductLayouts> ofProducts_;
};

// A tile in registers is of the warps that run a role, which no others share.
LogicalResult checkOwnTiles(Region &program) {
  return failure(program
                     .walk([&](Operation *op) -> WalkResult {
                       for (Value operand : op->getOperands())
                         if (isTile(operand) && !program.isAncestor(operand.getParentRegion()))
                           return op->emitOpError(
                               "uses a tile from outside of its role; make it in the role");
                       return success();
                     })
                     .wasInterrupted());
}

struct AssignLayouts : ir::impl::TileAssignLayoutsBase<AssignLayouts> {
  using TileAssignLayoutsBase::TileAssignLayoutsBase;

  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    std::optional<Target> found = Target::parse(target);
    if (!found) {
      kernel.emitError("unknown target '")
          << target << "'; known: " << llvm::join(Target::knownTargets(), ", ");
      return signalPassFailure();
    }
    if (kernel.isExternal())
      return;
    if (failed(checkTiles(kernel)))
      return signalPassFailure();
    kernel->setAttr("tile_gpu.target", StringAttr::get(&getContext(), found->name()));
    bool hasRoles = false;
    WalkResult walked = kernel.walk([&](gpu::RolesOp roles) -> WalkResult {
      hasRoles = true;
      for (Region &program : roles.getPrograms())
        if (failed(checkOwnTiles(program)))
          return failure();
      for (auto [program, warps] : llvm::zip(roles.getPrograms(), roles.getWarps()))
        Assignment(program, *found, static_cast<unsigned>(warps), remarks).run();
      return success();
    });
    if (walked.wasInterrupted())
      return signalPassFailure();
    if (!hasRoles)   // else there are scalars alone in front of them
      Assignment(kernel.getBody(), *found, ir::numWarps(kernel), remarks).run();
  }
};

}   // namespace
}   // namespace tile
