// SPDX-License-Identifier: MIT
// Matrix operations of a warpgroup as assembly text. Accumulators are registers that an operation changes
// after it was begun: they go into the text and come out of it, tied, of each product and of the wait, so
// that LLVM neither moves nor copies them in between.
#include "compiler/lowering/ptx/ptx_text.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Analysis/CFGLoopInfo.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tile::gpu {
namespace {

// Operands and results of one inline assembly text. Values are tied in the order in which they are given:
// result i is operand i, and both are `$i`.
class TiedText {
 public:
  TiedText(OpBuilder &b, Location loc) : b_(b), loc_(loc) {}

  // The fields of a struct; "{$0, $1, $2, $3}".
  std::string tieAll(Value all) {
    std::string list;
    for (auto [i, type] : llvm::enumerate(cast<LLVM::LLVMStructType>(all.getType()).getBody())) {
      Value field =
          LLVM::ExtractValueOp::create(b_, loc_, type, all, ArrayRef<int64_t>{static_cast<int64_t>(i)});
      list += (i ? ", $" : "$") + std::to_string(tie(field));
    }
    return "{" + list + "}";
  }
  unsigned tie(Value value) {
    tied_.push_back(value);
    return static_cast<unsigned>(tied_.size()) - 1;
  }
  // All tied values come first: no tie() after an input().
  std::string input(Value value, StringRef kind) {
    inputs_.push_back(value);
    inputKinds_ += "," + kind.str();
    return "$" + std::to_string(2 * tied_.size() + inputs_.size() - 1);
  }

  // The tied values as they are afterwards.
  SmallVector<Value> write(const std::string &text) {
    std::string outputs, ties;
    for (auto [i, value] : llvm::enumerate(tied_)) {
      outputs += (i ? ",=" : "=") + kindOf(value.getType());
      ties += "," + std::to_string(i);
    }
    std::string constraints = outputs + ties + inputKinds_ + ",~{memory}";
    SmallVector<Value> operands = tied_;
    llvm::append_range(operands, inputs_);
    SmallVector<Type> types = llvm::map_to_vector(tied_, [](Value v) { return v.getType(); });
    Type result =
        types.size() == 1 ? types[0] : Type(LLVM::LLVMStructType::getLiteral(b_.getContext(), types));
    auto made = assembly(b_, loc_, types.empty() ? TypeRange() : TypeRange(result), operands, text,
                         constraints.substr(constraints[0] == ',' ? 1 : 0));
    SmallVector<Value> results;
    for (std::size_t i = 0; i < types.size(); ++i)
      results.push_back(types.size() == 1
                            ? made.getResult(0)
                            : Value(LLVM::ExtractValueOp::create(
                                  b_, loc_, made.getResult(0), ArrayRef<int64_t>{static_cast<int64_t>(i)})));
    return results;
  }
  // A struct of the next fields.
  Value structOf(Type type, ArrayRef<Value> &fields) {
    Value all = LLVM::PoisonOp::create(b_, loc_, type);
    auto count = static_cast<int64_t>(cast<LLVM::LLVMStructType>(type).getBody().size());
    for (int64_t i = 0; i < count; ++i)
      all = LLVM::InsertValueOp::create(b_, loc_, all, fields[static_cast<std::size_t>(i)],
                                        ArrayRef<int64_t>{i});
    fields = fields.drop_front(static_cast<std::size_t>(count));
    return all;
  }

 private:
  static std::string kindOf(Type type) {
    return type.isF32() ? "f" : constraint(type.getIntOrFloatBitWidth());
  }
  OpBuilder &b_;
  Location loc_;
  SmallVector<Value> tied_, inputs_;
  std::string inputKinds_;
};

// "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16"
std::string formOf(const MatrixUnit &unit, unsigned columns) {
  std::string text(unit.instruction);
  text += ".sync.aligned.m" + std::to_string(unit.m) + "n" + std::to_string(columns) + "k" +
          std::to_string(unit.k);
  for (MatrixElement element : {unit.sum, unit.a.element, unit.b.element}) {
    text += '.';
    text += nameOf(element);
  }
  return text;
}

// { .reg .pred p; setp.ne.b32 p, 1, 0;
//   wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {$0, $1, $2, $3}, $8, $9, p, 1, 1, 0, 0; }
struct WgmmaPattern : OpRewritePattern<PtxWgmmaOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PtxWgmmaOp op, PatternRewriter &b) const override {
    TiedText asmText(b, op.getLoc());
    const MatrixUnit &unit = *op.getMatrixUnit();
    bool inRegisters = op.hasRegisters();

    std::string sums = asmText.tieAll(op.getAccumulators());
    std::string left = asmText.input(op.getA()[0], inRegisters ? "r" : "l");
    for (Value word : op.getA().drop_front())
      left += ", " + asmText.input(word, "r");
    if (inRegisters)
      left = "{" + left + "}";
    std::string right = asmText.input(op.getB(), "l");
    std::string text, adds;
    if (op.getAccumulate()) {
      adds = asmText.input(op.getAccumulate(), "b");
    } else {
      text = "{ .reg .pred adds; setp.eq.b32 adds, 0, 0; ";
      adds = "adds";
    }
    text += formOf(unit, static_cast<unsigned>(op.getN())) + " " + sums + ", " + left + ", " + right + ", " +
            adds;
    if (unit.negates)
      text += std::string(op.getNegateA() ? ", -1" : ", 1") + (op.getNegateB() ? ", -1" : ", 1");
    if (unit.a.alongEitherAxis && !inRegisters)
      text += op.getTransposeA() ? ", 1" : ", 0";
    if (unit.b.alongEitherAxis)
      text += op.getTransposeB() ? ", 1" : ", 0";
    text += op.getAccumulate() ? ";" : "; }";

    SmallVector<Value> results = asmText.write(text);
    ArrayRef<Value> rest = results;
    b.replaceOp(op, asmText.structOf(op.getType(), rest));
    return success();
  }
};

struct WaitPattern : OpRewritePattern<PtxWgmmaWaitOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PtxWgmmaWaitOp op, PatternRewriter &b) const override {
    TiedText asmText(b, op.getLoc());
    for (Value all : op.getAccumulators())
      asmText.tieAll(all);
    SmallVector<Value> fields =
        asmText.write("wgmma.wait_group.sync.aligned " + std::to_string(op.getPending()) + ";");
    ArrayRef<Value> rest = fields;
    SmallVector<Value> results;
    for (Value all : op.getAccumulators())
      results.push_back(asmText.structOf(all.getType(), rest));
    b.replaceOp(op, results);
    return success();
  }
};

struct ComputeFirstPattern : OpRewritePattern<PtxComputeFirstOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PtxComputeFirstOp op, PatternRewriter &b) const override {
    std::string text = "{ .reg .pred never; .reg .b32 all; mov.b32 all, 0; ", constraints;
    for (unsigned i = 0; i < op.getWords().size(); ++i) {
      text += "xor.b32 all, all, $" + std::to_string(i) + "; ";
      constraints += i > 0 ? ",r" : "r";
    }
    text += "setp.eq.b32 never, all, 0x7f7fffff; @never nanosleep.u32 0; }";
    assembly(b, op.getLoc(), {}, op.getWords(), text, constraints);
    b.eraseOp(op);
    return success();
  }
};

}   // namespace

// Registers that a product takes are to be written before the fence. LLVM would make constants, and do
// arithmetic, where they are first used, behind it; so such values pass through an empty text in front:
//
//   %zero = llvm.mlir.zero : !acc                %zero = llvm.mlir.zero : !acc
//   nvvm.wgmma.fence.aligned                     %kept = "" (%zero)
//   %d = ptx_wgmma [%a] * %b onto %zero          nvvm.wgmma.fence.aligned
//                                                %d = ptx_wgmma [%a] * %b onto %kept
void keepWgmmaOperandsBeforeFences(ModuleOp module) {
  SmallVector<PtxWgmmaOp> products;
  module.walk([&](PtxWgmmaOp op) { products.push_back(op); });
  DominanceInfo dominance(module);
  for (PtxWgmmaOp product : products) {
    Operation *fence = product->getPrevNode();
    while (fence && !isa<NVVM::WgmmaFenceAlignedOp>(fence))
      fence = fence->getPrevNode();
    if (!fence)
      continue;
    OpBuilder b(fence);
    auto keep = [&](OpOperand &operand, bool isStruct) {
      Value value = operand.get();
      // What comes out of a text or from another block is a register already.
      if (isa<BlockArgument>(value) || isa_and_nonnull<PtxWgmmaOp, PtxWgmmaWaitOp>(value.getDefiningOp()) ||
          !dominance.properlyDominates(value, fence))
        return;
      TiedText text(b, product.getLoc());
      if (isStruct)
        text.tieAll(value);
      else
        text.tie(value);
      SmallVector<Value> fields = text.write("");
      ArrayRef<Value> rest = fields;
      operand.set(isStruct ? text.structOf(value.getType(), rest) : fields[0]);
    };
    keep(product.getAccumulatorsMutable(), true);
    if (product.hasRegisters())
      for (OpOperand &word : product.getAMutable())
        keep(word, false);
  }
}

// The arithmetic that is wanted behind the wait alone, with what is assumed of it, and may stand there: it
// runs as often. Operands first.
static SmallVector<Operation *> wantedBehind(PtxWgmmaWaitOp wait, DominanceInfo &dominance,
                                             const CFGLoopInfo &loops) {
  auto isNumber = [](Type type) { return type.isIntOrFloat() && type.getIntOrFloatBitWidth() <= 64; };
  llvm::SetVector<Operation *> wanted;
  for (Block *block = wait->getBlock(); block;) {
    for (Operation &op : llvm::reverse(*block)) {
      const bool isArithmetic = op.getNumResults() == 1 && op.getNumOperands() > 0 &&
                                isMemoryEffectFree(&op) && isNumber(op.getResult(0).getType()) &&
                                llvm::all_of(op.getOperandTypes(), isNumber);
      if ((isArithmetic || isa<LLVM::AssumeOp>(op)) && dominance.properlyDominates(&op, wait) &&
          loops.getLoopFor(block) == loops.getLoopFor(wait->getBlock()))
        wanted.insert(&op);
    }
    auto *node = dominance.getNode(block)->getIDom();
    block = node ? node->getBlock() : nullptr;
  }
  auto stays = [&](Operation *op) {
    if (auto assumption = dyn_cast<LLVM::AssumeOp>(op)) {
      Operation *condition = assumption.getCond().getDefiningOp();
      return !condition || llvm::none_of(condition->getOperands(),
                                         [&](Value v) { return wanted.contains(v.getDefiningOp()); });
    }
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      return !wanted.contains(user) && !dominance.properlyDominates(wait, user);
    });
  };
  while (wanted.remove_if(stays)) {
  }
  SmallVector<Operation *> inOrder = wanted.takeVector();
  std::reverse(inOrder.begin(), inOrder.end());
  return inOrder;
}

// Between a loop that products leave on their way and the wait for them the assembler takes nothing. LLVM
// would sink there, in front of the wait, what was computed before the loop for behind it. So that is
// computed behind it, of values that pass through an empty text:
//
//   %row = llvm.mul %tile, %rows                 ptx_wgmma_wait 0
//   loop, ptx_wgmma_wait 0, store at %row        %kept = "" (%tile); %row = llvm.mul %kept, %rows; store
void keepArithmeticBehindWaits(ModuleOp module) {
  module.walk([&](LLVM::LLVMFuncOp kernel) {
    SmallVector<PtxWgmmaWaitOp> waits;
    kernel.walk([&](PtxWgmmaWaitOp wait) {
      if (wait.getPending() == 0 && wait->getBlock()->getOps<PtxWgmmaOp>().empty())
        waits.push_back(wait);
    });
    if (waits.empty() || kernel.getBody().hasOneBlock())   // no loop
      return;
    DominanceInfo dominance(kernel);
    CFGLoopInfo loops(dominance.getDomTree(&kernel.getBody()));
    for (PtxWgmmaWaitOp wait : waits) {
      SmallVector<Operation *> wanted = wantedBehind(wait, dominance, loops);
      OpBuilder b(kernel.getContext());
      b.setInsertionPointAfter(wait);
      DenseMap<Value, Value> kept;
      for (Operation *op : wanted) {
        op->moveBefore(wait->getBlock(), b.getInsertionPoint());
        for (OpOperand &operand : op->getOpOperands()) {
          Value value = operand.get();
          Operation *made = value.getDefiningOp();
          if (llvm::is_contained(wanted, made) || (made && made->hasTrait<OpTrait::ConstantLike>()))
            continue;
          Value &known = kept[value];
          if (!known) {
            OpBuilder::InsertionGuard guard(b);
            b.setInsertionPoint(op);
            TiedText text(b, op->getLoc());
            text.tie(value);
            known = text.write("").front();
          }
          operand.set(known);
        }
      }
    }
  });
}

void populatePtxWgmma(RewritePatternSet &patterns) {
  patterns.add<WgmmaPattern, WaitPattern, ComputeFirstPattern>(patterns.getContext());
}

}   // namespace tile::gpu
