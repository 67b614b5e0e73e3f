// SPDX-License-Identifier: MIT
// Constant data of a module: tables, and the formats of printf.
#include "compiler/lowering/llvm/patterns.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tile::gpu {
namespace {

// A constant of the module with this value: there is one of each.
LLVM::GlobalOp constantGlobal(ConversionPatternRewriter &b, Operation *user, Type type, Attribute value,
                              StringRef name, unsigned space) {
  auto module = user->getParentOfType<ModuleOp>();
  std::string symbol;
  for (unsigned i = 0;; ++i) {
    symbol = (name + "_" + Twine(i)).str();
    auto found = module.lookupSymbol<LLVM::GlobalOp>(symbol);
    if (!found)
      break;
    if (found.getValueOrNull() == value && found.getGlobalType() == type)
      return found;
  }
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  return LLVM::GlobalOp::create(b, module.getLoc(), type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                symbol, value, /*alignment=*/16, space);
}

struct TablePattern : ConvertOpToLLVMPattern<TableOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(TableOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    constexpr unsigned GlobalSpace = 1;
    Location loc = op.getLoc();
    auto elements = cast<DenseElementsAttr>(op.getValues());
    Type element = elements.getElementType();
    unsigned width = std::max(8u, element.getIntOrFloatBitWidth());
    // As bits: LLVM has no data of every float type, and a condition is a byte.
    SmallVector<APInt> bits;
    if (isa<FloatType>(element))
      for (const APFloat &v : elements.getValues<APFloat>())
        bits.push_back(v.bitcastToAPInt());
    else
      for (const APInt &v : elements.getValues<APInt>())
        bits.push_back(v.zext(width));
    Type stored = b.getIntegerType(width);
    auto data = DenseElementsAttr::get(RankedTensorType::get({elements.getNumElements()}, stored), bits);
    Type array = LLVM::LLVMArrayType::get(stored, static_cast<unsigned>(bits.size()));
    LLVM::GlobalOp global = constantGlobal(b, op, array, data, "tile_table", GlobalSpace);
    Value base = LLVM::AddressOfOp::create(b, loc, global);
    Value at = LLVM::GEPOp::create(b, loc, base.getType(), stored, base, ValueRange{in.getIndex()});
    Value v = LLVM::LoadOp::create(b, loc, stored, at);
    Type wanted = getTypeConverter()->convertType(element);
    if (wanted.isInteger(1))
      v = LLVM::TruncOp::create(b, loc, wanted, v);
    else if (wanted != stored)
      v = LLVM::BitcastOp::create(b, loc, wanted, v);
    b.replaceOp(op, v);
    return success();
  }
};

struct FaultRecordPattern : ConvertOpToLLVMPattern<FaultRecordOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(FaultRecordOp op, OpAdaptor, ConversionPatternRewriter &b) const override {
    constexpr unsigned GlobalSpace = 1;
    constexpr int64_t Numbers = 6;
    auto module = op->getParentOfType<ModuleOp>();
    auto global = module.lookupSymbol<LLVM::GlobalOp>("tile_fault");
    if (!global) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      Type i32 = b.getI32Type();
      auto zeros = DenseElementsAttr::get(RankedTensorType::get({Numbers}, i32), b.getI32IntegerAttr(0));
      global = LLVM::GlobalOp::create(b, module.getLoc(), LLVM::LLVMArrayType::get(i32, Numbers),
                                      /*isConstant=*/false, LLVM::Linkage::External, "tile_fault", zeros,
                                      /*alignment=*/16, GlobalSpace);
    }
    b.replaceOp(op, LLVM::AddressOfOp::create(b, op.getLoc(), global));
    return success();
  }
};

// i32 vprintf(format, values), which the driver brings along: the values lie one after the other, each
// aligned to its size.
struct PrintfPattern : ConvertOpToLLVMPattern<PrintfOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult matchAndRewrite(PrintfOp op, OpAdaptor in, ConversionPatternRewriter &b) const override {
    Location loc = op.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    std::string text = op.getFormat().str() + '\0';
    LLVM::GlobalOp format =
        constantGlobal(b, op, LLVM::LLVMArrayType::get(b.getI8Type(), static_cast<unsigned>(text.size())),
                       b.getStringAttr(text), "tile_format", 0);
    Value buffer;
    if (in.getValues().empty()) {
      buffer = LLVM::ZeroOp::create(b, loc, pointer);
    } else {
      Type type =
          LLVM::LLVMStructType::getLiteral(b.getContext(), llvm::to_vector(in.getValues().getTypes()));
      buffer = stackBuffer(b, op, pointer, type);
      for (auto [i, v] : llvm::enumerate(in.getValues())) {
        Value at = LLVM::GEPOp::create(b, loc, pointer, type, buffer,
                                       ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(i)});
        LLVM::StoreOp::create(b, loc, v, at);
      }
    }
    Value formatAddress = LLVM::AddressOfOp::create(b, loc, format);
    LLVM::CallOp::create(b, loc, vprintf(b, op), ValueRange{formatAddress, buffer});
    b.eraseOp(op);
    return success();
  }

 private:
  // In the first block of the function, or it would grow the stack in a loop.
  static Value stackBuffer(ConversionPatternRewriter &b, PrintfOp op, Type pointer, Type type) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&op->getParentOfType<FunctionOpInterface>().getFunctionBody().front());
    Value one = LLVM::ConstantOp::create(b, op.getLoc(), b.getI32Type(), 1);
    return LLVM::AllocaOp::create(b, op.getLoc(), pointer, type, one, /*alignment=*/8);
  }

  static LLVM::LLVMFuncOp vprintf(ConversionPatternRewriter &b, PrintfOp op) {
    auto module = op->getParentOfType<ModuleOp>();
    if (auto found = module.lookupSymbol<LLVM::LLVMFuncOp>("vprintf"))
      return found;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    return LLVM::LLVMFuncOp::create(b, module.getLoc(), "vprintf",
                                    LLVM::LLVMFunctionType::get(b.getI32Type(), {pointer, pointer}));
  }
};

}   // namespace

void populateGlobalPatterns(LLVMTypeConverter &types, RewritePatternSet &patterns) {
  patterns.add<TablePattern, FaultRecordPattern, PrintfPattern>(types);
}

}   // namespace tile::gpu
