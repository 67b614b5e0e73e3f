// SPDX-License-Identifier: MIT
// Roles: which warps they have, and what fits into them.
#include "compiler/target/role_registers.h"
#include "dialects/tile/launch_attributes.h"
#include "dialects/tile_gpu/dialect.h"
#include "dialects/tile_gpu/product_rules.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tile::gpu;

ParseResult RolesOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<int32_t> warps, registers;
  SmallVector<bool> alone;
  if (succeeded(parser.parseOptionalKeyword("end"))) {
    OpAsmParser::UnresolvedOperand end;
    Type type;
    if (parser.parseOperand(end) || parser.parseColonType(type) ||
        parser.resolveOperand(end, type, result.operands))
      return failure();
  }
  if (succeeded(parser.parseOptionalKeyword("in_turn")))
    result.addAttribute(getInTurnAttrName(result.name), parser.getBuilder().getUnitAttr());
  while (succeeded(parser.parseOptionalKeyword("warps"))) {
    registers.push_back(0);
    if (parser.parseInteger(warps.emplace_back()) ||
        (succeeded(parser.parseOptionalKeyword("registers")) && parser.parseInteger(registers.back())))
      return failure();
    alone.push_back(succeeded(parser.parseOptionalKeyword("alone")));
    Region *program = result.addRegion();
    if (parser.parseRegion(*program))
      return failure();
    if (program->empty())
      program->emplaceBlock();
  }
  Builder &b = parser.getBuilder();
  result.addAttribute(getWarpsAttrName(result.name), b.getDenseI32ArrayAttr(warps));
  result.addAttribute(getRegistersAttrName(result.name), b.getDenseI32ArrayAttr(registers));
  result.addAttribute(getAloneAttrName(result.name), b.getDenseBoolArrayAttr(alone));
  return parser.parseOptionalAttrDict(result.attributes);
}

void RolesOp::print(OpAsmPrinter &printer) {
  if (getEnd())
    printer << " end " << getEnd() << " : " << getEnd().getType();
  if (getInTurn())
    printer << " in_turn";
  for (auto [warps, registers, alone, program] :
       llvm::zip(getWarps(), getRegisters(), getAlone(), getPrograms())) {
    printer << " warps " << warps << ' ';
    if (registers)
      printer << "registers " << registers << ' ';
    if (alone)
      printer << "alone ";
    printer.printRegion(program, /*printEntryBlockArgs=*/false);
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {getWarpsAttrName(), getRegistersAttrName(),
                                                      getAloneAttrName(), getInTurnAttrName()});
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
             << ", but its tile is for " << layout.getLayout().warps();
  }
  return success();
}

int32_t tile::gpu::registersAtFirst(int32_t groups) { return tile::RoleRegisters::atFirst(groups); }

// `setmaxnreg`: all four warps of a group together, in steps of 8, and no more in all than the CTA began
// with.
static LogicalResult verifyRegisters(RolesOp roles) {
  constexpr int32_t least = 24, most = 256, step = 8;
  if (llvm::all_of(roles.getRegisters(), [](int32_t count) { return count == 0; }))
    return success();
  auto kernel = dyn_cast<func::FuncOp>(roles->getParentOp());
  if (std::optional<unsigned> limit = kernel ? tile::ir::maxRegisters(kernel) : std::nullopt)
    return roles.emitOpError("gives registers to its roles, but the kernel begins with ")
           << *limit << " at most; leave out " << tile::ir::MaxRegistersName << ", or the roles' registers";
  int32_t groups = 0, asked = 0;
  for (auto [warps, count] : llvm::zip(roles.getWarps(), roles.getRegisters())) {
    if (warps % 4 != 0)
      return roles.emitOpError("has a role of ") << warps << " warps: registers are given to groups of four";
    if (count < least || count > most || count % step != 0)
      return roles.emitOpError("gives ") << count << " registers to a thread; it may have " << least << " to "
                                         << most << ", in steps of " << step;
    groups += warps / 4;
    asked += warps / 4 * count;
  }
  int32_t atFirst = registersAtFirst(groups);
  if (asked > atFirst * groups)
    return roles.emitOpError("gives ") << asked << " registers to threads of " << groups
                                       << " groups of four warps, which begin with " << atFirst << " each";
  return success();
}

LogicalResult RolesOp::verify() {
  constexpr int32_t most = 32;   // warps of a CTA
  if (getWarps().size() != getPrograms().size() || getWarps().size() < 2)
    return emitOpError("must have two or more roles, each with its warps and its program");
  if (getRegisters().size() != getWarps().size() || getAlone().size() != getWarps().size())
    return emitOpError("must say for each role how many registers it has, and whether one thread runs it");
  if (getInTurn() && !llvm::all_equal(getWarps().drop_front()))
    return emitOpError("has roles that take turns, but they have different numbers of warps");
  if (getEnd() && (!getEnd().getDefiningOp<ChannelOp>() || !getEnd().getType().getTiles().empty() ||
                   !getEnd().getType().getBarriers() || getEnd().getType().getSlots() != 1))
    return emitOpError("tells of its end on a channel of one slot with barriers and without tiles, as "
                       "tile_gpu.channel gives it");
  for (int32_t warps : getWarps())
    if (warps < 1 || warps > most)
      return emitOpError("has a role with ") << warps << " warps";
  if (failed(verifyRegisters(*this)))
    return failure();
  int32_t all = getFirstWarp(static_cast<unsigned>(getWarps().size()));
  if (all > most)
    return emitOpError("has ") << all << " warps in all, and a CTA has at most " << most;
  Operation *parent = (*this)->getParentOp();
  if (!parent->hasTrait<OpTrait::IsIsolatedFromAbove>())
    return emitOpError("must be in the kernel itself, not in a loop or branch");
  Operation *next = (*this)->getNextNode();
  if (next && !next->hasTrait<OpTrait::IsTerminator>())
    return emitOpError("must end the kernel, but `") << next->getName() << "` follows";
  for (Operation &op : llvm::make_range((*this)->getBlock()->begin(), Block::iterator(*this))) {
    WalkResult outside =
        op.walk([&](Operation *inner) -> WalkResult { return verifyTiles(inner, all, "the CTA"); });
    if (outside.wasInterrupted())
      return failure();
  }
  return success();
}

// Once the ops in the programs have been verified each by itself: what one of them lacks is named there.
LogicalResult RolesOp::verifyRegions() {
  for (auto [role, program] : llvm::enumerate(getPrograms())) {
    WalkResult tiles = program.walk([&, alone = getAlone()[role]](Operation *inner) -> WalkResult {
      if (alone && llvm::any_of(inner->getResultTypes(), llvm::IsaPred<RankedTensorType>))
        return inner->emitOpError("makes a tile in a role that has one thread");
      return WalkResult::advance();
    });
    if (tiles.wasInterrupted())
      return failure();
  }
  for (auto [role, warps, program] : llvm::enumerate(getWarps(), getPrograms())) {
    WalkResult inside = program.walk([&, role = role, warps = warps](Operation *inner) -> WalkResult {
      return verifyTiles(inner, warps, "role " + Twine(role));
    });
    if (inside.wasInterrupted())
      return failure();
  }
  for (Region &program : getPrograms())
    if (failed(verifyProductsInFlight(program)))
      return failure();
  return success();
}

LogicalResult SyncOp::verify() {
  if (getWarps().has_value() != getFirstWarp().has_value())
    return emitOpError("must name both the number of warps and the first warp, or neither");
  if (getWarps() && (static_cast<int32_t>(*getWarps()) < 1 || static_cast<int32_t>(*getFirstWarp()) < 0))
    return emitOpError("must be for one warp or more, and the first is warp 0 or later");
  return success();
}
