// SPDX-License-Identifier: MIT
// Constants: which values are known while compiling, and functions of them element by element.
#pragma once

#include "dialects/tile/traits.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include <optional>
#include <type_traits>

namespace tile::ir {

/// The constant a value holds, or null.
mlir::Attribute getConstant(mlir::Value value);
/// The one element of a constant scalar or of a tile of equal elements.
std::optional<llvm::APInt> getSplatInt(mlir::Attribute constant);
std::optional<llvm::APFloat> getSplatFloat(mlir::Attribute constant);

bool isAllTrue(mlir::Value mask);
bool isAllFalse(mlir::Value mask);
/// True for integer 0 and for +0.0, not for -0.0, which has other bits.
bool isAllZeroBits(mlir::Value value);

/// A tile of `type` whose elements all are the element of the splat `constant` (or that scalar).
mlir::Attribute resplat(mlir::Attribute constant, mlir::Type type);
/// True where `test` holds for every element of a constant of integers.
bool allOfInts(mlir::Attribute constant, llvm::function_ref<bool(const llvm::APInt &)> test);

/// Zeros of any element type; for pointers the null pointer.
mlir::Value createZero(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type);
/// A constant number, or a tile of it.
mlir::Value createInt(mlir::OpBuilder &builder, mlir::Location location, mlir::Type type,
                      const llvm::APInt &value);

mlir::Attribute makeConstant(mlir::Type type, llvm::ArrayRef<llvm::APInt> elements);
mlir::Attribute makeConstant(mlir::Type type, llvm::ArrayRef<llvm::APFloat> elements);

/// Applies `function`, which takes an element of each constant, to all elements. Null where a
/// constant is not known. Tiles of equal elements stay so: the function is called once.
template <class In, class Function>
mlir::Attribute foldElementwise(llvm::ArrayRef<mlir::Attribute> constants, mlir::Type type,
                                Function &&function) {
  using Out = std::invoke_result_t<Function, llvm::ArrayRef<In>>;
  auto splat = [](mlir::Attribute constant) {
    if constexpr (std::is_same_v<In, llvm::APInt>)
      return getSplatInt(constant);
    else
      return getSplatFloat(constant);
  };
  llvm::SmallVector<In> elements;
  for (mlir::Attribute constant : constants)
    if (std::optional<In> element = splat(constant))
      elements.push_back(*element);
  if (elements.size() == constants.size())
    return makeConstant(type, llvm::ArrayRef<Out>(function(llvm::ArrayRef<In>(elements))));

  using Values = decltype(std::declval<mlir::DenseElementsAttr>().getValues<In>());
  llvm::SmallVector<Values> values;
  for (mlir::Attribute constant : constants) {
    auto dense = llvm::dyn_cast_or_null<mlir::DenseElementsAttr>(constant);
    if (!dense)
      return {};
    values.push_back(dense.template getValues<In>());
  }
  llvm::SmallVector<Out> results;
  for (size_t index = 0, count = values.front().size(); index != count; ++index) {
    elements.clear();
    for (const Values &each : values)
      elements.push_back(each[index]);
    results.push_back(function(llvm::ArrayRef<In>(elements)));
  }
  return makeConstant(type, llvm::ArrayRef<Out>(results));
}

}   // namespace tile::ir
