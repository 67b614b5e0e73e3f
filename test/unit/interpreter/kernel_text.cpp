// SPDX-License-Identifier: MIT
#include "test/unit/interpreter/kernel_text.h"

#include "compiler/kernel_ir_module.h"
#include "dialects/tile/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile::test {
namespace {

ElementType element(mlir::Type type) {
  if (auto pointer = mlir::dyn_cast<ir::PtrType>(type))
    return element(pointer.getPointee()).pointer_to();
  if (auto integer = mlir::dyn_cast<mlir::IntegerType>(type))
    switch (integer.getWidth()) {
    case 1:
      return {Kind::I1};
    case 8:
      return {Kind::I8};
    case 16:
      return {Kind::I16};
    case 32:
      return {Kind::I32};
    default:
      return {Kind::I64};
    }
  if (type.isF16())
    return {Kind::F16};
  if (type.isBF16())
    return {Kind::BF16};
  if (type.isF32())
    return {Kind::F32};
  if (type.isF64())
    return {Kind::F64};
  if (mlir::isa<mlir::Float8E4M3FNType>(type))
    return {Kind::E4M3};
  return {Kind::E5M2};
}

}   // namespace

KernelIR parse(std::string_view text) {
  auto module = parse_module(std::string(text), "kernel.mlir");
  std::vector<Parameter> parameters;
  std::string name;
  for (auto function : module->get().getOps<mlir::func::FuncOp>()) {
    name = function.getSymName().str();
    for (unsigned index = 0; index < function.getNumArguments(); ++index) {
      auto attribute = function.getArgAttrOfType<mlir::StringAttr>(index, "tile.name");
      parameters.push_back({attribute ? attribute.str() : "a" + std::to_string(index),
                            element(function.getArgumentTypes()[index])});
    }
  }
  return KernelIR(module, name, "", parameters, {});
}

std::string refusal(std::string_view text) {
  try {
    open_interpreter()->load(parse(text));
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

}   // namespace tile::test
