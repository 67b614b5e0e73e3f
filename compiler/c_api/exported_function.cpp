// SPDX-License-Identifier: MIT
#include "compiler/c_api/exported_function.h"

#include "compiler/c_api/boundary.h"
#include "compiler/c_api/tensor_argument.h"
#include "runtime/numeric.h"

#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <mutex>
#include <string>
#include <utility>

namespace tile::exporting {
namespace {

using c_api::OpenStream;

std::span<const Parameter> parameters_of(const Function &function) {
  const Parameter *first = nullptr;
  const std::uint64_t count = function.describe(&first);
  return {first, static_cast<std::size_t>(count)};
}

std::string name_of(Value::Is is) {
  switch (is) {
  case Value::Is::nothing:
    return "nothing";
  case Value::Is::bits:
    return "a number";
  case Value::Is::integer:
    return "an integer";
  case Value::Is::floating:
    return "a floating-point number";
  case Value::Is::boolean:
    return "a bool";
  case Value::Is::tensor:
    return "a tensor";
  case Value::Is::text:
    return "a text";
  }
  return "something";
}

std::string what_is_taken(const Parameter &parameter) {
  const std::string element = ElementType{static_cast<Kind>(parameter.element)}.name();
  switch (parameter.kind) {
  case ParameterKind::tensor:
    return parameter.takes_any_element ? "a tensor" : "a tensor of " + element;
  case ParameterKind::integer:
    return "an integer (" + element + ")";
  case ParameterKind::floating:
    return "a floating-point number (" + element + ")";
  case ParameterKind::boolean:
    return "a bool";
  case ParameterKind::text:
    return "a text";
  }
  return "something";
}

[[noreturn]] void refuse(const Parameter &parameter, const Value &value) {
  throw Error("`" + std::string(parameter.name) + "` is " + name_of(value.is) + ", and the function takes " +
                  what_is_taken(parameter),
              {});
}

std::uint64_t integer_of(const Parameter &parameter, const Value &value) {
  if (value.is != Value::Is::integer)
    refuse(parameter, value);
  const ElementType type{static_cast<Kind>(parameter.element)};
  const int bits = type.bits();
  const bool fits = type.is_unsigned() ? value.integer >= 0 && (bits == 64 || value.integer >> bits == 0)
                                       : bits == 64 || (value.integer >= -(std::int64_t{1} << (bits - 1)) &&
                                                        value.integer < std::int64_t{1} << (bits - 1));
  if (!fits)
    throw Error("`" + std::string(parameter.name) + "` is " + std::to_string(value.integer) +
                    ", which does not fit " + type.name(),
                {});
  const std::uint64_t all = static_cast<std::uint64_t>(value.integer);
  return bits == 64 ? all : all & ((std::uint64_t{1} << bits) - 1);
}

std::uint64_t floating_of(const Parameter &parameter, const Value &value) {
  if (value.is != Value::Is::floating && value.is != Value::Is::integer)
    refuse(parameter, value);
  const double number = value.is == Value::Is::floating ? value.floating : static_cast<double>(value.integer);
  return float_to_bits(static_cast<Kind>(parameter.element), number);
}

Received receive(const Parameter &parameter, const Value &value, const NamedDevice &device) {
  if (value.is == Value::Is::bits)
    return {.bits = value.bits};
  switch (parameter.kind) {
  case ParameterKind::tensor:
    if (value.is != Value::Is::tensor)
      refuse(parameter, value);
    return {.tensor = c_api::check_tensor(parameter, value.tensor, device)};
  case ParameterKind::integer:
    return {.bits = integer_of(parameter, value)};
  case ParameterKind::floating:
    return {.bits = floating_of(parameter, value)};
  case ParameterKind::boolean:
    if (value.is != Value::Is::boolean)
      refuse(parameter, value);
    return {.bits = value.integer != 0};
  case ParameterKind::text:
    if (value.is != Value::Is::text)
      refuse(parameter, value);
    return {.text = value.text};
  }
  return {};
}

}   // namespace

MemoryExtent Tensor::memory() const {
  const auto axes = static_cast<std::size_t>(rank);
  return tile::detail::memory_of(data, {extents.data(), axes}, {strides.data(), axes}, element.bytes());
}

void Tensor::check_view(ElementType of_view, int axes, bool is_contiguous) const {
  const auto text = [](const std::string &name, int count) {
    return name + " with " + std::to_string(count) + (count == 1 ? " axis" : " axes");
  };
  if (element != of_view || rank != axes)
    throw Error(
        "a tensor of " + text(element.name(), rank) + " is taken as one of " + text(of_view.name(), axes), {})
        .add_help("ask for element() and rank() first");
  if (is_contiguous && rank == 1 && extents[0] > 1 && strides[0] != 1)
    throw Error("a vector has stride " + std::to_string(strides[0]) + ", and needs contiguous elements", {})
        .add_help("pass a contiguous copy");
}

const char *name_of_argument(std::size_t i) {
  static std::mutex mutex;
  static std::deque<std::string> names;   // whose elements stay where they are
  const std::lock_guard lock(mutex);
  while (names.size() <= i)
    names.push_back("argument" + std::to_string(names.size()));
  return names[i].c_str();
}

void call_on(const Function &function, const OpenStream &stream, std::span<const Value> values) {
  const std::span<const Parameter> parameters = parameters_of(function);
  try {
    if (values.size() != parameters.size())
      throw Error(std::to_string(values.size()) + " arguments are given, and the function takes " +
                      std::to_string(parameters.size()),
                  {});
    std::vector<Received> received;
    std::vector<std::shared_ptr<void>> lent;
    received.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      received.push_back(receive(parameters[i], values[i], stream.owner->named));
      const MemoryExtent memory = received.back().tensor.memory();
      if (memory.bytes > 0)
        lent.push_back(stream.owner->device->lend(memory, parameters[i].name));
    }
    const OnStream on(stream.stream, std::source_location());
    function.invoke(on, received);
  } catch (Error &error) {
    error.add_context("function " + std::string(function.prefix) + "_" + function.name);
    throw;
  }
}

int call(const Function &function, tile_stream stream, std::span<const Value> values) noexcept {
  return c_api::guarded([&] { call_on(function, *c_api::stream_of(stream), values); });
}

void launch(const tile::detail::AnyKernel &kernel, OnDevice on, std::span<const Received> received) {
  std::vector<launching::PackedArgument> packed;
  packed.reserve(received.size());
  for (std::size_t i = 0; i < received.size(); ++i) {
    const tile::detail::ParameterSpec &parameter = kernel.parameters[i];
    if (parameter.type.is_pointer()) {
      packed.push_back(
          launching::pack_pointer(parameter.type, received[i].tensor.data, parameter.is_dynamic));
      packed.back().memory = received[i].tensor.memory();
    } else {
      packed.push_back(launching::pack_number(parameter.type, received[i].bits, parameter.is_dynamic));
    }
    packed.back().access = parameter.access;
  }
  tile::detail::launch(kernel, nullptr, on, packed);
}

}   // namespace tile::exporting
