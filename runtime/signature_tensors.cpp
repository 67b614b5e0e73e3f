// SPDX-License-Identifier: MIT
// What a launch's arguments make of the tensors that a kernel takes maps of. The rules are the language's of
// descriptors, with the words of those that are checked while a kernel runs.
#include "runtime/kernel_signature.h"

#include <cstdio>

namespace tile {
namespace {

constexpr std::uint64_t row_alignment = 16;   // bytes

// What a rule is broken by: "argument `n` of kernel matmul is -4", "`n * k` of kernel matmul is 7".
struct Culprit {
  const KernelSignature &kernel;
  std::string operator()(const LaunchNumber &number, std::int64_t value) const {
    const std::string is = " is " + std::to_string(value);
    const LaunchNumber::Step &first = number.steps.front();
    if (number.steps.size() > 1)
      return "`" + number.text(kernel.arguments) + "` of kernel " + kernel.name + is;
    return first.operation == LaunchNumber::Operation::argument
               ? named(static_cast<unsigned>(first.value)) + is
               : "in the code of kernel " + kernel.name + " it" + is;
  }
  std::string named(unsigned argument) const {
    return "argument `" + kernel.arguments[argument].name + "` of kernel " + kernel.name;
  }
};

}   // namespace

TensorDescription LaunchedTensor::description() const {
  const std::size_t rank = parameter->sizes.size();
  return {.element = parameter->element,
          .address = address,
          .sizes = std::span(sizes).first(rank),
          .strides = std::span(strides).first(rank - 1),
          .box = parameter->box,
          .elementStrides = {},
          .swizzle = parameter->swizzle,
          .fill = parameter->fill,
          .is_anchored = parameter->is_anchored};
}

TensorNumbers KernelSignature::numbers(const TensorParameter &tensor, std::span<const Argument> given) const {
  const auto value = [&](const LaunchNumber &number) {
    return number.value(
        [&](unsigned argument) { return signed_number(arguments[argument].type, given[argument].bits); });
  };
  TensorNumbers numbers{.address = given[tensor.base].bits};
  if (tensor.is_anchored)
    numbers.address -= numbers.address % row_alignment;
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i)
    numbers.sizes[i] = value(tensor.sizes[i]);
  for (std::size_t i = 0; i < tensor.strides.size(); ++i)
    numbers.strides[i] = value(tensor.strides[i]);
  return numbers;
}

// Every bit set is a NaN in all formats.
unsigned char KernelSignature::nothing_byte(const TensorParameter &tensor) {
  return tensor.fill == TensorFill::nan ? 0xFF : 0;
}

LaunchedTensor KernelSignature::launched(const TensorParameter &tensor, const TensorNumbers &numbers,
                                         std::uint64_t nothing) const {
  const Culprit culprit{*this};
  const auto refuse = [&](const std::string &rule, const std::string &why, const char *help) {
    throw Error("descriptor: " + rule + "; " + why, {}).add_help(help);
  };
  const std::size_t rank = tensor.sizes.size();
  const std::size_t own = rank - (tensor.is_anchored ? 2 : 0);   // the slowest two lead from the anchor
  const std::int64_t bytes = bytes_of(tensor.element);
  LaunchedTensor result{.parameter = &tensor, .address = numbers.address};
  if (numbers.address % row_alignment != 0) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(numbers.address));
    refuse("its base must be aligned to 16 bytes", culprit.named(tensor.base) + " is " + text,
           "begin at an aligned element, or load through pointers");
  }
  bool is_empty = false;
  for (std::size_t i = 0; i < rank; ++i) {   // the language counts its axes from the slowest one
    const std::int64_t size = numbers.sizes[i];
    const auto refuse_extent = [&](const std::string &rule, const char *help) {
      refuse("extent " + std::to_string(own - 1 - i) + rule, culprit(tensor.sizes[i], size), help);
    };
    if (size < 0)
      refuse_extent(" cannot be negative", "give the number of elements");
    if (size > std::int64_t{1} << 32)
      refuse_extent(" cannot be more than 2^32", "divide the tensor, or load through pointers");
    is_empty |= size == 0;
    result.sizes[i] = static_cast<std::uint64_t>(size);
  }
  for (std::size_t i = 0; i + 1 < rank; ++i) {
    const std::int64_t elements = numbers.strides[i];
    const auto refuse_stride = [&](const std::string &rule, const char *help) {
      refuse("stride " + std::to_string(own - 2 - i) + rule,
             culprit(tensor.strides[i], elements) + ", counted in elements of " + std::to_string(bytes) +
                 (bytes == 1 ? " byte" : " bytes"),
             help);
    };
    const std::int64_t per_row = static_cast<std::int64_t>(row_alignment) / bytes;
    if (elements < 0 || elements % per_row != 0)
      refuse_stride(" must be a multiple of 16 bytes, and not negative",
                    "pad the rows to a multiple of 16 bytes, or load through pointers");
    if (elements >= (std::int64_t{1} << 40) / bytes)
      refuse_stride(" must be less than 2^40 bytes", "divide the tensor, or load through pointers");
    if (elements == 0 && result.sizes[i + 1] > 1 && !is_empty)
      refuse_stride(" must not be zero: a tensor copy cannot repeat a row",
                    "load the row once and broadcast it, or load through pointers");
    // Of the only row nobody looks at the stride, nor where there is no element: packed rows of none are 0
    // apart.
    result.strides[i] = elements == 0 ? row_alignment : static_cast<std::uint64_t>(elements * bytes);
  }
  if (is_empty) {
    result.address = nothing;
    for (std::size_t i = 0; i < rank; ++i)
      result.sizes[i] = 1;
  }
  return result;
}

}   // namespace tile
