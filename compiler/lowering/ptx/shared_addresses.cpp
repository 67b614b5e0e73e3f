// SPDX-License-Identifier: MIT
// Addresses of slots and barriers in kernels whose products take matrices from shared memory:
//
//    base + 4096 slot        becomes        low + 4096 slot + high
//
// The matrix instruction takes descriptors from uniform registers, and a descriptor holds 18 bits of an
// address. The base of shared memory also holds the rank of the CTA in its cluster, above these bits. `ptxas`
// keeps it, and all that is computed from it, in the registers of threads, and moves four words to uniform
// registers before each instruction. `low` are the 18 bits, for which it uses uniform registers; `high` are
// the others, which the address of a barrier needs, and which fall away in a descriptor.
#include "compiler/lowering/ptx/ptx_text.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {
namespace {

constexpr std::int32_t LowBits = 0x3FFFF;

// A pointer as a sum: an array of shared memory, and offsets from it in bytes.
struct SharedPlace {
  LLVM::AddressOfOp array;
  SmallVector<Value> offsets;
  std::int64_t constant = 0;

  static std::optional<SharedPlace> of(Value pointer) {
    SharedPlace place;
    while (auto step = pointer.getDefiningOp<LLVM::GEPOp>()) {
      if (!step.getElemType().isInteger(8) || step.getIndices().size() != 1)
        return std::nullopt;
      auto index = *step.getIndices().begin();
      if (auto known = dyn_cast<IntegerAttr>(index))
        place.constant += known.getInt();
      else
        place.offsets.push_back(cast<Value>(index));
      pointer = step.getBase();
    }
    place.array = pointer.getDefiningOp<LLVM::AddressOfOp>();
    return place.array ? std::optional(std::move(place)) : std::nullopt;
  }
};

class SplitAddresses {
 public:
  explicit SplitAddresses(LLVM::LLVMFuncOp kernel) : kernel_(kernel), b_(kernel.getContext()) {}

  void run() {
    SmallVector<LLVM::PtrToIntOp> numbers;
    SmallVector<OpOperand *> pointers;   // of barriers, and of what the copy engine fills
    kernel_.walk([&](Operation *op) {
      if (auto number = dyn_cast<LLVM::PtrToIntOp>(op); number && number.getType().isInteger(32))
        numbers.push_back(number);
      else if (isa<NVVM::NVVMDialect>(op->getDialect()) && !isa<NVVM::LdMatrixOp, NVVM::StMatrixOp>(op))
        for (OpOperand &operand : op->getOpOperands())
          pointers.push_back(&operand);
    });
    for (LLVM::PtrToIntOp op : numbers)
      if (Value address = split(op, op.getArg())) {
        op.replaceAllUsesWith(address);
        op.erase();
      }
    for (OpOperand *pointer : pointers)
      if (Value address = split(pointer->getOwner(), pointer->get()))
        pointer->set(
            LLVM::IntToPtrOp::create(b_, pointer->getOwner()->getLoc(), pointer->get().getType(), address));
  }

 private:
  // In front of the op; null where nothing has to be added at run time.
  Value split(Operation *op, Value pointer) {
    auto type = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
    if (!type || type.getAddressSpace() != static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared))
      return nullptr;
    std::optional<SharedPlace> place = SharedPlace::of(pointer);
    if (!place || place->offsets.empty())
      return nullptr;
    makeBase(place->array);
    b_.setInsertionPoint(op);
    Location loc = op->getLoc();
    Value at = low_;
    for (Value offset : place->offsets)
      at = LLVM::AddOp::create(
          b_, loc, at,
          offset.getType() == word() ? offset : Value(LLVM::TruncOp::create(b_, loc, word(), offset)));
    if (place->constant != 0)
      at = LLVM::AddOp::create(b_, loc, at, number(static_cast<std::int32_t>(place->constant)));
    return LLVM::AddOp::create(b_, loc, at, high_);
  }

  // Once, at the kernel's entry. As assembly text, so that LLVM does not put both together again.
  void makeBase(LLVM::AddressOfOp array) {
    if (low_)
      return;
    b_.setInsertionPointToStart(&kernel_.getBody().front());
    Location loc = kernel_.getLoc();
    const std::string name = array.getGlobalName().str();
    auto text = [&](const std::string &then) {
      return assembly(b_, loc, word(), {}, "mov.u32 $0, " + name + ";" + then, "=r", /*hasSideEffects=*/false)
          .getResult(0);
    };
    low_ = text(" and.b32 $0, $0, " + std::to_string(LowBits) + ";");
    high_ = LLVM::AndOp::create(b_, loc, text(""), number(~LowBits));
  }

  Type word() { return b_.getI32Type(); }
  Value number(std::int32_t n) { return LLVM::ConstantOp::create(b_, kernel_.getLoc(), word(), n); }

  LLVM::LLVMFuncOp kernel_;
  OpBuilder b_;
  Value low_, high_;
};

}   // namespace

void splitSharedAddresses(ModuleOp module) {
  module.walk([](LLVM::LLVMFuncOp kernel) {
    const bool multiplies =
        kernel.walk([](NVVM::WgmmaFenceAlignedOp) { return WalkResult::interrupt(); }).wasInterrupted();
    if (multiplies)
      SplitAddresses(kernel).run();
  });
}

}   // namespace tile::gpu
