// SPDX-License-Identifier: MIT
// Accesses to memory as assembly text.
#include "compiler/lowering/ptx/ptx_text.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile::gpu {
namespace {

// ".global.cg" and ".global.L1::evict_first". PTX takes one of the two: what ca and wb say is the case
// anyway, and with the others L1 has nothing to evict.
std::string modifiers(ir::Cache cache, ir::Evict evict, bool isVolatile) {
  if (isVolatile)
    return ".volatile.global";
  bool isDefault = cache == ir::Cache::none || cache == ir::Cache::ca || cache == ir::Cache::wb;
  if (!isDefault || (cache != ir::Cache::none && evict == ir::Evict::normal))
    return ".global." + ir::stringifyCache(cache).str();
  return evict == ir::Evict::normal ? ".global" : ".global.L1::evict_" + ir::stringifyEvict(evict).str();
}
// ".v4.b32".
std::string shape(size_t count, unsigned wordBits) {
  std::string text = count > 1 ? ".v" + std::to_string(count) : "";
  return text + ".b" + std::to_string(wordBits);
}
std::string list(size_t count, size_t first) {
  std::string text = count > 1 ? "{" : "";
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text + (count > 1 ? "}" : "");
}

Value toRegister(OpBuilder &b, Location loc, Value word) {
  return word.getType().isInteger(8) ? Value(LLVM::ZExtOp::create(b, loc, b.getI16Type(), word)) : word;
}

struct LoadPattern : OpRewritePattern<PtxLoadOp> {
  using OpRewritePattern::OpRewritePattern;

  // mov.b32 $0, other; @p ld.global.b32 $0, [address];
  LogicalResult matchAndRewrite(PtxLoadOp op, PatternRewriter &b) const override {
    Location loc = op.getLoc();
    size_t count = op.getNumResults();
    unsigned wordBits = op.getResult(0).getType().getIntOrFloatBitWidth();
    unsigned registerBits = std::max(16u, wordBits);
    Type word = b.getIntegerType(registerBits);
    std::string text, constraints, kind = constraint(wordBits);
    for (size_t i = 0; i < count; ++i)
      constraints += (i ? ",=&" : "=&") + kind;
    SmallVector<Value> operands{op.getPtr()};
    constraints += ",l";
    size_t next = count + 1;
    if (op.getPredicate()) {
      operands.push_back(op.getPredicate());
      constraints += ",b";
      std::string predicate = "@$" + std::to_string(next++) + " ";
      for (auto [i, other] : llvm::enumerate(op.getOthers())) {
        operands.push_back(toRegister(b, loc, other));
        constraints += "," + kind;
        text += "mov.b" + std::to_string(registerBits) + " $" + std::to_string(i) + ", $" +
                std::to_string(next++) + "; ";
      }
      text += predicate;
    }
    text += "ld" + modifiers(op.getCache(), op.getEvict(), op.getIsVolatile()) + shape(count, wordBits) +
            " " + list(count, 0) + ", [$" + std::to_string(count) + "];";
    SmallVector<Type> types(count, word);
    Type result = count == 1 ? word : Type(LLVM::LLVMStructType::getLiteral(b.getContext(), types));
    Value loaded = assembly(b, loc, result, operands, text, constraints).getResult(0);
    SmallVector<Value> words;
    for (size_t i = 0; i < count; ++i) {
      Value w = count == 1 ? loaded
                           : Value(LLVM::ExtractValueOp::create(b, loc, loaded,
                                                                ArrayRef<int64_t>{static_cast<int64_t>(i)}));
      if (registerBits != wordBits)
        w = LLVM::TruncOp::create(b, loc, b.getIntegerType(wordBits), w);
      words.push_back(w);
    }
    b.replaceOp(op, words);
    return success();
  }
};

struct StorePattern : OpRewritePattern<PtxStoreOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PtxStoreOp op, PatternRewriter &b) const override {
    size_t count = op.getWords().size();
    unsigned wordBits = op.getWords().front().getType().getIntOrFloatBitWidth();
    SmallVector<Value> operands{op.getPtr()};
    std::string constraints = "l", predicate;
    for (Value word : op.getWords()) {
      operands.push_back(toRegister(b, op.getLoc(), word));
      constraints += "," + constraint(wordBits);
    }
    if (op.getPredicate()) {
      operands.push_back(op.getPredicate());
      constraints += ",b";
      predicate = "@$" + std::to_string(count + 1) + " ";
    }
    std::string text = predicate + "st" + modifiers(op.getCache(), op.getEvict(), op.getIsVolatile()) +
                       shape(count, wordBits) + " [$0], " + list(count, 1) + ";";
    assembly(b, op.getLoc(), TypeRange(), operands, text, constraints);
    b.eraseOp(op);
    return success();
  }
};

// Of shared memory, in another CTA.
struct StoreAsyncPattern : OpRewritePattern<PtxStoreAsyncOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PtxStoreAsyncOp op, PatternRewriter &b) const override {
    const unsigned wordBits = op.getWord().getType().getIntOrFloatBitWidth();
    const std::string text = "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b" +
                             std::to_string(wordBits) + " [$0], $1, [$2];";
    assembly(b, op.getLoc(), TypeRange(), op->getOperands(), text, "l," + constraint(wordBits) + ",l");
    b.eraseOp(op);
    return success();
  }
};

}   // namespace

void populatePtxAccesses(RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern, StoreAsyncPattern>(patterns.getContext());
}

}   // namespace tile::gpu
