// SPDX-License-Identifier: MIT
#include "tools/registry/row_functions.h"

#include <algorithm>

namespace tile::registry {
namespace {

using reference::Matrix;

// An operand whose element type is known only when the program runs.
struct AnyPlaced {
  virtual ~AnyPlaced() = default;
  virtual Matrix fill(std::mt19937_64 &source) = 0;   // what the elements are
  virtual void poison() = 0;
  virtual void *address() const = 0;
  virtual reference::Verdict
  judge_against(const Problem &problem, const reference::Effort &effort, std::size_t results,
                const std::function<Matrix(std::span<const std::int64_t>)> &expected) = 0;
};

template <class T> struct PlacedOf final : AnyPlaced {
  reference::Placed<T> memory;
  std::int64_t rows, cols;
  PlacedOf(Device &device, const Operand &operand)
      : memory(device, operand.name, operand.rows, operand.cols), rows(operand.rows), cols(operand.cols) {}

  Matrix fill(std::mt19937_64 &source) override {
    return memory.fill(reference::random_matrix(rows, cols, element_type<T>, source));
  }
  void poison() override { memory.poison(); }
  void *address() const override { return memory.view().data; }
  reference::Verdict
  judge_against(const Problem &problem, const reference::Effort &effort, std::size_t results,
                const std::function<Matrix(std::span<const std::int64_t>)> &expected) override {
    return judge(memory, problem.work_of_row, effort, problem.tolerance_of(element_type<T>), expected,
                 results);
  }
};

std::unique_ptr<AnyPlaced> place(Device &device, const Operand &operand) {
  return with_element<f16, bf16, f32, i32, e4m3, e5m2, i8>(
      operand.type.name(), [&]<class T>(std::type_identity<T>) -> std::unique_ptr<AnyPlaced> {
        return std::make_unique<PlacedOf<T>>(device, operand);
      });
}

}   // namespace

Outcome run_problem(Device &device, const Settings &settings, const Problem &problem,
                    const std::string &config) {
  std::mt19937_64 source(settings.seed);
  std::vector<std::unique_ptr<AnyPlaced>> placed;
  std::vector<Matrix> values;
  std::vector<void *> addresses;
  std::size_t results = 0;
  for (const Operand &operand : problem.operands) {
    placed.push_back(place(device, operand));
    addresses.push_back(placed.back()->address());
    values.emplace_back();
    if (operand.is_output) {
      placed.back()->poison();
      ++results;
    } else {
      values.back() = placed.back()->fill(source);
    }
  }
  Outcome outcome{
      .config = config, .tolerance = problem.tolerance.text(), .operations = problem.work.bytes, .unit = "B"};
  const Problem::Launch launch = problem.bind(device, addresses);
  outcome.seconds = timed(device, launch);
  if (!settings.verify)
    return outcome;
  const Problem::Read read = [&](std::size_t operand, std::int64_t row, std::span<double> to) {
    std::ranges::copy_n(values[operand].values.begin() + row * values[operand].cols,
                        static_cast<std::ptrdiff_t>(to.size()), to.begin());
  };
  for (std::size_t i = 0; i < placed.size(); ++i)
    if (problem.operands[i].is_output)
      outcome.verdict.add(placed[i]->judge_against(
          problem, settings.effort, results,
          [&](std::span<const std::int64_t> rows) { return problem.expected(i, read, rows); }));
  return outcome;
}

}   // namespace tile::registry
