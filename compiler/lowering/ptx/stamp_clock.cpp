// SPDX-License-Identifier: MIT
// `tile-gpu-stamp-clock`: stamps of the GPU's clock, from which `tile trace --device cuda` draws a measured
// timeline. Some CTAs are traced. There one lane of each warp writes into a list of its own, in memory that
// the host reads (runtime/timeline/measured.cpp):
//
//   | cta  warp | smid lost | begin ns | begin clock | end ns | end clock | 16 bytes | stamp stamp ... |
//   | u32  u32  | u32  u32  | u64      | u64         | u64    | u64       |          | 16 bytes each   |
//
// The first 64 bytes are the head of the list. A stamp is four words of 32 bits: the clock's low word when a
// wait began and when it ended, and what it was, twice. What begins and is not awaited has one time, twice.
//
//   address of the mbarrier / 8 | 2 * number of the site + 1 where the begin has no clock
//   upper 16 bits                 lower 16 bits
//
// `tile_gpu.stamps` of the module lists the sites. The constant `tile_clock` says where the memory is, and
// which CTAs are traced. A full list counts what it loses and keeps what it has.
//
// What a warp knows of its list are registers of PTX that no value of LLVM stands for: declared by the first
// text, used by the others. So the code around a stamp stays as it was, and a lane that is not traced pays
// for a few instructions that its predicate disables. A traced warp reads the clock at once and stores later:
// behind the products that it has begun, where there are such, so that they do not begin later than they
// would.
#include "compiler/lowering/only_kernel.h"
#include "compiler/lowering/passes.h"
#include "compiler/lowering/ptx/ptx_text.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

#include <utility>

using namespace mlir;

namespace tile::gpu {

#define GEN_PASS_DEF_TILEGPUSTAMPCLOCK
#include "compiler/lowering/passes.h.inc"

namespace {

constexpr unsigned ConstantMemory = 4;    // an address space
constexpr unsigned ListBytes = 1 << 18;   // a power of two: an offset says whether its list is full
constexpr unsigned HeadBytes = 64, StampBytes = 16;
constexpr unsigned MostCtas = 16;
constexpr unsigned MostAwaited = 8;   // loads of a run, the last ones: they come in about this order
constexpr unsigned MostSites = 1 << 15;

// Runs once per thread, before all other texts. A lane that writes nothing keeps the offset 0, where a list
// would be full.
std::string beginText() {
  std::string text = ".reg .pred tile_on; .reg .b32 tile_at, tile_lost, tile_begin, tile_end;\n"
                     "{ .reg .pred on, is; .reg .b32 cta, slot, warp, n; .reg .b64 list, time;\n"
                     "mov.b32 tile_at, 0; mov.b32 tile_lost, 0; mov.b32 tile_begin, 0; mov.b32 tile_end, 0;\n"
                     "mov.u32 cta, %ctaid.z; mov.u32 n, %nctaid.y; mov.u32 warp, %ctaid.y;"
                     " mad.lo.u32 cta, cta, n, warp;\n"
                     "mov.u32 n, %nctaid.x; mov.u32 warp, %ctaid.x; mad.lo.u32 cta, cta, n, warp;\n";
  text += llvm::formatv("mov.b32 slot, {0};\n", MostCtas);
  for (unsigned i = 0; i < MostCtas; ++i)
    text += llvm::formatv(
        "ld.const.b32 n, [tile_clock+{0}]; setp.eq.u32 is, n, cta; @is mov.b32 slot, {1};\n", 8 + 4 * i, i);
  text += llvm::formatv("mov.u32 n, %tid.x; and.b32 n, n, 31; setp.eq.u32 on, n, 0;"
                        " setp.lt.and.u32 on, slot, {0}, on;\n",
                        MostCtas);
  text += "mov.u32 warp, %tid.x; shr.u32 warp, warp, 5; mov.u32 n, %ntid.x; shr.u32 n, n, 5;"
          " mad.lo.u32 slot, slot, n, warp;\n";
  text += llvm::formatv("mul.lo.u32 slot, slot, {0}; cvt.u64.u32 list, slot; ld.const.b64 time, [tile_clock];"
                        " add.u64 list, list, time;\n",
                        ListBytes);
  text += "@on st.global.v2.b32 [list], {cta, warp}; mov.u32 n, %smid; @on st.global.b32 [list+8], n;\n"
          "@on mov.u64 time, %globaltimer; @on st.global.b64 [list+16], time;\n"
          "@on mov.u64 time, %clock64; @on st.global.b64 [list+24], time;\n";
  text += llvm::formatv("@on add.u32 tile_at, slot, {0}; mov.pred tile_on, on; }", HeadBytes);
  return text;
}

constexpr StringRef ReadBegin = "@tile_on mov.u32 tile_begin, %clock;";
constexpr StringRef ReadEnd = "@tile_on mov.u32 tile_end, %clock;";

// Stores what was read. Whether the list is full for the next stamp is known before that comes.
std::string storeText(unsigned code, bool hasObject, StringRef begin) {
  std::string what = hasObject ? llvm::formatv("mad.lo.u32 what, $0, 8192, {0};", code).str()
                               : llvm::formatv("mov.b32 what, {0};", code).str();
  return llvm::formatv("{{ .reg .b32 what, offset; .reg .b64 to, base; {0}\n"
                       "cvt.u64.u32 to, tile_at; ld.const.b64 base, [tile_clock]; add.u64 to, to, base;\n"
                       "@tile_on st.global.v4.b32 [to], {{{1}, tile_end, what, what};\n"
                       "@tile_on add.u32 tile_at, tile_at, {2}; @!tile_on add.u32 tile_lost, tile_lost, 1;\n"
                       "and.b32 offset, tile_at, {3}; setp.ne.and.u32 tile_on, offset, 0, tile_on; }",
                       what, begin, StampBytes, ListBytes - 1);
}

// A role of one thread runs on the lane that the machine elects: the first lane gives its list to that one.
// LLVM knows by the word `.aligned` that all lanes come here together (compiler/ptx.cpp).
std::string electText() {
  return std::string("{ // .aligned\n") +
         ".reg .b32 at, lost; shfl.sync.idx.b32 at, tile_at, 0, 31, -1;"
         " shfl.sync.idx.b32 lost, tile_lost, 0, 31, -1;\n"
         "selp.b32 tile_at, at, 0, $0; selp.b32 tile_lost, lost, 0, $0;\n" +
         llvm::formatv("and.b32 at, tile_at, {0}; setp.ne.u32 tile_on, at, 0; }", ListBytes - 1).str();
}

std::string endText() {
  return llvm::formatv("{{ .reg .pred on; .reg .b32 at; .reg .b64 list, time;\n"
                       "setp.ne.u32 on, tile_at, 0; add.u32 at, tile_at, -1; and.b32 at, at, {0};\n"
                       "cvt.u64.u32 list, at; ld.const.b64 time, [tile_clock]; add.u64 list, list, time;\n"
                       "@on st.global.b32 [list+12], tile_lost;\n"
                       "@on mov.u64 time, %globaltimer; @on st.global.b64 [list+32], time;\n"
                       "@on mov.u64 time, %clock64; @on st.global.b64 [list+40], time; }",
                       -static_cast<std::int64_t>(ListBytes));
}

class Stamper {
 public:
  Stamper(ModuleOp module, LLVM::LLVMFuncOp kernel)
      : module_(module), kernel_(kernel), b_(kernel.getLoc(), module.getContext()) {}

  LogicalResult run() {
    SmallVector<Operation *> ops;
    kernel_.walk([&](Operation *op) {
      if (op != kernel_)
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (op->getBlock() != run_.block)
        run_ = {op->getBlock(), {}, {}, {}, {}, {}};
      awaitLoads(op);
      mark(op);
    }
    if (sites_.size() >= MostSites)
      return kernel_.emitError("has ")
             << sites_.size() << " places that a trace stamps, and there are numbers "
             << "for " << MostSites << "; use smaller blocks, or unroll less";
    b_.setLoc(kernel_.getLoc());
    b_.setInsertionPointToStart(&kernel_.getBody().front());
    write(beginText());
    declareMemory();
    module_->setAttr("tile_gpu.stamps",
                     b_.getDictionaryAttr({b_.getNamedAttr("ctas", b_.getI32IntegerAttr(MostCtas)),
                                           b_.getNamedAttr("list_bytes", b_.getI32IntegerAttr(ListBytes)),
                                           b_.getNamedAttr("sites", b_.getArrayAttr(sites_))}));
    return success();
  }

 private:
  void mark(Operation *op) {
    b_.setLoc(op->getLoc());
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](NVVM::MBarrierTryWaitParityOp op) { awaitBarrier(op); })
        .Case<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp, NVVM::CpAsyncBulkGlobalToSharedClusterOp>(
            [&](auto op) {
              if (!llvm::is_contained(run_.copies, op))   // the wait in front of them has said it
                firstOfRun(op, "load", op.getMbar());
            })
        .Case<NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp, NVVM::CpAsyncBulkTensorReduceOp,
              NVVM::CpAsyncBulkSharedCTAToGlobalOp>([&](auto op) { before(op, "store"); })
        .Case([&](NVVM::CpAsyncBulkWaitGroupOp op) { around(op, "store_wait", op.getGroup()); })
        .Case([&](NVVM::CpAsyncOp op) { firstOfRun(op, "copy"); })
        .Case([&](NVVM::CpAsyncMBarrierArriveOp op) { before(op, "copy_arrive", op.getAddr()); })
        .Case([&](NVVM::CpAsyncWaitGroupOp op) { around(op, "copy_wait", op.getN()); })
        .Case<PtxMmaOp, NVVM::MmaOp>([&](auto op) { firstOfRun(op, "multiply"); })
        .Case([&](PtxWgmmaOp op) {
          if (op == run_.products)   // the wait in front of them has said it
            run_.kind = "product";
          firstOfRun(op, "product");
        })
        .Case([&](NVVM::WgmmaGroupSyncAlignedOp) { run_.kind = {}; })
        .Case([&](PtxWgmmaWaitOp op) { awaitProducts(op); })
        .Case<NVVM::Barrier0Op, NVVM::BarrierOp>([&](auto op) { around(op, "barrier"); })
        .Case([&](NVVM::ClusterWaitOp op) { around(op, "cluster_wait"); })
        .Case([&](PtxLoadOp op) { loadGlobal(op); })
        .Case([&](PtxStoreOp op) { firstOfRun(op, "global_store"); })
        .Case([&](LLVM::LoadOp op) {
          if (isGlobalLoad(op))
            loadGlobal(op);
        })
        .Case([&](LLVM::StoreOp op) {
          if (isGlobal(op.getAddr()))
            firstOfRun(op, "global_store");
        })
        .Case([&](NVVM::ElectSyncOp op) {
          if (op.getMembermask())   // of some lanes only: not for a role
            return;
          b_.setInsertionPointAfter(op);
          assembly(b_, b_.getLoc(), TypeRange(), op.getResult(), electText(), "b");
        })
        .Case<LLVM::ReturnOp, NVVM::Exit>([&](Operation *op) {
          b_.setInsertionPoint(op);
          write(endText());
        });
  }

  static bool isGlobal(Value pointer) {
    return cast<LLVM::LLVMPointerType>(pointer.getType()).getAddressSpace() == Global;
  }

  unsigned site(StringRef kind, std::int64_t amount) {
    sites_.push_back(
        b_.getArrayAttr({b_.getStringAttr(kind), LocationAttr(b_.getLoc()), b_.getI64IntegerAttr(amount)}));
    return 2 * static_cast<unsigned>(sites_.size());   // 0 is of memory that nobody has written
  }
  void around(Operation *op, StringRef kind, std::int64_t amount = 0, Value object = {}) {
    unsigned code = site(kind, amount);
    b_.setInsertionPoint(op);
    write(ReadBegin);
    b_.setInsertionPointAfter(op);
    write(ReadEnd);
    store(code, "tile_begin", object);
    run_.kind = {};
  }
  // The first of the products that begin where this wait ends, with the commit behind them. What is between
  // are a few numbers.
  static std::pair<Operation *, Operation *> productsBehind(Operation *wait) {
    constexpr unsigned most = 40;
    Operation *first = nullptr;
    unsigned numbers = 0;
    for (Operation *op = wait->getNextNode(); op; op = op->getNextNode()) {
      if (isa<NVVM::WgmmaGroupSyncAlignedOp>(op))
        return {first, op};
      if (isa<PtxWgmmaOp>(op))
        first = first ? first : op;
      else if (!isMemoryEffectFree(op) && !isa<NVVM::WgmmaFenceAlignedOp>(op))
        break;
      else if (!isa<LLVM::InsertValueOp, LLVM::ExtractValueOp, LLVM::ConstantOp, LLVM::UndefOp,
                    LLVM::PoisonOp>(op))
        numbers += first ? 0 : 1;
      if (numbers > most)
        break;
    }
    return {};
  }
  static Value barrierOf(Operation *copy) {
    if (auto box = dyn_cast<NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp>(copy))
      return box.getMbar();
    auto bytes = dyn_cast<NVVM::CpAsyncBulkGlobalToSharedClusterOp>(copy);
    return bytes ? bytes.getMbar() : Value();
  }
  // Copies begin where this wait ends, as far as there are any: nothing is stored in front of them.
  void awaitSlot(NVVM::MBarrierTryWaitParityOp wait) {
    SmallVector<Operation *> copies;
    for (Operation *op = wait->getNextNode(); op; op = op->getNextNode())
      if (barrierOf(op))
        copies.push_back(op);
      else if (!isMemoryEffectFree(op) && !isa<NVVM::MBarrierArriveExpectTxOp>(op))
        break;
    if (copies.empty())
      return around(wait, "mbarrier_wait", 0, wait.getAddr());
    b_.setInsertionPoint(wait);
    write(ReadBegin);
    b_.setInsertionPointAfter(wait);
    write(ReadEnd);
    b_.setInsertionPointAfter(copies.back());
    store(site("mbarrier_wait", 0), "tile_begin", wait.getAddr());
    Value last;
    for (Operation *copy : copies)
      if (Value barrier = barrierOf(copy); barrier != last) {
        b_.setLoc(copy->getLoc());
        store(site("load", 0), "tile_end", barrier);
        last = barrier;
      }
    run_.kind = {};
    run_.copies = std::move(copies);
  }
  void awaitBarrier(NVVM::MBarrierTryWaitParityOp wait) {
    if (!run_.loads.empty())   // their stamp comes before this one is stored
      return around(wait, "mbarrier_wait", 0, wait.getAddr());
    auto [products, commit] = productsBehind(wait);
    if (!products)
      return awaitSlot(wait);
    b_.setLoc(products->getLoc());
    unsigned begun = site("product", 0);
    b_.setLoc(wait->getLoc());
    unsigned code = site("mbarrier_wait", begun / 2);
    b_.setInsertionPoint(wait);
    write(ReadBegin);
    b_.setInsertionPointAfter(wait);
    write(ReadEnd);
    b_.setInsertionPointAfter(commit);
    store(code, "tile_begin", wait.getAddr());
    run_.kind = {};
    run_.products = products;
  }
  // Between products that a loop leaves on their way and the wait for them the assembler takes nothing, or it
  // runs all products one after the other. Such a wait begins at the stamp before it.
  void awaitProducts(PtxWgmmaWaitOp wait) {
    bool hasBegin = !wait->getBlock()->getOps<PtxWgmmaOp>().empty();
    if (hasBegin) {
      b_.setInsertionPoint(wait);
      write(ReadBegin);
    }
    b_.setInsertionPointAfter(wait);
    write(ReadEnd);
    if (Block *behind = run_.loads.empty() ? behindArrival(wait) : nullptr)
      b_.setInsertionPointToStart(behind);
    unsigned code = site("product_wait", wait.getPending());
    if (hasBegin)
      store(code, "tile_begin");
    else
      store(code + 1, "tile_end");
    run_.kind = {};
  }
  // Where the block of the wait ends with a branch around an arrival, which frees a slot for the next copy:
  // the block behind it. Nothing is stored in front of the arrival.
  static Block *behindArrival(Operation *wait) {
    for (Operation *op = wait->getNextNode(); op != wait->getBlock()->getTerminator(); op = op->getNextNode())
      if (!isMemoryEffectFree(op) && !isa<NVVM::SyncWarpOp, LLVM::InlineAsmOp>(op))
        return nullptr;
    auto branch = dyn_cast<LLVM::CondBrOp>(wait->getBlock()->getTerminator());
    if (!branch)
      return nullptr;
    Block *arrival = branch.getTrueDest(), *behind = branch.getFalseDest();
    auto back = dyn_cast<LLVM::BrOp>(arrival->getTerminator());
    auto arrives = [](Operation &op) {
      return isMemoryEffectFree(&op) || isa<NVVM::MBarrierArriveOp, NVVM::MapaOp, LLVM::BrOp>(op);
    };
    bool isOne = back && back.getDest() == behind && arrival->getSinglePredecessor() &&
                 llvm::hasNItems(behind->getPredecessors(), 2) && llvm::all_of(*arrival, arrives) &&
                 !arrival->getOps<NVVM::MBarrierArriveOp>().empty();
    return isOne ? behind : nullptr;
  }
  void loadGlobal(Operation *op) {
    firstOfRun(op, "global_load");
    if (hasWord(op->getResult(0).getType()))
      run_.loads.push_back(op);
  }
  static bool hasWord(Type type) {
    if (auto vector = dyn_cast<VectorType>(type); vector && vector.getRank() == 1 && !vector.isScalable())
      type = vector.getElementType();
    return isa<LLVM::LLVMPointerType>(type) ||
           (type.isIntOrFloat() && llvm::is_contained({1u, 8u, 16u, 32u, 64u}, type.getIntOrFloatBitWidth()));
  }
  static bool isGlobalLoad(Operation *op) {
    auto load = dyn_cast<LLVM::LoadOp>(op);
    return isa<PtxLoadOp>(op) || (load && isGlobal(load.getAddr()));
  }
  // Whether the assembler may move another load in front of this operation. A wait here would keep it behind.
  static bool hasLoadBehind(Operation *op) {
    for (; op && (isGlobalLoad(op) || isMemoryEffectFree(op)); op = op->getNextNode())
      if (isGlobalLoad(op))
        return true;
    return false;
  }
  // Behind the last load of several, in front of the first use, all results are waited for.
  void awaitLoads(Operation *op) {
    if (op->hasTrait<OpTrait::IsTerminator>() || llvm::none_of(op->getOperands(), [&](Value value) {
          return llvm::is_contained(run_.loads, value.getDefiningOp());
        }))
      return;
    if (hasLoadBehind(op))
      return;
    SmallVector<Operation *> loads = std::exchange(run_.loads, {});
    b_.setLoc(loads.front()->getLoc());
    b_.setInsertionPoint(op);
    write(ReadBegin);
    waitFor(ArrayRef(loads).take_back(MostAwaited));
    write(ReadEnd);
    store(site("results", 0), "tile_begin");
    run_.kind = {};
  }
  // A condition that never holds reads a word of each. The assembler does not know that it never holds.
  void waitFor(ArrayRef<Operation *> loads) {
    SmallVector<Value> words;
    std::string text = "{ .reg .pred never; .reg .b32 all, word; mov.b32 all, 0;\n", constraints;
    for (auto [i, load] : llvm::enumerate(loads)) {
      Value word = wordOf(load->getResult(0));
      unsigned bits = word.getType().getIntOrFloatBitWidth();
      text += llvm::formatv("cvt.u32.u{0} word, ${1}; xor.b32 all, all, word;\n", bits, i);
      constraints += (i ? "," : "") + constraint(bits);
      words.push_back(word);
    }
    text += "setp.eq.u32 never, all, 0x7f7fffff; @never nanosleep.u32 0; }";
    assembly(b_, b_.getLoc(), TypeRange(), words, text, constraints);
  }
  // 16, 32 or 64 bits of a loaded value.
  Value wordOf(Value value) {
    if (isa<VectorType>(value.getType()))
      value = LLVM::ExtractElementOp::create(b_, value, LLVM::ConstantOp::create(b_, b_.getI32Type(), 0));
    if (isa<LLVM::LLVMPointerType>(value.getType()))
      return LLVM::PtrToIntOp::create(b_, b_.getI64Type(), value);
    unsigned bits = value.getType().getIntOrFloatBitWidth();
    if (!value.getType().isInteger())
      value = LLVM::BitcastOp::create(b_, b_.getIntegerType(bits), value);
    return bits < 16 ? Value(LLVM::ZExtOp::create(b_, b_.getI16Type(), value)) : value;
  }
  void before(Operation *op, StringRef kind, Value object = {}) {
    b_.setInsertionPoint(op);
    write(ReadEnd);
    store(site(kind, 0), "tile_end", object);
    run_.kind = {};
  }
  // Of several that follow one another in a block, the first.
  void firstOfRun(Operation *op, StringRef kind, Value object = {}) {
    if (run_.kind == kind && run_.object == object)
      return;
    before(beginOf(op), kind, object);
    run_.kind = kind;
    run_.object = object;
  }
  // Products begin with their fence: nothing comes between the two.
  static Operation *beginOf(Operation *op) {
    if (isa<PtxWgmmaOp>(op))
      for (Operation *before = op->getPrevNode();
           before && (isMemoryEffectFree(before) || isa<NVVM::WgmmaFenceAlignedOp>(before));
           before = before->getPrevNode())
        if (isa<NVVM::WgmmaFenceAlignedOp>(before))
          return before;
    return op;
  }

  void store(unsigned code, StringRef begin, Value object = {}) {
    SmallVector<Value> operands;
    if (object)   // an address of shared memory fits in 32 bits, whatever the pointer is made of
      operands.push_back(LLVM::PtrToIntOp::create(b_, b_.getI32Type(), object));
    assembly(b_, b_.getLoc(), TypeRange(), operands, storeText(code, !operands.empty(), begin),
             operands.empty() ? "" : "r");
  }
  void write(StringRef text) { assembly(b_, b_.getLoc(), TypeRange(), {}, text.str(), ""); }

  // u64 address of the memory; u32 for each CTA that is traced
  void declareMemory() {
    OpBuilder::InsertionGuard guard(b_);
    b_.setInsertionPointToStart(module_.getBody());
    constexpr std::int64_t words = 1 + MostCtas / 2;
    auto none = DenseElementsAttr::get(RankedTensorType::get({words}, b_.getI64Type()),
                                       b_.getI64IntegerAttr(-1));   // no CTA has this number
    LLVM::GlobalOp::create(b_, LLVM::LLVMArrayType::get(b_.getI64Type(), words), /*isConstant=*/false,
                           LLVM::Linkage::External, "tile_clock", none, /*alignment=*/16, ConstantMemory);
  }

  ModuleOp module_;
  LLVM::LLVMFuncOp kernel_;
  ImplicitLocOpBuilder b_;
  SmallVector<Attribute> sites_;
  struct {
    Block *block = nullptr;
    StringRef kind;
    Value object;
    SmallVector<Operation *> loads;    // from global memory, whose results nothing has used
    Operation *products = nullptr;     // that a wait in front of them has said
    SmallVector<Operation *> copies;   // the same
  } run_;
};

struct StampClock : impl::TileGpuStampClockBase<StampClock> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    LLVM::LLVMFuncOp kernel = onlyKernel(module, "tile-gpu-stamp-clock");
    if (!kernel)
      return signalPassFailure();
    if (failed(Stamper(module, kernel).run()))
      signalPassFailure();
  }
};

}   // namespace
}   // namespace tile::gpu
