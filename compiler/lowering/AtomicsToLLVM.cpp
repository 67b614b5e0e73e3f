// SPDX-License-Identifier: MIT
// Atomics of one thread as the PTX instructions: LLVM would expand some of them with other fences
// than the language asks for, and has no predicates.
#include "compiler/lowering/ThreadToLLVM.h"
#include "dialects/tile_gpu/TileGpuDialect.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile::gpu {
namespace {

// ".acq_rel.gpu.global"
std::string modifiers(ir::Ordering ordering, ir::Scope scope) {
  return "." + ir::stringifyOrdering(ordering).str() + "." + ir::stringifyScope(scope).str() + ".global";
}

std::string constraint(unsigned bits) { return bits == 64 ? "l" : bits == 32 ? "r" : "h"; }

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

Value bitsOf(OpBuilder &b, Location loc, Value v) {
  Type integer = b.getIntegerType(v.getType().getIntOrFloatBitWidth());
  return v.getType() == integer ? v : Value(LLVM::BitcastOp::create(b, loc, integer, v));
}

// Operands become bits, the assembly's result the old value again.
Value assemble(OpBuilder &b, Location loc, const std::string &text, Type element, Value ptr,
               ValueRange values, Value predicate) {
  unsigned bits = element.getIntOrFloatBitWidth();
  std::string constraints = "=&" + constraint(bits) + ",l";
  SmallVector<Value> operands{ptr};
  for (Value v : values) {
    operands.push_back(bitsOf(b, loc, v));
    constraints += "," + constraint(bits);
  }
  if (predicate) {
    operands.push_back(predicate);
    constraints += ",b";
  }
  Type integer = b.getIntegerType(bits);
  auto assembly =
      LLVM::InlineAsmOp::create(b, loc, integer, operands, text, constraints + ",~{memory}",
                                /*has_side_effects=*/true, /*is_align_stack=*/false,
                                LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
  Value old = assembly.getResult(0);
  return element == integer ? old : Value(LLVM::BitcastOp::create(b, loc, element, old));
}

struct AtomicPattern : ConvertOpToLLVMPattern<AtomicGlobalOp> {
  AtomicPattern(LLVMTypeConverter &types, const Target &target)
      : ConvertOpToLLVMPattern(types), target(target) {}

  LogicalResult matchAndRewrite(AtomicGlobalOp op, OpAdaptor in,
                                ConversionPatternRewriter &b) const override {
    Type element = in.getValue().getType();
    unsigned bits = element.getIntOrFloatBitWidth();
    Text text(bits, in.getPredicate() != nullptr, modifiers(op.getOrdering(), op.getScope()));
    b.replaceOp(op, assemble(b, op.getLoc(), textOf(op, text, element, bits), element, in.getPtr(),
                             {in.getValue()}, in.getPredicate()));
    return success();
  }

 private:
  std::string textOf(AtomicGlobalOp op, const Text &text, Type element, unsigned width) const {
    std::string bits = std::to_string(width);
    switch (op.getUpdate()) {
    case ir::Update::fmax:
      return text.bySign("max.s" + bits, "min.u" + bits);
    case ir::Update::fmin:
      return text.bySign("min.s" + bits, "max.u" + bits);
    case ir::Update::fadd:
      if (element.isBF16() && target.version() < 90)
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

struct SwapPattern : ConvertOpToLLVMPattern<SwapGlobalOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(SwapGlobalOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    Type element = in.getDesired().getType();
    std::string bits = std::to_string(element.getIntOrFloatBitWidth());
    std::string text =
        "atom" + modifiers(op.getOrdering(), op.getScope()) + ".cas.b" + bits + " $0, [$1], $2, $3;";
    if (in.getPredicate())
      text = "mov.b" + bits + " $0, 0; @$4 " + text;
    b.replaceOp(op, assemble(b, op.getLoc(), text, element, in.getPtr(), {in.getExpected(), in.getDesired()},
                             in.getPredicate()));
    return success();
  }
};

}   // namespace

void populateAtomicPatterns(LLVMTypeConverter &types, const Target &target, RewritePatternSet &patterns) {
  patterns.add<AtomicPattern>(types, target);
  patterns.add<SwapPattern>(types);
}

}   // namespace tile::gpu
