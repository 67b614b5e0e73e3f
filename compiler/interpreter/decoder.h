// SPDX-License-Identifier: MIT
// From a kernel's MLIR to a Program. One walk over the ops in order: each value gets a place, each
// op instructions; what has a shape of its own (loops, reductions, memory) has a file of its own.
#pragma once

#include "compiler/interpreter/atomics.h"
#include "compiler/interpreter/control.h"
#include "compiler/interpreter/decode.h"
#include "compiler/interpreter/descriptors.h"
#include "compiler/interpreter/elementwise.h"
#include "compiler/interpreter/machine.h"
#include "compiler/interpreter/offset_slice.h"
#include "compiler/interpreter/reductions.h"
#include "compiler/interpreter/storage_plan.h"
#include "compiler/interpreter/wrapped.h"
#include "compiler/kernel_ir_module.h"
#include "dialects/tile/dialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tile::interpreter {

class Decoder {
 public:
  Decoder(const KernelIR &kernel, mlir::func::FuncOp function, const Checks &checks, Floats floats);
  std::shared_ptr<const Program> decode();

 private:
  // Where a value is. Values may share storage: a reshaped tile is the tile.
  struct Slot {
    Place place = NoPlace;
    Lane lane{};
    std::size_t lanes = 1;
    int storage = -1;
    std::optional<Wrapped> wrapped;
  };
  struct Storage {
    Place place;
    std::size_t bytes;
    int values = 0;   // live values in it
    int pins = 0;     // loops and branches that still write to it
    bool constant = false;
  };

  //===--- values: decoder.cpp ----------------------------------------------===//
  const Slot &slot(mlir::Value value) const;
  Lane laneOf(mlir::Type type, mlir::Operation *op) const;
  Extents extentsOf(mlir::Type type) const;
  const Slot &define(mlir::Value value, mlir::Operation *op);
  // In the place of the first operand whose value dies here and whose lanes have the right size.
  const Slot &defineOver(mlir::Value value, mlir::Operation *op, mlir::ValueRange operands);
  const Slot &alias(mlir::Value value, mlir::Value other, mlir::Operation *op);
  const Slot &defineConstant(mlir::Value value, mlir::Operation *op, mlir::TypedAttr attribute);
  Place take(std::size_t bytes) { return constantPlaces_ ? plan_.takeNew(bytes) : plan_.take(bytes); }
  void pin(mlir::Value value) { ++storages_[static_cast<std::size_t>(slot(value).storage)].pins; }
  void unpin(mlir::Value value);
  void drop(mlir::Value value);
  void findLastUses(mlir::Block &block);
  void dropDeadAt(mlir::Operation *op);

  Instruction &emit(Handler run, mlir::Operation *op);
  std::uint32_t where(mlir::Location location);
  [[noreturn]] void refuse(mlir::Operation *op, const std::string &why) const;
  // `handler`, or an error that the op does not exist for these types.
  Handler need(Handler handler, mlir::Operation *op) const;

  // What is remembered about the wrapped lanes of `result` (wrapped.h).
  Wrapped newWrapped(std::size_t lanes);
  void mergeWrapped(mlir::Operation *op, mlir::Value result, mlir::ValueRange from,
                    mlir::Value condition = {});
  void moveWrapped(mlir::Operation *op, mlir::Value result, mlir::Value from, Handler move,
                   const Detail *detail);

  //===--- ops --------------------------------------------------------------===//
  void decodeBlock(mlir::Block &block);   // without its terminator, into the current block
  void decodeOp(mlir::Operation *op);
  bool decodeElementwise(mlir::Operation *op);   // decode_elementwise.cpp
  void decodeInteger(mlir::Operation *op, IntegerOp kind);
  bool decodeRing(mlir::Operation *op);     // decode_ring.cpp
  bool decodeShape(mlir::Operation *op);    // decode_shape.cpp
  bool decodeMemory(mlir::Operation *op);   // decode_memory.cpp
  bool decodeDescriptor(mlir::Operation *op);
  Update updateOf(ir::Update update) const;
  bool decodeTileOp(mlir::Operation *op);       // decode_tile_ops.cpp
  bool decodeCollective(mlir::Operation *op);   // decode_collective.cpp: dot, reduce, scan, histogram
  bool decodeControl(mlir::Operation *op);      // decode_control.cpp

  void decodeFor(mlir::scf::ForOp loop);
  void decodeWhile(mlir::scf::WhileOp loop);
  void decodeIf(mlir::scf::IfOp branch);
  // Decodes into a new block and returns its number; the terminator's moves are up to `atEnd`.
  template <class AtEnd> BlockId decodeRegion(mlir::Block &block, AtEnd atEnd) {
    const BlockId id = openBlock(), outer = std::exchange(current_, id);
    decodeBlock(block);
    atEnd();
    dropDeadAt(block.getTerminator());
    current_ = outer;
    return id;
  }
  BlockId openBlock();
  // `from` into the places of `to`, all at once.
  Moves moves(mlir::ValueRange to, mlir::ValueRange from);
  // A combine region over `lanes` lanes at once. `tiles` get the places of arguments and yields.
  BlockId decodeCombine(mlir::Region &region, std::size_t lanes, std::vector<Combined> &tiles);
  // The block again, for another number of lanes.
  BlockId copyBlock(BlockId block, std::size_t lanes);
  std::vector<Combined> combinedTiles(mlir::Operation *op);

  const KernelIR &kernel_;
  mlir::func::FuncOp function_;
  Checks checks_;
  bool isRing_ = false;   // floats are integers of their width, also as lanes
  std::optional<OffsetSlice> slice_;
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  StoragePlan plan_;
  std::vector<Storage> storages_;
  llvm::DenseMap<mlir::Value, Slot> slots_;
  llvm::DenseMap<mlir::Value, mlir::Operation *> lastUse_;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> deaths_;
  llvm::DenseMap<mlir::Attribute, Slot> constants_;
  llvm::DenseMap<mlir::Location, std::uint32_t> locations_;
  bool constantPlaces_ = false;
  BlockId current_ = 0;
  std::size_t factor_ = 1;   // lanes of a scalar: more than 1 inside a combine region
};

}   // namespace tile::interpreter
