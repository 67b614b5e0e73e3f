// SPDX-License-Identifier: MIT
#include "compiler/lowering/distribute/shuffles.h"

#include "compiler/lowering/distribute/words.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tile::gpu {

using layout::ShufflePlan;
using layout::ThreadBit;
using Step = ShufflePlan::Step;

namespace {

class Shuffles {
 public:
  Shuffles(Distribution &distribution, const ShufflePlan &plan)
      : d_(distribution), b_(distribution.build()), plan_(plan) {
    if (!plan.keepsLanes)
      from_ = d_.threads().ofThread(plan.fromLane, plan.fromWarp);
  }

  // For each step its word, or its words where an element has several.
  SmallVector<Registers> run(function_ref<Registers(ArrayRef<std::int64_t>)> word) {
    SmallVector<Registers> values;
    for (const Step &step : plan_.steps)
      values.push_back(step.kind == Step::Kind::Word ? word(plan_.words[step.word])
                       : step.kind == Step::Kind::Select
                           ? select(step, values[step.first], values[step.second])
                           : shuffle(step, values[step.first]));
    return values;
  }

 private:
  Registers select(const Step &step, ArrayRef<Value> first, ArrayRef<Value> second) {
    Value condition = holds(step.condition);
    Registers result;
    for (auto [a, b] : llvm::zip_equal(first, second))
      result.push_back(arith::SelectOp::create(b_, condition, a, b));
    return result;
  }
  Registers shuffle(const Step &step, ArrayRef<Value> words) {
    Value lane = d_.constant(static_cast<std::int64_t>(step.lane));
    if (!plan_.keepsLanes)
      lane = step.lane ? Value(arith::XOrIOp::create(b_, from_, lane)) : from_;
    Value all = d_.constant(-1), clamp = d_.constant(31);
    auto kind = plan_.keepsLanes ? NVVM::ShflKind::bfly : NVVM::ShflKind::idx;
    Registers result;
    for (Value word : words)
      result.push_back(NVVM::ShflOp::create(b_, b_.getI32Type(), all, word, lane, clamp, kind, UnitAttr()));
    return result;
  }
  Value holds(const ThreadBit &bit) {
    Value &known = conditions_[bit];
    if (known)
      return known;
    auto columns = [](std::uint64_t mask) {
      std::vector<std::uint64_t> result;
      for (; mask; mask >>= 1)
        result.push_back(mask & 1);
      return result;
    };
    Value parity = d_.threads().ofThread(columns(bit.lanes), columns(bit.warps)), zero = d_.constant(0);
    return known = arith::CmpIOp::create(b_, arith::CmpIPredicate::ne, parity, zero);
  }

  Distribution &d_;
  ImplicitLocOpBuilder &b_;
  const ShufflePlan &plan_;
  Value from_;
  std::map<ThreadBit, Value> conditions_;
};

}   // namespace

Registers shuffled(Distribution &d, const ShufflePlan &plan, ArrayRef<Value> values,
                   std::int64_t repetitions) {
  ImplicitLocOpBuilder &b = d.build();
  Type element = values.front().getType();
  Shuffles shuffles(d, plan);
  std::int64_t inner = static_cast<std::int64_t>(values.size()) / repetitions;
  auto together = static_cast<std::int64_t>(plan.elementsPerWord());
  // What a word holds beyond the elements that travel together comes from the next repetitions.
  std::int64_t atOnce = elementsPerWord(element) / together;
  Registers result;
  for (std::int64_t first = 0; first < repetitions; first += atOnce) {
    std::int64_t end = std::min(first + atOnce, repetitions);
    SmallVector<Registers> steps = shuffles.run([&](ArrayRef<std::int64_t> registers) {
      Registers elements;
      for (std::int64_t repetition = first; repetition < end; ++repetition)
        for (std::int64_t reg : registers)
          elements.push_back(values[static_cast<size_t>(repetition * inner + reg)]);
      return toWords(b, elements);
    });
    DenseMap<size_t, Registers> unpacked;
    for (std::int64_t repetition = first; repetition < end; ++repetition)
      for (const ShufflePlan::Source &source : plan.results) {
        Registers &elements = unpacked[source.step];
        if (elements.empty())
          elements = fromWords(b, steps[source.step], element);
        result.push_back(elements[static_cast<size_t>((repetition - first) * together) + source.element]);
      }
  }
  return result;
}

}   // namespace tile::gpu
