// SPDX-License-Identifier: MIT
// One wgmma for each fragment of the sums (warpgroup_fragments.h) and each step of K.
#include "compiler/lowering/distribute/warpgroup_products.h"

#include "compiler/analysis/matrix_products.h"
#include "compiler/analysis/warpgroup_fragments.h"
#include "compiler/lowering/distribute/words.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

#include <array>
#include <map>

using namespace mlir;

namespace tile::gpu {

using layout::Coordinates;
using layout::Dim;
using layout::TileLayout;

namespace {

constexpr unsigned WarpsOfGroup = 4;

std::optional<SharedOperand> sharedOperand(Value tile, unsigned along) {
  return SharedOperand::of(layoutOf(tile), ir::getElementType(tile.getType()).getIntOrFloatBitWidth(), along);
}

// What the number of the warp's group adds to a place, in bytes.
Value ofGroup(const SharedOperand &operand, const TileLayout &sums, unsigned axis, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  Value total;
  for (unsigned bit = 2; bit < sums.linear().inBits(Dim::Warp); ++bit) {
    const auto at = static_cast<std::int64_t>(sums.linear().basis(Dim::Warp, bit, layout::axis(axis)));
    if (at == 0)
      continue;
    Value set = arith::AndIOp::create(
        b, arith::ShRUIOp::create(b, d.threads().uniformWarp(), d.constant(bit)), d.constant(1));
    Value bytes = arith::MulIOp::create(b, set, d.constant(operand.offset(at, 0)));
    total = total ? Value(arith::AddIOp::create(b, total, bytes)) : bytes;
  }
  return total;
}

// The descriptor of what begins so many bytes behind the tile's first element, or the group's. Only its lower
// half depends on the place; the assembler keeps the upper one where it is.
class Descriptor {
 public:
  Descriptor(const SharedOperand &operand, Value tile, Value group, Distribution &d)
      : form_(operand.form()), d_(d) {
    ImplicitLocOpBuilder &b = d.build();
    Value address = LLVM::PtrToIntOp::create(b, b.getI32Type(), d.registers(tile).front());
    if (group)
      address = arith::AddIOp::create(b, address, group);
    Value start =
        arith::ShRUIOp::create(b, arith::AndIOp::create(b, address, d.constant(0x3FFFF)), d.constant(4));
    first_ = arith::OrIOp::create(b, start, d.constant(static_cast<std::int32_t>(form_ & 0xFFFFFFFF)));
  }

  Value after(std::int64_t bytes) const {
    ImplicitLocOpBuilder &b = d_.build();
    Value low = bytes ? Value(arith::AddIOp::create(b, first_, d_.constant(bytes >> 4))) : first_;
    Value high =
        arith::ConstantIntOp::create(b, static_cast<std::int64_t>(form_ & ~std::uint64_t(0xFFFFFFFF)), 64);
    return arith::OrIOp::create(b, arith::ExtUIOp::create(b, b.getI64Type(), low), high);
  }

 private:
  std::uint64_t form_;
  Distribution &d_;
  Value first_;
};

// Operand A: a descriptor of shared memory, or words of each thread, as they are in the registers of
// mma.sync.
class LeftOperand {
 public:
  // Nothing where the unit cannot take it.
  static std::optional<LeftOperand> of(ir::DotOp dot, const MatrixUnit &unit,
                                       ArrayRef<WarpgroupFragment> fragments, Distribution &d) {
    LeftOperand left(unit, d);
    if (isInShared(dot.getA())) {
      left.shared_ = sharedOperand(dot.getA(), 0);
      if (!left.shared_ || (left.shared_->isTransposed() && !unit.a.alongEitherAxis))
        return std::nullopt;
      const TileLayout sums = layoutOf(dot.getResult());
      left.descriptor_.emplace(*left.shared_, dot.getA(), ofGroup(*left.shared_, sums, 0, d), d);
      return left;
    }
    for (auto &[coordinates, reg] : layoutOf(dot.getA()).registersOfFirstThread())
      left.registers_.emplace(coordinates, d.registers(dot.getA())[static_cast<size_t>(reg)]);
    const std::int64_t depth = ir::getShape(dot.getA().getType()).back();
    for (const WarpgroupFragment &fragment : fragments)
      for (std::int64_t k = 0; k < depth; k += unit.k)
        for (const Coordinates &first : left.firstOfWords(fragment.row, k))
          for (std::int64_t i = 0; i < left.perWord(); ++i)
            if (!left.registers_.contains({first[0], first[1] + i}))
              return std::nullopt;
    return left;
  }

  bool isTransposed() const { return shared_ && shared_->isTransposed(); }
  // Words of these steps of K, which are to be there when the first instruction begins.
  void prepare(ArrayRef<WarpgroupFragment> fragments, std::int64_t from, std::int64_t to) {
    if (descriptor_)
      return;
    for (const WarpgroupFragment &fragment : fragments)
      for (std::int64_t k = from; k < to; k += unit_->k)
        for (const Coordinates &first : firstOfWords(fragment.row, k)) {
          auto [word, isNew] = words_.try_emplace(first);
          if (!isNew)
            continue;
          SmallVector<Value> elements;
          for (std::int64_t i = 0; i < perWord(); ++i)
            elements.push_back(registers_.at({first[0], first[1] + i}));
          word->second = toWords(d_->build(), elements).front();
        }
  }
  SmallVector<Value, 4> at(std::int64_t row, std::int64_t k) const {
    if (descriptor_)
      return {descriptor_->after(shared_->offset(row, k))};
    SmallVector<Value, 4> words;
    for (const Coordinates &first : firstOfWords(row, k))
      words.push_back(words_.at(first));
    return words;
  }

 private:
  LeftOperand(const MatrixUnit &unit, Distribution &d) : unit_(&unit), d_(&d) {}

  std::int64_t perWord() const { return 32 / bitsOf(unit_->a.element); }
  std::array<Coordinates, 4> firstOfWords(std::int64_t row, std::int64_t k) const {
    const std::int64_t next = k + unit_->k / 2, lower = row + 8;
    return {{{row, k}, {lower, k}, {row, next}, {lower, next}}};
  }

  const MatrixUnit *unit_;
  Distribution *d_;
  std::optional<SharedOperand> shared_;
  std::optional<Descriptor> descriptor_;
  std::map<Coordinates, Value> registers_, words_;   // elements, and several of them in 32 bits
};

}   // namespace

// The accumulators of the instructions, of the registers of a product's sums, and back.
static SmallVector<Value> gather(ImplicitLocOpBuilder &b, ArrayRef<WarpgroupFragment> fragments,
                                 const Registers &registers) {
  SmallVector<Value> accumulators;
  for (const WarpgroupFragment &fragment : fragments) {
    Value all = LLVM::PoisonOp::create(
        b, LLVM::LLVMStructType::getLiteral(
               b.getContext(), SmallVector<Type>(fragment.registers.size(), registers.front().getType())));
    for (auto [i, reg] : llvm::enumerate(fragment.registers))
      all = LLVM::InsertValueOp::create(b, all, registers[static_cast<size_t>(reg)],
                                        ArrayRef<int64_t>{static_cast<int64_t>(i)});
    accumulators.push_back(all);
  }
  return accumulators;
}
static void scatter(ImplicitLocOpBuilder &b, ArrayRef<WarpgroupFragment> fragments, ValueRange accumulators,
                    Registers &registers) {
  for (auto [fragment, all] : llvm::zip(fragments, accumulators))
    for (auto [i, reg] : llvm::enumerate(fragment.registers))
      registers[static_cast<size_t>(reg)] =
          LLVM::ExtractValueOp::create(b, all, ArrayRef<int64_t>{static_cast<int64_t>(i)});
}

// The product that may be on its way; null where the loop around it is known to make none.
static ir::DotOp productOf(AwaitProductsOp await) {
  Value sums = await.getSums();
  if (auto loop = sums.getDefiningOp<scf::ForOp>())
    sums = loop.getYieldedValues()[cast<OpResult>(sums).getResultNumber()];
  return sums.getDefiningOp<ir::DotOp>();
}

void awaitProducts(AwaitProductsOp await, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  Registers registers = Registers(d.registers(await.getSums()));
  if (ir::DotOp dot = productOf(await)) {
    const auto right = sharedOperand(dot.getB(), 1);
    const auto fragments =
        warpgroupFragments(layoutOf(dot.getResult()), *right, *matrixUnitOf(dot, d.target()));
    SmallVector<Value> accumulators = gather(b, *fragments, registers);
    auto done =
        PtxWgmmaWaitOp::create(b, TypeRange(ValueRange(accumulators)), await.getPending(), accumulators);
    scatter(b, *fragments, done.getResults(), registers);
  }
  d.set(await.getResult(), std::move(registers));
}

// A word of the first and of the last register of each tile.
void computeFirst(ComputeFirstOp first, Distribution &d) {
  SmallVector<Value> words;
  for (Value tile : first.getTiles()) {
    ArrayRef<Value> registers = d.registers(tile);
    for (Value end : {registers.front(), registers.back()}) {
      Value word = toWords(d.build(), end).front();
      if (!llvm::is_contained(words, word))
        words.push_back(word);
    }
  }
  PtxComputeFirstOp::create(d.build(), words);
}

LogicalResult warpgroupProduct(ir::DotOp dot, const MatrixUnit &unit, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  const TileLayout sums = layoutOf(dot.getResult());
  const auto right = sharedOperand(dot.getB(), 1);
  const auto fragments = right ? warpgroupFragments(sums, *right, unit) : std::nullopt;
  auto mayTranspose = [](const SharedOperand &operand, const MatrixOperand &of) {
    return !operand.isTransposed() || of.alongEitherAxis;
  };
  std::optional<LeftOperand> a =
      fragments ? LeftOperand::of(dot, unit, *fragments, d) : std::optional<LeftOperand>();
  if (!a || layoutOf(dot.getAcc()) != sums || sums.warps() % WarpsOfGroup != 0 ||
      !mayTranspose(*right, unit.b))
    return dot.emitError("the layouts of these tiles do not fit wgmma");

  const Descriptor ofB(*right, dot.getB(), ofGroup(*right, sums, 1, d), d);
  Registers registers = Registers(d.registers(dot.getAcc()));
  Type typeA = typeOf(unit.a.element, b.getContext()), typeB = typeOf(unit.b.element, b.getContext());

  // Of 8-bit floats the unit adds up fewer bits than f32 has: so many elements of K at a time, if asked for.
  const std::int64_t depth = ir::getShape(dot.getA().getType()).back(), limit = dot.getMaxImpreciseAcc();
  const bool beginsAnew =
      limit || matchPattern(dot.getAcc(), m_AnyZeroFloat()) || matchPattern(dot.getAcc(), m_Zero());
  const std::int64_t atOnce = limit ? std::max<std::int64_t>(unit.k, limit / unit.k * unit.k) : depth;
  for (std::int64_t from = 0; from < depth; from += atOnce) {
    SmallVector<Value> accumulators = gather(b, *fragments, registers);
    if (beginsAnew)   // what is there is not looked at
      for (Value &all : accumulators)
        all = LLVM::UndefOp::create(b, all.getType());
    const std::int64_t to = std::min(from + atOnce, depth);
    a->prepare(*fragments, from, to);
    NVVM::WgmmaFenceAlignedOp::create(b);
    for (std::int64_t k = from; k < to; k += unit.k)
      for (auto [fragment, all] : llvm::zip(*fragments, accumulators)) {
        const SmallVector<Value, 4> fromA = a->at(fragment.row, k);
        Value fromB = ofB.after(right->offset(fragment.column, k));
        Value adds = beginsAnew && k == from ? Value(arith::ConstantIntOp::create(b, 0, 1)) : Value();
        all = PtxWgmmaOp::create(b, all.getType(), fromA, fromB, all, adds,
                                 static_cast<uint32_t>(fragment.columns), typeA, typeB, a->isTransposed(),
                                 right->isTransposed(), /*negate_a=*/false, /*negate_b=*/false);
      }
    NVVM::WgmmaGroupSyncAlignedOp::create(b);
    // One that a loop hands on has waited for the one before it; one that is awaited further down has none.
    const bool goesOn = dot->hasAttr(InFlightName);
    if (!goesOn || !llvm::all_of(dot->getUsers(), llvm::IsaPred<AwaitProductsOp>)) {
      auto done =
          PtxWgmmaWaitOp::create(b, TypeRange(ValueRange(accumulators)), goesOn ? 1U : 0U, accumulators);
      accumulators.assign(done.getResults().begin(), done.getResults().end());
    }
    Registers made = registers;
    scatter(b, *fragments, accumulators, made);
    for (auto [sum, part] : llvm::zip(registers, made))
      sum = limit ? Value(arith::AddFOp::create(b, sum, part)) : part;
  }
  d.set(dot.getResult(), std::move(registers));
  return success();
}

}   // namespace tile::gpu
