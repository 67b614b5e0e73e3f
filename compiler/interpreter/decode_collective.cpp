// SPDX-License-Identifier: MIT
// Operations in which lanes meet: products, reductions, scans, histograms.
#include "compiler/interpreter/decoder.h"
#include "compiler/interpreter/dot.h"

using namespace mlir;

namespace tile::interpreter {

bool Decoder::decodeCollective(Operation *op) {
  if (auto dot = dyn_cast<ir::DotOp>(op)) {
    const ArrayRef<int64_t> a = ir::getShape(dot.getA().getType()), b = ir::getShape(dot.getB().getType());
    const std::size_t rank = a.size();
    Dot detail;
    detail.batch = rank == 3 ? static_cast<std::size_t>(a[0]) : 1;
    detail.rows = static_cast<std::size_t>(a[rank - 2]);
    detail.depth = static_cast<std::size_t>(a[rank - 1]);
    detail.columns = static_cast<std::size_t>(b[rank - 1]);
    detail.a = slot(dot.getA()).lane;
    detail.b = slot(dot.getB()).lane;
    detail.sum = slot(dot.getAcc()).lane;
    detail.precision = static_cast<DotPrecision>(dot.getPrecision());
    detail.unsignedA = dot.getUnsignedA();
    detail.unsignedB = dot.getUnsignedB();
    const Handler handler = need(dotHandler(detail.a, detail.b, detail.sum), op);
    defineOver(dot, op, dot.getAcc());
    Instruction &instruction = emit(handler, op);
    instruction.a = slot(dot.getA()).place;
    instruction.b = slot(dot.getB()).place;
    instruction.c = slot(dot.getAcc()).place;
    instruction.detail = &program_->add(std::move(detail));
    return true;
  }
  return false;
}

}   // namespace tile::interpreter
