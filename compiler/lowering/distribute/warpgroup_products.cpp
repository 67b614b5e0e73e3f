// SPDX-License-Identifier: MIT
// One wgmma for each 64 rows, each run of neighbouring columns and each step of K:
//
//     accumulator of 128 x 256, two groups of four warps        group 0   64 x 256, k = 0, 16, 32, 48
//                                                               group 1   the same of rows 64 to 127
//
// Operands are named by matrix descriptors: where the first element lies, and how far it is to the next piece
// of 8 rows and to the next panel of the swizzle. They follow from the layouts of the tiles, and so does the
// place of a step: wherever it begins, its first row is a multiple of 8, which the swizzle leaves alone.
#include "compiler/lowering/distribute/warpgroup_products.h"

#include "compiler/analysis/matrix_products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {

using layout::Coordinates;
using layout::Dim;
using layout::TileLayout;

namespace {

constexpr unsigned WarpsOfGroup = 4;

// An operand as the matrix unit reads it. `along`: its axis that is not K.
class SharedOperand {
 public:
  static std::optional<SharedOperand> of(Value tile, unsigned along) {
    TileLayout layout = layoutOf(tile);
    unsigned bits = ir::getElementType(tile.getType()).getIntOrFloatBitWidth();
    layout::Shape shape = layout.shape();
    for (unsigned fast : {1U, 0U})
      if (unsigned swizzle = layout::sharedSwizzle(shape, bits, fast))
        if (layout == layout::sharedRows(shape, bits, fast))
          return SharedOperand(std::move(layout), bits, along, fast, swizzle);
    return std::nullopt;
  }

  // Whether the axis that is not K is the one along which memory is contiguous.
  bool isTransposed() const { return fast_ == along_; }
  // Bytes from the tile's begin.
  std::int64_t offset(std::int64_t at, std::int64_t k) const {
    Coordinates place(2);
    place[along_] = at;
    place[1 - along_] = k;
    return layout_.place(place).reg * bits_ / 8;
  }
  // All of the descriptor but the address.
  std::uint64_t form() const {
    const std::uint64_t mode = swizzle_ == 128 ? 1 : swizzle_ == 64 ? 2 : 3;
    return static_cast<std::uint64_t>(leading() >> 4) << 16 |
           static_cast<std::uint64_t>(stride() >> 4) << 32 | mode << 62;
  }
  // Whether a descriptor of what begins at `from` reads what is at `to`, both multiples of 8.
  bool reaches(std::int64_t from, std::int64_t to) const {
    const std::int64_t apart = to - from;
    const std::int64_t there =
        isTransposed() ? apart / panel() * leading() + apart % panel() * bits_ / 8 : apart / Rows * stride();
    return offset(to, 0) == offset(from, 0) + there;
  }

 private:
  static constexpr std::int64_t Rows = 8;   // of the pattern that is swizzled
  std::int64_t panel() const { return swizzle_ * 8 / bits_; }
  // From panel to panel; where K is contiguous nobody looks at it.
  std::int64_t leading() const {
    return isTransposed() && layout_.shape()[along_] > panel() ? offset(panel(), 0) : 16;
  }
  std::int64_t stride() const { return isTransposed() ? offset(0, Rows) : offset(Rows, 0); }

  SharedOperand(TileLayout layout, unsigned bits, unsigned along, unsigned fast, unsigned swizzle)
      : layout_(std::move(layout)), bits_(bits), along_(along), fast_(fast), swizzle_(swizzle) {}

  TileLayout layout_;
  unsigned bits_, along_, fast_, swizzle_;
};

// What one instruction adds to: 64 rows from `row` on, `columns` from `column` on, of the first group.
struct Piece {
  std::int64_t row, column, columns;
  SmallVector<std::int64_t> registers;   // of each thread, in the instruction's order
};

// As few as the instruction takes: 104 columns of 8-bit integers are 96 and 8. False where there are none.
bool cutColumns(SmallVector<Piece> &pieces, const MatrixColumns &accepted) {
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    std::int64_t columns = pieces[i].columns;
    while (columns > 0 && !accepted.has(columns))
      columns -= 8;
    if (columns == 0)
      return false;
    if (columns == pieces[i].columns)
      continue;
    Piece rest = pieces[i];
    const std::int64_t kept = std::int64_t(rest.registers.size()) * columns / rest.columns;
    rest.column += columns;
    rest.columns -= columns;
    rest.registers.erase(rest.registers.begin(), rest.registers.begin() + kept);
    pieces[i].columns = columns;
    pieces[i].registers.truncate(static_cast<std::size_t>(kept));
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(rest));
  }
  return true;
}

// Nothing where the instruction has no such columns.
std::optional<SmallVector<Piece>> piecesOf(const TileLayout &sums, const SharedOperand &right,
                                           const MatrixUnit &unit) {
  const auto registers = sums.registersOfFirstThread();
  SmallVector<Piece> pieces;
  for (const auto &[first, ignored] : registers) {   // by rows, then by columns
    if (first[0] % unit.m != 0 || first[1] % 8 != 0)
      continue;
    SmallVector<std::int64_t> eight;   // columns
    for (std::int64_t down : {0, 8})
      for (std::int64_t right : {0, 1}) {
        auto found = registers.find({first[0] + down, first[1] + right});
        if (found == registers.end())
          return std::nullopt;
        eight.push_back(found->second);
      }
    if (pieces.empty() || pieces.back().row != first[0] ||
        pieces.back().column + pieces.back().columns != first[1] || pieces.back().columns == unit.n.most ||
        !right.reaches(pieces.back().column, first[1]))
      pieces.push_back({first[0], first[1], 0, {}});
    pieces.back().columns += 8;
    llvm::append_range(pieces.back().registers, eight);
  }
  if (!cutColumns(pieces, unit.n))
    return std::nullopt;
  std::size_t covered = 0;
  for (const Piece &piece : pieces)
    covered += piece.registers.size();
  if (covered != registers.size() || static_cast<std::int64_t>(covered) != sums.places())
    return std::nullopt;
  return pieces;
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

}   // namespace

// The accumulators of the instructions, of the registers of a product's sums, and back.
static SmallVector<Value> gather(ImplicitLocOpBuilder &b, ArrayRef<Piece> pieces,
                                 const Registers &registers) {
  SmallVector<Value> accumulators;
  for (const Piece &piece : pieces) {
    Value all = LLVM::PoisonOp::create(
        b, LLVM::LLVMStructType::getLiteral(
               b.getContext(), SmallVector<Type>(piece.registers.size(), registers.front().getType())));
    for (auto [i, reg] : llvm::enumerate(piece.registers))
      all = LLVM::InsertValueOp::create(b, all, registers[static_cast<size_t>(reg)],
                                        ArrayRef<int64_t>{static_cast<int64_t>(i)});
    accumulators.push_back(all);
  }
  return accumulators;
}
static void scatter(ImplicitLocOpBuilder &b, ArrayRef<Piece> pieces, ValueRange accumulators,
                    Registers &registers) {
  for (auto [piece, all] : llvm::zip(pieces, accumulators))
    for (auto [i, reg] : llvm::enumerate(piece.registers))
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
    const auto right = SharedOperand::of(dot.getB(), 1);
    const auto pieces = piecesOf(layoutOf(dot.getResult()), *right, *matrixUnitOf(dot, d.target()));
    SmallVector<Value> accumulators = gather(b, *pieces, registers);
    auto done = PtxWgmmaWaitOp::create(b, TypeRange(ValueRange(accumulators)), 0U, accumulators);
    scatter(b, *pieces, done.getResults(), registers);
  }
  d.set(await.getResult(), std::move(registers));
}

LogicalResult warpgroupProduct(ir::DotOp dot, const MatrixUnit &unit, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  const TileLayout sums = layoutOf(dot.getResult());
  const auto a = SharedOperand::of(dot.getA(), 0), right = SharedOperand::of(dot.getB(), 1);
  const auto pieces = right ? piecesOf(sums, *right, unit) : std::nullopt;
  auto mayTurn = [](const SharedOperand &operand, const MatrixOperand &of) {
    return !operand.isTransposed() || of.alongEitherAxis;
  };
  if (!a || !right || !pieces || layoutOf(dot.getAcc()) != sums || sums.warps() % WarpsOfGroup != 0 ||
      !mayTurn(*a, unit.a) || !mayTurn(*right, unit.b))
    return dot.emitError("the tiles do not lie as wgmma takes them");

  const Descriptor ofA(*a, dot.getA(), ofGroup(*a, sums, 0, d), d);
  const Descriptor ofB(*right, dot.getB(), ofGroup(*right, sums, 1, d), d);
  Registers registers = Registers(d.registers(dot.getAcc()));
  Type typeA = typeOf(unit.a.element, b.getContext()), typeB = typeOf(unit.b.element, b.getContext());

  // Of 8-bit floats the unit adds up fewer bits than f32 has: so many elements of K at a time, if asked for.
  const std::int64_t depth = ir::getShape(dot.getA().getType()).back(), limit = dot.getMaxImpreciseAcc();
  const std::int64_t atOnce = limit ? std::max<std::int64_t>(unit.k, limit / unit.k * unit.k) : depth;
  for (std::int64_t from = 0; from < depth; from += atOnce) {
    SmallVector<Value> accumulators = gather(b, *pieces, registers);
    if (limit)
      for (Value &all : accumulators)
        all = LLVM::ZeroOp::create(b, all.getType());
    NVVM::WgmmaFenceAlignedOp::create(b);
    for (std::int64_t k = from; k < std::min(from + atOnce, depth); k += unit.k)
      for (auto [piece, all] : llvm::zip(*pieces, accumulators)) {
        Value fromA = ofA.after(a->offset(piece.row, k)), fromB = ofB.after(right->offset(piece.column, k));
        Value adds = limit && k == from ? Value(arith::ConstantIntOp::create(b, 0, 1)) : Value();
        all = PtxWgmmaOp::create(b, all.getType(), ValueRange{fromA}, fromB, all, adds,
                                 static_cast<uint32_t>(piece.columns), typeA, typeB, a->isTransposed(),
                                 right->isTransposed(), /*negate_a=*/false, /*negate_b=*/false);
      }
    NVVM::WgmmaGroupSyncAlignedOp::create(b);
    // One that goes on while the program does has waited for those before it.
    auto done = PtxWgmmaWaitOp::create(b, TypeRange(ValueRange(accumulators)),
                                       dot->hasAttr(InFlightName) ? 1U : 0U, accumulators);
    Registers made = registers;
    scatter(b, *pieces, done.getResults(), made);
    for (auto [sum, part] : llvm::zip(registers, made))
      sum = limit ? Value(arith::AddFOp::create(b, sum, part)) : part;
  }
  d.set(dot.getResult(), std::move(registers));
  return success();
}

}   // namespace tile::gpu
