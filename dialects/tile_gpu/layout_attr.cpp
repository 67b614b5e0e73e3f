// SPDX-License-Identifier: MIT
// The layout attribute: from and to compiler/layout's TileLayout, and its text.
#include "dialects/tile_gpu/dialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tile::gpu;
using namespace tile::layout;

#include "dialects/tile_gpu/enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile_gpu/attributes.cpp.inc"

void TileGpuDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tile_gpu/attributes.cpp.inc"
      >();
}

namespace tile::gpu {
namespace {

// Far beyond every tile, and few enough that a column is one number.
constexpr unsigned MostBits = 40;

// The spaces in the order of the text; `offset` stands alone, for shared memory.
constexpr Dim Spaces[] = {Dim::Register, Dim::Lane, Dim::Warp, Dim::Block, Dim::Offset};

}   // namespace

LayoutAttr LayoutAttr::get(MLIRContext *context, const TileLayout &layout) {
  std::vector<Dim> ins(std::begin(Spaces), std::end(Spaces)), outs;
  SmallVector<int64_t> columns, inBits, outBits;
  for (unsigned i = 0; i < layout.rank(); ++i) {
    outs.push_back(axis(i));
    outBits.push_back(layout.linear().outBits(axis(i)));
  }
  LinearLayout ordered = layout.linear().ordered(ins, outs);
  for (Dim dim : Spaces)
    inBits.push_back(ordered.inBits(dim));
  columns.assign(ordered.columns().begin(), ordered.columns().end());
  return get(context, columns, inBits, outBits, layout.repeats());
}

TileLayout LayoutAttr::getLayout() const {
  std::vector<Space> ins, outs;
  bool shared = getInBits().back() != 0;
  for (auto [dim, bits] : llvm::zip(Spaces, getInBits()))
    if ((dim == Dim::Offset) == shared)
      ins.push_back({dim, static_cast<unsigned>(bits)});
  for (auto [i, bits] : llvm::enumerate(getOutBits()))
    outs.push_back({axis(i), static_cast<unsigned>(bits)});
  return {LinearLayout(std::move(ins), std::move(outs), {getColumns().begin(), getColumns().end()}),
          getRepeats().vec()};
}

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> columns,
                                 [[maybe_unused]] ArrayRef<int64_t> inBits, ArrayRef<int64_t> outBits,
                                 ArrayRef<int64_t> repeats) {
  if (outBits.size() != repeats.size())
    return emitError() << "a layout of rank " << outBits.size() << " has " << repeats.size() << " repeats";
  if (llvm::any_of(repeats, [](int64_t r) { return r < 1 || r % 2 == 0; }))
    return emitError() << "a repeat is the odd factor of an extent";
  assert((inBits.back() == 0 || llvm::all_of(inBits.drop_back(), [](int64_t bits) { return bits == 0; })) &&
         "a layout speaks of threads or of offsets in shared memory; its text can say only one");
  unsigned bits = 0;
  for (int64_t b : outBits)
    bits += static_cast<unsigned>(b);
  if (bits > MostBits || columns.size() > MostBits)
    return emitError() << "a layout has at most 2^" << MostBits << " elements and as many places";
  // Every element has a place.
  LinearLayout flat({{Dim::Offset, static_cast<unsigned>(columns.size())}}, {{axis(0), bits}},
                    {columns.begin(), columns.end()});
  if (!flat.isSurjective())
    return emitError() << "a layout gives every element of the tile a place, this one leaves some out";
  return success();
}

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         function_ref<InFlightDiagnostic()> emitError) const {
  std::vector<int64_t> own = getLayout().shape();
  if (ArrayRef<int64_t>(own) == shape)
    return success();
  InFlightDiagnostic error = emitError() << "the layout is for a tile of shape [";
  llvm::interleaveComma(own, error);
  error << "], but the tensor has shape [";
  llvm::interleaveComma(shape, error);
  return error << "]";
}

// register = [[0, 1], [8, 0]], lane = [...], warp = [...], block = [...], repeats = [1, 3]
// or, of shared memory: shared offset = [...], repeats = [...]
void LayoutAttr::print(AsmPrinter &printer) const {
  LinearLayout linear = getLayout().linear();
  printer << (getLayout().isShared() ? "<shared " : "<");
  for (const Space &space : linear.ins()) {
    printer << layout::name(space.dim) << " = [";
    for (unsigned bit = 0; bit < space.bits; ++bit) {
      printer << (bit ? ", [" : "[");
      llvm::interleaveComma(linear.outs(), printer,
                            [&](const Space &out) { printer << linear.basis(space.dim, bit, out.dim); });
      printer << ']';
    }
    printer << "], ";
  }
  printer << "repeats = [";
  llvm::interleaveComma(getRepeats(), printer);
  printer << "]>";
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  SmallVector<SmallVector<int64_t>> vectors;   // the coordinates of each input bit
  SmallVector<int64_t> inBits(std::size(Spaces), 0), repeats;
  auto parseNumbers = [&](SmallVectorImpl<int64_t> &numbers) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                          [&] { return parser.parseInteger(numbers.emplace_back()); });
  };
  auto parseSpace = [&](unsigned space) -> ParseResult {
    if (parser.parseKeyword(layout::name(Spaces[space])) || parser.parseEqual())
      return failure();
    ParseResult result = parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      ++inBits[space];
      return parseNumbers(vectors.emplace_back());
    });
    return failed(result) ? result : parser.parseComma();
  };
  if (parser.parseLess())
    return {};
  constexpr unsigned Offset = std::size(Spaces) - 1;
  bool shared = succeeded(parser.parseOptionalKeyword("shared"));
  if (shared) {
    if (parseSpace(Offset))
      return {};
  } else {
    for (unsigned space = 0; space < Offset; ++space)
      if (parseSpace(space))
        return {};
  }
  if (parser.parseKeyword("repeats") || parser.parseEqual() || parseNumbers(repeats) || parser.parseGreater())
    return {};

  // The extents are what the coordinates need: every layout reaches every element.
  size_t rank = repeats.size();
  SmallVector<int64_t> outBits(rank, 0), columns;
  for (ArrayRef<int64_t> vector : vectors) {
    if (vector.size() != rank) {
      parser.emitError(start) << "a vector of " << vector.size() << " coordinates in a layout of rank "
                              << rank;
      return {};
    }
    for (auto [bits, coordinate] : llvm::zip(outBits, vector)) {
      if (coordinate < 0 || coordinate > (int64_t(1) << 30)) {
        parser.emitError(start) << "coordinate " << coordinate << " of a layout is not between 0 and 2^30";
        return {};
      }
      bits = std::max<int64_t>(bits, llvm::Log2_64_Ceil(static_cast<uint64_t>(coordinate) + 1));
    }
  }
  for (ArrayRef<int64_t> vector : vectors) {
    int64_t column = 0, at = 0;
    for (auto [bits, coordinate] : llvm::zip(outBits, vector)) {
      if (at < int64_t(MostBits))   // the verifier refuses more
        column |= coordinate << at;
      at += bits;
    }
    columns.push_back(column);
  }
  return parser.getChecked<LayoutAttr>(start, parser.getContext(), columns, inBits, outBits, repeats);
}

}   // namespace tile::gpu
