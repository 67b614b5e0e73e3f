// SPDX-License-Identifier: MIT
#include "compiler/read_layouts.h"

#include "compiler/compilation.h"
#include "dialects/tile_gpu/dialect.h"
#include "runtime/error.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <memory>
#include <optional>

using namespace mlir;

namespace tile {
namespace {

// A context that keeps the first message instead of printing.
struct Reader {
  Reader()
      : context(lendLoweringContext()), handler(context.get(), [this](Diagnostic &d) {
          if (message.empty())
            message = d.str();
          return success();
        }) {}
  [[noreturn]] void refuse(const std::string &what) const {
    throw Error(what + ": " + (message.empty() ? "the text cannot be read" : message), {});
  }
  std::string message;
  LentContext context;
  ScopedDiagnosticHandler handler;
};

std::string textOf(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

std::string tileOf(RankedTensorType type) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (int64_t extent : type.getShape())
    out << extent << 'x';
  out << type.getElementType();
  return text;
}

unsigned bitsOf(Type element) { return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64; }

std::string placeText(mlir::Location loc) {
  std::string place;
  loc->walk([&](mlir::Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    StringRef name = file.getFilename().getValue();
    place = (name.substr(name.rfind('/') + 1) + ":" + Twine(file.getLine()) + ":" + Twine(file.getColumn()))
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

class Collector {
 public:
  void add(Type type, mlir::Location loc) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      add(tensor, loc);
    else if (auto channel = dyn_cast<gpu::ChannelType>(type))
      for (Type tile : channel.getTiles())
        add(tile, loc);
  }
  std::vector<FoundLayout> found;

 private:
  void add(RankedTensorType tensor, mlir::Location loc) {
    auto layout = dyn_cast_or_null<gpu::LayoutAttr>(tensor.getEncoding());
    if (!layout)
      return;
    const std::string tile = tileOf(tensor), text = textOf(layout);
    auto known =
        std::ranges::find_if(found, [&](const FoundLayout &f) { return f.tile == tile && f.text == text; });
    if (known == found.end())
      known = found.insert(
          known, {layout.getLayout(), tile, bitsOf(tensor.getElementType()), text, placeText(loc), 0});
    ++known->values;
  }
};

}   // namespace

layout::TileLayout parseLayout(std::string_view text) {
  Reader reader;
  const std::string whole =
      text.starts_with("<") ? "#tile_gpu.layout" + std::string(text) : std::string(text);
  const Attribute attribute = parseAttribute(whole, reader.context.get());
  auto layout = dyn_cast_or_null<gpu::LayoutAttr>(attribute);
  if (!layout)
    reader.refuse(attribute ? "this attribute is not a #tile_gpu.layout" : "this is not a layout");
  return layout.getLayout();
}

std::vector<FoundLayout> layoutsIn(std::string_view module) {
  Reader reader;
  OwningOpRef<ModuleOp> parsed =
      parseSourceString<ModuleOp>(StringRef(module.data(), module.size()), reader.context.get());
  if (!parsed)
    reader.refuse("this is not a module");
  Collector collector;
  parsed->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          collector.add(argument.getType(), argument.getLoc());
    for (Type type : op->getResultTypes())
      collector.add(type, op->getLoc());
  });
  return std::move(collector.found);
}

}   // namespace tile
