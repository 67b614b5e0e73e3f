// SPDX-License-Identifier: MIT
#include "compiler/host_code/canonical_nans.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tile::simulator {
namespace {

bool isFloat(const Value *value) { return value->getType()->isFPOrFPVectorTy(); }

// Whose NaNs are the machine's own: x86 makes others of them.
bool computes(const Value *value) {
  if (!isFloat(value))
    return false;
  if (auto *operation = dyn_cast<BinaryOperator>(value))
    return operation->getType()->isFPOrFPVectorTy();
  if (isa<FPTruncInst, FPExtInst>(value))
    return true;
  auto *call = dyn_cast<CallInst>(value);
  if (!call)
    return false;
  switch (call->getIntrinsicID()) {
  case Intrinsic::not_intrinsic:   // of the runtime or of the process: exp2, fmod
  case Intrinsic::fma:
  case Intrinsic::fmuladd:
  case Intrinsic::sqrt:
  case Intrinsic::floor:
  case Intrinsic::ceil:
  case Intrinsic::trunc:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
  case Intrinsic::round:
  case Intrinsic::roundeven:
  case Intrinsic::minnum:
  case Intrinsic::maxnum:
  case Intrinsic::minimum:
  case Intrinsic::maximum:
  case Intrinsic::minimumnum:
  case Intrinsic::maximumnum:
    return true;
  default:
    return false;
  }
}

// Hands on one of its operands, or parts of them.
bool moves(const Value *value) {
  return isFloat(value) &&
         isa<PHINode, SelectInst, FreezeInst, ExtractElementInst, InsertElementInst, ShuffleVectorInst>(
             value);
}

bool isNoNaN(const Value *value) {
  if (isa<UndefValue, ConstantAggregateZero>(value))   // poison is one of the former
    return true;
  auto *constant = dyn_cast<Constant>(value);
  if (constant && constant->getType()->isVectorTy())
    constant = constant->getSplatValue();
  auto *number = dyn_cast_or_null<ConstantFP>(constant);
  return number && !number->isNaN();
}

bool givesSign(const Value *value) {
  auto *call = dyn_cast<IntrinsicInst>(value);
  return isa<UnaryOperator>(value) || (call && call->getIntrinsicID() == Intrinsic::fabs);
}

class NaNsOfFunction {
 public:
  explicit NaNsOfFunction(Function &function) : function_(function), b_(function.getContext()) {}

  void run() {
    findOpen();
    SmallVector<PHINode *> phis;
    for (Instruction &instruction : make_early_inc_range(instructions(function_)))
      if (auto *phi = dyn_cast<PHINode>(&instruction))
        phis.push_back(phi);
      else
        for (Use &use : instruction.operands())
          if (isOpen(use.get()) && sees(&instruction))
            use.set(canonical(use.get(), &instruction));
    // Behind the others, so that what stands in front of a terminator is not used before it.
    for (PHINode *phi : phis)
      if (!open_.contains(phi))
        for (Use &use : phi->incoming_values())
          if (isOpen(use.get()))
            use.set(canonical(use.get(), phi->getIncomingBlock(use)->getTerminator()));
  }

 private:
  // Values whose NaNs are results of arithmetic, and not canonical yet.
  bool isOpen(const Value *value) const { return computes(value) || open_.contains(value); }

  // What hands on nothing but results of arithmetic stays open, and so do sums that loops carry: all moves at
  // first, without those that also take something else.
  void findOpen() {
    for (Instruction &instruction : instructions(function_))
      if (moves(&instruction))
        open_.insert(&instruction);
    for (bool isStable = false; !isStable;) {
      isStable = true;
      for (Instruction &instruction : instructions(function_)) {
        if (!open_.contains(&instruction))
          continue;
        auto isMixedIn = [&](const Use &use) {
          return isFloat(use.get()) && !isOpen(use.get()) && !isNoNaN(use.get());
        };
        if (any_of(instruction.operands(), isMixedIn)) {
          open_.erase(&instruction);
          isStable = false;
        }
      }
    }
  }

  // Whether the user can tell one NaN from another.
  bool sees(const Instruction *user) const {
    if (computes(user) || open_.contains(user) || isa<FCmpInst, FPToSIInst, FPToUIInst>(user))
      return false;
    if (auto *call = dyn_cast<IntrinsicInst>(user))
      if (call->getIntrinsicID() == Intrinsic::fptosi_sat || call->getIntrinsicID() == Intrinsic::fptoui_sat)
        return false;
    if (givesSign(user))
      return any_of(user->users(), [&](const llvm::User *next) {
        return isa<PHINode>(next) || !isa<Instruction>(next) || sees(cast<Instruction>(next));
      });
    return true;
  }

  Value *canonical(Value *value, Instruction *at) {
    Value *&known = canonical_[{value, at->getParent()}];
    if (!known) {
      b_.SetInsertPoint(at);
      known = b_.CreateSelect(b_.CreateFCmpUNO(value, value), nanOf(value->getType()), value);
    }
    return known;
  }

  static Constant *nanOf(Type *type) {
    Type *element = type->getScalarType();
    const fltSemantics &semantics = element->getFltSemantics();
    const unsigned bits = element->getPrimitiveSizeInBits();
    const APInt code = element->isDoubleTy() ? APInt(64, 0x7ff8000000000000) : APInt::getSignedMaxValue(bits);
    return ConstantFP::get(type, APFloat(semantics, code));
  }

  Function &function_;
  IRBuilder<> b_;
  DenseSet<const Value *> open_;
  DenseMap<std::pair<Value *, BasicBlock *>, Value *> canonical_;
};

}   // namespace

void canonicalizeNaNs(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      NaNsOfFunction(function).run();
}

}   // namespace tile::simulator
