// SPDX-License-Identifier: MIT
#include "compiler/lowering/simulator/pointer_checks.h"

#include "runtime/host/pointers.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tile::gpu {
namespace {

class Widening {
 public:
  explicit Widening(ImplicitLocOpBuilder &b) : b_(b) {}

  // The value computed in `type`, which is twice as wide; null where that is the extended value.
  Value of(Value narrow, bool isSigned, Type type) {
    unsigned key = isSigned ? 1 : 0;
    if (auto found = known_.find({narrow, key}); found != known_.end())
      return found->second;
    if (auto argument = dyn_cast<BlockArgument>(narrow))
      return ofArgument(argument, isSigned, type);
    return known_[{narrow, key}] = ofResult(narrow.getDefiningOp(), isSigned, type);
  }
  // What blocks are given where their arguments have become wide ones, in the order of those, of which a
  // block may have several.
  void finish() {
    for (size_t i = 0; i < open_.size(); ++i) {   // there may come more
      const Open next = open_[i];
      for (Block *from : llvm::to_vector(next.argument.getOwner()->getPredecessors())) {
        auto branch = cast<BranchOpInterface>(from->getTerminator());
        for (unsigned i = 0; i < branch->getNumSuccessors(); ++i)
          if (branch->getSuccessor(i) == next.argument.getOwner()) {
            Value given = branch.getSuccessorOperands(i)[next.narrow];
            Value wide = of(given, next.isSigned, next.argument.getType());
            b_.setLoc(branch->getLoc());
            if (!wide) {
              b_.setInsertionPoint(branch);
              wide = extended(given, next.isSigned, next.argument.getType());
            }
            branch.getSuccessorOperands(i).append(wide);
          }
      }
    }
  }
  Value extended(Value narrow, bool isSigned, Type type) {
    // A negative constant is one that is taken away.
    bool isConstant = narrow.getDefiningOp<LLVM::ConstantOp>() != nullptr;
    return isSigned || isConstant ? Value(LLVM::SExtOp::create(b_, type, narrow))
                                  : Value(LLVM::ZExtOp::create(b_, type, narrow));
  }

 private:
  struct Open {
    BlockArgument argument;
    unsigned narrow;
    bool isSigned;
  };

  // Where a value could only overflow in another iteration of a loop, the loop carries it in both widths.
  Value ofArgument(BlockArgument argument, bool isSigned, Type type) {
    Value &wide = known_[{argument, isSigned ? 1 : 0}];
    Block *block = argument.getOwner();
    auto isPlain = [](Block *from) { return isa<LLVM::BrOp, LLVM::CondBrOp>(from->getTerminator()); };
    if (block->isEntryBlock() || !llvm::all_of(block->getPredecessors(), isPlain) || !mayOverflow(argument))
      return wide;
    BlockArgument added = block->addArgument(type, argument.getLoc());
    wide = added;
    open_.push_back({added, argument.getArgNumber(), isSigned});
    return added;
  }

  bool mayOverflow(Value value) { return arithmeticOf(value) != nullptr; }

 public:
  // The nearest arithmetic on one of the ways to the value; null if there is no arithmetic on any way.
  static Operation *arithmeticOf(Value value) {
    llvm::SmallDenseSet<Value> seen;
    SmallVector<Value> work{value};
    while (!work.empty()) {
      Value next = work.pop_back_val();
      if (!seen.insert(next).second)
        continue;
      if (auto argument = dyn_cast<BlockArgument>(next)) {
        Block *block = argument.getOwner();
        if (block->isEntryBlock())
          continue;
        for (Block *from : block->getPredecessors()) {
          auto branch = dyn_cast<BranchOpInterface>(from->getTerminator());
          for (unsigned i = 0; branch && i < branch->getNumSuccessors(); ++i)
            if (branch->getSuccessor(i) == block)
              if (Value given = branch.getSuccessorOperands(i)[argument.getArgNumber()])
                work.push_back(given);
        }
      } else if (isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::ShlOp>(next.getDefiningOp())) {
        return next.getDefiningOp();
      } else if (isa<LLVM::SelectOp, LLVM::SMaxOp, LLVM::SMinOp>(next.getDefiningOp())) {
        llvm::append_range(work, next.getDefiningOp()->getOperands());
      }
    }
    return nullptr;
  }

 private:
  Value ofResult(Operation *op, bool isSigned, Type type) {
    // Of the operands, each computed in `type` too.
    auto operand = [&](unsigned i) {
      Value given = op->getOperand(i), wide = of(given, isSigned, type);
      b_.setLoc(op->getLoc());
      b_.setInsertionPointAfter(op);
      return wide ? wide : extended(given, isSigned, type);
    };
    auto computed = [&]<class Op>(Op) -> Value {
      Value a = operand(0), b = operand(1);
      placeBehind(op, {a, b});
      return Op::create(b_, a, b);
    };
    return llvm::TypeSwitch<Operation *, Value>(op)
        .Case<LLVM::AddOp, LLVM::SubOp>(
            [&](auto sum) -> Value { return hasWrappedConstant(sum) ? Value() : computed(sum); })
        .Case<LLVM::MulOp>(computed)
        .Case([&](LLVM::ShlOp) -> Value {
          if (!op->getOperand(1).getDefiningOp<LLVM::ConstantOp>())
            return {};
          Value a = operand(0), by = LLVM::ZExtOp::create(b_, type, op->getOperand(1));
          placeBehind(op, {a, by});
          return LLVM::ShlOp::create(b_, a, by);
        })
        .Case<LLVM::SMaxOp, LLVM::SMinOp>([&](auto choice) -> Value {
          if (!isSigned || (!of(op->getOperand(0), isSigned, type) && !of(op->getOperand(1), isSigned, type)))
            return {};
          return computed(choice);
        })
        .Case([&](LLVM::SelectOp select) -> Value {
          if (!of(op->getOperand(1), isSigned, type) && !of(op->getOperand(2), isSigned, type))
            return {};
          Value a = operand(1), b = operand(2);
          placeBehind(op, {a, b});
          return LLVM::SelectOp::create(b_, select.getCondition(), a, b);
        })
        .Case<LLVM::SExtOp, LLVM::ZExtOp>([&](auto extension) -> Value {
          Value inner = extension.getArg();
          bool isSign = isa<LLVM::SExtOp>(op);
          unsigned width = inner.getType().getIntOrFloatBitWidth();
          Value wide = width == 32 ? of(inner, isSign, b_.getI64Type()) : Value();
          if (!wide)
            return {};
          placeBehind(op, {wide});
          return LLVM::SExtOp::create(b_, type, wide);
        })
        .Default([](Operation *) { return Value(); });
  }
  // Whether an operand is a constant at an end of 32 bits. It may be the sum of two constants, which the
  // compiler has added modulo 2^32: 5 - (i - 2147483645) has become -2147483646 - i, which is 5 for i =
  // 2147483645.
  static bool hasWrappedConstant(Operation *sum) {
    return llvm::any_of(sum->getOperands(), [](Value operand) {
      APInt number;
      return operand.getType().isInteger(32) && matchPattern(operand, m_ConstantInt(&number)) &&
             !number.isSignedIntN(31);
    });
  }
  // Behind the operation, and behind what was made of its operands there.
  void placeBehind(Operation *op, ArrayRef<Value> operands) {
    Operation *last = op;
    for (Value value : operands)
      if (Operation *made = value.getDefiningOp();
          made && made->getBlock() == op->getBlock() && last->isBeforeInBlock(made))
        last = made;
    b_.setLoc(op->getLoc());
    b_.setInsertionPointAfter(last);
  }

  ImplicitLocOpBuilder &b_;
  llvm::DenseMap<std::pair<Value, unsigned>, Value> known_;
  SmallVector<Open> open_;
};

class PointerChecks {
 public:
  explicit PointerChecks(SimulatorCalls &calls) : calls_(calls), b_(calls.b_), widening_(calls.b_) {}

  void run(LLVM::LLVMFuncOp kernel) {
    SmallVector<LLVM::GEPOp> sums;
    kernel.walk([&](LLVM::GEPOp sum) {
      bool isGlobal = SimulatorCalls::spaceOf(sum) == SimulatorCalls::Global;
      if (isGlobal && sum.getDynamicIndices().size() == 1 && sum.getIndices().size() == 1 &&
          sum.getElemType().isIntOrFloat())
        sums.push_back(sum);
    });
    for (LLVM::GEPOp sum : sums)
      check(sum);
    widening_.finish();
  }

 private:
  void check(LLVM::GEPOp sum) {
    Value index = sum.getDynamicIndices()[0];
    Operation *op = index.getDefiningOp();
    bool isExtended = isa_and_nonnull<LLVM::SExtOp, LLVM::ZExtOp>(op);
    Value narrow = isExtended ? op->getOperand(0) : index;
    bool isSigned = !isa_and_nonnull<LLVM::ZExtOp>(op);
    unsigned width = narrow.getType().getIntOrFloatBitWidth();
    if (width < 32 || isSmallNumber(narrow))
      return;
    Type type = b_.getIntegerType(2 * width);
    Value wide = widening_.of(narrow, isSigned, type);
    b_.setLoc(sum.getLoc());
    b_.setInsertionPointAfter(sum);
    Value result = sum;
    if (wide) {
      Value given = isExtended && width == 32 ? index : widening_.extended(narrow, isSigned, type);
      result = chosen(same(wide, given), result, host::overflowed_at(siteOf(narrow, width)));
    }
    if (width == 64)
      result = chosen(staysInside(sum, index), result, ~std::uint64_t(0) << host::address_bits);
    sum.getResult().replaceUsesWithIf(result, [&](OpOperand &use) { return !isOurs(use.getOwner()); });
  }
  // What was built here, which looks at the sum itself.
  bool isOurs(Operation *user) const { return ours_.contains(user); }

  static bool isSmallNumber(Value value) {
    auto constant = value.getDefiningOp<LLVM::ConstantOp>();
    auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
    return number && number.getValue().isSignedIntN(40);
  }
  Value same(Value a, Value b) { return LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::eq, a, b); }
  Value number(std::uint64_t bits) {
    return LLVM::ConstantOp::create(b_, b_.getI64Type(), static_cast<std::int64_t>(bits));
  }
  Value pointer(std::uint64_t bits) {
    auto type = LLVM::LLVMPointerType::get(b_.getContext(), SimulatorCalls::Global);
    return LLVM::IntToPtrOp::create(b_, type, number(bits));
  }
  Value chosen(Value fits, Value sum, std::uint64_t otherwise) {
    auto select = LLVM::SelectOp::create(b_, fits, sum, pointer(otherwise));
    ours_.insert(select);
    return select;
  }
  std::uint64_t siteOf(Value offset, unsigned width) {
    mlir::Location back = b_.getLoc();
    Operation *arithmetic = Widening::arithmeticOf(offset);   // the arguments of blocks have no places
    b_.setLoc(arithmetic ? arithmetic->getLoc() : offset.getLoc());
    std::int64_t site = calls_.siteNumber(width == 32 ? "an offset that overflowed 32 bits"
                                                      : "an offset that overflowed 64 bits");
    b_.setLoc(back);
    return static_cast<std::uint64_t>(site);
  }
  // An offset of 64 bits: near enough that it can be scaled, and the sum is of the same buffer.
  Value staysInside(LLVM::GEPOp sum, Value index) {
    constexpr std::uint64_t near = std::uint64_t(1) << 46;
    Value shifted = LLVM::AddOp::create(b_, index, number(near));
    Value isNear = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::ult, shifted, number(2 * near));
    auto upper = [&](Value pointer) -> Value {
      auto bits = LLVM::PtrToIntOp::create(b_, b_.getI64Type(), pointer);
      ours_.insert(bits);
      return LLVM::LShrOp::create(b_, bits, number(host::address_bits));
    };
    Value before = upper(sum.getBase()), after = upper(sum);
    return LLVM::AndOp::create(b_, isNear, same(before, after));
  }

  SimulatorCalls &calls_;
  ImplicitLocOpBuilder &b_;
  Widening widening_;
  llvm::DenseSet<Operation *> ours_;
};

}   // namespace

void checkPointers(LLVM::LLVMFuncOp kernel, SimulatorCalls &calls) { PointerChecks(calls).run(kernel); }

}   // namespace tile::gpu
