// SPDX-License-Identifier: MIT
// Atomics as assembly text.
#include "compiler/lowering/ptx/ptx_text.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile::gpu {
namespace {

// ".acq_rel.gpu.global"
std::string modifiers(ir::Ordering ordering, ir::Scope scope) {
  return "." + ir::stringifyOrdering(ordering).str() + "." + ir::stringifyScope(scope).str() + ".global";
}

// The text of one update. Operands of the assembly: $0 the old value, $1 the address, $2 the value, $3
// the predicate if there is one.
class Text {
 public:
  Text(unsigned bits, bool predicated, std::string order)
      : bits_(std::to_string(bits)), order_(std::move(order)), predicated_(predicated) {}

  // The old value of a thread that takes no part is zero.
  std::string plain(const std::string &operation) const {
    return predicated_ ? clear() + "@$3 " + atom(operation) : atom(operation);
  }

  // Floats order as integers do as long as their signs are equal or the integers are signed; of two
  // negative ones the larger bits are the smaller float. `operations`: for a value without a sign, and with
  // one.
  std::string bySign(const std::string &positive, const std::string &negative) const {
    std::string text = "{ .reg .pred pos, neg; ";
    text += "setp.ge.s" + bits_ + " pos, $2, 0; setp.lt.s" + bits_ + " neg, $2, 0; ";
    if (predicated_)
      text += clear() + "and.pred pos, pos, $3; and.pred neg, neg, $3; ";
    return text + "@pos " + atom(positive) + " @neg " + atom(negative) + " }";
  }

  // Where the machine cannot add bf16: what memory held, plus the value, goes in if it is still there.
  std::string bf16Loop(const std::string &scope) const {
    std::string text = "{ .reg .pred again; .reg .b16 seen, sum, one; ";
    if (predicated_)
      text += clear() + "@!$3 bra done; ";
    text += "mov.b16 one, 0x3F80; ld.relaxed." + scope + ".global.b16 seen, [$1]; ";
    text += "retry: fma.rn.bf16 sum, seen, one, $2; ";
    text += "atom" + order_ + ".cas.b16 $0, [$1], seen, sum; ";
    text += "setp.ne.b16 again, $0, seen; mov.b16 seen, $0; @again bra retry; done: }";
    return text;
  }

 private:
  std::string clear() const { return "mov.b" + bits_ + " $0, 0; "; }
  std::string atom(const std::string &operation) const {
    return "atom" + order_ + "." + operation + " $0, [$1], $2;";
  }
  std::string bits_, order_;
  bool predicated_;
};

std::string integerOperation(ir::Update update, const std::string &bits) {
  switch (update) {
  case ir::Update::add:
    return "add.u" + bits;
  case ir::Update::smax:
    return "max.s" + bits;
  case ir::Update::smin:
    return "min.s" + bits;
  case ir::Update::umax:
    return "max.u" + bits;
  case ir::Update::umin:
    return "min.u" + bits;
  case ir::Update::bit_and:
    return "and.b" + bits;
  case ir::Update::bit_or:
    return "or.b" + bits;
  case ir::Update::bit_xor:
    return "xor.b" + bits;
  default:
    return "exch.b" + bits;
  }
}

Value assemble(OpBuilder &b, Location loc, const std::string &text, Value ptr, ValueRange values,
               Value predicate) {
  Type word = values.front().getType();
  std::string bits = constraint(word.getIntOrFloatBitWidth()), constraints = "=&" + bits + ",l";
  SmallVector<Value> operands{ptr};
  for (Value v : values) {
    operands.push_back(v);
    constraints += "," + bits;
  }
  if (predicate) {
    operands.push_back(predicate);
    constraints += ",b";
  }
  return assembly(b, loc, word, operands, text, constraints + ",~{memory}").getResult(0);
}

struct AtomicPattern : OpRewritePattern<PtxAtomicOp> {
  AtomicPattern(MLIRContext *context, const Target &target) : OpRewritePattern(context), target(target) {}
  LogicalResult matchAndRewrite(PtxAtomicOp op, PatternRewriter &b) const override {
    unsigned bits = op.getValue().getType().getIntOrFloatBitWidth();
    Text text(bits, op.getPredicate() != nullptr, modifiers(op.getOrdering(), op.getScope()));
    b.replaceOp(op, assemble(b, op.getLoc(), textOf(op, text, bits), op.getPtr(), {op.getValue()},
                             op.getPredicate()));
    return success();
  }

 private:
  std::string textOf(PtxAtomicOp op, const Text &text, unsigned width) const {
    std::string bits = std::to_string(width);
    Type element = op.getElement();
    switch (op.getUpdate()) {
    case ir::Update::fmax:
      return text.bySign("max.s" + bits, "min.u" + bits);
    case ir::Update::fmin:
      return text.bySign("min.s" + bits, "max.u" + bits);
    case ir::Update::fadd:
      if (element.isBF16() && !target.has(Feature::BF16AtomicAdd))
        return text.bf16Loop(ir::stringifyScope(op.getScope()).str());
      if (element.isBF16())
        return text.plain("add.noftz.bf16");
      return text.plain(element.isF16() ? "add.noftz.f16" : "add.f" + bits);
    default:
      return text.plain(integerOperation(op.getUpdate(), bits));
    }
  }

  Target target;
};

struct AddPattern : OpRewritePattern<PtxAddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PtxAddOp op, PatternRewriter &b) const override {
    const size_t count = op.getWords().size();
    SmallVector<Value> operands{op.getPtr()};
    llvm::append_range(operands, op.getWords());
    std::string text, words, constraints = "l";
    for (size_t i = 0; i < count; ++i) {
      words += (i ? ", $" : "$") + std::to_string(i + 1);
      constraints += ",r";
    }
    if (op.getPredicate()) {
      operands.push_back(op.getPredicate());
      constraints += ",b";
      text = "@$" + std::to_string(count + 1) + " ";
    }
    text += "red" + modifiers(ir::Ordering::relaxed, op.getScope()) + ".add";
    text += op.getElement().isF32() ? "" : ".noftz";
    text += count == 1 ? "" : ".v" + std::to_string(count);
    text += op.getElement().isF32() ? ".f32" : op.getElement().isF16() ? ".f16x2" : ".bf16x2";
    text += " [$0], " + (count == 1 ? words : "{" + words + "}") + ";";
    assembly(b, op.getLoc(), TypeRange(), operands, text, constraints + ",~{memory}");
    b.eraseOp(op);
    return success();
  }
};

struct SwapPattern : OpRewritePattern<PtxSwapOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PtxSwapOp op, PatternRewriter &b) const override {
    std::string bits = std::to_string(op.getDesired().getType().getIntOrFloatBitWidth());
    std::string text =
        "atom" + modifiers(op.getOrdering(), op.getScope()) + ".cas.b" + bits + " $0, [$1], $2, $3;";
    if (op.getPredicate())
      text = "mov.b" + bits + " $0, 0; @$4 " + text;
    b.replaceOp(op, assemble(b, op.getLoc(), text, op.getPtr(), {op.getExpected(), op.getDesired()},
                             op.getPredicate()));
    return success();
  }
};

}   // namespace

void populatePtxAtomics(const Target &target, RewritePatternSet &patterns) {
  patterns.add<AtomicPattern>(patterns.getContext(), target);
  patterns.add<AddPattern, SwapPattern>(patterns.getContext());
}

}   // namespace tile::gpu
