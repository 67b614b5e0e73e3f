// SPDX-License-Identifier: MIT
// The attributes `tile.*` that ops of other dialects carry: launch options of kernels, facts about
// their arguments, hints of loops. A misspelt one would be ignored in silence, so each is known here.
#include "dialects/tile/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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
    {"tile.kernel", Kind::flag},
    {"tile.num_warps", Kind::powerOfTwo, 1, 32},
    {"tile.num_stages", Kind::number, 1, 32},
    {"tile.num_ctas", Kind::powerOfTwo, 1, 16},
    {"tile.max_registers", Kind::number, 24, 255},
    {"tile.fp_fusion", Kind::truth},
};
const KnownAttribute ArgumentAttributes[] = {
    {"tile.name", Kind::word},
    {"tile.divisibility", Kind::powerOfTwo, 1, Unlimited},
    {"tile.type", Kind::signedElement},
};
const KnownAttribute LoopAttributes[] = {
    {"tile.num_stages", Kind::number, 1, 32},
    {"tile.unroll", Kind::number, 1, 1024},
    {"tile.flatten", Kind::flag},
    {"tile.specialize_warps", Kind::flag},
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

}   // namespace

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  auto emitError = [&] { return op->emitError(); };
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return verifyKnown(LoopAttributes, "a loop", attribute, emitError);
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return emitError() << "'" << attribute.getName().getValue()
                       << "' has no meaning on this op: `tile` attributes belong on functions and loops";
  if (failed(verifyKnown(KernelAttributes, "a function", attribute, emitError)))
    return failure();
  if (attribute.getName() == "tile.kernel" && function.getNumResults() != 0)
    return emitError() << "a kernel returns nothing: results are stored through pointer arguments";
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned index,
                                                    NamedAttribute attribute) {
  auto emitError = [&] { return op->emitError() << "argument #" << index << ": "; };
  return verifyKnown(ArgumentAttributes, "an argument", attribute, emitError);
}
