// SPDX-License-Identifier: MIT
// The rules of the ops that are instructions of matrix units: those of the unit's row.
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tile::gpu {

std::optional<MatrixElement> matrixElementOf(Type type) {
  if (type.isF16())
    return MatrixElement::f16;
  if (type.isBF16())
    return MatrixElement::bf16;
  if (isa<FloatTF32Type>(type))
    return MatrixElement::tf32;
  if (isa<Float8E4M3FNType>(type))
    return MatrixElement::e4m3;
  if (isa<Float8E5M2Type>(type))
    return MatrixElement::e5m2;
  if (type.isSignedInteger(8))
    return MatrixElement::s8;
  if (type.isUnsignedInteger(8))
    return MatrixElement::u8;
  if (type.isF32())
    return MatrixElement::f32;
  if (type.isInteger(32))
    return MatrixElement::s32;
  return std::nullopt;
}

Type typeOf(MatrixElement element, MLIRContext *context) {
  Builder b(context);
  switch (element) {
  case MatrixElement::f16:
    return b.getF16Type();
  case MatrixElement::bf16:
    return b.getBF16Type();
  case MatrixElement::tf32:
    return b.getTF32Type();
  case MatrixElement::e4m3:
    return b.getType<Float8E4M3FNType>();
  case MatrixElement::e5m2:
    return b.getType<Float8E5M2Type>();
  case MatrixElement::s8:
    return b.getIntegerType(8, /*isSigned=*/true);
  case MatrixElement::u8:
    return b.getIntegerType(8, /*isSigned=*/false);
  case MatrixElement::f32:
    return b.getF32Type();
  case MatrixElement::s32:
    return b.getI32Type();
  }
  llvm_unreachable("an element that has no type");
}

const MatrixUnit *PtxMmaOp::getMatrixUnit() {
  std::optional<MatrixElement> a = matrixElementOf(getTypeA()), b = matrixElementOf(getTypeB());
  if (!a || !b || !isFloat8(*a) || !isFloat8(*b))
    return nullptr;
  return findMatrixUnit(MmaSync, *a, *b, MatrixElement::f32);
}

LogicalResult PtxMmaOp::verify() {
  const MatrixUnit *unit = getMatrixUnit();
  if (!unit)
    return emitOpError("multiplies two 8-bit floats, not ")
           << getTypeA() << " and " << getTypeB() << "; nvvm.mma.sync has the other types";
  unsigned columns = unit->n.least(), sums = unit->wordsOfSums(columns);
  if (getA().size() != unit->wordsOfA() || getB().size() != unit->wordsOfB(columns) ||
      getSums().size() != sums)
    return emitOpError("takes ") << unit->wordsOfA() << " words of A, " << unit->wordsOfB(columns)
                                 << " of B and " << sums << " sums";
  auto fields = cast<LLVM::LLVMStructType>(getType()).getBody();
  if (fields.size() != sums || !llvm::all_of(fields, [](Type t) { return t.isF32(); }))
    return emitOpError("gives ") << sums << " sums of f32, not " << getType();
  return success();
}

// Sums of f16 travel in pairs, as words.
const MatrixUnit *PtxWgmmaOp::getMatrixUnit() {
  std::optional<MatrixElement> a = matrixElementOf(getTypeA()), b = matrixElementOf(getTypeB());
  auto fields = cast<LLVM::LLVMStructType>(getType()).getBody();
  if (!a || !b || fields.empty() || !llvm::all_equal(fields))
    return nullptr;
  MatrixElement sum = fields[0].isF32() ? MatrixElement::f32
                      : isInteger(*a)   ? MatrixElement::s32
                                        : MatrixElement::f16;
  if (sum != MatrixElement::f32 && !fields[0].isInteger(32))
    return nullptr;
  return findMatrixUnit(Wgmma, *a, *b, sum);
}

LogicalResult PtxWgmmaOp::verify() {
  std::optional<MatrixElement> a = matrixElementOf(getTypeA()), b = matrixElementOf(getTypeB());
  bool isInt = a && isInteger(*a);
  const MatrixUnit *plain =
      a && b ? findMatrixUnit(Wgmma, *a, *b, isInt ? MatrixElement::s32 : MatrixElement::f32) : nullptr;
  if (!plain)
    return emitOpError(
               "multiplies two of f16, bf16 or tf32, or two 8-bit floats, or two 8-bit integers, not ")
           << getTypeA() << " and " << getTypeB();
  if ((getTransposeA() && !plain->a.alongEitherAxis) || (getTransposeB() && !plain->b.alongEitherAxis))
    return emitOpError("transposes 16-bit elements only");
  bool inRegisters = plain->a.inRegisters && getA().size() == plain->wordsOfA() &&
                     llvm::all_of(getA().getTypes(), [](Type t) { return t.isInteger(32); });
  if (!inRegisters && !(getA().size() == 1 && getA()[0].getType().isInteger(64)))
    return emitOpError("takes A as one descriptor of 64 bits or as four registers of 32");
  if (!plain->negates && (getNegateA() || getNegateB()))
    return emitOpError("does not negate integers");
  if (inRegisters && getTransposeA())
    return emitOpError("does not transpose registers");
  unsigned n = getN();
  if (!plain->n.has(n))
    return emitOpError("does not take ") << n << " columns";
  const MatrixUnit *unit = getMatrixUnit();
  auto fields = cast<LLVM::LLVMStructType>(getType()).getBody();
  if (!unit || fields.size() != unit->wordsOfSums(n))
    return emitOpError("takes n / 2 accumulators of ")
           << (isInt ? "i32" : "f32") << " in each thread, or n / 4 of two f16 for f16 and 8-bit floats";
  return success();
}

}   // namespace tile::gpu
