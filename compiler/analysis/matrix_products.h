// SPDX-License-Identifier: MIT
// Which matrix unit computes a product, and how the product's tiles lie for it. Every pass that treats
// products asks here, and here the rows of the target are asked.
#pragma once

#include "compiler/analysis/layout_choice.h"
#include "compiler/layout/tile_layout.h"
#include "compiler/target/target.h"
#include "dialects/tile/dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tile {

// The target's best unit that takes both operands from where they are, registers or shared memory; null where
// it has none for the types, or for tiles of these extents.
const MatrixUnit *matrixUnitOf(ir::DotOp dot, const Target &target);

// What a unit would see of the operands' elements, and of the sums; nothing where none multiplies them.
struct ProductElements {
  std::optional<MatrixElement> a, b, sum;
};
ProductElements elementsOf(ir::DotOp dot);

// Whether the target has a unit that multiplies out of shared memory.
bool hasUnitOfShared(const Target &target);
// Whether an operand is a view of shared memory.
bool isInShared(mlir::Value operand);
// Whether a unit that reads shared memory makes the product: B is there, and A, unless that is in registers.
bool readsSharedMemory(ir::DotOp dot);

// The product that operand A of another one is made of, element by element, through branches as well; null
// where it is of none.
ir::DotOp productBehind(mlir::Value tile);

// Whether a tile is computed from one that is read from a slot of a channel.
bool isReadFromSlot(mlir::Value tile);

// Whether each warp should have whole rows of the product and not the part for which it reads the least. So
// it is where rows are reduced or multiplied by a further product as often as the product is made: neither
// then leaves its warp.
bool wantsWholeRows(ir::DotOp dot);

// Whether threads may end in the block, because an assert fails. No product is in flight then: threads must
// not end before it is over, and the assembler would wait for it (C7517).
bool mayEndIn(mlir::Block &block);

// Whether the loop hands the sums of this product of its body on to the next one, and nobody else looks at
// them. An unrolled loop does not: it becomes several, of which each may go round or not.
bool mayStayInFlight(ir::DotOp dot, mlir::scf::ForOp loop);

// The number of groups of four warps that multiply out of shared memory. 0 if `warps` is not a multiple of 4,
// or more than 16.
unsigned warpgroupsOf(unsigned warps);

// How groups of four warps lie over a product that is made out of shared memory: along M as far as there are
// 64 rows for each, else along N. Nothing where there are too few columns.
std::optional<WarpGrid> warpgroupsOver(llvm::ArrayRef<std::int64_t> shape, unsigned groups);

// The target's unit that could multiply the operands out of shared memory, wherever they are now. Null if no
// unit can do so for this product with `groups` groups of warps. `ctas`: how many CTAs share the rows.
enum class Lies : std::uint8_t { alongK, across, inRegisters };   // neighbours in shared memory, or none
const MatrixUnit *sharedUnitOf(ir::DotOp dot, Lies a, Lies b, const Target &target, unsigned groups,
                               unsigned ctas = 1);

// How the tiles of a product lie over the warps of its CTA. Without a unit the operands lie as they like.
// Where B is in shared memory already, `a` says how A lies in registers, be it there or not.
struct ProductLayouts {
  layout::TileLayout sums;
  std::optional<layout::TileLayout> a, b;
};
// None for a stack of products, which is computed without a matrix unit wherever its elements are.
std::optional<ProductLayouts> layoutsOf(ir::DotOp dot, const Target &target, unsigned warps);

}   // namespace tile
