// SPDX-License-Identifier: MIT
// What a kernel says while it runs: prints, failed asserts. One line per element, written by the first
// thread in the order of the elements.
#include "compiler/lowering/distribute/barrier_channels.h"
#include "compiler/lowering/distribute/distribution.h"
#include "compiler/lowering/distribute/shared_tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tile::gpu {

using layout::TileLayout;

namespace {

// printf takes 32 values; lines of one call stay together, those of different programs mix between calls.
constexpr std::int64_t MaxLinesTogether = 8;

std::string escaped(StringRef text) {
  std::string result;
  for (char c : text)
    result += c == '%' ? std::string("%%") : std::string(1, c);
  return result;
}

// A value in the form that printf takes, and its conversion.
struct Printed {
  Value value;
  std::string conversion;
};

Printed hexadecimal(ImplicitLocOpBuilder &b, Value v) {
  if (isa<ir::PtrType>(v.getType()))
    v = ir::PtrToIntOp::create(b, b.getI64Type(), v);
  unsigned bits = v.getType().getIntOrFloatBitWidth();
  if (Type integer = b.getIntegerType(bits); v.getType() != integer)
    v = arith::BitcastOp::create(b, integer, v);
  if (bits < 32)
    v = arith::ExtUIOp::create(b, b.getI32Type(), v);
  return {v, "0x%0" + std::to_string(std::max(2u, bits / 4)) + (bits == 64 ? "llx" : "x")};
}

Printed decimal(ImplicitLocOpBuilder &b, Value v, bool isUnsigned) {
  Type type = v.getType();
  if (isa<ir::PtrType>(type))
    return hexadecimal(b, v);
  if (auto real = dyn_cast<FloatType>(type)) {
    if (real.getWidth() == 8)
      v = ir::FpCastOp::create(b, b.getF32Type(), v);
    else if (real.getWidth() == 16)   // not every machine widens these to 64 bits at once
      v = arith::ExtFOp::create(b, b.getF32Type(), v);
    if (!v.getType().isF64())
      v = arith::ExtFOp::create(b, b.getF64Type(), v);
    // As many digits as tell every number of the type from its neighbours.
    unsigned digits = real.isF64() ? 17 : real.isF32() ? 9 : 5;
    return {v, "%." + std::to_string(digits) + "g"};
  }
  isUnsigned |= type.isInteger(1);
  if (type.getIntOrFloatBitWidth() < 32)
    v = isUnsigned ? Value(arith::ExtUIOp::create(b, b.getI32Type(), v))
                   : Value(arith::ExtSIOp::create(b, b.getI32Type(), v));
  std::string size = v.getType().isInteger(64) ? "ll" : "";
  return {v, "%" + size + (isUnsigned ? "u" : "d")};
}

// "prefix (pid %d, %d, %d)" and the values of it.
struct Line {
  std::string format;
  Registers values;

  void add(const Line &other) {
    format += other.format;
    llvm::append_range(values, other.values);
  }
  void write(ImplicitLocOpBuilder &b) const { PrintfOp::create(b, b.getStringAttr(format), values); }
};

// The three numbers of the program that an op of the kernel is of. In a loop over programs the loop counts
// them.
Registers programOf(Operation *op, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  Operation *around = op->getParentOp();
  while (!isa<func::FuncOp>(around) && !around->hasAttr(ProgramsName))
    around = around->getParentOp();
  auto programs = dyn_cast<scf::ForOp>(around);
  Registers numbers;
  if (!programs) {
    for (ir::Axis axis : {ir::Axis::x, ir::Axis::y, ir::Axis::z})
      numbers.push_back(ir::ProgramIdOp::create(b, axis));
    return numbers;
  }
  Value rest = d.registers(programs.getInductionVar()).front();
  for (ir::Axis axis : {ir::Axis::x, ir::Axis::y}) {
    Value count = ir::NumProgramsOp::create(b, b.getI32Type(), axis);
    numbers.push_back(arith::RemUIOp::create(b, rest, count));
    rest = arith::DivUIOp::create(b, rest, count);
  }
  numbers.push_back(rest);
  return numbers;
}

Line lineStart(ir::PrintOp print, Distribution &d) {
  return {escaped(print.getPrefix()) + " (pid %d, %d, %d)", programOf(print, d)};
}

// " [%d, %d]" with the coordinates of a row-major number.
Line indexText(Distribution &d, Value number, const std::vector<std::int64_t> &shape) {
  Line line;
  Value rest = number;
  for (size_t axis = shape.size(); axis-- > 0;) {
    Value c = axis == 0 ? rest : Value(arith::RemUIOp::create(d.build(), rest, d.constant(shape[axis])));
    if (axis)
      rest = arith::DivUIOp::create(d.build(), rest, d.constant(shape[axis]));
    line.values.insert(line.values.begin(), c);
    line.format = "%d" + (line.format.empty() ? "" : ", " + line.format);
  }
  line.format = " [" + line.format + "]";
  return line;
}

// The same with coordinates that are known.
std::string indexText(std::int64_t number, const std::vector<std::int64_t> &shape) {
  std::string text;
  for (size_t axis = shape.size(); axis-- > 0; number /= shape[axis])
    text = std::to_string(number % shape[axis]) + (text.empty() ? "" : ", " + text);
  return " [" + text + "]";
}

}   // namespace

static void printTile(Distribution &d, ir::PrintOp print, Value operand, ArrayRef<Value> registers,
                      llvm::function_ref<Printed(Value)> form) {
  ImplicitLocOpBuilder &b = d.build();
  TileLayout layout = layoutOf(operand);
  std::vector<std::int64_t> shape = layout.shape();
  std::int64_t count = elementCount(shape);
  SharedTile shared = share(d, registers, ir::getElementType(operand.getType()), layout);
  d.inBranch(d.threads().isFirst(), [&] {
    Line start = lineStart(print, d);
    auto add = [&](Line &line, Value number) {
      Printed value = form(shared.load({number}));
      line.add({" " + value.conversion + "\n", {value.value}});
    };
    if (count <= MaxLinesTogether) {
      Line all;
      for (std::int64_t i = 0; i < count; ++i) {
        all.add(start);
        all.format += indexText(i, shape);
        add(all, d.constant(i));
      }
      return all.write(b);
    }
    auto loop = scf::ForOp::create(b, d.constant(0), d.constant(count), d.constant(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Line line = start;
    line.add(indexText(d, loop.getInductionVar(), shape));
    add(line, loop.getInductionVar());
    line.write(b);
  });
}

// Leaves word of a failure for the host, in the threads where the condition holds and nothing has failed yet.
static void recordFault(Distribution &d, ir::AssertOp check, Value condition, std::int32_t site,
                        Value element) {
  ImplicitLocOpBuilder &b = d.build();
  Type i32 = b.getI32Type(), pointer = ir::PtrType::get(i32);
  Value record = FaultRecordOp::create(b, pointer);
  Value before = SwapGlobalOp::create(b, i32, record, d.constant(0), d.constant(1), condition,
                                      ir::Ordering::relaxed, ir::Scope::gpu);
  Value first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, before, d.constant(0));
  first = arith::AndIOp::create(b, first, condition);
  Registers numbers{d.constant(site)};
  llvm::append_range(numbers, programOf(check, d));
  numbers.push_back(element);
  for (auto [i, number] : llvm::enumerate(numbers)) {
    Value at =
        ir::AddPtrOp::create(b, pointer, record, d.constant(static_cast<std::int64_t>(i) + 1), UnitAttr());
    StoreGlobalOp::create(b, at, ValueRange{number}, first, ir::Cache::none, ir::Evict::normal, false);
  }
}

// Whether the condition holds in any thread of the role; all of them learn it. The reduction that a barrier
// does is the CTA's; a role's warps vote, and tell each other.
static Value inAnyThread(Distribution &d, Value condition) {
  ImplicitLocOpBuilder &b = d.build();
  Type i32 = b.getI32Type();
  const Role &role = d.threads().role();
  if (role.isWholeCta()) {
    Value bit = arith::ExtUIOp::create(b, i32, condition);
    Value any = NVVM::BarrierOp::create(
                    b, i32, Value(), Value(),
                    NVVM::BarrierReductionAttr::get(b.getContext(), NVVM::BarrierReduction::OR), bit)
                    .getRes();
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, any, d.constant(0));
  }
  Value ofWarp =
      NVVM::VoteSyncOp::create(b, b.getI1Type(), d.constant(-1), condition, NVVM::VoteSyncKind::any);
  if (role.warps == 1)
    return ofWarp;
  d.awaitScratch();
  SharedTile votes(d, d.scratch(role.warps * SharedTile::bytesOf(i32)), i32);
  Value isFirstLane = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, d.threads().lane(), d.constant(0));
  d.inBranch(isFirstLane, [&] {
    Value word = arith::ExtUIOp::create(b, i32, ofWarp);
    votes.store(word, {d.threads().warp()});
  });
  d.barrier();
  Value any;
  for (std::int64_t warp = 0; warp < role.warps; ++warp) {
    Value vote = votes.load({Value(), warp});
    any = any ? Value(arith::OrIOp::create(b, any, vote)) : vote;
  }
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, any, d.constant(0));
}

static void checkAll(Distribution &d, ir::AssertOp check, ArrayRef<Value> conditions, ArrayRef<Value> masks) {
  ImplicitLocOpBuilder &b = d.build();
  bool ofTile = isTile(check.getCondition());
  Value yes = arith::ConstantIntOp::create(b, 1, 1), fails, number;
  layout::TileLayout layout = ofTile ? layoutOf(check.getCondition()) : layout::TileLayout();
  std::optional<ElementIndex> index;
  if (ofTile)
    index.emplace(d, layout);
  for (size_t reg = 0; reg < conditions.size(); ++reg) {
    Value bad = arith::XOrIOp::create(b, conditions[reg], yes);
    if (!masks.empty())
      bad = arith::AndIOp::create(b, bad, masks[reg]);
    Value own;
    if (ofTile)
      own = index->valueAt(static_cast<std::int64_t>(reg));
    number = !fails || !ofTile ? own : Value(arith::SelectOp::create(b, fails, number, own));
    fails = fails ? Value(arith::OrIOp::create(b, fails, bad)) : bad;
  }
  Value anyone = fails;   // of a scalar all threads know the same
  if (ofTile) {
    anyone = inAnyThread(d, fails);
  } else {
    fails = d.threads().isFirst();
    number = d.constant(0);
  }
  // All threads of the role end: none may go on with what another one did not compute, or wait for it.
  d.inBranch(anyone, [&] {
    recordFault(d, check, fails, d.faults().add(check.getMessage(), layout.shape(), check.getLoc()), number);
    tellEnd(check->getParentOfType<RolesOp>(), d);
    NVVM::Exit::create(b);
  });
}

static void print(ir::PrintOp print, Distribution &d) {
  ImplicitLocOpBuilder &b = d.build();
  for (auto [i, operand] : llvm::enumerate(print.getValues())) {
    bool isUnsigned = print.getUnsignedOperands() && (*print.getUnsignedOperands())[i];
    auto form = [&](Value v) { return print.getHex() ? hexadecimal(b, v) : decimal(b, v, isUnsigned); };
    Registers values(d.registers(operand));
    if (isTile(operand)) {
      printTile(d, print, operand, values, form);
      continue;
    }
    d.inBranch(d.threads().isFirst(), [&] {
      Line line = lineStart(print, d);
      Printed value = form(values.front());
      line.add({" " + value.conversion + "\n", {value.value}});
      line.write(b);
    });
  }
  if (print.getValues().empty())
    d.inBranch(d.threads().isFirst(), [&] {
      Line line = lineStart(print, d);
      line.format += "\n";
      line.write(b);
    });
}

static void check(ir::AssertOp check, Distribution &d) {
  Registers masks = check.getMask() ? Registers(d.registers(check.getMask())) : Registers();
  checkAll(d, check, Registers(d.registers(check.getCondition())), masks);
}

static void assume(ir::AssumeTrueOp assume, Distribution &d) {
  if (!isTile(assume.getCondition()))   // of a tile it says too much to be of use
    LLVM::AssumeOp::create(d.build(), d.registers(assume.getCondition()).front());
}

// Passes before have used it. The simulator checks it.
static LogicalResult keepPromise(ir::AssumeApartOp assume, Distribution &d) { return copyScalars(assume, d); }

void addDiagnostics(Handlers &handlers) {
  handlers.add(keepPromise);
  handlers.add(print);
  handlers.add(check);
  handlers.add(assume);
}

}   // namespace tile::gpu
