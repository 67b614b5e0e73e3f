// SPDX-License-Identifier: MIT
#include "tools/bench/check.h"

namespace tile::bench {
namespace {

// Of several providers one after the other, so that a check is to take no longer than what is measured.
// Elements of a vector are read one by one: thousands of them, not millions.
constexpr reference::Effort effort{.operations = 2e8, .rows = 4096};

}   // namespace

Checker::Checker(Device &device, const registry::Problem &problem, Data &data)
    : device_(device), problem_(problem), data_(data) {
  for (std::size_t i = 0; i < problem.operands.size(); ++i)
    if (problem.operands[i].is_output)
      outputs_.push_back(i);
  const registry::Problem::Read read = [&](std::size_t operand, std::int64_t row, std::span<double> to) {
    data_.read_input(problem_.operands[operand], operand, row, to);
  };
  for (const std::size_t output : outputs_) {
    rows_.push_back(reference::compared_rows(problem.operands[output].all_rows(), problem.work_of_row, effort,
                                             outputs_.size()));
    expected_.push_back(problem.expected(output, read, rows_.back()));
  }
}

reference::Matrix Checker::read(std::size_t output, std::span<const std::int64_t> rows) const {
  const registry::Operand &operand = problem_.operands[output];
  if (operand.cols > 1)
    return reference::rows_of(
        [&](std::int64_t row, std::span<double> to) { data_.read_output(operand, output, row, to); },
        operand.cols, rows);
  // A vector as one row, of which some elements are taken.
  const registry::Operand whole{operand.name, operand.type, 1, operand.all_rows()};
  std::vector<double> all(static_cast<std::size_t>(operand.all_rows()));
  data_.read_output(whole, output, 0, all);
  return reference::rows_of(
      [&](std::int64_t row, std::span<double> to) { to[0] = all[static_cast<std::size_t>(row)]; },
      operand.cols, rows);
}

reference::Verdict Checker::check(const std::function<void()> &call) {
  data_.poison();
  call();
  device_.synchronize();
  reference::Verdict verdict;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const registry::Operand &operand = problem_.operands[outputs_[i]];
    verdict.add(reference::compare(operand.name, read(outputs_[i], rows_[i]), expected_[i], operand.type,
                                   problem_.tolerance_of(operand.type), rows_[i]));
  }
  return verdict;
}

}   // namespace tile::bench
