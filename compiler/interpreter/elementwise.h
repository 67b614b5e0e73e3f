// SPDX-License-Identifier: MIT
// The typed loops behind elementwise operations, by what they compute and on what. A null handler
// means that the operation does not exist for the type. Operands are at `a`, `b` and `c`; all of
// them may write over an operand whose lanes have the size of the result's.
#pragma once

#include "compiler/interpreter/program.h"

namespace tile::interpreter {

enum class IntegerOp {
  Add,
  Subtract,
  Multiply,
  DivideSigned,
  DivideUnsigned,
  RemainderSigned,
  RemainderUnsigned,
  CeilDivideSigned,
  CeilDivideUnsigned,
  FloorDivideSigned,
  ShiftLeft,
  ShiftRightSigned,
  ShiftRightUnsigned,
  And,
  Or,
  Xor,
  MaximumSigned,
  MaximumUnsigned,
  MinimumSigned,
  MinimumUnsigned,
  MultiplyHighSigned,
  MultiplyHighUnsigned,
};
enum class FloatOp {
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
  Maximum,
  Minimum,   // a NaN operand gives the other one
  MaximumPropagating,
  MinimumPropagating,
};
// The predicates of arith.cmpi and arith.cmpf, in their numbering.
enum class IntegerPredicate { Equal, NotEqual, Slt, Sle, Sgt, Sge, Ult, Ule, Ugt, Uge };
enum class FloatPredicate {
  False,
  Oeq,
  Ogt,
  Oge,
  Olt,
  Ole,
  One,
  Ord,
  Ueq,
  Ugt,
  Uge,
  Ult,
  Ule,
  Une,
  Uno,
  True
};
enum class UnaryOp {
  Negate,
  Absolute,
  Floor,
  Ceil,
  RoundEven,
  Round,
  Truncate,
  SquareRoot,
  ReciprocalSquareRoot,
  Exp,
  Exp2,
  Expm1,
  Log,
  Log2,
  Log10,
  Log1p,
  Sin,
  Cos,
  Tan,
  Asin,
  Acos,
  Atan,
  Sinh,
  Cosh,
  Tanh,
  Erf,
  Cbrt,
};

Handler integerHandler(IntegerOp op, Lane lane);
Handler floatHandler(FloatOp op, Lane lane);
Handler compareHandler(IntegerPredicate predicate, Lane lane);   // lane: of the operands
Handler compareHandler(FloatPredicate predicate, Lane lane);
Handler unaryHandler(UnaryOp op, Lane lane);
Handler binaryMathHandler(bool power, Lane lane);   // pow, else atan2
Handler absoluteIntegerHandler(Lane lane);
Handler fmaHandler(Lane lane);
Handler clampHandler(bool propagate, Lane lane);   // a between b and c
Handler selectHandler(std::size_t bytes);          // a ? b : c, lane by lane
Handler selectOneHandler(std::size_t bytes);       // one condition for all lanes

// Wide products: the low half at `result`, the high half at `c`.
Handler extendedMultiplyHandler(bool isSigned, Lane lane);
// The sum at `result`, the carry (i1) at `c`.
Handler extendedAddHandler(Lane lane);

enum class Conversion {
  SignExtend,
  ZeroExtend,
  Truncate,
  SignedToFloat,
  UnsignedToFloat,
  FloatToSigned,
  FloatToUnsigned,
  FloatToFloat,
  FloatToFloatTowardZero
};
Handler convertHandler(Conversion conversion, Lane from, Lane to);

Handler addPointerHandler(std::size_t pointeeBytes, Lane offset, bool isUnsigned);
Handler pointerToIntegerHandler();
Handler integerToPointerHandler();

// a: the seed, one lane; the counters are at Philox::counters.
struct PhiloxPlaces : Detail {
  Place counters[4], results[4];
};
Handler philoxHandler();

}   // namespace tile::interpreter
