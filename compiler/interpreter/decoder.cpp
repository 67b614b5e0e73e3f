// SPDX-License-Identifier: MIT
#include "compiler/interpreter/decoder.h"

#include "compiler/analysis/float_ring.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tile::interpreter {
namespace {

Location placeOf(mlir::Location location) {
  return llvm::TypeSwitch<LocationAttr, Location>(location)
      .Case([](FileLineColLoc at) { return Location(at.getFilename().str(), at.getLine(), at.getColumn()); })
      .Case([](CallSiteLoc call) {
        const Location callee = placeOf(call.getCallee());
        return callee.known() ? callee : placeOf(call.getCaller());
      })
      .Case([](NameLoc name) { return placeOf(name.getChildLoc()); })
      .Case([](FusedLoc fused) {
        for (mlir::Location part : fused.getLocations())
          if (const Location place = placeOf(part); place.known())
            return place;
        return Location();
      })
      .Default([](LocationAttr) { return Location(); });
}

// Whether the block stores, and whether something in it may load after a store; `stored`: a store
// came before.
std::pair<bool, bool> storesAndLoads(Block &block, bool stored) {
  bool follows = false;
  for (Operation &op : block) {
    follows |= stored && isa<ir::LoadOp, ir::DescriptorLoadOp>(op);
    stored |= isa<ir::StoreOp, ir::DescriptorStoreOp>(op);
    const auto lookInside = [&] {
      for (Region &region : op.getRegions())
        for (Block &inner : region) {
          const auto [stores, loads] = storesAndLoads(inner, stored);
          stored |= stores;
          follows |= loads;
        }
    };
    const bool before = stored;
    lookInside();
    // A second look at a loop's body, if the first trip has stored: it says no more where somebody had stored
    // already, so that nests of loops are not looked at again and again.
    if (isa<LoopLikeOpInterface>(op) && stored != before)
      lookInside();
  }
  return {stored, follows};
}

void appendBits(const llvm::APInt &value, std::vector<std::byte> &bytes) {
  const unsigned size = std::max(1u, value.getBitWidth() / 8);
  const std::uint64_t bits = value.getZExtValue();
  for (unsigned n = 0; n < size; ++n)
    bytes.push_back(static_cast<std::byte>(bits >> (8 * n)));
}

llvm::APInt bitsOf(FloatAttr number, bool isRing) {
  const llvm::APInt bits = number.getValue().bitcastToAPInt();
  if (!isRing)
    return bits;
  const unsigned width = bits.getBitWidth();
  return llvm::APInt(width, float_ring::embedded(number.getValueAsDouble(), bits.getZExtValue(), width));
}

}   // namespace

Decoder::Decoder(const KernelIR &kernel, func::FuncOp function, const Checks &checks, Floats floats)
    : kernel_(kernel), function_(function), checks_(checks), isRing_(floats == Floats::ring) {
  program_->name = kernel.name();
  program_->config = kernel.config();
  if (checks.overflow)
    slice_.emplace(function);
}

std::shared_ptr<const Program> Decoder::decode() {
  Block &body = function_.getBody().front();
  openBlock();
  program_->loadsAfterStores = storesAndLoads(body, false).second;
  std::size_t next = 0;
  std::vector<LaunchArgument> arguments;
  std::vector<ArgClass> classes;
  for (const Parameter &parameter : kernel_.parameters()) {
    arguments.push_back({parameter.name, parameter.type});
    classes.push_back(parameter.argument_class);
    if (!is_passed(parameter.argument_class))
      continue;
    if (next == body.getNumArguments())
      refuse(function_, "the kernel has fewer arguments than parameters");
    const Slot &argument = define(body.getArgument(static_cast<unsigned>(next++)), function_);
    // A launch copies the parameter's own bytes.
    const std::size_t bytes = parameter.type.is_pointer() ? 8 : parameter.type.bytes();
    if (bytes != bytesOf(argument.lane) || argument.lanes != 1)
      refuse(function_, "parameter `" + parameter.name + "` of type " + parameter.type.name() +
                            " does not have the type of its argument in the IR");
    program_->slots.push_back({argument.lane, argument.place});
  }
  if (next != body.getNumArguments())
    refuse(function_, "the kernel has more arguments than parameters");
  program_->take(arguments, classes);
  decodeBlock(body);
  program_->frameBytes = plan_.frameBytes();
  return program_;
}

//===------------------------------------------------------------------------===//
// Values
//===------------------------------------------------------------------------===//

const Decoder::Slot &Decoder::slot(Value value) const {
  const auto found = slots_.find(value);
  assert(found != slots_.end() && "a value is used before it is defined");
  return found->second;
}

Lane Decoder::laneOf(Type type, Operation *op) const {
  const Type element = ir::getElementType(type);
  if (auto integer = dyn_cast<IntegerType>(element))
    switch (integer.getWidth()) {
    case 1:
      return Lane::I1;
    case 8:
      return Lane::I8;
    case 16:
      return Lane::I16;
    case 32:
      return Lane::I32;
    case 64:
      return Lane::I64;
    }
  if (isa<IndexType>(element))
    return Lane::I64;
  if (isRing_ && isa<FloatType>(element))
    return laneOf(IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth()), op);
  if (element.isF16())
    return Lane::F16;
  if (element.isBF16())
    return Lane::BF16;
  if (element.isF32())
    return Lane::F32;
  if (element.isF64())
    return Lane::F64;
  if (isa<Float8E4M3FNType>(element))
    return Lane::E4M3;
  if (isa<Float8E5M2Type>(element))
    return Lane::E5M2;
  if (isa<ir::PtrType>(element))
    return Lane::Pointer;
  if (isa<ir::DescType>(element))
    return Lane::Descriptor;
  std::string text;
  llvm::raw_string_ostream(text) << element;
  refuse(op, "the interpreter does not know the element type " + text);
}

Extents Decoder::extentsOf(Type type) const {
  const ArrayRef<int64_t> shape = ir::getShape(type);
  return Extents(shape.begin(), shape.end());
}

const Decoder::Slot &Decoder::define(Value value, Operation *op) {
  Slot slot;
  slot.lane = laneOf(value.getType(), op);
  slot.lanes = lanesOf(extentsOf(value.getType())) * (isa<RankedTensorType>(value.getType()) ? 1 : factor_);
  const std::size_t bytes =
      slot.lanes * (slot.lane == Lane::Descriptor ? descriptorBytes() : bytesOf(slot.lane));
  slot.place = take(bytes);
  slot.storage = static_cast<int>(storages_.size());
  storages_.push_back({slot.place, bytes, 1});
  if (slice_ && slice_->carries(value))
    slot.wrapped = newWrapped(slot.lanes);
  return slots_[value] = slot;
}

const Decoder::Slot &Decoder::defineOver(Value value, Operation *op, ValueRange operands) {
  const Lane lane = laneOf(value.getType(), op);
  for (Value operand : operands) {
    const Slot &old = slot(operand);
    if (lastUse_.lookup(operand) != op || bytesOf(old.lane) != bytesOf(lane) ||
        old.lane == Lane::Descriptor ||
        lanesOf(extentsOf(operand.getType())) != lanesOf(extentsOf(value.getType())))
      continue;
    const Storage &storage = storages_[static_cast<std::size_t>(old.storage)];
    if (storage.constant || storage.values != 1)
      continue;
    alias(value, operand, op);
    return slot(value);
  }
  return define(value, op);
}

const Decoder::Slot &Decoder::alias(Value value, Value other, Operation *op) {
  Slot shared = slot(other);
  shared.lane = laneOf(value.getType(), op);
  shared.wrapped.reset();
  ++storages_[static_cast<std::size_t>(shared.storage)].values;
  if (slice_ && slice_->carries(value))
    shared.wrapped = newWrapped(shared.lanes);
  return slots_[value] = shared;
}

const Decoder::Slot &Decoder::defineConstant(Value value, Operation *op, TypedAttr attribute) {
  // Combine regions read a scalar once for each of their lanes.
  const bool shared = factor_ == 1;
  if (shared)
    if (const auto found = constants_.find(attribute); found != constants_.end()) {
      ++storages_[static_cast<std::size_t>(found->second.storage)].values;
      return slots_[value] = found->second;
    }
  FrameConstant constant;
  const auto append = [&](Attribute element) {
    if (auto integer = dyn_cast<IntegerAttr>(element))
      appendBits(integer.getValue(), constant.bytes);
    else if (auto number = dyn_cast<FloatAttr>(element))
      appendBits(bitsOf(number, isRing_), constant.bytes);
    else
      refuse(op, "the interpreter does not know this kind of constant");
  };
  constantPlaces_ = true;   // written once per frame, so never in bytes that others use too
  const Slot &slot = define(value, op);
  constantPlaces_ = false;
  constant.place = slot.place;
  constant.copies = slot.lanes;
  if (auto dense = dyn_cast<DenseElementsAttr>(attribute)) {
    if (dense.isSplat()) {
      append(dense.getSplatValue<Attribute>());
    } else {
      for (Attribute element : dense.getValues<Attribute>())
        append(element);
      constant.copies = 1;
    }
  } else {
    append(attribute);
  }
  storages_[static_cast<std::size_t>(slot.storage)].constant = true;
  program_->constants.push_back(std::move(constant));
  if (shared)
    constants_[attribute] = slot;
  return slot;
}

void Decoder::drop(Value value) {
  const auto found = slots_.find(value);
  if (found == slots_.end())
    return;
  Storage &storage = storages_[static_cast<std::size_t>(found->second.storage)];
  if (--storage.values == 0 && storage.pins == 0 && !storage.constant)
    plan_.giveBack(storage.place, storage.bytes);
}

void Decoder::unpin(Value value) {
  Storage &storage = storages_[static_cast<std::size_t>(slot(value).storage)];
  if (--storage.pins == 0 && storage.values == 0 && !storage.constant)
    plan_.giveBack(storage.place, storage.bytes);
}

// A value dies at the last op of its own block that uses it, be it deep inside that op: a loop
// reads what it captures until its last trip.
void Decoder::findLastUses(Block &block) {
  const auto find = [&](Value value, Operation *last) {
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      if (!last || last->isBeforeInBlock(ancestor))
        last = ancestor;
    }
    if (last) {
      lastUse_[value] = last;
      deaths_[last].push_back(value);
    }
  };
  for (BlockArgument argument : block.getArguments()) {
    find(argument, nullptr);
    if (argument.use_empty())
      drop(argument);
  }
  for (Operation &op : block)
    for (Value result : op.getResults())
      find(result, &op);
}

void Decoder::dropDeadAt(Operation *op) {
  const auto found = deaths_.find(op);
  if (found == deaths_.end())
    return;
  for (Value value : found->second)
    drop(value);
}

//===------------------------------------------------------------------------===//
// Instructions
//===------------------------------------------------------------------------===//

Instruction &Decoder::emit(Handler run, Operation *op) {
  Instruction &instruction = program_->blocks[current_].emplace_back();
  instruction.run = run;
  instruction.where = where(op->getLoc());
  if (op->getNumResults() == 1) {
    const auto found = slots_.find(op->getResult(0));
    if (found != slots_.end()) {
      instruction.result = found->second.place;
      instruction.lanes = found->second.lanes;
    }
  }
  return instruction;
}

std::uint32_t Decoder::where(mlir::Location location) {
  const auto [found, isNew] = locations_.try_emplace(location, 0);
  if (isNew)
    if (Location place = placeOf(location); place.known()) {
      found->second = static_cast<std::uint32_t>(program_->locations.size());
      program_->locations.push_back(std::move(place));
    }
  return found->second;
}

void Decoder::refuse(Operation *op, const std::string &why) const {
  Error error(why, placeOf(op->getLoc()));
  error.add_context(program_->title());
  throw error;
}

Handler Decoder::need(Handler handler, Operation *op) const {
  if (handler)
    return handler;
  std::string types;
  llvm::raw_string_ostream stream(types);
  llvm::interleaveComma(op->getOperandTypes(), stream);
  refuse(op, "the interpreter does not know `" + op->getName().getStringRef().str() + "` on " + types);
}

BlockId Decoder::openBlock() {
  program_->blocks.emplace_back();
  return static_cast<BlockId>(program_->blocks.size() - 1);
}

void Decoder::decodeBlock(Block &block) {
  findLastUses(block);
  for (Operation &op : block.without_terminator()) {
    decodeOp(&op);
    dropDeadAt(&op);
  }
}

void Decoder::decodeOp(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    defineConstant(constant, op, constant.getValue());
    return;
  }
  if ((isRing_ && decodeRing(op)) || decodeElementwise(op) || decodeShape(op) || decodeMemory(op) ||
      decodeTileOp(op) || decodeCollective(op) || decodeControl(op))
    return;
  refuse(op, "the interpreter does not know the operation `" + op->getName().getStringRef().str() + "`");
}

//===------------------------------------------------------------------------===//
// Wrapped lanes
//===------------------------------------------------------------------------===//

Wrapped Decoder::newWrapped(std::size_t lanes) {
  return {program_->wrappedFlags++, take(lanes * sizeof(std::uint16_t))};
}

void Decoder::mergeWrapped(Operation *op, Value result, ValueRange from, Value condition) {
  const Slot to = slot(result);
  if (!to.wrapped)
    return;
  WrapMerge merge;
  merge.a = slot(from[0]).wrapped;
  if (from.size() > 1)
    merge.b = slot(from[1]).wrapped;
  merge.result = *to.wrapped;
  Instruction &instruction = emit(mergeWrappedHandler(), op);
  instruction.lanes = to.lanes;
  if (condition) {
    merge.hasCondition = true;
    merge.oneCondition = slot(condition).lanes == 1;
    instruction.c = slot(condition).place;
  }
  instruction.detail = &program_->add(std::move(merge));
}

void Decoder::moveWrapped(Operation *op, Value result, Value from, Handler move, const Detail *detail) {
  const Slot &to = slot(result), &source = slot(from);
  if (!to.wrapped || !source.wrapped)
    return;
  WrapMove moving;
  moving.a = *source.wrapped;
  moving.result = *to.wrapped;
  moving.move.run = move;
  moving.move.result = to.wrapped->lanes;
  moving.move.a = source.wrapped->lanes;
  moving.move.lanes = to.lanes;
  moving.move.detail = detail;
  emit(moveWrappedHandler(), op).detail = &program_->add(std::move(moving));
}

//===------------------------------------------------------------------------===//

std::shared_ptr<const Program> decode(const KernelIR &kernel, const Checks &checks, Floats floats) {
  func::FuncOp found;
  for (func::FuncOp function : viewOf(kernel).getOps<func::FuncOp>())
    if (function->hasAttr("tile.kernel"))
      found = function;
  if (!found || !found.getBody().hasOneBlock())
    throw Error("the IR of kernel " + kernel.name() + " has no function of one block with `tile.kernel`", {});
  return Decoder(kernel, found, checks, floats).decode();
}

}   // namespace tile::interpreter
