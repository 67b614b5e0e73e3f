// SPDX-License-Identifier: MIT
// The attributes `tile.*` that ops of other dialects carry: launch options of kernels, facts about
// their arguments, hints of loops. A misspelt one would be ignored in silence, so each is known here.
#include "dialects/tile/launch_attributes.h"

#include "dialects/tile/dialect.h"

using namespace mlir;
using namespace tile::ir;

namespace {

enum class Kind { flag, truth, number, powerOfTwo, word, signedElement };

struct KnownAttribute {
  StringRef name;
  Kind kind;
  int64_t low = 0, high = 0;
};

constexpr int64_t Unlimited = int64_t(1) << 31;

const KnownAttribute KernelAttributes[] = {
    {KernelName, Kind::flag},
    {NumWarpsName, Kind::powerOfTwo, 1, 32},
    {NumStagesName, Kind::number, 1, 32},
    {NumCtasName, Kind::powerOfTwo, 1, 16},
    {PingPongName, Kind::flag},
    {MaxRegistersName, Kind::number, 24, 255},
    {FpFusionName, Kind::truth},
};
const KnownAttribute ArgumentAttributes[] = {
    {"tile.name", Kind::word},
    {"tile.divisibility", Kind::powerOfTwo, 1, Unlimited},
    {"tile.type", Kind::signedElement},
};
const KnownAttribute LoopAttributes[] = {
    {NumStagesName, Kind::number, 1, 32},
    {UnrollName, Kind::number, 1, 1024},
    {SpecializeWarpsName, Kind::flag},
};

// `u32`, `f16`, and a `*` for each level of pointers: `f16*`, `i8**`.
bool isSignedElement(StringRef text) {
  text = text.rtrim('*');
  return llvm::is_contained({"i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32",
                             "f64", "e4m3", "e5m2"},
                            text);
}

LogicalResult verifyValue(const KnownAttribute &known, Attribute value,
                          llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto refuse = [&](const Twine &wanted) -> LogicalResult {
    return emitError() << "'" << known.name << "' is " << wanted << ", not " << value;
  };
  auto number = dyn_cast<IntegerAttr>(value);
  bool isNumber = number && number.getType().isSignlessInteger() && !isa<BoolAttr>(value);
  switch (known.kind) {
  case Kind::flag:
    return isa<UnitAttr>(value) ? success() : refuse("a flag without a value");
  case Kind::truth:
    return isa<BoolAttr>(value) ? success() : refuse("true or false");
  case Kind::word:
    return isa<StringAttr>(value) ? success() : refuse("a string");
  case Kind::signedElement:
    if (auto text = dyn_cast<StringAttr>(value); text && isSignedElement(text))
      return success();
    return refuse("an element type like \"u32\" or \"f16*\"");
  case Kind::number:
  case Kind::powerOfTwo:
    break;
  }
  bool isInRange = isNumber && number.getInt() >= known.low && number.getInt() <= known.high;
  if (known.kind == Kind::number)
    return isInRange ? success() : refuse("an integer in " + Twine(known.low) + " .. " + Twine(known.high));
  return isInRange && llvm::isPowerOf2_64(number.getInt())
             ? success()
             : refuse("a power of two in " + Twine(known.low) + " .. " + Twine(known.high));
}

LogicalResult verifyKnown(ArrayRef<KnownAttribute> accepted, StringRef where, NamedAttribute attribute,
                          llvm::function_ref<InFlightDiagnostic()> emitError) {
  for (const KnownAttribute &known : accepted)
    if (known.name == attribute.getName())
      return verifyValue(known, attribute.getValue(), emitError);
  InFlightDiagnostic error = emitError() << "'" << attribute.getName().getValue() << "' is unknown on "
                                         << where << ", which knows ";
  llvm::interleaveComma(accepted, error,
                        [&](const KnownAttribute &known) { error << "'" << known.name << "'"; });
  return error;
}

std::optional<unsigned> numberOf(Operation *op, StringRef name) {
  if (auto number = op->getAttrOfType<IntegerAttr>(name))
    return static_cast<unsigned>(number.getInt());
  return std::nullopt;
}

}   // namespace

unsigned tile::ir::numWarps(func::FuncOp kernel) {
  return numberOf(kernel, NumWarpsName).value_or(DefaultNumWarps);
}

unsigned tile::ir::numCtas(func::FuncOp kernel) { return numberOf(kernel, NumCtasName).value_or(1); }

bool tile::ir::takesTurns(func::FuncOp kernel) { return kernel->hasAttr(PingPongName); }

unsigned tile::ir::numStages(scf::ForOp loop) {
  if (std::optional<unsigned> own = numberOf(loop, NumStagesName))
    return *own;
  return numStages(loop->getParentOfType<func::FuncOp>());
}

unsigned tile::ir::numStages(func::FuncOp kernel) {
  return numberOf(kernel, NumStagesName).value_or(DefaultNumStages);
}

std::optional<unsigned> tile::ir::maxRegisters(func::FuncOp kernel) {
  return numberOf(kernel, MaxRegistersName);
}

bool tile::ir::fusesProducts(func::FuncOp kernel) {
  auto choice = kernel->getAttrOfType<BoolAttr>(FpFusionName);
  return !choice || choice.getValue();
}

unsigned tile::ir::unrollFactor(scf::ForOp loop) { return numberOf(loop, UnrollName).value_or(1); }

bool tile::ir::promisesIndependentIterations(scf::ForOp loop) { return loop->hasAttr(SpecializeWarpsName); }

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  auto emitError = [&] { return op->emitError(); };
  if (isa<scf::ForOp>(op))
    return verifyKnown(LoopAttributes, "a loop", attribute, emitError);
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return emitError()
           << "'" << attribute.getName().getValue()
           << "' has no meaning on this op: `tile` attributes belong on functions and counted loops";
  if (failed(verifyKnown(KernelAttributes, "a function", attribute, emitError)))
    return failure();
  // Its own verifier, which says so where that is no type of a function, comes later.
  auto type = function->getAttrOfType<TypeAttr>(function.getFunctionTypeAttrName());
  auto signature = type ? dyn_cast<FunctionType>(type.getValue()) : FunctionType();
  if (attribute.getName() == KernelName && signature && signature.getNumResults() != 0)
    return emitError() << "a kernel returns nothing: results are stored through pointer arguments";
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                    NamedAttribute attribute) {
  auto emitError = [&] { return op->emitError() << "argument #" << index << ": "; };
  return verifyKnown(ArgumentAttributes, "an argument", attribute, emitError);
}
