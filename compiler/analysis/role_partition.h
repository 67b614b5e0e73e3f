// SPDX-License-Identifier: MIT
// Which products of a kernel can be fed by the copy engine, and what the copies depend on.
//
//    for i { x = load A[m, k]; y = load B[k, n]; sum = dot x, y, sum }        one load group: x and y
//
// Loads of a block that products need together are a load group: they fill one slot together. A block that is
// loaded outside of the loop of its product is a group of its own:
//
//    x = load A[m, 0]; for i { y = load B[i, n]; sum = dot x, y, sum }        two load groups: x; y
//
// A block may be read into registers, too: by what an operand is computed from, or by something else than a
// product. A block that no product needs can be a group of its own:
//
//    for i { sum = dot(load A * scale, load B, sum) }  store C, sum + load R   two load groups: A and B; R
#pragma once

#include "compiler/analysis/axis_analysis.h"
#include "compiler/analysis/operand_sources.h"
#include "compiler/analysis/product_chains.h"
#include "compiler/target/role_registers.h"
#include "compiler/target/target.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tile {

// Slots that a computed second operand takes in turn: the product on its way reads one, the product that
// begins reads the next, and the operand of the one after is put into the third.
inline constexpr std::int64_t SlotsOfPuts = 3;

struct LoadGroup {
  mlir::Block *block;   // of the loads
  std::int64_t channel, slots;
  mlir::SmallVector<ir::DotOp, 1> dots;               // that need them, there or in loops and branches there
  mlir::SmallVector<ir::DescriptorLoadOp, 2> loads;   // in program order
};

// What the plan says of a load: the channel that it fills. Null if it fills none.
gpu::FillAttr fillOf(ir::DescriptorLoadOp load);
// The layout in which the copy engine fills a tile for the matrix unit: rows, swizzled.
mlir::RankedTensorType inSharedRows(mlir::RankedTensorType tile);

// Whether the program itself can describe the tensor to the copy engine.
bool isKnownOnDevice(ir::MakeDescriptorOp made, const AxisAnalysis &facts);

// Whether the iterations of a loop do not wait for each other: the loop over programs, and those that the
// program has promised it of.
bool hasIndependentIterations(mlir::Operation *loop);
// Whether a program may run `then` after `first`, and so that it matters to memory. What an iteration does
// may follow itself, but for loops whose iterations are independent.
bool mayFollow(mlir::Operation *then, mlir::Operation *first);

// Why a kernel cannot run in roles, and where.
struct WhyNot {
  mlir::Operation *at = nullptr;   // null: it has no products, or the target no engine that copies blocks
  llvm::StringRef reason;
};

// A kernel that can run as one program that has tiles copied and one that multiplies them.
class RolePartition {
 public:
  // What `tile-gpu-plan` writes down; nothing where the kernel cannot run in roles. `ctas`: that will share
  // the rows of its products.
  static std::optional<RolePartition> proposed(mlir::func::FuncOp kernel, const Target &target, unsigned ctas,
                                               WhyNot &whyNot);
  // What is written down; nothing where the kernel cannot run so.
  static std::optional<RolePartition> planned(mlir::func::FuncOp kernel, const Target &target,
                                              WhyNot &whyNot);

  mlir::ArrayRef<LoadGroup> loadGroups() const { return loadGroups_; }
  // Whether each warp multiplies by itself what it reads from the slots (mma.sync). A single warp copies
  // then, and all threads have as many registers. Else groups of four multiply out of the slots (wgmma).
  bool isOfRegisters() const { return isOfRegisters_; }
  // Products whose second operand is computed, and goes to shared memory for them, and those of them that
  // may go on while the operand of the next one is put into another slot.
  mlir::SmallVector<ir::DotOp, 1> productsWithPuts() const;
  static bool goesOnBesidePuts(ir::DotOp dot);
  // Shared memory that these take.
  std::int64_t bytesOfPuts() const;
  // Products that can be made an iteration behind what they multiply.
  mlir::SmallVector<ir::DotOp, 1> productsBehind() const;
  // Tensors that begin where the program says, and whose maps the launch makes (anchored_tensors.h).
  bool isAnchored(ir::MakeDescriptorOp made) const { return anchored_.contains(made); }
  // Whether the program describes tensors to the copy engine that the launch does not know.
  bool makesMaps() const;
  // What registers threads have in each role.
  RoleRegisters registersOfRoles() const { return registersIf(givesMost_); }
  // Whether an assert may end the warps that multiply while the copies go on.
  bool mayEndEarly() const { return !lateAsserts_.empty(); }
  // Scalar arithmetic and asserts of the kernel's first block that come before both programs: all threads
  // learn of them, in program order.
  const llvm::SetVector<mlir::Operation *> &prefix() const { return prefix_; }
  // Values, and loops and branches, that the copies depend on.
  bool isNeeded(mlir::Value v) const { return needed_.contains(v); }
  bool isAround(mlir::Operation *op) const { return around_.contains(op); }

 private:
  RolePartition(mlir::func::FuncOp kernel, bool isPlanned) : kernel_(kernel), isPlanned_(isPlanned) {}
  static std::optional<RolePartition> of(RolePartition partition, const Target &target, unsigned ctas,
                                         WhyNot &whyNot);
  bool isCopiedAhead(ir::DescriptorLoadOp load) const;
  // The first reason stands. False.
  bool refuse(mlir::Operation *at, llvm::StringRef reason) {
    if (!whyNot_.at)
      whyNot_ = {at, reason};
    return false;
  }
  bool findRoles(const Target &target, unsigned ctas);
  bool findAnchored(const AxisAnalysis &facts);
  bool isCopied(ir::DescriptorLoadOp load, const AxisAnalysis &facts, bool mayDescribe) const;
  bool findLoadGroups(const AxisAnalysis &facts, const Target &target, unsigned ctas);
  bool addProduct(ir::DotOp dot, const Target &target, unsigned ctas);
  bool canBeOfRegisters(ir::DotOp dot, const Target &target, unsigned ctas);
  LoadGroup &groupOf(ir::DescriptorLoadOp load);
  void join(mlir::ArrayRef<ir::DescriptorLoadOp> loads, ir::DotOp dot);
  struct Sums {
    std::int64_t all = 0, ofInstruction = 0;
    std::int64_t atOnce = 0;   // if products go on beside each other
  };
  Sums sumsOf(mlir::Block &block, unsigned ctas) const;
  std::int64_t keptOperands(mlir::Block &block) const;
  RoleRegisters registersIf(bool givesMost) const;
  bool holdSums(unsigned ctas);
  bool holdSumsOfRegisters();
  bool holdsTwoSteps(ProductChain chain) const;
  bool paysForChains();
  bool areInLoops();
  bool readsWhatItWrites();
  bool checksDescriptors(const AxisAnalysis &facts);
  bool findPrefix(unsigned ctas);
  bool findNeeds();
  bool guardsCopies();
  void need(mlir::Value v);
  void needAround(mlir::Operation *op);
  void needCarried(mlir::scf::ForOp loop, unsigned index);

  mlir::func::FuncOp kernel_;
  bool isPlanned_;           // loads say which channel they fill
  bool givesMost_ = false;   // sums need all registers that copying can do without
  llvm::DenseSet<mlir::Operation *>
      beside_;   // loads that no product needs, and that are copied all the same
  WhyNot whyNot_;
  llvm::DenseSet<mlir::Operation *> anchored_;   // descriptors
  mlir::SmallVector<ir::DotOp, 1> products_;
  bool isOfRegisters_ = false;
  mlir::SmallVector<LoadGroup, 1> loadGroups_;
  llvm::SetVector<mlir::Operation *> prefix_;
  mlir::SmallVector<ir::AssertOp, 1> lateAsserts_;   // after the roles have begun
  llvm::DenseSet<mlir::Value> needed_;
  llvm::DenseSet<mlir::Operation *> around_;
  mlir::SmallVector<mlir::Operation *> readAhead_;   // of load groups, and what those depend on
  mlir::SmallVector<mlir::Value> open_;
};

}   // namespace tile
