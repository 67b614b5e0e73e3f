// SPDX-License-Identifier: MIT
#include "tools/mutants/damage_ops.h"

#include "dialects/tile/dialect.h"
#include "dialects/tile_gpu/dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/IRMapping.h"

#include <array>

using namespace mlir;

namespace tile::mutants {
namespace {

constexpr std::array<std::int64_t, 17> numbers{0,
                                               1,
                                               -1,
                                               2,
                                               3,
                                               4,
                                               5,
                                               7,
                                               8,
                                               16,
                                               31,
                                               32,
                                               33,
                                               1024,
                                               65536,
                                               2147483647,
                                               std::numeric_limits<std::int64_t>::min()};

class Damage {
 public:
  Damage(ModuleOp module, Chance &chance) : module_(module), b_(module.getContext()), chance_(chance) {
    module.walk([&](Operation *op) {
      if (op == module)
        return;
      ops_.push_back(op);
      llvm::append_range(values_, op->getResults());
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::append_range(values_, block.getArguments());
    });
  }

  void once() {
    if (ops_.empty())
      return;
    using Way = void (Damage::*)();
    static constexpr std::array<Way, 17> ways{
        &Damage::other_operand,   &Damage::other_operand,   &Damage::swap_operands,   &Damage::drop_operand,
        &Damage::other_attribute, &Damage::other_attribute, &Damage::other_attribute, &Damage::drop_attribute,
        &Damage::other_type,      &Damage::other_type,      &Damage::drop_op,         &Damage::repeat_op,
        &Damage::move_op,         &Damage::other_signature, &Damage::other_functions, &Damage::other_place,
        &Damage::poison};
    (this->*ways[below(ways.size(), chance_)])();
  }

 private:
  template <class List> auto &any(List &list) { return list[below(list.size(), chance_)]; }
  Operation *any_op() { return any(ops_); }

  // Most often one that fits.
  Value like(Value old) {
    SmallVector<Value> fitting;
    for (Value v : values_)
      if (v != old && v.getType() == old.getType())
        fitting.push_back(v);
    return fitting.empty() || below(8, chance_) == 0 ? any(values_) : any(fitting);
  }

  void other_operand() {
    Operation *op = any_op();
    if (op->getNumOperands() == 0 || values_.empty())
      return;
    OpOperand &operand = op->getOpOperand(static_cast<unsigned>(below(op->getNumOperands(), chance_)));
    operand.set(like(operand.get()));
  }
  void swap_operands() {
    Operation *op = any_op();
    if (op->getNumOperands() < 2)
      return;
    const auto i = static_cast<unsigned>(below(op->getNumOperands(), chance_)),
               k = static_cast<unsigned>(below(op->getNumOperands(), chance_));
    const Value first = op->getOperand(i);
    op->setOperand(i, op->getOperand(k));
    op->setOperand(k, first);
  }
  void drop_operand() {
    Operation *op = any_op();
    if (op->getNumOperands() == 0)
      return;
    const auto i = static_cast<unsigned>(below(op->getNumOperands(), chance_));
    if (below(2, chance_) == 0)
      op->insertOperands(i, op->getOperand(i));
    else
      op->eraseOperand(i);
  }

  Attribute other(Attribute old) {
    const std::int64_t number = any(numbers);
    if (auto integer = dyn_cast<IntegerAttr>(old))
      return IntegerAttr::get(integer.getType(),
                              integer.getType().isIndex()
                                  ? APInt(64, static_cast<std::uint64_t>(number))
                                  : APInt(integer.getType().getIntOrFloatBitWidth(),
                                          static_cast<std::uint64_t>(number), false, true));
    if (auto list = dyn_cast<DenseI32ArrayAttr>(old))
      return b_.getDenseI32ArrayAttr(other(SmallVector<std::int32_t>(list.asArrayRef())));
    if (auto list = dyn_cast<DenseI64ArrayAttr>(old))
      return b_.getDenseI64ArrayAttr(other(SmallVector<std::int64_t>(list.asArrayRef())));
    if (auto list = dyn_cast<ArrayAttr>(old)) {
      SmallVector<Attribute> items(list.getValue());
      if (!items.empty())
        any(items) = below(2, chance_) ? other(items.front()) : any(items);
      return b_.getArrayAttr(items);
    }
    if (auto type = dyn_cast<TypeAttr>(old))
      return TypeAttr::get(values_.empty() ? type.getValue() : any(values_).getType());
    if (auto elements = dyn_cast<DenseElementsAttr>(old); elements && elements.getType().hasStaticShape())
      return DenseResourceElementsAttr::get(
          elements.getType(),
          DenseResourceElementsHandle::getManagerInterface(b_.getContext()).insert("__elided__"));
    if (auto text = dyn_cast<StringAttr>(old))   // not empty: MLIR prints no symbol without a name
      return b_.getStringAttr(below(2, chance_) && text.size() > 1 ? text.getValue().drop_front() : "x");
    if (isa<UnitAttr>(old))
      return b_.getBoolAttr(true);
    return b_.getUnitAttr();
  }
  template <class T> SmallVector<T> other(SmallVector<T> list) {
    if (list.empty() || below(4, chance_) == 0)
      list.push_back(static_cast<T>(any(numbers)));
    else if (below(4, chance_) == 0)
      list.pop_back();
    else
      any(list) = below(2, chance_) ? any(list) : static_cast<T>(any(numbers));
    return list;
  }

  // Of operations and, where they are functions, of arguments.
  void other_attribute() {
    Operation *op = any_op();
    DictionaryAttr attributes = op->getAttrDictionary();
    if (attributes.empty())
      return;
    const NamedAttribute chosen = attributes.getValue()[below(attributes.size(), chance_)];
    SmallVector<Attribute> elsewhere;
    for (Operation *another : ops_)
      if (Attribute same = another->getAttr(chosen.getName()); same && same != chosen.getValue())
        elsewhere.push_back(same);
    op->setAttr(chosen.getName(),
                elsewhere.empty() || below(3, chance_) ? other(chosen.getValue()) : any(elsewhere));
  }
  void drop_attribute() {
    Operation *op = any_op();
    DictionaryAttr attributes = op->getAttrDictionary();
    if (attributes.empty())
      return;
    op->removeAttr(attributes.getValue()[below(attributes.size(), chance_)].getName());
  }

  // Of one value, or of all that have its type.
  void other_type() {
    if (values_.empty())
      return;
    const Type from = any(values_).getType(), to = below(3, chance_) ? varied(from) : any(values_).getType();
    if (below(3, chance_) == 0) {
      any(values_).setType(to);
      return;
    }
    for (Value v : values_)
      if (v.getType() == from)
        v.setType(to);
    adapt_signatures();
  }
  Type varied(Type type) {
    MLIRContext *context = type.getContext();
    const std::array<Type, 12> elements{b_.getI1Type(),
                                        IntegerType::get(context, 8),
                                        IntegerType::get(context, 16),
                                        b_.getI32Type(),
                                        b_.getI64Type(),
                                        IntegerType::get(context, 128),
                                        b_.getIndexType(),
                                        b_.getF16Type(),
                                        b_.getBF16Type(),
                                        b_.getF32Type(),
                                        b_.getF64Type(),
                                        Float8E4M3FNType::get(context)};
    if (auto tile = dyn_cast<RankedTensorType>(type)) {
      SmallVector<std::int64_t> shape(tile.getShape());
      Attribute encoding = tile.getEncoding();
      switch (below(5, chance_)) {
      case 0:
        return RankedTensorType::get(shape, any(elements), encoding);
      case 1:
        if (!shape.empty())
          any(shape) = std::array<std::int64_t, 8>{1, 2, 3, 8, 16, 31, 64, 100}[below(8, chance_)];
        return RankedTensorType::get(shape, tile.getElementType(), encoding);
      case 2:
        shape.push_back(std::int64_t{1} << below(4, chance_));
        return RankedTensorType::get(shape, tile.getElementType());
      case 3:
        if (!shape.empty())
          shape.pop_back();
        return RankedTensorType::get(shape, tile.getElementType());
      default:
        return RankedTensorType::get(shape, tile.getElementType());
      }
    }
    if (isa<ir::PtrType>(type))
      return ir::PtrType::get(context, any(elements));
    if (isa<LLVM::LLVMPointerType>(type))
      return LLVM::LLVMPointerType::get(context, static_cast<unsigned>(below(5, chance_)));
    return below(4, chance_) ? any(elements) : Type(RankedTensorType::get({32}, any(elements)));
  }

  // Earlier damage may have taken the type.
  static bool has_type(func::FuncOp function) {
    auto type = function->getAttrOfType<TypeAttr>(function.getFunctionTypeAttrName());
    return type && isa<FunctionType>(type.getValue());
  }
  // Functions say again what their blocks take.
  void adapt_signatures() {
    module_.walk([&](func::FuncOp function) {
      if (function.isExternal() || !has_type(function))
        return;
      SmallVector<Type> results(function.getResultTypes());
      function.walk([&](func::ReturnOp end) {
        results.assign(end.getOperandTypes().begin(), end.getOperandTypes().end());
      });
      function.setFunctionType(b_.getFunctionType(function.getBody().front().getArgumentTypes(), results));
    });
  }

  void drop_op() {
    Operation *op = any_op();
    if (op->hasTrait<OpTrait::IsTerminator>())
      return;
    for (Value result : op->getResults())
      if (const Value instead = like(result); instead != result && !result.use_empty())
        result.replaceAllUsesWith(instead);
    if (op->use_empty() && llvm::all_of(op->getRegions(), [](Region &region) { return region.empty(); }))
      op->erase();
  }
  void repeat_op() {
    Operation *op = any_op();
    if (op->hasTrait<OpTrait::IsTerminator>() || isa<FunctionOpInterface>(op))
      return;
    b_.setInsertionPoint(below(2, chance_) ? op : any_op());
    b_.clone(*op);
  }
  void move_op() {
    Operation *op = any_op(), *to = any_op();
    if (op->hasTrait<OpTrait::IsTerminator>() || op->isAncestor(to) || isa<FunctionOpInterface>(op) ||
        isa<FunctionOpInterface>(to))
      return;
    op->moveBefore(to);
  }

  func::FuncOp any_function() {
    SmallVector<func::FuncOp> functions = llvm::filter_to_vector(module_.getOps<func::FuncOp>(), has_type);
    return functions.empty() ? nullptr : any(functions);
  }
  // Earlier damage may have had others use its values, which must not go then.
  static bool is_used_outside(func::FuncOp function) {
    const auto is_outside = [&](Operation *user) { return !function->isProperAncestor(user); };
    return function
        .walk([&](Block *block) {
          bool is_used = false;
          for (Value argument : block->getArguments())
            is_used |= llvm::any_of(argument.getUsers(), is_outside);
          for (Operation &op : *block)
            is_used |= llvm::any_of(op.getUsers(), is_outside);
          return is_used ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  }
  // Arguments that are not used, results, no body.
  void other_signature() {
    func::FuncOp function = any_function();
    if (!function || function.isExternal())
      return;
    const Type type = values_.empty() ? b_.getI32Type() : any(values_).getType();
    Block &entry = function.getBody().front();
    switch (below(4, chance_)) {
    case 0:
      if (is_used_outside(function))
        return;
      for (Block &block : function.getBody())
        block.dropAllReferences();
      function.eraseBody();
      function.setPrivate();
      return;
    case 1:
      entry.addArgument(type, function.getLoc());
      break;
    case 2:
      if (entry.getNumArguments() && entry.getArguments().back().use_empty())
        entry.eraseArgument(entry.getNumArguments() - 1);
      break;
    default:
      if (!values_.empty())
        function.walk([&](func::ReturnOp end) { end->insertOperands(0, any(values_)); });
    }
    function.setAllArgAttrs(SmallVector<DictionaryAttr>(entry.getNumArguments()));
    adapt_signatures();
  }
  // None, two, or one inside of a module of its own.
  void other_functions() {
    func::FuncOp function = any_function();
    if (!function)
      return;
    b_.setInsertionPoint(function);
    switch (below(3, chance_)) {
    case 0:
      cast<func::FuncOp>(b_.clone(*function)).setSymName("another");
      return;
    case 1:
      if (!is_used_outside(function))
        function.erase();
      return;
    default:
      auto inner = ModuleOp::create(function.getLoc());
      b_.insert(inner);
      function->moveBefore(inner.getBody(), inner.getBody()->end());
    }
  }

  void other_place() {
    Operation *op = any_op();
    const Location known = FileLineColLoc::get(b_.getContext(), "", 0, 0);
    const std::array<Location, 4> places{UnknownLoc::get(b_.getContext()), known,
                                         NameLoc::get(b_.getStringAttr("name"), known),
                                         FusedLoc::get(b_.getContext(), {known, op->getLoc()})};
    op->setLoc(any(places));
  }
  void poison() {
    Operation *op = any_op();
    if (op->getNumOperands() == 0)
      return;
    OpOperand &operand = op->getOpOperand(static_cast<unsigned>(below(op->getNumOperands(), chance_)));
    b_.setInsertionPoint(op);
    b_.getContext()->loadDialect<ub::UBDialect>();
    operand.set(ub::PoisonOp::create(b_, op->getLoc(), operand.get().getType()));
  }

  ModuleOp module_;
  OpBuilder b_;
  Chance &chance_;
  SmallVector<Operation *> ops_;
  SmallVector<Value> values_;
};

}   // namespace

void damage_ops(ModuleOp module, Chance &chance) {
  static constexpr std::array<int, 5> times{1, 1, 1, 2, 3};
  for (int left = times[below(times.size(), chance)]; left > 0; --left)
    Damage(module, chance).once();
}

}   // namespace tile::mutants
