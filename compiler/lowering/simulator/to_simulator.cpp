// SPDX-License-Identifier: MIT
// `tile-gpu-to-simulator`: what only the machine can do becomes calls of the simulator's runtime
// (runtime/simulator/calls.h lists them), everything else is left for the host's LLVM. Memory is
// reached through pointers that were checked; registers of a warp travel through a few words on the stack.
#include "compiler/lowering/only_kernel.h"
#include "compiler/lowering/passes.h"
#include "compiler/lowering/simulator/places.h"
#include "compiler/lowering/simulator/pointer_checks.h"
#include "compiler/lowering/simulator/simulated_operations.h"
#include "compiler/lowering/simulator/simulator_calls.h"
#include "dialects/tile_gpu/dialect.h"
#include "runtime/host/pointers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUTOSIMULATOR
#include "compiler/lowering/passes.h.inc"

namespace {

// Approximations of the machine, as calls of functions on the same types.
const llvm::StringMap<StringRef> &mathCalls() {
  static const llvm::StringMap<StringRef> names = {{"llvm.nvvm.ex2.approx.ftz", "tile_sim_exp2_ftz"},
                                                   {"llvm.nvvm.ex2.approx", "tile_sim_exp2"},
                                                   {"llvm.nvvm.lg2.approx.f", "tile_sim_log2"},
                                                   {"llvm.nvvm.sqrt.approx.f", "tile_sim_sqrt"},
                                                   {"llvm.nvvm.rsqrt.approx.f", "tile_sim_rsqrt"},
                                                   {"llvm.nvvm.div.full", "tile_sim_divide"},
                                                   {"llvm.nvvm.rcp.approx.ftz.f", "tile_sim_reciprocal_ftz"},
                                                   {"llvm.nvvm.d2f.rz", "tile_sim_toward_zero"},
                                                   {"llvm.nvvm.mulhi.ll", "tile_sim_multiply_high"},
                                                   {"llvm.nvvm.mulhi.ull", "tile_sim_multiply_high_u"},
                                                   {"llvm.nvvm.ff.to.e4m3x2.rn", "tile_sim_to_e4m3x2"},
                                                   {"llvm.nvvm.ff.to.e5m2x2.rn", "tile_sim_to_e5m2x2"},
                                                   {"llvm.nvvm.e4m3x2.to.f16x2.rn", "tile_sim_from_e4m3x2"}};
  return names;
}

class Retarget : public SimulatorCalls {
 public:
  Retarget(ModuleOp module, LLVM::LLVMFuncOp kernel, bool checksOffsets, bool marksPlaces = false)
      : SimulatorCalls(module, kernel.getLoc()), kernel_(kernel), hopper_(*this),
        checksOffsets_(checksOffsets), marksPlaces_(marksPlaces),
        isRing_(module->hasAttr("tile_gpu.ring_floats")) {}

  LogicalResult run() {
    tracksGlobal_ = readsWhatItWrites();
    enter();
    SmallVector<Operation *> ops;
    kernel_.walk([&](Operation *op) {
      if (op != kernel_)
        ops.push_back(op);
    });
    if (marksPlaces_)
      module_->setAttr("tile_gpu.places", markPlaces(kernel_, *this));
    for (Operation *op : ops) {
      b_.setLoc(op->getLoc());
      b_.setInsertionPoint(op);
      if (failed(retarget(op)))
        return failure();
    }
    hopper_.finish();
    if (checksOffsets_)
      checkPointers(kernel_, *this);
    watchLoops();
    kernel_->setDiscardableAttrs(DictionaryAttr::get(module_.getContext()));
    return success();
  }
  bool hasPartialOrder() const { return hopper_.hasPartialOrder(); }
  bool changesMaps() const { return hopper_.changesMaps(); }
  bool tracksGlobal() const { return tracksGlobal_; }
  std::vector<std::string> known() {
    (void)retarget(nullptr);
    for (const auto &entry : mathCalls())
      names.push_back(entry.getKey().str());
    llvm::sort(names);
    names.erase(llvm::unique(names), names.end());
    return names;
  }

 private:
  // The kernel takes the thread and an array with its arguments, 8 bytes each.
  void enter() {
    Block &entry = kernel_.getBody().front();
    auto pointer = LLVM::LLVMPointerType::get(b_.getContext());
    unsigned count = entry.getNumArguments();
    b_.setInsertionPointToStart(&entry);
    thread_ = entry.addArgument(pointer, b_.getLoc());
    Value arguments = entry.addArgument(pointer, b_.getLoc());
    words_ = LLVM::AllocaOp::create(b_, pointer, b_.getI32Type(), number(MaxWords), /*alignment=*/16);
    for (unsigned i = 0; i < count; ++i) {
      Value old = entry.getArgument(i);
      Value at = LLVM::GEPOp::create(b_, pointer, b_.getI64Type(), arguments,
                                     ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(i)});
      old.replaceAllUsesWith(LLVM::LoadOp::create(b_, old.getType(), at));
    }
    entry.eraseArguments(0, count);
    kernel_.setFunctionType(
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b_.getContext()), {pointer, pointer}));
    kernel_.removeArgAttrsAttr();
  }

  LogicalResult retarget(Operation *op) {
    if (std::optional<LogicalResult> result = hopper_.retarget(op))
      return *result;
    return choose<LogicalResult>(op)
        .Case([&](NVVM::ThreadIdXOp op) { return ask(op, "tile_sim_thread_id"); })
        .Case([&](NVVM::BlockIdXOp op) { return ask(op, "tile_sim_program_id", 0); })
        .Case([&](NVVM::BlockIdYOp op) { return ask(op, "tile_sim_program_id", 1); })
        .Case([&](NVVM::BlockIdZOp op) { return ask(op, "tile_sim_program_id", 2); })
        .Case([&](NVVM::GridDimXOp op) { return ask(op, "tile_sim_num_programs", 0); })
        .Case([&](NVVM::GridDimYOp op) { return ask(op, "tile_sim_num_programs", 1); })
        .Case([&](NVVM::GridDimZOp op) { return ask(op, "tile_sim_num_programs", 2); })
        .Case(
            [&](NVVM::Barrier0Op op) { return replace(op, call("tile_sim_barrier", {}, {site("barrier")})); })
        .Case([&](NVVM::BarrierOp op) { return barrier(op); })
        .Case([&](NVVM::Exit op) { return replace(op, call("tile_sim_exit", {}, {})); })
        .Case([&](NVVM::ShflOp op) { return shuffle(op); })
        .Case([&](NVVM::LdMatrixOp op) { return ldmatrix(op); })
        .Case([&](NVVM::MmaOp op) { return mma(op); })
        .Case([&](PtxMmaOp op) {
          return multiply(op, *op.getMatrixUnit(), op.getA(), op.getB(), op.getSums());
        })
        .Case([&](NVVM::CpAsyncOp op) {
          Value size = op.getCpSize() ? op.getCpSize() : number(op.getSize());
          return replace(
              op, call("tile_sim_copy", {},
                       {op.getDst(), op.getSrc(), number(op.getSize()), size, site("asynchronous copy")}));
        })
        .Case([&](NVVM::CpAsyncCommitGroupOp op) { return replace(op, call("tile_sim_commit", {}, {})); })
        .Case([&](NVVM::CpAsyncWaitGroupOp op) {
          return replace(op, call("tile_sim_wait", {}, {number(op.getN())}));
        })
        .Case([&](PtxLoadOp op) { return load(op); })
        .Case([&](PtxStoreOp op) { return store(op); })
        .Case([&](PtxStoreAsyncOp op) {
          return replace(op, call("tile_sim_store_async", {},
                                  {op.getPtr(), wide(op.getWord()), bytes(op.getWord()), op.getMbarrier(),
                                   site("asynchronous store")}));
        })
        .Case([&](PtxAtomicOp op) { return atomic(op); })
        .Case([&](PtxAddOp op) { return add(op); })
        .Case([&](PtxSwapOp op) {
          Value old = call("tile_sim_swap", b_.getI64Type(),
                           {op.getPtr(), predicate(op.getPredicate()), wide(op.getExpected()),
                            wide(op.getDesired()), bytes(op.getDesired()), site("atomic_cas updates")});
          return replace(op, narrow(old, op.getType()));
        })
        .Case([&](PtxShiftLeftOp op) { return shift<LLVM::ShlOp>(op, false); })
        .Case([&](PtxShiftRightOp op) {
          return op.getIsSigned() ? shift<LLVM::AShrOp>(op, true) : shift<LLVM::LShrOp>(op, false);
        })
        .Case([&](LLVM::LoadOp op) { return access(op, op.getAddr(), op.getType(), "load reads"); })
        .Case([&](LLVM::StoreOp op) {
          return access(op, op.getAddr(), op.getValue().getType(), "store writes");
        })
        .Case([&](LLVM::AddressOfOp op) {
          auto global = module_.lookupSymbol<LLVM::GlobalOp>(op.getGlobalName());
          if (!global || global.getConstant())
            return success();
          StringRef name = global.getAddrSpace() == Shared    ? "tile_sim_shared"
                           : global.getName() == "tile_fault" ? "tile_sim_fault_record"
                                                              : "";
          if (name.empty())
            return unknown(op, global.getName());
          return replace(op, call(name, op.getType(), {}, /*isPure=*/true));
        })
        .Case([&](LLVM::PtrToIntOp op) {
          if (spaceOf(op.getArg()) == Shared)   // an offset into the CTA's window
            return sharedOffset(op);
          if (spaceOf(op.getArg()) != Global)
            return success();
          // Upper bits of a pointer say which buffer it came from; as a number it is the address alone.
          b_.setInsertionPointAfter(op);
          Value mask =
              LLVM::ConstantOp::create(b_, b_.getI64Type(), static_cast<int64_t>(host::address_mask));
          Value address = LLVM::AndOp::create(b_, op.getResult(), mask);
          op.getResult().replaceAllUsesExcept(address, address.getDefiningOp());
          return success();
        })
        .Case([&](LLVM::IntToPtrOp op) {
          if (spaceOf(op) == Shared)
            return sharedAddress(op);
          if (spaceOf(op) != Global)
            return unknown(op, "llvm.inttoptr to other than global and shared memory");
          // The space stays until the end, for it says which accesses are checked.
          return replace(op, call("tile_sim_recognise", op.getType(), {op.getArg()}));
        })
        .Case([&](LLVM::CallIntrinsicOp op) { return intrinsic(op); })
        .Case([&](LLVM::CallOp op) { return print(op); })
        .Case([&](LLVM::Trap op) { return replace(op, call("tile_sim_trap", {}, {site("trap")})); })
        .Case([&](LLVM::AssumeOp op) { return assume(op); })
        .Case([&](LLVM::FenceOp op) {
          op.setSyncscopeAttr({});
          return success();
        })
        .Case([&](LLVM::AtomicRMWOp op) {
          if (spaceOf(op.getPtr()) != Shared || op.getBinOp() != LLVM::AtomicBinOp::add ||
              !op.getType().isInteger(32))
            return unknown(op);
          return replace(op, call("tile_sim_shared_add", op.getType(),
                                  {op.getPtr(), op.getVal(), site("shared atomic")}));
        })
        .Case([&](LLVM::AddrSpaceCastOp op) { return castSpace(op); })
        .Refuse<LLVM::InlineAsmOp>([&](Operation *op) { return unknown(op); })
        .Refuse<LLVM::AtomicCmpXchgOp>([&](Operation *op) { return unknown(op); })
        .Default([&](Operation *op) {
          bool isKnown = isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect());
          return isKnown && !(isRing_ && isFloatArithmetic(op)) ? success() : unknown(op);
        });
  }

  // Whether a read of global memory may follow a write of the kernel's own, or bulk copies write there.
  bool readsWhatItWrites() {
    auto isGlobal = [](Value pointer) { return spaceOf(pointer) == Global; };
    auto writes = [&](Operation &op) {
      auto store = dyn_cast<LLVM::StoreOp>(op);
      return isa<PtxStoreOp>(op) || (store && isGlobal(store.getAddr()));
    };
    auto reads = [&](Operation &op) {
      auto load = dyn_cast<LLVM::LoadOp>(op);
      return isa<PtxLoadOp, NVVM::CpAsyncOp, NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp,
                 NVVM::CpAsyncBulkGlobalToSharedClusterOp>(op) ||
             (load && isGlobal(load.getAddr()) && !isConstantData(load.getAddr()));
    };
    SmallVector<Block *> work;
    for (Block &block : kernel_.getBody()) {
      bool hasWritten = false;
      for (Operation &op : block) {
        if (isa<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp, NVVM::CpAsyncBulkTensorReduceOp,
                NVVM::CpAsyncBulkSharedCTAToGlobalOp>(op) ||
            (hasWritten && reads(op)))
          return true;
        hasWritten |= writes(op);
      }
      if (hasWritten)
        llvm::append_range(work, block.getSuccessors());
    }
    llvm::SmallPtrSet<Block *, 16> seen;
    while (!work.empty()) {
      Block *block = work.pop_back_val();
      if (!seen.insert(block).second)
        continue;
      if (llvm::any_of(*block, reads))
        return true;
      llvm::append_range(work, block->getSuccessors());
    }
    return false;
  }

  // Every way back of a loop passes by the runtime, which counts and sometimes looks at the time.
  void watchLoops() {
    DominanceInfo dominance(kernel_);
    for (Block &block : kernel_.getBody())
      if (llvm::any_of(block.getSuccessors(),
                       [&](Block *next) { return dominance.dominates(next, &block); })) {
        b_.setLoc(block.getTerminator()->getLoc());
        b_.setInsertionPoint(block.getTerminator());
        call("tile_sim_loop", {}, {site("loop")});
      }
  }

  // What the ring should have replaced.
  static bool isFloatArithmetic(Operation *op) {
    return isa<LLVM::FAddOp, LLVM::FSubOp, LLVM::FMulOp, LLVM::FDivOp, LLVM::FRemOp, LLVM::FNegOp,
               LLVM::FCmpOp, LLVM::FPExtOp, LLVM::FPTruncOp, LLVM::FPToSIOp, LLVM::FPToUIOp, LLVM::SIToFPOp,
               LLVM::UIToFPOp>(op);
  }

  // ---- warps

  LogicalResult barrier(NVVM::BarrierOp op) {
    if (op.getBarrierId() || op.getNumberOfThreads())
      return unknown(op, "nvvm.barrier of a number or of some threads, with a reduction");
    Value value = op.getReductionPredicate() ? op.getReductionPredicate() : number(0);
    auto reduction = op.getReductionOp() ? *op.getReductionOp() : NVVM::BarrierReduction::POPC;
    StringRef name = reduction == NVVM::BarrierReduction::OR    ? "tile_sim_barrier_or"
                     : reduction == NVVM::BarrierReduction::AND ? "tile_sim_barrier_and"
                                                                : "tile_sim_barrier_count";
    Value result = call(name, b_.getI32Type(), {value, site("barrier")});
    return replace(op.getOperation(), op->getNumResults() ? ValueRange(result) : ValueRange());
  }

  LogicalResult shuffle(NVVM::ShflOp op) {
    Value value = LLVM::BitcastOp::create(b_, b_.getI32Type(), op.getVal());
    Value both = call("tile_sim_shuffle", b_.getI64Type(),
                      {op.getThreadMask(), value, op.getOffset(), op.getMaskAndClamp(),
                       number(static_cast<int>(op.getKind())), site("shuffle")});
    Value moved = LLVM::BitcastOp::create(b_, op.getVal().getType(), narrow(both, b_.getI32Type()));
    if (!op.getReturnValueAndIsValid())
      return replace(op, moved);
    Value high = LLVM::LShrOp::create(b_, both, LLVM::ConstantOp::create(b_, b_.getI64Type(), 32));
    Value result = LLVM::UndefOp::create(b_, op.getType());
    result = LLVM::InsertValueOp::create(b_, result, moved, ArrayRef<int64_t>{0});
    return replace(op,
                   LLVM::InsertValueOp::create(b_, result, narrow(high, b_.getI1Type()), ArrayRef<int64_t>{1})
                       .getResult());
  }

  LogicalResult ldmatrix(NVVM::LdMatrixOp op) {
    NVVM::LdStMatrixShapeAttr shape = op.getShape();
    if (shape.getM() != 8 || shape.getN() != 8 || op.getEltType() != NVVM::LdStMatrixEltType::B16)
      return unknown(op, "nvvm.ldmatrix of other than 8 x 8 elements of 16 bits");
    call("tile_sim_ldmatrix", {},
         {op.getPtr(), number(op.getNum()), number(op.getLayout() == NVVM::MMALayout::col), words_,
          site("ldmatrix")});
    return replace(op, takeAll(op.getType()));
  }

  LogicalResult mma(NVVM::MmaOp op) {
    auto a = op.getMultiplicandAPtxType(), b = op.getMultiplicandBPtxType();
    NVVM::MMAShapeAttr shape = op.getShape();
    const MatrixUnit *unit = nullptr;
    if (a && b && !op.getOperandC().empty())
      unit = find(NVVM::stringifyMMATypes(*a), NVVM::stringifyMMATypes(*b), op.getOperandC()[0].getType());
    auto differ = [](int have, unsigned wanted) { return static_cast<unsigned>(have) != wanted; };
    if (!unit || differ(shape.getM(), unit->m) || differ(shape.getN(), unit->n.least()) ||
        differ(shape.getK(), unit->k) || op.getOperandA().size() != unit->wordsOfA() ||
        op.getOperandB().size() != unit->wordsOfB(unit->n.least()) ||
        op.getLayoutA() != NVVM::MMALayout::row || op.getLayoutB() != NVVM::MMALayout::col)
      return unknown(op, "nvvm.mma.sync of this shape and these types");
    return multiply(op, *unit, op.getOperandA(), op.getOperandB(), op.getOperandC());
  }
  static const MatrixUnit *find(std::string_view a, std::string_view b, Type sum) {
    std::optional<MatrixElement> element = matrixElementOf(sum);
    for (const MatrixUnit &unit : mmaSyncUnits())
      if (a == nameOf(unit.a.element) && b == nameOf(unit.b.element) && element == unit.sum)
        return &unit;
    return nullptr;
  }
  // The runtime has a function for each row; elements of a ring differ by their size only, and those of 8
  // bits are multiplied as signed bytes are.
  std::string functionOf(const MatrixUnit &unit) const {
    unsigned bits = bitsOf(unit.a.element);
    if (isRing_ && !isInteger(unit.sum))
      return bits == 8 ? "tile_sim_mma_s8_s8" : "tile_sim_mma_ring_" + std::to_string(bits);
    std::string name = "tile_sim_mma_";
    name += nameOf(unit.a.element);
    name += '_';
    name += nameOf(unit.b.element);
    return name;
  }
  // c, which becomes the result, then a and b.
  LogicalResult multiply(Operation *op, const MatrixUnit &unit, ValueRange a, ValueRange b, ValueRange c) {
    unsigned at = 0;
    for (ValueRange group : {c, a, b})
      for (Value word : group) {
        put(at, word);
        at += 4;
      }
    call(functionOf(unit), {}, {words_, site("mma")});
    return replace(op, ValueRange(takeAll(op->getResult(0).getType())));
  }

  // ---- memory

  // Shared memory of another CTA is reached like the own. A generic pointer may only name things: accesses
  // through one are not checked.
  LogicalResult castSpace(LLVM::AddrSpaceCastOp op) {
    unsigned from = spaceOf(op.getArg()), to = spaceOf(op);
    bool isShared = (from == Shared || from == SharedCluster) && (to == Shared || to == SharedCluster);
    auto names = [](Operation *user) {
      return user->getDialect()->getNamespace() == NVVM::NVVMDialect::getDialectNamespace() ||
             llvm::StringRef(user->getName().getStringRef()) == "llvm.call";
    };
    if (!isShared && (to != 0 || !llvm::all_of(op->getUsers(), names)))
      return unknown(op, "llvm.addrspacecast to a generic pointer that is read or written through");
    return success();   // all spaces become one
  }
  Value sharedBase() {
    auto pointer = LLVM::LLVMPointerType::get(b_.getContext(), Shared);
    Value base = call("tile_sim_shared", pointer, {}, /*isPure=*/true);
    return LLVM::PtrToIntOp::create(b_, b_.getI64Type(), base);
  }
  LogicalResult sharedOffset(LLVM::PtrToIntOp op) {
    Value address = LLVM::PtrToIntOp::create(b_, b_.getI64Type(), op.getArg());
    Value offset = LLVM::SubOp::create(b_, address, sharedBase());
    return replace(op, narrow(offset, op.getType()));
  }
  LogicalResult sharedAddress(LLVM::IntToPtrOp op) {
    Value offset = wide(op.getArg());
    Value address = LLVM::AddOp::create(b_, sharedBase(), offset);
    return replace(op, LLVM::IntToPtrOp::create(b_, op.getType(), address).getResult());
  }

  // A constant of the module needs no check.
  bool isConstantData(Value pointer) {
    while (auto gep = pointer.getDefiningOp<LLVM::GEPOp>())
      pointer = gep.getBase();
    auto address = pointer.getDefiningOp<LLVM::AddressOfOp>();
    auto global = address ? module_.lookupSymbol<LLVM::GlobalOp>(address.getGlobalName()) : LLVM::GlobalOp();
    return global && global.getConstant();
  }

  template <class Op> LogicalResult access(Op op, Value pointer, Type type, StringRef what) {
    unsigned space = spaceOf(pointer);
    if ((space != Global && space != Shared && space != SharedCluster) || isConstantData(pointer))
      return success();
    auto vector = dyn_cast<VectorType>(type);
    Type element = vector ? vector.getElementType() : type;
    if (!element.isIntOrFloat())
      return unknown(op, "an access to other than numbers");
    std::int64_t size = std::max(8u, element.getIntOrFloatBitWidth()) / 8;
    std::int64_t all = size * (vector ? vector.getNumElements() : 1);
    bool isStore = isa<LLVM::StoreOp>(op);
    if (space == Global) {
      if (op.getVolatile_())   // it may be waiting for another program
        call("tile_sim_pause", {}, {});
    }
    if (space == Global && !isStore) {
      op.getAddrMutable().assign(call("tile_sim_global_read", LLVM::LLVMPointerType::get(b_.getContext()),
                                      {pointer, number(all), number(size), site(what)}));
    } else if (space == Global) {   // the runtime looks at the value too
      put(0, op->getOperand(0));
      call("tile_sim_global_write", {}, {pointer, number(all), number(size), words_, site(what)});
      op->erase();
    } else if (isStore) {
      put(0, op->getOperand(0));
      call("tile_sim_shared_write", {}, {pointer, number(all), words_, site("shared store")});
      op->erase();
    } else {
      call("tile_sim_shared_read", {}, {pointer, number(all), site("shared load")});
    }
    return success();
  }

  LogicalResult load(PtxLoadOp op) {
    unsigned size = op.getResult(0).getType().getIntOrFloatBitWidth() / 8;
    for (auto [i, other] : llvm::enumerate(op.getOthers()))
      put(size * static_cast<unsigned>(i), other);
    if (op.getIsVolatile() || op.getCache() == ir::Cache::cv)   // another thread may be what it waits for
      call("tile_sim_pause", {}, {});
    call("tile_sim_load", {},
         {op.getPtr(), predicate(op.getPredicate()), number(op.getNumResults()), number(size), words_,
          site("load reads")});
    SmallVector<Value> words;
    for (auto [i, result] : llvm::enumerate(op.getResults()))
      words.push_back(take(size * static_cast<unsigned>(i), result.getType()));
    return replace(op.getOperation(), words);
  }
  LogicalResult store(PtxStoreOp op) {
    unsigned size = op.getWords().front().getType().getIntOrFloatBitWidth() / 8;
    for (auto [i, word] : llvm::enumerate(op.getWords()))
      put(size * static_cast<unsigned>(i), word);
    call("tile_sim_store", {},
         {op.getPtr(), predicate(op.getPredicate()), number(static_cast<std::int64_t>(op.getWords().size())),
          number(size), words_, site("store writes")});
    return replace(op.getOperation(), ValueRange());
  }

  static std::string nameOfAdd(Type element) {
    return std::string("tile_sim_atomic_fadd_") + (element.isF16()    ? "f16"
                                                   : element.isBF16() ? "bf16"
                                                   : element.isF32()  ? "f32"
                                                                      : "f64");
  }
  Value update(StringRef name, Value ptr, Value predicated, Value value) {
    return call(name, b_.getI64Type(), {ptr, predicate(predicated), wide(value), site("atomic updates")});
  }

  LogicalResult atomic(PtxAtomicOp op) {
    const std::string name = op.getUpdate() == ir::Update::fadd
                                 ? nameOfAdd(op.getElement())
                                 : "tile_sim_atomic_" + ir::stringifyUpdate(op.getUpdate()).str() + "_" +
                                       std::to_string(op.getType().getIntOrFloatBitWidth());
    Value old = update(name, op.getPtr(), op.getPredicate(), op.getValue());
    return replace(op, narrow(old, op.getType()));
  }

  // One float after the other: between them, other threads may add theirs.
  LogicalResult add(PtxAddOp op) {
    const unsigned bits = op.getElement().getIntOrFloatBitWidth();
    Type integer = b_.getIntegerType(bits);
    int32_t at = 0;
    for (Value word : op.getWords())
      for (unsigned shift = 0; shift < 32; shift += bits, at += static_cast<int32_t>(bits / 8)) {
        Value amount = LLVM::ConstantOp::create(b_, b_.getI32Type(), static_cast<int64_t>(shift));
        Value part = LLVM::LShrOp::create(b_, word, amount);
        Value element = bits == 32 ? part : Value(LLVM::TruncOp::create(b_, integer, part));
        Value ptr =
            LLVM::GEPOp::create(b_, op.getPtr().getType(), b_.getI8Type(), op.getPtr(), LLVM::GEPArg(at));
        update(nameOfAdd(op.getElement()), ptr, op.getPredicate(), element);
      }
    return replace(op.getOperation(), ValueRange());
  }

  template <class Shift, class Op> LogicalResult shift(Op op, bool keepsSign) {
    Value amount = LLVM::ZExtOp::create(b_, b_.getI64Type(), op.getAmount());
    auto wideNumber = [&](std::int64_t n) { return LLVM::ConstantOp::create(b_, b_.getI64Type(), n); };
    Value fits = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::ult, amount, wideNumber(64));
    Value shifted =
        Shift::create(b_, op.getValue(), LLVM::SelectOp::create(b_, fits, amount, wideNumber(63)));
    if (!keepsSign)
      shifted = LLVM::SelectOp::create(b_, fits, shifted, wideNumber(0));
    return replace(op, shifted);
  }

  // ---- the rest

  // What the condition means, where `tile-gpu-check-facts` has said it.
  LogicalResult assume(LLVM::AssumeOp op) {
    SmallVector<Value> arguments{predicate(op.getCond())};
    StringRef name = "tile_sim_assume";
    OperandRangeRange bundles = op.getOpBundleOperands();
    if (bundles.size() == 1) {
      StringRef tag = cast<StringAttr>((*op.getOpBundleTags())[0]).getValue();
      name = tag == "tile.aligned"     ? "tile_sim_assume_aligned"
             : tag == "tile.divisible" ? "tile_sim_assume_divisible"
             : tag == "tile.range"     ? "tile_sim_assume_range"
             : tag == "tile.step"      ? "tile_sim_assume_step"
             : tag == "tile.apart"     ? "tile_sim_assume_apart"
                                       : "";
      if (name.empty())
        return unknown(op, "llvm.intr.assume of " + tag.str());
      llvm::append_range(arguments, bundles[0]);
    }
    arguments.push_back(site("assume"));
    return replace(op, call(name, {}, arguments));
  }

  LogicalResult intrinsic(LLVM::CallIntrinsicOp op) {
    StringRef name = op.getIntrin();
    if (!name.starts_with("llvm.nvvm."))
      return success();
    auto found = mathCalls().find(name);
    if (found == mathCalls().end() || op.getNumResults() != 1)
      return unknown(op, name);
    std::string callee = found->second.str();
    if (name.starts_with("llvm.nvvm.ex2.approx") && !op.getResult(0).getType().isF32())
      return unknown(op, (name + " of other than f32").str());
    // A vector of two 16-bit floats comes in the bits of a word.
    Type type = op.getResult(0).getType();
    Value result = call(callee, isa<VectorType>(type) ? b_.getI32Type() : type, llvm::to_vector(op.getArgs()),
                        /*isPure=*/true, /*withThread=*/false);
    return replace(op, isa<VectorType>(type) ? LLVM::BitcastOp::create(b_, type, result) : result);
  }

  LogicalResult print(LLVM::CallOp op) {
    if (!op.getCallee() || *op.getCallee() != "vprintf")
      return unknown(op, op.getCallee() ? *op.getCallee() : StringRef("an indirect call"));
    call("tile_sim_print", {}, {op.getArgOperands()[0], op.getArgOperands()[1], site("print")});
    op->erase();   // how much it wrote, nobody asks
    return success();
  }

  LLVM::LLVMFuncOp kernel_;
  HopperCalls hopper_;
  bool checksOffsets_, marksPlaces_, tracksGlobal_ = false;
  bool isRing_;   // floats are no numbers: tile-gpu-floats-to-ring
};

struct ToSimulator : impl::TileGpuToSimulatorBase<ToSimulator> {
  using TileGpuToSimulatorBase::TileGpuToSimulatorBase;
  void runOnOperation() override {
    ModuleOp module = getOperation();
    LLVM::LLVMFuncOp kernel = onlyKernel(module, "tile-gpu-to-simulator");
    if (!kernel)
      return signalPassFailure();
    Retarget retarget(module, kernel, checksOffsets, marksPlaces);
    if (failed(retarget.run()))
      return signalPassFailure();
    module->setAttr("tile_gpu.sites", retarget.sites());
    if (retarget.hasPartialOrder())
      module->setAttr("tile_gpu.partial_order", UnitAttr::get(module.getContext()));
    if (retarget.tracksGlobal())
      module->setAttr("tile_gpu.tracks_global", UnitAttr::get(module.getContext()));
    if (retarget.changesMaps())
      module->setAttr("tile_gpu.changes_maps", UnitAttr::get(module.getContext()));
    oneAddressSpace(module);
  }

 private:
  static void oneAddressSpace(ModuleOp module) {
    for (auto global : llvm::make_early_inc_range(module.getOps<LLVM::GlobalOp>())) {
      if (!global.getConstant())
        global->erase();
      else
        global.setAddrSpace(0);
    }
    if (auto function = module.lookupSymbol<LLVM::LLVMFuncOp>("vprintf"))
      function->erase();
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [](LLVM::LLVMPointerType type) { return LLVM::LLVMPointerType::get(type.getContext()); });
    replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                                          /*replaceTypes=*/true);
  }
};

}   // namespace

std::vector<std::string> simulatedOperations() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<LLVM::LLVMDialect>();
  OpBuilder b(&context);
  Location loc = b.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(b, loc);
  b.setInsertionPointToStart(module->getBody());
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(&context), {});
  return Retarget(*module, LLVM::LLVMFuncOp::create(b, loc, "none", type), false).known();
}

}   // namespace tile::gpu
