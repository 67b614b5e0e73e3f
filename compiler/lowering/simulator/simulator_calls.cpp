// SPDX-License-Identifier: MIT
#include "compiler/lowering/simulator/simulator_calls.h"

using namespace mlir;

namespace tile::gpu {

LogicalResult SimulatorCalls::unknown(Operation *op, StringRef name) {
  return op->emitError("the simulator cannot run `")
         << (name.empty() ? op->getName().getStringRef() : name) << "`";
}

Value SimulatorCalls::number(std::int64_t value) {
  return LLVM::ConstantOp::create(b_, b_.getI32Type(), value);
}
Value SimulatorCalls::wide(Value word) {
  return word.getType().isInteger(64) ? word : Value(LLVM::ZExtOp::create(b_, b_.getI64Type(), word));
}
Value SimulatorCalls::narrow(Value word, Type type) {
  return word.getType() == type ? word : Value(LLVM::TruncOp::create(b_, type, word));
}
Value SimulatorCalls::predicate(Value condition) {
  return condition ? Value(LLVM::ZExtOp::create(b_, b_.getI32Type(), condition)) : number(1);
}

std::int64_t SimulatorCalls::siteNumber(StringRef what) {
  Attribute row = b_.getArrayAttr({b_.getStringAttr(what), LocationAttr(b_.getLoc())});
  auto [it, fresh] = siteNumbers_.try_emplace(row, static_cast<std::int64_t>(sites_.size()));
  if (fresh)
    sites_.push_back(row);
  return it->second;
}

Value SimulatorCalls::call(StringRef name, Type result, ArrayRef<Value> arguments, bool isPure,
                           bool withThread) {
  SmallVector<Value> operands;
  if (withThread)
    operands.push_back(thread_);
  llvm::append_range(operands, arguments);
  auto function = module_.lookupSymbol<LLVM::LLVMFuncOp>(name);
  if (!function) {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(module_.getBody());
    auto type = LLVM::LLVMFunctionType::get(result ? result : LLVM::LLVMVoidType::get(b_.getContext()),
                                            llvm::to_vector(ValueRange(operands).getTypes()));
    function = LLVM::LLVMFuncOp::create(b_, module_.getLoc(), name, type);
    function.setNoUnwind(true);
    // Threads meet there: no call moves below a branch that others do not take.
    function.setConvergent(!isPure);
    function.setWillReturn(isPure);
    if (isPure)
      function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
          b_.getContext(), SmallVector<LLVM::ModRefInfo>(6, LLVM::ModRefInfo::NoModRef)));
  }
  auto made = LLVM::CallOp::create(b_, function, operands);
  return made.getNumResults() ? made.getResult() : Value();
}

LogicalResult SimulatorCalls::replace(Operation *op, ValueRange values) {
  if (op->getNumResults())
    op->replaceAllUsesWith(values);
  op->erase();
  return success();
}

Value SimulatorCalls::wordAddress(unsigned byte) {
  return LLVM::GEPOp::create(b_, words_.getType(), b_.getI8Type(), words_,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(byte)});
}
void SimulatorCalls::put(unsigned byte, Value word) { LLVM::StoreOp::create(b_, word, wordAddress(byte)); }
Value SimulatorCalls::take(unsigned byte, Type type) {
  return LLVM::LoadOp::create(b_, type, wordAddress(byte));
}
Value SimulatorCalls::takeAll(Type type) {
  auto fields = dyn_cast<LLVM::LLVMStructType>(type);
  if (!fields)
    return take(0, type);
  Value all = LLVM::UndefOp::create(b_, type);
  for (auto [i, field] : llvm::enumerate(fields.getBody()))
    all = LLVM::InsertValueOp::create(b_, all, take(4 * static_cast<unsigned>(i), field),
                                      ArrayRef<int64_t>{static_cast<int64_t>(i)});
  return all;
}

}   // namespace tile::gpu
