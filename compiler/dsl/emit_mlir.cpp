// SPDX-License-Identifier: MIT
// The only file of the front end that knows MLIR. User code has returned when it runs: no user
// frame is above an MLIR frame, and diagnostics are collected and thrown at the end.
#include "compiler/dsl/emit_mlir.h"

#include "compiler/kernel_ir_module.h"
#include "dialects/tile/dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
namespace ir = tile::ir;
using tile::ElementType;
using tile::Kind;

namespace tile::detail {
namespace {

class Emitter {
 public:
  Emitter(MLIRContext *context, const Trace &trace, bool locations)
      : b(context), trace(trace), locations(locations), values(trace.values.size()) {}

  void kernel(const std::string &name, const Launch &launch) {
    SmallVector<Type> types;
    for (const TracedParameter &p : trace.parameters)
      if (p.use.value.id >= 0 && !isConstant(p))
        types.push_back(typeOf(p.type));
    auto function = func::FuncOp::create(b, at(trace.loc), name, b.getFunctionType(types, {}));
    function->setAttr("tile.kernel", b.getUnitAttr());
    function->setAttr("tile.num_warps", b.getI32IntegerAttr(launch.num_warps));
    function->setAttr("tile.num_stages", b.getI32IntegerAttr(launch.num_stages));
    function->setAttr("tile.num_ctas", b.getI32IntegerAttr(launch.num_ctas));
    if (launch.max_registers)
      function->setAttr("tile.max_registers", b.getI32IntegerAttr(launch.max_registers));
    function->setAttr("tile.fp_fusion", b.getBoolAttr(launch.fp_fusion));
    Block *entry = function.addEntryBlock();
    unsigned index = 0;
    for (const TracedParameter &p : trace.parameters) {
      if (isConstant(p))
        continue;
      map(p.use.value.id, entry->getArgument(index));
      function.setArgAttr(index, "tile.name", b.getStringAttr(p.name));
      function.setArgAttr(index, "tile.type", b.getStringAttr(p.type.name()));
      if (p.argument_class == static_cast<int>(ArgClass::divisible_by_16))
        function.setArgAttr(index, "tile.divisibility", b.getI32IntegerAttr(16));
      ++index;
    }
    b.setInsertionPointToStart(entry);
    region(trace.top);
    func::ReturnOp::create(b, at(trace.loc));
  }

  OpBuilder b;

 private:
  static bool isConstant(const TracedParameter &p) {
    return p.argument_class == static_cast<int>(ArgClass::one);
  }

  // ---------------------------------------------------------------------- types, values

  Type typeOf(ElementType t) {
    if (t.is_pointer())
      return ir::PtrType::get(typeOf(t.pointee()));
    switch (t.kind) {
    case Kind::F16:
      return b.getF16Type();
    case Kind::BF16:
      return b.getBF16Type();
    case Kind::F32:
      return b.getF32Type();
    case Kind::F64:
      return b.getF64Type();
    case Kind::E4M3:
      return b.getType<Float8E4M3FNType>();
    case Kind::E5M2:
      return b.getType<Float8E5M2Type>();
    default:
      return b.getIntegerType(static_cast<unsigned>(t.bits()));
    }
  }
  Type typeOf(const ValueInfo &v) {
    Type element = typeOf(v.type);
    if (v.is_descriptor)
      return ir::DescType::get(v.shape, element);
    return ir::getTileType(v.shape, element);
  }
  Type typeOf(int id) { return typeOf(trace.values[static_cast<size_t>(id)]); }
  SmallVector<Type> typesOf(const std::vector<int> &ids) {
    return llvm::map_to_vector(ids, [&](int id) { return typeOf(id); });
  }
  void map(int id, mlir::Value v) { values[static_cast<size_t>(id)] = v; }
  mlir::Value value(int id) const { return values[static_cast<size_t>(id)]; }
  SmallVector<mlir::Value> operandsOf(const Op &op, size_t from = 0, size_t count = ~size_t(0)) const {
    SmallVector<mlir::Value> r;
    for (size_t i = from; i < op.operands.size() && r.size() < count; ++i)
      r.push_back(value(op.operands[i]));
    return r;
  }

  mlir::Location at(Loc l) {
    if (!locations)
      return b.getUnknownLoc();
    return FileLineColLoc::get(b.getContext(), l.file_name(), l.line(), l.column());
  }

  // ---------------------------------------------------------------------------- regions

  void region(const Region &r) {
    for (const std::unique_ptr<Op> &op : r.ops) {
      Operation *made = emit(*op, at(op->loc));
      for (auto [id, result] : llvm::zip(op->results, made->getResults()))
        map(id, result);
    }
  }

  // Fills an empty region of a new operation.
  void fill(mlir::Region &into, const Region &from) {
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Type> types = typesOf(from.arguments);
    Block *block = into.empty() ? b.createBlock(&into) : &into.front();
    b.setInsertionPointToStart(block);
    if (block->getNumArguments() == 0)
      block->addArguments(types, SmallVector<mlir::Location>(types.size(), into.getLoc()));
    if (!block->empty())   // a terminator that the builder made
      block->clear();
    for (auto [id, argument] : llvm::zip(from.arguments, block->getArguments()))
      map(id, argument);
    b.setInsertionPointToEnd(block);
    region(from);
  }

  // ------------------------------------------------------------------------- operations

  Operation *constant(const Op &op, mlir::Location l) {
    Type type = typeOf(op.results[0]), element = ir::getElementType(type);
    TypedAttr attr;
    if (auto integer = dyn_cast<IntegerType>(element))
      attr = b.getIntegerAttr(element,
                              APInt(64, static_cast<uint64_t>(op.numbers[0])).trunc(integer.getWidth()));
    else
      attr = b.getFloatAttr(element, op.real);
    if (auto tile = dyn_cast<RankedTensorType>(type))
      attr = DenseElementsAttr::get(tile, Attribute(attr));
    return arith::ConstantOp::create(b, l, attr);
  }

  Operation *loop(const Op &op, mlir::Location l) {
    auto loop = scf::ForOp::create(b, l, value(op.operands[0]), value(op.operands[1]), value(op.operands[2]),
                                   operandsOf(op, 3), nullptr, op.numbers[0] != 0);
    fill(loop.getRegion(), op.regions[0]);
    static constexpr llvm::StringLiteral names[] = {"tile.num_stages", "tile.unroll", "tile.flatten",
                                                    "tile.specialize_warps"};
    for (size_t i = 0; i < 4; ++i)
      if (int64_t n = op.numbers[i + 1])
        loop->setAttr(names[i], i < 2 ? Attribute(b.getI32IntegerAttr(static_cast<int32_t>(n)))
                                      : Attribute(b.getUnitAttr()));
    return loop;
  }

  Operation *branch(const Op &op, mlir::Location l) {
    const bool hasElse = !op.results.empty() || op.regions[1].ops.size() > 1;
    auto branch = scf::IfOp::create(b, l, typesOf(op.results), value(op.operands[0]), true, hasElse);
    fill(branch.getThenRegion(), op.regions[0]);
    if (hasElse)
      fill(branch.getElseRegion(), op.regions[1]);
    return branch;
  }

  Operation *whileLoop(const Op &op, mlir::Location l) {
    auto loop = scf::WhileOp::create(b, l, typesOf(op.results), operandsOf(op), nullptr, nullptr);
    fill(loop.getBefore(), op.regions[0]);
    fill(loop.getAfter(), op.regions[1]);
    return loop;
  }

  template <class Class> Operation *reduction(const Op &op, mlir::Location l) {
    SmallVector<NamedAttribute> attrs{
        b.getNamedAttr("axis", b.getI32IntegerAttr(static_cast<int32_t>(op.numbers[0])))};
    if (std::is_same_v<Class, ir::ScanOp> && op.numbers[1])
      attrs.push_back(b.getNamedAttr("reverse", b.getUnitAttr()));
    auto made = Class::create(b, l, typesOf(op.results), operandsOf(op), attrs);
    fill(made.getCombine(), op.regions[0]);
    return made;
  }

  Operation *assumption(const Op &op, mlir::Location l) {
    auto assume = ir::AssumeOp::create(b, l, typeOf(op.results[0]), value(op.operands[0]), IntegerAttr(),
                                       IntegerAttr(), IntegerAttr(), DenseI64ArrayAttr());
    IntegerAttr n = b.getI64IntegerAttr(op.numbers[1]);
    switch (op.numbers[0]) {
    case 0:
      assume.setDivisibleAttr(n);
      break;
    case 1:
      assume.setContiguousAttr(n);
      break;
    case 2:
      assume.setConstantAttr(n);
      break;
    default:
      assume.setRangeAttr(b.getDenseI64ArrayAttr({op.numbers[1], op.numbers[2]}));
    }
    return assume;
  }

  Operation *print(const Op &op, mlir::Location l) {
    SmallVector<bool> isUnsigned;
    for (size_t i = 1; i < op.numbers.size(); ++i)
      isUnsigned.push_back(op.numbers[i] != 0);
    DenseBoolArrayAttr unsignedOperands;
    if (llvm::is_contained(isUnsigned, true))
      unsignedOperands = b.getDenseBoolArrayAttr(isUnsigned);
    return ir::PrintOp::create(b, l, b.getStringAttr(op.text), operandsOf(op),
                               op.numbers[0] ? b.getUnitAttr() : UnitAttr(), unsignedOperands);
  }

  Operation *emit(const Op &op, mlir::Location l) {
    auto in = [&](size_t i) { return value(op.operands[i]); };
    auto number = [&](size_t i) { return static_cast<int32_t>(op.numbers[i]); };
    // An optional operand that follows those before it.
    auto optional = [&](size_t flag, size_t at) { return op.numbers[flag] ? in(at) : mlir::Value(); };
    auto type = [&] { return typeOf(op.results[0]); };
    switch (op.code) {
#define TILE_EMIT(code, Class)                                                                               \
  case Code::code:                                                                                           \
    return Class::create(b, l, typesOf(op.results), operandsOf(op));
      TILE_PLAIN_OPS(TILE_EMIT)
#undef TILE_EMIT
    case Code::constant:
      return constant(op, l);
    case Code::arange:
      return ir::ArangeOp::create(b, l, type(), number(0), number(1));
    case Code::expand_dims:
      return ir::ExpandDimsOp::create(b, l, type(), in(0), number(0));
    case Code::reshape:
      return ir::ReshapeOp::create(b, l, type(), in(0), number(0) != 0);
    case Code::permute: {
      SmallVector<int32_t> order(op.numbers.begin(), op.numbers.end());
      return ir::PermuteOp::create(b, l, type(), in(0), order);
    }
    case Code::gather:
      return ir::GatherOp::create(b, l, type(), in(0), in(1), number(0));
    case Code::program_id:
      return ir::ProgramIdOp::create(b, l, type(), ir::Axis(number(0)));
    case Code::num_programs:
      return ir::NumProgramsOp::create(b, l, type(), ir::Axis(number(0)));
    case Code::cmpi:
      return arith::CmpIOp::create(b, l, arith::CmpIPredicate(number(0)), in(0), in(1));
    case Code::cmpf:
      return arith::CmpFOp::create(b, l, arith::CmpFPredicate(number(0)), in(0), in(1));
    case Code::maximum:
      return ir::MaximumOp::create(b, l, type(), in(0), in(1), ir::NanRule(number(0)));
    case Code::minimum:
      return ir::MinimumOp::create(b, l, type(), in(0), in(1), ir::NanRule(number(0)));
    case Code::clamp:
      return ir::ClampOp::create(b, l, type(), in(0), in(1), in(2), ir::NanRule(number(0)));
    case Code::fp_cast:
      return ir::FpCastOp::create(b, l, type(), in(0), ir::Rounding(number(0)));
    case Code::approx_sqrt:
      return math::SqrtOp::create(b, l, in(0), arith::FastMathFlags::afn);
    case Code::approx_div:
      return arith::DivFOp::create(b, l, in(0), in(1), arith::FastMathFlags::arcp);
    case Code::addptr:
      return ir::AddPtrOp::create(b, l, type(), in(0), in(1), number(0) != 0);
    case Code::load:
      return ir::LoadOp::create(b, l, type(), in(0), optional(0, 1), optional(1, op.numbers[0] ? 2 : 1),
                                ir::Cache(number(2)), ir::Evict(number(3)), number(4) != 0);
    case Code::store:
      return ir::StoreOp::create(b, l, in(0), in(1), optional(0, 2), ir::Cache(number(1)),
                                 ir::Evict(number(2)), number(3) != 0);
    case Code::make_descriptor: {
      size_t rank = (op.operands.size() - 1) / 2;
      return ir::MakeDescriptorOp::create(b, l, type(), in(0), operandsOf(op, 1, rank),
                                          operandsOf(op, 1 + rank), ir::Padding(number(0)));
    }
    case Code::descriptor_load:
      return ir::DescriptorLoadOp::create(b, l, type(), in(0), operandsOf(op, 1), ir::Cache(number(0)),
                                          ir::Evict(number(1)));
    case Code::descriptor_store:
      return ir::DescriptorStoreOp::create(b, l, in(0), operandsOf(op, 1, op.operands.size() - 2),
                                           value(op.operands.back()));
    case Code::descriptor_reduce:
      return ir::DescriptorReduceOp::create(b, l, ir::Update(number(0)), in(0),
                                            operandsOf(op, 1, op.operands.size() - 2),
                                            value(op.operands.back()));
    case Code::atomic_rmw:
      return ir::AtomicRmwOp::create(b, l, type(), ir::Update(number(0)), in(0), in(1), optional(1, 2),
                                     ir::Ordering(number(2)), ir::Scope(number(3)));
    case Code::atomic_cas:
      return ir::AtomicCasOp::create(b, l, type(), in(0), in(1), in(2), ir::Ordering(number(0)),
                                     ir::Scope(number(1)));
    case Code::dot:
      return ir::DotOp::create(b, l, type(), in(0), in(1), in(2), ir::Precision(number(0)),
                               static_cast<uint32_t>(number(1)), number(2) != 0, number(3) != 0);
    case Code::reduce:
      return reduction<ir::ReduceOp>(op, l);
    case Code::scan:
      return reduction<ir::ScanOp>(op, l);
    case Code::assume:
      return assumption(op, l);
    case Code::assert_true:
      return ir::AssertOp::create(b, l, in(0), b.getStringAttr(op.text), optional(0, 1));
    case Code::print:
      return print(op, l);
    case Code::scf_for:
      return loop(op, l);
    case Code::scf_if:
      return branch(op, l);
    case Code::scf_while:
      return whileLoop(op, l);
    case Code::cell_new:
    case Code::cell_get:
    case Code::cell_set:
      break;
    }
    llvm_unreachable("a trace is promoted before it is emitted");
  }

  const Trace &trace;
  bool locations;
  std::vector<mlir::Value> values;
};

}   // namespace

std::shared_ptr<const KernelIR::Module> emit_module(const Trace &trace, const std::string &name,
                                                    const Launch &launch, bool locations) {
  auto result = std::make_shared<KernelIR::Module>();
  result->context = make_context();
  MLIRContext *context = result->context.get();
  std::string complaints;
  {
    ScopedDiagnosticHandler collect(context, [&](Diagnostic &d) noexcept {
      llvm::raw_string_ostream out(complaints);
      out << (complaints.empty() ? "" : "; ") << d;
      return success();
    });
    Emitter emitter(context, trace, locations);
    result->module = ModuleOp::create(UnknownLoc::get(context), name);
    emitter.b.setInsertionPointToStart(result->module->getBody());
    emitter.kernel(name, launch);
    if (failed(verify(*result->module)) && complaints.empty())
      complaints = "no reason given";
  }
  if (!complaints.empty())
    throw Error("this is a bug: the front end made IR that does not verify: " + complaints, trace.loc);
  return result;
}

}   // namespace tile::detail
