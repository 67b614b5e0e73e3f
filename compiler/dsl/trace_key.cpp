// SPDX-License-Identifier: MIT
// A trace as bytes: what its module would say, without making one. Values are numbered in the order in which
// they appear, signs of integers are left to the operations, as in the module, and places have lines but no
// columns.
#include "compiler/dsl/trace_key.h"

#include <algorithm>
#include <bit>
#include <unordered_map>
#include <unordered_set>

namespace tile::detail {
namespace {

class Bytes {
 public:
  Bytes(const Trace &trace, TraceKeyOptions options) : trace_(trace), places_(options.places) {
    if (!options.classes)
      for (const TracedParameter &parameter : trace.parameters)
        parameters_.insert(parameter.use.value.id);
  }

  void number(std::uint64_t value) {
    do {   // seven bits a byte: most are small
      const auto low = static_cast<unsigned char>(value & 0x7F);
      value >>= 7;
      all.push_back(static_cast<char>(low | (value ? 0x80 : 0)));
    } while (value);
  }
  void text(std::string_view text) {
    number(text.size());
    all += text;
  }
  void type(ElementType type) {
    Kind kind = type.kind;
    if (kind >= Kind::U8 && kind <= Kind::U64)
      kind =
          static_cast<Kind>(static_cast<int>(kind) - static_cast<int>(Kind::U8) + static_cast<int>(Kind::I8));
    number(static_cast<std::uint64_t>(kind) * 8 + type.pointers);
  }
  void place(const Loc &loc) {   // most are in the file of the one before
    if (!places_)
      return;
    if (const auto [known, is_new] = files_.try_emplace(loc.file_name(), files_.size()); is_new) {
      number(files_.size());
      text(loc.file_name());
    } else {
      number(known->second + 1);
    }
    number(loc.line());
  }
  void made(int value) {
    values_.try_emplace(value, values_.size());
    const ValueInfo &info = trace_.values[static_cast<std::size_t>(value)];
    type(info.type);
    number(info.is_descriptor);
    number(info.shape.size());
    for (const std::int64_t extent : info.shape)
      number(static_cast<std::uint64_t>(extent));
  }
  void used(int value) {
    const auto known = values_.find(value);
    number(known == values_.end() ? 0 : known->second + 1);
  }

  void region(const Region &region) {
    number(region.arguments.size());
    for (const int argument : region.arguments)
      made(argument);
    number(region.ops.size() - static_cast<std::size_t>(std::ranges::count_if(
                                   region.ops, [&](const auto &op) { return is_parameter(*op); })));
    for (const std::unique_ptr<Op> &op : region.ops)
      if (!is_parameter(*op))
        operation(*op);
  }
  // A parameter of class `one` is a constant in the trace, which is left out where classes are.
  bool is_parameter(const Op &op) const {
    return op.results.size() == 1 && parameters_.contains(op.results.front());
  }
  void operation(const Op &op) {
    number(static_cast<std::uint64_t>(op.code));
    place(op.loc);
    number(op.operands.size());
    for (const int operand : op.operands)
      used(operand);
    number(op.attributes.index());
    std::visit([&](const auto &attributes) { of(attributes); }, op.attributes);
    number(op.regions.size());
    for (const Region &inner : op.regions)
      region(inner);
    number(op.results.size());
    for (const int result : op.results)
      made(result);
  }

  std::string all;

 private:
  template <class T> void value(const T &value) {
    if constexpr (std::is_same_v<T, std::string>)
      text(value);
    else if constexpr (std::is_same_v<T, double>)
      number(std::bit_cast<std::uint64_t>(value));
    else if constexpr (std::is_same_v<T, ElementType>)
      number(static_cast<std::uint64_t>(value.kind) * 8 + value.pointers);   // of what has a sign of its own
    else if constexpr (std::is_enum_v<T> || std::is_integral_v<T>)
      number(static_cast<std::uint64_t>(value));
    else
      of(value);
  }
  template <class T> void value(const std::vector<T> &values) {
    number(values.size());
    for (const T element : values)
      value<T>(element);
  }
  template <class... Parts> void parts(const Parts &...all_parts) { (value(all_parts), ...); }

  // Each names all members of its struct: one more does not compile until it is here.
  void of(const attributes::None &) {}
  void of(const attributes::Constant &x) {
    const auto &[bits, real] = x;
    parts(bits, real);
  }
  void of(const attributes::Interval &x) {
    const auto &[start, end] = x;
    parts(start, end);
  }
  void of(const attributes::Axis &x) {
    const auto &[axis] = x;
    parts(axis);
  }
  void of(const attributes::Reshape &x) {
    const auto &[any_order] = x;
    parts(any_order);
  }
  void of(const attributes::Permute &x) {
    const auto &[order] = x;
    parts(order);
  }
  void of(const attributes::CompareIntegers &x) {
    const auto &[how, is_unsigned] = x;
    parts(how, is_unsigned);
  }
  void of(const attributes::CompareFloats &x) {
    const auto &[how] = x;
    parts(how);
  }
  void of(const attributes::NanRule &x) {
    const auto &[nan] = x;
    parts(nan);
  }
  void of(const attributes::FloatCast &x) {
    const auto &[rounding] = x;
    parts(rounding);
  }
  void of(const attributes::AddPointer &x) {
    const auto &[is_offset_unsigned] = x;
    parts(is_offset_unsigned);
  }
  void of(const Access &x) {
    const auto &[cache, evict, is_volatile] = x;
    parts(cache, evict, is_volatile);
  }
  void of(const attributes::Load &x) {
    const auto &[has_mask, has_other, access] = x;
    parts(has_mask, has_other, access);
  }
  void of(const attributes::Store &x) {
    const auto &[has_mask, access] = x;
    parts(has_mask, access);
  }
  void of(const attributes::MakeDescriptor &x) {
    const auto &[padding] = x;
    parts(padding);
  }
  void of(const attributes::DescriptorLoad &x) {
    const auto &[cache, evict] = x;
    parts(cache, evict);
  }
  void of(const attributes::DescriptorReduce &x) {
    const auto &[update, element] = x;
    parts(update, element);
  }
  void of(const attributes::AtomicUpdate &x) {
    const auto &[update, element, has_mask, order, scope] = x;
    parts(update, element, has_mask, order, scope);
  }
  void of(const attributes::AtomicCas &x) {
    const auto &[order, scope] = x;
    parts(order, scope);
  }
  void of(const DotOptions &x) {
    const auto &[precision, max_imprecise_acc] = x;
    parts(precision, max_imprecise_acc);
  }
  void of(const attributes::Dot &x) {
    const auto &[options, is_a_unsigned, is_b_unsigned] = x;
    parts(options, is_a_unsigned, is_b_unsigned);
  }
  void of(const attributes::Scan &x) {
    const auto &[axis, reverse] = x;
    parts(axis, reverse);
  }
  void of(const attributes::Assume &x) {
    const auto &[fact, number] = x;
    parts(fact, number);
  }
  void of(const attributes::AssumeRange &x) {
    const auto &[low, high] = x;
    parts(low, high);
  }
  void of(const attributes::Assert &x) {
    const auto &[message, has_mask] = x;
    parts(message, has_mask);
  }
  void of(const attributes::Print &x) {
    const auto &[prefix, hex, are_unsigned] = x;
    parts(prefix, hex, are_unsigned);
  }
  void of(const LoopOptions &x) {
    const auto &[stages, unroll, specialize_warps] = x;
    parts(stages, unroll, specialize_warps);
  }
  void of(const attributes::Loop &x) {
    const auto &[is_unsigned, options] = x;
    parts(is_unsigned, options);
  }

  const Trace &trace_;
  bool places_;
  std::unordered_map<int, std::size_t> values_;
  std::unordered_map<std::string_view, std::size_t> files_;
  std::unordered_set<int> parameters_;   // their values, where classes are left out
};

}   // namespace

std::string key_of(const Trace &trace, TraceKeyOptions options) {
  Bytes bytes(trace, options);
  bytes.number(trace.parameters.size());
  for (const TracedParameter &parameter : trace.parameters) {
    bytes.text(parameter.name);
    bytes.number(static_cast<std::uint64_t>(parameter.type.kind) * 8 + parameter.type.pointers);
    if (options.classes)
      bytes.number(static_cast<std::uint64_t>(parameter.argument_class));
    bytes.made(parameter.use.value.id);
  }
  bytes.region(trace.top);
  return std::move(bytes.all);
}

}   // namespace tile::detail
