// SPDX-License-Identifier: MIT
// The `tile_gpu` dialect for C++.
#pragma once

#include "compiler/layout/tensor_boxes.h"
#include "compiler/layout/tile_layout.h"
#include "compiler/target/matrix_units.h"
#include "dialects/tile/dialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/tile_gpu/dialect.h.inc"

#include "dialects/tile_gpu/enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile_gpu/attributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile_gpu/types.h.inc"

namespace tile::gpu {
// What ops on channels read and write: nothing that an access to global memory could see.
struct SharedMemory : mlir::SideEffects::Resource::Base<SharedMemory> {
  llvm::StringRef getName() final { return "SharedMemory"; }
};
}   // namespace tile::gpu

#define GET_OP_CLASSES
#include "dialects/tile_gpu/ops.h.inc"

namespace tile::gpu {

// The layout that a tile's type carries; nothing before layouts are assigned, or of a scalar.
LayoutAttr getLayoutAttr(mlir::Type type);
// The same tile type with this layout.
mlir::RankedTensorType withLayout(mlir::RankedTensorType type, LayoutAttr layout);

// How the copy engine fills a tile of a slot, in parts that as many CTAs can share evenly; nothing where it
// cannot.
std::optional<layout::TensorBoxes> boxesOf(mlir::RankedTensorType tile, unsigned sharers = 1);

// The map that the launcher encodes: `map` itself, or the one that `map` is like. Null for another value.
TensorMapOp tensorMapOf(mlir::Value map);

// Of an arrival at another CTA's mbarrier: it says that the matrix unit has read, which its wait has made
// sure of, and publishes nothing.
inline constexpr llvm::StringLiteral AfterMatrixReadsName = "tile_gpu.after_matrix_reads";

// Of a module: what its kernel takes behind its own parameters, in this order.
inline constexpr llvm::StringLiteral TensorMapsName = "tile_gpu.tensor_maps",
                                     PersistentName = "tile_gpu.persistent",
                                     WorkspaceName = "tile_gpu.workspace";

// Of a product: it is awaited by the next one, or by await_products.
inline constexpr llvm::StringLiteral InFlightName = "tile_gpu.in_flight";

// What `tile-gpu-plan` decides: of a kernel its roles, of a load the channel that it fills, of a product how
// many slots its computed second operand takes turns in, of loops what they are, of a descriptor that its map
// begins at an anchor.
inline constexpr llvm::StringLiteral PlanName = "tile_gpu.plan", FillName = "tile_gpu.fill",
                                     PutSlotsName = "tile_gpu.put_slots", BehindName = "tile_gpu.behind",
                                     ProgramsName = "tile_gpu.programs", InTurnName = "tile_gpu.in_turn",
                                     AnchoredName = "tile_gpu.anchored";

// Of a promise that the simulator is to check (`tile-gpu-check-facts`).
inline constexpr llvm::StringLiteral CheckedName = "tile_gpu.checked";

// Of a kernel, and then of its module: its threads wait for the kernels before it.
inline constexpr llvm::StringLiteral StartsEarlyName = "tile_gpu.starts_early";

// Of a kernel, and then of its module: what multiplies its tiles, the slowest where that differs ("wgmma",
// "mma.sync", "threads"), and how many programs its warps run.
inline constexpr llvm::StringLiteral UnitName = "tile_gpu.unit", RolesName = "tile_gpu.role_count";

// Of a reduction: each of the CTAs that share the program has a part of the axis, in the order of their
// ranks.
inline constexpr llvm::StringLiteral OverCtasName = "tile_gpu.over_ctas";

// How many CTAs share a program of the kernel that an op is in.
unsigned clusterOf(mlir::Operation *op);

// What a matrix unit calls a type, and back. Integers of 8 bits carry their signs: si8, ui8.
std::optional<MatrixElement> matrixElementOf(mlir::Type type);
mlir::Type typeOf(MatrixElement element, mlir::MLIRContext *context);
// Where a value that a loop or a branch hands on comes from: the loop's first value, the first branch's. Null
// for others.
mlir::Value handedOn(mlir::Value value);
// The channel of a slot or a lease, through loops and branches that hand it on.
ChannelOp channelOf(mlir::Value handle);
// Registers of a thread when a CTA of so many groups of four warps begins with all there are.
int32_t registersAtFirst(int32_t groups);
// Whether the slot's copies arrive later, or were made by the threads themselves.
bool arrivesLater(mlir::Value slot);

}   // namespace tile::gpu
