// SPDX-License-Identifier: MIT
// Roles: which warps they have, and what fits into them.
#include "dialects/tile_gpu/dialect.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tile::gpu;

ParseResult RolesOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<int32_t> warps;
  while (succeeded(parser.parseOptionalKeyword("warps"))) {
    if (parser.parseInteger(warps.emplace_back()))
      return failure();
    Region *program = result.addRegion();
    if (parser.parseRegion(*program))
      return failure();
    if (program->empty())
      program->emplaceBlock();
  }
  result.addAttribute(getWarpsAttrName(result.name), parser.getBuilder().getDenseI32ArrayAttr(warps));
  return parser.parseOptionalAttrDict(result.attributes);
}

void RolesOp::print(OpAsmPrinter &printer) {
  for (auto [warps, program] : llvm::zip(getWarps(), getPrograms())) {
    printer << " warps " << warps << ' ';
    printer.printRegion(program, /*printEntryBlockArgs=*/false);
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {getWarpsAttrName()});
}

int32_t RolesOp::getFirstWarp(unsigned role) {
  int32_t first = 0;
  for (int32_t warps : getWarps().take_front(role))
    first += warps;
  return first;
}

// Every tile that the op works on is spread over so many warps. `where`: of whom they are.
static LogicalResult verifyTiles(Operation *op, int64_t warps, const Twine &where) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    LayoutAttr layout = getLayoutAttr(type);
    if (layout && !layout.getLayout().isShared() &&
        layout.getLayout().warps() != static_cast<uint64_t>(warps))
      return op->emitOpError("is in ")
             << where << ", which has " << warps << (warps == 1 ? " warp" : " warps")
             << ", and its tile is of " << layout.getLayout().warps();
  }
  return success();
}

LogicalResult RolesOp::verify() {
  constexpr int32_t most = 32;   // warps of a CTA
  if (getWarps().size() != getPrograms().size() || getWarps().size() < 2)
    return emitOpError("has two or more roles, each with its warps and its program");
  for (int32_t warps : getWarps())
    if (warps < 1 || warps > most)
      return emitOpError("has a role with ") << warps << " warps";
  int32_t all = getFirstWarp(static_cast<unsigned>(getWarps().size()));
  if (all > most)
    return emitOpError("has ") << all << " warps in all, and a CTA has at most " << most;
  Operation *parent = (*this)->getParentOp();
  if (!parent->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return emitOpError("stands in the kernel itself, not in a loop or branch");
  Operation *next = (*this)->getNextNode();
  if (next && !next->hasTrait<OpTrait::IsTerminator>())
    return emitOpError("ends the kernel, but `") << next->getName() << "` follows";
  for (Operation &op : llvm::make_range((*this)->getBlock()->begin(), Block::iterator(*this))) {
    WalkResult outside =
        op.walk([&](Operation *inner) -> WalkResult { return verifyTiles(inner, all, "the CTA"); });
    if (outside.wasInterrupted())
      return failure();
  }
  for (auto [role, warps, program] : llvm::enumerate(getWarps(), getPrograms())) {
    WalkResult inside = program.walk([&, role = role, warps = warps](Operation *inner) -> WalkResult {
      return verifyTiles(inner, warps, "role " + Twine(role));
    });
    if (inside.wasInterrupted())
      return failure();
  }
  return success();
}

LogicalResult SyncOp::verify() {
  if (getWarps().has_value() != getFirstWarp().has_value())
    return emitOpError("names both how many warps and the first, or none");
  if (getWarps() && (static_cast<int32_t>(*getWarps()) < 1 || static_cast<int32_t>(*getFirstWarp()) < 0))
    return emitOpError("is of one warp or more, from warp 0 on");
  return success();
}
