// SPDX-License-Identifier: MIT
// `tile-gpu-floats-to-ring`: what one thread computes with floats, on integers instead. It runs before floats
// are expanded into tricks with their format, when each operation of the language is still one operation.
#include "compiler/analysis/float_ring.h"
#include "compiler/lowering/passes.h"
#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUFLOATSTORING
#include "compiler/lowering/passes.h.inc"

namespace {

// What float_ring.h computes with, as operations on integers of one width.
class Arithmetic {
 public:
  Arithmetic(ImplicitLocOpBuilder &b, IntegerType type) : b_(b), type_(type) {}
  unsigned width() const { return type_.getWidth(); }
  Value constant(std::uint64_t value) {
    llvm::APInt bits(width(), value, /*isSigned=*/false, /*implicitTrunc=*/true);
    return arith::ConstantOp::create(b_, b_.getIntegerAttr(type_, bits));
  }
  Value add(Value a, Value b) { return arith::AddIOp::create(b_, a, b); }
  Value sub(Value a, Value b) { return arith::SubIOp::create(b_, a, b); }
  Value mul(Value a, Value b) { return arith::MulIOp::create(b_, a, b); }
  Value xor_(Value a, Value b) { return arith::XOrIOp::create(b_, a, b); }
  Value or_(Value a, Value b) { return arith::OrIOp::create(b_, a, b); }
  Value shiftRight(Value a, unsigned by) { return arith::ShRUIOp::create(b_, a, constant(by)); }
  Value maximum(Value a, Value b) { return arith::MaxSIOp::create(b_, a, b); }
  Value minimum(Value a, Value b) { return arith::MinSIOp::create(b_, a, b); }

 private:
  ImplicitLocOpBuilder &b_;
  IntegerType type_;
};

bool hasFloats(Operation *op) {
  auto isFloat = [](Type type) { return isa<FloatType>(type); };
  return llvm::any_of(op->getOperandTypes(), isFloat) || llvm::any_of(op->getResultTypes(), isFloat);
}

struct FloatsToRing : impl::TileGpuFloatsToRingBase<FloatsToRing> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (hasFloats(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      if (failed(convert(op)))
        return signalPassFailure();
    getOperation()->setAttr("tile_gpu.ring_floats", UnitAttr::get(&getContext()));
  }

 private:
  static LogicalResult convert(Operation *op) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    auto integerFor = [&](Type type) { return b.getIntegerType(type.getIntOrFloatBitWidth()); };
    auto bits = [&](Value v) -> Value {
      return isa<FloatType>(v.getType()) ? Value(arith::BitcastOp::create(b, integerFor(v.getType()), v)) : v;
    };
    auto replace = [&](Value v) {
      Type type = op->getResult(0).getType();
      if (v.getType() != type)
        v = arith::BitcastOp::create(b, type, v);
      op->getResult(0).replaceAllUsesWith(v);
      op->erase();
      return success();
    };
    StringRef name = op->getName().getStringRef();
    if (auto function = float_ring::function(name)) {
      Arithmetic arithmetic(b, integerFor(op->getResult(0).getType()));
      Value operands[3];
      for (auto [i, operand] : llvm::enumerate(op->getOperands()))
        operands[i] = bits(operand);
      return replace(float_ring::apply(arithmetic, *function, operands[0], operands[1], operands[2]));
    }
    if (auto extension = float_ring::conversion(name))
      return replace(resized(b, bits(op->getOperand(0)), integerFor(op->getResult(0).getType()), *extension));
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](arith::ConstantOp op) {
          auto number = dyn_cast<FloatAttr>(op.getValue());
          if (!number)
            return unknown(op);
          return replace(arith::ConstantOp::create(
              b, b.getIntegerAttr(integerFor(op.getType()), embedded(number.getValue()))));
        })
        .Case([&](TableOp op) {
          IntegerType integer = integerFor(op.getType());
          SmallVector<llvm::APInt> elements;
          for (const llvm::APFloat &number :
               cast<DenseElementsAttr>(op.getValues()).getValues<llvm::APFloat>())
            elements.push_back(embedded(number));
          auto type = RankedTensorType::get({static_cast<int64_t>(elements.size())}, integer);
          return replace(TableOp::create(b, integer, DenseElementsAttr::get(type, elements), op.getIndex()));
        })
        .Case([&](arith::CmpFOp op) {
          float_ring::Comparison how = float_ring::comparison(static_cast<int>(op.getPredicate()));
          if (!how.predicate)
            return replace(arith::ConstantIntOp::create(b, how.always, 1));
          Value left = bits(op.getLhs()), right = bits(op.getRhs());
          auto predicate = static_cast<arith::CmpIPredicate>(*how.predicate);
          return replace(arith::CmpIOp::create(b, predicate, left, right));
        })
        .Case([&](AtomicGlobalOp op) {
          ir::Update update = op.getUpdate();
          op.setUpdate(update == ir::Update::fadd   ? ir::Update::add
                       : update == ir::Update::fmax ? ir::Update::smax
                       : update == ir::Update::fmin ? ir::Update::smin
                                                    : update);
          return success();
        })
        .Case([&](AddGlobalOp op) {
          for (auto [i, value] : llvm::enumerate(op.getValues())) {
            Value at = arith::ConstantIntOp::create(b, static_cast<int64_t>(i), 32);
            Value ptr = ir::AddPtrOp::create(b, op.getPtr().getType(), op.getPtr(), at);
            AtomicGlobalOp::create(b, value.getType(), ir::Update::add, ptr, value, op.getPredicate(),
                                   ir::Ordering::relaxed, op.getScope());
          }
          op->erase();
          return success();
        })
        .Case<arith::SelectOp, arith::BitcastOp>([](auto) { return success(); })
        .Default([&](Operation *op) {
          bool computes = isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect());
          return computes ? unknown(op) : success();
        });
  }

  static llvm::APInt embedded(llvm::APFloat number) {
    llvm::APInt bits = number.bitcastToAPInt();
    bool isInexact;
    number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &isInexact);
    return {bits.getBitWidth(),
            float_ring::embedded(number.convertToDouble(), bits.getZExtValue(), bits.getBitWidth())};
  }

  static LogicalResult unknown(Operation *op) {
    return op->emitError()
           << "`" << op->getName()
           << "` has no meaning for ring floats; compiler/analysis/float_ring.h lists what has one";
  }

  static Value resized(ImplicitLocOpBuilder &b, Value v, IntegerType to, float_ring::Extension extension) {
    unsigned from = v.getType().getIntOrFloatBitWidth();
    if (from == to.getWidth())
      return v;
    if (from > to.getWidth())
      return arith::TruncIOp::create(b, to, v);
    return extension == float_ring::Extension::sign ? Value(arith::ExtSIOp::create(b, to, v))
                                                    : Value(arith::ExtUIOp::create(b, to, v));
  }
};

}   // namespace
}   // namespace tile::gpu
