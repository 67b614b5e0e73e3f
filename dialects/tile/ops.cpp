// SPDX-License-Identifier: MIT
// Parsing and printing of the ops, most of which TableGen writes.
#include "dialects/tile/dialect.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tile::ir;

// `tile.load %p cache = ca` prints the bare word of an enum instead of `#tile.cache<ca>`.
#define TILE_BARE_ENUM(Name)                                                                                 \
  static ParseResult parseBare##Name(OpAsmParser &parser, Name##Attr &attr) {                                \
    StringRef word;                                                                                          \
    SMLoc where = parser.getCurrentLocation();                                                               \
    if (parser.parseKeyword(&word))                                                                          \
      return failure();                                                                                      \
    std::optional<Name> value = symbolize##Name(word);                                                       \
    if (!value)                                                                                              \
      return parser.emitError(where) << "unknown " #Name " '" << word << "'";                                \
    attr = Name##Attr::get(parser.getContext(), *value);                                                     \
    return success();                                                                                        \
  }                                                                                                          \
  static void printBare##Name(OpAsmPrinter &printer, Operation *, Name##Attr attr) {                         \
    printer << stringify##Name(attr.getValue());                                                             \
  }
TILE_BARE_ENUM(Axis)
TILE_BARE_ENUM(Cache)
TILE_BARE_ENUM(Evict)
TILE_BARE_ENUM(Ordering)
TILE_BARE_ENUM(Scope)
TILE_BARE_ENUM(Update)
TILE_BARE_ENUM(Padding)
TILE_BARE_ENUM(Rounding)
TILE_BARE_ENUM(NanRule)
TILE_BARE_ENUM(Precision)
#undef TILE_BARE_ENUM

#define GET_OP_CLASSES
#include "dialects/tile/ops.cpp.inc"
