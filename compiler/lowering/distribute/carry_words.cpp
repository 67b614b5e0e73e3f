// SPDX-License-Identifier: MIT
// `tile-gpu-carry-words`: what a loop loads for its next iteration stays in the words that memory gave.
//
//    for i iter_args(a : f16, b : f16 = load_global p) {             before: two registers of 32 bits
//      ...
//      yield load_global q : (f16, f16)
//    }
//
//    for i iter_args(w : i32 = word of load_global p) {              after: one
//      a, b = elements of w ...
//    }
//
// The assembler gives each element of 16 or 8 bits that a loop carries a register of its own. Elements that
// the loop computes stay as they are, because they would have to be packed first.
#include "compiler/lowering/distribute/words.h"
#include "compiler/lowering/passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUCARRYWORDS
#include "compiler/lowering/passes.h.inc"

namespace {

// Whether values are the elements of one word of a load.
bool areWordOfLoad(ValueRange values) {
  auto load = values.front().getDefiningOp<LoadGlobalOp>();
  if (!load)
    return false;
  const unsigned first = cast<OpResult>(values.front()).getResultNumber();
  if (first % values.size() != 0)
    return false;
  return llvm::all_of(llvm::enumerate(values), [&](auto each) {
    auto [i, v] = each;
    return v.getDefiningOp() == load && cast<OpResult>(v).getResultNumber() == first + i;
  });
}

// What a loop carries: words, or other values by themselves.
class CarriedWords {
 public:
  explicit CarriedWords(scf::ForOp loop) : loop_(loop) {
    const auto count = static_cast<unsigned>(loop.getInitArgs().size());
    for (unsigned i = 0; i < count;) {
      const unsigned size = sizeOfGroup(i);
      groups_.push_back({i, size});
      i += size;
    }
  }

  bool isAny() const {
    return llvm::any_of(groups_, [](const Group &group) { return group.size > 1; });
  }

  void rewrite() {
    ImplicitLocOpBuilder b(loop_.getLoc(), loop_);
    SmallVector<Value> inits = joined(b, loop_.getInitArgs());
    auto words = scf::ForOp::create(b, loop_.getLowerBound(), loop_.getUpperBound(), loop_.getStep(), inits,
                                    nullptr, loop_.getUnsignedCmp());
    words->setDiscardableAttrs(loop_->getDiscardableAttrDictionary());

    auto yield = cast<scf::YieldOp>(loop_.getBody()->getTerminator());
    b.setInsertionPoint(yield);
    scf::YieldOp::create(b, joined(b, yield.getOperands()));
    yield.erase();
    b.setInsertionPointToStart(words.getBody());
    SmallVector<Value> arguments{words.getInductionVar()};
    llvm::append_range(arguments, apart(b, words.getRegionIterArgs()));
    IRRewriter rewriter(b.getContext());
    rewriter.mergeBlocks(loop_.getBody(), words.getBody(), arguments);

    b.setInsertionPointAfter(words);
    rewriter.replaceOp(loop_, apart(b, words.getResults()));
  }

 private:
  struct Group {
    unsigned first, size;
  };

  unsigned sizeOfGroup(unsigned first) {
    Type type = loop_.getInitArgs()[first].getType();
    if (!type.isIntOrFloat() || type.getIntOrFloatBitWidth() < 8)
      return 1;
    const unsigned size = elementsPerWord(type);
    const ValueRange inits = loop_.getInitArgs(), next = loop_.getYieldedValues();
    if (size == 1 || first + size > inits.size())
      return 1;
    auto isWord = [&](ValueRange values) { return areWordOfLoad(values.slice(first, size)); };
    return isWord(inits) && isWord(next) ? size : 1;
  }

  SmallVector<Value> joined(ImplicitLocOpBuilder &b, ValueRange values) const {
    SmallVector<Value> result;
    for (const Group &group : groups_)
      if (group.size == 1)
        result.push_back(values[group.first]);
      else
        llvm::append_range(result, toWords(b, values.slice(group.first, group.size)));
    return result;
  }

  SmallVector<Value> apart(ImplicitLocOpBuilder &b, ValueRange carried) {
    SmallVector<Value> result;
    for (auto [group, v] : llvm::zip(groups_, carried))
      if (group.size == 1)
        result.push_back(v);
      else
        llvm::append_range(result, fromWords(b, ValueRange(v), loop_.getInitArgs()[group.first].getType()));
    return result;
  }

  scf::ForOp loop_;
  SmallVector<Group> groups_;
};

struct CarryWords : impl::TileGpuCarryWordsBase<CarryWords> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (CarriedWords words(loop); words.isAny())
        words.rewrite();
  }
};

}   // namespace
}   // namespace tile::gpu
