// SPDX-License-Identifier: MIT
#include "tools/bench/data.h"

#include "runtime/error.h"
#include "tools/bench/elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unistd.h>

namespace tile::bench {
namespace {

// A prime number: rows of a matrix begin at other places of it, so that none is like another.
constexpr std::size_t period = 1048573;
constexpr std::size_t alignment = 256;   // what allocations have
constexpr int most_sets = 4096;

double gib(double bytes) { return bytes / (1 << 30); }

std::size_t aligned(double bytes) {
  return (static_cast<std::size_t>(bytes) + alignment - 1) / alignment * alignment;
}

double memory_of_this_machine() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}   // namespace

Data::Data(Device &device, const registry::Problem &problem, double least_bytes, std::size_t memory_bytes,
           std::uint64_t seed)
    : device_(device), inputs_(device, 0), outputs_(device, 0) {
  double input = 0, output = 0;   // sizes come from people: they need not fit an integer
  for (const registry::Operand &operand : problem.operands) {
    (operand.is_output ? output : input) += std::ceil(operand.bytes() / alignment) * alignment;
    input_bytes_ += operand.is_output ? 0 : operand.bytes();
  }
  if (least_bytes > input_bytes_ && input_bytes_ > 0)
    sets_ = static_cast<int>(std::min(std::ceil(least_bytes / input_bytes_), double{most_sets}));
  if (least_bytes > 0)
    sets_ = std::max(sets_, 2);   // one set alone would be warm where it fits
  const double needed = (input + output) * sets_;
  const double there = memory_bytes ? static_cast<double>(memory_bytes) : memory_of_this_machine();
  constexpr double usable = 0.95;
  if (needed > usable * there)
    throw Error(fmt::format("needs {:.1f} GiB for {} {} of operands, {} has {:.1f} GiB", gib(needed), sets_,
                            sets_ == 1 ? "set" : "sets", memory_bytes ? "the device" : "this machine",
                            gib(there)),
                {});
  place(problem);
  const auto input_of = std::ranges::find(problem.operands, false, &registry::Operand::is_output);
  fill(input_of->type, seed);
  fill_others(problem, seed);
}

void Data::place(const registry::Problem &problem) {
  for (const registry::Operand &operand : problem.operands) {
    std::size_t &end = operand.is_output ? output_stride_ : input_stride_;
    offsets_.push_back(end);
    is_output_.push_back(operand.is_output);
    end += aligned(operand.bytes());
  }
  inputs_ = Buffer<std::byte>(device_, input_stride_ * static_cast<std::size_t>(sets_), "inputs");
  outputs_ = Buffer<std::byte>(device_, output_stride_ * static_cast<std::size_t>(sets_), "outputs");
  for (std::size_t set = 0; set < static_cast<std::size_t>(sets_); ++set) {
    std::vector<void *> &of_set = addresses_.emplace_back();
    for (std::size_t i = 0; i < offsets_.size(); ++i)
      of_set.push_back(is_output_[i] ? outputs_.data() + set * output_stride_ + offsets_[i]
                                     : inputs_.data() + set * input_stride_ + offsets_[i]);
  }
}

// The beginning comes from the host, the rest from what is there already: twice as much each time.
void Data::fill(ElementType type, std::uint64_t seed) {
  const std::size_t size = inputs_.size(), element = type.bytes();
  numbers_.emplace_back(type, random_numbers(type, std::min(period, size / element), seed));
  const std::vector<std::byte> first = from_numbers(type, numbers_of(type));
  if (first.empty())
    return;
  device_.copy_in(inputs_.data(), first.data(), first.size());
  for (std::size_t filled = first.size(); filled < size;) {
    const std::size_t more = std::min(filled, size - filled);
    device_.copy(inputs_.data() + filled, inputs_.data(), more);
    filled += more;
  }
  device_.synchronize();
}

void Data::fill_others(const registry::Problem &problem, std::uint64_t seed) {
  const ElementType filled = numbers_.front().first;
  for (std::size_t i = 0; i < problem.operands.size(); ++i) {
    const registry::Operand &operand = problem.operands[i];
    if (operand.is_output || operand.type == filled || operand.bytes() == 0)
      continue;
    if (std::ranges::none_of(numbers_, [&](const auto &known) { return known.first == operand.type; }))
      numbers_.emplace_back(operand.type, random_numbers(operand.type, period, ++seed));
    const std::vector<std::byte> repeated = from_numbers(operand.type, numbers_of(operand.type));
    const auto size = static_cast<std::size_t>(operand.bytes());
    for (const std::vector<void *> &of_set : addresses_) {
      std::size_t at = offsets_[i] % repeated.size();
      for (std::size_t done = 0; done < size; at = 0) {
        const std::size_t more = std::min(repeated.size() - at, size - done);
        device_.copy_in(static_cast<std::byte *>(of_set[i]) + done, repeated.data() + at, more);
        done += more;
      }
    }
  }
  device_.synchronize();
}

const std::vector<double> &Data::numbers_of(ElementType type) const {
  return std::ranges::find(numbers_, type, [](const auto &known) { return known.first; })->second;
}

std::span<void *const> Data::operands(int set) const { return addresses_[static_cast<std::size_t>(set)]; }

namespace {

struct Run {   // elements `first`, `first + step`, ... of a dense matrix
  std::size_t first, step;
};
Run row_of(const registry::Operand &operand, std::int64_t row) {
  const std::int64_t matrix = row / operand.rows;
  return operand.by_columns
             ? Run{static_cast<std::size_t>(matrix * operand.rows * operand.cols + row % operand.rows),
                   static_cast<std::size_t>(operand.rows)}
             : Run{static_cast<std::size_t>(row) * static_cast<std::size_t>(operand.cols), std::size_t{1}};
}

}   // namespace

void Data::read_input(const registry::Operand &operand, std::size_t index, std::int64_t row,
                      std::span<double> to) const {
  const Run run = row_of(operand, row);
  const std::vector<double> &numbers = numbers_of(operand.type);
  std::size_t at = (offsets_[index] / operand.type.bytes() + run.first) % numbers.size();
  const std::size_t step = run.step % numbers.size();
  for (double &number : to) {
    number = numbers[at];
    at += step;
    if (at >= numbers.size())
      at -= numbers.size();
  }
}

void Data::read_output(const registry::Operand &operand, std::size_t index, std::int64_t row,
                       std::span<double> to) const {
  const std::size_t bytes = operand.type.bytes();
  std::vector<std::byte> raw(to.size() * bytes);
  if (raw.empty())
    return;
  device_.copy_out(raw.data(),
                   static_cast<std::byte *>(addresses_[0][index]) + row_of(operand, row).first * bytes,
                   raw.size());
  to_numbers(operand.type, raw.data(), to);
}

void Data::poison() {
  if (output_stride_)
    device_.fill(outputs_.data(), 0xFF, output_stride_);
}

}   // namespace tile::bench
