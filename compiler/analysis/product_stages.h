// SPDX-License-Identifier: MIT
// Which products of a kernel can be fed by the copy engine, and what the copies depend on.
//
//    for i { x = load A[m, k]; y = load B[k, n]; sum = dot x, y, sum }        one stage: the loads of x and y
//
// The loads of all products of a block are a stage: they fill one slot together.
#pragma once

#include "compiler/analysis/axis_analysis.h"
#include "compiler/target/target.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tile {

struct ProductStage {
  mlir::Block *block;
  mlir::SmallVector<ir::DotOp, 1> dots;
  mlir::SmallVector<ir::DescriptorLoadOp, 2> loads;   // in program order
};

// The layout in which the copy engine fills a tile for the matrix unit: rows, swizzled.
mlir::RankedTensorType inSharedRows(mlir::RankedTensorType tile);

// What the launch determines: a number, or an argument of the kernel as gpu::ArgumentAttr. Null for others.
mlir::Attribute knownAtLaunch(mlir::Value v);
// Whether a launcher can describe the tensor to the copy engine.
bool isKnownAtLaunch(ir::MakeDescriptorOp made);
// Whether the program itself can describe the tensor to the copy engine.
bool isKnownOnDevice(ir::MakeDescriptorOp made, const AxisAnalysis &facts);

// Whether the iterations of a loop do not wait for each other: the loop over programs, and those that the
// program has promised it of.
bool isApart(mlir::Operation *loop);
// Whether a program may run `then` after `first`, and so that it matters to memory. What an iteration does
// may follow itself, but for loops whose iterations are apart.
bool mayFollow(mlir::Operation *then, mlir::Operation *first);

// What keeps a kernel from being split, and where.
struct WhyNot {
  mlir::Operation *at = nullptr;   // null: it has no products, or the target no engine that copies blocks
  llvm::StringRef reason;
};

// A kernel that can be split into one program that has tiles copied and one that multiplies them.
class SplitKernel {
 public:
  // Nothing where it cannot be split.
  // `ctas`: that will share the rows of its products.
  static std::optional<SplitKernel> of(mlir::func::FuncOp kernel, const Target &target, unsigned ctas = 1,
                                       WhyNot *whyNot = nullptr);

  mlir::ArrayRef<ProductStage> stages() const { return stages_; }
  // Whether the program describes tensors to the copy engine that the launch does not know.
  bool makesMaps() const;
  // Scalar arithmetic and asserts of the kernel's first block that come before both programs: all threads
  // learn of them, in program order.
  const llvm::SetVector<mlir::Operation *> &prefix() const { return prefix_; }
  // Values, and loops and branches, that the copies depend on.
  bool isNeeded(mlir::Value v) const { return needed_.contains(v); }
  bool isAround(mlir::Operation *op) const { return around_.contains(op); }

 private:
  explicit SplitKernel(mlir::func::FuncOp kernel) : kernel_(kernel) {}
  // The first reason stands. False.
  bool refuse(mlir::Operation *at, llvm::StringRef reason) {
    if (!whyNot_.at)
      whyNot_ = {at, reason};
    return false;
  }
  bool isSplit(const Target &target, unsigned ctas);
  bool findStages(const AxisAnalysis &facts, const Target &target, unsigned ctas);
  bool holdSums(const ProductStage &stage, unsigned ctas) const;
  bool readsWhatItWrites();
  bool checksDescriptors(const AxisAnalysis &facts);
  bool findPrefix();
  bool findNeeds();
  void need(mlir::Value v);
  void needAround(mlir::Operation *op);
  void needCarried(mlir::scf::ForOp loop, unsigned index);

  mlir::func::FuncOp kernel_;
  WhyNot whyNot_;
  mlir::SmallVector<ProductStage, 1> stages_;
  llvm::SetVector<mlir::Operation *> prefix_;
  llvm::DenseSet<mlir::Value> needed_;
  llvm::DenseSet<mlir::Operation *> around_;
  mlir::SmallVector<mlir::Operation *> readAhead_;   // of stages, and what those depend on
  mlir::SmallVector<mlir::Value> open_;
};

}   // namespace tile
