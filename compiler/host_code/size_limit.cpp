// SPDX-License-Identifier: MIT
#include "compiler/host_code/size_limit.h"

#include "compiler/launch_facts.h"
#include "runtime/report_text.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace tile::simulator {
namespace {

// A sort of 2^15 numbers on four warps has fewer, one of 2^16 more.
constexpr std::int64_t mostOperations = 120'000;

}   // namespace

void checkSize(mlir::Operation *module, const Launch &launch) {
  const std::int64_t threads = std::int64_t{32} * launch.num_warps * launch.num_ctas;
  std::int64_t all = 0;
  llvm::MapVector<mlir::Location, std::int64_t> places;   // a sort is many operations at one
  module->walk([&](mlir::Operation *op) {
    auto type = op->getNumResults() ? llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType())
                                    : mlir::RankedTensorType();
    if (!type || !type.hasStaticShape() || !op->hasTrait<mlir::OpTrait::Elementwise>())
      return;
    const std::int64_t count = type.getNumElements() / threads;
    all += count;
    places[op->getLoc()] += count;
  });
  if (all <= mostOperations)
    return;
  const auto *largest = std::max_element(places.begin(), places.end(),
                                         [](const auto &a, const auto &b) { return a.second < b.second; });
  throw tile::Error(llvm::formatv("this kernel has at least {0} operations for each thread, {1} of them "
                                  "here; the simulator compiles up to {2}, because more would take minutes",
                                  grouped(all), grouped(largest->second), grouped(mostOperations)),
                    placeOf(largest->first))
      .add_help(
          "use smaller tiles or more warps, so that each thread holds fewer elements; or the interpreter, "
          "which compiles nothing; or TILE_LIMIT=none, to compile for as long as it takes");
}

}   // namespace tile::simulator
