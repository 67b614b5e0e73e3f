// SPDX-License-Identifier: MIT
#include "tools/fuzz/kernel.h"

#include "compiler/compile.h"
#include "compiler/kernel_ir_module.h"
#include "dialects/tile/dialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tile::fuzz {
namespace {

ElementType element(mlir::Type type) {
  if (auto pointer = mlir::dyn_cast<ir::PtrType>(type))
    return element(pointer.getPointee()).pointer_to();
  std::string name;
  if (mlir::isa<mlir::Float8E4M3FNType>(type))
    name = "e4m3";
  else if (mlir::isa<mlir::Float8E5M2Type>(type))
    name = "e5m2";
  else
    llvm::raw_string_ostream(name) << type;
  Kind kind{};
  if (!parse_kind(name, kind))
    throw Error("a kernel of `tile fuzz` has no argument of type " + name, {});
  return {kind};
}

Launch launch_of(mlir::func::FuncOp function) {
  Launch launch;
  auto number = [&](const char *name, int fallback) {
    auto attribute = function->getAttrOfType<mlir::IntegerAttr>(name);
    return attribute ? static_cast<int>(attribute.getInt()) : fallback;
  };
  launch.num_warps = number("tile.num_warps", launch.num_warps);
  launch.num_stages = number("tile.num_stages", launch.num_stages);
  launch.num_ctas = number("tile.num_ctas", launch.num_ctas);
  launch.ping_pong = function->hasAttr("tile.ping_pong");
  if (auto fuses = function->getAttrOfType<mlir::BoolAttr>("tile.fp_fusion"))
    launch.fp_fusion = fuses.getValue();
  return launch;
}

}   // namespace

KernelIR read_kernel(const std::string &text) {
  auto module = parse_module(text, "fuzz.mlir");
  for (auto function : module->get().getOps<mlir::func::FuncOp>()) {
    std::vector<Parameter> parameters;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto name = function.getArgAttrOfType<mlir::StringAttr>(i, "tile.name");
      parameters.push_back(
          {name ? name.str() : "a" + std::to_string(i), element(function.getArgumentTypes()[i])});
    }
    return KernelIR(module, function.getSymName().str(), "", parameters, launch_of(function));
  }
  throw Error("the text has no kernel", {});
}

KernelIR canonical(const KernelIR &kernel) {
  return read_kernel(text_after(Stage::TileSimplified, kernel, *Target::parse("sm_80")));
}

}   // namespace tile::fuzz
