// SPDX-License-Identifier: MIT
// `tile-descriptors-to-pointers`: blocks of described tensors become tiles of pointers with masks.
//
// A descriptor becomes its parts, which loops and branches carry in its place: the base, the extents, the
// strides, and whether its padding is NaN. An access at (i, k) to blocks of 128 x 64 becomes
//
//    rows    i + arange(0, 128), each inside if 0 <= row < extent 0, at arange(0, 128) * stride 0
//    columns k + arange(0, 64),  each inside if 0 <= column < extent 1, at arange(0, 64)
//
// and the pointers (base + i * stride 0 + k) + rows + columns, masked by both. In a loop that goes along an
// axis only the part in parentheses changes, one number for all threads. What the language promises of a
// descriptor is told to the axis analysis: the base and the rows lie at multiples of 16 bytes. Where it is
// not known already, the kernel checks it when it makes the descriptor.
#include "compiler/analysis/axis_analysis.h"
#include "compiler/analysis/descriptor_rules.h"
#include "compiler/analysis/kernel_form.h"
#include "compiler/transforms/passes.h"
#include "dialects/tile/dialect.h"
#include "dialects/tile/launch_attributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;

namespace tile::ir {
#define GEN_PASS_DEF_TILEDESCRIPTORSTOPOINTERS
#include "compiler/transforms/passes.h.inc"

namespace {

// The parts of a descriptor, in this order.
struct Parts {
  Value base;
  ValueRange shape, strides;
  Value nan;   // i1

  Parts(TypedValue<DescType> desc, ValueRange all) : base(all.front()), nan(all.back()) {
    size_t rank = desc.getType().getBlock().size();
    shape = all.slice(1, rank);
    strides = all.slice(1 + rank, rank);
  }
};

Value constant(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(type, value));
}

Value assumeDivisible(ImplicitLocOpBuilder &b, Value v, int64_t by) {
  return AssumeOp::create(b, v.getType(), v, b.getI64IntegerAttr(by), IntegerAttr(), IntegerAttr(),
                          DenseI64ArrayAttr());
}

// Where the elements of a block are, and which of them are inside the tensor.
struct Block {
  Value pointers, mask;
};

// A tile of one axis of the block, [extent], to the shape of the access: [extent, 1] to [extent, 64].
Value spread(ImplicitLocOpBuilder &b, Value line, unsigned axis, ArrayRef<int64_t> shape) {
  for (unsigned i = 0; i < shape.size(); ++i)
    if (i != axis) {
      SmallVector<int64_t> wider(cast<RankedTensorType>(line.getType()).getShape());
      wider.insert(wider.begin() + i, 1);
      auto type = RankedTensorType::get(wider, getElementType(line.getType()));
      line = ExpandDimsOp::create(b, type, line, b.getI32IntegerAttr(static_cast<int32_t>(i)));
    }
  auto type = RankedTensorType::get(shape, getElementType(line.getType()));
  return line.getType() == type ? line : Value(BroadcastOp::create(b, type, line));
}

// `shape` may lack leading extents of 1 that the block has.
Block blockAt(ImplicitLocOpBuilder &b, const Parts &parts, ValueRange coords, ArrayRef<int64_t> shape) {
  unsigned dropped = static_cast<unsigned>(parts.shape.size() - shape.size());
  Type i64 = b.getI64Type();
  auto inside = [&](Value index, Value extent, Value zero) -> Value {
    Value low = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, index, zero);
    Value high = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, extent);
    return arith::AndIOp::create(b, low, high);
  };
  Value base = parts.base, all;
  auto moveBase = [&](Value index, unsigned axis) {
    Value offset = index;
    if (axis + 1 != parts.shape.size())   // the last stride is 1
      offset = arith::MulIOp::create(b, index, parts.strides[axis]);
    base = AddPtrOp::create(b, base.getType(), base, offset, UnitAttr());
  };
  SmallVector<Value> starts;   // in 64 bits: a coordinate near the end of i32 does not wrap
  for (auto [axis, coordinate] : llvm::enumerate(coords)) {
    starts.push_back(arith::ExtSIOp::create(b, i64, coordinate));
    moveBase(starts.back(), static_cast<unsigned>(axis));
  }
  for (unsigned i = 0; i < dropped; ++i) {
    Value isInside = inside(starts[i], parts.shape[i], constant(b, i64, 0));
    all = all ? Value(arith::AndIOp::create(b, all, isInside)) : isInside;
  }
  Type pointerTile = RankedTensorType::get(shape, base.getType());
  Block block{SplatOp::create(b, pointerTile, base),
              all ? Value(SplatOp::create(b, RankedTensorType::get(shape, b.getI1Type()), all)) : Value()};
  for (unsigned axis = 0; axis < shape.size(); ++axis) {
    auto line = RankedTensorType::get({shape[axis]}, i64);
    auto splat = [&](Value v) -> Value { return SplatOp::create(b, line, v); };
    Value numbers = ArangeOp::create(b, RankedTensorType::get({shape[axis]}, b.getI32Type()), 0,
                                     static_cast<int32_t>(shape[axis]));
    Value offset = arith::ExtSIOp::create(b, line, numbers);
    Value index = arith::AddIOp::create(b, splat(starts[dropped + axis]), offset);
    Value extent = splat(parts.shape[dropped + axis]), zero = splat(constant(b, i64, 0));
    Value isInside = spread(b, inside(index, extent, zero), axis, shape);
    if (axis + 1 != shape.size())
      offset = arith::MulIOp::create(b, offset, splat(parts.strides[dropped + axis]));
    block.pointers =
        AddPtrOp::create(b, pointerTile, block.pointers, spread(b, offset, axis, shape), UnitAttr());
    block.mask = block.mask ? Value(arith::AndIOp::create(b, block.mask, isInside)) : isInside;
  }
  return block;
}

struct MakePattern : OpConversionPattern<MakeDescriptorOp> {
  MakePattern(const TypeConverter &types, MLIRContext *context, const AxisAnalysis &facts)
      : OpConversionPattern(types, context), facts(facts) {}

  LogicalResult matchAndRewrite(MakeDescriptorOp op, OpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    int64_t bytes = op.getType().getElement().getIntOrFloatBitWidth() / 8;
    checkParts(op, b, bytes);
    SmallVector<Value> parts{assumeDivisible(b, in.getBase(), RowAlignment)};
    llvm::append_range(parts, in.getShape());
    for (Value stride : in.getStrides().drop_back())
      parts.push_back(bytes < RowAlignment ? assumeDivisible(b, stride, RowAlignment / bytes) : stride);
    parts.push_back(in.getStrides().back());
    parts.push_back(constant(b, b.getI1Type(), op.getPadding() == Padding::nan));
    rewriter.replaceOpWithMultiple(op, {ValueRange(parts)});
    return success();
  }

 private:
  void checkParts(MakeDescriptorOp op, ImplicitLocOpBuilder &b, int64_t bytes) const {
    Type i64 = b.getI64Type();
    auto demand = [&](Value condition, const Twine &message) {
      AssertOp::create(b, condition, b.getStringAttr("descriptor: " + message), Value());
    };
    auto isMultiple = [&](Value v, int64_t of) -> Value {   // of a power of two
      Value rest = arith::AndIOp::create(b, v, constant(b, i64, of - 1));
      return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, rest, constant(b, i64, 0));
    };
    auto isNonNegative = [&](Value v) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::sge, v, constant(b, i64, 0));
    };
    const OpenRules open = openRules(op, facts);
    if (open.base)
      demand(isMultiple(PtrToIntOp::create(b, i64, op.getBase()), RowAlignment),
             "its base must be aligned to 16 bytes: begin at an aligned element, or load through pointers");
    for (unsigned axis : open.extents)
      demand(isNonNegative(op.getShape()[axis]), "extent " + Twine(axis) + " cannot be negative");
    for (const auto &[axis, known] : open.strides) {
      Value stride = op.getStrides()[axis], holds = isNonNegative(stride);
      if (!known)
        holds = arith::AndIOp::create(b, holds, isMultiple(stride, RowAlignment / bytes));
      demand(holds, "stride " + Twine(axis) + " must be a multiple of 16 bytes, and not negative");
    }
    if (open.lastStride)
      demand(arith::CmpIOp::create(b, arith::CmpIPredicate::eq, op.getStrides().back(), constant(b, i64, 1)),
             "the last stride must be 1");
  }

  const AxisAnalysis &facts;
};

struct LoadPattern : OpConversionPattern<DescriptorLoadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorLoadOp op, OneToNOpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Parts parts(op.getDesc(), in.getDesc());
    auto result = cast<RankedTensorType>(op.getType());
    Block block = blockAt(b, parts, op.getCoords(), result.getShape());
    Value other;
    if (auto floats = dyn_cast<FloatType>(result.getElementType());
        floats && !matchPattern(parts.nan, m_Zero())) {
      auto number = [&](const APFloat &v) -> Value {
        return arith::ConstantOp::create(b, b.getFloatAttr(floats, v));
      };
      const llvm::fltSemantics &semantics = floats.getFloatSemantics();
      Value padding = arith::SelectOp::create(b, parts.nan, number(APFloat::getNaN(semantics)),
                                              number(APFloat::getZero(semantics)));
      other = SplatOp::create(b, result, padding);
    }
    rewriter.replaceOpWithNewOp<LoadOp>(op, result, block.pointers, block.mask, other, op.getCache(),
                                        op.getEvict(),
                                        /*is_volatile=*/false);
    return success();
  }
};

struct StorePattern : OpConversionPattern<DescriptorStoreOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorStoreOp op, OneToNOpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Block block =
        blockAt(b, Parts(op.getDesc(), in.getDesc()), op.getCoords(), getShape(op.getValue().getType()));
    auto store = rewriter.replaceOpWithNewOp<StoreOp>(op, block.pointers, op.getValue(), block.mask,
                                                      Cache::none, Evict::normal, /*is_volatile=*/false);
    if (Attribute inPlace = op->getAttr(StoredInPlaceName))
      store->setAttr(StoredInPlaceName, inPlace);
    return success();
  }
};

struct ReducePattern : OpConversionPattern<DescriptorReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(DescriptorReduceOp op, OneToNOpAdaptor in,
                                ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Block block =
        blockAt(b, Parts(op.getDesc(), in.getDesc()), op.getCoords(), getShape(op.getValue().getType()));
    AtomicRmwOp::create(b, op.getValue().getType(), op.getUpdate(), block.pointers, op.getValue(), block.mask,
                        Ordering::relaxed, Scope::gpu);
    rewriter.eraseOp(op);
    return success();
  }
};

struct DescriptorsToPointers : impl::TileDescriptorsToPointersBase<DescriptorsToPointers> {
  void runOnOperation() override {
    if (failed(checkTiles(getOperation())))
      return signalPassFailure();
    MLIRContext *context = &getContext();
    TypeConverter types;
    types.addConversion([](Type type) { return type; });
    types.addConversion([](DescType type, SmallVectorImpl<Type> &parts) {
      Type i64 = IntegerType::get(type.getContext(), 64);
      parts.push_back(PtrType::get(type.getElement()));
      parts.append(2 * type.getBlock().size(), i64);
      parts.push_back(IntegerType::get(type.getContext(), 1));
      return success();
    });
    AxisAnalysis facts(getOperation());
    RewritePatternSet patterns(context);
    patterns.add<MakePattern>(types, context, facts);
    patterns.add<LoadPattern, StorePattern, ReducePattern>(types, context);
    ConversionTarget target(*context);
    target.addIllegalOp<MakeDescriptorOp, DescriptorLoadOp, DescriptorStoreOp, DescriptorReduceOp>();
    scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), target, std::move(patterns))))
      signalPassFailure();
  }
};

}   // namespace
}   // namespace tile::ir
