// SPDX-License-Identifier: MIT
#include "compiler/host_code/bfloat_bits.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace tile::simulator {
namespace {

bool isBFloat(const Value *value) { return value->getType()->getScalarType()->isBFloatTy(); }

// One function. `bits_` has the integer for each bf16 that was met; what it stands for is erased at the end.
//
//   %v = load bfloat, ptr %p          %v = load i16, ptr %p
//   %s = fadd bfloat %v, %w           %s = trunc i32 (round (fadd float (%v << 16), (%w << 16))) to i16
class BFloatsOfFunction {
 public:
  explicit BFloatsOfFunction(Function &function) : function_(function), b_(function.getContext()) {}

  Error run() {
    removeUnreachableBlocks(function_);
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function_))
      for (Instruction &instruction : make_early_inc_range(*block))
        if (isBFloat(&instruction) || any_of(instruction.operands(), isBFloat)) {
          if (Error error = convert(instruction))
            return error;
          converted_.push_back(&instruction);
        }
    for (auto [phi, integers] : phis_)
      for (auto [value, block] : zip(phi->incoming_values(), phi->blocks()))
        integers->addIncoming(bits(value), block);
    // Phis refer to what comes later, so that no order of erasing would do.
    for (Instruction *instruction : converted_)
      instruction->dropAllReferences();
    for (Instruction *instruction : converted_)
      instruction->eraseFromParent();
    return Error::success();
  }

 private:
  // The type with another element: bfloat -> i16, <2 x bfloat> -> <2 x i16>.
  static Type *with(Type *type, Type *element) {
    auto *vector = dyn_cast<VectorType>(type);
    return vector ? VectorType::get(element, vector->getElementCount()) : element;
  }
  Type *integersFor(Type *type) { return with(type, b_.getInt16Ty()); }
  Type *floatsFor(Type *type) { return with(type, b_.getFloatTy()); }

  Value *bits(Value *value) {
    if (auto *constant = dyn_cast<Constant>(value))
      return ConstantExpr::getBitCast(constant, integersFor(value->getType()));
    Value *known = bits_.lookup(value);
    assert(known && "blocks are visited after those that dominate them");
    return known;
  }
  Value *wide(Value *value) {
    Type *words = with(value->getType(), b_.getInt32Ty());
    return b_.CreateBitCast(b_.CreateShl(b_.CreateZExt(bits(value), words), 16), floatsFor(value->getType()));
  }
  // The upper half, to nearest even. A NaN stays one, whatever its lower half was.
  Value *rounded(Value *floats) {
    Type *words = with(floats->getType(), b_.getInt32Ty());
    Value *all = b_.CreateBitCast(floats, words);
    Value *upper = b_.CreateLShr(all, 16);
    Value *half =
        b_.CreateAdd(b_.CreateAnd(upper, ConstantInt::get(words, 1)), ConstantInt::get(words, 0x7fff));
    Value *number = b_.CreateLShr(b_.CreateAdd(all, half), 16);
    Value *quiet = b_.CreateOr(upper, ConstantInt::get(words, 0x40));
    Value *result = b_.CreateSelect(b_.CreateFCmpUNO(floats, floats), quiet, number);
    return b_.CreateTrunc(result, with(words, b_.getInt16Ty()));
  }

  Error convert(Instruction &instruction) {
    b_.SetInsertPoint(&instruction);
    if (Value *same = travels(instruction)) {
      bits_[&instruction] = same;
      return Error::success();
    }
    Value *result = computes(instruction);
    if (!result)
      return createStringError("no code for this operation of bf16: " + text(instruction));
    if (!isBFloat(&instruction))
      instruction.replaceAllUsesWith(result);
    else
      bits_[&instruction] = isa<UnaryOperator>(instruction) ? result : rounded(result);
    return Error::success();
  }

  // Moves, which keep all bits: their integers, or null.
  Value *travels(Instruction &instruction) {
    const auto operand = [&](unsigned i) { return bits(instruction.getOperand(i)); };
    Type *integers = integersFor(instruction.getType());
    if (auto *load = dyn_cast<LoadInst>(&instruction)) {
      LoadInst *narrow = b_.CreateAlignedLoad(integers, load->getPointerOperand(), load->getAlign());
      narrow->setVolatile(load->isVolatile());
      return narrow;
    }
    if (auto *phi = dyn_cast<PHINode>(&instruction)) {
      phis_[phi] = b_.CreatePHI(integers, phi->getNumIncomingValues());
      return phis_[phi];
    }
    if (auto *select = dyn_cast<SelectInst>(&instruction)) {
      Value *otherwise = operand(2);
      return b_.CreateSelect(select->getCondition(), operand(1), otherwise);
    }
    if (isa<FreezeInst>(instruction))
      return b_.CreateFreeze(operand(0));
    if (isa<ExtractElementInst>(instruction))
      return b_.CreateExtractElement(operand(0), instruction.getOperand(1));
    if (isa<InsertElementInst>(instruction)) {
      Value *element = operand(1);
      return b_.CreateInsertElement(operand(0), element, instruction.getOperand(2));
    }
    if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction)) {
      Value *second = operand(1);
      return b_.CreateShuffleVector(operand(0), second, shuffle->getShuffleMask());
    }
    if (isa<BitCastInst>(instruction) && isBFloat(&instruction)) {
      Value *from = instruction.getOperand(0);
      return b_.CreateBitCast(isBFloat(from) ? bits(from) : from, integers);
    }
    return nullptr;
  }

  // What takes bf16 or gives it: the result as floats if it is bf16, or null for what is not known.
  Value *computes(Instruction &instruction) {
    const auto operand = [&](unsigned i) { return wide(instruction.getOperand(i)); };
    if (auto *store = dyn_cast<StoreInst>(&instruction)) {
      StoreInst *narrow = b_.CreateAlignedStore(bits(store->getValueOperand()), store->getPointerOperand(),
                                                store->getAlign(), store->isVolatile());
      return narrow;
    }
    if (isa<BitCastInst>(instruction))
      return b_.CreateBitCast(bits(instruction.getOperand(0)), instruction.getType());
    if (auto *operation = dyn_cast<BinaryOperator>(&instruction)) {
      Value *right = operand(1);
      return b_.CreateBinOp(operation->getOpcode(), operand(0), right);
    }
    if (isa<UnaryOperator>(instruction)) {   // a sign is changed, of a NaN too
      Value *narrow = bits(instruction.getOperand(0));
      return b_.CreateXor(narrow, ConstantInt::get(narrow->getType(), 0x8000));
    }
    if (auto *comparison = dyn_cast<FCmpInst>(&instruction)) {
      Value *right = operand(1);
      return b_.CreateFCmp(comparison->getPredicate(), operand(0), right);
    }
    if (auto *cast = dyn_cast<CastInst>(&instruction))
      return casts(*cast);
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    if (!call || !isBFloat(call) || !all_of(call->args(), isBFloat))
      return nullptr;
    SmallVector<Value *> floats;
    for (Value *argument : call->args())
      floats.push_back(wide(argument));
    return b_.CreateIntrinsic(call->getIntrinsicID(), {floatsFor(call->getType())}, floats);
  }

  // Through a float that loses nothing which the one rounding would ask for.
  Value *casts(CastInst &cast) {
    Type *from = cast.getSrcTy()->getScalarType(), *to = cast.getDestTy()->getScalarType();
    if (from->isBFloatTy()) {
      Value *floats = wide(cast.getOperand(0));
      return to->isFloatTy() ? floats : b_.CreateCast(cast.getOpcode(), floats, cast.getDestTy());
    }
    if (from->isFloatTy())
      return cast.getOperand(0);
    if (from->isHalfTy())
      return b_.CreateFPExt(cast.getOperand(0), floatsFor(cast.getDestTy()));
    return from->isIntegerTy() ? integerAsFloat(cast.getOperand(0), isa<SIToFPInst>(cast)) : nullptr;
  }

  // The upper 24 bits of the magnitude; the last one tells whether any below was set.
  // 0x1000001 -> 0x800001 * 2
  Value *integerAsFloat(Value *integer, bool isSigned) {
    Type *words = with(integer->getType(), b_.getInt64Ty()), *floats = with(words, b_.getFloatTy());
    Value *value = isSigned ? b_.CreateSExt(integer, words) : b_.CreateZExt(integer, words);
    Value *zero = ConstantInt::get(words, 0), *one = ConstantInt::get(words, 1);
    Value *isNegative = isSigned ? b_.CreateICmpSLT(value, zero) : nullptr;
    Value *size = isSigned ? b_.CreateSelect(isNegative, b_.CreateNeg(value), value) : value;
    Value *zeros = b_.CreateIntrinsic(Intrinsic::ctlz, {words}, {size, b_.getFalse()});
    Value *drop = b_.CreateIntrinsic(Intrinsic::usub_sat, {words}, {ConstantInt::get(words, 64 - 24), zeros});
    Value *below = b_.CreateAnd(size, b_.CreateSub(b_.CreateShl(one, drop), one));
    Value *rest = b_.CreateZExt(b_.CreateICmpNE(below, zero), words);
    Value *upper = b_.CreateOr(b_.CreateLShr(size, drop), rest);
    Value *exponent = b_.CreateShl(b_.CreateAdd(drop, ConstantInt::get(words, 127)), 23);
    Value *power = b_.CreateBitCast(b_.CreateTrunc(exponent, with(words, b_.getInt32Ty())), floats);
    Value *result = b_.CreateFMul(b_.CreateUIToFP(upper, floats), power);
    return isSigned ? b_.CreateSelect(isNegative, b_.CreateFNeg(result), result) : result;
  }

  static std::string text(const Instruction &instruction) {
    std::string text;
    raw_string_ostream(text) << instruction;
    return text;
  }

  Function &function_;
  IRBuilder<> b_;
  DenseMap<Value *, Value *> bits_;
  MapVector<PHINode *, PHINode *> phis_;
  std::vector<Instruction *> converted_;
};

}   // namespace

Error bfloatsToBits(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration())
      if (Error error = BFloatsOfFunction(function).run())
        return error;
  return Error::success();
}

}   // namespace tile::simulator
