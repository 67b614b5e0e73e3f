// SPDX-License-Identifier: MIT
// The `tile` dialect for C++: types, enums, ops.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/tile/dialect.h.inc"
#include "dialects/tile/enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/attributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/types.h.inc"

#include "dialects/tile/traits.h"

#define GET_OP_CLASSES
#include "dialects/tile/ops.h.inc"
