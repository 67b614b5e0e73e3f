// SPDX-License-Identifier: MIT
// User code has returned when this runs: no user frame is above an MLIR frame, and diagnostics are collected
// and thrown at the end.
#include "compiler/emit/emit_mlir.h"

#include "compiler/emit/dialect_words.h"
#include "dialects/tile/dialect.h"
#include "dialects/tile/launch_attributes.h"
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

// A kernel that is written without attributes is compiled like a traced one.
static_assert(Launch{}.num_warps == ir::DefaultNumWarps && Launch{}.num_stages == ir::DefaultNumStages &&
              Launch{}.fp_fusion && Launch{}.max_registers == 0);

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
    function->setAttr(ir::KernelName, b.getUnitAttr());
    function->setAttr(ir::NumWarpsName, b.getI32IntegerAttr(launch.num_warps));
    function->setAttr(ir::NumStagesName, b.getI32IntegerAttr(launch.num_stages));
    if (launch.num_ctas != 1)
      function->setAttr(ir::NumCtasName, b.getI32IntegerAttr(launch.num_ctas));
    if (launch.ping_pong)
      function->setAttr(ir::PingPongName, b.getUnitAttr());
    if (launch.max_registers)
      function->setAttr(ir::MaxRegistersName, b.getI32IntegerAttr(launch.max_registers));
    function->setAttr(ir::FpFusionName, b.getBoolAttr(launch.fp_fusion));
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
    return !is_passed(static_cast<ArgClass>(p.argument_class));
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
    const auto &literal = op.get<Code::constant>();
    Type type = typeOf(op.results[0]), element = ir::getElementType(type);
    TypedAttr attr;
    if (auto integer = dyn_cast<IntegerType>(element))
      attr =
          b.getIntegerAttr(element, APInt(64, static_cast<uint64_t>(literal.bits)).trunc(integer.getWidth()));
    else
      attr = b.getFloatAttr(element, literal.real);
    if (auto tile = dyn_cast<RankedTensorType>(type))
      attr = DenseElementsAttr::get(tile, Attribute(attr));
    return arith::ConstantOp::create(b, l, attr);
  }

  Operation *loop(const Op &op, mlir::Location l) {
    const auto &[isUnsigned, options] = op.get<Code::scf_for>();
    auto loop = scf::ForOp::create(b, l, value(op.operands[0]), value(op.operands[1]), value(op.operands[2]),
                                   operandsOf(op, 3), nullptr, isUnsigned);
    fill(loop.getRegion(), op.regions[0]);
    if (options.stages)
      loop->setAttr(ir::NumStagesName, b.getI32IntegerAttr(options.stages));
    if (options.unroll)
      loop->setAttr(ir::UnrollName, b.getI32IntegerAttr(options.unroll));
    if (options.specialize_warps)
      loop->setAttr(ir::SpecializeWarpsName, b.getUnitAttr());
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

  template <class Class> Operation *reduction(const Op &op, mlir::Location l, int32_t axis, Reverse reverse) {
    SmallVector<NamedAttribute> attrs{b.getNamedAttr("axis", b.getI32IntegerAttr(axis))};
    if (reverse == Reverse::yes)
      attrs.push_back(b.getNamedAttr("reverse", b.getUnitAttr()));
    auto made = Class::create(b, l, typesOf(op.results), operandsOf(op), attrs);
    fill(made.getCombine(), op.regions[0]);
    return made;
  }

  ir::AssumeOp assumption(const Op &op, mlir::Location l) {
    return ir::AssumeOp::create(b, l, typeOf(op.results[0]), value(op.operands[0]), IntegerAttr(),
                                IntegerAttr(), IntegerAttr(), DenseI64ArrayAttr());
  }
  Operation *assume(const Op &op, mlir::Location l) {
    const auto &a = op.get<Code::assume>();
    ir::AssumeOp assume = assumption(op, l);
    IntegerAttr n = b.getI64IntegerAttr(a.number);
    switch (a.fact) {
    case Fact::divisible:
      assume.setDivisibleAttr(n);
      break;
    case Fact::contiguous:
      assume.setContiguousAttr(n);
      break;
    case Fact::constant:
      assume.setConstantAttr(n);
      break;
    }
    return assume;
  }
  Operation *assumeRange(const Op &op, mlir::Location l) {
    const auto &a = op.get<Code::assume_range>();
    ir::AssumeOp assume = assumption(op, l);
    assume.setRangeAttr(b.getDenseI64ArrayAttr({a.low, a.high}));
    return assume;
  }

  Operation *print(const Op &op, mlir::Location l) {
    const auto &a = op.get<Code::print>();
    const SmallVector<bool> isUnsigned(a.are_unsigned.begin(), a.are_unsigned.end());
    DenseBoolArrayAttr unsignedOperands;
    if (llvm::is_contained(isUnsigned, true))
      unsignedOperands = b.getDenseBoolArrayAttr(isUnsigned);
    return ir::PrintOp::create(b, l, b.getStringAttr(a.prefix), operandsOf(op),
                               a.hex ? b.getUnitAttr() : UnitAttr(), unsignedOperands);
  }

  Operation *emit(const Op &op, mlir::Location l) {
    auto in = [&](size_t i) { return value(op.operands[i]); };
    // An optional operand that follows those before it.
    auto optional = [&](bool is, size_t at) { return is ? in(at) : mlir::Value(); };
    auto type = [&] { return typeOf(op.results[0]); };
    switch (op.code) {
#define TILE_EMIT(code, Class)                                                                               \
  case Code::code:                                                                                           \
    return Class::create(b, l, typesOf(op.results), operandsOf(op));
      TILE_PLAIN_OPS(TILE_EMIT)
#undef TILE_EMIT
    case Code::constant:
      return constant(op, l);
    case Code::arange: {
      const auto &a = op.get<Code::arange>();
      return ir::ArangeOp::create(b, l, type(), static_cast<int32_t>(a.start), static_cast<int32_t>(a.end));
    }
    case Code::expand_dims:
      return ir::ExpandDimsOp::create(b, l, type(), in(0), op.get<Code::expand_dims>().axis);
    case Code::reshape:
      return ir::ReshapeOp::create(b, l, type(), in(0), op.get<Code::reshape>().any_order);
    case Code::permute:
      return ir::PermuteOp::create(b, l, type(), in(0), op.get<Code::permute>().order);
    case Code::gather:
      return ir::GatherOp::create(b, l, type(), in(0), in(1), op.get<Code::gather>().axis);
    case Code::program_id:
      return ir::ProgramIdOp::create(b, l, type(), ir::Axis(op.get<Code::program_id>().axis));
    case Code::num_programs:
      return ir::NumProgramsOp::create(b, l, type(), ir::Axis(op.get<Code::num_programs>().axis));
    case Code::cmpi:
      return arith::CmpIOp::create(b, l, predicateOf(op.get<Code::cmpi>()), in(0), in(1));
    case Code::cmpf:
      return arith::CmpFOp::create(b, l, predicateOf(op.get<Code::cmpf>()), in(0), in(1));
    case Code::maximum:
      return ir::MaximumOp::create(b, l, type(), in(0), in(1), inDialect(op.get<Code::maximum>().nan));
    case Code::minimum:
      return ir::MinimumOp::create(b, l, type(), in(0), in(1), inDialect(op.get<Code::minimum>().nan));
    case Code::clamp:
      return ir::ClampOp::create(b, l, type(), in(0), in(1), in(2), inDialect(op.get<Code::clamp>().nan));
    case Code::fp_cast:
      return ir::FpCastOp::create(b, l, type(), in(0), inDialect(op.get<Code::fp_cast>().rounding));
    case Code::approx_sqrt:
      return math::SqrtOp::create(b, l, in(0), arith::FastMathFlags::afn);
    case Code::approx_exp2:
      return math::Exp2Op::create(b, l, in(0), arith::FastMathFlags::afn);
    case Code::approx_div:
      return arith::DivFOp::create(b, l, in(0), in(1), arith::FastMathFlags::arcp);
    case Code::addptr:
      return ir::AddPtrOp::create(b, l, type(), in(0), in(1), op.get<Code::addptr>().is_offset_unsigned);
    case Code::load: {
      const auto &a = op.get<Code::load>();
      return ir::LoadOp::create(b, l, type(), in(0), optional(a.has_mask, 1),
                                optional(a.has_other, a.has_mask ? 2 : 1), inDialect(a.access.cache),
                                inDialect(a.access.evict), a.access.is_volatile);
    }
    case Code::store: {
      const auto &a = op.get<Code::store>();
      return ir::StoreOp::create(b, l, in(0), in(1), optional(a.has_mask, 2), inDialect(a.access.cache),
                                 inDialect(a.access.evict), a.access.is_volatile);
    }
    case Code::make_descriptor: {
      size_t rank = (op.operands.size() - 1) / 2;
      return ir::MakeDescriptorOp::create(b, l, type(), in(0), operandsOf(op, 1, rank),
                                          operandsOf(op, 1 + rank),
                                          inDialect(op.get<Code::make_descriptor>().padding));
    }
    case Code::descriptor_load: {
      const auto &a = op.get<Code::descriptor_load>();
      return ir::DescriptorLoadOp::create(b, l, type(), in(0), operandsOf(op, 1), inDialect(a.cache),
                                          inDialect(a.evict));
    }
    case Code::descriptor_store:
      return ir::DescriptorStoreOp::create(b, l, in(0), operandsOf(op, 1, op.operands.size() - 2),
                                           value(op.operands.back()));
    case Code::descriptor_reduce: {
      const auto &a = op.get<Code::descriptor_reduce>();
      return ir::DescriptorReduceOp::create(b, l, updateOf(a.update, a.element), in(0),
                                            operandsOf(op, 1, op.operands.size() - 2),
                                            value(op.operands.back()));
    }
    case Code::atomic_rmw: {
      const auto &a = op.get<Code::atomic_rmw>();
      return ir::AtomicRmwOp::create(b, l, type(), updateOf(a.update, a.element), in(0), in(1),
                                     optional(a.has_mask, 2), inDialect(a.order), inDialect(a.scope));
    }
    case Code::atomic_cas: {
      const auto &a = op.get<Code::atomic_cas>();
      return ir::AtomicCasOp::create(b, l, type(), in(0), in(1), in(2), inDialect(a.order),
                                     inDialect(a.scope));
    }
    case Code::dot: {
      const auto &a = op.get<Code::dot>();
      return ir::DotOp::create(b, l, type(), in(0), in(1), in(2), inDialect(a.options.precision),
                               static_cast<uint32_t>(a.options.max_imprecise_acc), a.is_a_unsigned,
                               a.is_b_unsigned);
    }
    case Code::reduce:
      return reduction<ir::ReduceOp>(op, l, op.get<Code::reduce>().axis, Reverse::no);
    case Code::scan:
      return reduction<ir::ScanOp>(op, l, op.get<Code::scan>().axis, op.get<Code::scan>().reverse);
    case Code::assume:
      return assume(op, l);
    case Code::assume_range:
      return assumeRange(op, l);
    case Code::assert_true: {
      const auto &a = op.get<Code::assert_true>();
      return ir::AssertOp::create(b, l, in(0), b.getStringAttr(a.message), optional(a.has_mask, 1));
    }
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
}   // namespace tile::detail

namespace tile {

OwningOpRef<ModuleOp> moduleOf(const detail::TracedSource &source, MLIRContext &context) {
  OwningOpRef<ModuleOp> module;
  std::string complaints;
  {
    ScopedDiagnosticHandler collect(&context, [&](Diagnostic &d) noexcept {
      llvm::raw_string_ostream out(complaints);
      out << (complaints.empty() ? "" : "; ") << d;
      return success();
    });
    detail::Emitter emitter(&context, source.trace(), source.locations());
    module = ModuleOp::create(UnknownLoc::get(&context), source.name());
    emitter.b.setInsertionPointToStart(module->getBody());
    emitter.kernel(source.name(), source.launch());
    if (failed(verify(*module)) && complaints.empty())
      complaints = "no reason given";
  }
  if (!complaints.empty())
    throw Error("this is a bug: the front end made IR that does not verify: " + complaints,
                source.trace().loc)
        .with_code(ErrorCode::internal);
  return module;
}

}   // namespace tile
