// SPDX-License-Identifier: MIT
// Prints of a GPU. The machine's own printf writes to the process's standard output when it likes to, and to
// nothing else; so calls of it become records in memory that the host reads (runtime/cuda/prints.h):
//
//   used | number  words  value value ... | number  words  value ... |
//   u64    u32     u32    as vprintf takes them
//
// `number` is the format's. The host keeps the formats, which `tile_gpu.formats` of the module lists; the
// variable `tile_prints` says where the memory is, which number this module's formats begin with, and how
// many words there are. What does not fit is counted and not written.
#include "compiler/lowering/ptx/ptx_text.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tile::gpu {
namespace {

constexpr unsigned Global = 1;
enum Variable { Memory, FirstFormat, Words, VariableSize };
constexpr int64_t HeaderWords = 2;   // of the memory: `used`; of a record: number and words

// Structs are laid out as in C.
int64_t wordsOf(Value values) {
  auto buffer = values.getDefiningOp<LLVM::AllocaOp>();
  if (!buffer)
    return 0;
  int64_t bytes = 0, widest = 4;
  for (Type type : cast<LLVM::LLVMStructType>(buffer.getElemType()).getBody()) {
    const int64_t size = type.getIntOrFloatBitWidth() / 8;
    bytes = llvm::alignTo(bytes, size) + size;
    widest = std::max(widest, size);
  }
  return static_cast<int64_t>(llvm::alignTo(bytes, widest)) / 4;
}

// void tile_print(i32 format, ptr values, i32 words)
class PrintFunction {
 public:
  explicit PrintFunction(ModuleOp module)
      : b_(UnknownLoc::get(module.getContext()), OpBuilder::atBlockBegin(module.getBody())),
        global_(LLVM::LLVMPointerType::get(module.getContext(), Global)),
        generic_(LLVM::LLVMPointerType::get(module.getContext())) {}

  LLVM::LLVMFuncOp make() {
    Type i32 = b_.getI32Type(), i64 = b_.getI64Type();
    auto zeros = DenseElementsAttr::get(RankedTensorType::get({VariableSize}, i64), b_.getI64IntegerAttr(0));
    auto variable = LLVM::GlobalOp::create(b_, LLVM::LLVMArrayType::get(i64, VariableSize),
                                           /*isConstant=*/false, LLVM::Linkage::External, "tile_prints",
                                           zeros, /*alignment=*/16, Global);
    auto function = LLVM::LLVMFuncOp::create(
        b_, "tile_print",
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b_.getContext()), {i32, generic_, i32}),
        LLVM::Linkage::Internal);
    function.setNoInline(true);
    Region &body = function.getBody();
    Block *entry = function.addEntryBlock(b_), *write = b_.createBlock(&body, body.end());
    Block *loop = b_.createBlock(&body, body.end(), {i32}, {b_.getLoc()});
    Block *end = b_.createBlock(&body, body.end());
    Value format = entry->getArgument(0), values = entry->getArgument(1), words = entry->getArgument(2);

    b_.setInsertionPointToStart(entry);
    Value fields = LLVM::AddressOfOp::create(b_, variable);
    auto field = [&](Variable which) -> Value {
      return LLVM::LoadOp::create(b_, i64, element(fields, i64, constant(i32, which)));
    };
    Value memory = LLVM::IntToPtrOp::create(b_, global_, field(Memory));
    Value size = LLVM::ZExtOp::create(b_, i64, add(words, constant(i32, HeaderWords)));
    Value at =
        LLVM::AtomicRMWOp::create(b_, LLVM::AtomicBinOp::add, memory, size, LLVM::AtomicOrdering::monotonic);
    Value most = field(Words);
    Value fits = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::ule, add(at, size), most);
    LLVM::CondBrOp::create(b_, fits, write, end);

    b_.setInsertionPointToStart(write);
    Value record = element(memory, i32, add(at, constant(i64, HeaderWords)));
    Value number = add(format, LLVM::TruncOp::create(b_, i32, field(FirstFormat)));
    LLVM::StoreOp::create(b_, number, record);
    LLVM::StoreOp::create(b_, words, element(record, i32, constant(i32, 1)));
    Value some = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::ne, words, constant(i32, 0));
    LLVM::CondBrOp::create(b_, some, loop, ValueRange{constant(i32, 0)}, end, ValueRange{});

    b_.setInsertionPointToStart(loop);
    Value i = loop->getArgument(0);
    Value word = LLVM::LoadOp::create(b_, i32, element(values, i32, i));
    LLVM::StoreOp::create(b_, word, element(record, i32, add(i, constant(i32, HeaderWords))));
    Value next = add(i, constant(i32, 1));
    Value more = LLVM::ICmpOp::create(b_, LLVM::ICmpPredicate::ult, next, words);
    LLVM::CondBrOp::create(b_, more, loop, ValueRange{next}, end, ValueRange{});

    b_.setInsertionPointToStart(end);
    LLVM::ReturnOp::create(b_, ValueRange{});
    return function;
  }

 private:
  Value constant(Type type, int64_t value) { return LLVM::ConstantOp::create(b_, type, value); }
  Value add(Value x, Value y) { return LLVM::AddOp::create(b_, x, y); }
  Value element(Value base, Type type, Value index) {
    return LLVM::GEPOp::create(b_, base.getType(), type, base, ValueRange{index});
  }

  ImplicitLocOpBuilder b_;
  Type global_, generic_;
};

// The text that a call prints, as tile-gpu-to-llvm makes such calls; null for others.
StringAttr formatOf(ModuleOp module, LLVM::CallOp call) {
  if (call.getArgOperands().size() != 2)
    return nullptr;
  auto address = call.getArgOperands()[0].getDefiningOp<LLVM::AddressOfOp>();
  auto global = address ? module.lookupSymbol<LLVM::GlobalOp>(address.getGlobalName()) : LLVM::GlobalOp();
  auto text = global ? dyn_cast_or_null<StringAttr>(global.getValueOrNull()) : nullptr;
  if (!text || text.empty())
    return nullptr;
  Operation *values = call.getArgOperands()[1].getDefiningOp();
  if (isa_and_nonnull<LLVM::ZeroOp>(values))
    return text;
  auto buffer = dyn_cast_or_null<LLVM::AllocaOp>(values);
  auto record = buffer ? dyn_cast<LLVM::LLVMStructType>(buffer.getElemType()) : LLVM::LLVMStructType();
  bool isOfNumbers = record && !record.isOpaque() && llvm::all_of(record.getBody(), [](Type type) {
                       return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 8;
                     });
  return isOfNumbers ? text : nullptr;
}

}   // namespace

LogicalResult printIntoMemory(ModuleOp module) {
  auto machine = module.lookupSymbol<LLVM::LLVMFuncOp>("vprintf");
  if (!machine)
    return success();
  SmallVector<LLVM::CallOp> calls;
  WalkResult walked = module.walk([&](LLVM::CallOp call) -> WalkResult {
    if (call.getCallee() != machine.getName())
      return WalkResult::advance();
    if (!formatOf(module, call))
      return call.emitError("this call of vprintf was not made by tile-gpu-to-llvm, so its text and its "
                            "values are not known here");
    calls.push_back(call);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  llvm::MapVector<StringAttr, int32_t> numbers;
  LLVM::LLVMFuncOp print = PrintFunction(module).make();
  for (LLVM::CallOp call : calls) {
    StringAttr text = formatOf(module, call);
    auto address = call.getArgOperands()[0].getDefiningOp<LLVM::AddressOfOp>();
    const int32_t number = numbers.try_emplace(text, static_cast<int32_t>(numbers.size())).first->second;
    OpBuilder b(call);
    Location loc = call.getLoc();
    Value values = call.getArgOperands()[1];
    Value format = LLVM::ConstantOp::create(b, loc, b.getI32Type(), number);
    Value words = LLVM::ConstantOp::create(b, loc, b.getI32Type(), wordsOf(values));
    LLVM::CallOp::create(b, loc, print, ValueRange{format, values, words});
    call->erase();   // how much it wrote, nobody asks
    if (address->use_empty())
      address->erase();
  }
  for (const auto &[text, number] : numbers)
    for (auto global : llvm::make_early_inc_range(module.getOps<LLVM::GlobalOp>()))
      if (global.getValueOrNull() == text && SymbolTable::symbolKnownUseEmpty(global, module))
        global->erase();
  if (SymbolTable::symbolKnownUseEmpty(machine, module))
    machine->erase();
  SmallVector<Attribute> formats;
  for (const auto &[text, number] : numbers)
    formats.push_back(StringAttr::get(module.getContext(), text.getValue().drop_back()));   // its zero
  module->setAttr("tile_gpu.formats", ArrayAttr::get(module.getContext(), formats));
  return success();
}

}   // namespace tile::gpu
